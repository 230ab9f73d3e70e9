"""Who runs next: objects that were woken first, objects that spin one slice at a time between them.

The event loop calls `_turn`, which runs woken objects for about a millisecond, then at most one slice of one object
that has been preempted, then lets the loop look at its input. So an event waits for the turns of the objects woken
before its own, with one slice of a spinning object to each turn, however many objects spin; and a flood of events
does not keep spinning objects from running at all.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from time import perf_counter
from typing import Generic, Protocol, TypeVar

TURN_SECONDS = 0.001  # for woken objects, before the loop looks at its input


class Queued(Protocol):
    """What can be scheduled: `queued` says whether it is in one of the queues."""

    queued: bool


QueuedT = TypeVar("QueuedT", bound=Queued)


class Scheduler(Generic[QueuedT]):
    """See the module. `run(item)` is called for each item in its turn."""

    def __init__(self, loop: asyncio.AbstractEventLoop, run: Callable[[QueuedT], None]) -> None:
        self._loop, self._run = loop, run
        self._woken: deque[QueuedT] = deque()
        self._spinning: deque[QueuedT] = deque()
        self._scheduled = False
        self._closed = False

    def wake(self, item: QueuedT) -> None:
        """Run `item` soon: something happened that it waited for."""
        item.queued = True
        self._woken.append(item)
        if not self._scheduled:
            self._schedule()

    def requeue(self, item: QueuedT, first: bool = False) -> None:
        """Run `item` when those that were woken have had their turn: it used up its slice. `first`: before its like."""
        item.queued = True
        if first:
            self._spinning.appendleft(item)
        else:
            self._spinning.append(item)
        if not self._scheduled:
            self._schedule()

    @property
    def waiting_to_run(self) -> int:
        """How many items are queued."""
        return len(self._woken) + len(self._spinning)

    def close(self) -> None:
        """Run nothing any more."""
        self._closed = True
        self._woken.clear()
        self._spinning.clear()

    def _schedule(self) -> None:
        if not self._closed:
            self._scheduled = True
            self._loop.call_soon(self._turn)

    def _turn(self) -> None:
        self._scheduled = False
        if self._closed:
            return
        woken, spinning = self._woken, self._spinning
        try:
            end = perf_counter() + TURN_SECONDS
            while woken:
                item = woken.popleft()
                item.queued = False
                self._run(item)
                if perf_counter() >= end:
                    break
            if spinning:
                item = spinning.popleft()
                item.queued = False
                self._run(item)
        finally:
            if (woken or spinning) and not self._scheduled:
                self._schedule()
