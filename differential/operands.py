"""Every form with every register in every place, and the edges of every number: what encodings are checked on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from math import prod

from jit.registers import Reg
from jit.tagged import operands
from jit.x86 import (
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
    Native,
    Neg,
    Pop,
    Push,
    Ret,
    Rotate16,
    Shift,
    ShiftCl,
    ShiftImm,
    SignToRdx,
    Store,
    StoreImm,
    TestImm,
    TestReg,
    Xchg,
)

BITS = (32, 64)
S8 = (-128, -1, 0, 1, 127)
S32 = (-(2**31), -129, -128, -1, 0, 1, 127, 128, 2**31 - 1)
U32 = (0, 1, 0x7F, 0x80, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF)
U64 = (*U32, 2**32, 2**63 - 1, 2**63, 0x0102_0304_0506_0708, 2**64 - 1)
INDEX = tuple(register for register in Reg if register is not Reg.rsp)
MEM = tuple(Mem(disp, index) for index in (None, *INDEX) for disp in S32)
PLACES = tuple(Native(displacement) for displacement in S32)
STORED = ((1, (0, 0x7F, 0x80, 0xFF)), (2, (0, 0x7FFF, 0x8000, 0xFFFF)), (4, U32), (8, S32))
LOCKED = (Alu.ADD, Alu.OR, Alu.AND, Alu.XOR)

# what each operand ranges over, in the order of the form's fields; several rows where operands depend on each other
OPERANDS: dict[type, Sequence[tuple[Iterable[object], ...]]] = {
    MovReg: [(BITS, Reg, Reg)],
    MovImm32: [(Reg, U32)],
    MovImmSigned: [(Reg, S32)],
    MovImm64: [(Reg, U64)],
    MovSignExtend: [((8, 16), BITS, Reg, Reg), ((32,), (64,), Reg, Reg)],
    MovZeroExtend16: [(Reg, Reg)],
    Load: [((1, 2, 4, 8), Reg, MEM)],
    LoadSigned: [((1, 2, 4), Reg, MEM)],
    Store: [((1, 2, 4, 8), MEM, Reg)],
    StoreImm: [((size,), MEM, values) for size, values in STORED],
    Lea: [(BITS, Reg, Reg, S32)],
    LeaIndexed: [(Reg, Reg, INDEX, range(4), (-(2**31), -129, -128, 0, 127, 128))],
    LeaLabel: [(Reg, PLACES)],
    AluReg: [(Alu, BITS, Reg, Reg)],
    AluImm8: [(Alu, BITS, Reg, S8)],
    AluImm32: [(Alu, BITS, Reg, S32)],
    TestReg: [(BITS, Reg, Reg)],
    TestImm: [(BITS, Reg, S32)],
    Neg: [(BITS, Reg)],
    Imul: [(BITS, Reg, Reg)],
    ImulImm: [(BITS, Reg, Reg, S32)],
    Div: [(BITS, Reg)],
    Idiv: [(BITS, Reg)],
    SignToRdx: [(BITS,)],
    ShiftImm: [(Shift, (32,), Reg, range(32)), (Shift, (64,), Reg, range(64))],
    ShiftCl: [(Shift, BITS, Reg)],
    Rotate16: [(Reg, range(1, 16))],
    Bswap: [(BITS, Reg)],
    LockAlu: [(LOCKED, (4, 8), MEM, Reg)],
    LockXadd: [((4, 8), MEM, Reg)],
    Xchg: [((4, 8), MEM, Reg)],
    LockCmpxchg: [((4, 8), MEM, Reg)],
    Jump: [(PLACES,)],
    JumpIf: [(Cond, PLACES)],
    JumpReg: [(Reg,)],
    JumpMem: [(MEM,)],
    JumpTable: [(PLACES,)],
    Push: [(Reg,)],
    Pop: [(Reg,)],
    Ret: [()],
}


_SELECTING = ("op", "cond", "source_bits", "bits", "size", "scale")  # what makes it another instruction to a reader


def variant(instruction: X86) -> str:
    """Its form with operation, condition and widths."""
    selected = [str(getattr(value, "name", value)) for name, value in operands(instruction) if name in _SELECTING]
    return " ".join([type(instruction).__name__, *selected])


@cache
def variants() -> tuple[str, ...]:
    """Of all forms."""
    found: dict[str, None] = {}
    for form, rows in OPERANDS.items():
        names: tuple[str, ...] = form._fields[:-1]  # type: ignore[attr-defined]
        for row in rows:
            few = [values if name in _SELECTING else list(values)[:1] for name, values in zip(names, row, strict=True)]
            found |= {variant(form(*values)): None for values in product(*few)}
    return tuple(found)


def count(form: type) -> int:
    """How many instances there are."""
    return sum(prod(sum(1 for _ in values) for values in row) for row in OPERANDS[form])


def instances(form: type) -> Iterator[X86]:
    """All of this form."""
    for row in OPERANDS[form]:
        for values in product(*row):
            yield form(*values)
