"""Every instruction of a row of the instruction set that the validator accepts, with its numbers unknown.

Registers are enumerated, first those that no x86 instruction uses without naming them (see `proofs.renaming`).
Immediates and offsets are symbolic. Where lowering or meaning of a division look at the immediate, the immediates that
they might look at are enumerated and one more case stands for all others. Trusted by isa.refines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import z3

from jit.registers import GUEST, Reg
from proofs.operands import Unknowns
from proofs.symbolic import Int, condition_of
from validator.isa import FRAME_POINTER, Field, Form, Instruction, Kind, Operation, Row, Source
from validator.validate import MAX_SLOTS, local_rejection

# r0, r3 and r10 last: division, compare-exchange and frames use rax, rdx and r15 without being told
REGISTERS: Final = tuple(
    sorted(range(FRAME_POINTER + 1), key=lambda number: number == FRAME_POINTER or GUEST[number] in (Reg.rax, Reg.rdx))
)
_DIVISIONS: Final = (Operation.DIV, Operation.MOD, Operation.SDIV, Operation.SMOD)
# what a division may treat in a way of its own: zero and the powers of two of both signs
_SPECIAL_DIVISORS: Final = (0, *(1 << k for k in range(31)), *(-(1 << k) for k in range(32)))


class EveryHelper(frozenset[int]):
    """All helper numbers."""

    def __contains__(self, number: object) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Numbers:
    """Offset and immediate of an instruction, known or not, and its pc."""

    offset: int
    imm: int
    pc: Int
    unknowns: Unknowns


def numbers(row: Row) -> Iterator[Numbers]:
    """Together: every offset and immediate of the row's instructions."""
    if row.form.operation in _DIVISIONS and row.form.source is Source.IMM:
        for divisor in _SPECIAL_DIVISORS:
            yield _numbers(row, divisor)
        others = _numbers(row)
        others.unknowns.assumptions += [
            z3.Not(condition_of(others.imm == divisor)) for divisor in _SPECIAL_DIVISORS
        ]
        yield others
    else:
        yield _numbers(row)


def _numbers(row: Row, imm: int | None = None) -> Numbers:
    unknowns = Unknowns()
    pc = unknowns.between("pc", 0, MAX_SLOTS)
    offset, any_imm = unknown_numbers(row, unknowns)
    return Numbers(offset, any_imm if imm is None else imm, pc, unknowns)


def unknown_numbers(row: Row, unknowns: Unknowns, suffix: str = "") -> tuple[int, int]:
    """Any offset and immediate of the row's instructions."""
    fixed = {row.field: row.value}
    offset, imm = (
        unknowns.between(f"{field.name.lower()}{suffix}", *number_range(row.form, field))
        if field in row.form.uses and field is not row.field
        else fixed.get(field, 0)
        for field in (Field.OFFSET, Field.IMM)
    )
    return offset, imm


def number_range(form: Form, field: Field) -> tuple[int, int]:
    """The least and the largest offset or immediate."""
    if field is Field.OFFSET:
        return -(1 << 15), (1 << 15) - 1
    if form.kind is Kind.WIDE_IMMEDIATE:
        return 0, (1 << 64) - 1
    return -(1 << 31), (1 << 31) - 1


def instructions(opcode: int, row: Row, given: Numbers) -> Iterator[Instruction]:
    """The row's instructions with these numbers: every choice of registers that the validator accepts."""
    fixed = {row.field: row.value}
    choices = {
        field: REGISTERS if field in row.form.uses else (fixed.get(field, 0),) for field in (Field.DST, Field.SRC)
    }
    for dst in choices[Field.DST]:
        for src in sorted(choices[Field.SRC], key=lambda number: (number == FRAME_POINTER, number == dst)):
            instruction = Instruction(opcode, dst, src, given.offset, given.imm)
            if local_rejection(instruction, EveryHelper()) is None:
                yield instruction
