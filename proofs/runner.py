"""Decides theorems: every case as a task in a forked process, results remembered by what they depend on.

Input: theorems. Output: one `TheoremResult` each. A theorem is proved if all of its cases are without findings;
refuted if one has a counterexample; unknown otherwise, whatever the reason. Knows nothing of what theorems are about,
nor of how results are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol

import z3

from proofs.cache import Cache, digest, key_of
from proofs.cases import CaseResult, Finding, Progress, decide_assumptions, decide_case
from proofs.executor import LIMITS
from proofs.solver import Status, smt2, terms_of
from proofs.theorem import Case, Theorem
from proofs.workers import Done, News, Say, Task, forked

CASE_LIMIT_S = 1_200


@dataclass(frozen=True, slots=True)
class Options:
    """How to run. `verbose` and `second` see every obligation, so `verbose` reads nothing from the cache."""

    jobs: int = 2
    verbose: bool = False
    second: bool = False
    case_limit_s: float = CASE_LIMIT_S


@dataclass(slots=True)
class TheoremResult:
    """The sums over a theorem's cases."""

    id: str
    cases: int = 0
    obligations: int = 0
    satisfiable: int = 0
    seconds: float = 0.0
    agreed: int = 0
    disagreed: int = 0
    undecided: int = 0
    cached: bool = False
    findings: list[Finding] = field(default_factory=list)

    @property
    def status(self) -> Status:
        if not self.findings:
            return Status.PROVED
        return Status.REFUTED if any(f.status is Status.REFUTED for f in self.findings) else Status.UNKNOWN

    def add(self, result: CaseResult) -> None:
        self.obligations += result.obligations
        self.satisfiable += result.satisfiable
        self.seconds += result.seconds
        self.agreed += result.agreed
        self.disagreed += result.disagreed
        self.undecided += result.undecided
        self.findings += result.findings


class Watcher(Protocol):
    """Who is told how the run goes."""

    def started(self, tasks: int) -> None: ...

    def progress(self, theorem: str, case: str, progress: Progress) -> None: ...

    def ended(self, theorem: str, case: str, obligations: int) -> None: ...


def decide_theorems(
    theorems: Iterable[Theorem], options: Options, cache: Cache, watcher: Watcher
) -> list[TheoremResult]:
    """One result per theorem, in their order."""
    results: list[TheoremResult] = []
    keys: dict[str, str] = {}
    tasks: list[tuple[TheoremResult, str, Task[CaseResult]]] = []
    for theorem in theorems:
        keys[theorem.id] = digest(key_of(theorem), "second" if options.second else "")
        known = None if options.verbose else cache.load(keys[theorem.id])
        if known is not None:
            results.append(TheoremResult(**{**known, "cached": True}))
            continue
        result = TheoremResult(theorem.id)
        results.append(result)
        tasks += ((result, name, task) for name, task in _tasks(theorem, result, options))
    watcher.started(len(tasks))
    for index, said in forked([task for _, _, task in tasks], options.jobs, options.case_limit_s):
        result, name, _ = tasks[index]
        if isinstance(said, News):
            watcher.progress(result.id, name, said.value)
        elif isinstance(said, Done):
            result.add(said.value)
            watcher.ended(result.id, name, said.value.obligations)
        else:
            result.findings.append(Finding(result.id, name, "all of it", Status.UNKNOWN, said.reason))
            watcher.ended(result.id, name, 0)
    for result in results:
        if result.status is Status.PROVED and not result.cached:
            cache.store(keys[result.id], {**asdict(result), "findings": []})
    return results


def _tasks(theorem: Theorem, result: TheoremResult, options: Options) -> Iterator[tuple[str, Task[CaseResult]]]:
    """A task per case, and one for the assumptions. Cases that cannot even be listed are a finding."""
    try:
        cases = list(theorem.cases())
    except (AssertionError, *LIMITS) as exception:
        result.findings.append(Finding(theorem.id, "", "listing its cases", Status.UNKNOWN, repr(exception)))
        return
    result.cases = len(cases)
    if not cases:
        result.findings.append(Finding(theorem.id, "", "all of it", Status.UNKNOWN, "the theorem has no cases"))
    yield "assumptions", lambda say: decide_assumptions(theorem, say)
    for case in cases:
        yield case.name, _case_task(theorem, case, options)


def _case_task(theorem: Theorem, case: Case, options: Options) -> Task[CaseResult]:
    def task(say: Say) -> CaseResult:
        return decide_case(theorem, case, say, verbose=options.verbose, second=options.second)

    return task


def export(theorems: Sequence[Theorem], directory: Path) -> int:
    """Write each distinct obligation as an SMT-LIB 2 script; how many there were."""
    directory.mkdir(parents=True, exist_ok=True)
    written = 0
    for theorem in theorems:
        held: dict[tuple[int, ...], tuple[z3.BoolRef, ...]] = {}
        for case in theorem.cases():
            for obligation in case.obligations():
                obligation = obligation.with_all()
                key, terms = terms_of(obligation)
                if key not in held:
                    held[key] = terms
                    (directory / f"{theorem.id}-{len(held):06}.smt2").write_text(smt2(obligation))
        written += len(held)
    return written
