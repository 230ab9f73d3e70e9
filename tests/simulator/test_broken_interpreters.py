"""That the corpus can fail: it notices every broken interpreter, and not a copy of the unbroken one."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import pytest

from tests.corpus import cases
from tests.corpus.case import Case
from tests.simulator import mutants_of_state, mutants_of_values
from tests.simulator.broken import Mutant, broken_engine
from tests.simulator.machine import Engine, see

MUTANTS = mutants_of_values.MUTANTS + mutants_of_state.MUTANTS


def _notices(engine: Engine, corpus: Iterable[Case]) -> bool:
    """Whether some case ends or leaves memory otherwise than it should."""
    for case in corpus:
        try:
            seen = see(case, engine)
        except AssertionError:  # the domain's preconditions and the memory's: a broken interpreter that is loud
            return True
        if case.mismatch(seen) is not None:
            return True
    return False


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_corpus_notices(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _notices(broken_engine(mutant, monkeypatch), cases(mutant.seen_by))


def test_copying_alone_breaks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    every_tenth = islice(cases(), 0, None, 10)
    assert not _notices(broken_engine(None, monkeypatch), every_tenth)
