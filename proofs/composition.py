"""An unknown program of admitted functions, and an unknown machine that runs it.

A `Program` is what the gate and the assembler made of any number of functions: all of it uninterpreted functions of
code, pc and place, so that what holds of it holds of every program. A code is one compiled function: the same function
may have been compiled more than once, and calls may go to any of its codes. A `Machine` is the state in front of a
macro, or while the host has the guest. Formulas speak of single places: whoever uses a fact instantiates it. Trusted by
gate.compose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import z3

from proofs import lemmas
from proofs.lemmas import PC_BITS, At, Entry, Left, Said, Truth, Word

CODE, PC, PLACE = z3.BitVecSort(16), z3.BitVecSort(PC_BITS), z3.BitVecSort(32)
ADDRESS = z3.BitVecSort(64)
_FLAGS = ("reachable", "resumes", "known", "begun", "polled", "borrows")


@dataclass(frozen=True, slots=True)
class Source:
    """Who vouches for a fact: a theorem and how the obligation is called there, or what is trusted and where it is."""

    theorem: str
    obligation: str


Fact = tuple[Source, "z3.BoolRef"]
Facts = Iterator[Fact]


def function(name: str, *sorts: z3.SortRef) -> Any:  # noqa: ANN401 - a z3 function
    return z3.Function(name, *sorts)


class Program:
    """See the module. Names say what each function of a place is."""

    def __init__(self) -> None:
        place, block = (CODE, PC, PLACE), (CODE, PC)
        self.admitted = function("is admitted", CODE, z3.BoolSort())
        self.first_pc = function("pc of its first block", CODE, PC)
        self.end = function("end of its function", CODE, PC)
        self.is_start = function("is a function's start", PC, z3.BoolSort())
        self.is_block = function("is a block", *block, z3.BoolSort())
        self.is_label = function("is a label", *block, z3.BoolSort())
        self.count = function("number of macros", *block, PLACE)
        self.is_last = function("is the last block", *block, z3.BoolSort())
        self.following = function("pc of the next block", *block, PC)
        self.needs = function("needs what it is entered with", *block, z3.BoolSort())
        self.enterable = function("is enterable", *block, z3.BoolSort())
        self.keeps = function("is entered with the same approval", *block, z3.BoolSort())
        self.pushes = function("calls", *place, z3.BoolSort())
        self.pops = function("returns", *place, z3.BoolSort())
        self.jumps = function("may jump to", *place, PC, z3.BoolSort())
        self.callee = function("calls the function at", *place, PC)
        self.touches = function("may touch", *place, ADDRESS, z3.BoolSort())
        self.address = function("native address", *place, ADDRESS)
        self._flags = {name: function(name, *place, z3.BoolSort()) for name in _FLAGS}
        self._since = function("since", *place, PC)
        self._before = {name: function(f"{name} behind the block before", *block, z3.BoolSort()) for name in _FLAGS}
        self._before_pc = function("pc behind the block before", *block, PC)
        self._before_since = function("since behind the block before", *block, PC)
        self._said = {name: function(f"said: {name}", *place, z3.BoolSort()) for name in Said.__match_args__}
        self._left = {name: function(f"left: {name}", *place, z3.BoolSort()) for name in Left.__match_args__}
        self._entry = {name: function(f"entry: {name}", *block, z3.BoolSort()) for name in Entry.__match_args__}

    def at(self, code: Word, pc: Word, place: Word) -> At:
        """The fold's state in front of a macro; at the number of macros, behind the block's last."""
        flags = {name: known(code, pc, place) for name, known in self._flags.items()}
        return At(pc=pc, since=self._since(code, pc, place), **flags)

    def before(self, code: Word, pc: Word) -> At:
        """The fold's state behind the block before, or in front of the first one."""
        flags = {name: known(code, pc) for name, known in self._before.items()}
        return At(pc=self._before_pc(code, pc), since=self._before_since(code, pc), **flags)

    def said(self, code: Word, pc: Word, place: Word) -> Said:
        return Said(**{name: known(code, pc, place) for name, known in self._said.items()})

    def left(self, code: Word, pc: Word, place: Word) -> Left:
        return Left(**{name: known(code, pc, place) for name, known in self._left.items()})

    def entry(self, code: Word, pc: Word) -> Entry:
        return Entry(**{name: known(code, pc) for name, known in self._entry.items()})

    # ---------------------------------------------------------------- what gate.preempt says of it

    def macro_facts(self, code: Word, pc: Word, place: Word) -> Facts:
        """Of a macro of an admitted function."""
        here, there = self.at(code, pc, place), self.at(code, pc, place + 1)
        exists = z3.And(self.exists(code, pc), z3.ULT(place, self.count(code, pc)))
        said = self.said(code, pc, place)
        yield from _given(exists, lemmas.macro(here, said, there, self.left(code, pc, place)))
        last = self.at(code, pc, self.count(code, pc))
        used = z3.Implies(there.borrows, last.borrows)
        yield Source("gate.preempt", "what was used stays known"), z3.Implies(exists, used)  # to the block's end
        frame = z3.Or(self.pushes(code, pc, place), self.pops(code, pc, place))
        yield Source("definition", "a call or a return changes the frame"), z3.Implies(frame, said.ends)

    def jump_facts(self, code: Word, pc: Word, place: Word, to: Word) -> Facts:
        """Of a macro that may jump to `to`."""
        here, there = self.at(code, pc, place), self.at(code, pc, place + 1)
        places = lambda at: self.is_block(code, at)  # noqa: E731
        labels = lambda at: self.is_label(code, at)  # noqa: E731
        jumps = z3.And(self.exists(code, pc), self.jumps(code, pc, place, to))
        yield from _given(jumps, lemmas.jump(here, there, to, places, labels))

    def call_facts(self, code: Word, pc: Word, place: Word) -> Facts:
        """Of a macro that calls."""
        calls = z3.And(self.exists(code, pc), self.pushes(code, pc, place))
        yield from _given(calls, lemmas.call(self.callee(code, pc, place), self.is_start))

    def block_facts(self, code: Word, pc: Word) -> Facts:
        """Of a block of an admitted function, and of what is in front of it and behind it."""
        exists, front = self.exists(code, pc), self.at(code, pc, lemmas.FIRST)
        after, entry = self.at(code, pc, self.count(code, pc)), self.entry(code, pc)
        label, keeps = self.is_label(code, pc), self.keeps(code, pc)
        before = self.before(code, pc)
        yield from _given(exists, lemmas.entered(before, pc, front, keeps, label, entry.joined))
        yield from _given(exists, lemmas.begins(front))
        yield from _given(exists, lemmas.behind(after, entry))
        last = self.is_last(code, pc)
        next_pc = self.following(code, pc)
        behind = z3.And(z3.Not(last), self.needs(code, next_pc))  # behind the last block nothing is needed
        enterable = self.enterable(code, pc)
        yield from _given(exists, lemmas.needed(entry, self.needs(code, pc), behind, enterable))
        yield from _given(z3.And(exists, last), lemmas.end(after, self.end(code)))
        follows = z3.And(self.is_block(code, next_pc), _same(self.before(code, next_pc), after))
        yield LIST, z3.Implies(z3.And(exists, z3.Not(last)), follows)

    def function_facts(self, code: Word) -> Facts:
        """Of an admitted function's first block."""
        first = self.first_pc(code)
        polls = z3.And(z3.UGT(self.count(code, first), 0), self.said(code, first, lemmas.FIRST).polls)
        yield from _given(self.admitted(code), lemmas.start(first, first, polls))
        yield from _given(self.admitted(code), lemmas.in_front(self.before(code, first), first))
        yield LIST, z3.Implies(self.admitted(code), self.is_block(code, first))

    def exists(self, code: Word, pc: Word) -> Truth:
        return z3.And(self.admitted(code), self.is_block(code, pc))


