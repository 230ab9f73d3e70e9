"""The text of x86 and macro instructions, for `explain` and for counterexamples; Intel's syntax, labels by their names.

Nothing decides on this text. Trusted by: readers. The text of an instruction says all of its operands, so that
different instructions have different texts; `tests/jit/test_disassemble.py` compares it with Capstone's.
"""

from __future__ import annotations

from enum import Enum
from typing import assert_never

from jit.macros import Macro
from jit.macros.memory import AtChecked, InFrame
from jit.registers import Reg
from jit.tagged import operands
from jit.x86 import (
    X86,
    Ahead,
    AluImm8,
    AluImm32,
    AluReg,
    Bswap,
    Callee,
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
    Leave,
    Load,
    LoadSigned,
    Local,
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
    Native,
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
    Stub,
    Target,
    TestImm,
    TestReg,
    Xchg,
)

_SIZE = {1: "byte", 2: "word", 4: "dword", 8: "qword"}


def disassemble(instruction: X86, pc: int | None = None) -> str:
    """One line of assembly text. With `pc`, the eBPF pc that it belongs to, labels name pcs instead of distances."""
    match instruction:
        case MovReg(bits, dst, src):
            return f"mov {register(dst, bits)}, {register(src, bits)}"
        case MovImm32(dst, imm):
            return f"mov {register(dst, 32)}, {imm:#x}"
        case MovImmSigned(dst, imm):
            return f"mov {register(dst)}, {number(imm)}"
        case MovImm64(dst, imm):
            return f"movabs {register(dst)}, {imm:#x}"
        case MovSignExtend(source_bits, bits, dst, src):
            name = "movsxd" if source_bits == 32 else "movsx"
            return f"{name} {register(dst, bits)}, {register(src, source_bits)}"
        case MovZeroExtend16(dst, src):
            return f"movzx {register(dst, 32)}, {register(src, 16)}"
        case Load(size, dst, mem):
            name = "movzx" if size < 4 else "mov"
            return f"{name} {register(dst, 64 if size == 8 else 32)}, {_SIZE[size]} {memory(mem)}"
        case LoadSigned(size, dst, mem):
            name = "movsxd" if size == 4 else "movsx"
            return f"{name} {register(dst)}, {_SIZE[size]} {memory(mem)}"
        case Store(size, mem, src):
            return f"mov {_SIZE[size]} {memory(mem)}, {register(src, 8 * size)}"
        case StoreImm(size, mem, imm):
            return f"mov {_SIZE[size]} {memory(mem)}, {_immediate(imm, pc)}"
        case Lea(bits, dst, base, disp):
            return f"lea {register(dst, bits)}, [{register(base)}{displacement(disp)}]"
        case LeaIndexed(dst, base, index, scale, disp):
            return f"lea {register(dst)}, [{register(base)}+{register(index)}*{1 << scale}{displacement(disp)}]"
        case LeaLabel(dst, target):
            return f"lea {register(dst)}, [{label(target, pc)}]"
        case AluReg(op, bits, dst, src):
            return f"{op.name.lower()} {register(dst, bits)}, {register(src, bits)}"
        case AluImm8(op, bits, dst, imm):
            return f"{op.name.lower()} {register(dst, bits)}, {number(imm)}"
        case AluImm32(op, bits, dst, imm):
            return f"{op.name.lower()} {register(dst, bits)}, {number(imm)}"
        case TestReg(bits, a, b):
            return f"test {register(a, bits)}, {register(b, bits)}"
        case TestImm(bits, reg, imm):
            return f"test {register(reg, bits)}, {number(imm)}"
        case Neg(bits, dst):
            return f"neg {register(dst, bits)}"
        case Imul(bits, dst, src):
            return f"imul {register(dst, bits)}, {register(src, bits)}"
        case ImulImm(bits, dst, src, imm):
            return f"imul {register(dst, bits)}, {register(src, bits)}, {number(imm)}"
        case Div(bits, src):
            return f"div {register(src, bits)}"
        case Idiv(bits, src):
            return f"idiv {register(src, bits)}"
        case SignToRdx(bits):
            return "cqo" if bits == 64 else "cdq"
        case ShiftImm(op, bits, dst, count):
            return f"{op.name.lower()} {register(dst, bits)}, {count}"
        case ShiftCl(op, bits, dst):
            return f"{op.name.lower()} {register(dst, bits)}, cl"
        case Rotate16(dst, count):
            return f"rol {register(dst, 16)}, {count}"
        case Bswap(bits, dst):
            return f"bswap {register(dst, bits)}"
        case LockAlu(op, size, mem, src):
            return f"lock {op.name.lower()} {_SIZE[size]} {memory(mem)}, {register(src, 8 * size)}"
        case LockXadd(size, mem, src):
            return f"lock xadd {_SIZE[size]} {memory(mem)}, {register(src, 8 * size)}"
        case Xchg(size, mem, src):
            return f"xchg {_SIZE[size]} {memory(mem)}, {register(src, 8 * size)}"
        case LockCmpxchg(size, mem, src):
            return f"lock cmpxchg {_SIZE[size]} {memory(mem)}, {register(src, 8 * size)}"
        case Jump(target):
            return f"jmp {label(target, pc)}"
        case JumpIf(cond, target):
            return f"j{cond.name.lower()} {label(target, pc)}"
        case JumpReg(reg):
            return f"jmp {register(reg)}"
        case JumpMem(mem):
            return f"jmp qword {memory(mem)}"
        case JumpTable(target):
            return f"jmp qword [{label(target, pc)}]"
        case Push(reg):
            return f"push {register(reg)}"
        case Pop(reg):
            return f"pop {register(reg)}"
        case Ret():
            return "ret"
        case Label(place, cold):
            return f".{place}: (cold)" if cold else f".{place}:"
        case _:
            assert_never(instruction)


