"""`python -m differential hostile`: objects and code that mean harm; exit status 0 only if none of them did any."""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from differential.hostile import second_reader
from differential.hostile.inputs import CASES, Given, draw
from differential.hostile.judge import Judged, judge
from differential.hostile.kinds import kinds
from differential.hostile.shrink import differences, shrunk
from differential.hostile.workers import Judge, Record, judged, judged_alone
from differential.versions import named, versions

INPUTS, SEED = 100_000, 1
SHOWN_PROBLEMS = 3  # shrunk and in full; one per sort


def command_line() -> argparse.ArgumentParser:
    """The options. docs/reference.md has them all."""
    parser = argparse.ArgumentParser(prog="python -m differential hostile", description=__doc__)
    parser.add_argument("--inputs", metavar="N", type=int, default=INPUTS, help=f"how many ({INPUTS})")
    parser.add_argument("--seed", metavar="S", type=int, default=SEED, help=f"what they are drawn from ({SEED})")
    parser.add_argument("--first", metavar="I", type=int, help="begin with input I, and ask for no input of every kind")
    parser.add_argument("--jobs", metavar="N", type=int, default=2, help="worker processes (2)")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the results to FILE")
    return parser


class Results:
    """What was judged so far."""

    def __init__(self) -> None:
        self.inputs = 0
        self.ended: dict[str, Counter[str]] = {}  # by kind
        self.problems: list[Record] = []
        self.most_cpu_seconds = 0.0
        self.most_peak_bytes = 0
        self.most_resident_bytes = 0

    def add(self, record: Record) -> None:
        _, kind, _, found = record
        self.inputs += 1
        self.ended.setdefault(kind, Counter())[found.ended.partition(" ")[0]] += 1
        self.most_cpu_seconds = max(self.most_cpu_seconds, found.cpu_seconds)
        self.most_peak_bytes = max(self.most_peak_bytes, found.peak_bytes)
        self.most_resident_bytes = max(self.most_resident_bytes, found.resident_bytes)
        if found.problem:
            self.problems.append(record)

    def missing_kinds(self) -> list[str]:
        """Kinds that did not occur."""
        return [name for name in kinds() if name not in self.ended]


def main(arguments: Sequence[str], judging: Judge = judge) -> int:
    """The exit status; `judging` is another function only in tests."""
    parser = command_line()
    asked = parser.parse_args(arguments)
    if asked.inputs < 1 or asked.jobs < 1 or (asked.first or 0) < 0:
        parser.error("--inputs and --jobs need a positive number, --first none below zero")
    console = Console()
    missing = _missing()
    for name, reason in missing.items():
        console.print(f"{name}: {reason}", style="yellow", markup=False, highlight=False, soft_wrap=True)
    results, began = Results(), time.monotonic()
    columns = (TextColumn("inputs"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    # refreshed by hand: a thread that holds a lock while a worker is forked would leave it locked there
    with Progress(
        *columns, console=console, auto_refresh=False, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("inputs", total=asked.inputs)
        for record in judged(asked.seed, asked.first or 0, asked.inputs, asked.jobs, judging):
            results.add(record)
            if results.inputs % 100 == 0:
                bar.update(task, completed=results.inputs, refresh=True)
    results.problems.sort()
    seconds = time.monotonic() - began
    _show(console, results, asked.seed, seconds)
    _show_problems(console, results, asked.seed, judging)
    rare = results.missing_kinds() if asked.first is None else []
    if rare:
        console.print(f"too few inputs for these kinds: {', '.join(rare)}", highlight=False, soft_wrap=True)
    if asked.json is not None:
        asked.json.write_text(json.dumps(_as_json(results, asked.seed, missing, seconds), indent=2) + "\n")
    return 1 if results.problems or rare else 0


def _missing() -> dict[str, str]:
    found = {}
    if not second_reader.AVAILABLE:
        found["pyelftools"] = "not installed, so that objects are read by one reader only"
    if not CASES.exists():
        found["cases"] = f"{CASES} is not there, so that none of its objects is damaged"
    return found


def replay_command(seed: int, index: int) -> str:
    """A command that draws the same input again and judges it alone."""
    return f"python -m differential hostile --seed {seed} --first {index} --inputs 1"


def _show(console: Console, results: Results, seed: int, seconds: float) -> None:
    table = Table(title="what became of them", title_justify="left")
    for heading in ("kind", "inputs", "ended"):
        table.add_column(heading, justify="right" if heading == "inputs" else "left")
    for kind, ended in sorted(results.ended.items()):
        shown = ", ".join(f"{name} {count}" for name, count in ended.most_common())
        table.add_row(kind, str(ended.total()), shown)
    console.print(table)
    most = (
        f"{results.most_cpu_seconds:.2f} s of processor time",
        f"{results.most_peak_bytes >> 10} KiB for loading one",
        f"{results.most_resident_bytes >> 20} MiB for all of it",
    )
    line = f"{results.inputs} inputs; at most {', '.join(most)}; seed {seed}, {seconds:.1f} s"
    console.print(line, highlight=False, soft_wrap=True)
    console.print(named(versions("pyelftools")), markup=False, highlight=False, soft_wrap=True)


def _show_problems(console: Console, results: Results, seed: int, judging: Judge) -> None:
    if not results.problems:
        console.print("no input did any harm", style="green")
        return
    console.print(f"{len(results.problems)} inputs show a problem", style="red", highlight=False)
    sorts: dict[str, Record] = {}
    for record in results.problems:
        sorts.setdefault(record[3].problem, record)
    for index, kind, _, found in list(sorts.values())[:SHOWN_PROBLEMS]:
        smallest = smaller(draw(seed, index), found, judging)
        lines = [f"input {index} ({kind}): {found.problem}: {found.detail}", f"shrunk to {len(smallest.data)} bytes"]
        lines += [f"    {line}" for line in differences(smallest)]
        lines.append(f"replay: {replay_command(seed, index)}")
        for line in lines:
            console.print(line, markup=False, highlight=False, soft_wrap=True)


def smaller(given: Given, found: Judged, judging: Judge = judge) -> Given:
    """`given`, shrunk as long as the same problem is found. Without its problem in a process of its own: as it is."""

    def has_problem(other: Given) -> bool:
        return judged_alone(other, judging).problem == found.problem

    return shrunk(given, has_problem) if has_problem(given) else given


def _as_json(results: Results, seed: int, missing: dict[str, str], seconds: float) -> dict[str, Any]:
    return {
        "inputs": results.inputs,
        "problems": len(results.problems),
        "seed": seed,
        "seconds": round(seconds, 3),
        "most_cpu_seconds": round(results.most_cpu_seconds, 3),
        "most_peak_bytes": results.most_peak_bytes,
        "most_resident_bytes": results.most_resident_bytes,
        "versions": versions("pyelftools"),
        "missing": missing,
        "kinds": {kind: dict(ended) for kind, ended in sorted(results.ended.items())},
        "found": [
            {
                "index": index,
                "kind": kind,
                "problem": found.problem,
                "detail": found.detail,
                "replay": replay_command(seed, index),
            }
            for index, kind, _, found in results.problems
        ],
    }
