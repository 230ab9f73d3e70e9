"""One x86 instruction to bytes: the encodings, written from the manual's opcode tables.

Decides the encoding of each form; refuses operands that are outside their form (`EncodingRefused`). `jit/decode.py`
is written separately and shares no table with this; the theorems bytes.* relate the two.

Source: SDM volume 2; the opcode is quoted on each arm.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, assert_never

from jit.registers import CAGE, Reg
from jit.x86 import (
    FORMS,
    X86,
    Alu,
    AluImm8,
    AluImm32,
    AluReg,
    Bswap,
    Cond,
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

# On symbolic operands, those of an `Int.to_bytes` are not known: hence no name for `bytes` that promises more.
Bytes = bytes
FIELD = 4  # bytes of a patched field


class EncodingRefused(ValueError):
    """An operand does not fit its field, or a distance does not fit 32 bits."""


Encoded = tuple[Bytes, Target | PcPlus | None]  # with a label, the last four bytes are to be patched


def encode(i: X86) -> Encoded:
    """The bytes of one instruction (SDM volume 2; the opcode is quoted at each form). Raises EncodingRefused."""
    return ENCODERS[type(i)](i)


# ---------------------------------------------------------------- the frequent forms


def _jump_if(i: JumpIf) -> Encoded:  # 0F 8x cd
    return _JUMP_IF_OPCODES[i.cond] + _BLANK, i.label


def _alu_imm32(i: AluImm32) -> Encoded:  # 81 /op id
    return _reg_form(i.bits, b"\x81", i.op, i.dst) + signed_field(i.imm, 4), None


def _alu_imm8(i: AluImm8) -> Encoded:  # 83 /op ib
    if not -128 <= i.imm <= 127:
        raise _refused(i.imm)
    return _reg_form(i.bits, b"\x83", i.op, i.dst) + (i.imm & 0xFF).to_bytes(1, "little"), None


def _alu_reg(i: AluReg) -> Encoded:  # 01, 09, 21, 29, 31, 39 /r
    return _reg_form(i.bits, _ALU_OPCODES[i.op], i.src, i.dst), None


def _test_reg(i: TestReg) -> Encoded:  # 85 /r
    return _reg_form(i.bits, b"\x85", i.b, i.a), None


def _mov_reg(i: MovReg) -> Encoded:  # 89 /r
    return _reg_form(i.bits, b"\x89", i.src, i.dst), None


def _mov_imm32(i: MovImm32) -> Encoded:  # B8+rd id
    return _opcode_form(32, b"", 0xB8, i.dst) + unsigned_field(i.imm, 4), None


def _shift_imm(i: ShiftImm) -> Encoded:  # C1 /op ib
    if not 0 <= i.count < i.bits:
        raise _refused(i.count)
    return _reg_form(i.bits, b"\xC1", i.op, i.dst) + i.count.to_bytes(1, "little"), None


def _load(i: Load) -> Encoded:  # 0F B6, 0F B7, 8B, REX.W 8B /r
    return _mem_form(i.size == 8, _LOAD_OPCODES[i.size], i.dst, i.mem), None


def _store(i: Store) -> Encoded:  # 88, 66 89, 89, REX.W 89 /r
    stored = _mem_form(i.size == 8, _STORE_OPCODES[i.size], i.src, i.mem, byte_reg=i.size == 1)
    return b"\x66" + stored if i.size == 2 else stored, None


def _lea(i: Lea) -> Encoded:  # 8D /r
    return _based_form(i.bits, b"\x8D", i.dst, i.base, i.disp), None


def _lea_indexed(i: LeaIndexed) -> Encoded:  # REX.W 8D /r
    return _indexed_form(b"\x8D", i.dst, i.base, i.index, i.scale, i.disp), None


def _jump(i: Jump) -> Encoded:  # E9 cd
    return b"\xE9" + _BLANK, i.label


_FREQUENT: Final[dict[type, Callable[[Any], Encoded]]] = {  # to try one arm of a match takes 0.04 us
    JumpIf: _jump_if,
    AluImm32: _alu_imm32,
    AluImm8: _alu_imm8,
    AluReg: _alu_reg,
    TestReg: _test_reg,
    MovReg: _mov_reg,
    MovImm32: _mov_imm32,
    ShiftImm: _shift_imm,
    Load: _load,
    Store: _store,
    Lea: _lea,
    LeaIndexed: _lea_indexed,
    Jump: _jump,
}
_BLANK: Final = bytes(FIELD)
_JUMP_IF_OPCODES: Final = {cond: bytes((0x0F, 0x80 | cond)) for cond in Cond}
_ALU_OPCODES: Final = {op: bytes((op << 3 | 1,)) for op in Alu}
_LOAD_OPCODES: dict[int, Bytes] = {1: b"\x0F\xB6", 2: b"\x0F\xB7", 4: b"\x8B", 8: b"\x8B"}
_STORE_OPCODES: dict[int, Bytes] = {1: b"\x88", 2: b"\x89", 4: b"\x89", 8: b"\x89"}


# ---------------------------------------------------------------- all others

_ATOMIC_SIZES: Final = (4, 8)  # any other would be encoded as 4, and touch bytes that no contract names


def _rare(i: X86) -> Encoded:
    match i:
        case MovImmSigned(dst, imm):  # REX.W C7 /0 id
            return _reg_form(64, b"\xC7", 0, dst) + signed_field(imm, 4), None
        case MovImm64(dst, imm):  # REX.W B8+rd io
            return _opcode_form(64, b"", 0xB8, dst) + unsigned_field(imm, 8), None
        case MovSignExtend(source_bits, bits, dst, src):  # 0F BE, 0F BF, 63 /r
            _refuse_unless(source_bits < bits, source_bits)
            opcode: Bytes = {8: b"\x0F\xBE", 16: b"\x0F\xBF", 32: b"\x63"}[source_bits]
            form = _reg_form(bits, opcode, dst, src)
            # without REX, byte registers 4 to 7 would be ah, ch, dh, bh
            needs_rex = source_bits == 8 and bits == 32 and dst < 8 and 4 <= src < 8
            return b"\x40" + form if needs_rex else form, None
        case MovZeroExtend16(dst, src):  # 0F B7 /r
            return _reg_form(32, b"\x0F\xB7", dst, src), None
        case LoadSigned(size, dst, mem):  # REX.W 0F BE, 0F BF, 63 /r
            _refuse_unless(size in (1, 2, 4), size)
            opcode = {1: b"\x0F\xBE", 2: b"\x0F\xBF", 4: b"\x63"}[size]
            return _mem_form(True, opcode, dst, mem), None
        case StoreImm(size, mem, imm):  # C6 /0 ib, 66 C7 /0 iw, C7 /0 id, REX.W C7 /0 id
            _refuse_unless(size in _STORE_OPCODES, size)
            prefix = b"\x66" if size == 2 else b""
            head = prefix + _mem_form(size == 8, b"\xC6" if size == 1 else b"\xC7", 0, mem)
            if isinstance(imm, PcPlus):
                _refuse_unless(size == FIELD, size)
                return head + _BLANK, imm
            return head + (signed_field(imm, 4) if size == 8 else unsigned_field(imm, size)), None
        case LeaLabel(dst, label):  # REX.W 8D /r, rip-relative
            return _rex_opt(1, dst, 0, 0) + bytes((0x8D, (dst & 7) << 3 | 5)) + _BLANK, label
        case TestImm(bits, reg, imm):  # F7 /0 id
            return _reg_form(bits, b"\xF7", 0, reg) + signed_field(imm, 4), None
        case Neg(bits, dst):  # F7 /3
            return _reg_form(bits, b"\xF7", 3, dst), None
        case Imul(bits, dst, src):  # 0F AF /r
            return _reg_form(bits, b"\x0F\xAF", dst, src), None
        case ImulImm(bits, dst, src, imm):  # 69 /r id
            return _reg_form(bits, b"\x69", dst, src) + signed_field(imm, 4), None
        case Div(bits, src):  # F7 /6
            return _reg_form(bits, b"\xF7", 6, src), None
        case Idiv(bits, src):  # F7 /7
            return _reg_form(bits, b"\xF7", 7, src), None
        case SignToRdx(bits):  # 99, REX.W 99
            return _rex_opt(bits == 64, 0, 0, 0) + b"\x99", None
        case ShiftCl(op, bits, dst):  # D3 /op
            return _reg_form(bits, b"\xD3", op, dst), None
        case Rotate16(dst, count):  # 66 C1 /0 ib
            _refuse_unless(0 < count < 16, count)
            return b"\x66" + _reg_form(32, b"\xC1", 0, dst) + count.to_bytes(1, "little"), None
        case Bswap(bits, dst):  # 0F C8+rd
            return _opcode_form(bits, b"\x0F", 0xC8, dst), None
        case LockAlu(op, size, mem, src):  # F0 01, 09, 21, 31 /r
            _refuse_unless(size in _ATOMIC_SIZES, size)
            _refuse_unless(op in (Alu.ADD, Alu.OR, Alu.AND, Alu.XOR), op)
            return b"\xF0" + _mem_form(size == 8, _ALU_OPCODES[op], src, mem), None
        case LockXadd(size, mem, src):  # F0 0F C1 /r
            _refuse_unless(size in _ATOMIC_SIZES, size)
            return b"\xF0" + _mem_form(size == 8, b"\x0F\xC1", src, mem), None
        case Xchg(size, mem, src):  # 87 /r
            _refuse_unless(size in _ATOMIC_SIZES, size)
            return _mem_form(size == 8, b"\x87", src, mem), None
        case LockCmpxchg(size, mem, src):  # F0 0F B1 /r
            _refuse_unless(size in _ATOMIC_SIZES, size)
            return b"\xF0" + _mem_form(size == 8, b"\x0F\xB1", src, mem), None
        case JumpReg(reg):  # FF /4
            return _reg_form(32, b"\xFF", 4, reg), None
        case JumpMem(mem):  # FF /4
            return _mem_form(False, b"\xFF", 4, mem), None
        case JumpTable(label):  # FF /4, rip-relative
            return b"\xFF\x25" + _BLANK, label
        case Push(reg):  # 50+rd
            return _opcode_form(32, b"", 0x50, reg), None
        case Pop(reg):  # 58+rd
            return _opcode_form(32, b"", 0x58, reg), None
        case Ret():  # C3
            return b"\xC3", None
        case Label():
            return b"", None
        case JumpIf() | AluImm32() | AluImm8() | AluReg() | TestReg() | MovReg() | MovImm32() | ShiftImm():
            raise AssertionError(f"{i} is in the table")
        case Load() | Store() | Lea() | LeaIndexed() | Jump():
            raise AssertionError(f"{i} is in the table")
        case _:
            assert_never(i)


ENCODERS: Final[dict[type, Callable[[Any], Encoded]]] = {**dict.fromkeys(FORMS, _rare), **_FREQUENT}  # by form


# ---------------------------------------------------------------- numbers


def _refused(value: int) -> EncodingRefused:
    return EncodingRefused(f"{value} does not fit its field")


def _refuse_unless(fits: bool, value: int) -> None:
    if not fits:
        raise _refused(value)


def unsigned_field(value: int, size: int) -> Bytes:
    """`size` little-endian bytes of 0 <= value < 2^(8 size). Raises EncodingRefused."""
    if not 0 <= value < 1 << 8 * size:
        raise _refused(value)
    return value.to_bytes(size, "little")


def signed_field(value: int, size: int) -> Bytes:
    """`size` little-endian bytes of a two's complement value. Raises EncodingRefused."""
    if size == FIELD:  # nearly always
        if -(1 << 31) <= value < 1 << 31:
            return (value & 0xFFFF_FFFF).to_bytes(FIELD, "little")
    elif -(1 << 8 * size - 1) <= value < 1 << 8 * size - 1:
        return (value & (1 << 8 * size) - 1).to_bytes(size, "little")
    raise _refused(value)


