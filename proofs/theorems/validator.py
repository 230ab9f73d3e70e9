"""validator.*: what an accepted program cannot do, by induction over its steps.

Three parts. `decode` and `validate` run on a program of unknown length of which one unknown slot is looked at
(`proofs.programs`), and on every path on which they accept it, certain things are true of that slot: `_Place.accepted`
and `OneSlot.decoded`. Those are assumed of the slot that a guest is at, and the reference semantics takes one step from
there, in any state that a guest may be in: the claims are about the state behind. That a run whose every step leads
from a good state to a good state has good states only is not proved, but what "induction" means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import z3

from proofs.executor import Fork, Path, explore
from proofs.guests import After, Guest, Memory, frame_base, step
from proofs.placements import Unknown, every, some, unknown
from proofs.programs import OneSlot, Refused, SecondSlots, Unknowns, builtins_of, modelled, second_slots_follow
from proofs.symbolic import INT_BITS, SymbolicWords, as_int, condition_of, integers_of, same
from proofs.theorem import Case, Obligation, Theorem, register
from simulator.ebpf import Fault, Finished, initial_state
from validator import decode, validate
from validator.errors import LimitExceeded
from validator.isa import (
    FRAME_POINTER,
    ROWS,
    SLOT_BYTES,
    Field,
    Form,
    Instruction,
    Kind,
    Row,
    call_target,
    jump_target,
    registers_written,
    successors,
)
from validator.validate import MAX_SLOTS, Function, Validated

Claims = Iterator[tuple[str, z3.BoolRef]]

# ---------------------------------------------------------------- instructions


class _Helpers:
    """A set of helper numbers of which nothing is known but whether the one that is asked for is a member."""

    def __init__(self) -> None:
        self.known = z3.Bool("the helper is known")

    def __contains__(self, number: object) -> bool:
        return bool(Fork(self.known))


def _instruction(u: Unknown, opcode: int, name: str = "") -> Instruction:
    low, high = (0, (1 << 64) - 1) if opcode == decode.WIDE_OPCODE else (-(1 << 31), (1 << 31) - 1)
    dst, src = u.between(f"dst{name}", 0, 15), u.between(f"src{name}", 0, 15)
    offset = u.between(f"offset{name}", -(1 << 15), (1 << 15) - 1)
    return Instruction(opcode, dst, src, offset, u.between(f"imm{name}", low, high))


def _forms(opcode: int) -> Iterator[Obligation]:
    """Of a program that has the instruction twice: `validate` judges it, and then looks it up. None stays None."""
    u, helpers = unknown(), _Helpers()
    i = _instruction(u, opcode)

    judge, about = validate._form, (("instruction", i),)

    def judged() -> tuple[tuple[Form | None, ...], list[dict[Instruction, Form]]]:
        tables: list[dict[Instruction, Form]] = []

        def noted(*arguments: Any) -> Form:  # noqa: ANN401
            tables.append(arguments[-1])
            return judge(*arguments)

        with modelled(validate, {"Rejected": Refused, "_form": noted}):
            return validate._forms((i, None, i), helpers), tables  # type: ignore[arg-type]

    for path in explore(judged, assuming=tuple(u.given), allowed=(Refused,)):
        if path.raised is not None:
            fits = some(*(_fits(row, i, helpers.known) for row in ROWS.get(opcode, ())))
            yield Obligation(f"refused {opcode:#04x}", path.conditions, z3.Not(fits), tuple(u.shown), about=about)
            continue
        (form, nothing, again), tables = path.returned
        fits = some(*(_fits(row, i, helpers.known) for row in ROWS.get(opcode, ()) if row.form is form))
        remembered = [z3.And(same(key, i), z3.BoolVal(held is form)) for key, held in tables[0].items()]
        claim = z3.And(fits, z3.BoolVal(nothing is None and again is form and len(tables) == 1), *remembered)
        yield Obligation(f"accepted {opcode:#04x}", path.conditions, claim, tuple(u.shown), about=about)


def _fits(row: Row, i: Instruction, helper: Any = True) -> z3.BoolRef:  # noqa: ANN401
    """Exactly this row's instruction, as RFC 9669 lets it be written, r10 only read. `helper`: is it known?"""
    form = row.form
    selected = row.field is None or i[row.field] == row.value
    reserved = (i[f] == 0 for f in Field if f not in form.uses and f is not row.field)
    keeps_r10 = (register != FRAME_POINTER for register in registers_written(form, i))
    known = z3.Or(form.kind is not Kind.CALL_HELPER, helper)
    return every(selected, *reserved, *keeps_r10, i.dst <= 10, i.src <= 10, known)


