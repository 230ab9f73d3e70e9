"""The reference semantics on the sweep corpus, one test per slice."""

from __future__ import annotations

import pytest

from tests.corpus import SLICES
from tests.simulator.machine import see


@pytest.mark.parametrize("name", SLICES)
def test_corpus(name: str) -> None:
    wrong = [mismatch for case in SLICES[name]() if (mismatch := case.mismatch(see(case)))]
    assert not wrong, "\n".join(wrong[:10])
