"""One function on many tasks in forked processes, results as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from typing import Any, Protocol, TypeVar

Task = TypeVar("Task")
Made = TypeVar("Made")


class Gathered(Protocol):
    """What comes of a campaign, and of each of its parts. Each of `mismatches` has an `index`."""

    mismatches: list[Any]

    def add(self, part: Any) -> None: ...  # noqa: ANN401 - one of the same class


Sum = TypeVar("Sum", bound=Gathered)


def gather(
    result: Sum,
    work: Callable[[Task], Sum],
    parts: Sequence[Task],
    jobs: int,
    progress: Callable[[Sum], None],
    most: int,
) -> Sum:
    """`result` with what came of all parts; `progress` is told of each. Ends early after `most` mismatches."""
    for part in in_processes(work, parts, jobs):
        result.add(part)
        progress(result)
        if len(result.mismatches) >= most:
            break
    result.mismatches.sort(key=lambda found: found.index)
    return result


def in_processes(work: Callable[[Task], Made], tasks: Sequence[Task], jobs: int) -> Iterator[Made]:
    """The results, in any order; here, if one process is enough. What `work` raises is raised here."""
    if jobs == 1 or len(tasks) == 1:
        yield from map(work, tasks)
        return
    with ProcessPoolExecutor(jobs, get_context("fork")) as pool:
        running: set[Future[Made]] = {pool.submit(work, task) for task in tasks}
        try:
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            for future in running:
                future.cancel()
