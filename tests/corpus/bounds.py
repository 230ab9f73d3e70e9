"""Accesses around every edge of the guest's memory, byte by byte over both sides, and unaligned atomics.

One program per access: what faults must name its kind, pc, address, size and direction, and leave memory alone.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from jit.layout import NULL_BYTES, Layout, plan
from simulator.ebpf import FaultKind
from tests.corpus import assembly, oracle
from tests.corpus.assembly import EXIT, alu_imm, lddw, mov, mov_reg
from tests.corpus.case import Case, Stop

CALLDATA = bytes(range(0xA0, 0xB8))  # 24 bytes: room for an atomic on both sides of the middle
FRAME = 4096
VALUE = 0x1122_3344_5566_7788  # stored by register, and in the frame where a load finds it
IMM = -2
FINISHED = 77


@dataclass(frozen=True, slots=True)
class Access:
    """An instruction that accesses `size` bytes at r3 + offset (or another base), with r2 = VALUE and r0 = 0."""

    name: str
    size: int
    write: bool
    assemble: Callable[[int, int], bytes]  # base register, offset
    new: Callable[[bytes], bytes]  # the bytes afterwards
    aligned: bool = False


def _same(held: bytes) -> bytes:
    return held


def _accesses() -> list[Access]:
    accesses = []
    for size in (1, 2, 4, 8):
        accesses += [
            Access(f"load{size}", size, False, lambda base, off, n=size: assembly.load(n, 2, base, off), _same),
            Access(
                f"store{size}",
                size,
                True,
                lambda base, off, n=size: assembly.store(n, base, off, 2),
                lambda held, n=size: oracle.stored(n, VALUE),
            ),
            Access(
                f"store{size} imm",
                size,
                True,
                lambda base, off, n=size: assembly.store_imm(n, base, off, IMM),
                lambda held, n=size: oracle.stored(n, IMM),
            ),
        ]
        if size < 8:
            accesses.append(
                Access(f"loads{size}", size, False, lambda base, off, n=size: assembly.load_signed(n, 2, base, off), _same)
            )
    for size in (4, 8):
        for name in assembly.ATOMIC_CODES:
            accesses.append(
                Access(
                    f"{name}{8 * size}",
                    size,
                    True,
                    lambda base, off, n=size, op=name: assembly.atomic(op, n, base, off, 2),
                    lambda held, op=name: oracle.atomic(op, held, VALUE, 0)[0],
                    aligned=True,
                )
            )
    return accesses


def _calldata(size: int) -> Iterator[Case]:
    """Offsets -9 .. size + 1 from the first byte, through r1 itself and through a number."""
    mem = CALLDATA[:size]
    layout = plan(calldata_size=size)
    for access in _accesses():
        for offset in range(-9, size + 2):
            address = layout.calldata.low + offset
            inside = 0 <= offset and offset + access.size <= size
            after = mem
            if inside:
                after = mem[:offset] + access.new(mem[offset : offset + access.size]) + mem[offset + access.size :]
            name = f"{access.name} at {offset} of {size} bytes of calldata"
            if mem:
                yield _case(f"{name} by r1", mov_reg(3, 1), access, 3, offset, address, inside, mem, after)
            by_number = lddw(3, address - 100)
            yield _case(f"{name} by number", by_number, access, 3, 100, address, inside, mem, after)


def _case(
    name: str,
    setup: bytes,
    access: Access,
    base: int,
    offset: int,
    address: int,
    inside: bool,
    mem: bytes,
    after: bytes,
) -> Case:
    """r2 = VALUE, r0 = 0, then `setup` and the access; then r0 = FINISHED."""
    code = lddw(2, VALUE) + mov(0, 0) + setup
    pc = len(code) // 8
    code += access.assemble(base, offset) + mov(0, FINISHED) + EXIT
    return Case(name, code, mem, *_ending(access, pc, address % 2**64, inside, mem, after))


def _ending(access: Access, pc: int, address: int, inside: bool, mem: bytes, after: bytes) -> tuple[int | Stop, bytes]:
    if not inside:
        return Stop(FaultKind.OUT_OF_BOUNDS, pc, address, access.size, access.write), mem
    if access.aligned and address % access.size:
        return Stop(FaultKind.UNALIGNED_ATOMIC, pc, address, access.size, access.write), mem
    return FINISHED, after


def _frame() -> Iterator[Case]:
    """Both ends of the entry frame, through r10, a copy of it, and a number."""
    frame_top = plan().frame_top(0)
    for access in _accesses():
        for offset in (*range(-FRAME - 9, -FRAME + 9), *range(-9, 3)):
            inside = -FRAME <= offset and offset + access.size <= 0
            address = frame_top + offset
            name = f"{access.name} at r10{offset:+}"
            yield _case(name, b"", access, 10, offset, address, inside, b"", b"")
            copied = mov_reg(3, 10) + alu_imm("add", 64, 3, offset + 5)
            yield _case(f"{name} by copy", copied, access, 3, -5, address, inside, b"", b"")
            yield _case(f"{name} by number", lddw(3, address + 5), access, 3, -5, address, inside, b"", b"")


def _elsewhere() -> Iterator[Case]:
    """Null, the gaps, frames that are not live, empty regions, and addresses that wrap or look native."""
    layout = plan(calldata_size=len(CALLDATA))
    for access in _accesses():
        for address, offset in _wild_places(layout):
            name = f"{access.name} at {address:#x}{offset:+}"
            setup = lddw(3, address % 2**64)
            yield _case(name, setup, access, 3, offset, address + offset, False, CALLDATA, CALLDATA)


def _wild_places(layout: Layout) -> list[tuple[int, int]]:
    """(base address, offset); none of the sums is allowed."""
    bare = [
        *(0, 1, 7, 8, 4096, NULL_BYTES - 1, NULL_BYTES),
        layout.read_only.low,  # empty
        layout.writable.low,  # empty
        layout.stack_low - 8,
        layout.frame_top(0),  # the gap
        layout.stack_low + layout.frame_stride - 8,
        layout.stack_low + layout.frame_stride,  # frame 1, dead
        layout.frame_top(1) - 8,
        layout.frame_top(layout.frames - 1) - 8,  # the last frame
        layout.frame_top(layout.frames),
        layout.calldata.low + (1 << 32),  # right in the low half only
        layout.frame_top(0) - 8 + (1 << 32),
        layout.calldata.low | 1 << 63,
        layout.slot_bytes,
        *(2**31, 2**32, 2**47, 2**63, 2**63 - 8),
        *(-1, -4, -8, -9, -4096),
    ]
    wrapping = [(-1, 1), (-1, 32767), (-8, 8), (-32768, 32767), (0, -1), (7, -8), (2**63 - 1, 1)]
    return [(address, 0) for address in bare] + wrapping


def _region_contents() -> Iterator[Case]:
    """A frame is zero at entry, and calldata holds what was passed, in order."""
    mem = CALLDATA[:16]
    low, high = struct.unpack("<2Q", mem)
    yield Case("calldata's first word", assembly.load(8, 0, 1, 0) + EXIT, mem, low, mem)
    yield Case("calldata's second word", assembly.load(8, 0, 1, 8) + EXIT, mem, high, mem)
    yield Case("calldata's length", mov_reg(0, 2) + EXIT, mem, 16, mem)
    yield Case("no calldata", mov_reg(0, 1) + EXIT, b"", 0, b"")
    yield Case("no calldata's length", mov_reg(0, 2) + EXIT, b"", 0, b"")
    for register in (0, 3, 4, 5, 6, 7, 8, 9):
        yield Case(f"r{register} at entry", mov_reg(0, register) + EXIT, mem, 0, mem)
    for at in (-8, -FRAME):
        yield Case(f"the frame at {at} at entry", assembly.load(8, 0, 10, at) + EXIT, mem, 0, mem)


SLICES: dict[str, Callable[[], Iterator[Case]]] = {
    **{f"bounds.calldata{size}": partial(_calldata, size) for size in (0, 1, 3, 7, 8, 24)},
    "bounds.frame": _frame,
    "bounds.elsewhere": _elsewhere,
    "entry": _region_contents,
}
