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
        if not length:
            return b""
        owner = self._guest()
        _check(owner, pointer, length, False)
        return bytes(owner.slot_memory[pointer : pointer + length])

    def write(self, pointer: int, content: bytes | memoryview) -> None:
        """Put `content` at `pointer`. Raises GuestPointerFault, and then nothing is written."""
        if content:
            owner = self._guest()
            _check(owner, pointer, len(content), True)
            owner.slot_memory[pointer : pointer + len(content)] = content

    def check_writable(self, pointer: int, length: int) -> None:
        """Raise GuestPointerFault unless all of [pointer, pointer + length) can be written: before doing the work."""
        if length:
            _check(self._guest(), pointer, length, True)

    def read_text(self, pointer: int, limit: int = 4096) -> bytes:
        """The bytes before the first NUL, at most `limit`. Raises GuestPointerFault if the region ends before it."""
        owner = self._guest()
        span = _check(owner, pointer, 1, False)
        available = min(span.low + span.size - pointer, limit)
        found = bytes(owner.slot_memory[pointer : pointer + available])
        end = found.find(0)
        if end >= 0:
            return found[:end]
        if available < limit:
            raise _fault(owner, pointer, available + 1, False)
        return found


def _check(owner: Owner, pointer: int, length: int, write: bool) -> Span:
    """What holds the range, which is not empty. Raises GuestPointerFault."""
    span = host_span(owner.layout, owner.frame_top, pointer, length, write) if length > 0 else None
    if span is None:
        raise _fault(owner, pointer, length, write)
    return span


def _fault(owner: Owner, pointer: int, length: int, write: bool) -> GuestPointerFault:
    return GuestPointerFault(pointer, length, write, host_spans(owner.layout, owner.frame_top, write))
