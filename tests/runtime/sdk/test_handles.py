"""Handles: at most 128, never the same number twice, and marks that drop exactly what was made since."""

from __future__ import annotations

import pytest

from runtime.sdk.codes import INVALID, LIMIT, MAX_HANDLES
from runtime.sdk.handles import Handles


def test_the_129th_handle_is_refused_until_one_is_dropped() -> None:
    handles = Handles()
    made = [handles.add(n) for n in range(MAX_HANDLES)]
    assert handles.full
    assert handles.add(None) == LIMIT
    assert len(handles) == MAX_HANDLES == 128
    assert handles.drop(made[64]) == 0
    assert not handles.full
    assert handles.add(None) > 0


def test_numbers_are_positive_and_never_used_twice_by_whatever_object() -> None:
    one, other = Handles(), Handles()
    seen: set[int] = set()
    for _ in range(1000):
        for handles in (one, other):
            for number in (handles.add(None), handles.mark()):
                assert number > 0
                assert number not in seen
                seen.add(number)
            handles.release(1)


def test_a_handle_is_valid_in_its_own_table_and_until_it_is_dropped() -> None:
    one, other = Handles(), Handles()
    handle = one.add("mine")
    assert other.drop(handle) == INVALID
    assert one.entries[handle] == "mine"
    assert one.drop(handle) == 0
    assert one.drop(handle) == INVALID


@pytest.mark.parametrize("handle", [0, -1, 2**64 - 1, 2**63])
def test_statuses_and_other_numbers_are_no_handles(handle: int) -> None:
    handles = Handles()
    handles.add(None)
    assert handles.drop(handle) == INVALID
    assert handles.release(handle) == INVALID
    assert len(handles) == 1


def test_a_mark_drops_what_was_made_since_and_may_be_released_again() -> None:
    handles = Handles()
    before = handles.add("before")
    outer = handles.mark()
    kept = handles.add("outer")
    inner = handles.mark()
    for _ in range(3):
        handles.add(1)
        handles.entries[handles.add(2)] = "replaced"
        assert handles.release(inner) == 2
        assert list(handles.entries) == [before, kept]
    assert handles.release(inner) == 0
    assert handles.release(outer) == 1
    assert list(handles.entries) == [before]
    assert handles.drop(outer) == INVALID


def test_a_full_table_can_be_released() -> None:
    handles = Handles()
    mark = handles.mark()
    while not handles.full:
        handles.add(0)
    assert handles.release(mark) == MAX_HANDLES
