"""The encoder makes no bytes of operands that the model gives no meaning to.

A width that it took for another would touch bytes which no contract names: theorem gate.contract refuted that an
atomic instruction of one byte has its own bytes; it had those of four.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jit.encode import EncodingRefused, encode
from jit.registers import Reg
from jit.x86 import (
    X86,
    Alu,
    Load,
    LoadSigned,
    LockAlu,
    LockCmpxchg,
    LockXadd,
    Mem,
    PcPlus,
    Rotate16,
    Shift,
    ShiftImm,
    Store,
    StoreImm,
    Xchg,
)

MEM = Mem(8, Reg.r11)


@pytest.mark.parametrize(
    ("form", "sizes"),
    [
        (lambda size: Load(size, Reg.rax, MEM), (1, 2, 4, 8)),
        (lambda size: LoadSigned(size, Reg.rax, MEM), (1, 2, 4)),
        (lambda size: Store(size, MEM, Reg.rax), (1, 2, 4, 8)),
        (lambda size: StoreImm(size, MEM, 1), (1, 2, 4, 8)),
        (lambda size: StoreImm(size, MEM, PcPlus(0)), (4,)),
        (lambda size: LockAlu(Alu.ADD, size, MEM, Reg.rax), (4, 8)),
        (lambda size: LockXadd(size, MEM, Reg.rax), (4, 8)),
        (lambda size: Xchg(size, MEM, Reg.rax), (4, 8)),
        (lambda size: LockCmpxchg(size, MEM, Reg.rax), (4, 8)),
    ],
)
def test_only_sizes_that_have_a_meaning_are_encoded(form: Callable[[int], X86], sizes: tuple[int, ...]) -> None:
    for size in range(17):
        if size in sizes:
            assert encode(form(size))[0]
        else:
            with pytest.raises((EncodingRefused, KeyError), match=f"^{size}"):  # KeyError: a width that no table has
                encode(form(size))


@pytest.mark.parametrize("op", Alu)
def test_only_operations_that_can_be_locked_are_encoded_so(op: Alu) -> None:
    if op in (Alu.ADD, Alu.OR, Alu.AND, Alu.XOR):
        assert encode(LockAlu(op, 8, MEM, Reg.rax))[0]
    else:
        with pytest.raises(EncodingRefused):
            encode(LockAlu(op, 8, MEM, Reg.rax))


@pytest.mark.parametrize(
    ("form", "fits", "beyond"),
    [
        (lambda count: ShiftImm(Shift.SHL, 32, Reg.rax, count), 31, 32),
        (lambda count: ShiftImm(Shift.SHL, 64, Reg.rax, count), 63, 64),
        (lambda count: ShiftImm(Shift.SHL, 64, Reg.rax, count), 0, -1),
        (lambda count: Rotate16(Reg.rax, count), 15, 16),
        (lambda count: Rotate16(Reg.rax, count), 1, 0),
    ],
)
def test_counts_are_below_the_width(form: Callable[[int], X86], fits: int, beyond: int) -> None:
    assert encode(form(fits))[0]
    with pytest.raises(EncodingRefused):
        encode(form(beyond))
