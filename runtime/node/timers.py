"""One heap of deadlines for all objects of a node, and one timer of the event loop, for the earliest.

A deadline is cancelled by forgetting it: its entry stays in the heap, and is skipped when due. When most entries are
such, the heap is rebuilt, so that a guest that waits a day and is woken a thousand times a second costs one entry.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

_REBUILD_AT = 1024  # forgotten entries, at least


class Timed(Protocol):
    """What can have a deadline: `deadline` is the number of its only live entry, 0 if it has none."""

    deadline: int


TimedT = TypeVar("TimedT", bound=Timed)


class Timers(Generic[TimedT]):
    """See the module. `expired(item)` is called when an item's deadline has passed; it has none then."""

    def __init__(self, loop: asyncio.AbstractEventLoop, expired: Callable[[TimedT], None]) -> None:
        self._loop = loop
        self._expired = expired
        self._heap: list[tuple[float, int, TimedT]] = []
        self._serial = 0
        self._forgotten = 0
        self._handle: asyncio.TimerHandle | None = None
        self._armed_for = 0.0

    def __len__(self) -> int:
        """How many deadlines there are."""
        return len(self._heap) - self._forgotten

    def set(self, item: TimedT, seconds: float) -> None:
        """Let `item` expire in `seconds`; it must have no deadline."""
        when = self._loop.time() + seconds
        self._serial += 1
        item.deadline = self._serial
        heapq.heappush(self._heap, (when, self._serial, item))
        if self._handle is None or when < self._armed_for:
            self._arm()

    def forget(self, item: TimedT) -> None:
        """Let `item` not expire, if it was to."""
        if not item.deadline:
            return
        item.deadline = 0
        self._forgotten += 1
        if self._forgotten > _REBUILD_AT and self._forgotten > len(self._heap) // 2:
            self._heap = [entry for entry in self._heap if entry[2].deadline == entry[1]]
            heapq.heapify(self._heap)
            self._forgotten = 0

    def close(self) -> None:
        """Let nothing expire any more."""
        self._heap.clear()
        self._forgotten = 0
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _arm(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
        heap = self._heap
        while heap and heap[0][2].deadline != heap[0][1]:
            heapq.heappop(heap)
            self._forgotten -= 1
        if heap:
            self._armed_for = heap[0][0]
            self._handle = self._loop.call_at(self._armed_for, self._due)

    def _due(self) -> None:
        self._handle = None
        heap, now = self._heap, self._loop.time()
        try:
            while heap and heap[0][0] <= now:
                _, serial, item = heapq.heappop(heap)
                if item.deadline != serial:
                    self._forgotten -= 1
                    continue
                item.deadline = 0
                self._expired(item)
        finally:
            self._arm()
