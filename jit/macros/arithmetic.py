"""Macros that compute on registers only: no memory, no control flow, no scratch but the shift count.

Flags do not live from one macro to the next, so every macro may change them.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from jit.layout import Layout
from jit.macros.contract import Contract, promise
from jit.registers import COUNT, Reg
from jit.tagged import maker, tagged
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
)

_mov_reg: Final = maker(MovReg)
_alu_reg: Final = maker(AluReg)
_alu_imm8: Final = maker(AluImm8)
_alu_imm32: Final = maker(AluImm32)
_shift_imm: Final = maker(ShiftImm)
_lea: Final = maker(Lea)
_lea_indexed: Final = maker(LeaIndexed)


def alu_imm(op: Alu, bits: int, dst: Reg, imm: int) -> X86:
    """`dst op= imm` in the shorter of its two encodings."""
    if -128 <= imm <= 127:
        return _alu_imm8(op, bits, dst, imm)
    return _alu_imm32(op, bits, dst, imm)


def load_constant(dst: Reg, value: int) -> X86:
    """dst := value, 0 <= value < 2^64, without touching flags."""
    if value < 1 << 32:
        return MovImm32(dst, value)
    if value >= (1 << 64) - (1 << 31):
        return MovImmSigned(dst, value - (1 << 64))
    return MovImm64(dst, value)


@tagged
class Move(NamedTuple):
    """dst := src (bits 64), or its low half zero-extended (bits 32)."""

    bits: int
    dst: Reg
    src: Reg

    def contract(self) -> Contract:
        return promise(reads=(self.src,), writes=(self.dst,))

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        return (_mov_reg(self.bits, self.dst, self.src),)


@tagged
class MoveImm(NamedTuple):
    """dst := value, 0 <= value < 2^64."""

    dst: Reg
    value: int

    def contract(self) -> Contract:
        return promise(writes=(self.dst,))

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        if self.value == 0:
            return (_alu_reg(Alu.XOR, 32, self.dst, self.dst),)
        return (load_constant(self.dst, self.value),)


@tagged
class BinaryReg(NamedTuple):
    """dst := dst op src; 32 bits zero-extend."""

    op: Alu
    bits: int
    dst: Reg
    src: Reg

    def contract(self) -> Contract:
        return promise(reads=(self.dst, self.src), writes=(self.dst,))

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        return (_alu_reg(self.op, self.bits, self.dst, self.src),)


@tagged
class BinaryImm(NamedTuple):
    """dst := dst op imm, a signed 32-bit value that is sign-extended; 32 bits zero-extend the result."""

    op: Alu
    bits: int
    dst: Reg
    imm: int

    def contract(self) -> Contract:
        return promise(reads=(self.dst,), writes=(self.dst,), fields=(self.imm,))

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        return (alu_imm(self.op, self.bits, self.dst, self.imm),)


@tagged
class AddressOffset(NamedTuple):
    """dst := base + imm, modulo 2^64, imm a signed 32-bit value."""

    dst: Reg
    base: Reg
    imm: int

    def contract(self) -> Contract:
        return promise(reads=(self.base,), writes=(self.dst,), fields=(self.imm,))

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        return (_lea(64, self.dst, self.base, self.imm),)


@tagged
class AddressSum(NamedTuple):
    """dst := base + index * 2^scale, modulo 2^64, 0 <= scale <= 3."""

    dst: Reg
    base: Reg
    index: Reg  # type: ignore[assignment]  # hides tuple.index
    scale: int

    def contract(self) -> Contract:
        return promise(reads=(self.base, self.index), writes=(self.dst,))

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        return (_lea_indexed(self.dst, self.base, self.index, self.scale, 0),)


@tagged
class Multiply(NamedTuple):
    """dst := dst * src, low half; 32 bits zero-extend."""

    bits: int
    dst: Reg
    src: Reg

    def contract(self) -> Contract:
        return promise(reads=(self.dst, self.src), writes=(self.dst,))

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        return (Imul(self.bits, self.dst, self.src),)


@tagged
class MultiplyImm(NamedTuple):
    """dst := dst * imm, a signed 32-bit value, low half; 32 bits zero-extend."""

    bits: int
    dst: Reg
    imm: int

    def contract(self) -> Contract:
        return promise(reads=(self.dst,), writes=(self.dst,), fields=(self.imm,))

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        return (ImulImm(self.bits, self.dst, self.dst, self.imm),)


@tagged
class ShiftBy(NamedTuple):
    """dst := dst shifted by count, 0 < count < bits; 32 bits zero-extend."""

    op: Shift
    bits: int
    dst: Reg
    count: int  # type: ignore[assignment]  # hides tuple.count

    def contract(self) -> Contract:
        return promise(reads=(self.dst,), writes=(self.dst,))

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        return (_shift_imm(self.op, self.bits, self.dst, self.count),)


@tagged
class ShiftByReg(NamedTuple):
    """dst := dst shifted by src modulo bits; 32 bits zero-extend. The processor masks cl as RFC 9669 wants."""

    op: Shift
    bits: int
    dst: Reg
    src: Reg

    def contract(self) -> Contract:
        return promise(reads=(self.dst, self.src), writes=(self.dst, COUNT))

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        return (MovReg(32, COUNT, self.src), ShiftCl(self.op, self.bits, self.dst))


@tagged
class Rotate(NamedTuple):
    """dst := src rotated left by count, 0 < count < bits; 32 bits take the low half and zero-extend."""

    bits: int
    dst: Reg
    src: Reg
    count: int  # type: ignore[assignment]  # hides tuple.count

    def contract(self) -> Contract:
        return promise(reads=(self.src,), writes=(self.dst,))

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        rotate = _shift_imm(Shift.ROL, self.bits, self.dst, self.count)
        if self.dst is self.src:
            return (rotate,)
        return (_mov_reg(self.bits, self.dst, self.src), rotate)


@tagged
class Negate(NamedTuple):
    """dst := -dst; 32 bits zero-extend."""

    bits: int
    dst: Reg

    def contract(self) -> Contract:
        return promise(reads=(self.dst,), writes=(self.dst,))

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        return (Neg(self.bits, self.dst),)


@tagged
class SignExtend(NamedTuple):
    """dst := the low `source_bits` of src, sign-extended to `bits` and from there zero-extended."""

    source_bits: int
    bits: int
    dst: Reg
    src: Reg

    def contract(self) -> Contract:
        return promise(reads=(self.src,), writes=(self.dst,))

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        return (MovSignExtend(self.source_bits, self.bits, self.dst, self.src),)


@tagged
class ByteOrder(NamedTuple):
    """dst := its low `bits` (16, 32 or 64), bytes reversed if `swap`, zero-extended."""

    bits: int
    dst: Reg
    swap: bool

    def contract(self) -> Contract:
        return promise(reads=(self.dst,), writes=(self.dst,))

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        if self.bits == 16:
            swap: tuple[X86, ...] = (Rotate16(self.dst, 8),) if self.swap else ()
            return (*swap, MovZeroExtend16(self.dst, self.dst))
        return (Bswap(self.bits, self.dst),) if self.swap else (MovReg(self.bits, self.dst, self.dst),)
