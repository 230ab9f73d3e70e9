"""The theorem index of docs/, as Markdown, from the registered theorems."""

from __future__ import annotations

import inspect

import proofs.theorems  # noqa: F401 - registers them
from proofs.theorem import THEOREMS, Theorem

_HEAD = """# Theorems

Every theorem is about the shipped functions: they are executed on symbolic values, on every path, and each path comes
to obligations that a solver decides. `python -m proofs` proves them all; `python -m proofs --only ID -v` shows each
obligation of one.

This page is written from the theorems that are registered. What the design asks for and is not listed here is not
proved.
"""


def theorem_index() -> str:
    """One section per theorem: statement, what it ranges over, assumptions, cases, and the code that it is about."""
    return "\n".join([_HEAD, *(_section(theorem) for theorem in sorted(THEOREMS.values(), key=lambda t: t.id))])


def _section(theorem: Theorem) -> str:
    assumes = "".join(f"\n  - {assumption}" for assumption in theorem.assumes) or " nothing"
    source = inspect.getmodule(theorem.cases)
    where = source.__name__.replace(".", "/") + ".py" if source is not None else "proofs/theorems"
    code = ", ".join(f"`{module.replace('.', '/')}.py`" for module in theorem.depends)
    return (
        f"## {theorem.id}\n\n{theorem.statement[0].upper()}{theorem.statement[1:]}.\n\n"
        f"- Ranges over: {theorem.ranges_over}.\n"
        f"- Assumes:{assumes}\n"
        f"- Cases, each decided on its own: {len(list(theorem.cases()))}\n"
        f"- Stated in `{where}`, about {code}\n"
    )