register(
    Theorem(
        id="validator.instruction",
        statement=(
            "exactly those instructions are accepted that have a row of the instruction set, zeros in reserved fields, "
            "registers that exist, r10 not among those they write, and a known helper"
        ),
        ranges_over="every opcode byte, all other fields, any set of helpers; new in the program, and seen before",
        assumes=("fields have the ranges of their encoding",),
        depends=("validator.validate", "validator.isa"),
        cases=lambda: (Case(f"opcode {opcode:#04x}", partial(_forms, opcode)) for opcode in range(256)),
    )
)

# ---------------------------------------------------------------- decoding


class _Slot:
    """Eight bytes, by what `struct` makes of them."""

    def __init__(self, u: Unknown, name: str) -> None:
        fields = {"opcode": (0, 255), "registers": (0, 255), "offset": (-(1 << 15), (1 << 15) - 1)}
        self.fields = tuple(u.between(f"{field}{name}", *bounds) for field, bounds in fields.items())
        self.fields += (u.between(f"imm{name}", -(1 << 31), (1 << 31) - 1),)

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Slot) and self.fields == other.fields


class _Code:
    """The bytes of a program, of which slots 0 and 1 are read: any two of its slots."""

    def __init__(self, u: Unknown, slots: tuple[_Slot, _Slot]) -> None:
        self.length, self.slots = u.between("bytes", 0, 1 << 40), slots

    def __getitem__(self, place: slice) -> _Slot:
        return self.slots[place.start]


def _unpacked() -> Iterator[Obligation]:
    """Two slots, the second of which may be the first again: `decode` looks it up then."""
    u = unknown()
    slots = (_Slot(u, ""), _Slot(u, " again"))
    code: Any = _Code(u, slots)
    length = {"len": lambda of: of.length, "range": lambda *_: range(len(slots))}
    names = {**length, "_unpack": lambda slot: slot.fields, "_joined": tuple, "Rejected": Refused}

    def decoded() -> Any:  # noqa: ANN401
        with modelled(decode, names):
            return decode.decode(code)

    for path in explore(decoded, assuming=tuple(u.given), allowed=(Refused,)):
        claims = [condition_of(code.length % SLOT_BYTES == 0)]
        if path.raised is not None:
            yield Obligation("refused", path.conditions, z3.Not(*claims), tuple(u.shown))
            continue
        for slot, i in zip(slots, path.returned, strict=True):
            opcode, registers, offset, imm = slot.fields
            claims += [same((i.opcode, i.offset, i.imm), (opcode, offset, imm))]
            claims += [every(i.dst >= 0, i.dst < 16, i.src >= 0, i.src < 16, i.dst + 16 * i.src == registers)]
        yield Obligation("the fields of each slot", path.conditions, every(*claims), tuple(u.shown))


class _Decoded:
    """An unknown number of slots. Equal indices off one pc simplify to one term, and have one instruction."""

    def __init__(self, u: Unknown) -> None:
        self._u = u
        self._read: dict[int, tuple[z3.ExprRef, Instruction]] = {}  # by term, which is held, so that its id stays its
        self.length = u.between("slots", 0, MAX_SLOTS)

    def __call__(self, pc: Any) -> Instruction:  # noqa: ANN401
        term = z3.simplify(as_int(pc).bits)
        if term.get_id() not in self._read:
            name = f" of slot {len(self._read)}"
            opcode = self._u.between(f"opcode{name}", 0, 255)
            self._read[term.get_id()] = term, _instruction(self._u, 0, name)._replace(opcode=opcode)
        return self._read[term.get_id()][1]

    def joined(self, *visited: Any) -> Iterator[Path[Any]]:  # noqa: ANN401
        """What `_joined` writes when it goes through these slots, on every path on which it accepts."""
        for pc in visited:
            self(pc), self(pc + 1)  # so that the ranges of their fields are assumed
        looked_at: Any = Unknowns(self.length, self, visited)

        def join() -> Any:  # noqa: ANN401
            with modelled(decode, {**builtins_of(looked_at), "Rejected": Refused}):
                return decode._joined(looked_at)

        paths = explore(join, assuming=tuple(self._u.given), allowed=(Refused,))
        return (path for path in paths if path.raised is None)


