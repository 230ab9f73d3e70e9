"""Judges inputs in forked processes, so that an input that ends the process is named and the others go on.

A worker sends one record per input, in order: if it dies, the input that it died of is the next one. Its limit on
processor time is a timer of the kernel (ITIMER_PROF) whose signal ends the process, also within native code.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait

from differential.hostile.inputs import Given, draw
from differential.hostile.judge import Judged, cpu_limit, judge
from differential.workers import FORK, Died, alone, be_quiet, death
from runtime import Host

PART = 500  # inputs that a worker judges before another takes over
Judge = Callable[[Given, Host], Judged]
Record = tuple[int, str, int, Judged]  # index, kind, bytes, what became of it


def _work(connection: Connection, seed: int, first: int, count: int, judging: Judge) -> None:
    be_quiet()
    host = Host()
    for index in range(first, first + count):
        given = draw(seed, index)
        signal.setitimer(signal.ITIMER_PROF, cpu_limit(len(given.data)))
        connection.send((index, given.kind, len(given.data), judging(given, host)))
    connection.close()


def judged(seed: int, first: int, count: int, jobs: int, judging: Judge = judge) -> Iterator[Record]:
    """A record for each input from `first` on, in no order; `judging` is another function only in tests."""
    waiting = [(at, min(PART, first + count - at)) for at in range(first, first + count, PART)]
    waiting.reverse()
    running: dict[Connection, _Worker] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                worker = _Worker(seed, *waiting.pop(), judging)
                running[worker.connection] = worker
            for ready in wait(list(running)):
                assert isinstance(ready, Connection)
                worker = running[ready]
                try:
                    record: Record = ready.recv()
                    worker.next = record[0] + 1
                    yield record
                except EOFError:
                    del running[ready]
                    died = worker.ended()
                    if worker.next < worker.end or worker.process.exitcode != 0:  # or it died as it ended
                        at = min(worker.next, worker.end - 1)
                        given = draw(seed, at)
                        yield at, given.kind, len(given.data), _dead(died)
                        if at + 1 < worker.end:
                            waiting.append((at + 1, worker.end - at - 1))
    finally:
        for worker in running.values():
            worker.process.kill()
            worker.process.join()


def judged_alone(given: Given, judging: Judge = judge) -> Judged:
    """`given` in a process of its own."""
    found = alone(lambda: judging(given, Host()), cpu_limit(len(given.data)))
    return _dead(found.how) if isinstance(found, Died) else found


def _dead(how: str) -> Judged:
    return Judged("(died)", how, "", 0.0, 0, 0)


class _Worker:
    """A process, and which input it is at."""

    def __init__(self, seed: int, first: int, count: int, judging: Judge) -> None:
        self.connection, theirs = FORK.Pipe(duplex=False)
        self.next, self.end = first, first + count
        self.process = FORK.Process(target=_work, args=(theirs, seed, first, count, judging))
        self.process.start()
        theirs.close()

    def ended(self) -> str:
        """How it ended."""
        self.connection.close()
        self.process.join()
        return death(self.process.exitcode)
