"""Runs tasks in forked processes, at most `jobs` at a time, one process per task.

A process of its own costs milliseconds and makes three things simple: a task may replace modules (mutants), what it
holds in the solver is gone when it ends, and its crash is its own. A task that dies or exceeds the limit yields a
`Lost`, never a hang. Fork, because theorems are closures, which cannot be sent.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Any, Generic, TypeVar

T = TypeVar("T")

Say = Callable[[Any], None]  # what a task sends while it runs
Task = Callable[[Say], T]

_WAIT_S = 0.5


@dataclass(frozen=True, slots=True)
class News:
    """What a running task said."""

    value: Any


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """What a task returned."""

    value: T


@dataclass(frozen=True, slots=True)
class Lost:
    """The task's process ended without a result, and why."""

    reason: str


def forked(tasks: Sequence[Task[T]], jobs: int, limit_s: float) -> Iterator[tuple[int, News | Done[T] | Lost]]:
    """What the tasks say and return, each with its task's index, as it comes; exactly one Done or Lost per task."""
    context = get_context("fork")
    waiting = deque(range(len(tasks)))
    running: dict[Connection, tuple[int, ForkProcess, float]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                index = waiting.popleft()
                ours, theirs = context.Pipe(duplex=False)
                process = context.Process(target=_work, args=(tasks[index], theirs), daemon=True)
                process.start()
                theirs.close()  # so that the end of the process is the end of the pipe
                running[ours] = index, process, time.monotonic() + limit_s
            for ready in wait(list(running), _WAIT_S):
                assert isinstance(ready, Connection)
                index, process, _ = running[ready]
                try:
                    said: News | Done[T] | Lost = ready.recv()
                except (EOFError, OSError):
                    process.join()
                    said = Lost(f"its process ended with status {process.exitcode}")
                if not isinstance(said, News):
                    _end(ready, running)
                yield index, said
            for late in [c for c, (_, _, deadline) in running.items() if time.monotonic() > deadline]:
                index = running[late][0]
                _end(late, running)
                yield index, Lost(f"it took more than {limit_s:.0f} s")
    finally:
        for connection in list(running):
            _end(connection, running)


def _end(connection: Connection, running: dict[Connection, tuple[int, ForkProcess, float]]) -> None:
    _, process, _ = running.pop(connection)
    connection.close()
    process.kill()  # it has nothing left to do: its result is here, or it is given up
    process.join()


def _work(task: Task[Any], connection: Connection) -> None:
    try:
        result = Done(task(lambda value: connection.send(News(value))))
    except MemoryError:
        connection.send(Lost("out of memory"))
    except Exception as exception:
        connection.send(Lost(f"{type(exception).__name__}: {exception}"))
    else:
        connection.send(result)
