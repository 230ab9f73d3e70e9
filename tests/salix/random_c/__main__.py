"""`python -m tests.salix.random_c`: the same C programs, random and systematic, by gcc, by clang for eBPF and by our
compiler, these two on our runtime. Exit status 0 only if all results agree."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from differential.report import SHOWN_MISMATCHES, Display
from tests.salix.random_c.campaign import Campaign, Mismatch, run_campaign, smallest, source_of
from tests.salix.random_c.engines import missing

PROGRAMS = 1000
SEED = 1


def command_line() -> argparse.ArgumentParser:
    """The options."""
    parser = argparse.ArgumentParser(prog="python -m tests.salix.random_c", description=__doc__)
    parser.add_argument("--programs", metavar="N", type=int, default=PROGRAMS, help=f"how many ({PROGRAMS})")
    parser.add_argument("--seed", metavar="S", type=int, default=SEED, help=f"what they are drawn from ({SEED})")
    parser.add_argument("--first", metavar="I", type=int, default=0, help="begin with program I (0)")
    parser.add_argument("--jobs", metavar="N", type=int, default=2, help="worker processes (2)")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the results to FILE")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    parser = command_line()
    asked = parser.parse_args(arguments)
    if asked.programs < 1 or asked.jobs < 1 or asked.first < 0:
        parser.error("--programs and --jobs need a positive number, --first none below zero")
    console = Console()
    absent = missing()
    for name, reason in absent.items():
        console.print(f"{name} does not run: {reason}", style="yellow", highlight=False)
    campaign = Campaign(asked.seed, asked.first, asked.programs, tuple(absent))
    began = time.monotonic()
    with Display(console, campaign.count, "programs") as display:
        result = run_campaign(
            campaign, asked.jobs, lambda so_far: display.advance(so_far.programs, len(so_far.mismatches))
        )
    seconds = time.monotonic() - began
    for found in result.mismatches[:SHOWN_MISMATCHES]:
        show(console, campaign, found)
    ran = ", ".join(f"{name} {count}" for name, count in result.results.most_common())
    console.print(f"{result.programs} programs; results: {ran}; seed {campaign.seed}, {seconds:.1f} s", highlight=False)
    console.print(
        f"{len(result.mismatches)} mismatches", style="red" if result.mismatches else "green", highlight=False
    )
    if asked.json is not None:
        report = {**asdict(result), "seed": asked.seed, "seconds": round(seconds, 3), "missing": absent}
        asked.json.write_text(json.dumps(report, indent=2) + "\n")
    return 1 if result.mismatches else 0


def show(console: Console, campaign: Campaign, found: Mismatch) -> None:
    """The shrunken program, what became of it, and how to see it again."""
    replay = f"--seed {campaign.seed} --first {found.index} --programs {found.count}"
    lines = [f"{name}: {outcome}" for name, outcome in found.outcomes]
    if found.engine:
        source = smallest(source_of(campaign.seed, found.index), dict(found.outcomes), found.engine)
        lines += ["shrunk to", *(f"    {line}" for line in str(source).splitlines())]
    for line in (f"program {found.index}", *lines, f"replay: python -m tests.salix.random_c {replay}"):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


if __name__ == "__main__":
    sys.exit(main())
