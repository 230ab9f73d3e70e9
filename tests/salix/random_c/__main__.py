"""`python -m tests.salix.random_c`: the same C programs, random and systematic, by gcc, by clang for eBPF and by our
compiler, these two on our runtime. Exit status 0 only if all results agree."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from differential.report import SHOWN_MISMATCHES, Display
from tests.salix.campaigns import command_line, parsed
from tests.salix.random_c.campaign import Campaign, Mismatch, run_campaign, smallest, source_of
from tests.salix.random_c.engines import missing

PROGRAMS = 1000


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    parser = command_line("random_c", __doc__, "programs", PROGRAMS)
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the results to FILE")
    asked = parsed(parser, arguments)
    console = Console()
    absent = missing()
    for name, reason in absent.items():
        console.print(f"{name} does not run: {reason}", style="yellow", highlight=False)
    campaign = Campaign(asked.seed, asked.first, asked.count, tuple(absent))
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
