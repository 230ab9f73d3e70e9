"""Guest memory as the reference semantics sees it: what a load returns, and which access is allowed.

Decides: `access_check`, the predicate `jit.layout.may_access` over words, one comparison per region. The ranges come
from the layout's own functions; only the comparisons are written again, because `jit` works on ints and must not
know of words. Tests compare the two around every boundary.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from jit.layout import Layout, Region, Span, flat_regions
from simulator.words import W, Words


class Memory(Protocol[W]):
    """Bytes at guest addresses, little-endian. Asked only for accesses that `access_check` allows."""

    def load(self, address: W, size: int) -> W:
        """The `size` bytes at `address`, zero-extended to 64 bits."""
        ...

    def store(self, address: W, size: int, value: W) -> None:
        """Put the low `size` bytes of the 64-bit `value` at `address`."""
        ...


def access_check(words: Words[W], layout: Layout, size: int, write: bool) -> Callable[[W, W], bool]:
    """(r10, address) -> whether guest code may load (or store) `size` bytes at `address`. Needs size <= 8."""
    flat = [_in_span(words, layout.span(region), size) for region in flat_regions(write)]
    in_live_frame = _in_live_frame(words, layout, size)

    def allowed(frame_top: W, address: W) -> bool:
        return in_live_frame(frame_top, address) or any(inside(address) for inside in flat)

    return allowed


def _in_span(words: Words[W], span: Span, size: int) -> Callable[[W], bool]:
    if size > span.size:
        return lambda address: False
    low, starts = words.constant(64, span.low), words.constant(64, span.size - size + 1)
    # an address below `low` wraps to a distance larger than any span
    return lambda address: bool(words.unsigned_less(64, words.sub(64, address, low), starts))


def _in_live_frame(words: Words[W], layout: Layout, size: int) -> Callable[[W, W], bool]:
    low = words.constant(64, layout.stack_low)
    within_stride = words.constant(64, layout.frame_stride - 1)
    starts = words.constant(64, layout.frame_bytes - size + 1)

    def inside(frame_top: W, address: W) -> bool:
        distance = words.sub(64, address, low)
        if not words.unsigned_less(64, distance, words.sub(64, frame_top, low)):
            return False
        return bool(words.unsigned_less(64, words.bit_and(64, distance, within_stride), starts))

    return inside


class ByteMemory:
    """`Memory[int]` of one guest: zeros, except for the initial contents given."""

    def __init__(self, layout: Layout, read_only: bytes = b"", writable: bytes = b"", calldata: bytes = b"") -> None:
        """Contents may be shorter than their region."""
        contents = {Region.READ_ONLY: read_only, Region.WRITABLE: writable, Region.CALLDATA: calldata}
        self.regions: dict[Region, bytearray] = {}
        self._spans: list[tuple[int, int, bytearray]] = []  # low, end, bytes
        for region in (Region.STACK, Region.WRITABLE, Region.CALLDATA, Region.READ_ONLY):
            span = layout.span(region)
            initial = contents.get(region, b"")
            assert len(initial) <= span.size, f"{len(initial)} bytes for {region.value} of {span.size}"
            held = bytearray(initial) + bytearray(span.size - len(initial))
            self.regions[region] = held
            self._spans.append((span.low, span.low + span.size, held))

    def load(self, address: int, size: int) -> int:
        for low, end, held in self._spans:
            if low <= address < end:
                start = address - low
                return int.from_bytes(held[start : start + size], "little")
        raise AssertionError(f"load of {size} bytes at {address:#x} was not checked")

    def store(self, address: int, size: int, value: int) -> None:
        for low, end, held in self._spans:
            if low <= address < end:
                start = address - low
                held[start : start + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
                return
        raise AssertionError(f"store of {size} bytes at {address:#x} was not checked")
