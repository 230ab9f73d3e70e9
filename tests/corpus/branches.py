"""Branches and jumps, taken and not taken, in both directions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle, product

from tests.corpus import assembly, oracle
from tests.corpus.assembly import EXIT, alu_imm, branch_imm, branch_reg, ja, ja32, mov
from tests.corpus.case import FRAME_TOP, Case, Check, batches, registers
from tests.corpus.operands import IMMEDIATES, VALUES, WRITABLE, register_pairs, value_pairs

NOT_TAKEN, TAKEN = 1, 2


def _branch(name: str, bits: int) -> Iterator[Case]:
    return batches(f"{name}{bits}", [*_registers(name, bits), *_immediates(name, bits)])


def _registers(name: str, bits: int) -> Iterator[Check]:
    for dst, src, a, b in value_pairs() + register_pairs():
        before = registers({dst: a, src: b})
        operand = FRAME_TOP if src == 10 else b
        label = f"{name}{bits} r{dst} = {before[dst]:#x}, r{src} = {operand:#x}"
        taken = oracle.taken(name, bits, before[dst], operand)
        yield _marked(label, branch_reg(name, bits, dst, src, 2), before, taken, {dst, src})


def _immediates(name: str, bits: int) -> Iterator[Check]:
    turns = cycle(WRITABLE)
    for a, imm in product(VALUES, IMMEDIATES):
        dst = next(turns)
        before = registers({dst: a})
        taken = oracle.taken(name, bits, a, imm)
        label = f"{name}{bits} r{dst} = {a:#x}, {imm}"
        yield _marked(label, branch_imm(name, bits, dst, imm, 2), before, taken, {dst})


def _marked(label: str, branch: bytes, before: tuple[int, ...], taken: bool, used: set[int]) -> Check:
    """Which way a branch by +2 goes, shown in a register that it does not use."""
    marker = min(set(WRITABLE) - used)
    code = branch + mov(marker, NOT_TAKEN) + ja(1) + mov(marker, TAKEN)
    return Check(label, code, before, registers({marker: TAKEN if taken else NOT_TAKEN}, before))


ROUNDS = 9


def _loops() -> Iterator[Case]:
    """Backward branches of every kind: each loop runs ROUNDS times and adds 3 to r0 each time."""
    for bits in (32, 64):
        for name in assembly.BRANCH_CODES:
            code = mov(3, 0) + mov(4, 1) + mov(1, ROUNDS) + mov(0, 0) + _loop(name, bits) + EXIT
            yield Case(f"loop by {name}{bits}", code, b"", 3 * ROUNDS, b"")


def _loop(name: str, bits: int) -> bytes:
    """The loop's body and its branch back. r1 counts down to 0, r3 = 0, r4 = 1."""
    body = alu_imm("add", 64, 0, 3) + alu_imm("sub", 64, 1, 1)
    match name:
        case "jeq":  # holds for ever: the exit in the middle ends the loop
            return body + branch_imm("jne", bits, 1, 0, 1) + EXIT + branch_reg("jeq", bits, 1, 1, -5)
        case "jlt" | "jslt":
            return body + branch_reg(name, bits, 3, 1, -3)
        case "jle" | "jsle":
            return body + branch_reg(name, bits, 4, 1, -3)
        case "jge" | "jsge":
            return body + branch_imm(name, bits, 1, 1, -3)
        case "jset":
            return body + branch_imm(name, bits, 1, 15, -3)
        case _:  # jne, jgt, jsgt
            return body + branch_imm(name, bits, 1, 0, -3)


def _jumps() -> Iterator[Case]:
    yield Case("ja over one", mov(0, 1) + ja(1) + mov(0, 2) + EXIT, b"", 1, b"")
    yield Case("ja over none", mov(0, 1) + ja(0) + mov(0, 2) + EXIT, b"", 2, b"")
    yield Case("ja32 over one", mov(0, 1) + ja32(1) + mov(0, 2) + EXIT, b"", 1, b"")
    yield Case("ja32 over none", mov(0, 1) + ja32(0) + mov(0, 2) + EXIT, b"", 2, b"")
    backwards = ja(2) + mov(0, 7) + EXIT
    yield Case("ja back", backwards + ja(-3), b"", 7, b"")
    yield Case("ja32 back", backwards + ja32(-3), b"", 7, b"")
    for name, jump, distance in (("ja", ja, 32767), ("ja32", ja32, 32768), ("ja32", ja32, 65536)):
        skipped = mov(0, 2) * (distance - 1) + EXIT
        yield Case(f"{name} ahead by {distance}", mov(0, 1) + jump(distance) + skipped + EXIT, b"", 1, b"")
    for name, jump, distance in (("ja", ja, 32768), ("ja32", ja32, 32769), ("ja32", ja32, 65537)):
        code = backwards + ja32(distance - 4) + mov(0, 3) * (distance - 4) + jump(-distance)
        yield Case(f"{name} back by {distance}", code, b"", 7, b"")


SLICES: dict[str, Callable[[], Iterator[Case]]] = {
    **{f"branch.{name}{bits}": partial(_branch, name, bits) for name in assembly.BRANCH_CODES for bits in (32, 64)},
    "loops": _loops,
    "jumps": _jumps,
}