def _rex_opt(w: int, reg: int, index: int, rm: int, needed: bool = False) -> Bytes:
    """The REX prefix, if one is needed. `reg`, `index` and `rm` are the register numbers that it extends."""
    rex = 0x40 | (8 if w else 0) | (reg >> 3) << 2 | (index >> 3) << 1 | rm >> 3
    return bytes((rex,)) if rex != 0x40 or needed else b""


# ---------------------------------------------------------------- registers and addresses


def _registers(bits: int, reg: int, rm: int) -> tuple[Bytes, Bytes]:
    """REX, if one is needed, and ModRM with two registers, or with /reg and one."""
    return _rex_opt(bits == 64, reg, 0, rm), bytes((0xC0 | (reg & 7) << 3 | rm & 7,))


def _in_cage(wide: bool, byte_reg: bool, reg: int, index: int | None) -> tuple[Bytes, Bytes, Bytes]:
    """REX, if one is needed; ModRM and SIB of a register and [CAGE + index + disp8], and of the same with disp32.

    `byte_reg`: spl, bpl, sil and dil are ah, ch, dh and bh without REX.
    """
    number = 0 if index is None else index
    rex = _rex_opt(wide, reg, number, 0, needed=byte_reg and reg >= 4)
    if index is None:
        return rex, *_both((reg & 7) << 3 | _CAGE, b"")
    return rex, *_both((reg & 7) << 3 | 4, bytes(((number & 7) << 3 | _CAGE,)))


