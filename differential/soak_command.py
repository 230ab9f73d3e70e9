"""`python -m differential soak`: thousands of guests in one process; exit status 0 only if all held, nothing grew."""

from __future__ import annotations

import argparse
import json
import signal
from collections.abc import Sequence
from dataclasses import asdict
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from differential.soak.resources import AVAILABLE, Resources
from differential.soak.run import EPOCH, Report, Soak, soak
from differential.versions import named, versions
from differential.workers import CPU_SECONDS, FORK, be_quiet, death

MINUTES, SEED = 5.0, 1


def command_line() -> argparse.ArgumentParser:
    """The options. docs/reference.md has them all."""
    parser = argparse.ArgumentParser(prog="python -m differential soak", description=__doc__)
    parser.add_argument("--minutes", metavar="N", type=float, help=f"for how long ({MINUTES:g}, without --guests)")
    parser.add_argument("--guests", metavar="N", type=int, help="or until there were so many guests")
    parser.add_argument("--seed", metavar="S", type=int, default=SEED, help=f"what happens is drawn from it ({SEED})")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the results to FILE")
    return parser


def main(arguments: Sequence[str]) -> int:
    """The exit status."""
    parser = command_line()
    asked = parser.parse_args(arguments)
    if (asked.minutes is not None and asked.minutes <= 0) or (asked.guests is not None and asked.guests < 1):
        parser.error("--minutes and --guests need a positive number")
    minutes = MINUTES if asked.minutes is None and asked.guests is None else asked.minutes
    console = Console()
    if not AVAILABLE:
        console.print("no /proc here: memory, mappings, threads and files are not counted", style="yellow")
    report = in_a_process(console, asked.seed, asked.guests, None if minutes is None else minutes * 60)
    _show(console, report)
    if asked.json is not None:
        asked.json.write_text(json.dumps(as_json(report), indent=2) + "\n")
    return 1 if report.broken else 0


def in_a_process(console: Console, seed: int, guests: int | None, seconds: float | None) -> Report:
    """A soak in a process of its own, so that its death is a result."""
    ours, theirs = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_work, args=(theirs, seed, guests, seconds))
    process.start()
    theirs.close()
    try:
        found, at = _watched(console, ours)
        process.join()
    finally:
        process.kill()  # if this one is interrupted
    return found or Report(seed, at, 0.0, {}, 0, None, None, f"{death(process.exitcode)}, after {at} guests")


def _watched(console: Console, ours: Connection) -> tuple[Report | None, int]:
    """What the process reports, if it lives to do so, and how many guests there were."""
    at = 0
    columns = (TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(
        *columns, console=console, auto_refresh=False, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("guests")
        while True:
            try:
                found: int | Report = ours.recv()
            except EOFError:
                return None, at
            if isinstance(found, Report):
                return found, at
            at = found
            bar.update(task, description=f"{at} guests", refresh=True)


def _work(connection: Connection, seed: int, guests: int | None, seconds: float | None) -> None:
    be_quiet()
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    sent = 0

    def progress(running: Soak) -> None:
        nonlocal sent
        if running.guests >= sent + 100:
            sent = running.guests
            signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
            connection.send(sent)

    connection.send(soak(seed, guests, seconds, progress))


def replay_command(report: Report) -> str:
    """A command that lets the same things happen, but for where slices and other threads end a run."""
    return f"python -m differential soak --seed {report.seed} --guests {report.guests + EPOCH}"


def _show(console: Console, report: Report) -> None:
    table = Table(title="what happened", title_justify="left", show_header=False)
    counts = [f"{name.replace('_', ' ')} {count}" for name, count in report.happened.items()]
    for first in range(0, len(counts), 3):
        table.add_row(*counts[first : first + 3])
    console.print(table)
    if report.base is not None and report.now is not None:
        pairs = zip(Resources._fields, report.base, report.now, strict=True)
        shown = ", ".join(f"{name.replace('_', ' ')} {base} -> {now}" for name, base, now in pairs)
        console.print(f"after the warm-up and at the end: {shown}", highlight=False, soft_wrap=True)
    line = f"{report.guests} guests, {report.epochs} times all ended; seed {report.seed}, {report.seconds:.1f} s"
    console.print(line, highlight=False)
    console.print(named(versions()), markup=False, highlight=False, soft_wrap=True)
    if report.broken:
        console.print(report.broken, style="red", markup=False, highlight=False, soft_wrap=True)
        console.print(f"replay: {replay_command(report)}", markup=False, highlight=False, soft_wrap=True)
    else:
        console.print("all held, nothing grew", style="green")


def as_json(report: Report) -> dict[str, Any]:
    """The run as one object; docs/reference.md describes it."""
    resources = {
        name: None if counted is None else counted._asdict()
        for name, counted in (("base", report.base), ("now", report.now))
    }
    replay = replay_command(report) if report.broken else ""
    return {**asdict(report), **resources, "versions": versions(), "replay": replay}
