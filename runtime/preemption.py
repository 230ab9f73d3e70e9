"""The watcher: a thread that ends the slice of a guest that runs on without polls running out.

Guest code looks at the fuel word in its context at every poll and leaves when it is negative, which is what the watcher
makes it when the slice is over. It repeats that until the guest has left, since code with counted polls may overwrite
a store that falls into its decrement. While no guest is armed the thread sleeps.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

_REPEAT_SECONDS = 0.0002
_LINGER_SECONDS = 0.001  # the watcher stays awake between the slices of a guest that runs on: waking it costs 50 us
_LINGERS = 20
_NEVER = float("inf")


class Watcher:
    """Calls `expire` of every armed guest whose deadline has passed, again and again until it is disarmed."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._armed: dict[int, tuple[float, Callable[[], None]]] = {}
        self._next_token = 0
        self._wakes_at = _NEVER  # when the thread will look again, by time.monotonic()
        self._thread: threading.Thread | None = None

    def arm(self, seconds: float, expire: Callable[[], None]) -> int:
        """After `seconds`, call `expire` until `disarm` is called with the returned token."""
        deadline = time.monotonic() + seconds
        with self._changed:
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="guest watcher", daemon=True)
                self._thread.start()
            token = self._next_token = self._next_token + 1
            self._armed[token] = (deadline, expire)
            if deadline < self._wakes_at:
                self._changed.notify()
        return token

    def disarm(self, token: int) -> None:
        """`expire` is not running and will not be called any more when this returns."""
        with self._changed:
            del self._armed[token]

    def _watch(self) -> None:
        idle = 0
        with self._changed:
            while True:
                now = time.monotonic()
                self._wakes_at = self._expire_due(now)
                idle = 0 if self._armed else idle + 1
                if self._wakes_at == _NEVER and idle <= _LINGERS:
                    self._wakes_at = now + _LINGER_SECONDS
                self._changed.wait(None if self._wakes_at == _NEVER else max(self._wakes_at - now, 0))

    def _expire_due(self, now: float) -> float:
        """Expire guests whose time is up; the earliest deadline that is still to come."""
        for token, (deadline, expire) in self._armed.items():
            if deadline <= now:
                expire()
                self._armed[token] = (now + _REPEAT_SECONDS, expire)
        return min((deadline for deadline, _ in self._armed.values()), default=_NEVER)
