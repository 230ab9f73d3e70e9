"""Loads, stores and atomics that are allowed: every width, offset and pair of registers.

The bytes accessed are the 16 of the batch's cell, in the frame: in the middle of them, with foreign bytes around.
The base register is set to the cell's address as a number, and by arithmetic on r10.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle, product

from tests.corpus import assembly, oracle
from tests.corpus.assembly import alu_imm, mov_reg
from tests.corpus.case import CELL, CELL_AT, FRAME_TOP, Case, Check, batches, registers
from tests.corpus.operands import ALL_PAIRS, IMMEDIATES, READABLE, VALUES, WRITABLE

CELLS = (  # what memory holds before: sign bits in every position, and values to compare with
    bytes(range(0x81, 0x91)),
    bytes(range(0x01, 0x11)),
    b"\xff" * 16,
    b"\x00" * 16,
    bytes.fromhex("00000080 ffffffff 00000000 00000080"),
    bytes.fromhex("ffffff7f 01000000 ffffffff ffffff7f"),
)
DISPLACEMENTS = (0, 1, -1, 8, -8, 127, -128, 128, -129, 32767, -32768)


def _load(size: int, is_signed: bool) -> Iterator[Case]:
    name = f"load{'s' if is_signed else ''}{size}"
    assemble = assembly.load_signed if is_signed else assembly.load

    def checks() -> Iterator[Check]:
        for (dst, src), start, cell, displacement in _places(ALL_PAIRS, 16 - size):
            before, preamble, offset = _based(src, start, displacement)
            loaded = oracle.loaded(cell[start : start + size], is_signed)
            code = preamble + assemble(size, dst, src, offset)
            yield _check(f"{name} r{dst}, [r{src}{offset:+}]", code, before, {dst: loaded}, (cell, cell))

    return batches(name, checks())


def _store(size: int) -> Iterator[Case]:
    pairs = tuple(product(READABLE, READABLE))  # r10 may be base and value

    def checks() -> Iterator[Check]:
        values = cycle(VALUES)
        for (dst, src), start, cell, displacement in _places(pairs, 16 - size):
            value = next(values)
            before, preamble, offset = _based(dst, start, displacement, {src: value})
            held = before[src] if src < 10 else FRAME_TOP
            after = _patched(cell, start, oracle.stored(size, held))
            code = preamble + assembly.store(size, dst, offset, src)
            yield _check(f"store{size} [r{dst}{offset:+}], r{src} = {held:#x}", code, before, {}, (cell, after))

    return batches(f"store{size}", checks())


def _store_imm(size: int) -> Iterator[Case]:
    bases = tuple(product(READABLE, IMMEDIATES))

    def checks() -> Iterator[Check]:
        for (dst, imm), start, cell, displacement in _places(bases, 16 - size):
            before, preamble, offset = _based(dst, start, displacement)
            after = _patched(cell, start, oracle.stored(size, imm))
            code = preamble + assembly.store_imm(size, dst, offset, imm)
            yield _check(f"store{size} [r{dst}{offset:+}], {imm}", code, before, {}, (cell, after))

    return batches(f"store{size} imm", checks())


def _atomic(name: str, size: int) -> Iterator[Case]:
    writes_src = name.startswith("fetch_") or name == "xchg"
    sources = WRITABLE if writes_src else READABLE
    pairs = tuple(product(READABLE, sources))

    def checks() -> Iterator[Check]:
        values = cycle(VALUES)
        for ((dst, src), start, cell, displacement), matching in product(
            _places(pairs, 16 - size, size), (False, True) if name == "cmpxchg" else (False,)
        ):
            held = cell[start : start + size]
            changes = {src: next(values)}
            if matching:  # in the compared half; above it is garbage
                changes[0] = oracle.loaded(held, False) + (0 if size == 8 else 0xBAD << 32)
            before, preamble, offset = _based(dst, start, displacement, changes)
            value = before[src] if src < 10 else FRAME_TOP
            new, src_after, r0_after = oracle.atomic(name, held, value, before[0])
            after = {src: src_after} if writes_src else {0: r0_after} if name == "cmpxchg" else {}
            label = (
                f"lock {name}{8 * size} [r{dst}{offset:+}] of {held.hex()}, r{src} = {value:#x}, r0 = {before[0]:#x}"
            )
            code = preamble + assembly.atomic(name, size, dst, offset, src)
            yield _check(label, code, before, after, (cell, _patched(cell, start, new)))

    return batches(f"lock {name}{8 * size}", checks())


def _places(
    pairs: tuple[tuple[int, int], ...], last: int, alignment: int = 1
) -> Iterator[tuple[tuple[int, int], int, bytes, int]]:
    """Each pair with three (start within the cell, cell, displacement), taken in turn."""
    starts, cells, displacements = cycle(range(0, last + 1, alignment)), cycle(CELLS), cycle(DISPLACEMENTS)
    for pair in pairs * 3:
        yield pair, next(starts), next(cells), next(displacements)


def _based(
    base: int, start: int, displacement: int, changes: dict[int, int] | None = None
) -> tuple[tuple[int, ...], bytes, int]:
    """Registers, code to run first and offset, so that base + offset is the `start`th byte of the cell.

    Where the number of the base is odd it is made from r10; r10 itself is used as it is.
    """
    if base == 10:
        return registers(changes or {}), b"", CELL_AT + start
    before = registers({**(changes or {}), base: CELL + start - displacement})
    if base % 2:
        return before, mov_reg(base, 10) + alu_imm("add", 64, base, CELL_AT + start - displacement), displacement
    return before, b"", displacement


def _check(
    label: str, code: bytes, before: tuple[int, ...], changes: dict[int, int], cells: tuple[bytes, bytes]
) -> Check:
    return Check(label, code, before, registers(changes, before), *cells)


def _patched(cell: bytes, start: int, new: bytes) -> bytes:
    return cell[:start] + new + cell[start + len(new) :]


SLICES: dict[str, Callable[[], Iterator[Case]]] = {
    **{f"load.{size}": partial(_load, size, False) for size in (1, 2, 4, 8)},
    **{f"load.s{size}": partial(_load, size, True) for size in (1, 2, 4)},
    **{f"store.{size}": partial(_store, size) for size in (1, 2, 4, 8)},
    **{f"storeimm.{size}": partial(_store_imm, size) for size in (1, 2, 4, 8)},
    **{f"atomic.{name}{8 * size}": partial(_atomic, name, size) for name in assembly.ATOMIC_CODES for size in (4, 8)},
}
