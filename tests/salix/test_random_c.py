"""Random and systematic C programs give the same by every compiler; and that comparison can fail.

A fraction of the campaign `python -m tests.salix.random_c`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.salix.random_c.campaign import Campaign, run_part, smallest, source_of
from tests.salix.random_c.engines import ENGINES, FEW, GCC, OURS, differing, missing, run
from tests.salix.random_c.initialised import initialised_source
from tests.salix.random_c.integer_types import INT, TYPES
from tests.salix.random_c.nested import nested_source
from tests.salix.random_c.operators import operator_source, pairs
from tests.salix.random_c.tree import Source
from tests.salix.random_c.vectors import vector_source
from tests.salix.random_c.writer import write_source

SEED = 2
PLANTED = {
    "a subtraction adds": (" - ", " + "),
    "less is less or equal": (" < ", " <= "),
    "bits are not cleared": (" ^ ", " | "),
}
FEATURES = (
    "switch (", "case ", "default:", "break;", "continue;", "goto L", "while (", "do {", "for (", "} else {",
    "struct s0 { ", " : 0;", "[] = {&", "memcpy(", "static volatile ", "register ", "(*const t", "? ", "sizeof(", "*p",
    "return (struct s", "const char[]){", ">>=", "<<=", "/=", "++", "--", "depth - 1", "(_Bool)", "= v", "!(", "~(",
    " ... ", "goto *", "union {", "((packed))", "->", "**", "static const ", "__sync_", "__builtin_", "_Generic(", "?:",
    "__auto_type", "__typeof__", "({ ", "{ L", "(**where)",
)  # fmt: skip
FEATURES_OF_NESTED = (
    "__label__ L", "goto L", "auto u64 f", "inline u64 f", "(n - 1, (u64)", " f(n - 1", ", leaf)", "[4] = {",
    "struct three v", "for (int i", "volatile unsigned v", "    " * 4 + "return ",
)  # fmt: skip
FEATURES_OF_VECTORS = (
    " char V", " long long V", "same(", "__builtin_shuffle(", "(one ? ", "[one & ", "++; ", "*= ", "(W)(", "& 7 | 1)",
    ">> ((W)", "== (W)", "(3 - ", " * 100)", "for (int i = 0; i < 3", "~",
)  # fmt: skip
FEATURES_OF_INITIALISED = (
    "union {", "[0] = {", ", [1] = ", "{.m", ", .m1 = ", "].m", "l = ", "[0] = ", " = {{", " + x", '"x', "; } l", " : ",
)  # fmt: skip


@pytest.mark.skipif(GCC in missing(), reason="there is no gcc to compare our compiler with")
@pytest.mark.parametrize("first", range(200, 230, 10))
def test_random_programs_give_the_same_by_every_compiler(first: int) -> None:
    assert run_part(Campaign(SEED, first, 10, tuple(missing()))).mismatches == []


@pytest.mark.skipif(GCC in missing(), reason="there is no gcc to compare our compiler with")
@pytest.mark.parametrize("given", TYPES, ids=lambda given: given.name)
def test_operators_give_the_same_on_every_type(given: object) -> None:
    index = pairs().index((given, INT))  # type: ignore[arg-type]
    assert run_part(Campaign(SEED, index, 1, tuple(missing()))).mismatches == []


def test_each_pair_of_types_has_a_program() -> None:
    assert len(pairs()) == len(TYPES) ** 2
    assert len({str(operator_source(*pair)) for pair in pairs()}) == len(pairs())


def test_a_program_depends_on_the_seed_and_its_index_alone() -> None:
    assert source_of(SEED, 500) == source_of(SEED, 500)
    assert len({str(source_of(seed, index)) for seed in (1, 2) for index in (500, 501)}) == 4


def test_programs_have_all_that_the_writer_can_draw() -> None:
    texts = [str(write_source(SEED, index)) for index in range(80)]
    assert [feature for feature in FEATURES if sum(feature in text for text in texts) < 4] == []


@pytest.mark.parametrize(
    ("write", "features"),
    [
        (nested_source, FEATURES_OF_NESTED),
        (vector_source, FEATURES_OF_VECTORS),
        (initialised_source, FEATURES_OF_INITIALISED),
    ],
)
def test_gnu_programs_have_all_that_they_are_for(
    write: Callable[[int, int], Source], features: tuple[str, ...]
) -> None:
    texts = [str(write(SEED, index)) for index in range(80)]
    assert [feature for feature in features if sum(feature in text for text in texts) < 4] == []


@pytest.mark.skipif(GCC in missing(), reason="there is no gcc to compare our compiler with")
@pytest.mark.parametrize("write", [nested_source, vector_source, initialised_source])
def test_gnu_programs_give_the_same_by_gcc_and_by_our_compiler(write: Callable[[int, int], Source]) -> None:
    outcomes = [run(str(write(SEED, index)), [GCC, OURS, FEW]) for index in range(12)]
    assert [found for found in outcomes if differing(found)] == []


@pytest.mark.parametrize("name", PLANTED)
def test_a_wrong_compiler_is_noticed_and_shrunk_to_few_lines(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right, wrong = PLANTED[name]
    monkeypatch.setitem(ENGINES, "wrong", lambda source: ENGINES[OURS](source.replace(right, wrong)))
    for index in range(40):
        source = write_source(SEED, index)
        outcomes = run(str(source), [OURS, "wrong"])
        if differing(outcomes) == "wrong" and outcomes["wrong"].isdigit():
            break
    else:
        pytest.fail("no program showed it")
    small = smallest(source, outcomes, "wrong")
    assert right in str(small)
    assert len(str(small).splitlines()) < min(40, len(str(source).splitlines()) / 2)
