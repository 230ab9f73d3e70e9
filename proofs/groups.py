"""Groups of accesses that share a check, by induction over the instructions of a function.

The invariant of an open group, of which the step `jit.group._behind` keeps every part, whatever the group and whatever
the instruction: all members are loads or stores off one register, with one guess; the bytes of each lie in the span,
which one check can cover; it is a span to write if a member is a store. And from the first member on no instruction was
a label, could leave, was left to the interpreter, wrote the register or what a check approves. So at each member the
bytes are approved that the first one checked. Trusted by isa.refines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import z3

from jit.group import Group, _behind, _interrupts, _limit, _Open
from jit.layout import Layout
from jit.regions import Provenance
from proofs.accesses import GUESSES, WIDEST, base_of, writes
from proofs.executor import explore
from proofs.instructions import unknown_numbers
from proofs.layouts import EXAMPLES
from proofs.names import name
from proofs.operands import Unknowns
from proofs.refinement import Conditions
from proofs.symbolic import Int, as_int, condition_of
from validator.isa import FRAME_POINTER, Field, Form, Instruction, Kind, Row, registers_written

_ACCESSES: Final = (Kind.LOAD, Kind.STORE)
_CHECKED: Final = (*_ACCESSES, Kind.ATOMIC)  # with a check of its own, which approves another address
# control may go elsewhere, or the host may run meanwhile: nothing is known behind
_LEAVE: Final = (Kind.JUMP, Kind.BRANCH, Kind.CALL_HELPER, Kind.CALL_LOCAL, Kind.EXIT)
_BASE: Final = 6  # of the open group
_OTHER: Final = 7
_PC: Final = 20
_MEMBERS: Final = ((), (10,), (10, 15))  # pcs of the open group: none is open, a first access, or more
_REFUSED: Final = z3.BoolVal(False)


@dataclass(frozen=True, slots=True)
class Situation:
    """An instruction behind an open group, which has no `members` if none is open."""

    form: Form
    instruction: Instruction  # with registers as numbers
    guess: Provenance
    label: bool
    layout: Layout
    members: tuple[int, ...]
    group_guess: Provenance
    write: bool
    low: Int
    size: Int
    unknowns: Unknowns

    def __str__(self) -> str:
        of = f"{self.group_guess}, write {self.write}, members {self.members}"
        return f"{self.instruction}, guess {self.guess}, label {self.label}, behind a group of r{_BASE}, {of}"

    def named(self) -> Instruction:
        """The instruction with registers that can only be compared."""
        dst, src = (
            name(number) if field in self.form.uses else number
            for field, number in ((Field.DST, self.instruction.dst), (Field.SRC, self.instruction.src))
        )
        if self.form.kind is Kind.STORE:
            src = name(None)
        return self.instruction._replace(dst=dst, src=src)

    def open(self) -> _Open | None:
        """The group in front of the instruction: any that the invariant allows."""
        if not self.members:
            return None
        high = self.low + self.size
        return _Open(name(_BASE), self.group_guess, list(self.members), _int(self.low), _int(high), self.write)

    @property
    def writes_base(self) -> bool:
        return _BASE in registers_written(self.form, self.instruction)

    @property
    def joins(self) -> bool:
        """Whether the instruction may be a member of the group."""
        base = base_of(self.form, self.instruction)
        return self.form.kind in _ACCESSES and base == _BASE and self.guess is self.group_guess and not self.label


def largest(guess: Provenance, layout: Layout) -> int:
    """The most bytes that a check covers: those of an access, or of a group."""
    return max(WIDEST, _limit(guess, layout))


def situations(opcode: int, row: Row) -> Iterator[Situation]:
    """The row behind any open group, with any registers, guesses and numbers."""
    form = row.form
    accesses = form.kind in _ACCESSES
    any_register = (_BASE, _OTHER, FRAME_POINTER)
    dsts: tuple[int, ...] = any_register if Field.DST in form.uses else (0,)
    srcs: tuple[int, ...] = any_register if Field.SRC in form.uses else (0,)
    if form.kind is Kind.STORE:
        srcs = (0,)  # nobody looks at it: see `Situation.named`
    # what is no access has no guess, and no layout to ask
    layouts: tuple[Any, ...] = EXAMPLES if accesses else (None,)
    guesses = GUESSES if accesses else GUESSES[:1]
    for dst, src, members, guess in product(dsts, srcs, _MEMBERS, guesses):
        if FRAME_POINTER in registers_written(form, Instruction(opcode, dst, src)):
            continue
        for layout, group_guess, write, label in product(
            layouts, guesses if members else GUESSES[:1], (False, True) if members else (False,), (False, True)
        ):
            # the group can only become longer, for which the layout is asked, with the same guess and no label
            if (guess is group_guess and members and not label) or (
                layout is layouts[0] and (guess is group_guess or not (write or label))
            ):
                unknowns = Unknowns()
                instruction = Instruction(opcode, dst, src, *unknown_numbers(row, unknowns))
                low = unknowns.between("low", -(1 << 15), (1 << 15) - 1)
                size = unknowns.between("size", 1, largest(group_guess, layout or EXAMPLES[0]))
                yield Situation(
                    form, instruction, guess, label, layout, members, group_guess, write, low, size, unknowns
                )


def claims(of: Situation) -> Iterator[tuple[Conditions, z3.BoolRef]]:
    """The step keeps the invariant, and hands out groups that have it."""

    def step() -> z3.BoolRef:
        groups: dict[int, Group] = {}
        after = _behind(_PC, of.form, of.named(), of.guess, of.label, of.layout, of.open(), groups)
        return z3.And(_invariant(of, after), _handed_out(of, groups))

    for path in explore(step, assuming=tuple(of.unknowns.assumptions), what=str(of)):
        yield path.conditions, path.returned


def _invariant(of: Situation, after: _Open | None) -> z3.BoolRef:
    if after is None:
        return z3.BoolVal(True)
    base, offset = base_of(of.form, of.instruction), as_int(of.instruction.offset)
    if after.members == [_PC]:
        opens = of.form.kind in _ACCESSES and base != FRAME_POINTER and after.base == name(base)
        kept = base not in registers_written(of.form, of.instruction) and after.hint is of.guess
        span = _covers(after.low, after.high, offset, of.form.size)
        return z3.And(z3.BoolVal(opens and kept and after.write == writes(of.form)), span, _fits(of, after))
    # of instructions that do not interrupt, isa.refines shows that an approved address stays approved
    straight = not of.label and of.form.kind not in _LEAVE and not _interrupts(of.form)
    same = after.base == name(_BASE) and after.hint is of.group_guess
    if not straight or not same or not of.members or of.writes_base:
        return _REFUSED
    if after.members == [*of.members, _PC]:
        return z3.And(_joined(of, after.low, after.high, after.write), _fits(of, after))
    needs_no_check = of.form.kind not in _CHECKED or base == FRAME_POINTER
    if after.members != list(of.members) or not needs_no_check or after.write != of.write:
        return _REFUSED
    same_span = z3.And(condition_of(after.low == of.low), condition_of(after.high == of.low + of.size))
    if of.form.kind not in _ACCESSES:
        return same_span
    # one outside of its frame is left to the interpreter, behind which nothing is known: the gate would refuse members
    return z3.And(same_span, condition_of(-of.layout.frame_bytes <= offset), condition_of(offset <= -of.form.size))


def _handed_out(of: Situation, groups: dict[int, Group]) -> z3.BoolRef:
    """Nothing, or the group that was open, maybe with this instruction as its last member."""
    if not groups:
        return z3.BoolVal(True)
    members, group = list(groups), next(iter(groups.values()))
    if any(other is not group for other in groups.values()) or not of.members or group.first != of.members[0]:
        return _REFUSED
    if members == [*of.members, _PC]:
        fits = condition_of(as_int(group.size) <= largest(of.guess, of.layout))
        return z3.And(fits, _joined(of, group.offset, group.offset + group.size, group.write))
    if members != list(of.members) or group.write != of.write:
        return _REFUSED
    return z3.And(condition_of(group.offset == of.low), condition_of(group.size == of.size))


def _joined(of: Situation, low: int, high: int, write: bool) -> z3.BoolRef:
    """The instruction may be a member, and these bytes cover its own and those that the group had."""
    if not of.joins or write != (of.write or writes(of.form)):
        return _REFUSED
    own = _covers(low, high, as_int(of.instruction.offset), of.form.size)
    return z3.And(own, _covers(low, high, of.low, of.size))


def _covers(low: int, high: int, offset: Int, size: int | Int) -> z3.BoolRef:
    return z3.And(condition_of(as_int(low) <= offset), condition_of(offset + size <= as_int(high)))


def _fits(of: Situation, group: _Open) -> z3.BoolRef:
    """One check can cover it."""
    return condition_of(as_int(group.high) - group.low <= largest(of.guess, of.layout))


def _int(value: Int) -> int:
    return value  # type: ignore[return-value]
