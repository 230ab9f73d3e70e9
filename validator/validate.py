"""Which programs may run, and where their functions begin and end.

Input: a decoded program, the entry pcs, further function starts (symbols of the object), the numbers of the
helpers that exist. Output: the functions, each a closed range of slots. Decides (in this order, which picks the
error): every instruction on its own, then call targets, then each function's jumps and its end. Trusts only
`validator.isa`. Trusted by `lower` and the gate, for a reader's benefit only: the gate checks again what it needs.

The checks of one instruction look at that instruction alone (`local_rejection`), and those of an edge at its two
ends, so that soundness is an argument about one instruction at a time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from validator.errors import LimitExceeded, Reason, Rejected
from validator.isa import (
    ABSENT,
    FRAME_POINTER,
    Form,
    Instruction,
    Kind,
    Program,
    call_target,
    discriminator,
    falls_through,
    jump_target,
    registers_written,
    row_of,
    slots,
)

MAX_SLOTS = 1 << 18


@dataclass(frozen=True, slots=True)
class Function:
    """The slots [start, end) of one function. Control enters at `start` only."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Validated:
    """A program that passed. `forms[pc]` is the form of `program[pc]`; functions are sorted and cover the program.

    `targets` are the pcs that some jump or branch, which stays in its function, can reach.
    """

    program: Program
    forms: tuple[Form | None, ...]
    functions: tuple[Function, ...]
    entries: tuple[int, ...]
    targets: frozenset[int]


def validate(
    program: Program,
    entries: Iterable[int] = (0,),
    helpers: frozenset[int] = frozenset(),
    starts: Iterable[int] = (),
    max_slots: int = MAX_SLOTS,
) -> Validated:
    """The functions of `program`. Raises Rejected, or LimitExceeded for a program of more than `max_slots` slots."""
    if not program:
        raise Rejected(Reason.EMPTY, 0)
    if len(program) > max_slots:
        raise LimitExceeded("program length in 8-byte slots", len(program), max_slots)
    forms = _forms(program, helpers)
    entries = tuple(entries)
    function_starts = {0, *entries, *starts}
    misplaced = [start for start in function_starts if not 0 <= start < len(program) or forms[start] is None]
    if misplaced:
        raise Rejected(Reason.ENTRY, misplaced[0])
    function_starts.update(_call_targets(program, forms))
    functions = _partition(function_starts, len(program))
    targets = frozenset([target for function in functions for target in _targets(program, forms, function)])
    return Validated(program, forms, functions, entries, targets)


def local_rejection(instruction: Instruction, helpers: frozenset[int]) -> tuple[Reason, str] | None:
    """Why this instruction may not stand in any program, or None. The string adds what was found."""
    judged = _judged(instruction, helpers)
    return None if isinstance(judged, Form) else judged


def _judged(instruction: Instruction, helpers: frozenset[int]) -> Form | tuple[Reason, str]:
    row = row_of(instruction)
    if row is None:
        return _no_form(instruction)
    for field in row.reserved:
        if instruction[field] != 0:
            return Reason.RESERVED, f"{field.name.lower()} = {instruction[field]}"
    form, dst, src = row.form, instruction.dst, instruction.src
    if dst > FRAME_POINTER or src > FRAME_POINTER:
        return Reason.REGISTER, f"dst r{dst}, src r{src}"
    named = FRAME_POINTER in (dst, src)  # else it cannot be written: spares most the next question
    if named and FRAME_POINTER in registers_written(form, instruction):
        return Reason.WRITES_R10, ""
    if form.kind is _CALL_HELPER and instruction.imm not in helpers:
        return Reason.UNKNOWN_HELPER, f"helper {instruction.imm}"
    return form


# looking a member up in its class takes 0.07 us (Python 3.11), and these are asked of every instruction
_CALL_HELPER: Final = Kind.CALL_HELPER
_CALL_LOCAL: Final = Kind.CALL_LOCAL
_JUMPS: Final = frozenset((Kind.JUMP, Kind.BRANCH))


