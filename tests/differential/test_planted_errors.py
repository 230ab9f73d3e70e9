"""That the campaign can fail: it finds each planted error of the model, and shrinks it to the instruction concerned."""

from __future__ import annotations

from functools import cache

import pytest

from differential.__main__ import SEED
from differential.campaign import Campaign, bench, mismatch
from differential.chunk import Chunk, assembled
from differential.engines import simulator as engine
from differential.outcome import Outcome
from differential.placement import Placement
from differential.shrink import shrunk
from differential.snippet import Snippet
from differential.writer import write_snippet
from jit.x86 import Label
from simulator import flags, integers, machine, run, x86
from tests.differential.planted import PLANTED
from tests.simulator.broken import Mutant, broken_copies

COPIED = (integers, machine, flags, x86, run, engine)
ENOUGH = 4096  # sequences of the default campaign; it has five times as many

pytest.importorskip("unicorn", reason="Unicorn is not installed: planted errors were NOT looked for")


@cache
def part(number: int) -> tuple[Chunk, list[Outcome]]:
    """A chunk of the default campaign, and what Unicorn makes of it."""
    there = bench(("unicorn",))
    first = Campaign(SEED, 0, ENOUGH, ("unicorn",)).parts()[number]
    snippets = [write_snippet(SEED, first.first + k, there.placement.scratch) for k in range(first.count)]
    chunk = assembled(snippets, there.placement)
    return chunk, there.engines["unicorn"].run(chunk)


def first_mismatch(simulator: engine.Simulator) -> Snippet | None:
    """The first sequence of the default campaign on which this model differs from Unicorn."""
    for number in range(len(Campaign(SEED, 0, ENOUGH, ()).parts())):
        chunk, theirs = part(number)
        ours = simulator.run(chunk)
        for snippet, a, b in zip(chunk.snippets, ours, theirs, strict=True):
            if mismatch(snippet, {"simulator": a, "unicorn": b}) is not None:
                return snippet
    return None


def test_there_are_enough_of_each_kind() -> None:
    assert len({mutant.name for mutant in PLANTED}) == len(PLANTED) >= 20


@pytest.mark.parametrize("mutant", PLANTED, ids=lambda mutant: mutant.name)
def test_is_found_and_shrinks_to_the_instruction(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = broken_copies(COPIED, mutant, monkeypatch)[engine].Simulator(Placement())
    found = first_mismatch(broken)
    assert found is not None, "the campaign does not notice"

    def run(snippet: Snippet) -> dict[str, Outcome]:
        chunk = assembled([snippet], Placement())
        theirs = bench(("unicorn",)).engines["unicorn"]
        return {"simulator": broken.run(chunk)[0], "unicorn": theirs.run(chunk)[0]}

    smallest = shrunk(found, run, lambda snippet, outcomes: mismatch(snippet, outcomes) is not None)
    forms = [type(instruction).__name__ for instruction in smallest.instructions if not isinstance(instruction, Label)]
    assert mutant.seen_by == "" or mutant.seen_by in forms
    assert len(forms) <= 4, smallest.instructions


def test_copying_alone_breaks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    simulator = broken_copies(COPIED, None, monkeypatch)[engine].Simulator(Placement())
    chunk, theirs = part(0)
    for snippet, ours, other in zip(chunk.snippets, simulator.run(chunk), theirs, strict=True):
        assert mismatch(snippet, {"simulator": ours, "unicorn": other}) is None
