"""Which waiting guests are parked: those that waited longest, for either reason."""

from __future__ import annotations

from runtime.node.parking import NEVER, Idle, Parking, resident_bytes


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def made(policy: Parking) -> tuple[Clock, Idle[str], list[str]]:
    clock = Clock()
    parked: list[str] = []
    return clock, Idle(policy, clock, parked.append), parked


def test_the_longest_waiting_is_parked_when_too_many_wait() -> None:
    _, idle, parked = made(Parking(idle_seconds=None, resident=2))
    for name in "abc":
        idle.add(name)
    assert parked == ["a"]
    idle.discard("b")
    idle.add("d")
    assert parked == ["a"]
    idle.add("b")
    assert parked == ["a", "c"]
    assert len(idle) == 2


def test_who_was_woken_and_waits_again_is_the_youngest() -> None:
    _, idle, parked = made(Parking(idle_seconds=None, resident=2))
    idle.add("a")
    idle.add("b")
    idle.discard("a")
    idle.add("a")
    idle.add("c")
    assert parked == ["b"]


def test_a_sweep_parks_who_has_waited_long_enough_and_says_whether_more_may_be() -> None:
    clock, idle, parked = made(Parking(idle_seconds=10.0, resident=100))
    for name in "abc":
        idle.add(name)
        clock.now += 4.0
    assert idle.sweep(10) is False
    assert parked == ["a"]
    clock.now += 100.0
    assert idle.sweep(1) is True
    assert parked == ["a", "b"]
    assert idle.sweep(10) is False
    assert parked == ["a", "b", "c"]


def test_nobody_is_parked_who_should_never_be() -> None:
    clock, idle, parked = made(NEVER)
    for number in range(1000):
        idle.add(str(number))
    clock.now = 1e9
    assert idle.sweep(10) is False
    assert parked == []


def test_memory_pressure_parks_one_after_the_other_until_none_is_left() -> None:
    _, idle, parked = made(Parking(idle_seconds=None, resident=10))
    idle.add("a")
    idle.add("b")
    assert idle.park_longest()
    assert idle.park_longest()
    assert not idle.park_longest()
    assert parked == ["a", "b"]


def test_by_default_as_many_guests_stay_as_the_kernel_has_mappings_for() -> None:
    limit = Parking().resident_limit()
    assert limit >= 10_000
    assert Parking(resident=3).resident_limit() == 3


def test_the_longest_waiting_are_parked_while_the_process_has_too_much() -> None:
    parked: list[str] = []

    def resident() -> int:
        return 1000 - 100 * len(parked)

    idle: Idle[str] = Idle(Parking(idle_seconds=None, resident=99, memory_bytes=750), Clock(), parked.append, resident)
    for name in "abcdef":
        idle.add(name)
    assert idle.sweep(2) is True
    assert idle.sweep(64) is False
    assert parked == ["a", "b", "c"]


def test_the_kernel_says_how_much_memory_there_is() -> None:
    assert resident_bytes() > 1 << 20
