"""What an instruction reads, writes and does to flags, as far as a writer of sequences has to know.

Written from the manual and not derived from the model, which is what the sequences are to test. As in the model, all
flags count as undefined behind shifts, rotates and multiplications, though the manual defines some. A mistake here
makes sequences that fault, or flags that go uncompared; it cannot hide a difference of registers or memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jit.registers import CAGE, Reg
from jit.tagged import operands
from jit.x86 import (
    X86,
    AluImm8,
    AluImm32,
    AluReg,
    Div,
    Idiv,
    Imul,
    ImulImm,
    Jump,
    JumpMem,
    JumpReg,
    JumpTable,
    Label,
    LockAlu,
    LockCmpxchg,
    LockXadd,
    Mem,
    Neg,
    Pop,
    Push,
    Ret,
    Rotate16,
    ShiftCl,
    ShiftImm,
    SignToRdx,
    TestImm,
    TestReg,
    Xchg,
)

_DEFINE_FLAGS = (AluReg, AluImm8, AluImm32, TestReg, TestImm, Neg, LockAlu, LockXadd, LockCmpxchg)
_UNDEFINE_FLAGS = (Imul, ImulImm, Div, Idiv, ShiftImm, ShiftCl, Rotate16)
_ALWAYS_LEAVE = (Jump, JumpReg, JumpMem, JumpTable, Ret)
_IMPLICIT: dict[type, tuple[Reg, ...]] = {
    Div: (Reg.rax, Reg.rdx),
    Idiv: (Reg.rax, Reg.rdx),
    SignToRdx: (Reg.rax, Reg.rdx),
    ShiftCl: (Reg.rcx,),
    LockCmpxchg: (Reg.rax,),
    Push: (Reg.rsp,),
    Pop: (Reg.rsp,),
    Ret: (Reg.rsp,),
}


def touched(instruction: X86) -> set[Reg]:
    """The registers that it reads or writes."""
    found = set(_IMPLICIT.get(type(instruction), ()))
    for _, operand in operands(instruction):
        if isinstance(operand, Mem):
            found.add(CAGE)
            operand = operand.index
        if isinstance(operand, Reg):
            found.add(operand)
    return found


def written(instruction: X86) -> set[Reg]:
    """The registers that it may write."""
    match instruction:
        case Div() | Idiv():
            return {Reg.rax, Reg.rdx}
        case SignToRdx():
            return {Reg.rdx}
        case LockCmpxchg():
            return {Reg.rax}
        case LockXadd(_, _, src) | Xchg(_, _, src):
            return {src}
        case Push() | Ret():
            return {Reg.rsp}
        case Pop(reg):
            return {Reg.rsp, reg}
    return {operand for name, operand in operands(instruction) if name == "dst" and isinstance(operand, Reg)}


def flags_after(instruction: X86) -> bool | None:
    """Whether it leaves CF, ZF, SF and OF defined; None if it leaves them as they are."""
    if isinstance(instruction, _DEFINE_FLAGS):
        return True
    return False if isinstance(instruction, _UNDEFINE_FLAGS) else None


def reachable(instructions: Iterable[X86]) -> Iterator[X86]:
    """Without those behind a jump that is always taken, up to the next label. Every label is somebody's target."""
    reached = True
    for instruction in instructions:
        if isinstance(instruction, Label):
            reached = True
        if reached:
            yield instruction
        if isinstance(instruction, _ALWAYS_LEAVE):
            reached = False


def flags_surely_defined(instructions: Iterable[X86]) -> bool:
    """Whether the flags are defined at the end, whatever way control took; they are at the beginning."""
    all_before = True
    since_label: bool | None = None
    for instruction in instructions:
        if isinstance(instruction, Label):
            since_label = None
        effect = flags_after(instruction)
        if effect is not None:
            since_label = effect
            all_before = all_before and effect
    return all_before if since_label is None else since_label
