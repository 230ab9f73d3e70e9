"""Which parts of a fixed range are free: first fit, with neighbours merged when parts come back.

Parts come back from finalizers, which the garbage collector may run in the middle of anything, also in a thread that
is just taking something. `Returns` is the lock that copes with that.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import deque


class Extents:
    """Free parts of [0, size). Offsets and sizes are in whatever unit the owner counts."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._starts = [0]
        self._sizes = [size]

    def take(self, size: int) -> int | None:
        """The offset of `size` units that are now in use, or None."""
        for i, available in enumerate(self._sizes):
            if available < size:
                continue
            start = self._starts[i]
            if available == size:
                del self._starts[i], self._sizes[i]
            else:
                self._starts[i] += size
                self._sizes[i] -= size
            return start
        return None

    def give_back(self, start: int, size: int) -> None:
        """Make [start, start + size) free again."""
        i = bisect_left(self._starts, start)
        joins_next = i < len(self._starts) and start + size == self._starts[i]
        joins_previous = i > 0 and self._starts[i - 1] + self._sizes[i - 1] == start
        if joins_previous and joins_next:
            self._sizes[i - 1] += size + self._sizes[i]
            del self._starts[i], self._sizes[i]
        elif joins_previous:
            self._sizes[i - 1] += size
        elif joins_next:
            self._starts[i] = start
            self._sizes[i] += size
        else:
            self._starts.insert(i, start)
            self._sizes.insert(i, size)

    def used(self) -> int:
        """How many units are in use."""
        return self.size - sum(self._sizes)


class Returns:
    """Serialises taking from extents and giving back to them; giving back never waits, so finalizers may do it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[tuple[Extents, int, int]] = deque()

    def take(self, extents: Extents, size: int) -> int | None:
        """`extents.take(size)`, after everything that was given back."""
        with self._lock:
            self._settle()
            return extents.take(size)

    def give_back(self, extents: Extents, start: int, size: int) -> None:
        """`extents.give_back(start, size)`, now or, if somebody is taking something, before the next `take`."""
        self._waiting.append((extents, start, size))
        if self._lock.acquire(blocking=False):
            try:
                self._settle()
            finally:
                self._lock.release()

    def _settle(self) -> None:
        while self._waiting:
            extents, start, size = self._waiting.popleft()
            extents.give_back(start, size)
