"""Decides obligations with z3. "Unknown" is an answer of its own and never counts as proved.

The logic is that of quantifier-free bit-vectors, with uninterpreted functions where an obligation has any.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import z3

from proofs.executor import PathFailed, relevant
from proofs.theorem import Obligation
from proofs.values import Values

DEFAULT_TIMEOUT_MS = 60_000
SHORT_TIMEOUT_MS = 5_000  # for an answer from a part of what is given


class Status(Enum):
    """What became of an obligation, or of a theorem; the value is what the report says."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Verdict:
    """With PROVED comes what was proved, with UNKNOWN why.

    With REFUTED come the counterexample, what is shown of it, and all of it.
    """

    status: Status
    counterexample: tuple[tuple[str, int], ...] = ()
    reason: str = ""
    values: Values | None = None
    proved: Obligation | None = None  # the one asked about, or one that implies it: what the solver said yes to


class Proved:
    """Obligations that were proved, by their terms: cases that differ in a register come to the same ones.

    Of a claim that comes again, with other conditions, it also remembers which conditions its proof needed: whatever
    else is given besides them, the claim follows.
    """

    def __init__(self) -> None:
        self._terms: dict[tuple[int, ...], tuple[z3.BoolRef, ...]] = {}
        self._needed: dict[int, list[frozenset[int]]] = {}  # by claim; `_terms` holds what the ids are of
        self._in_vain: dict[tuple[int, ...], tuple[z3.BoolRef, ...]] = {}  # not proved from a part of what is given

    def decide(self, obligation: Obligation, timeout_ms: int = DEFAULT_TIMEOUT_MS) -> Verdict:
        """`decided`, or what it said of the same claim before."""
        if z3.is_true(z3.simplify(obligation.claim)):
            return Verdict(Status.PROVED, proved=replace(obligation, further=()))
        if not obligation.further:
            return self._decide(obligation, timeout_ms, cores=True)
        for stronger in _stronger(obligation):
            key, terms = terms_of(stronger)
            if key not in self._in_vain:
                verdict = self._decide(stronger, min(timeout_ms, SHORT_TIMEOUT_MS), cores=False)
                if verdict.status is Status.PROVED:
                    return verdict
                self._in_vain[key] = terms
        return self._decide(obligation.with_all(), timeout_ms, cores=False)

    def _decide(self, obligation: Obligation, timeout_ms: int, *, cores: bool) -> Verdict:
        """From what is given alone."""
        key, terms = terms_of(obligation)
        if z3.is_true(terms[-1]) or key in self._terms:
            return Verdict(Status.PROVED, proved=obligation)
        given, claim = key[:-1], key[-1]
        known = self._needed.get(claim)
        if known is not None and any(needed.issubset(given) for needed in known):
            return Verdict(Status.PROVED, proved=obligation)
        again = known is not None and cores
        verdict, needed = _decided(obligation, timeout_ms, want_needed=again)
        if verdict.status is Status.PROVED:
            self._terms[key] = terms
            self._needed.setdefault(claim, []).extend([frozenset(given[i] for i in needed)] if again else [])
        return verdict


def _stronger(obligation: Obligation) -> Iterator[Obligation]:
    """What implies the obligation, has fewer conditions, and is often true: in this order.

    Of a disjunction one part, of the conditions those that speak of nothing else; then the claim, from what is given.
    """
    conditions = obligation.with_all().given
    for claim in obligation.claim.children() if z3.is_or(obligation.claim) else (obligation.claim,):
        if not z3.is_false(claim):
            given = tuple({part.get_id(): part for part in relevant(conditions, claim)}.values())
            yield replace(obligation, given=given, claim=claim, further=())
    yield replace(obligation, further=())


def terms_of(obligation: Obligation) -> tuple[tuple[int, ...], tuple[z3.BoolRef, ...]]:
    """What makes obligations the same, and the terms, last the simplified claim: hold them, and ids stay theirs."""
    terms = (*obligation.given, z3.simplify(obligation.claim))
    return tuple(term.get_id() for term in terms), terms


def decided(obligation: Obligation, timeout_ms: int = DEFAULT_TIMEOUT_MS) -> Verdict:
    """Whether the claim follows from what is given."""
    return Proved().decide(obligation, timeout_ms)