def _joined() -> Iterator[Obligation]:
    """What was done at a slot and at the two before it tells what it is: `_elsewhere` shows that nothing else does."""
    u = unknown()
    at, pc = _Decoded(u), u.between("pc", 0, MAX_SLOTS)
    u.given.append(condition_of(pc < at.length))
    for path in at.joined(pc - 2, pc - 1, pc):
        behind = z3.And(condition_of(pc > 0), _is_wide(path.returned, pc - 1, at))
        facts = second_slots_follow(at.length, pc - 1, behind, _is_second(path.returned, pc))
        yield Obligation("a second slot is behind an lddw", path.conditions, facts, tuple(u.shown))
        wide = z3.Implies(_is_wide(path.returned, pc, at), condition_of(pc + 1 < at.length))
        yield Obligation("an lddw is never the last slot", path.conditions, wide, tuple(u.shown))
        for index, value in path.returned.written:
            if value is not None:
                lower, upper = at(index), at(index + 1)
                halves = lower.imm & 0xFFFFFFFF | (upper.imm & 0xFFFFFFFF) << 32
                claim = z3.And(same(value, lower._replace(imm=halves)), every(value.imm >= 0, value.imm < 1 << 64))
                yield Obligation("the halves of its value", path.conditions, claim, tuple(u.shown))


def _elsewhere() -> Iterator[Obligation]:
    u = unknown()
    at, pc, other = _Decoded(u), u.between("pc", 0, MAX_SLOTS), u.between("other", 0, MAX_SLOTS)
    u.given.append(every(other != pc, other + 1 != pc))
    for path in at.joined(other):
        claim = every(*(index != pc for index, _ in path.returned.written))
        yield Obligation("what is done at another slot does not touch this one", path.conditions, claim, tuple(u.shown))


def _is_second(program: Unknowns[Any], pc: Any) -> z3.BoolRef:  # noqa: ANN401
    truth = z3.BoolVal(False)
    for index, value in program.written:
        truth = z3.If(condition_of(index == pc), z3.BoolVal(value is None), truth)
    return truth


def _is_wide(program: Unknowns[Any], pc: Any, at: _Decoded) -> z3.BoolRef:  # noqa: ANN401
    """There is an instruction at `pc`, and it is an lddw."""
    truth = condition_of(at(pc).opcode == decode.WIDE_OPCODE)
    for index, value in program.written:
        here = value is not None and condition_of(value.opcode == decode.WIDE_OPCODE)
        truth = z3.If(condition_of(index == pc), here, truth)
    return truth


# ---------------------------------------------------------------- accepted programs


@dataclass(frozen=True, slots=True)
class _Place:
    """An instruction of an accepted program, and the bounds of its function: two starts, and none between them.

    `starts` says of a pc whether a function starts there.
    """

    program: OneSlot
    low: Any
    high: Any
    starts: Callable[[Any], z3.BoolRef]

    def in_function(self, pc: Any) -> z3.BoolRef:  # noqa: ANN401
        return every(self.low <= pc, pc < self.high)

    def accepted(self) -> Claims:
        """What `validate` has seen to. Proved of its paths by validator.closed, and assumed of every step."""
        form, instruction, pc = self.program.form, self.program.instruction, self.program.pc
        yield "all successors are in the function", every(*map(self.in_function, successors(form, instruction, pc)))
        jump, call = jump_target(form, instruction, pc), call_target(form, instruction, pc)
        if jump is not None:
            yield "a jump lands on an instruction", self.program.defined(jump)
        if call is not None:
            yield "a call goes to an instruction", self.program.defined(call)
            yield "that starts a function", self.starts(call)


@dataclass(frozen=True, slots=True)
class _Shape:
    """All that `validate` may read of a form once instructions are judged: each kind stands for all forms of it."""

    kind: Kind
    bits: int | None

    @staticmethod
    def of(form: Form) -> _Shape:
        return _Shape(form.kind, form.bits if form.kind is Kind.JUMP else None)


SHAPES = tuple(dict.fromkeys(_Shape.of(row.form) for rows in ROWS.values() for row in rows))
_MOST = 2 * MAX_SLOTS  # of slots: `validate` refuses more than half of them
_SLOT_INTS = 40  # bits of ints here: pcs, and distances of 32 bits


def _accepted(shape: _Shape, last: bool) -> Iterator[Obligation]:
    """`validate` on every path. `last`: the function at the slot is the program's last."""
    with integers_of(_SLOT_INTS):
        found = list(_accepted_with(shape, last))
    yield from map(_shown_as_ints, found)


def _shown_as_ints(obligation: Obligation) -> Obligation:
    wider = tuple((name, z3.SignExt(INT_BITS - _SLOT_INTS, term)) for name, term in obligation.shown)
    return replace(obligation, shown=wider)


