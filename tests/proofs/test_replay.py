"""A counterexample counts only if running it again, on its numbers, shows the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from random import Random

import pytest
import z3

import proofs.theorems  # noqa: F401 - registers them
from proofs.cache import Cache
from proofs.cases import Finding, decide_case
from proofs.evaluate import evaluate
from proofs.executor import NotTheSame, explore, guided
from proofs.mutants import Mutant
from proofs.mutation import Watcher, run_mutants
from proofs.solver import Status
from proofs.symbolic import Int, as_int, condition_of
from proofs.theorem import THEOREMS, Case, Obligation, Theorem
from proofs.values import Values

A, B, P = z3.BitVec("a", 8), z3.BitVec("b", 8), z3.Bool("p")


def values_of(*conditions: z3.BoolRef) -> Values:
    solver = z3.Solver()
    solver.add(*conditions)
    assert solver.check() == z3.sat
    return Values(solver.model())


def finding(obligations: Callable[[], Iterator[Obligation]]) -> Finding:
    """What is found first in a planted case."""
    case = Case("only", obligations)
    theorem = Theorem("planted.one", "", "", (), (), lambda: (case,))
    return decide_case(theorem, case, lambda progress: None).findings[0]


def halved(x: int) -> int:
    """Wrong for 200 and above."""
    return x // 2 if x < 200 else 7


def halves() -> Iterator[Obligation]:
    x, given = Int.fresh("x", 0, 255)
    for path in explore(partial(halved, x), assuming=(given,)):  # type: ignore[arg-type]
        claim = condition_of(as_int(path.returned) * 2 <= x)
        yield Obligation("no more than half", path.conditions, claim, (("x", x.bits),))
        yield Obligation("half", path.conditions, condition_of(x - as_int(path.returned) * 2 <= 1), (("x", x.bits),))


def test_a_wrong_result_is_confirmed_by_the_function_itself() -> None:
    found = finding(halves)
    assert found.status is Status.REFUTED
    assert found.what == "half"
    assert found.replay is not None
    assert found.replay.confirmed
    assert dict(found.values)["x"] >= 200


def test_a_claim_of_less_than_what_is_known_is_not_refuted_unless_all_of_it_holds() -> None:
    def careless(*besides: z3.BoolRef) -> Iterator[Obligation]:
        yield Obligation("a is small", (), z3.ULT(A, 10), besides=besides)

    assert finding(careless).status is Status.REFUTED
    found = finding(partial(careless, z3.ULT(A, 20)))
    assert found.status is Status.REFUTED
    assert 10 <= dict(found.values)["a"] < 20
    assert finding(partial(careless, z3.ULT(A, 5))).status is Status.UNKNOWN


def test_what_does_not_come_up_again_is_not_confirmed() -> None:
    claims = iter((A != 3, z3.BoolVal(True)))

    def changing() -> Iterator[Obligation]:
        yield Obligation("a is not three", (), next(claims))

    found = finding(changing)
    assert found.status is Status.REFUTED
    assert found.replay is not None
    assert not found.replay.confirmed
    assert "every claim holds" in found.replay.lines[0]


def test_a_counterexample_that_rests_on_an_unknown_function_is_not_confirmed() -> None:
    quotient = z3.BitVec("quotient", 8)

    def abstract() -> Iterator[Obligation]:
        yield Obligation("no larger", (B != 0,), z3.ULE(quotient, A), exactly=z3.ULE(z3.UDiv(A, B), A))

    found = finding(abstract)
    assert found.status is Status.REFUTED
    assert found.replay is not None
    assert not found.replay.confirmed


def test_a_domain_that_computes_otherwise_than_python_is_noticed() -> None:
    class Wrong(Int):
        __slots__ = ()

        def __floordiv__(self, other: int | Int) -> Int:
            return self + 1

    x, given = Int.fresh("x", 0, 255)
    wrong = Wrong(x.bits, 0, 255)
    with guided(values_of(x.bits == 8)), pytest.raises(NotTheSame, match="halved"):
        list(explore(partial(halved, wrong), assuming=(given,)))  # type: ignore[arg-type]


def test_a_guided_exploration_has_the_one_path_of_its_numbers_or_none() -> None:
    x, given = Int.fresh("x", 0, 255)

    def which() -> int:
        return next(k for k in range(4) if x < 64 * (k + 1))

    for number in (0, 63, 64, 255):
        with guided(values_of(x.bits == number)):
            assert [path.returned for path in explore(which, assuming=(given,))] == [number // 64]
            assert len(list(explore(which, assuming=(given,), prune=False))) == 4  # formulas stay complete
    with guided(values_of(x.bits == 63)):
        assert not list(explore(which, assuming=(condition_of(x > 63),)))


def test_an_exception_is_confirmed_by_the_same_exception() -> None:
    def divide(x: int) -> int:
        return 1 // 0 if x == 77 else 1

    def divides() -> Iterator[Obligation]:
        x, given = Int.fresh("x", 0, 255)
        for path in explore(partial(divide, x), assuming=(given,), what="dividing"):  # type: ignore[arg-type]
            yield Obligation("divided", path.conditions, z3.BoolVal(True))

    found = finding(divides)
    assert found.replay is not None
    assert found.replay.confirmed
    assert "ZeroDivisionError" in found.replay.lines[0]
    assert dict(found.values) == {"x": 77}


def test_a_mutant_without_a_confirmed_counterexample_survives(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = "signed_field(target - end + 1, FIELD)"
    mutant = Mutant("planted", "jit.assemble", "signed_field(target - end, FIELD)", wrong, ("bytes.fixup",))

    def outcome() -> tuple[bool, str]:
        (result,) = run_mutants([mutant], THEOREMS, 1, Cache(None), Watcher(), THEOREMS)
        return result.killed, result.reason

    assert outcome() == (True, "")
    # in the mutant's process the modules are imported anew, from the files: only an attribute of z3 stays changed
    evaluation = z3.ModelRef.eval
    monkeypatch.setattr(z3.ModelRef, "eval", lambda self, term, **how: evaluation(self, z3.simplify(term * 0), **how)
                        if z3.is_bv(term) else evaluation(self, term, **how))  # fmt: skip
    killed, reason = outcome()
    assert not killed
    assert reason.startswith("counterexample not confirmed: bytes.fixup distance: ")


OPERATIONS: tuple[Callable[[z3.BitVecRef, z3.BitVecRef], z3.ExprRef], ...] = (
    *(lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: -a, lambda a, b: ~a),
    *(lambda a, b: a & b, lambda a, b: a | b, lambda a, b: a ^ b, lambda a, b: a << b, lambda a, b: a >> b),
    *(z3.LShR, z3.UDiv, z3.URem, z3.SRem, lambda a, b: a / b, z3.Concat, lambda a, b: z3.Extract(6, 2, a)),
    *(lambda a, b: z3.SignExt(5, a), lambda a, b: z3.ZeroExt(5, a), lambda a, b: z3.If(z3.ULT(a, b), a, b)),
    *(z3.ULT, z3.ULE, z3.UGT, z3.UGE, lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a > b, lambda a, b: a >= b),
    *(lambda a, b: a == b, z3.Distinct, lambda a, b: z3.And(a == b, P), lambda a, b: z3.Xor(P, a < b)),
    *(lambda a, b: z3.Or(z3.Not(P), a == b), lambda a, b: z3.Implies(P, a != b), lambda a, b: z3.Sum(a, b, a)),
)
EDGES = (0, 1, 2, 7, 8, 9, 127, 128, 129, 254, 255)


def test_python_and_z3_evaluate_alike() -> None:
    random = Random(0)
    for operation in OPERATIONS:
        term = operation(A, B)
        for a, b in product(EDGES, EDGES):
            p = random.random() < 0.5
            numbers = (A, z3.BitVecVal(a, 8)), (B, z3.BitVecVal(b, 8)), (P, z3.BoolVal(p))
            expected = z3.simplify(z3.substitute(term, *numbers))
            by_z3 = expected.as_long() if z3.is_bv(expected) else z3.is_true(expected)
            by_name = {"a": a, "b": b, "p": p}
            number = partial(_number, by_name)
            assert evaluate(term, number) == by_z3, (term, a, b, p)


def _number(by_name: dict[str, int], unknown: z3.ExprRef) -> int:
    return by_name[unknown.decl().name()]


def test_a_function_of_which_nothing_is_known_is_what_the_counterexample_makes_it() -> None:
    member = z3.Function("is a member", z3.BitVecSort(8), z3.BoolSort())
    values = values_of(A == 3, B == 4, member(A + 1), z3.Not(member(A)))
    assert values.holds(member(B))
    assert not values.holds(member(B - 1))
