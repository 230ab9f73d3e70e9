"""The watcher: a thread that ends the slice of a guest that runs on without polls running out.

Guest code counts polls down in a register and refills it from the pool in its context; it leaves when the pool is
negative, which is what the watcher makes it when the slice is over. The refill is not locked, so a store can be lost
between its load and store; the watcher therefore repeats it until the guest has left. While no guest is armed the
thread sleeps.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

_REPEAT_SECONDS = 0.0002


class Watcher:
    """Calls `expire` of every armed guest whose deadline has passed, again and again until it is disarmed."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._armed: dict[int, tuple[float, Callable[[], None]]] = {}
        self._next_token = 0
        self._thread: threading.Thread | None = None

    def arm(self, seconds: float, expire: Callable[[], None]) -> int:
        """After `seconds`, call `expire` until `disarm` is called with the returned token."""
        with self._changed:
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="guest watcher", daemon=True)
                self._thread.start()
            token = self._next_token = self._next_token + 1
            self._armed[token] = (time.monotonic() + seconds, expire)
            self._changed.notify()
        return token

    def disarm(self, token: int) -> None:
        """`expire` is not running and will not be called any more when this returns."""
        with self._changed:
            del self._armed[token]

    def _watch(self) -> None:
        with self._changed:
            while True:
                if not self._armed:
                    self._changed.wait()
                    continue
                now = time.monotonic()
                for token, (deadline, expire) in self._armed.items():
                    if deadline <= now:
                        expire()
                        self._armed[token] = (now + _REPEAT_SECONDS, expire)
                earliest = min(deadline for deadline, _ in self._armed.values())
                self._changed.wait(max(earliest - now, 0))
