"""An event loop whose clock jumps: where it would wait for a timer, the time has come at once.

Everything in a test's process that asks the loop for the time then waits for hours in no time, and in order. Other
processes and threads would not be waited for.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any


class JumpingLoop(asyncio.SelectorEventLoop):
    """`time()` is the seconds that were waited for."""

    def __init__(self) -> None:
        super().__init__(_Selector(self))
        self.waited = 0.0

    def time(self) -> float:
        return self.waited


class _Selector(selectors.DefaultSelector):
    def __init__(self, loop: JumpingLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout is not None and timeout > 0:
            self._loop.waited += timeout
        elif not ready and timeout is None:
            return super().select(None)
        return ready


def run_jumping(main: Coroutine[Any, Any, None]) -> None:
    """`asyncio.run` on a `JumpingLoop`."""
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        runner.run(main)
