"""A process that ends is its task's result, the others go on; parts of a campaign are narrowed down to what did it."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, field

import pytest

from differential.workers import Died, alone, gather, halves, in_processes

CRASHING, RAISING, LEAVING, SPINNING = 3, 5, 8, 9


def work(task: int) -> int:
    if task == CRASHING:
        os.kill(os.getpid(), signal.SIGSEGV)
    if task == RAISING:
        raise KeyError("five")
    if task == LEAVING:
        os._exit(7)
    while task == SPINNING:
        pass
    return task * task


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_process_that_ends_is_the_result_of_its_task(jobs: int) -> None:
    made = dict(in_processes(work, range(12), jobs, cpu_seconds=0.3))
    expected: dict[int, int | Died] = {task: task * task for task in range(12)}
    expected[CRASHING] = Died("the process died of SIGSEGV")
    expected[RAISING] = Died("KeyError was raised: 'five'")
    expected[LEAVING] = Died("the process ended with status 7")
    expected[SPINNING] = Died("too much processor time")
    assert made == expected


def test_alone_is_a_process_of_its_own() -> None:
    assert alone(os.getpid) != os.getpid()
    assert alone(os.abort) == Died("the process died of SIGABRT")


def test_processes_end_with_whoever_asked_for_them() -> None:
    results = in_processes(lambda _: os.getpid(), range(100), 2)
    _, pid = next(results)
    results.close()  # type: ignore[attr-defined]
    assert isinstance(pid, int)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


# ---------------------------------------------------------------- parts


@dataclass(frozen=True)
class Numbers:
    first: int
    count: int


@dataclass
class Found:
    numbers: list[int] = field(default_factory=list)
    mismatches: list[Bad] = field(default_factory=list)

    def add(self, other: Found) -> None:
        self.numbers += other.numbers
        self.mismatches += other.mismatches


@dataclass(frozen=True)
class Bad:
    index: int
    count: int
    how: str


def lost(part: Numbers, how: str) -> Found:
    return Found(mismatches=[Bad(part.first, part.count, how)])


def count(part: Numbers) -> Found:
    return Found([work(number) for number in range(part.first, part.first + part.count)])


def count_up(part: Numbers) -> Found:
    """Ends its process in the second part, if that is not taken apart."""
    if part == Numbers(16, 16):
        os.abort()
    return Found(list(range(part.first, part.first + part.count)))


def all_of(function: object, most: int = 99) -> Found:
    parts = [Numbers(0, 9), Numbers(10, 30)] if function is count else [Numbers(0, 16), Numbers(16, 16)]
    return gather(Found(), function, lost, parts, 1, lambda _: None, most)  # type: ignore[arg-type]


def test_what_ended_a_process_is_found_and_everything_else_is_counted() -> None:
    found = all_of(count)
    assert sorted(found.numbers) == [k * k for k in [*range(9), *range(10, 40)] if k not in (3, 5, 8)]
    hows = ["the process died of SIGSEGV", "KeyError was raised: 'five'", "the process ended with status 7"]
    assert found.mismatches == [Bad(k, 1, how) for k, how in zip((3, 5, 8), hows, strict=True)]
    assert len(all_of(count, most=2).mismatches) == 2


def test_what_only_happens_to_all_of_a_part_is_not_forgotten() -> None:
    found = all_of(count_up)
    assert found.mismatches == [Bad(16, 16, "the process died of SIGABRT")]
    assert sorted(found.numbers) == list(range(32))


def test_halves_have_everything_once() -> None:
    assert halves(Numbers(10, 5)) == (Numbers(10, 2), Numbers(12, 3))