def _accepted_with(shape: _Shape, last: bool) -> Iterator[Obligation]:
    u, second = unknown(), SecondSlots()
    instruction = _instruction(u, 0)
    length, pc, low, high = (u.between(name, 0, _MOST) for name in ("slots", "pc", "start", "end"))
    one = OneSlot(length, pc, instruction, shape, second)  # type: ignore[arg-type]
    u.given.extend((every(low <= pc, pc < high, high == length if last else high < length), one.defined(pc)))
    names = {**builtins_of(one.program()), "_forms": lambda *_: one.forms(), "Rejected": Refused}
    further = () if last else (high,)

    def accept() -> Validated:
        with modelled(validate, names):
            return validate.validate(one.program(), (low,), starts=further)  # type: ignore[arg-type]

    for path in explore(accept, assuming=tuple(u.given), allowed=(Refused, LimitExceeded)):
        if path.raised is None:
            functions = path.returned.functions
            between = (every(f.start > low, f.start < high) for f in functions)
            given = (*path.conditions, z3.Not(some(*between)), second.consistent())
            place = _Place(one, low, high, lambda pc: some(*(pc == f.start for f in functions)))  # noqa: B023
            for what, claim in (*place.accepted(), *_functions(place, path.returned)):
                yield Obligation(what, given, claim, tuple(u.shown))


def _entries() -> Iterator[Obligation]:
    """`validate` on any entry and another start, which may lie anywhere."""
    with integers_of(_SLOT_INTS):
        found = list(_entries_anywhere())
    yield from map(_shown_as_ints, found)


def _entries_anywhere() -> Iterator[Obligation]:
    u, second = unknown(), SecondSlots()
    length, pc = (u.between(name, 0, _MOST) for name in ("slots", "pc"))
    anywhere = [u.between(name, -_MOST, _MOST) for name in ("entry", "start")]
    one = OneSlot(length, pc, _instruction(u, 0), _Shape(Kind.EXIT, None), second)  # type: ignore[arg-type]
    names = {**builtins_of(one.program()), "_forms": lambda *_: one.forms(), "Rejected": Refused}

    def accept() -> Validated:
        with modelled(validate, {**names, "_targets": lambda *_: []}):
            return validate.validate(one.program(), anywhere[:1], starts=anywhere[1:])  # type: ignore[arg-type]

    for path in explore(accept, assuming=(*u.given, one.defined(pc)), allowed=(Refused, LimitExceeded)):
        if path.raised is None:
            functions = path.returned.functions
            started = [some(*(pc == f.start for f in functions)) for pc in anywhere]
            named = every(path.returned.entries[0] == anywhere[0], len(path.returned.entries) == 1, *started)
            claims = (("entries and starts start functions", named), *_partition(one, functions))
            for what, claim in claims:
                yield Obligation(what, (*path.conditions, second.consistent()), claim, tuple(u.shown))


def _partition(one: OneSlot, functions: tuple[Function, ...]) -> Claims:
    ends = [*(function.start for function in functions[1:]), one.length]
    adjacent = (every(f.start < f.end, f.end == end) for f, end in zip(functions, ends, strict=True))
    yield "functions are sorted and cover the program", every(functions[0].start == 0, *adjacent)
    yield "functions start with instructions", every(*(one.defined(function.start) for function in functions))


def _functions(place: _Place, validated: Validated) -> Claims:
    """What the functions and the targets are: for those who compile them."""
    one, functions = place.program, validated.functions
    yield from _partition(one, functions)
    yield "the function is one of them", some(*(every(f.start == place.low, f.end == place.high) for f in functions))
    jump = jump_target(one.form, one.instruction, one.pc)
    if jump is None:
        yield "nothing is a target", z3.BoolVal(not validated.targets)
    else:
        yield "the jump's target is one", every(*(jump == target for target in validated.targets), validated.targets)


# ---------------------------------------------------------------- steps


def _steps(opcode: int, claims: Callable[[_Place, Guest, After], Claims]) -> Iterator[Obligation]:
    """One step of the reference semantics from an instruction of an accepted program, in any good state."""
    for row in ROWS[opcode]:
        u, second = unknown(), SecondSlots()
        instruction = _instruction(u, opcode)
        length, pc, low, high = (u.between(name, 0, MAX_SLOTS) for name in ("slots", "pc", "start", "end"))
        one = OneSlot(length, pc, instruction, row.form, second)
        place = _Place(one, low, high, _starts)
        layout, depth = unknown().layout(), u.between("depth", 0, MAX_SLOTS)  # of a layout, nothing is assumed
        guest = Guest(layout, pc, depth, u.between("returns to", 0, MAX_SLOTS))
        u.given.extend((every(low <= pc, pc < high, high <= length, depth < layout.frames), one.defined(pc)))
        u.given.extend((_fits(row, instruction), one.defined(guest.returns_to)))
        u.given.extend(fact for _, fact in place.accepted())
        paths = explore(lambda: step(guest, row.form, instruction), assuming=tuple(u.given))  # noqa: B023
        for path in paths:
            for what, claim in claims(place, guest, path.returned):
                given = (*path.conditions, one.decoded(), second.consistent())
                what, about = f"{row.form.kind.value}: {what}", (("instruction", instruction),)
                yield Obligation(what, given, claim, tuple(u.shown), about=about)