def _on_base(bits: int, reg: int, base: int) -> tuple[Bytes, Bytes, Bytes]:
    """REX, if one is needed; ModRM and SIB of a register and [base + disp8], and of the same with disp32."""
    rex = _rex_opt(bits == 64, reg, 0, base)
    if base & 7 != _RSP:
        return rex, *_both((reg & 7) << 3 | base & 7, b"")
    return rex, *_both((reg & 7) << 3 | 4, bytes((_RSP << 3 | base & 7,)))  # 4 in the index field means "none"


def _both(modrm: int, sib: Bytes) -> tuple[Bytes, Bytes]:
    """With mod = 01, a displacement of 8 bits follows, and with mod = 10, one of 32 bits (SDM 2, table 2-2)."""
    return bytes((0x40 | modrm,)) + sib, bytes((0x80 | modrm,)) + sib


_CAGE: Final = int(CAGE)  # rbp: needs no bit in REX, and has no form without displacement
_RSP: Final = Reg.rsp
_INDICES: Final = (None, *(reg for reg in Reg if reg is not _RSP))

# The bytes around the opcode by register, reg before rm: to look them up takes a third of the time
_NUMBERS: Final = range(16)
_REGISTERS: Final = {
    bits: tuple(tuple(_registers(bits, reg, rm) for rm in _NUMBERS) for reg in _NUMBERS) for bits in (32, 64)
}
_ON_BASE: Final = {
    bits: tuple(tuple(_on_base(bits, reg, base) for base in _NUMBERS) for reg in _NUMBERS) for bits in (32, 64)
}
_IN_CAGE: Final = {
    wide: tuple({index: _in_cage(wide, False, reg, index) for index in _INDICES} for reg in _NUMBERS)
    for wide in (False, True)
}
_BYTE_IN_CAGE: Final = tuple({index: _in_cage(False, True, reg, index) for index in _INDICES} for reg in _NUMBERS)


