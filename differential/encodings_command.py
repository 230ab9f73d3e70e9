"""`python -m differential encodings`: every form's bytes against Capstone and Keystone; exit status 0 if all agree."""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from differential.encodings import SHORTER, WRITTEN, Compared, Part, compare, parts
from differential.versions import named, versions
from differential.workers import Died, in_processes

LIBRARIES = {"capstone": "capstone", "keystone": "keystone-engine"}  # module, and distribution


def command_line() -> argparse.ArgumentParser:
    """The options. docs/reference.md has them all."""
    parser = argparse.ArgumentParser(prog="python -m differential encodings", description=__doc__)
    parser.add_argument("--every", metavar="N", type=int, default=1, help="one of N instances of each form (1)")
    parser.add_argument("--jobs", metavar="N", type=int, default=2, help="worker processes (2)")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the results to FILE")
    return parser


def main(arguments: Sequence[str]) -> int:
    """The exit status."""
    parser = command_line()
    asked = parser.parse_args(arguments)
    if asked.every < 1 or asked.jobs < 1:
        parser.error("--every and --jobs need a positive number")
    try:
        for module in LIBRARIES:
            importlib.import_module(module)
    except ImportError as missing:
        parser.error(f"{missing}; pip install 'salix-jit[differential]'")
    console = Console()
    forms = {form.__name__: Compared() for form in WRITTEN}
    todo = parts(asked.every)
    hidden = not console.is_terminal
    # refreshed by hand: a thread that holds a lock while a worker is forked would leave it locked there
    with Progress(console=console, auto_refresh=False, transient=True, disable=hidden) as bar:
        task = bar.add_task("encodings", total=len(todo))
        for part, made in in_processes(compare, todo, asked.jobs):
            forms[part.form.__name__].add(_lost(part, made.how) if isinstance(made, Died) else made)
            bar.advance(task)
            bar.refresh()
    there = versions(*LIBRARIES.values())
    _show(console, forms, there)
    if asked.json is not None:
        report = {"versions": there, "forms": {form: _as_json(found) for form, found in forms.items()}}
        asked.json.write_text(json.dumps(report, indent=2) + "\n")
    return 1 if any(found.disagreed for found in forms.values()) else 0


def _lost(part: Part, how: str) -> Compared:
    """What a part came to on which Capstone, Keystone or we ended the process."""
    where = f"of {part.form.__name__}, one of {part.every} from number {part.first} on"
    return Compared(disagreed=1, disagreements=[f"instances {where}: {how}"])


def _as_json(found: Compared) -> dict[str, object]:
    return {
        "instances": found.instances,
        "same": found.same,
        "shorter": found.shorter,
        "disagreed": found.disagreed,
        "disagreements": found.disagreements,
    }


def _show(console: Console, forms: dict[str, Compared], there: dict[str, str]) -> None:
    table = Table()
    for heading in ("form", "instances", "as Keystone", "Keystone shorter", "disagree"):
        table.add_column(heading, justify="left" if heading == "form" else "right", no_wrap=True)
    table.add_column("SDM 2 on the shorter encoding")
    pages = {form.__name__: page for form, (_, page) in SHORTER.items()}
    for form, found in forms.items():
        counts = (found.instances, found.same, found.shorter, found.disagreed)
        table.add_row(form, *map(str, counts), pages.get(form, ""))
    console.print(table)
    total = Compared()
    for found in forms.values():
        total.add(found)
        for disagreement in found.disagreements:
            console.print(disagreement, style="red", markup=False, highlight=False, soft_wrap=True)
    console.print(f"{total.instances} instances, {total.disagreed} disagreements", highlight=False)
    console.print(named(there), markup=False, highlight=False, soft_wrap=True)
