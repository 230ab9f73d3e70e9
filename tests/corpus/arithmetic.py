"""Arithmetic, sign extension, byte order and wide immediates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle, product

from tests.corpus import assembly, oracle
from tests.corpus.case import FRAME_TOP, Case, Check, batches, registers
from tests.corpus.operands import ALL_PAIRS, IMMEDIATES, VALUES, WRITABLE, register_pairs, value_pairs


def _alu(name: str, bits: int) -> Iterator[Case]:
    return batches(f"{name}{bits}", [*_alu_registers(name, bits), *_alu_immediates(name, bits)])


def _alu_registers(name: str, bits: int) -> Iterator[Check]:
    for dst, src, a, b in value_pairs() + register_pairs():
        before = registers({dst: a, src: b})  # for dst = src: b
        operand = FRAME_TOP if src == 10 else b
        after = oracle.alu(name, bits, before[dst], operand)
        yield Check(
            f"{name}{bits} r{dst} = {before[dst]:#x}, r{src} = {operand:#x}",
            assembly.alu_reg(name, bits, dst, src),
            before,
            registers({dst: after}, before),
        )


def _alu_immediates(name: str, bits: int) -> Iterator[Check]:
    turns = cycle(WRITABLE)
    for a, imm in product(VALUES, IMMEDIATES):
        dst = next(turns)
        before = registers({dst: a})
        after = oracle.alu(name, bits, a, imm)
        label = f"{name}{bits} r{dst} = {a:#x}, {imm}"
        yield Check(label, assembly.alu_imm(name, bits, dst, imm), before, registers({dst: after}, before))


def _neg(bits: int) -> Iterator[Case]:
    def checks() -> Iterator[Check]:
        for dst, a in product(WRITABLE, VALUES):
            before = registers({dst: a})
            after = registers({dst: oracle.neg(bits, a)}, before)
            yield Check(f"neg{bits} r{dst} = {a:#x}", assembly.neg(bits, dst), before, after)

    return batches(f"neg{bits}", checks())


def _movsx(from_bits: int, to_bits: int) -> Iterator[Case]:
    def checks() -> Iterator[Check]:
        values = cycle(VALUES)
        for dst, src in ALL_PAIRS * 3:
            a = next(values)
            before = registers({src: a})
            after = oracle.movsx(from_bits, to_bits, FRAME_TOP if src == 10 else a)
            label = f"movsx{from_bits}to{to_bits} r{dst}, r{src} = {a:#x}"
            code = assembly.movsx(from_bits, to_bits, dst, src)
            yield Check(label, code, before, registers({dst: after}, before))

    return batches(f"movsx{from_bits}to{to_bits}", checks())


def _byte_order(name: str, bits: int) -> Iterator[Case]:
    def checks() -> Iterator[Check]:
        for dst, a in product(WRITABLE, VALUES):
            before = registers({dst: a})
            after = registers({dst: oracle.byte_order(name, bits, a)}, before)
            yield Check(f"{name}{bits} r{dst} = {a:#x}", assembly.byte_order(name, bits, dst), before, after)

    return batches(f"{name}{bits}", checks())


def _lddw() -> Iterator[Case]:
    def checks() -> Iterator[Check]:
        for dst, value in product(WRITABLE, VALUES):
            before = registers({})
            label = f"lddw r{dst}, {value:#x}"
            yield Check(label, assembly.lddw(dst, value), before, registers({dst: value}, before))

    return batches("lddw", checks())


_WIDTHS = (32, 64)
SLICES: dict[str, Callable[[], Iterator[Case]]] = {
    **{f"alu.{name}{bits}": partial(_alu, name, bits) for name in assembly.ALU_CODES for bits in _WIDTHS},
    **{f"neg{bits}": partial(_neg, bits) for bits in _WIDTHS},
    **{f"movsx.{a}to{b}": partial(_movsx, a, b) for a, b in ((8, 32), (16, 32), (8, 64), (16, 64), (32, 64))},
    **{
        f"order.{name}{bits}": partial(_byte_order, name, bits)
        for name in ("le", "be", "bswap")
        for bits in (16, 32, 64)
    },
    "lddw": _lddw,
}
