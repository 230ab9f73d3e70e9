"""Numbers that find mistakes, and the operands of every form that needs nothing but registers and numbers.

Edges are over-represented: a word is an edge of some width, a small number, or any number, a third each.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from jit.registers import Reg
from jit.x86 import (
    X86,
    Alu,
    AluImm8,
    AluImm32,
    AluReg,
    Bswap,
    Imul,
    ImulImm,
    Lea,
    LeaIndexed,
    MovImm32,
    MovImm64,
    MovImmSigned,
    MovReg,
    MovSignExtend,
    MovZeroExtend16,
    Neg,
    Rotate16,
    Shift,
    ShiftCl,
    ShiftImm,
    SignToRdx,
    TestImm,
    TestReg,
)

_NARROW_EDGES = (0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF)
_WIDE_EDGES = (1 << 32, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1, 0xFFFF_FFFF_8000_0000, 0xFFFF_FFFF_7FFF_FFFF)
EDGES = _NARROW_EDGES + _WIDE_EDGES
INDEXES = tuple(register for register in Reg if register is not Reg.rsp)
LOCKED = (Alu.ADD, Alu.OR, Alu.AND, Alu.XOR)

_REGISTERS, _ALU, _SHIFT = tuple(Reg), tuple(Alu), tuple(Shift)
_EXTENSIONS = ((8, 32), (8, 64), (16, 32), (16, 64), (32, 64))


def any_register(random: Random) -> Reg:
    return random.choice(_REGISTERS)


def word(random: Random, bits: int = 64) -> int:
    """A word of `bits` bits."""
    kind = random.random()
    value = random.choice(EDGES) if kind < 1 / 3 else random.getrandbits(64 if kind < 2 / 3 else 8)
    return value & (1 << bits) - 1


def signed(random: Random, bits: int) -> int:
    """A number of `bits` bits in two's complement."""
    value = word(random, bits)
    return value - (1 << bits) if value >> bits - 1 else value


def width(random: Random) -> int:
    return random.choice((32, 64))


def _displacement(random: Random) -> int:
    return signed(random, random.choice((8, 32)))


def _shift_imm(random: Random) -> ShiftImm:
    bits = width(random)
    count = random.choice((0, 1, bits - 1, random.randrange(bits)))
    return ShiftImm(random.choice(_SHIFT), bits, any_register(random), count)


def _lea_indexed(random: Random) -> LeaIndexed:
    dst, base, index = any_register(random), any_register(random), random.choice(INDEXES)
    return LeaIndexed(dst, base, index, random.randrange(4), _displacement(random))


_reg = any_register

# the forms that neither touch memory nor change where control goes, and are defined for all operands
PLAIN: dict[type, Callable[[Random], X86]] = {
    MovReg: lambda r: MovReg(width(r), _reg(r), _reg(r)),
    MovImm32: lambda r: MovImm32(_reg(r), word(r, 32)),
    MovImmSigned: lambda r: MovImmSigned(_reg(r), signed(r, 32)),
    MovImm64: lambda r: MovImm64(_reg(r), word(r)),
    MovSignExtend: lambda r: MovSignExtend(*r.choice(_EXTENSIONS), _reg(r), _reg(r)),
    MovZeroExtend16: lambda r: MovZeroExtend16(_reg(r), _reg(r)),
    Lea: lambda r: Lea(width(r), _reg(r), _reg(r), _displacement(r)),
    LeaIndexed: _lea_indexed,
    AluReg: lambda r: AluReg(r.choice(_ALU), width(r), _reg(r), _reg(r)),
    AluImm8: lambda r: AluImm8(r.choice(_ALU), width(r), _reg(r), signed(r, 8)),
    AluImm32: lambda r: AluImm32(r.choice(_ALU), width(r), _reg(r), signed(r, 32)),
    TestReg: lambda r: TestReg(width(r), _reg(r), _reg(r)),
    TestImm: lambda r: TestImm(width(r), _reg(r), signed(r, 32)),
    Neg: lambda r: Neg(width(r), _reg(r)),
    Imul: lambda r: Imul(width(r), _reg(r), _reg(r)),
    ImulImm: lambda r: ImulImm(width(r), _reg(r), _reg(r), signed(r, 32)),
    SignToRdx: lambda r: SignToRdx(width(r)),
    ShiftImm: _shift_imm,
    ShiftCl: lambda r: ShiftCl(r.choice(_SHIFT), width(r), _reg(r)),
    Rotate16: lambda r: Rotate16(_reg(r), r.randrange(1, 16)),
    Bswap: lambda r: Bswap(width(r), _reg(r)),
}
