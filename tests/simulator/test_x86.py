"""The machine model against Unicorn, form by form, with the accesses that each makes; and over a domain without words.

A case is one instruction with what makes it defined, as the campaign draws it. Compared are all sixteen registers, the
flags that the model defines, scratch memory, where control goes, and every access in order. A case is reproduced by its
form and number, which every failure quotes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pytest

from differential.chunk import Chunk, assembled
from differential.engines.missing import EngineMissing
from differential.engines.simulator import Ranges, Simulator, mapped
from differential.engines.unicorn import Unicorn
from differential.outcome import FINISHED, FLAGS, differences
from differential.placement import CELLS, Placement
from differential.writer import write_piece
from jit.x86 import FORMS, Label, Ret
from simulator.integers import INTEGERS
from simulator.machine import Flags, State
from simulator.run import Left, run
from simulator.words import Words

CASES_PER_FORM = 400
PLACEMENT = Placement()
WRITTEN = [form for form in FORMS if form is not Label]


def chunk_of(form: type, first: int, count: int) -> Chunk:
    """Cases first .. first + count of this form."""
    return assembled([write_piece(form, "x86", first + k, PLACEMENT.scratch) for k in range(count)], PLACEMENT)


@pytest.fixture(scope="module")
def unicorn() -> Unicorn:
    try:
        return Unicorn(PLACEMENT, record=True)
    except EngineMissing as missing:
        pytest.skip(f"the model was NOT compared: {missing}")


@pytest.mark.parametrize("form", WRITTEN, ids=lambda form: form.__name__)
def test_agrees_with_unicorn(form: type, unicorn: Unicorn) -> None:
    """A form that the campaign cannot draw fails here: nothing is emitted that has not been compared."""
    model = Simulator(PLACEMENT, record=True)
    for first in range(0, CASES_PER_FORM, CELLS):
        chunk = chunk_of(form, first, min(CELLS, CASES_PER_FORM - first))
        for case, ours, theirs in zip(chunk.snippets, model.run(chunk), unicorn.run(chunk), strict=True):
            where = f"{form.__name__} {case.index}: {case.instructions}"
            assert ours.ended == FINISHED, where
            assert ours.accesses is not None
            assert differences(case, ours, theirs) == [], where


def test_accesses_are_compared(unicorn: Unicorn) -> None:
    chunk = chunk_of(Ret, 0, 1)
    (outcome,) = unicorn.run(chunk)
    assert outcome.accesses is not None
    assert [size for _, size, _ in outcome.accesses] == [8, 8, 8], "push, ret, and the jump behind the snippet"


# ---------------------------------------------------------------- over a domain that hides its words


class Box:
    """A word without operators: whoever touches it other than through the domain fails."""

    __hash__ = None  # type: ignore[assignment]
    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        raise AssertionError("a word was compared without asking the domain")


class BoxedWords:
    """`Words[Box]`: INTEGERS, with every word in a box."""

    def __getattr__(self, operation: str) -> Callable[..., object]:
        def boxed(*arguments: object) -> object:
            plain = (a.value if isinstance(a, Box) else a for a in arguments)
            value = getattr(INTEGERS, operation)(*plain)
            return value if isinstance(value, bool) else Box(value)

        return boxed


class BoxedMemory:
    """`Memory[Box]` over ranges of bytes."""

    def __init__(self, ranges: Ranges) -> None:
        self.ranges = ranges

    def load(self, address: Box, size: int) -> Box:
        return Box(self.ranges.load(address.value, size))

    def store(self, address: Box, size: int, value: Box) -> None:
        self.ranges.store(address.value, size, value.value)


@pytest.mark.parametrize("form", WRITTEN, ids=lambda form: form.__name__)
def test_asks_the_domain_for_everything_it_does_to_a_word(form: type) -> None:
    words = cast("Words[Box]", BoxedWords())
    chunk = chunk_of(form, 0, 20)
    for number, plain in enumerate(Simulator(PLACEMENT).run(chunk)):
        case = chunk.snippets[number]
        memory = Ranges(mapped(chunk, number))
        flags = Flags(**{name: Box(getattr(case.flags, name)) for name in FLAGS})
        state = State([Box(value) for value in case.registers], BoxedMemory(memory), flags)
        left = run(words, chunk.code, Box(PLACEMENT.cells), state, chunk.offset(case), steps=400)
        assert isinstance(left, Left)
        assert left.address.value == PLACEMENT.end
        assert tuple(box.value for box in state.registers) == plain.registers
        assert memory.ranges[PLACEMENT.scratch] == plain.page
