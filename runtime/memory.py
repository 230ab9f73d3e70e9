"""A guest's memory as others may see it: helpers, through checks, and the reference semantics, after its own.

Every pointer that a helper gets is a number that untrusted code chose. `GuestMemory` turns it into bytes only if the
whole range lies inside one region, or one live stack frame, of that guest; writing needs write rights. A bad range
raises GuestPointerFault before anything is touched, and the runtime ends the guest with it.
"""

from __future__ import annotations

import weakref
from typing import Protocol

from jit.layout import Layout, Span, host_span, host_spans
from runtime.errors import GuestPointerFault, WrongState


class SlotMemory:
    """`simulator.memory.Memory` over the bytes of a slot."""

    __slots__ = ("_bytes",)

    def __init__(self, memory: memoryview) -> None:
        self._bytes = memory

    def load(self, address: int, size: int) -> int:
        return int.from_bytes(self._bytes[address : address + size], "little")

    def store(self, address: int, size: int, value: int) -> None:
        self._bytes[address : address + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")


class Owner(Protocol):
    """What `GuestMemory` has to know of its guest at the moment of an access."""

    @property
    def layout(self) -> Layout: ...

    @property
    def frame_top(self) -> int: ...

    @property
    def slot_memory(self) -> memoryview: ...

    @property
    def closed(self) -> bool: ...


class GuestMemory:
    """The memory accessor that helpers get. Pointers and lengths are unsigned; an empty range is always allowed.

    A negative length, as a helper may compute from what a guest gave it, is a bad range like any other.
    """

    __slots__ = ("_owner",)

    def __init__(self, owner: Owner) -> None:
        self._owner = weakref.ref(owner)  # a guest that nobody holds is closed at once, not by the collector

    def _guest(self) -> Owner:
        owner = self._owner()
        if owner is None or owner.closed:
            raise WrongState("the guest is closed, its memory is gone")
        return owner

    def read(self, pointer: int, length: int) -> bytes:
        """A copy of [pointer, pointer + length). Raises GuestPointerFault."""
        self._check(pointer, length, False)
        return bytes(self._guest().slot_memory[pointer : pointer + length]) if length else b""

    def write(self, pointer: int, content: bytes | memoryview) -> None:
        """Put `content` at `pointer`. Raises GuestPointerFault, and then nothing is written."""
        self._check(pointer, len(content), True)
        if content:
            self._guest().slot_memory[pointer : pointer + len(content)] = content

    def check_writable(self, pointer: int, length: int) -> None:
        """Raise GuestPointerFault unless all of [pointer, pointer + length) can be written: before doing the work."""
        self._check(pointer, length, True)

    def read_text(self, pointer: int, limit: int = 4096) -> bytes:
        """The bytes before the first NUL, at most `limit`. Raises GuestPointerFault if the region ends before it."""
        span = self._check(pointer, 1, False)
        assert span is not None
        available = min(span.low + span.size - pointer, limit)
        found = bytes(self._guest().slot_memory[pointer : pointer + available])
        end = found.find(0)
        if end >= 0:
            return found[:end]
        if available < limit:
            raise self._fault(pointer, available + 1, False)
        return found

    def _check(self, pointer: int, length: int, write: bool) -> Span | None:
        if length == 0:
            return None
        owner = self._guest()
        span = host_span(owner.layout, owner.frame_top, pointer, length, write) if length > 0 else None
        if span is None:
            raise self._fault(pointer, length, write)
        return span

    def _fault(self, pointer: int, length: int, write: bool) -> GuestPointerFault:
        owner = self._guest()
        return GuestPointerFault(pointer, length, write, host_spans(owner.layout, owner.frame_top, write))
