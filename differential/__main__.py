"""`python -m differential`: the same random code on several engines; exit status 0 only if they agree on all of it."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from rich.console import Console

from differential import encodings_command, hostile_command, programs_command, soak_command
from differential.campaign import Campaign, Mismatch, bench, mismatch, outcomes_alone, run_campaign
from differential.engines import ENGINES
from differential.engines.missing import EngineMissing
from differential.outcome import Outcome
from differential.report import (
    SHOWN_MISMATCHES,
    Display,
    as_json,
    replay_command,
    show_lost,
    show_mismatch,
    show_result,
)
from differential.shrink import shrunk
from differential.snippet import Snippet
from differential.writer import write_snippet

SEQUENCES = 20_000
SEED = 1

EPILOG = """Exit status: 0 if the engines agree, 1 if not, or if some form of instruction occurred too rarely,
2 for wrong arguments, or if fewer than two of the engines asked for can run here.
`python -m differential encodings` compares encodings with Capstone and Keystone, `programs` runs eBPF programs,
`hostile` judges objects and code that mean harm, `soak` runs thousands of guests in one process; each has a --help."""


def command_line() -> argparse.ArgumentParser:
    """The options. docs/reference.md has them all."""
    parser = argparse.ArgumentParser(prog="python -m differential", description=__doc__, epilog=EPILOG)
    parser.add_argument("--sequences", metavar="N", type=int, default=SEQUENCES, help=f"how many ({SEQUENCES})")
    parser.add_argument("--seed", metavar="S", type=int, default=SEED, help=f"what they are drawn from ({SEED})")
    parser.add_argument("--first", metavar="I", type=int, help="begin with sequence I, and ask for no count per form")
    parser.add_argument("--engines", metavar="NAMES", default=",".join(ENGINES), help=f"of {', '.join(ENGINES)}")
    parser.add_argument("--jobs", metavar="N", type=int, default=2, help="worker processes (2)")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the results to FILE")
    return parser


COMMANDS = {
    "encodings": encodings_command.main,
    "hostile": hostile_command.main,
    "programs": programs_command.main,
    "soak": soak_command.main,
}  # besides the campaign, which has no name


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given and given[0] in COMMANDS:
        return COMMANDS[given[0]](given[1:])
    return compare_engines(given)


def compare_engines(arguments: Sequence[str]) -> int:
    """The campaign."""
    parser = command_line()
    asked = parser.parse_args(arguments)
    names = tuple(dict.fromkeys(asked.engines.split(",")))
    unknown = [name for name in names if name not in ENGINES]
    if unknown:
        parser.error(f"no engine is called {unknown[0]!r}; there are {', '.join(ENGINES)}")
    if asked.sequences < 1 or asked.jobs < 1 or (asked.first or 0) < 0:
        parser.error("--sequences and --jobs need a positive number, --first none below zero")
    console = Console()
    versions, missing = available(names)
    for name, reason in missing.items():
        console.print(f"{name} does not run: {reason}", style="yellow", markup=False, highlight=False, soft_wrap=True)
    for name, version in versions.items():
        console.print(f"{name}: {version}", markup=False, highlight=False)
    if len(versions) < 2:
        parser.error("two engines are needed for a comparison")
    campaign = Campaign(asked.seed, asked.first or 0, asked.sequences, tuple(versions))
    began = time.monotonic()
    with Display(console, campaign.count) as display:
        result = run_campaign(campaign, asked.jobs, display.progress)
    seconds = time.monotonic() - began
    show_result(console, campaign, result, seconds)
    for found in result.mismatches[:SHOWN_MISMATCHES]:
        if found.count > 1:
            show_lost(console, found, "sequences", replay_command(campaign, found))
            continue
        smallest, again, outcomes = explained(campaign, found)
        show_mismatch(console, campaign, again, smallest, outcomes)
    if asked.json is not None:
        report = as_json(campaign, result, versions, missing, seconds)
        asked.json.write_text(json.dumps(report, indent=2) + "\n")
    rare = asked.first is None and bool(result.missing_forms() or result.missing_variants())
    return 1 if result.mismatches or rare else 0


def available(names: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """The versions of the engines that can run here; and why the others cannot."""
    missing: dict[str, str] = {}
    while len(missing) < len(names):
        left = tuple(name for name in names if name not in missing)
        try:
            return {name: engine.version for name, engine in bench(left).engines.items()}, missing
        except EngineMissing as error:
            missing[error.name] = error.reason
    return {}, missing


def explained(campaign: Campaign, found: Mismatch) -> tuple[Snippet, Mismatch, dict[str, Outcome]]:
    """The shrunken snippet, how the engines differ on it, and what they make of it."""
    there = bench(campaign.engines)
    run = partial(outcomes_alone, there, tuple(dict.fromkeys(found.engines)))
    original = write_snippet(campaign.seed, found.index, there.placement.scratch)
    smallest = shrunk(original, run, lambda snippet, outcomes: mismatch(snippet, outcomes) is not None)
    outcomes = run(smallest)
    again = mismatch(smallest, outcomes)
    return smallest, replace(again or found, engines=found.engines), outcomes


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
