"""Whoever was woken waits for those woken before, and for one slice of a spinning object to each turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from runtime.node import scheduler as module
from runtime.node.scheduler import Scheduler


class Item:
    def __init__(self, name: str) -> None:
        self.name, self.queued = name, False


class Loop:
    """Calls what was scheduled when the test says so."""

    def __init__(self) -> None:
        self.soon: list[Callable[[], None]] = []

    def call_soon(self, callback: Callable[[], None]) -> None:
        self.soon.append(callback)

    def turn(self) -> None:
        soon, self.soon = self.soon, []
        for callback in soon:
            callback()


def made(
    spins: set[str], monkeypatch: pytest.MonkeyPatch, costs: float = 0.0
) -> tuple[Loop, Scheduler[Item], list[str]]:
    """A scheduler whose items named in `spins` never finish; each run takes `costs` seconds."""
    loop, ran, clock = Loop(), [], [0.0]
    stand_in: Any = loop

    def run(item: Item) -> None:
        ran.append(item.name)
        clock[0] += costs
        if item.name in spins:
            scheduler.requeue(item)

    monkeypatch.setattr(module, "perf_counter", lambda: clock[0])
    scheduler: Scheduler[Item] = Scheduler(stand_in, run)
    return loop, scheduler, ran


def test_all_that_were_woken_run_in_one_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, scheduler, ran = made(set(), monkeypatch)
    for name in "abc":
        scheduler.wake(Item(name))
    loop.turn()
    assert ran == ["a", "b", "c"]
    assert not loop.soon


def test_a_turn_ends_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, scheduler, ran = made(set(), monkeypatch, costs=module.TURN_SECONDS)
    for name in "abc":
        scheduler.wake(Item(name))
    for expected in (["a"], ["a", "b"], ["a", "b", "c"]):
        loop.turn()
        assert ran == expected
    assert not loop.soon


def test_an_item_that_was_woken_waits_for_one_slice_however_many_spin(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, scheduler, ran = made({f"s{n}" for n in range(100)}, monkeypatch)
    for n in range(100):
        scheduler.requeue(Item(f"s{n}"))
    for _ in range(7):
        loop.turn()
    ran.clear()
    scheduler.wake(Item("event"))
    loop.turn()
    assert ran[0] == "event"
    assert len(ran) == 2


def test_spinning_items_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, scheduler, ran = made({"s", "t"}, monkeypatch)
    scheduler.requeue(Item("s"))
    scheduler.requeue(Item("t"))
    for _ in range(4):
        loop.turn()
    assert ran == ["s", "t", "s", "t"]


def test_who_used_up_a_first_slice_comes_before_others_that_spin(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, scheduler, ran = made(set(), monkeypatch)
    for name in "st":
        scheduler.requeue(Item(name))
    scheduler.requeue(Item("new"), first=True)
    for _ in range(3):
        loop.turn()
    assert ran == ["new", "s", "t"]


def test_a_flood_of_woken_items_does_not_starve_one_that_spins(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, scheduler, ran = made({"s"}, monkeypatch, costs=module.TURN_SECONDS)
    scheduler.requeue(Item("s"))
    for n in range(20):
        scheduler.wake(Item(f"e{n}"))
    for _ in range(5):
        loop.turn()
    assert ran.count("s") == 5


def test_an_error_of_one_item_leaves_the_others_queued(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, stand_in_ran = Loop(), []
    stand_in: Any = loop

    def run(item: Item) -> None:
        stand_in_ran.append(item.name)
        if item.name == "bad":
            raise RuntimeError("planted")

    scheduler: Scheduler[Item] = Scheduler(stand_in, run)
    scheduler.wake(Item("bad"))
    scheduler.wake(Item("good"))
    with pytest.raises(RuntimeError, match="planted"):
        loop.turn()
    loop.turn()
    assert stand_in_ran == ["bad", "good"]


def test_a_closed_scheduler_runs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, scheduler, ran = made(set(), monkeypatch)
    scheduler.wake(Item("a"))
    scheduler.close()
    scheduler.wake(Item("b"))
    loop.turn()
    assert ran == []
