"""The executor takes every path, and says so when it cannot."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import z3

from proofs.executor import Fork, NotExplored, OutOfPaths, PathFailed, explore
from proofs.solver import Status, decided, inputs_of
from proofs.symbolic import Int, condition_of
from proofs.theorem import Obligation


def unknown(name: str = "x", low: int = 0, high: int = 255) -> tuple[Int, tuple[z3.BoolRef, ...]]:
    value, assumption = Int.fresh(name, low, high)
    return value, (assumption,)


def test_every_path_is_taken_once_and_paths_exclude_each_other() -> None:
    x, given = unknown()

    def sort() -> str:
        if x < 10:
            return "small"
        return "even" if x & 1 == 0 else "odd"

    paths = list(explore(sort, assuming=given))
    assert sorted(path.returned for path in paths) == ["even", "odd", "small"]
    for value in range(256):
        holding = [p.returned for p in paths if z3.is_true(z3.simplify(z3.And(*_at(p.conditions, x, value))))]
        assert holding == ["small" if value < 10 else "even" if value % 2 == 0 else "odd"]


def _at(conditions: tuple[z3.BoolRef, ...], x: Int, value: int) -> list[z3.BoolRef]:
    variable = x.bits.arg(0)  # of which x.bits is an extension
    return [z3.substitute(c, (variable, z3.BitVecVal(value, variable.size()))) for c in conditions]


def test_a_side_that_cannot_be_is_not_taken() -> None:
    x, given = unknown()
    paths = list(explore(lambda: bool(x < 10) and bool(x > 20), assuming=given))
    assert [path.returned for path in paths] == [False, False]


def test_a_bug_deep_in_one_path_is_found_with_the_one_input_that_shows_it() -> None:
    x, given = unknown()

    def identity_but_for_0xa5() -> int | Int:
        value: int | Int = 0
        for bit in range(8):
            if x >> bit & 1 == 1:
                value = value + (1 << bit)
        return value + 1 if x == 0xA5 else value

    refuted = []
    for path in explore(identity_but_for_0xa5, assuming=given):
        claim = condition_of(x == path.returned)
        verdict = decided(Obligation("identity", path.conditions, claim, (("x", x.bits),)))
        if verdict.status is not Status.PROVED:
            refuted.append(verdict.counterexample)
    assert refuted == [(("x", 0xA5),)]


def test_a_loop_whose_bound_is_symbolic_takes_a_path_per_number_of_rounds() -> None:
    x, given = unknown(high=6)

    def count() -> int:
        rounds = 0
        while rounds < x:
            rounds += 1
        return rounds

    paths = list(explore(count, assuming=given))
    assert sorted(path.returned for path in paths) == list(range(7))
    for path in paths:
        assert decided(Obligation("", path.conditions, condition_of(x == path.returned))).status is Status.PROVED


@pytest.mark.parametrize(("budget", "enough"), [(6, False), (7, True)])
def test_a_budget_that_runs_out_is_an_error_and_not_a_bound(budget: int, enough: bool) -> None:
    x, given = unknown(high=6)
    paths = explore(lambda: next(k for k in range(7) if x == k), assuming=given, budget=budget)
    if enough:
        assert len(list(paths)) == 7
    else:
        with pytest.raises(OutOfPaths, match="more than 6 paths"):
            list(paths)


def test_an_allowed_exception_ends_its_path_only() -> None:
    x, given = unknown()

    def refuse() -> int:
        if x > 100:
            raise ValueError("too large")
        return 1

    paths = {type(path.raised): path for path in explore(refuse, assuming=given, allowed=(ValueError,))}
    assert set(paths) == {type(None), ValueError}
    assert paths[type(None)].returned == 1
    with pytest.raises(AssertionError):
        _ = paths[ValueError].returned


def test_an_exception_that_nobody_expects_comes_with_an_input_that_leads_to_it() -> None:
    x, given = unknown()

    def crash() -> int:
        if x == 77:
            raise KeyError("missing")
        return 1

    with pytest.raises(PathFailed, match="KeyError") as failed:
        list(explore(crash, assuming=given, what="an index"))
    assert failed.value.what == "an index"
    verdict = inputs_of(failed.value)
    assert verdict.status is Status.REFUTED
    assert verdict.counterexample == (("x", 77),)


@pytest.mark.parametrize(
    ("operation", "limit"),
    [
        (lambda x: {x: 1}, NotExplored),
        (hash, NotExplored),
        (lambda x: [1, 2, 3][x], NotExplored),
        (range, NotExplored),
        (lambda x: x << x, NotExplored),
        (lambda x: x // 3, NotExplored),
        (lambda x: x**2, TypeError),
        (lambda x: x.bit_count(), AttributeError),
    ],
)
def test_what_the_domain_cannot_express_is_refused(
    operation: Callable[[Int], object], limit: type[Exception]
) -> None:
    x, given = unknown()
    with pytest.raises(limit):
        list(explore(lambda: operation(x), assuming=given))


def test_explorations_nest_and_the_outer_one_goes_on() -> None:
    x, given = unknown(high=3)
    y, more = unknown("y", high=3)

    def outer() -> list[bool]:
        large = bool(x > 1)
        inner = list(explore(lambda: bool(y > 1), assuming=more))
        return [large, bool(x > 2), *(path.returned for path in inner)]

    results = [path.returned for path in explore(outer, assuming=given)]
    assert sorted(result[:2] for result in results) == [[False, False], [True, False], [True, True]]
    assert all(sorted(result[2:]) == [False, True] for result in results)


def test_a_failure_of_an_inner_exploration_has_the_conditions_of_both() -> None:
    x, given = unknown(high=3)
    y, more = unknown("y", high=3)

    def divide() -> int:
        return 1 // 0 if y == 2 else 1

    def outer() -> int:
        return sum(path.returned for path in explore(divide, assuming=more)) if x == 3 else 0

    with pytest.raises(PathFailed) as failed:
        list(explore(outer, assuming=given))
    assert inputs_of(failed.value).counterexample == (("x", 3), ("y", 2))


def test_a_truth_outside_an_exploration_is_refused_unless_it_is_known() -> None:
    x, _ = unknown()
    with pytest.raises(NotExplored):
        bool(x == 3)
    assert bool(x < 256)
    assert bool(Fork(z3.BoolVal(True)))
