"""Hostile sources end in an object or in messages, within the limits; and a campaign that asks this notices if not.

A fraction of `python -m tests.salix.hostile_c`.
"""

from __future__ import annotations

import os
import signal
from functools import partial

import pytest

from salix.compiler import Limits
from tests.salix.hostile_c.judge import MUTATED, Judged, draw, judge, judged
from tests.salix.hostile_c.kinds import KINDS, Files

SEED = 6
_SHORT = Limits(time_ms=3000)  # what would go on until its time is over costs less of ours


def problems(indices: range) -> list[tuple[int, Judged]]:
    return [(index, found) for index, found in judged(SEED, indices, 2, partial(judge, limits=_SHORT)) if found.problem]


def test_sources_of_each_kind_end_within_the_limits() -> None:
    assert problems(range(0, 4 * len(KINDS), 2)) == []


def test_programs_with_changed_tokens_end_within_the_limits() -> None:
    assert problems(range(1, 200, 2)) == []


def test_each_kind_is_drawn_and_half_of_all_are_changed_programs() -> None:
    drawn = [draw(SEED, index)[0] for index in range(4 * len(KINDS))]
    assert {name: drawn.count(name) for name in KINDS} == dict.fromkeys(KINDS, 2)
    assert drawn.count(MUTATED) == 2 * len(KINDS)


def test_a_source_depends_on_the_seed_and_its_index_alone() -> None:
    assert draw(SEED, 7) == draw(SEED, 7)
    assert draw(SEED, 7) != draw(SEED + 1, 7)


def dies(kind: str, files: Files) -> Judged:
    if kind != MUTATED:
        os.kill(os.getpid(), signal.SIGSEGV)
    return Judged(kind, "failed", "", 0.0)


def raises(kind: str, files: Files) -> Judged:
    raise ValueError(kind)


@pytest.mark.parametrize(
    ("planted", "found"),
    [(dies, "the process died of SIGSEGV"), (raises, "ValueError was raised: deep")],
)
def test_a_source_that_a_process_dies_of_is_named(planted: object, found: str) -> None:
    records = dict(judged(SEED, [0, 1], 1, planted))  # type: ignore[arg-type]
    assert records[0].problem == found
    assert len(records) == 2