LIST = Source("definition", "the blocks of a function are a list, its macros are lists")


def _given(premise: Truth, claims: lemmas.Lemmas) -> Facts:
    return ((Source("gate.preempt", what), z3.Implies(premise, claim)) for what, claim in claims)


def _same(a: At, b: At) -> Truth:
    return z3.And(*(getattr(a, name) == getattr(b, name) for name in ("pc", "since", *_FLAGS)))


# ---------------------------------------------------------------- the machine


@dataclass(frozen=True, slots=True)
class Record:
    """What a shadow-stack record says: a native address and a pc; `code` is whose address it is, known to nobody."""

    native: Word
    pc: Word
    code: Word


@dataclass(frozen=True, slots=True)
class Slot:
    """What a slot of the function table holds, and of which code it is, if it is of one."""

    native: Word
    code: Word


@dataclass(frozen=True, slots=True)
class Place:
    """Where control is. `true`: what the gate knows of CHECKED here is so. `polled`: this visit of the block polled."""

    code: Word
    pc: Word
    number: Word
    true: Truth
    polled: Truth


@dataclass(frozen=True, slots=True)
class Machine:
    """The state. Without a place, the host has the guest and r10 is what the context says."""

    place: Place | None
    depth: Word
    r10: Word
    rsp: Word
    rbp: Word
    record: Callable[[Word], Record]
    slot: Callable[[Word], Slot]

    @property
    def at(self) -> Place:
        assert self.place is not None
        return self.place


class Unknowns:
    """Words and truths of a machine state, by a name that tells states apart."""

    def __init__(self, name: str) -> None:
        self._name = name

    def word(self, what: str, sort: z3.SortRef) -> Any:  # noqa: ANN401
        return z3.Const(f"{self._name}{what}", sort)

    def truth(self, what: str) -> Truth:
        return z3.Bool(f"{self._name}{what}")

    @cached_property
    def place(self) -> Place:
        code, pc, number = self.word("code", CODE), self.word("pc", PC), self.word("place", PLACE)
        return Place(code, pc, number, self.truth("what is known is true"), self.truth("has polled"))

    def record(self, depth: Word) -> Record:
        native, pc, code = (
            function(f"{self._name}record: {what}", PLACE, sort)(depth)
            for what, sort in (("native", ADDRESS), ("pc", PC), ("code", CODE))
        )
        return Record(native, pc, code)

    def slot(self, pc: Word) -> Slot:
        native = function(f"{self._name}slot: native", PC, ADDRESS)(pc)
        return Slot(native, function(f"{self._name}slot: code", PC, CODE)(pc))

    def machine(self, native: bool = True) -> Machine:
        r10, rsp, rbp = (self.word(name, ADDRESS) for name in ("r10", "rsp", "rbp"))
        place = self.place if native else None
        return Machine(place, self.word("depth", PLACE), r10, rsp, rbp, self.record, self.slot)
