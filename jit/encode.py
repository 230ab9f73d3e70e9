"""One x86 instruction to bytes: the encodings, written from the manual's opcode tables.

Decides the encoding of each form; refuses operands that are outside their form (`EncodingRefused`). `jit/decode.py`
is written separately and shares no table with this; the theorems bytes.* relate the two.

Source: SDM volume 2; the opcode is quoted on each arm.
"""

from __future__ import annotations

from typing import Final, NamedTuple, assert_never

from jit.registers import CAGE, Reg
from jit.x86 import (
    X86,
    Alu,
    AluImm8,
    AluImm32,
    AluReg,
    Bswap,
    Div,
    Idiv,
    Imul,
    ImulImm,
    Jump,
    JumpIf,
    JumpMem,
    JumpReg,
    JumpTable,
    Label,
    Lea,
    LeaIndexed,
    LeaLabel,
    Load,
    LoadSigned,
    LockAlu,
    LockCmpxchg,
    LockXadd,
    Mem,
    MovImm32,
    MovImm64,
    MovImmSigned,
    MovReg,
    MovSignExtend,
    MovZeroExtend16,
    Neg,
    PcPlus,
    Pop,
    Push,
    Ret,
    Rotate16,
    ShiftCl,
    ShiftImm,
    SignToRdx,
    Store,
    StoreImm,
    Target,
    TestImm,
    TestReg,
    Xchg,
)

Bytes = tuple[int, ...]
FIELD = 4  # bytes of a patched field


class EncodingRefused(ValueError):
    """An operand does not fit its field, or a distance does not fit 32 bits."""


class Encoded(NamedTuple):
    """One instruction. With a label, the last four bytes of `code` are to be patched."""

    code: Bytes
    label: Target | PcPlus | None = None


