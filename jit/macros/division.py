"""Division with eBPF's rules: by zero gives 0 (remainder: the dividend), INT_MIN / -1 wraps (RFC 9669 section 4.1).

x86 divides rdx:rax and raises #DE in exactly the cases that eBPF defines, so those are branched around. rax and rdx
hold r0 and r3: rdx is saved in a scratch register, rax in the context where an exit would save it anyway.
"""

from __future__ import annotations

from typing import NamedTuple

from jit.context import register_offset
from jit.layout import Layout
from jit.macros.arithmetic import alu_imm, load_constant
from jit.macros.contract import ContextBytes, Contract, promise
from jit.registers import CHECKED, COUNT, Reg
from jit.tagged import tagged
from jit.x86 import (
    X86,
    Alu,
    AluReg,
    Cond,
    Div,
    Idiv,
    Jump,
    JumpIf,
    Label,
    Load,
    Local,
    Mem,
    MovReg,
    Neg,
    SignToRdx,
    Store,
    TestReg,
)

_SAVED_RAX = Mem(register_offset(0))
_SAVES = (ContextBytes(register_offset(0), 8, write=True),)
_ZERO, _MINUS_ONE, _END = Local(0), Local(1), Local(2)


def _save(dst: Reg) -> tuple[X86, ...]:
    """rax := dst, with rax and rdx kept where they are not the destination."""
    saved: list[X86] = []
    if dst is not Reg.rax:
        saved.append(Store(8, _SAVED_RAX, Reg.rax))
    if dst is not Reg.rdx:
        saved.append(MovReg(64, CHECKED, Reg.rdx))
    if dst is not Reg.rax:
        saved.append(MovReg(64, Reg.rax, dst))
    return tuple(saved)


def _deliver(bits: int, dst: Reg, result: Reg) -> tuple[X86, ...]:
    """dst := result, and the saved registers back."""
    delivered: list[X86] = []
    if dst is not result:
        delivered.append(MovReg(bits, dst, result))
    if dst is not Reg.rax:
        delivered.append(Load(8, Reg.rax, _SAVED_RAX))
    if dst is not Reg.rdx:
        delivered.append(MovReg(64, Reg.rdx, CHECKED))
    return tuple(delivered)


def _divide(bits: int, signed: bool) -> tuple[X86, ...]:
    """rax, rdx := quotient and remainder of rax by COUNT, which is known to cause no #DE."""
    if signed:
        return (SignToRdx(bits), Idiv(bits, COUNT))
    return (AluReg(Alu.XOR, 32, Reg.rdx, Reg.rdx), Div(bits, COUNT))


def _by_zero(bits: int, remainder: bool) -> X86:
    if remainder:
        return MovReg(bits, Reg.rdx, Reg.rax)
    return AluReg(Alu.XOR, 32, Reg.rax, Reg.rax)


def _by_minus_one(bits: int, remainder: bool) -> X86:
    return AluReg(Alu.XOR, 32, Reg.rdx, Reg.rdx) if remainder else Neg(bits, Reg.rax)


@tagged
class Divide(NamedTuple):
    """dst := dst / src, or its remainder; rounded toward zero if signed; 32 bits zero-extend."""

    bits: int
    signed: bool
    remainder: bool
    dst: Reg
    src: Reg

    def contract(self) -> Contract:
        return promise(reads=(self.dst, self.src), writes=(self.dst, COUNT, CHECKED), touches=_SAVES)

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        bits, remainder = self.bits, self.remainder
        minus_one: tuple[X86, ...] = ()
        minus_one_case: tuple[X86, ...] = ()
        if self.signed:
            minus_one = (alu_imm(Alu.CMP, bits, COUNT, -1), JumpIf(Cond.E, _MINUS_ONE))
            minus_one_case = (Label(1), _by_minus_one(bits, remainder), Jump(_END))
        return (
            MovReg(bits, COUNT, self.src),
            *_save(self.dst),
            TestReg(bits, COUNT, COUNT),
            JumpIf(Cond.E, _ZERO),
            *minus_one,
            *_divide(bits, self.signed),
            Label(2),
            *_deliver(bits, self.dst, Reg.rdx if remainder else Reg.rax),
            Label(0, cold=True),
            _by_zero(bits, remainder),
            Jump(_END),
            *minus_one_case,
        )


@tagged
class DivideImm(NamedTuple):
    """dst := dst / divisor, or its remainder, for a divisor (0 < divisor < 2^bits) that is not -1 if signed."""

    bits: int
    signed: bool
    remainder: bool
    dst: Reg
    divisor: int

    def contract(self) -> Contract:
        return promise(
            reads=(self.dst,),
            writes=(self.dst, COUNT, CHECKED),
            touches=_SAVES,
            divisor=(self.divisor, (1 << self.bits) - (2 if self.signed else 1)),
        )

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        return (
            load_constant(COUNT, self.divisor),
            *_save(self.dst),
            *_divide(self.bits, self.signed),
            *_deliver(self.bits, self.dst, Reg.rdx if self.remainder else Reg.rax),
        )
