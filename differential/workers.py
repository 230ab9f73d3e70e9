"""One function on many tasks in forked processes, results as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from typing import TypeVar

Task = TypeVar("Task")
Made = TypeVar("Made")


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