def encode(i: X86) -> Encoded:
    """The bytes of one instruction (SDM volume 2; the opcode is quoted on each arm). Raises EncodingRefused."""
    match i:
        # The frequent forms first, their fields by name: a pattern that takes the fields apart costs 0.8 us
        case AluReg():  # 01, 09, 21, 29, 31, 39 /r
            return Encoded(_reg_form(i.bits, (i.op << 3 | 1,), i.src, i.dst))
        case JumpIf():  # 0F 8x cd
            return Encoded((0x0F, 0x80 | i.cond, 0, 0, 0, 0), i.label)
        case AluImm32():  # 81 /op id
            return Encoded((*_reg_form(i.bits, (0x81,), i.op, i.dst), *signed_field(i.imm, 4)))
        case MovReg():  # 89 /r
            return Encoded(_reg_form(i.bits, (0x89,), i.src, i.dst))
        case Load():  # 0F B6, 0F B7, 8B, REX.W 8B /r
            return Encoded(_mem_form(i.size == 8, _LOAD_OPCODES[i.size], i.dst, i.mem))
        case Store():  # 88, 66 89, 89, REX.W 89 /r
            stored = _mem_form(i.size == 8, (0x88,) if i.size == 1 else (0x89,), i.src, i.mem, byte_reg=i.size == 1)
            return Encoded((0x66, *stored) if i.size == 2 else stored)
        case AluImm8():  # 83 /op ib
            return Encoded((*_reg_form(i.bits, (0x83,), i.op, i.dst), *signed_field(i.imm, 1)))
        case Lea():  # 8D /r
            return Encoded((*_rex_opt(i.bits == 64, i.dst, 0, i.base), 0x8D, *_based(i.dst, i.base, None, 0, i.disp)))
        case ShiftImm():  # C1 /op ib
            _refuse_unless(0 <= i.count < i.bits, i.count)
            return Encoded((*_reg_form(i.bits, (0xC1,), i.op, i.dst), i.count))
        case Jump():  # E9 cd
            return Encoded((0xE9, 0, 0, 0, 0), i.label)
        case LeaIndexed():  # REX.W 8D /r
            _refuse_unless(0 <= i.scale <= 3, i.scale)
            address = _based(i.dst, i.base, i.index, i.scale, i.disp)
            return Encoded((*_rex_opt(1, i.dst, i.index, i.base), 0x8D, *address))
        case TestReg():  # 85 /r
            return Encoded(_reg_form(i.bits, (0x85,), i.b, i.a))
        # all others
        case MovImm32(dst, imm):  # B8+rd id
            return Encoded((*_rex_opt(0, 0, 0, dst), 0xB8 | dst & 7, *unsigned_field(imm, 4)))
        case MovImmSigned(dst, imm):  # REX.W C7 /0 id
            return Encoded((*_reg_form(64, (0xC7,), 0, dst), *signed_field(imm, 4)))
        case MovImm64(dst, imm):  # REX.W B8+rd io
            return Encoded((*_rex_opt(1, 0, 0, dst), 0xB8 | dst & 7, *unsigned_field(imm, 8)))
        case MovSignExtend(source_bits, bits, dst, src):  # 0F BE, 0F BF, 63 /r
            _refuse_unless(source_bits < bits, source_bits)
            opcode: Bytes = {8: (0x0F, 0xBE), 16: (0x0F, 0xBF), 32: (0x63,)}[source_bits]
            form = _reg_form(bits, opcode, dst, src)
            # without REX, byte registers 4 to 7 would be ah, ch, dh, bh
            needs_rex = source_bits == 8 and bits == 32 and dst < 8 and 4 <= src < 8
            return Encoded((0x40, *form) if needs_rex else form)
        case MovZeroExtend16(dst, src):  # 0F B7 /r
            return Encoded(_reg_form(32, (0x0F, 0xB7), dst, src))
        case LoadSigned(size, dst, mem):  # REX.W 0F BE, 0F BF, 63 /r
            opcode = {1: (0x0F, 0xBE), 2: (0x0F, 0xBF), 4: (0x63,)}[size]
            return Encoded(_mem_form(True, opcode, dst, mem))
        case StoreImm(size, mem, imm):  # C6 /0 ib, 66 C7 /0 iw, C7 /0 id, REX.W C7 /0 id
            prefix: Bytes = (0x66,) if size == 2 else ()
            head = (*prefix, *_mem_form(size == 8, (0xC6,) if size == 1 else (0xC7,), 0, mem))
            if isinstance(imm, PcPlus):
                _refuse_unless(size == FIELD, size)
                return Encoded((*head, 0, 0, 0, 0), imm)
            return Encoded((*head, *(signed_field(imm, 4) if size == 8 else unsigned_field(imm, size))))
        case LeaLabel(dst, label):  # REX.W 8D /r, rip-relative
            return Encoded((*_rex_opt(1, dst, 0, 0), 0x8D, (dst & 7) << 3 | 5, 0, 0, 0, 0), label)
        case TestImm(bits, reg, imm):  # F7 /0 id
            return Encoded((*_reg_form(bits, (0xF7,), 0, reg), *signed_field(imm, 4)))
        case Neg(bits, dst):  # F7 /3
            return Encoded(_reg_form(bits, (0xF7,), 3, dst))
        case Imul(bits, dst, src):  # 0F AF /r
            return Encoded(_reg_form(bits, (0x0F, 0xAF), dst, src))
        case ImulImm(bits, dst, src, imm):  # 69 /r id
            return Encoded((*_reg_form(bits, (0x69,), dst, src), *signed_field(imm, 4)))
        case Div(bits, src):  # F7 /6
            return Encoded(_reg_form(bits, (0xF7,), 6, src))
        case Idiv(bits, src):  # F7 /7
            return Encoded(_reg_form(bits, (0xF7,), 7, src))
        case SignToRdx(bits):  # 99, REX.W 99
            return Encoded((*_rex_opt(bits == 64, 0, 0, 0), 0x99))
        case ShiftCl(op, bits, dst):  # D3 /op
            return Encoded(_reg_form(bits, (0xD3,), op, dst))
        case Rotate16(dst, count):  # 66 C1 /0 ib
            _refuse_unless(0 < count < 16, count)
            return Encoded((0x66, *_reg_form(32, (0xC1,), 0, dst), count))
        case Bswap(bits, dst):  # 0F C8+rd
            return Encoded((*_rex_opt(bits == 64, 0, 0, dst), 0x0F, 0xC8 | dst & 7))
        case LockAlu(op, size, mem, src):  # F0 01, 09, 21, 31 /r
            _refuse_unless(op in (Alu.ADD, Alu.OR, Alu.AND, Alu.XOR), op)
            return Encoded((0xF0, *_mem_form(size == 8, (op << 3 | 1,), src, mem)))
        case LockXadd(size, mem, src):  # F0 0F C1 /r
            return Encoded((0xF0, *_mem_form(size == 8, (0x0F, 0xC1), src, mem)))
        case Xchg(size, mem, src):  # 87 /r
            return Encoded(_mem_form(size == 8, (0x87,), src, mem))
        case LockCmpxchg(size, mem, src):  # F0 0F B1 /r
            return Encoded((0xF0, *_mem_form(size == 8, (0x0F, 0xB1), src, mem)))
        case JumpReg(reg):  # FF /4
            return Encoded(_reg_form(32, (0xFF,), 4, reg))
        case JumpMem(mem):  # FF /4
            return Encoded(_mem_form(False, (0xFF,), 4, mem))
        case JumpTable(label):  # FF /4, rip-relative
            return Encoded((0xFF, 0x25, 0, 0, 0, 0), label)
        case Push(reg):  # 50+rd
            return Encoded((*_rex_opt(0, 0, 0, reg), 0x50 | reg & 7))
        case Pop(reg):  # 58+rd
            return Encoded((*_rex_opt(0, 0, 0, reg), 0x58 | reg & 7))
        case Ret():  # C3
            return Encoded((0xC3,))
        case Label():
            return Encoded(())
        case _:
            assert_never(i)


