"""Bytes of eBPF instructions. The numbers are those of RFC 9669 sections 3 to 5, written here a second time."""

from __future__ import annotations

import struct

LD, LDX, ST, STX, ALU32, JMP, JMP32, ALU64 = range(8)
IMM, REG = 0x00, 0x08

ALU_CODES = {  # section 4.1: code, and the offset field that selects the signed twin
    "add": (0x00, 0),
    "sub": (0x10, 0),
    "mul": (0x20, 0),
    "div": (0x30, 0),
    "sdiv": (0x30, 1),
    "or": (0x40, 0),
    "and": (0x50, 0),
    "lsh": (0x60, 0),
    "rsh": (0x70, 0),
    "mod": (0x90, 0),
    "smod": (0x90, 1),
    "xor": (0xA0, 0),
    "mov": (0xB0, 0),
    "arsh": (0xC0, 0),
}
BRANCH_CODES = {  # section 4.3
    "jeq": 0x10,
    "jgt": 0x20,
    "jge": 0x30,
    "jset": 0x40,
    "jne": 0x50,
    "jsgt": 0x60,
    "jsge": 0x70,
    "jlt": 0xA0,
    "jle": 0xB0,
    "jslt": 0xC0,
    "jsle": 0xD0,
}
SIZE_CODES = {4: 0x00, 2: 0x08, 1: 0x10, 8: 0x18}  # section 5
ATOMIC_CODES = {  # section 5.3
    "add": 0x00,
    "or": 0x40,
    "and": 0x50,
    "xor": 0xA0,
    "fetch_add": 0x01,
    "fetch_or": 0x41,
    "fetch_and": 0x51,
    "fetch_xor": 0xA1,
    "xchg": 0xE1,
    "cmpxchg": 0xF1,
}


def slot(opcode: int, dst: int = 0, src: int = 0, offset: int = 0, imm: int = 0) -> bytes:
    return struct.pack("<BBhi", opcode, src << 4 | dst, offset, imm)


def alu_reg(name: str, bits: int, dst: int, src: int) -> bytes:
    code, selector = ALU_CODES[name]
    return slot((ALU64 if bits == 64 else ALU32) | REG | code, dst, src, selector)


def alu_imm(name: str, bits: int, dst: int, imm: int) -> bytes:
    code, selector = ALU_CODES[name]
    return slot((ALU64 if bits == 64 else ALU32) | IMM | code, dst, 0, selector, imm)


def neg(bits: int, dst: int) -> bytes:
    return slot((ALU64 if bits == 64 else ALU32) | 0x80, dst)


def movsx(from_bits: int, to_bits: int, dst: int, src: int) -> bytes:
    return slot((ALU64 if to_bits == 64 else ALU32) | REG | 0xB0, dst, src, from_bits)


def byte_order(name: str, bits: int, dst: int) -> bytes:
    return slot({"le": 0xD4, "be": 0xDC, "bswap": 0xD7}[name], dst, imm=bits)


def lddw(dst: int, value: int) -> bytes:
    low, high = struct.unpack("<ii", struct.pack("<Q", value % 2**64))
    return slot(0x18, dst, imm=low) + slot(0, imm=high)


def load(size: int, dst: int, src: int, offset: int) -> bytes:
    return slot(LDX | 0x60 | SIZE_CODES[size], dst, src, offset)


def load_signed(size: int, dst: int, src: int, offset: int) -> bytes:
    return slot(LDX | 0x80 | SIZE_CODES[size], dst, src, offset)


def store(size: int, dst: int, offset: int, src: int) -> bytes:
    return slot(STX | 0x60 | SIZE_CODES[size], dst, src, offset)


def store_imm(size: int, dst: int, offset: int, imm: int) -> bytes:
    return slot(ST | 0x60 | SIZE_CODES[size], dst, 0, offset, imm)


def atomic(name: str, size: int, dst: int, offset: int, src: int) -> bytes:
    return slot(STX | 0xC0 | SIZE_CODES[size], dst, src, offset, ATOMIC_CODES[name])


def branch_reg(name: str, bits: int, dst: int, src: int, offset: int) -> bytes:
    return slot((JMP if bits == 64 else JMP32) | REG | BRANCH_CODES[name], dst, src, offset)


def branch_imm(name: str, bits: int, dst: int, imm: int, offset: int) -> bytes:
    return slot((JMP if bits == 64 else JMP32) | IMM | BRANCH_CODES[name], dst, 0, offset, imm)


def ja(offset: int) -> bytes:
    return slot(JMP, offset=offset)


def ja32(distance: int) -> bytes:
    return slot(JMP32, imm=distance)


def call_helper(number: int) -> bytes:
    return slot(0x85, imm=number)


def call_local(distance: int) -> bytes:
    return slot(0x85, src=1, imm=distance)


EXIT = slot(0x95)


def mov(dst: int, imm: int) -> bytes:
    return alu_imm("mov", 64, dst, imm)


def mov_reg(dst: int, src: int) -> bytes:
    return alu_reg("mov", 64, dst, src)
