"""The solvers are asked what was meant, and nothing undecided is taken for proved."""

from __future__ import annotations

import pytest
import z3

from proofs.second_solver import SecondSolver, second_answer
from proofs.solver import Proved, Status, decided, logic_of, satisfiable, smt2
from proofs.theorem import Obligation

X = z3.BitVec("x", 64)
Y = z3.BitVec("y", 64)
TRUE = Obligation("a sum\nis what it is", (z3.ULT(X, 10),), z3.ULT(X + 1, 11))
FALSE = Obligation("no sum", (z3.ULT(X, 10),), z3.ULT(X + 1, 10), (("x", X),))


def test_a_consequence_is_proved_and_a_refutation_has_values() -> None:
    assert decided(TRUE).status is Status.PROVED
    verdict = decided(FALSE)
    assert verdict.status is Status.REFUTED
    assert verdict.counterexample == (("x", 9),)


def test_a_disjunction_of_one_part_can_be_written_down() -> None:
    one = z3.Or(z3.And(z3.Or(z3.ULT(X, 10))))
    for claim, status in ((z3.Implies(one, X != 10), Status.PROVED), (z3.And(z3.Not(one)), Status.REFUTED)):
        assert second_answer(smt2(Obligation("", (one,), claim))) is status


def test_no_answer_in_time_is_unknown_and_stays_so() -> None:
    proved = Proved()
    factors = (z3.ULT(X, 1 << 32), z3.ULT(Y, 1 << 32))
    hard = Obligation("hard", (*factors, z3.UGT(X, 1), z3.UGT(Y, 1)), X * Y != 2**61 - 1)  # it is prime
    verdicts = {proved.decide(hard, timeout_ms=100).status for _ in range(2)}
    assert verdicts == {Status.UNKNOWN}


def test_only_what_was_proved_is_remembered() -> None:
    proved = Proved()
    assert proved.decide(FALSE).status is Status.REFUTED
    assert proved.decide(FALSE).status is Status.REFUTED
    assert [proved.decide(TRUE).status for _ in range(2)] == [Status.PROVED, Status.PROVED]
    weaker = Obligation("without what was given", (), TRUE.claim)
    assert proved.decide(weaker).status is Status.REFUTED


SMALL, OTHER = z3.ULT(X, 10), z3.ULT(Y, X)


@pytest.mark.parametrize(
    ("obligation", "given", "claim"),
    [
        (Obligation("of x alone", (OTHER,), TRUE.claim, further=(SMALL,)), (SMALL,), TRUE.claim),
        (Obligation("one part", (), z3.Or(z3.UGT(Y, 5), TRUE.claim), further=(SMALL,)), (SMALL,), TRUE.claim),
        (Obligation("by way of y", (OTHER,), z3.ULT(Y, 9), further=(SMALL,)), (OTHER, SMALL), z3.ULT(Y, 9)),
    ],
)  # fmt: skip
def test_what_is_proved_has_few_conditions_and_implies_what_was_asked(
    obligation: Obligation, given: tuple[z3.BoolRef, ...], claim: z3.BoolRef
) -> None:
    verdict = Proved().decide(obligation)
    assert verdict.status is Status.PROVED
    assert verdict.proved is not None
    assert (verdict.proved.given, verdict.proved.claim, verdict.proved.further) == (given, claim, ())
    second = SecondSolver()
    second.check(verdict.proved, verdict.status)
    assert (second.agreed, second.found) == (1, [])


def test_a_counterexample_satisfies_all_that_holds() -> None:
    for further, status in (((SMALL,), Status.REFUTED), ((SMALL, z3.ULT(X, 5)), Status.PROVED)):
        verdict = decided(Obligation("not seven", (), X != 7, (("x", X),), further=further))
        assert verdict.status is status
        assert verdict.counterexample == ((("x", 7),) if status is Status.REFUTED else ())


def test_satisfiable() -> None:
    assert satisfiable((X > 3, X < 5)) is Status.PROVED
    assert satisfiable((X > 3, X < 3)) is Status.REFUTED
    assert satisfiable(()) is Status.PROVED


@pytest.mark.parametrize(("obligation", "answer"), [(TRUE, Status.PROVED), (FALSE, Status.REFUTED)])
def test_the_second_solver_reads_the_same_question(obligation: Obligation, answer: Status) -> None:
    script = smt2(obligation)
    assert script.startswith(f"; {' '.join(obligation.what.split())}\n(set-logic QF_BV)\n")
    assert second_answer(script) is answer


def test_a_disagreement_is_counted_and_found_and_an_obligation_is_asked_once() -> None:
    second = SecondSolver()
    second.check(TRUE, Status.PROVED)
    second.check(TRUE, Status.PROVED)
    assert (second.agreed, second.disagreed, second.found) == (1, 0, [])
    second.check(FALSE, Status.PROVED)
    assert (second.agreed, second.disagreed) == (1, 1)
    assert second.found[0][:2] == ("no sum", Status.UNKNOWN)
    second.check(Obligation("other", (X == 1,), X == 1), Status.UNKNOWN)
    assert second.undecided == 1


IS_MEMBER = z3.Function("is a member", z3.BitVecSort(64), z3.BoolSort())
EQUALS = Obligation("equals are members together", (X == Y, IS_MEMBER(X)), IS_MEMBER(Y))
OTHERS = Obligation("others are not", (X != Y, IS_MEMBER(X)), IS_MEMBER(Y), (("x", X),))


@pytest.mark.parametrize(("obligation", "answer"), [(EQUALS, Status.PROVED), (OTHERS, Status.REFUTED)])
def test_both_solvers_know_functions_of_which_nothing_is_known(obligation: Obligation, answer: Status) -> None:
    assert decided(obligation).status is answer
    script = smt2(obligation)
    assert "(set-logic QF_UFBV)" in script
    assert second_answer(script) is answer


def test_the_logic_is_the_smallest() -> None:
    assert logic_of((X == Y, z3.Bool("b"))) == "QF_BV"
    assert logic_of((X == Y, IS_MEMBER(X))) == "QF_UFBV"
