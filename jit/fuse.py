"""Several eBPF instructions that x86 does in one: sums of registers, rotations, a branch around a jump.

Decides which runs of instructions `lower` may treat as one. Every register that the run writes still gets its value,
so no liveness is needed and the state behind the run is the reference's. Between the instructions of a run nothing
can suspend, and nothing may jump to any but the first; the gate checks the latter again. What a run becomes is
covered by isa.refines, run by run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from jit.branches import branch, opposite
from jit.macros import AddressOffset, AddressSum, Macro, Move, Rotate, ShiftBy
from jit.registers import GUEST
from jit.x86 import Shift
from validator.isa import Form, Instruction, Kind, Operation, Source, jump_target
from validator.validate import Validated

LONGEST_RUN = 5


@dataclass(frozen=True, slots=True)
class Run:
    """`length` instructions, each one slot, that `macros` do together."""

    macros: tuple[Macro, ...]
    length: int


class _Step(NamedTuple):
    """An ALU instruction, as the patterns look at it."""

    operation: Operation
    bits: int
    dst: int
    src: int | None  # register operand
    imm: int


def may_start(program: Validated, pc: int) -> bool:
    """Whether a run can start at `pc`, by a look at two instructions: spares most of them the search."""
    form, instruction = program.forms[pc], program.program[pc]
    if form is None or instruction is None:
        return False
    if form.kind is _BRANCH:
        return instruction.offset == 1
    if form.kind is not _ALU or form.source is not _STARTS.get(form.operation):
        return False
    form, following = program.forms[pc + 1], program.program[pc + 1]  # ALU instructions fall through
    return (
        form is not None
        and following is not None
        and form.kind is _ALU
        and form.operation in _SECOND
        and following.dst == instruction.dst
    )


# to look a member up in its class takes 0.09 us
_ALU: Final = Kind.ALU
_BRANCH: Final = Kind.BRANCH
_JUMP: Final = Kind.JUMP
_MOV: Final = Operation.MOV
_ADD: Final = Operation.ADD
_LSH: Final = Operation.LSH
_OR: Final = Operation.OR
_REG: Final = Source.REG
_STARTS: Final = {Operation.MOV: Source.REG, Operation.LSH: Source.IMM}
_SECOND: Final = frozenset((Operation.ADD, Operation.LSH, Operation.RSH))


def fused(program: Validated, pc: int, end: int) -> Run | None:
    """The run that starts at `pc` and ends before `end`, or None if that instruction is to stand alone."""
    first = _step(program, pc, end)
    if first is None:
        return _around(program, pc, end)
    second = _step(program, pc + 1, end)
    if second is None or second.operation not in _SECOND:
        return None
    if first.operation is _MOV and first.src is not None and first.dst != first.src:
        return _rotation(program, pc, end, first, second) or _sum(first, second)
    if first.operation is _LSH and first.src is None:
        return _scaled_sum(first, second)
    return None


def _around(program: Validated, pc: int, end: int) -> Run | None:
    """branch to pc + 2; ja target  ->  the opposite branch to target. A backward ja polls and stands alone."""
    form, instruction = program.forms[pc], program.program[pc]
    if pc + 1 >= end or form is None or instruction is None:
        return None
    jump_form, jump = program.forms[pc + 1], program.program[pc + 1]
    if jump_form is None or jump is None or jump_form.kind is not _JUMP or instruction.offset != 1:
        return None
    target = jump_target(jump_form, jump, pc + 1)
    if target is None or target <= pc + 1:
        return None
    return Run((opposite(branch(form, instruction), target - pc),), 2)


def _step(program: Validated, pc: int, end: int) -> _Step | None:
    if pc >= end:
        return None
    form, instruction = program.forms[pc], program.program[pc]
    if form is None or instruction is None or form.kind is not _ALU:
        return None
    return _alu_step(form, instruction)


def _alu_step(form: Form, i: Instruction) -> _Step:
    return _Step(form.operation, form.bits, i.dst, i.src if form.source is _REG else None, i.imm)


def _sum(first: _Step, second: _Step) -> Run | None:
    """mov d, s; add d, x  ->  d := s + x."""
    if second.operation is not _ADD or (first.bits, second.bits) != (64, 64) or second.dst != first.dst:
        return None
    assert first.src is not None
    dst, base = GUEST[first.dst], GUEST[first.src]
    if second.src is None:
        return Run((AddressOffset(dst, base, second.imm),), 2)
    if second.src == first.dst:
        return None
    return Run((AddressSum(dst, base, GUEST[second.src], 0),), 2)


def _scaled_sum(first: _Step, second: _Step) -> Run | None:
    """lsh d, k; add d, s  ->  d := s + d * 2^k, for the scales that an address can have."""
    if second.operation is not _ADD or (first.bits, second.bits) != (64, 64) or second.dst != first.dst:
        return None
    if second.src is None or second.src == first.dst or first.imm not in (1, 2, 3):
        return None
    return Run((AddressSum(GUEST[first.dst], GUEST[second.src], GUEST[first.dst], first.imm),), 2)


_OPPOSITE = {Operation.LSH: Operation.RSH, Operation.RSH: Operation.LSH}
_SHIFT = {Operation.LSH: Shift.SHL, Operation.RSH: Shift.SHR}


def _rotation(program: Validated, pc: int, end: int, first: _Step, second: _Step) -> Run | None:
    """mov t, x; shift t, k; [mov d, x;] opposite shift d, bits - k; or d, t  ->  t shifted, d := x rotated.

    Without the second mov, d is x itself.
    """
    bits = first.bits
    if second.operation not in _OPPOSITE or second.src is not None or second.bits != bits or second.dst != first.dst:
        return None
    count = second.imm
    if not 0 < count < bits:
        return None
    third = _step(program, pc + 2, end)
    if third is None:
        return None
    length, rotated = 4, first.src
    if third.operation is _MOV:
        if third.src != first.src or third.bits != bits or third.dst in (first.src, first.dst):
            return None
        length, rotated = 5, third.dst
        third = _step(program, pc + 3, end)
    assert rotated is not None and first.src is not None
    if third != _Step(_OPPOSITE[second.operation], bits, rotated, None, bits - count):
        return None
    if _step(program, pc + length - 1, end) != _Step(_OR, bits, rotated, first.dst, 0):
        return None
    left = count if second.operation is _LSH else bits - count
    part, source, target = GUEST[first.dst], GUEST[first.src], GUEST[rotated]
    shifted = (Move(bits, part, source), ShiftBy(_SHIFT[second.operation], bits, part, count))
    return Run((*shifted, Rotate(bits, target, source, left)), length)