_LOAD_OPCODES: dict[int, Bytes] = {1: (0x0F, 0xB6), 2: (0x0F, 0xB7), 4: (0x8B,), 8: (0x8B,)}


def _refuse_unless(fits: bool, value: int) -> None:
    if not fits:
        raise EncodingRefused(f"{value} does not fit its field")


def unsigned_field(value: int, size: int) -> Bytes:
    """`size` little-endian bytes of 0 <= value < 2^(8 size). Raises EncodingRefused."""
    if not 0 <= value < 1 << 8 * size:
        raise EncodingRefused(f"{value} does not fit its field")
    return _little_endian(value, size)


def signed_field(value: int, size: int) -> Bytes:
    """`size` little-endian bytes of a two's complement value. Raises EncodingRefused."""
    if size == FIELD:  # nearly always
        if -(1 << 31) <= value < 1 << 31:
            return (value & 0xFF, value >> 8 & 0xFF, value >> 16 & 0xFF, value >> 24 & 0xFF)
    elif -(1 << 8 * size - 1) <= value < 1 << 8 * size - 1:
        return _little_endian(value, size)
    raise EncodingRefused(f"{value} does not fit its field")


def _little_endian(value: int, size: int) -> Bytes:
    if size == 1:  # these two are nearly always meant, and the general form takes four times as long
        return (value & 0xFF,)
    if size == FIELD:
        return (value & 0xFF, value >> 8 & 0xFF, value >> 16 & 0xFF, value >> 24 & 0xFF)
    return tuple(value >> 8 * k & 0xFF for k in range(size))


def _rex_opt(w: int, reg: int, index: int, rm: int, needed: bool = False) -> Bytes:
    """The REX prefix, if one is needed. `reg`, `index` and `rm` are the register numbers that it extends."""
    rex = 0x40 | (8 if w else 0) | (reg >> 3) << 2 | (index >> 3) << 1 | rm >> 3
    return (rex,) if rex != 0x40 or needed else ()


def _reg_form(bits: int, opcode: Bytes, reg: int, rm: int) -> Bytes:
    """REX, opcode and ModRM with two registers, or with /reg and one."""
    rex = (0x48 if bits == 64 else 0x40) | (reg >> 3) << 2 | rm >> 3
    if rex != 0x40:
        return (rex, *opcode, 0xC0 | (reg & 7) << 3 | rm & 7)
    return (*opcode, 0xC0 | (reg & 7) << 3 | rm)


def _mem_form(wide: bool, opcode: Bytes, reg: int, mem: Mem, *, byte_reg: bool = False) -> Bytes:
    """REX, opcode, ModRM, SIB and displacement of a register and [CAGE + index + disp]; else as `_based`."""
    index, disp = mem.index, mem.disp
    short = -128 <= disp <= 127
    rex = (0x48 if wide else 0x40) | (reg >> 3) << 2
    modrm = (0x40 if short else 0x80) | (reg & 7) << 3
    if index is None:
        address: Bytes = (modrm | _CAGE,)
    else:
        _refuse_unless(index is not _RSP, _RSP)
        rex |= (index >> 3) << 1
        address = (modrm | 4, (index & 7) << 3 | _CAGE)
    displacement = (disp & 0xFF,) if short else signed_field(disp, 4)
    if rex != 0x40 or (byte_reg and reg >= 4):
        return (rex, *opcode, *address, *displacement)
    return (*opcode, *address, *displacement)


_CAGE: Final = int(CAGE)  # rbp: needs no bit in REX, and has no form without displacement
_RSP: Final = Reg.rsp


def _based(reg: int, base: Reg, index: Reg | None, scale: int, disp: int) -> Bytes:
    """ModRM, SIB and displacement of [base + index * 2^scale + disp] (SDM 2, tables 2-2 and 2-3)."""
    short = -128 <= disp <= 127
    mod = 0x40 if short else 0x80
    displacement = (disp & 0xFF,) if short else signed_field(disp, 4)
    if index is None and base & 7 != _RSP:
        return (mod | (reg & 7) << 3 | base & 7, *displacement)
    _refuse_unless(index is not _RSP, _RSP)
    number = _RSP if index is None else index  # 4 in the index field means "none"
    return (mod | (reg & 7) << 3 | 4, scale << 6 | (number & 7) << 3 | base & 7, *displacement)
