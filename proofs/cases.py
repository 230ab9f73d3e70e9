"""Decides one case of a theorem: every obligation, and that what is assumed can hold.

Everything that keeps a case from being green is a `Finding`. A case without findings was decided completely: its
generator ran to its end, and each obligation was proved.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import z3

from proofs.executor import LIMITS, PathFailed
from proofs.replay import raised_again, replayed
from proofs.second_solver import SecondSolver
from proofs.solver import Proved, Status, Verdict, inputs_of, satisfiable
from proofs.theorem import Case, Obligation, Replay, Theorem

OBLIGATION_TIMEOUT_MS = 60_000
NEWS_EVERY_S = 0.3
REPLAYED = 5  # counterexamples of one case; the others are like them


@dataclass(frozen=True, slots=True)
class Finding:
    """Why a case is not proved. `what` is the obligation, in words; the counterexample is name = value.

    `values` are those of all unknowns; `replay` says whether the counterexample was confirmed, if it was tried.
    """

    theorem: str
    case: str
    what: str
    status: Status
    reason: str = ""
    counterexample: tuple[tuple[str, int], ...] = ()
    values: tuple[tuple[str, int], ...] = ()
    replay: Replay | None = None


@dataclass(slots=True)
class CaseResult:
    """What was counted and found in one case."""

    obligations: int = 0
    satisfiable: int = 0  # assumption sets that were shown to be so
    seconds: float = 0.0
    agreed: int = 0  # distinct obligations that the second solver decided in the same way
    disagreed: int = 0
    undecided: int = 0  # by the second solver
    findings: list[Finding] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Progress:
    """How many obligations a running case has seen; with -v, which ones came last and what became of each."""

    obligations: int
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """An obligation and what became of it; without an obligation, why there are no more.

    `decided` is what the solver was asked: the obligation with all that holds, or one that implies it.
    """

    obligation: Obligation | None
    finding: Finding | None
    decided: Obligation | None = None


def judge(theorem: Theorem, case: Case, proved: Proved, timeout_ms: int = OBLIGATION_TIMEOUT_MS) -> Iterator[Judged]:
    """The verdicts on the case, one after the other. Ends at the first thing that stops its exploration."""
    obligations = case.obligations()
    replays = 0
    while True:
        try:
            obligation = next(obligations)
        except StopIteration:
            return
        except PathFailed as failed:
            verdict = inputs_of(failed, timeout_ms)
            where = f"{failed.what or 'the code'} raises {failed}"
            again = raised_again(case, failed, verdict.values) if verdict.values is not None else None
            yield Judged(None, _finding(theorem, case, where, verdict, again))
            return
        except LIMITS as limit:
            verdict = Verdict(Status.UNKNOWN, reason=f"{type(limit).__name__}: {limit}")
            yield Judged(None, _finding(theorem, case, "exploring its paths", verdict))
            return
        except Exception as exception:  # the theorem's own code: a finding of this case, the others go on
            verdict = Verdict(Status.UNKNOWN, reason=f"{type(exception).__name__}: {exception}")
            yield Judged(None, _finding(theorem, case, "the theorem's own code", verdict))
            return
        verdict = proved.decide(obligation, timeout_ms)
        finding = None
        if verdict.status is not Status.PROVED:
            replay = None
            if verdict.values is not None and replays < REPLAYED:
                replay = replayed(case, verdict.values)
                replays += 1
            finding = _finding(theorem, case, obligation.what, verdict, replay)
        yield Judged(obligation, finding, verdict.proved or obligation.with_all())


def _finding(theorem: Theorem, case: Case, what: str, verdict: Verdict, replay: Replay | None = None) -> Finding:
    values = verdict.values.named() if verdict.values is not None else ()
    return Finding(theorem.id, case.name, what, verdict.status, verdict.reason, verdict.counterexample, values, replay)


def decide_case(
    theorem: Theorem, case: Case, say: Callable[[Progress], None], *, verbose: bool = False, second: bool = False
) -> CaseResult:
    """All of the case. Says now and then how far it is."""
    started = said = time.monotonic()
    result = CaseResult()
    other = SecondSolver() if second else None
    lines: list[str] = []
    about_nothing: Finding | None = None  # while nothing that was given can hold
    for judged in judge(theorem, case, Proved()):
        if judged.finding is not None:
            result.findings.append(judged.finding)
        if judged.obligation is None:
            break
        if result.satisfiable == 0:  # paths that cannot be may come first, where infeasible ones are not pruned
            given = judged.obligation.with_all().given
            about_nothing = _show_satisfiable(theorem, case.name, judged.obligation.what, given)
            result.satisfiable = 0 if about_nothing else 1
        result.obligations += 1
        if other is not None:
            other.check(judged.decided or judged.obligation, judged.finding.status if judged.finding else Status.PROVED)
        if verbose:
            lines.append(f"{judged.finding.status.value if judged.finding else 'proved':8} {judged.obligation.what}")
        if time.monotonic() - said > NEWS_EVERY_S:
            said = time.monotonic()
            say(Progress(result.obligations, tuple(lines)))
            lines.clear()
    if about_nothing is not None:
        result.findings.append(about_nothing)
    if result.obligations == 0 and not result.findings:
        result.findings.append(
            Finding(theorem.id, case.name, "all of it", Status.UNKNOWN, "the case has no obligations: it says nothing")
        )
    if other is not None:
        result.agreed, result.disagreed, result.undecided = other.agreed, other.disagreed, other.undecided
        result.findings += (Finding(theorem.id, case.name, *found) for found in other.found)
    say(Progress(result.obligations, tuple(lines)))
    result.seconds = time.monotonic() - started
    return result


def decide_assumptions(theorem: Theorem, say: Callable[[Progress], None]) -> CaseResult:
    """That each assumption set of the theorem can hold: else it would be true of nothing."""
    started = time.monotonic()
    result = CaseResult()
    for name, conditions in theorem.assumptions():
        finding = _show_satisfiable(theorem, "assumptions", name, tuple(conditions))
        if finding is None:
            result.satisfiable += 1
        else:
            result.findings.append(finding)
    say(Progress(0))
    result.seconds = time.monotonic() - started
    return result


def _show_satisfiable(
    theorem: Theorem, case: str, what: str, conditions: tuple[z3.BoolRef, ...]
) -> Finding | None:
    """None if the conditions can hold together."""
    answer = satisfiable(conditions)
    if answer is Status.PROVED:
        return None
    reason = {Status.REFUTED: "what is assumed cannot hold: it is vacuous"}.get(answer, "can what is assumed hold?")
    return Finding(theorem.id, case, what, Status.UNKNOWN, reason)
