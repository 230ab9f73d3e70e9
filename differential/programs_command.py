"""`python -m differential programs`: the same random eBPF programs on the reference interpreter, on simulated native
code and on this processor; exit status 0 only if they agree on all of them and each form of instruction was reached."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from differential.programs.campaign import (
    ACCESSES,
    LEAST_PER_FORM,
    Campaign,
    Mismatch,
    Result,
    mismatch,
    run_campaign,
)
from differential.programs.engines import ENGINES, HAPPENINGS, REFERENCE, Outcomes, run_alone
from differential.programs.outcome import ended_text
from differential.programs.program import GuestProgram, listing, named_rows
from differential.programs.shrink import shrunk
from differential.programs.writer import write_program
from differential.report import SHOWN_MISMATCHES, Display, show_lost
from differential.versions import named, versions
from runtime.arena import native_unavailable

PROGRAMS = 2000
SEED = 1
_COLUMNS = 4
_SHOWN_BYTES = 32

EPILOG = """Exit status: 0 if the engines agree, 1 if not, or if some form of instruction was reached too rarely,
2 for wrong arguments, or if this machine has no native engine."""


def command_line() -> argparse.ArgumentParser:
    """The options. docs/reference.md has them all."""
    parser = argparse.ArgumentParser(prog="python -m differential programs", description=__doc__, epilog=EPILOG)
    parser.add_argument("--programs", metavar="N", type=int, default=PROGRAMS, help=f"how many ({PROGRAMS})")
    parser.add_argument("--seed", metavar="S", type=int, default=SEED, help=f"what they are drawn from ({SEED})")
    parser.add_argument("--first", metavar="I", type=int, help="begin with program I, and ask for no count per form")
    parser.add_argument("--jobs", metavar="N", type=int, default=2, help="worker processes (2)")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the results to FILE")
    return parser


def main(arguments: Sequence[str]) -> int:
    """The exit status."""
    parser = command_line()
    asked = parser.parse_args(arguments)
    if asked.programs < 1 or asked.jobs < 1 or (asked.first or 0) < 0:
        parser.error("--programs and --jobs need a positive number, --first none below zero")
    missing = native_unavailable()
    if missing is not None:
        parser.error(missing)
    console = Console()
    campaign = Campaign(asked.seed, asked.first or 0, asked.programs)
    began = time.monotonic()
    with Display(console, campaign.count, "programs") as display:
        result = run_campaign(
            campaign, asked.jobs, lambda so_far: display.advance(so_far.programs, len(so_far.mismatches))
        )
    seconds = time.monotonic() - began
    counted = asked.first is None
    show_result(console, campaign, result, seconds, counted)
    for found in result.mismatches[:SHOWN_MISMATCHES]:
        if found.count > 1:
            show_lost(console, found, "programs", replay_command(campaign, found))
        else:
            show_mismatch(console, campaign, found)
    if asked.json is not None:
        asked.json.write_text(json.dumps(as_json(campaign, result, seconds), indent=2) + "\n")
    return 1 if result.mismatches or (counted and (result.missing_forms() or result.missing())) else 0


def show_result(console: Console, campaign: Campaign, result: Result, seconds: float, counted: bool) -> None:
    """The counts; those per form only if they are `counted`."""
    if counted:
        table = Table(title="instructions that control reached, by form", show_header=False, title_justify="left")
        counts = [escape(f"{name} {result.forms[name]}") for name in named_rows()]
        for first in range(0, len(counts), _COLUMNS):
            table.add_row(*counts[first : first + _COLUMNS])
        console.print(table)
    ended = ", ".join(f"{count} {how}" for how, count in sorted(result.ended.items()))
    console.print(f"{result.programs} programs: {ended}", highlight=False, soft_wrap=True)
    for counted_things in (result.accesses, result.happened):
        shown = ", ".join(f"{name} {count}" for name, count in sorted(counted_things.items()))
        console.print(shown, markup=False, highlight=False, soft_wrap=True)
    ran = ", ".join(f"{name} {result.engines[name]}" for name in ENGINES)
    console.print(f"runs: {ran}; seed {campaign.seed}, {seconds:.1f} s", highlight=False, soft_wrap=True)
    console.print(named(versions()), markup=False, highlight=False, soft_wrap=True)
    rare = result.missing_forms() if counted else []
    if rare:
        console.print(f"fewer than {LEAST_PER_FORM} times: {'; '.join(rare)}", highlight=False, soft_wrap=True)
    too_few = result.missing() if counted else []
    if too_few:
        console.print(f"too few: {', '.join(too_few)}", highlight=False, soft_wrap=True)
    if result.mismatches:
        console.print(f"{len(result.mismatches)} mismatches", style="red", highlight=False)
    else:
        console.print("no mismatch", style="green", highlight=False)


def smallest(program: GuestProgram) -> GuestProgram:
    """The program, shrunk."""

    def differing(outcomes: Outcomes) -> str | None:
        found = mismatch(program.index, outcomes)
        return None if found is None else found.engine

    return shrunk(program, run_alone, differing)


def show_mismatch(console: Console, campaign: Campaign, found: Mismatch) -> None:
    """The shrunken program, and what the two engines left of it."""
    program = write_program(campaign.seed, found.index)
    if found.engine:
        program = smallest(program)
    outcomes = run_alone(program)
    again = mismatch(found.index, outcomes) or found
    differs = f"{again.engine} differs from the reference" if again.engine else "its process ends, with no engine alone"
    lines = [f"program {found.index}, seed {campaign.seed}: {differs}", "shrunk to"]
    lines += [f"    {line}" for line in listing(program)]
    for name in ("read_only", "writable", "calldata"):
        content: bytes = getattr(program, name)
        if content:
            lines.append(f"{name}: {len(content)} bytes, {content[:_SHOWN_BYTES].hex(' ')} ...")
    if again.engine == "turns":
        lines.append("turns: " + ", ".join(map(str, program.turns)))
    lines += [f"{name}: {ended_text(outcomes[name])}" for name in outcomes if name in (REFERENCE, again.engine)]
    lines.append("they differ in " + "; ".join(again.differences))
    lines.append(f"replay: {replay_command(campaign, found)}")
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def replay_command(campaign: Campaign, found: Mismatch) -> str:
    """A command that draws the same program again and runs it alone; or those that belong together."""
    which = f"--seed {campaign.seed} --first {found.index} --programs {found.count}"
    return f"python -m differential programs {which}"


def as_json(campaign: Campaign, result: Result, seconds: float) -> dict[str, Any]:
    """The run as one object; docs/reference.md describes it."""
    return {
        "programs": result.programs,
        "mismatches": len(result.mismatches),
        "forms": {name: result.forms[name] for name in named_rows()},
        "ended": dict(result.ended),
        "accesses": {name: result.accesses[name] for name in ACCESSES},
        "turns": {name: result.happened[name] for name in HAPPENINGS},
        "engines": {name: result.engines[name] for name in ENGINES},
        "versions": versions(),
        "seed": campaign.seed,
        "first": campaign.first,
        "seconds": round(seconds, 3),
        "found": [
            {
                "index": found.index,
                "count": found.count,
                "engine": found.engine,
                "differences": list(found.differences),
                "replay": replay_command(campaign, found),
            }
            for found in result.mismatches
        ],
    }