def _no_form(instruction: Instruction) -> tuple[Reason, str]:
    if instruction.opcode in ABSENT:
        return Reason.LEGACY, ABSENT[instruction.opcode]
    selector = discriminator(instruction)
    if selector is None:
        return Reason.UNDEFINED, f"opcode {instruction.opcode:#04x}"
    return Reason.VARIANT, f"{selector.name.lower()} = {instruction[selector]}"


def _forms(program: Program, helpers: frozenset[int]) -> tuple[Form | None, ...]:
    seen: dict[Instruction, Form] = {}  # programs repeat themselves: judge each distinct instruction once
    return tuple([
        None if instruction is None else seen.get(instruction) or _form(pc, instruction, helpers, seen)
        for pc, instruction in enumerate(program)
    ])


def _form(pc: int, instruction: Instruction, helpers: frozenset[int], seen: dict[Instruction, Form]) -> Form:
    """The form of an instruction that is not among those `seen`. Raises Rejected."""
    judged = _judged(instruction, helpers)
    if not isinstance(judged, Form):
        raise Rejected(judged[0], pc, instruction, judged[1])
    seen[instruction] = judged
    return judged


def _call_targets(program: Program, forms: tuple[Form | None, ...]) -> set[int]:
    """Where the local calls go. Raises Rejected if one goes to no instruction."""
    calls = [pc for pc, form in enumerate(forms) if form is not None and form.kind is _CALL_LOCAL]
    return {_called(program, forms, pc) for pc in calls}


def _called(program: Program, forms: tuple[Form | None, ...], pc: int) -> int:
    form, instruction = forms[pc], program[pc]
    assert form is not None and instruction is not None
    target = call_target(form, instruction, pc)
    assert target is not None
    if not 0 <= target < len(program):
        detail = f"target pc {target}, the program has pcs 0 to {len(program) - 1}"
        raise Rejected(Reason.CALL_OUTSIDE, pc, instruction, detail)
    if forms[target] is None:
        raise Rejected(Reason.CALL_INTO_WIDE, pc, instruction)
    return target


def _partition(starts: Iterable[int], end: int) -> tuple[Function, ...]:
    """The functions of a program of `end` slots: from each start to the next."""
    return tuple([Function(start, following) for start, following in pairwise([*sorted(starts), end])])


def _targets(program: Program, forms: tuple[Form | None, ...], function: Function) -> list[int]:
    """Where the jumps and branches of `function` go. Raises Rejected if an edge leaves it or splits an instruction."""
    end = function.end
    edges = [  # all others go on at the next instruction, which is inside
        pc
        for pc in range(function.start, end)
        if (form := forms[pc]) is not None and (form.kind in _JUMPS or pc + 2 >= end)
    ]
    targets = [_edge_target(program, forms, function, pc) for pc in edges]
    return [target for target in targets if target is not None]


def _edge_target(program: Program, forms: tuple[Form | None, ...], function: Function, pc: int) -> int | None:
    form, instruction = forms[pc], program[pc]
    assert form is not None and instruction is not None
    edge = edge_rejection(form, instruction, pc, function, forms)
    if edge is not None:
        raise Rejected(edge[0], pc, instruction, edge[1])
    return jump_target(form, instruction, pc)


def edge_rejection(
    form: Form, instruction: Instruction, pc: int, function: Function, forms: tuple[Form | None, ...]
) -> tuple[Reason, str] | None:
    """Why an edge out of `pc` leaves its function or lands between instructions, or None."""
    target = jump_target(form, instruction, pc)
    if target is not None:
        if not function.start <= target < function.end:
            allowed = f"pcs {function.start} to {function.end - 1}"
            return Reason.JUMP_OUTSIDE, f"target pc {target}, the function has {allowed}"
        if forms[target] is None:
            return Reason.JUMP_INTO_WIDE, f"target pc {target}"
    if pc + slots(form) >= function.end and falls_through(form):
        return Reason.FALLS_OFF, ""
    return None
