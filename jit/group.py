"""Which accesses can share one check: those off the same base register in one straight stretch of code.

Decides the groups that `lower` makes: the first access checks the whole span from the lowest to the highest byte, the
others use what it approved. All of them execute if the first does, so a span that does not fit is a fault of one of
them (or a wrong guess), and the interpreter finds out which. Nothing else that clobbers the approved address may lie
between. Untrusted: the gate sees whether each access is covered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from jit.layout import Layout, Region, in_current_frame
from jit.regions import Hints, Provenance
from validator.isa import FRAME_POINTER, Form, Instruction, Kind, Operation, registers_written
from validator.validate import Function, Validated

# From the first access of a group to its last, in slots. The host cannot enter in between, so that a check which fails
# has the interpreter go through the rest: it should not be long. Compilers' stretches rarely are.
LONGEST_STRETCH = 128


@dataclass(frozen=True, slots=True)
class Group:
    """The bytes [base + offset, + size) that the access at `first` checks for all."""

    first: int
    offset: int
    size: int
    write: bool


@dataclass(slots=True)
class _Open:
    base: int
    hint: Provenance
    members: list[int]
    low: int
    high: int
    write: bool


_CLOBBERS: Final = frozenset((Operation.DIV, Operation.MOD, Operation.SDIV, Operation.SMOD))


def grouped(
    program: Validated, function: Function, layout: Layout, hints: Hints, labels: frozenset[int]
) -> dict[int, Group]:
    """For the pc of each access that is in a group: its group. Groups have two or more members."""
    groups: dict[int, Group] = {}
    current: _Open | None = None
    forms, instructions = program.forms, program.program
    for pc in range(function.start, function.end):
        form, instruction = forms[pc], instructions[pc]
        if form is None or instruction is None:
            continue
        if current is not None or form.kind in _ACCESSES:
            current = _behind(pc, form, instruction, hints.get(pc), pc in labels, layout, current, groups)
    if current is not None:
        _close(current, groups)
    return groups


def _behind(
    pc: int,
    form: Form,
    instruction: Instruction,
    hint: Provenance,
    label: bool,
    layout: Layout,
    current: _Open | None,
    groups: dict[int, Group],
) -> _Open | None:
    """The group that is open behind the instruction at `pc`, of `current` in front of it. One that ends, `groups` gets.

    All that `grouped` relies on is said of this step: isa.refines proves it of any open group and any instruction.
    """
    if current is not None and (label or _interrupts(form)):
        _close(current, groups)
        current = None
    if form.kind in _ACCESSES:
        current = _access(pc, form, instruction, hint, layout, current, groups)
    if current is not None and current.base in registers_written(form, instruction):
        _close(current, groups)
        current = None
    return current


def _interrupts(form: Form) -> bool:
    """Whether control can go elsewhere or be suspended here, or the approved address is overwritten."""
    return form.operation in _CLOBBERS if form.kind is _ALU else form.kind in _LEAVES


_ALU: Final = Kind.ALU
_LEAVES: Final = frozenset((Kind.ATOMIC, Kind.JUMP, Kind.BRANCH, Kind.CALL_HELPER, Kind.CALL_LOCAL, Kind.EXIT))
_ACCESSES: Final = frozenset((Kind.LOAD, Kind.STORE))
_STORE: Final = Kind.STORE
_STACK: Final = Region.STACK


def _access(
    pc: int,
    form: Form,
    instruction: Instruction,
    hint: Provenance,
    layout: Layout,
    current: _Open | None,
    groups: dict[int, Group],
) -> _Open | None:
    write = form.kind is _STORE
    base = instruction.dst if write else instruction.src
    if base == FRAME_POINTER:
        if in_current_frame(layout, instruction.offset, form.size):
            return current  # needs no check and clobbers nothing
        if current is not None:  # left to the interpreter, and what was checked before is forgotten
            _close(current, groups)
        return None
    low, high = instruction.offset, instruction.offset + form.size
    if current is not None:
        joined_low, joined_high = min(current.low, low), max(current.high, high)
        room = joined_high - joined_low <= _limit(hint, layout) and pc - current.members[0] < LONGEST_STRETCH
        if current.base == base and current.hint is hint and room:
            current.low, current.high, current.write = joined_low, joined_high, current.write or write
            current.members.append(pc)
            return current
        _close(current, groups)
    return _Open(base, hint, [pc], low, high, write)


def _limit(hint: Provenance, layout: Layout) -> int:
    """The most bytes that one check of such a guess can cover."""
    if hint is None or hint is _STACK:
        return layout.frame_bytes
    return layout.span(hint).size


def _close(current: _Open, groups: dict[int, Group]) -> None:
    if len(current.members) > 1:
        group = Group(current.members[0], current.low, current.high - current.low, current.write)
        groups.update((pc, group) for pc in current.members)
