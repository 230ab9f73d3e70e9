"""One function on many tasks in forked processes, results as they come; a process that ends is its task's result.

A process has one task at a time, so that the task is known that it ended on. It may spend so much processor time on one
task; then the kernel ends it (ITIMER_PROF), in native code too.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

FORK = get_context("fork")
CPU_SECONDS = 120.0  # for a task that takes some seconds, or for 100 guests of a soak; on a much slower machine, too

Task = TypeVar("Task")
Made = TypeVar("Made")


class Died(NamedTuple):
    """What a task came to whose process ended on it, or that raised something: `how`, in words."""

    how: str


def in_processes(
    work: Callable[[Task], Made], tasks: Sequence[Task], jobs: int, cpu_seconds: float = CPU_SECONDS
) -> Iterator[tuple[Task, Made | Died]]:
    """Each task and its result, in any order."""
    waiting = deque(tasks)
    running: dict[Connection, _Worker[Task, Made]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                worker = _Worker(work, waiting.popleft(), cpu_seconds)
                running[worker.connection] = worker
            for ready in wait(list(running)):
                assert isinstance(ready, Connection)
                worker = running[ready]
                made = worker.result()
                yield worker.task, made
                if isinstance(made, Died) or not waiting:
                    del running[ready]
                    worker.end()
                else:
                    worker.give(waiting.popleft())
    finally:
        for worker in running.values():
            worker.end()


class _Worker(Generic[Task, Made]):
    """A process, and the task that it is at."""

    def __init__(self, work: Callable[[Task], Made], task: Task, cpu_seconds: float) -> None:
        self.connection, theirs = FORK.Pipe()
        self._process = FORK.Process(target=_work, args=(theirs, work, cpu_seconds))
        self._process.start()
        theirs.close()
        self.give(task)

    def give(self, task: Task) -> None:
        self.task = task
        with suppress(BrokenPipeError, ConnectionResetError):  # it is dead already, which `result` finds out
            self.connection.send(task)

    def result(self) -> Made | Died:
        """What the task came to."""
        try:
            made: Made | Died = self.connection.recv()
        except (EOFError, ConnectionResetError):
            self._process.join()
            return Died(death(self._process.exitcode))
        return made

    def end(self) -> None:
        self.connection.close()
        self._process.kill()
        self._process.join()


def _work(connection: Connection, work: Callable[[Any], object], cpu_seconds: float) -> None:
    be_quiet()
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
        connection.send(attempt(lambda: work(task)))  # noqa: B023 - called at once


def attempt(work: Callable[[], Made]) -> Made | Died:
    """What `work` returns, or raises."""
    try:
        return work()
    except Exception as error:  # whatever it is, the task is named that shows it
        return Died(f"{type(error).__name__} was raised: {error}")


def alone(work: Callable[[], Made], cpu_seconds: float = CPU_SECONDS) -> Made | Died:
    """What `work` returns in a process of its own; so it need not be pickled, only what it returns."""
    ((_, made),) = in_processes(lambda _: work(), [None], 1, cpu_seconds)
    return made


def be_quiet() -> None:
    """What a dying process says is not the report; and who interrupts the campaign ends its workers as well."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    faulthandler.disable()


def death(code: int | None) -> str:
    """Of a process with this exit code, in words."""
    if code == -signal.SIGPROF:
        return "too much processor time"
    if code is not None and code < 0:
        return f"the process died of {signal.Signals(-code).name}"
    return f"the process ended with status {code}"


# ---------------------------------------------------------------- parts of a campaign


class Part(Protocol):
    """Things [first, first + count) of a campaign: a frozen dataclass."""

    @property
    def first(self) -> int: ...

    @property
    def count(self) -> int: ...


class Gathered(Protocol):
    """What comes of a campaign, and of each of its parts. Each of `mismatches` has an `index`."""

    mismatches: list[Any]

    def add(self, part: Any) -> None: ...  # noqa: ANN401 - one of the same class


APart = TypeVar("APart", bound=Part)
Sum = TypeVar("Sum", bound=Gathered)


def gather(
    result: Sum,
    work: Callable[[APart], Sum],
    lost: Callable[[APart, str], Sum],
    parts: Sequence[APart],
    jobs: int,
    progress: Callable[[Sum], None],
    most: int,
) -> Sum:
    """`result` with what came of all parts; `progress` is told of each. Ends early after `most` mismatches.

    `lost(part, how)` is the mismatch of a part whose process ended: of a single thing, if that does it alone.
    """
    for part, made in in_processes(work, parts, jobs):
        for found in _apart(work, lost, part, made.how) if isinstance(made, Died) else (made,):
            result.add(found)
            progress(result)
            if len(result.mismatches) >= most:
                break
        if len(result.mismatches) >= most:
            break
    result.mismatches.sort(key=lambda found: found.index)
    return result


def _apart(work: Callable[[APart], Sum], lost: Callable[[APart, str], Sum], part: APart, how: str) -> Iterator[Sum]:
    """What comes of a part whose process ended, half by half."""
    if part.count == 1:
        yield lost(part, how)
        return
    died = False
    for half in halves(part):
        ((_, made),) = in_processes(work, [half], 1)
        if isinstance(made, Died):
            died = True
            yield from _apart(work, lost, half, made.how)
        else:
            yield made
    if not died:  # only all of it does that, one after the other
        yield lost(part, how)


def halves(part: APart) -> tuple[APart, APart]:
    """The same in two parts."""
    size = part.count // 2
    first = replace(part, count=size)  # type: ignore[type-var]
    second = replace(part, first=part.first + size, count=part.count - size)  # type: ignore[type-var]
    return first, second
