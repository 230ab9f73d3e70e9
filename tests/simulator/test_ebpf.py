"""The reference semantics on the sweep corpus, one test per slice; and that the corpus leaves no form out."""

from __future__ import annotations

import pytest

from tests.corpus import SLICES, cases
from tests.simulator.machine import see
from validator.decode import decode
from validator.isa import ROWS, form_of


@pytest.mark.parametrize("name", SLICES)
def test_corpus(name: str) -> None:
    wrong = [mismatch for case in SLICES[name]() if (mismatch := case.mismatch(see(case)))]
    assert not wrong, "\n".join(wrong[:10])


def test_corpus_holds_every_form() -> None:
    code = {case.code[at : at + 8] for case in cases() for at in range(0, len(case.code), 8)}
    lddw_and_others = (slot + bytes(8) if slot[0] == 0x18 else slot for slot in code if slot[0])
    held = {form_of(instruction) for slot in lddw_and_others for instruction in decode(slot) if instruction}
    assert {row.form for rows in ROWS.values() for row in rows} <= held