def _decided(obligation: Obligation, timeout_ms: int, *, want_needed: bool) -> tuple[Verdict, tuple[int, ...]]:
    """The same, and the numbers of the conditions that the proof needed: it takes longer to find them."""
    refuted = z3.Not(z3.simplify(obligation.claim))
    switches = [z3.Bool(f"given {i}") for i in range(len(obligation.given))] if want_needed else []
    given = tuple(map(z3.Implies, switches, obligation.given)) if want_needed else obligation.given
    solver = _solver((*given, refuted), timeout_ms)
    answer = solver.check(*switches)
    if answer == z3.unsat:
        needed = {switch.get_id() for switch in solver.unsat_core()} if want_needed else set()
        numbers = tuple(i for i, switch in enumerate(switches) if switch.get_id() in needed)
        return Verdict(Status.PROVED, proved=obligation), numbers
    if answer == z3.unknown:
        return Verdict(Status.UNKNOWN, reason=solver.reason_unknown()), ()
    if obligation.besides:
        solver.add(*obligation.besides)
        answer = solver.check(*switches)
        if answer != z3.sat:
            return Verdict(Status.UNKNOWN, reason=f"refuted, but with what holds besides: {answer}"), ()
    return _refuted(solver.model(), obligation.shown), ()


def _refuted(model: z3.ModelRef, shown: Iterable[tuple[str, z3.ExprRef]]) -> Verdict:
    values = Values(model)
    return Verdict(Status.REFUTED, tuple((name, values.shown(term)) for name, term in shown), values=values)


def inputs_of(failed: PathFailed, timeout_ms: int = DEFAULT_TIMEOUT_MS) -> Verdict:
    """REFUTED with inputs that lead to an exception that nobody expected; UNKNOWN if there may be none."""
    solver = _solver(failed.conditions, timeout_ms)
    answer = solver.check()
    if answer != z3.sat:
        why = "its path cannot be taken, and the rest was not explored" if answer == z3.unsat else "can it be taken?"
        return Verdict(Status.UNKNOWN, reason=why)
    return _refuted(solver.model(), _constants(failed.conditions))


def _constants(terms: tuple[z3.ExprRef, ...]) -> list[tuple[str, z3.ExprRef]]:
    """The unknown words and truths in `terms`, by name."""
    found: dict[str, z3.ExprRef] = {}
    seen: set[int] = set()
    pending = list(terms)
    while pending:
        term = pending.pop()
        if term.get_id() in seen:
            continue
        seen.add(term.get_id())
        pending += term.children()
        if z3.is_const(term) and term.decl().kind() == z3.Z3_OP_UNINTERPRETED and (z3.is_bv(term) or z3.is_bool(term)):
            found[term.decl().name()] = term
    return sorted(found.items())


def satisfiable(conditions: tuple[z3.BoolRef, ...], timeout_ms: int = DEFAULT_TIMEOUT_MS) -> Status:
    """PROVED if the conditions can hold together, REFUTED if not: an assumption set that rules everything out."""
    solver = _solver(conditions, timeout_ms)
    answer = solver.check()
    if answer == z3.sat:
        return Status.PROVED
    return Status.REFUTED if answer == z3.unsat else Status.UNKNOWN


def smt2(obligation: Obligation) -> str:
    """The obligation as an SMT-LIB 2 script; a solver that answers unsat has proved it."""
    conditions = tuple(map(_in_smt2, (*obligation.given, z3.Not(obligation.claim))))
    solver = _solver(conditions)
    what = " ".join(obligation.what.split())  # a comment ends at the end of its line
    header = f"; {what}\n(set-logic {logic_of(conditions)})\n"
    return header + "\n".join(line for line in solver.to_smt2().splitlines() if not line.startswith(";"))


def _in_smt2(term: z3.BoolRef) -> z3.BoolRef:
    """`term` without conjunctions and disjunctions of one part, which SMT-LIB does not have."""
    while single := _of_one(term):
        term = z3.substitute(term, *((part, part.arg(0)) for part in single))
    return term


def _of_one(term: z3.BoolRef) -> list[z3.BoolRef]:
    found, seen, pending = [], set[int](), [term]
    while pending:
        part = pending.pop()
        if part.get_id() not in seen:
            seen.add(part.get_id())
            pending += part.children()
            if (z3.is_and(part) or z3.is_or(part)) and part.num_args() == 1:
                found.append(part)
    return found


def logic_of(conditions: Sequence[z3.BoolRef]) -> str:
    """SMT-LIB's name of the logic that these conditions are in: words, and functions of words if there are any."""
    goal = z3.Goal()
    goal.add(*conditions)
    return "QF_BV" if _IS_QF_BV(goal) else "QF_UFBV"


_IS_QF_BV = z3.Probe("is-qfbv")


def _solver(conditions: Sequence[z3.BoolRef], timeout_ms: int | None = None) -> z3.Solver:
    solver = z3.SolverFor(logic_of(conditions))
    if timeout_ms is not None:
        solver.set("timeout", timeout_ms)
    solver.add(*conditions)
    return solver
