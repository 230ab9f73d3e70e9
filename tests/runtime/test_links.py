"""An object that is not linked anew is what it would be if it were, whichever byte of it differs from one that was."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jit.layout import data_lows
from runtime.helpers import Helpers
from runtime.links import Links
from tests.clang import compiled
from validator.errors import LoadError
from validator.link import Limits, Linked, link

DATA = "unsigned long seed = 0x1122334455667788; unsigned long twice[2]; "
ENTRY = '__attribute__((section("main"))) unsigned long entry(void) '
READS = DATA + ENTRY + "{ return *(volatile unsigned long *)&seed; }"
NO_DATA = ENTRY + "{ return 7; }"
TWO_SECTIONS = DATA + '__attribute__((section(".data.two"))) long other = 3; ' + ENTRY + "{ return seed++ + other++; }"
POINTER = 'static char text[] = "text"; char *pointer = text; ' + ENTRY + "{ return *(*(char *volatile *)&pointer); }"
HELPERS, LIMITS = Helpers({}), Limits()


def linked(elf: bytes, helpers: Helpers = HELPERS, limits: Limits = LIMITS) -> Linked:
    return link(elf, helpers.by_name, lambda read_only, writable: data_lows(read_only), limits=limits)


class Counting:
    """Links, and counts how often it linked."""

    def __init__(self) -> None:
        self.links, self.count = Links(), 0

    def get(self, elf: bytes, helpers: Helpers = HELPERS, limits: Limits = LIMITS) -> Linked:
        def anew() -> Linked:
            self.count += 1
            return linked(elf, helpers, limits)

        return self.links.get(elf, helpers, limits, anew)


def judged(load: Callable[[bytes], Linked], elf: bytes) -> object:
    """The program, or what is said against the object."""
    try:
        return load(elf)
    except LoadError as error:
        return type(error), str(error)


@pytest.mark.parametrize("source", [READS, NO_DATA, TWO_SECTIONS, POINTER])
def test_whichever_byte_differs_the_result_is_that_of_linking(source: str) -> None:
    elf = compiled(source)
    known = Counting()
    assert known.get(elf) == linked(elf)
    assert len(elf) < 4096
    for position in range(len(elf)):
        for change in (0x01, 0xFF):
            other = elf[:position] + bytes([elf[position] ^ change]) + elf[position + 1 :]
            assert judged(known.get, other) == judged(linked, other), f"byte {position:#x}"


def test_objects_that_differ_in_their_initial_data_are_linked_once() -> None:
    elf = compiled(READS)
    marker = (0x1122334455667788).to_bytes(8, "little")
    known = Counting()
    for seed in range(100):
        datum = seed.to_bytes(8, "little")
        assert known.get(elf.replace(marker, datum)).writable[:8] == datum
    assert known.count == 1


@pytest.mark.parametrize(("source", "count"), [(READS, 1), (NO_DATA, 1), (TWO_SECTIONS, 2), (POINTER, 2)])
def test_only_what_is_simple_is_known_again(source: str, count: int) -> None:
    known = Counting()
    for _ in range(2):
        known.get(compiled(source))
    assert known.count == count


def test_what_was_refused_is_refused_again() -> None:
    known = Counting()
    for _ in range(2):
        with pytest.raises(LoadError):
            known.get(compiled(NO_DATA)[:-1])
    assert known.count == 2


def test_other_helpers_and_limits_are_other_questions() -> None:
    elf = compiled(READS)
    known = Counting()
    known.get(elf)
    known.get(elf, Helpers({"more": lambda *_: 0}))
    assert known.count == 2
    with pytest.raises(LoadError):
        known.get(elf, HELPERS, Limits(code_bytes=8))


def test_objects_of_other_lengths_and_large_ones_are_not_mixed_up() -> None:
    known = Counting()
    small = compiled(READS)
    for elf in (small, small + b"\0", small + bytes(100_000), small + bytes(100_000), small):
        assert known.get(elf) == linked(elf)
    assert known.count == 4


def test_the_latest_32_are_known() -> None:
    elf = compiled(NO_DATA)
    known = Counting()
    for more in range(33):
        known.get(elf + bytes(more))
    known.get(elf + bytes(1))
    assert known.count == 33
    known.get(elf)
    assert known.count == 34
