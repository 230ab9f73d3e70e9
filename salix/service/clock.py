"""What time it is. Everything in Salix that depends on time asks one of these, and nothing else."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Milliseconds since 1970."""

    def now_ms(self) -> int: ...


class SystemClock:
    """The machine's wall clock: what is compared with it was written by another process, perhaps days ago."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000


class ManualClock:
    """A clock that stands still until it is told."""

    def __init__(self, now_ms: int = 1_800_000_000_000) -> None:
        self._now_ms = now_ms

    def now_ms(self) -> int:
        return self._now_ms

    def advance(self, *, minutes: float = 0, seconds: float = 0) -> None:
        self._now_ms += round((minutes * 60 + seconds) * 1000)