def register(reg: Reg, bits: int = 64) -> str:
    """The name of the low `bits` of a register (SDM 1, section 3.4.1.1)."""
    name = reg.name
    if reg >= Reg.r8:
        return name + {64: "", 32: "d", 16: "w", 8: "b"}[bits]
    if bits == 8:
        return name[1:] + "l" if name[1:] in ("sp", "bp", "si", "di") else name[1] + "l"
    return {64: name, 32: "e" + name[1:], 16: name[1:]}[bits]


def memory(mem: Mem) -> str:
    """A memory operand."""
    index = "" if mem.index is None else f"+{register(mem.index)}"
    return f"[rbp{index}{displacement(mem.disp)}]"


def number(value: int) -> str:
    """A signed number, in decimal where that is short."""
    return str(value) if abs(value) < 10 else hex(value)


def displacement(value: int) -> str:
    """A signed number as the end of a sum; nothing for 0."""
    return "" if value == 0 else ("-" if value < 0 else "+") + number(abs(value))


def label(target: Target, pc: int | None = None) -> str:
    """Where a label points."""
    match target:
        case Local(place):
            return f".{place}"
        case Ahead(distance):
            return f"pc{distance:+d}" if pc is None else f"pc {pc + distance}"
        case Callee(distance):
            return f"function pc{distance:+d}" if pc is None else f"function pc {pc + distance}"
        case Leave(exit):
            return f"leave {exit.name}"
        case Stub(exit):
            return f"stub {exit.name}"
        case Native(distance):
            return f"rip{distance:+#x}"
        case _:
            assert_never(target)


def _immediate(imm: int | PcPlus, pc: int | None) -> str:
    if isinstance(imm, PcPlus):
        return f"pc{imm.delta:+d}" if pc is None else f"pc {pc + imm.delta}"
    return number(imm)


def disassemble_macro(macro: Macro) -> str:
    """The name of a macro and its operands; flags that are not set are left out."""
    shown = []
    for name, value in operands(macro):
        if value is not False and value != ():
            shown.append(f"{name} {_operand(value)}" if not isinstance(value, _PLAIN) else _operand(value))
    return f"{type(macro).__name__} {', '.join(shown)}".rstrip()


_PLAIN = (Reg, Enum, InFrame, AtChecked)  # these say by themselves what they are


def _operand(value: object) -> str:
    match value:
        case Reg():
            return register(value)
        case True:
            return "yes"
        case Enum():
            return value.name
        case InFrame(disp):
            return f"[r10{displacement(disp)}]"
        case AtChecked(disp):
            return f"[checked{displacement(disp)}]"
        case tuple():
            return "|".join(_operand(part) for part in value)
        case int():
            return str(value) if abs(value) < 4096 else hex(value)
        case _:
            return str(value)
