"""Bytes of eBPF code to instructions (RFC 9669 section 3).

Decides: how slots split into fields and where an lddw swallows its second slot. Refuses: a partial slot, an lddw
without its second slot, a second slot that holds anything but the upper immediate. Whether an instruction exists
is the validator's question, so that its error can name the neighbours too. Trusted by the validator, which takes
None for the second slot of an lddw: theorem validator.sound runs both. Loops look at one slot, or one lddw, at a time.
"""

from __future__ import annotations

import struct
from collections.abc import MutableMapping

from validator.errors import Reason, Rejected
from validator.isa import SLOT_BYTES, Instruction, Program

WIDE_OPCODE = 0x18
_SLOT = struct.Struct("<BBhi")
_unpack = _SLOT.unpack


def decode(code: bytes, memo: MutableMapping[bytes, Instruction] | None = None) -> Program:
    """The program in `code`, one entry per slot. Raises Rejected.

    `memo` may be kept by the caller across programs: it maps the eight bytes of a slot to its instruction.
    """
    if len(code) % SLOT_BYTES:
        raise Rejected(Reason.PARTIAL_SLOT, len(code) // SLOT_BYTES, detail=f"{len(code)} bytes")
    memo = {} if memo is None else memo
    slots = [code[position : position + SLOT_BYTES] for position in range(0, len(code), SLOT_BYTES)]
    return _joined([memo.get(slot) or _instruction(slot, memo) for slot in slots])


def _instruction(slot: bytes, memo: MutableMapping[bytes, Instruction]) -> Instruction:
    """The fields of a slot that `memo` does not know yet."""
    opcode, registers, offset, imm = _unpack(slot)
    instruction = memo[slot] = Instruction(opcode, registers & 15, registers >> 4, offset, imm)
    return instruction


def _joined(decoded: list[Instruction]) -> Program:
    """Each lddw with its second slot, which must be one: it has opcode 0, so that it starts none itself."""
    program: list[Instruction | None] = list(decoded)
    for pc in [pc for pc, instruction in enumerate(decoded) if instruction.opcode == WIDE_OPCODE]:
        program[pc] = _wide(decoded, pc)
        program[pc + 1] = None
    return tuple(program)


def _wide(decoded: list[Instruction], pc: int) -> Instruction:
    """The lddw at `pc`, from its two slots. Raises Rejected."""
    lower = decoded[pc]
    if pc + 1 == len(decoded):
        raise Rejected(Reason.TRUNCATED_WIDE, pc, lower)
    second = decoded[pc + 1]
    if second[:4] != (0, 0, 0, 0):
        raise Rejected(Reason.WIDE_SECOND, pc + 1, second)
    return lower._replace(imm=(lower.imm & 0xFFFFFFFF) | (second.imm & 0xFFFFFFFF) << 32)


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
