"""The pointer cage: one slot of address space per guest, with randomised guard gaps between slots.

    ... gap | context | null page | regions, stack, calldata | clamp room | gap ...
              r/w       no access   r/w                        no access

Decides where slots lie and recycles them: a slot that is returned gives its pages back to the kernel, so its next
tenant sees zeros. Trusts the kernel. Trusted by guests for exclusive ownership of [reserved_low, reserved_high).
"""

from __future__ import annotations

import random
import threading
from collections import deque
from dataclasses import dataclass

from jit.layout import CLAMP_ROOM, NULL_BYTES, PAGE, Layout, aligned
from runtime.kernel import NO_ACCESS, READ_WRITE, Reservation
from runtime.residency import resident_bytes

_CHUNK_BYTES = 64 << 30  # address space costs nothing; one reservation holds tens of thousands of Loop slots
_GAP_PAGES = (16, 256)  # bounds of the random guard gap, in pages

_SlotClass = tuple[int, int]  # context bytes, slot bytes


@dataclass(slots=True)
class Slot:
    """The memory of one guest. Offsets into `reservation` unless they are called addresses."""

    reservation: Reservation
    reserved: int  # first byte of the slot: where the context starts
    base: int  # offset of guest address 0
    context_bytes: int
    slot_bytes: int
    mapped: int  # guest addresses [NULL_BYTES, mapped) are accessible
    memory: memoryview  # guest address a is memory[a]; touch only what the layout maps
    context: memoryview  # the context page

    @property
    def address(self) -> int:
        """The native address of guest address 0."""
        return self.reservation.address + self.base

    @property
    def reserved_low(self) -> int:
        """The native address of the slot's first byte."""
        return self.reservation.address + self.reserved

    @property
    def reserved_high(self) -> int:
        """The native address one past the slot's last byte."""
        return self.address + self.slot_bytes + CLAMP_ROOM

    def resident_bytes(self) -> int | None:
        """What it really takes: the pages that were touched. None where the kernel does not tell."""
        context = resident_bytes(self.reserved_low, self.context_bytes)
        rest = resident_bytes(self.address + NULL_BYTES, self.mapped - NULL_BYTES)
        return None if context is None or rest is None else context + rest


def mapped_end(layout: Layout) -> int:
    """The guest address one past the last page that holds anything."""
    return aligned(layout.calldata.low + max(layout.calldata.size, 0), PAGE)


class Cage:
    """All slots of a process. Thread-safe."""

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed) if seed is not None else random.SystemRandom()
        self._lock = threading.Lock()
        self._chunk: Reservation | None = None
        self._next = 0  # offset into the chunk of the first byte never handed out
        self._free: dict[_SlotClass, deque[Slot]] = {}
        self._carved = 0

    def take(self, layout: Layout) -> Slot:
        """A slot for `layout`, all zeros. Raises MemoryUnavailable."""
        slot = self._recycle((layout.context_bytes, layout.slot_bytes))
        if slot is None:
            with self._lock:
                slot = self._carve(layout)
        try:
            fit(slot, layout)
        except BaseException:
            self.give_back(slot)
            raise
        return slot

    def give_back(self, slot: Slot) -> None:
        """Return a slot. Its memory is gone when this returns; the caller must not touch it again."""
        slot.reservation.forget(slot.reserved, slot.context_bytes)
        slot.reservation.forget(slot.base + NULL_BYTES, max(slot.mapped - NULL_BYTES, 0))
        # A finalizer may run this while its own thread carves: so no lock, and only operations that are atomic.
        self._free.setdefault((slot.context_bytes, slot.slot_bytes), deque()).append(slot)

    def _recycle(self, slot_class: _SlotClass) -> Slot | None:
        try:
            return self._free[slot_class].pop()
        except (KeyError, IndexError):
            return None

    @property
    def in_use(self) -> int:
        """How many slots are out."""
        return self._carved - sum(len(slots) for slots in list(self._free.values()))

    def _carve(self, layout: Layout) -> Slot:
        gap = self._random.randrange(*_GAP_PAGES) * PAGE
        needed = gap + layout.context_bytes + layout.slot_bytes + CLAMP_ROOM
        if self._chunk is None or self._next + needed > self._chunk.size:
            self._chunk, self._next = Reservation(max(_CHUNK_BYTES, needed + PAGE)), 0
        chunk = self._chunk
        reserved = self._next + gap
        base = reserved + layout.context_bytes
        chunk.protect(reserved, layout.context_bytes, READ_WRITE)
        self._next += needed
        self._carved += 1
        return Slot(
            reservation=chunk,
            reserved=reserved,
            base=base,
            context_bytes=layout.context_bytes,
            slot_bytes=layout.slot_bytes,
            mapped=NULL_BYTES,
            memory=chunk.view[base : base + layout.slot_bytes],
            context=chunk.view[reserved:base],
        )


def fit(slot: Slot, layout: Layout) -> None:
    """Make exactly the bytes that `layout` uses accessible; the layout must be of the slot's size class."""
    end = mapped_end(layout)
    if end > slot.mapped:
        slot.reservation.protect(slot.base + slot.mapped, end - slot.mapped, READ_WRITE)
    elif end < slot.mapped:
        slot.reservation.forget(slot.base + end, slot.mapped - end)
        slot.reservation.protect(slot.base + end, slot.mapped - end, NO_ACCESS)
    slot.mapped = end
