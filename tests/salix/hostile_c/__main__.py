"""`python -m tests.salix.hostile_c`: builds hostile sources, each of which must end in an object or in messages, within
the limits. Exit status 0 only if all do."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.console import Console

from differential.report import Display
from tests.salix.campaigns import command_line, parsed
from tests.salix.hostile_c.judge import Summary, draw, judged

SOURCES = 2000


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    parser = command_line("hostile_c", __doc__, "sources", SOURCES)
    parser.add_argument("--show", action="store_true", help="print the first source, and build nothing")
    asked = parsed(parser, arguments)
    console = Console()
    if asked.show:
        for path, text in draw(asked.seed, asked.first)[1].items():
            console.print(f"{path}:\n{text.decode(errors='replace')}", markup=False, highlight=False, soft_wrap=True)
        return 0
    summary, done = Summary(), 0
    with Display(console, asked.count, "sources") as display:
        for index, found in judged(asked.seed, range(asked.first, asked.first + asked.count), asked.jobs):
            summary.add(index, found)
            done += 1
            display.advance(done, len(summary.problems))
    for kind, ended in sorted(summary.ended.items()):
        shown = ", ".join(f"{name} {count}" for name, count in ended.most_common())
        console.print(f"{kind}: {shown}", highlight=False, soft_wrap=True)
    for index, found in sorted(summary.problems):
        replay = f"python -m tests.salix.hostile_c --seed {asked.seed} --first {index} --sources 1"
        line = f"source {index} ({found.kind}): {found.problem}; replay: {replay}"
        console.print(line, style="red", markup=False, highlight=False, soft_wrap=True)
    seconds, index = summary.slowest
    console.print(
        f"{done} sources, {len(summary.problems)} problems; slowest: {index}, {seconds:.2f} s", highlight=False
    )
    return 1 if summary.problems else 0


if __name__ == "__main__":
    sys.exit(main())
