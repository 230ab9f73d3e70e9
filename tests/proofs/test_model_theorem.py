"""model.domains has a case for every operation, and its abstraction of divisions is no free pass."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
import z3

import proofs.theorems  # noqa: F401 - registers them
from proofs.division import quotient, remainder, without_divisions
from proofs.solver import Status, decided
from proofs.theorem import THEOREMS, Obligation
from simulator.integers import Integers
from simulator.words import WIDTHS


def test_there_is_a_case_for_every_operation_at_every_width() -> None:
    cases = {case.name: case for case in THEOREMS["model.domains"].cases()}
    assert set(cases) == {name for name in vars(Integers) if not name.startswith("_")}
    assert len(cases) == 22
    for name, widths in (("add", len(WIDTHS)), ("truncate", 15), ("reverse_bytes", 4)):
        assert len({obligation.what for obligation in cases[name].obligations()}) == widths


def claim_holds(claim: z3.BoolRef) -> Status:
    without, assumed = without_divisions(claim)
    return decided(Obligation("", (assumed,), without)).status


A, B, WIDE = z3.BitVec("a", 64), z3.BitVec("b", 64), z3.BitVec("c", 80)
DIVIDE: tuple[Callable[[z3.BitVecRef, z3.BitVecRef], z3.BitVecRef], ...] = (z3.UDiv, z3.URem)


@pytest.mark.parametrize("divide", DIVIDE)
def test_divisions_of_equal_numbers_are_equal_whatever_their_widths(
    divide: Callable[[z3.BitVecRef, z3.BitVecRef], z3.BitVecRef],
) -> None:
    narrow = divide(A, B)
    wide = divide(z3.ZeroExt(16, A), WIDE)
    same = z3.ZeroExt(16, narrow) == wide
    assert claim_holds(z3.Implies(z3.And(z3.ZeroExt(16, B) == WIDE, B != 0), same)) is Status.PROVED
    assert claim_holds(z3.Implies(z3.ZeroExt(16, B) == WIDE, same)) is Status.REFUTED  # by zero
    assert claim_holds(same) is Status.REFUTED
    assert claim_holds(divide(A, B) == divide(B, A)) is Status.REFUTED


def test_a_quotient_is_no_remainder() -> None:
    assert claim_holds(z3.UDiv(A, B) == z3.URem(A, B)) is Status.REFUTED


def test_a_division_within_a_division_is_replaced_too() -> None:
    claim = z3.UDiv(z3.UDiv(A, B), B) == z3.UDiv(z3.UDiv(A, B), B + 0)
    without, _ = without_divisions(claim)
    assert "bvudiv" not in without.sexpr()
    assert claim_holds(claim) is Status.PROVED


def test_signed_divisions_are_what_the_solver_takes_them_for() -> None:
    """On every pair of words of four bits."""
    for a, b in product(range(16), repeat=2):
        x, y = z3.BitVecVal(a, 4), z3.BitVecVal(b, 4)
        assert z3.simplify(quotient(x, y)).eq(z3.simplify(x / y))
        assert z3.simplify(remainder(x, y)).eq(z3.simplify(z3.SRem(x, y)))