def _reg_form(bits: int, opcode: Bytes, reg: int, rm: int) -> Bytes:
    """REX, opcode and ModRM with two registers, or with /reg and one."""
    rex, modrm = _REGISTERS[bits][reg][rm]
    return rex + opcode + modrm


def _mem_form(wide: bool, opcode: Bytes, reg: int, mem: Mem, *, byte_reg: bool = False) -> Bytes:
    """REX, opcode, ModRM, SIB and displacement of a register and [CAGE + index + disp]."""
    index, disp = mem.index, mem.disp
    if index is _RSP:
        raise _refused(_RSP)
    rex, near, far = (_BYTE_IN_CAGE if byte_reg else _IN_CAGE[wide])[reg][index]
    if -128 <= disp <= 127:
        return rex + opcode + near + (disp & 0xFF).to_bytes(1, "little")
    return rex + opcode + far + signed_field(disp, 4)


def _based_form(bits: int, opcode: Bytes, reg: int, base: Reg, disp: int) -> Bytes:
    """REX, opcode, ModRM, SIB and displacement of a register and [base + disp]."""
    rex, near, far = _ON_BASE[bits][reg][base]
    if -128 <= disp <= 127:
        return rex + opcode + near + (disp & 0xFF).to_bytes(1, "little")
    return rex + opcode + far + signed_field(disp, 4)


def _indexed_form(opcode: Bytes, reg: int, base: Reg, index: Reg, scale: int, disp: int) -> Bytes:
    """REX.W, opcode, ModRM, SIB and displacement of a register and [base + index * 2^scale + disp]."""
    if index is _RSP or not 0 <= scale <= 3:
        raise _refused(scale)
    rex = _rex_opt(1, reg, index, base)
    near, far = _both((reg & 7) << 3 | 4, bytes((scale << 6 | (index & 7) << 3 | base & 7,)))
    if -128 <= disp <= 127:
        return rex + opcode + near + (disp & 0xFF).to_bytes(1, "little")
    return rex + opcode + far + signed_field(disp, 4)


def _opcode_form(bits: int, escape: Bytes, opcode: int, reg: int) -> Bytes:
    """REX, and an opcode with the register in its low bits."""
    return _rex_opt(bits == 64, 0, 0, reg) + escape + bytes((opcode | reg & 7,))
