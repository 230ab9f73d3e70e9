"""The theorem index of docs/, as Markdown, from the registered theorems.

How many obligations a theorem comes to is known only when it has been proved, which takes minutes: a complete run with
`--record` writes the numbers to docs/obligations.json.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import proofs.theorems  # noqa: F401 - registers them
from proofs.cache import REPOSITORY, path_of, stated_in
from proofs.theorem import THEOREMS, Theorem

RECORD = REPOSITORY / "docs" / "obligations.json"

_HEAD = """# Theorems

Every theorem is about the shipped functions: they are executed on symbolic values, on every path, and each path comes
to obligations that a solver decides. `python -m proofs` proves them all; `python -m proofs --only ID -v` shows each
obligation of one.

This page is written from the theorems that are registered. What the design asks for and is not listed here is not
proved.
"""


def record(obligations: Iterable[tuple[str, int]], path: Path = RECORD) -> None:
    """Keep the numbers of obligations, by theorem id, for the index."""
    path.write_text(json.dumps(dict(sorted(obligations)), indent=2) + "\n")


def recorded(path: Path = RECORD) -> dict[str, int]:
    """What `record` wrote last."""
    numbers: dict[str, int] = json.loads(path.read_text())
    return numbers


def theorem_index() -> str:
    """One section per theorem: statement, what it ranges over, assumptions, obligations, and links to the code."""
    numbers = recorded()
    theorems = sorted(THEOREMS.values(), key=lambda theorem: theorem.id)
    return "\n".join([_HEAD, *(_section(theorem, numbers.get(theorem.id)) for theorem in theorems)])


def _section(theorem: Theorem, obligations: int | None) -> str:
    assumes = "".join(f"\n  - {assumption}" for assumption in theorem.assumes) or " nothing"
    counted = "not recorded yet" if obligations is None else f"{obligations:,}"
    return (
        f"## {theorem.id}\n\n{theorem.statement[0].upper()}{theorem.statement[1:]}.\n\n"
        f"- Ranges over: {theorem.ranges_over}.\n"
        f"- Assumes:{assumes}\n"
        f"- Obligations: {counted}, in {len(list(theorem.cases()))} cases that are decided on their own\n"
        f"- Stated in {_link(stated_in(theorem))}, about {', '.join(map(_link, theorem.depends))}\n"
    )


def _link(module: str) -> str:
    """To the module's text, or a package's `__init__`."""
    path = path_of(module)
    assert path is not None, module
    name = path.relative_to(REPOSITORY)
    return f"[`{name}`](../{name})"
