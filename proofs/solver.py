"""Decides obligations with z3. "Unknown" is an answer of its own and never counts as proved."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import z3

from proofs.theorem import Obligation

DEFAULT_TIMEOUT_MS = 60_000


class Status(Enum):
    """What became of an obligation, or of a theorem; the value is what the report says."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Verdict:
    """With REFUTED comes the counterexample, name by name; with UNKNOWN why."""

    status: Status
    counterexample: tuple[tuple[str, int], ...] = ()
    reason: str = ""


class Proved:
    """Obligations that were proved, by their terms: cases that differ in a register come to the same ones."""

    def __init__(self) -> None:
        self._terms: dict[tuple[int, ...], tuple[z3.BoolRef, ...]] = {}

    def decide(self, obligation: Obligation, timeout_ms: int = DEFAULT_TIMEOUT_MS) -> Verdict:
        """`decided`, or what it said of the same terms before."""
        claim = z3.simplify(obligation.claim)
        terms = (*obligation.given, claim)
        key = tuple(term.get_id() for term in terms)
        if z3.is_true(claim) or key in self._terms:
            return Verdict(Status.PROVED)
        verdict = decided(obligation, timeout_ms)
        if verdict.status is Status.PROVED:
            self._terms[key] = terms  # held, so that the ids stay theirs
        return verdict


def decided(obligation: Obligation, timeout_ms: int = DEFAULT_TIMEOUT_MS) -> Verdict:
    """Whether the claim follows from what is given."""
    claim = z3.simplify(obligation.claim)
    solver = z3.SolverFor("QF_BV")
    solver.set("timeout", timeout_ms)
    solver.add(*obligation.given, z3.Not(claim))
    answer = solver.check()
    if answer == z3.unsat:
        return Verdict(Status.PROVED)
    if answer == z3.unknown:
        return Verdict(Status.UNKNOWN, reason=solver.reason_unknown())
    model = solver.model()
    shown = tuple((name, _value(model, term)) for name, term in obligation.shown)
    return Verdict(Status.REFUTED, shown)


def satisfiable(conditions: tuple[z3.BoolRef, ...], timeout_ms: int = DEFAULT_TIMEOUT_MS) -> Status:
    """PROVED if the conditions can hold together, REFUTED if not: an assumption set that rules everything out."""
    solver = z3.SolverFor("QF_BV")
    solver.set("timeout", timeout_ms)
    solver.add(*conditions)
    answer = solver.check()
    return {z3.sat: Status.PROVED, z3.unsat: Status.REFUTED}.get(answer, Status.UNKNOWN)


def smt2(obligation: Obligation) -> str:
    """The obligation as an SMT-LIB 2 script; a solver that answers unsat has proved it."""
    solver = z3.SolverFor("QF_BV")
    solver.add(*obligation.given, z3.Not(obligation.claim))
    header = f"; {obligation.what}\n(set-logic QF_BV)\n"
    return header + "\n".join(line for line in solver.to_smt2().splitlines() if not line.startswith(";"))


def _value(model: z3.ModelRef, term: z3.ExprRef) -> int:
    value = model.eval(term, model_completion=True)
    if z3.is_bool(value):
        return int(z3.is_true(value))
    return int(value.as_long())
