"""Deadlines of many objects in one heap: each expires once, in order, unless it was forgotten."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.node.timers import Timers


class Item:
    """What has a deadline."""

    def __init__(self, name: int) -> None:
        self.name, self.deadline = name, 0


class Loop:
    """An event loop whose time the test moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.handles: list[tuple[float, Callable[[], None], Loop.Handle]] = []

    class Handle:
        def __init__(self) -> None:
            self.cancelled = False

        def cancel(self) -> None:
            self.cancelled = True

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, callback: Callable[[], None]) -> Handle:
        handle = Loop.Handle()
        self.handles.append((when, callback, handle))
        return handle

    def move(self, seconds: float) -> None:
        self.now += seconds
        while True:
            due = [entry for entry in self.handles if entry[0] <= self.now and not entry[2].cancelled]
            if not due:
                return
            entry = min(due, key=lambda each: each[0])
            self.handles.remove(entry)
            entry[1]()

    @property
    def armed(self) -> int:
        return sum(not handle.cancelled for _, _, handle in self.handles)


def made() -> tuple[Loop, Timers[Item], list[int]]:
    loop, expired = Loop(), []
    stand_in: Any = loop
    return loop, Timers(stand_in, lambda item: expired.append(item.name)), expired


def test_items_expire_in_the_order_of_their_deadlines() -> None:
    loop, timers, expired = made()
    for name, seconds in ((1, 3.0), (2, 1.0), (3, 2.0)):
        timers.set(Item(name), seconds)
    loop.move(0.5)
    assert expired == []
    loop.move(1.0)
    assert expired == [2]
    loop.move(5.0)
    assert expired == [2, 3, 1]
    assert len(timers) == 0


def test_the_loop_has_one_timer_however_many_deadlines_there_are() -> None:
    loop, timers, _ = made()
    for name in range(1000):
        timers.set(Item(name), 1.0 + name % 7)
    assert loop.armed == 1


def test_what_was_forgotten_does_not_expire_and_may_be_set_again() -> None:
    loop, timers, expired = made()
    item = Item(1)
    timers.set(item, 1.0)
    timers.forget(item)
    timers.forget(item)
    assert len(timers) == 0
    timers.set(item, 5.0)
    loop.move(2.0)
    assert expired == []
    loop.move(4.0)
    assert expired == [1]


def test_forgotten_deadlines_take_no_memory() -> None:
    loop, timers, expired = made()
    others = [Item(name) for name in range(10)]
    for other in others:
        timers.set(other, 86_400.0)
    item = Item(99)
    for _ in range(50_000):
        timers.set(item, 86_400.0)
        timers.forget(item)
    assert len(timers._heap) < 3000
    assert len(timers) == 10
    loop.move(90_000.0)
    assert sorted(expired) == list(range(10))


def test_an_item_may_set_a_new_deadline_when_it_expires() -> None:
    loop = Loop()
    seen: list[float] = []
    stand_in: Any = loop

    def again(item: Item) -> None:
        seen.append(loop.now)
        if len(seen) < 3:
            timers.set(item, 1.0)

    timers: Timers[Item] = Timers(stand_in, again)
    timers.set(Item(1), 1.0)
    for _ in range(5):
        loop.move(1.0)
    assert seen == [1.0, 2.0, 3.0]


def test_an_error_in_one_expiry_leaves_the_other_deadlines() -> None:
    loop = Loop()
    expired: list[int] = []
    stand_in: Any = loop

    def fail_once(item: Item) -> None:
        expired.append(item.name)
        if item.name == 1:
            raise RuntimeError("planted")

    timers: Timers[Item] = Timers(stand_in, fail_once)
    timers.set(Item(1), 1.0)
    timers.set(Item(2), 2.0)
    with pytest.raises(RuntimeError, match="planted"):
        loop.move(1.5)
    loop.move(1.0)
    assert expired == [1, 2]


@given(st.integers(0, 2**32), st.integers(1, 300))
def test_any_history_agrees_with_a_plain_table(seed: int, steps: int) -> None:
    rng = random.Random(seed)
    loop, timers, expired = made()
    table: dict[int, float] = {}
    items = [Item(name) for name in range(8)]
    for _ in range(steps):
        item = rng.choice(items)
        action = rng.randrange(3)
        if action == 0 and item.name not in table:
            seconds = rng.randrange(1, 20)
            timers.set(item, float(seconds))
            table[item.name] = loop.now + seconds
        elif action == 1:
            timers.forget(item)
            table.pop(item.name, None)
        else:
            loop.move(float(rng.randrange(5)))
            due = [name for name, when in table.items() if when <= loop.now]
            assert sorted(expired) == sorted(due)
            expired.clear()
            for name in due:
                del table[name]
        assert len(timers) == len(table)


async def _real() -> list[int]:
    expired: list[int] = []
    done = asyncio.Event()

    def note(item: Item) -> None:
        expired.append(item.name)
        if len(expired) == 3:
            done.set()

    timers: Timers[Item] = Timers(asyncio.get_running_loop(), note)
    for name, seconds in ((1, 0.03), (2, 0.01), (3, 0.02)):
        timers.set(Item(name), seconds)
    await done.wait()
    return expired


def test_a_real_event_loop() -> None:
    assert asyncio.run(_real()) == [2, 3, 1]
