"""Shows a run to people (rich), and to programs (JSON). Decides nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from proofs import cases, mutation
from proofs.mutation import Outcome
from proofs.runner import TheoremResult
from proofs.solver import Status

SHOWN_FINDINGS = 5  # of one theorem; the first is usually why all the others are there
_COLOURS = {Status.PROVED: "green", Status.REFUTED: "red", Status.UNKNOWN: "yellow"}


class Display(mutation.Watcher):
    """A bar with the theorem, the case and the obligations so far. Without a terminal: nothing but the obligations."""

    def __init__(self, console: Console) -> None:
        self._console = console
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        # refreshed by hand: a thread that holds a lock while a worker is forked would leave it locked there
        self._bar = Progress(*columns, console=console, auto_refresh=False, transient=True)
        self._task = self._bar.add_task("", total=0)
        self._obligations: dict[tuple[str, str], int] = {}

    def __enter__(self) -> Display:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def started(self, tasks: int) -> None:
        self._bar.reset(self._task, total=tasks)

    def progress(self, theorem: str, case: str, progress: cases.Progress) -> None:
        self._obligations[theorem, case] = progress.obligations
        for line in progress.lines:
            _print(self._console, f"{theorem} {case}: {line}")
        self._show(theorem, case)

    def ended(self, theorem: str, case: str, obligations: int) -> None:
        self._obligations[theorem, case] = obligations
        self._bar.advance(self._task)
        self._show(theorem, case)

    def outcome(self, outcome: Outcome) -> None:
        self._bar.advance(self._task)
        self._bar.update(self._task, description=f"mutant {outcome.mutant}", refresh=True)

    def _show(self, theorem: str, case: str) -> None:
        total = sum(self._obligations.values())
        text = escape(f"{theorem} {case}, {total} obligations")
        self._bar.update(self._task, description=text, refresh=True)


def show_theorems(console: Console, results: Sequence[TheoremResult], second: bool) -> None:
    """The table, then what kept theorems from being proved."""
    table = Table()
    headings = ("theorem", "status", "cases", "obligations", "seconds", *(("second solver",) if second else ()))
    for heading in headings:
        table.add_column(heading, justify="left" if heading in {"theorem", "status"} else "right", no_wrap=True)
    for result in results:
        status = f"[{_COLOURS[result.status]}]{result.status.value}[/]"
        seconds = f"{result.seconds:.1f}" + (" (cached)" if result.cached else "")
        row = [result.id, status, f"{result.cases}", f"{result.obligations}", seconds]
        if second:
            unlike = result.disagreed + result.undecided
            row.append(f"{result.agreed} agree" + (f", {unlike} do not" if unlike else ""))
        table.add_row(*row)
    console.print(table)
    vacuity = sum(result.satisfiable for result in results)
    console.print(f"{vacuity} sets of assumptions were shown to be satisfiable", highlight=False)
    for result in results:
        for finding in result.findings[:SHOWN_FINDINGS]:
            show_finding(console, finding)
        left = len(result.findings) - SHOWN_FINDINGS
        if left > 0:
            console.print(f"{result.id}: {left} more", highlight=False)


def show_finding(console: Console, finding: cases.Finding) -> None:
    """One reason why something is not proved: the counterexample as name = value, and what running it shows."""
    _print(console, f"{finding.theorem} {finding.case}: {finding.status.value}: {finding.what}")
    if finding.reason:
        _print(console, f"    {finding.reason}")
    _show_values(console, finding.counterexample)
    if finding.replay is not None:
        _print(console, "    confirmed by running it" if finding.replay.confirmed else "    not confirmed")
        for line in finding.replay.lines:
            _print(console, f"    {line}")


def _show_values(console: Console, counterexample: Sequence[tuple[str, int]]) -> None:
    for name, value in counterexample:
        _print(console, f"    {name} = {value:#x}" + (f" ({value})" if abs(value) > 9 else ""))


def _print(console: Console, line: str) -> None:
    """As it is: neither markup nor wrapping."""
    console.print(line, markup=False, highlight=False, soft_wrap=True)


def show_mutants(console: Console, outcomes: Sequence[Outcome], verbose: bool) -> None:
    """How many were killed; each survivor; with `verbose` what killed the others."""
    killed = [outcome for outcome in outcomes if outcome.killed]
    console.print(f"mutants: {len(killed)} of {len(outcomes)} killed", highlight=False)
    for outcome in outcomes:
        if not outcome.killed:
            _print(console, f"survives: {outcome.mutant}: {outcome.reason}")
        elif verbose:
            _print(console, f"{outcome.mutant}: killed by {outcome.theorem} {outcome.case}: {outcome.what}")
            _show_values(console, outcome.counterexample)
            for line in outcome.replay:
                _print(console, f"    {line}")


def as_json(results: Sequence[TheoremResult], outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The run as one object; docs/reference.md describes it."""
    return {
        "theorems": [
            {"id": r.id, "status": r.status.value, "obligations": r.obligations, "seconds": round(r.seconds, 3)}
            for r in results
        ],
        "mutants": {
            "total": len(outcomes),
            "killed": sum(outcome.killed for outcome in outcomes),
            "survivors": [outcome.mutant for outcome in outcomes if not outcome.killed],
        },
        "second_solver": {
            "agreed": sum(result.agreed for result in results),
            "disagreed": sum(result.disagreed for result in results),
        },
    }
