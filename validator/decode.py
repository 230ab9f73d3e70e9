"""Bytes of eBPF code to instructions (RFC 9669 section 3).

Decides: how slots split into fields and where an lddw swallows its second slot. Refuses: a partial slot, an lddw
without its second slot, a second slot that holds anything but the upper immediate. Whether an instruction exists
is the validator's question, so that its error can name the neighbours too.
"""

from __future__ import annotations

import struct
from collections.abc import MutableMapping

from validator.errors import Reason, Rejected
from validator.isa import SLOT_BYTES, Instruction, Program

WIDE_OPCODE = 0x18
_SLOT = struct.Struct("<BBhi")


def decode(code: bytes, memo: MutableMapping[bytes, Instruction] | None = None) -> Program:
    """The program in `code`, one entry per slot. Raises Rejected.

    `memo` may be kept by the caller across programs: it maps the eight bytes of a slot to its instruction.
    """
    if len(code) % SLOT_BYTES:
        raise Rejected(Reason.PARTIAL_SLOT, len(code) // SLOT_BYTES, detail=f"{len(code)} bytes")
    memo = {} if memo is None else memo
    program: list[Instruction | None] = []
    slots = iter([code[position : position + SLOT_BYTES] for position in range(0, len(code), SLOT_BYTES)])
    for slot in slots:
        instruction = memo.get(slot)
        if instruction is None:
            opcode, registers, offset, imm = _SLOT.unpack(slot)
            instruction = memo[slot] = Instruction(opcode, registers & 15, registers >> 4, offset, imm)
        program.append(instruction)
        if instruction.opcode == WIDE_OPCODE:
            program[-1] = _wide(instruction, next(slots, None), len(program) - 1)
            program.append(None)
    return tuple(program)


def _wide(lower: Instruction, second: bytes | None, pc: int) -> Instruction:
    """The lddw at `pc`, from its first slot and the bytes of its second. Raises Rejected."""
    if second is None:
        raise Rejected(Reason.TRUNCATED_WIDE, pc, lower)
    opcode, registers, offset, imm = _SLOT.unpack(second)
    if (opcode, registers, offset) != (0, 0, 0):
        raise Rejected(Reason.WIDE_SECOND, pc + 1, Instruction(opcode, registers & 15, registers >> 4, offset, imm))
    return lower._replace(imm=(lower.imm & 0xFFFFFFFF) | (imm & 0xFFFFFFFF) << 32)


def encode(program: Program) -> bytes:
    """The bytes of `program`: the inverse of `decode`, for tests, tools and the linker."""
    code = bytearray()
    for instruction in program:
        if instruction is None:
            continue
        i = instruction
        registers = i.src << 4 | i.dst
        if i.opcode == WIDE_OPCODE:
            code += struct.pack("<BBhI", i.opcode, registers, i.offset, i.imm & 0xFFFFFFFF)
            code += struct.pack("<BBhI", 0, 0, 0, i.imm >> 32 & 0xFFFFFFFF)
        else:
            code += _SLOT.pack(i.opcode, registers, i.offset, i.imm)
    return bytes(code)