def _starts(pc: Any) -> z3.BoolRef:  # noqa: ANN401
    """Asked of one pc in each case: the target of a call."""
    return z3.Bool("a function starts at the callee")


def _sound(place: _Place, before: Guest, after: After) -> Claims:
    """Good states lead to good states: the pc is an instruction's, and r10 is that of the depth."""
    yield "the pc is an instruction's", place.program.defined(after.pc)
    yield "r10 is the frame's", after.frame == frame_base(before.layout, after.calls.depth)
    yield "the depth exists", every(after.calls.depth >= 0, after.calls.depth < before.layout.frames)
    for record in after.calls.pushed:
        yield "the callee returns to an instruction", place.program.defined(record.return_pc)
    if isinstance(after.event, Fault | Finished):
        yield "an event leaves the pc where it was", condition_of(after.pc == before.pc)


def _closed(place: _Place, before: Guest, after: After) -> Claims:
    """Control stays in the function, or enters another at its start, or returns to where it was called."""
    kind, pushed, popped = place.program.form.kind, after.calls.pushed, after.calls.popped
    if kind is Kind.EXIT and popped:
        yield "a return goes behind the call", every(after.pc == before.returns_to, popped == 1, not pushed)
    elif kind is Kind.CALL_LOCAL and pushed:
        (record,) = pushed
        target = call_target(place.program.form, place.program.instruction, before.pc)
        yield "a call enters a function at its start", every(after.pc == target, place.starts(target), popped == 0)
        yield "its caller goes on in the function", place.in_function(record.return_pc)
    else:
        yield "control stays in the function", every(place.in_function(after.pc), popped == 0, not pushed)


def _entered() -> Iterator[Obligation]:
    """The first state: r10 is the entry frame's, at an entry, which is the start of a function."""
    u = unknown()
    layout, pc = u.layout(), u.between("pc", 0, MAX_SLOTS)
    arguments = (z3.BitVec("r1", 64), z3.BitVec("r2", 64))
    state = initial_state(SymbolicWords(), layout, Memory(), pc, arguments)
    claim = z3.And(state.registers[FRAME_POINTER] == frame_base(layout, 0), condition_of(as_int(state.pc) == pc))
    yield Obligation("entry", tuple(u.given), z3.And(claim, z3.BoolVal(not state.calls)), tuple(u.shown))


_DEPENDS = ("validator.decode", "validator.validate", "validator.isa", "simulator.ebpf")


def _sound_cases() -> Iterator[Case]:
    yield Case("decode, fields", _unpacked)
    yield Case("decode, second slots", _joined)
    yield Case("decode, other slots", _elsewhere)
    yield Case("entry", _entered)
    for opcode in ROWS:
        yield Case(f"step, opcode {opcode:#04x}", partial(_steps, opcode, _sound))


def _closed_cases() -> Iterator[Case]:
    yield Case("entries", _entries)
    for shape in SHAPES:
        for last in (False, True):
            name = f"accepted, {shape.kind.value}{shape.bits or ''}, {'last' if last else 'another'} function"
            yield Case(name, partial(_accepted, shape, last))
    for opcode in ROWS:
        yield Case(f"step, opcode {opcode:#04x}", partial(_steps, opcode, _closed))


register(
    Theorem(
        id="validator.sound",
        statement="an accepted program never reaches an undefined instruction, the middle of an lddw, or a pc outside "
        "it, and r10 is the frame base of the current depth",
        ranges_over="every form, all fields, every pc and function, any placement of lddw, every layout and depth",
        assumes=(
            "instructions are judged as validator.instruction says, edges and call targets as validator.closed says",
            "the guest starts at an entry",
            "struct, tables, sorting and comprehensions are Python's",
        ),
        depends=_DEPENDS,
        cases=_sound_cases,
    )
)
register(
    Theorem(
        id="validator.closed",
        statement="control leaves a function only by a local call to a function start or by its return",
        ranges_over="every form, all fields, every pc and function, any placement of lddw",
        assumes=(
            "instructions are judged as validator.instruction says, and slots are decoded as validator.sound says",
            "sets, sorting and comprehensions are Python's",
        ),
        depends=_DEPENDS,
        cases=_closed_cases,
    )
)
