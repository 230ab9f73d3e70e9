"""Accesses around every edge of the guest's memory, byte by byte over both sides, and unaligned atomics.

One program per access: what faults must name its kind, pc, address, size and direction, and leave memory alone.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from jit.layout import NULL_BYTES, Layout, Region, plan
from simulator.ebpf import FaultKind
from tests.corpus import assembly, oracle
from tests.corpus.assembly import EXIT, alu_imm, lddw, mov, mov_reg
from tests.corpus.case import Case, Stop

CONTENTS = bytes(range(0xA0, 0xB8))  # 24 bytes: an aligned atomic fits in three places
FRAME = 4096
VALUE = 0x1122_3344_5566_7788  # stored by register, and in the frame where a load finds it
IMM = -2
FINISHED = 77


@dataclass(frozen=True, slots=True)
class Access:
    """An instruction that accesses `size` bytes: r2 is loaded, stored or exchanged. `kind` may name an atomic."""

    kind: str
    size: int

    @property
    def writes(self) -> bool:
        return not self.kind.startswith("load")

    @property
    def must_be_aligned(self) -> bool:
        return self.kind in assembly.ATOMIC_CODES

    def assemble(self, base: int, offset: int) -> bytes:
        match self.kind:
            case "load":
                return assembly.load(self.size, 2, base, offset)
            case "load signed":
                return assembly.load_signed(self.size, 2, base, offset)
            case "store":
                return assembly.store(self.size, base, offset, 2)
            case "store imm":
                return assembly.store_imm(self.size, base, offset, IMM)
            case atomic:
                return assembly.atomic(atomic, self.size, base, offset, 2)

    def new(self, held: bytes) -> bytes:
        """The bytes afterwards, if r0 = 0 and r2 = VALUE."""
        match self.kind:
            case "load" | "load signed":
                return held
            case "store":
                return oracle.stored(self.size, VALUE)
            case "store imm":
                return oracle.stored(self.size, IMM)
            case atomic:
                return oracle.atomic(atomic, held, VALUE, 0)[0]


PLAIN = (
    *(Access(kind, size) for kind in ("load", "store", "store imm") for size in (1, 2, 4, 8)),
    *(Access("load signed", size) for size in (1, 2, 4)),
)
ATOMIC = tuple(Access(kind, size) for kind in assembly.ATOMIC_CODES for size in (4, 8))
SOME = (*PLAIN, *(Access(kind, size) for kind in ("add", "fetch_xor", "cmpxchg") for size in (4, 8)))


@dataclass(frozen=True, slots=True)
class Way:
    """How the access is addressed: `setup` runs first, then the access is at base + offset."""

    name: str
    setup: bytes
    base: int
    offset: int


def _by_number(address: int, offset: int) -> Way:
    return Way("number", lddw(3, address - offset), 3, offset)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an access goes, whether it is allowed, and a region's bytes before and after it, if it happens."""

    name: str
    address: int
    inside: bool
    region: Region = Region.CALLDATA
    held: bytes = b""
    held_after: bytes = b""


def _case(access: Access, place: Place, way: Way) -> Case:
    """r2 = VALUE, r0 = 0, then the access; then r0 = FINISHED."""
    code = lddw(2, VALUE) + mov(0, 0) + way.setup
    pc = len(code) // 8
    code += access.assemble(way.base, way.offset) + mov(0, FINISHED) + EXIT
    ending, held_after = _ending(access, place, pc)
    name = f"{access.kind} {access.size} at {place.name} by {way.name}"
    match place.region:
        case Region.READ_ONLY:
            return Case(name, code, b"", ending, b"", read_only=place.held)
        case Region.WRITABLE:
            return Case(name, code, b"", ending, b"", writable=place.held, writable_after=held_after)
        case _:
            return Case(name, code, place.held, ending, held_after)


def _ending(access: Access, place: Place, pc: int) -> tuple[int | Stop, bytes]:
    address = place.address % 2**64
    if not place.inside:
        return Stop(FaultKind.OUT_OF_BOUNDS, pc, address, access.size, access.writes), place.held
    if access.must_be_aligned and address % access.size:
        return Stop(FaultKind.UNALIGNED_ATOMIC, pc, address, access.size, access.writes), place.held
    return FINISHED, place.held_after


def _layout(region: Region, size: int) -> Layout:
    """A layout whose only flat region that is not empty is this one."""
    match region:
        case Region.READ_ONLY:
            return plan(read_only_size=size)
        case Region.WRITABLE:
            return plan(writable_size=size)
        case _:
            return plan(calldata_size=size)


def _flat(region: Region, size: int) -> Iterator[Case]:
    """Offsets -9 .. size + 1 from the first byte of a region of this size, through r1 and through a number."""
    held = CONTENTS[:size]
    low = _layout(region, size).span(region).low
    for access in PLAIN + ATOMIC if size == len(CONTENTS) else SOME:
        for offset in range(-9, size + 2):
            end = offset + access.size
            inside = offset >= 0 and end <= size and not (region is Region.READ_ONLY and access.writes)
            held_after = held[:offset] + access.new(held[offset:end]) + held[end:] if inside else held
            place = Place(f"{offset} of {size} bytes of {region.value}", low + offset, inside, region, held, held_after)
            yield _case(access, place, _by_number(low + offset, 100))
            if region is Region.CALLDATA and held:
                yield _case(access, place, Way("copy of r1", mov_reg(3, 1), 3, offset))


def _frame() -> Iterator[Case]:
    """Both ends of the entry frame, through r10, a copy of it, and a number."""
    frame_top = plan().frame_top(0)
    for access in SOME:
        for offset in (*range(-FRAME - 9, -FRAME + 9), *range(-9, 3)):
            place = Place(f"r10{offset:+}", frame_top + offset, -FRAME <= offset <= -access.size)
            yield _case(access, place, Way("r10", b"", 10, offset))
            yield _case(access, place, Way("copy", mov_reg(3, 10) + alu_imm("add", 64, 3, offset + 5), 3, -5))
            yield _case(access, place, _by_number(frame_top + offset, -5))


def _elsewhere() -> Iterator[Case]:
    """Null, the gaps, frames that are not live, empty regions, and addresses that wrap or look native."""
    layout = plan(calldata_size=len(CONTENTS))
    for access in SOME:
        for address, offset in _wild_places(layout):
            place = Place(f"{address:#x}{offset:+}", address + offset, False, Region.CALLDATA, CONTENTS)
            yield _case(access, place, _by_number(address + offset, offset))


def _wild_places(layout: Layout) -> list[tuple[int, int]]:
    """(base address, offset); none of the sums is allowed."""
    bare = [
        *(0, 1, 7, 8, 4096, NULL_BYTES - 1),
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
    mem = CONTENTS[:16]
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
    **{f"bounds.calldata{size}": partial(_flat, Region.CALLDATA, size) for size in (0, 1, 3, 7, 8, 24)},
    **{f"bounds.writable{size}": partial(_flat, Region.WRITABLE, size) for size in (1, 9)},
    **{f"bounds.readonly{size}": partial(_flat, Region.READ_ONLY, size) for size in (1, 9)},
    "bounds.frame": _frame,
    "bounds.elsewhere": _elsewhere,
    "entry": _region_contents,
}
