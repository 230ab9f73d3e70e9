"""A guest program that can be taken apart: instructions whose targets are marks, and the memory that they find.

Decides nothing: whether what is left after leaving lines out may run is for the validator to say.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from jit.layout import Layout, Profile, plan
from validator.disassemble import disassemble
from validator.isa import ROWS, SLOT_BYTES, Field, Instruction, Kind, Row, form_of, row_of, slots

PROFILE: Final = Profile(frame_bytes=4096, frames=4)  # few, so that calls exhaust them; others are drawn, too


class Mark(NamedTuple):
    """A place, by number."""

    number: int


class Line(NamedTuple):
    """An instruction; its distance, if `target` is the number of a mark, is left to `assembled`."""

    instruction: Instruction
    target: int | None = None


class Turn(NamedTuple):
    """Polls until the guest is interrupted; the engine that goes on, which may be the same; and how it gets there."""

    fuel: int
    engine: int
    snapshot: bool  # else the same guest goes on, if it is on that engine


@dataclass(frozen=True, slots=True)
class GuestProgram:
    """See the module. `turns` are used one after the other, then again from the first."""

    index: int
    lines: tuple[Line | Mark, ...]
    read_only: bytes
    writable: bytes
    calldata: bytes
    turns: tuple[Turn, ...]
    profile: Profile = PROFILE

    def layout(self) -> Layout:
        """Where its memory lies, on every engine."""
        return plan(len(self.read_only), len(self.writable), len(self.calldata), self.profile)


def assembled(lines: tuple[Line | Mark, ...]) -> bytes:
    """The code. Raises KeyError for a mark that is gone, struct.error for a distance that does not fit."""
    places: dict[int, int] = {}
    pc = 0
    for line in lines:
        if isinstance(line, Mark):
            places[line.number] = pc
        else:
            pc += _slots(line.instruction)
    code = bytearray()
    for line in lines:
        if isinstance(line, Line):
            instruction = line.instruction
            if line.target is not None:
                distance = places[line.target] - len(code) // SLOT_BYTES - 1
                field = "imm" if _distance_is_imm(instruction) else "offset"
                instruction = instruction._replace(**{field: distance})
            code += encoded(instruction)
    return bytes(code)


def _slots(instruction: Instruction) -> int:
    form = form_of(instruction)
    assert form is not None
    return slots(form)


def _distance_is_imm(instruction: Instruction) -> bool:
    form = form_of(instruction)
    assert form is not None
    return form.kind is Kind.CALL_LOCAL or (form.kind is Kind.JUMP and form.bits == 32)


def encoded(instruction: Instruction) -> bytes:
    """RFC 9669 section 3; two slots for lddw, whose imm is its 64-bit value."""
    opcode, dst, src, offset, imm = instruction
    if opcode != WIDE:
        return struct.pack("<BBhi", opcode, src << 4 | dst, offset, imm)
    low, high = struct.unpack("<ii", struct.pack("<Q", imm % 2**64))
    return struct.pack("<BBhiBBhi", opcode, src << 4 | dst, offset, low, 0, 0, 0, high)


WIDE: Final = next(opcode for opcode, rows in ROWS.items() if rows[0].form.kind is Kind.WIDE_IMMEDIATE)

Named = dict[str, tuple[int, Row]]  # opcode and row, by what a reader calls the form


@cache
def named_rows() -> Named:
    """All forms of the instruction set, by the text of an instruction with r1, r2 and zeros."""
    rows = [(opcode, row) for opcode, alternatives in ROWS.items() for row in alternatives]
    return {disassemble(with_row(opcode, row, 1, 2)): (opcode, row) for opcode, row in rows}


def with_row(opcode: int, row: Row, dst: int = 0, src: int = 0, offset: int = 0, imm: int = 0) -> Instruction:
    """The instruction of this form. Operands that it has not are left out."""
    given = {Field.DST: dst, Field.SRC: src, Field.OFFSET: offset, Field.IMM: imm}
    fields = {field: value if field in row.form.uses else 0 for field, value in given.items()}
    if row.field is not None:
        fields[row.field] = row.value
    return Instruction(opcode, fields[Field.DST], fields[Field.SRC], fields[Field.OFFSET], fields[Field.IMM])


def form_name(instruction: Instruction) -> str:
    """What `named_rows` calls the form of `instruction`."""
    row = row_of(instruction)
    assert row is not None
    return _name(instruction.opcode, row)


@cache
def _name(opcode: int, row: Row) -> str:
    return disassemble(with_row(opcode, row, 1, 2))


def listing(program: GuestProgram) -> list[str]:
    """Its instructions with their pcs, as a reader wants them."""
    lines, pc = [], 0
    code = assembled(program.lines)
    for line in program.lines:
        if isinstance(line, Line):
            size = SLOT_BYTES * _slots(line.instruction)
            found = code[SLOT_BYTES * pc : SLOT_BYTES * pc + size]
            opcode, registers, offset, imm = struct.unpack_from("<BBhi", found)
            if size > SLOT_BYTES:
                imm = line.instruction.imm % 2**64
            placed = Instruction(opcode, registers & 15, registers >> 4, offset, imm)
            lines.append(f"{pc:4} {disassemble(placed, pc):44} {found.hex(' ')}")
            pc += size // SLOT_BYTES
    return lines
