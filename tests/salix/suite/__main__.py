"""`python -m tests.salix.suite FOLDER`: what becomes of the C programs in a folder. Exit status 0 if none is wrong."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from differential.report import Display
from tests.salix.suite.programs import Sort, Verdict, judge


def command_line() -> argparse.ArgumentParser:
    """The options."""
    parser = argparse.ArgumentParser(prog="python -m tests.salix.suite", description=__doc__)
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="where the programs are, NAME.c")
    parser.add_argument("--expect", action="store_true", help="a program is right if it prints what is in NAME.expect")
    parser.add_argument("--only", metavar="NAME", nargs="+", default=[], help="only these programs")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the verdicts to FILE")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    parser = command_line()
    asked = parser.parse_args(arguments)
    console = Console()
    programs = sorted(asked.folder.glob("*.c"))
    if asked.expect:
        programs = [each for each in programs if each.with_suffix(".expect").is_file()]
    if asked.only:
        programs = [each for each in programs if each.stem in asked.only]
    if not programs:
        parser.error(f"there are no such programs in {asked.folder}")
    verdicts: dict[str, Verdict] = {}
    wrong = 0
    with Display(console, len(programs), "programs") as display:
        for program in programs:
            expected = program.with_suffix(".expect").read_bytes() if asked.expect else None
            verdicts[program.stem] = verdict = judge(program, expected)
            wrong += verdict.sort is Sort.WRONG
            display.advance(len(verdicts), wrong)
    show(console, verdicts)
    if asked.json is not None:
        rows = {name: {"verdict": each.sort.value, "why": each.why} for name, each in verdicts.items()}
        asked.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if wrong else 0


def show(console: Console, verdicts: Mapping[str, Verdict]) -> None:
    """Counts, by rule for what was refused; and each program that is wrong."""
    counts = Counter((each.sort, each.why if each.sort is Sort.REFUSED else "") for each in verdicts.values())
    table = Table("programs", "verdict", "why")
    for sort in Sort:
        for (found, why), count in counts.most_common():
            if found is sort:
                table.add_row(str(count), sort.value, why)
    console.print(table)
    for name, each in verdicts.items():
        if each.sort is Sort.WRONG:
            console.print(f"{name}: {each.why}", style="red", highlight=False, markup=False)


if __name__ == "__main__":
    sys.exit(main())
