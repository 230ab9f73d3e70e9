"""Remembers what was proved, under a hash of everything that the result depends on.

Key of a theorem: the text of `Theorem.depends`, of the theorem's own module and of all that either imports of ours,
transitively; of the machinery (`proofs/*.py`); z3's version. Only successes are remembered: what failed is tried again.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

import z3

from proofs.theorem import Theorem

REPOSITORY = Path(__file__).parents[1]
DIRECTORY = ".proofs-cache"
OURS = ("validator", "jit", "simulator", "proofs")

Source = Callable[[str], str | None]  # the text of a module, None if there is no such module


def source_of(module: str) -> str | None:
    """The text of one of our modules."""
    path = path_of(module)
    return path.read_text() if path is not None else None


def path_of(module: str, root: Path = REPOSITORY) -> Path | None:
    """The file of one of our modules or packages."""
    if module.partition(".")[0] not in OURS:
        return None
    base = root.joinpath(*module.split("."))
    return next((p for p in (base.with_suffix(".py"), base / "__init__.py") if p.is_file()), None)


def closure(modules: Iterable[str], source: Source = source_of) -> dict[str, str]:
    """Text by name of the modules, the packages that they are in, and all of ours that they import, transitively."""
    found: dict[str, str] = {}
    pending = list(modules)
    while pending:
        name = pending.pop()
        if name in found:
            continue
        text = source(name)
        if text is None:
            continue
        found[name] = text
        pending += _imported(text)
        if "." in name:
            pending.append(name.rpartition(".")[0])
    return found


def _imported(text: str) -> Iterable[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)  # `from jit import x86`


def machinery() -> tuple[str, ...]:
    """The modules directly in proofs/."""
    return tuple(sorted(f"proofs.{path.stem}" for path in (REPOSITORY / "proofs").glob("*.py")))


def key_of(theorem: Theorem, source: Source = source_of) -> str:
    """The hash under which the theorem's result is remembered."""
    # `proofs.theorems`, the package, imports every theorem: what one depends on starts at its own module
    start = {*theorem.depends, theorem.cases.__module__, *machinery()}
    skipped = {"proofs.theorems", "proofs.mutants"}
    texts = closure(start, lambda name: None if name in skipped or name.startswith("proofs.mutants.") else source(name))
    return digest(z3.get_full_version(), theorem.id, *(part for name in sorted(texts) for part in (name, texts[name])))


def digest(*parts: str) -> str:
    """One hash of several texts, lengths included."""
    return sha256("".join(f"{len(part)}:{part}" for part in parts).encode()).hexdigest()


class Cache:
    """A directory of JSON files, one per key. Without a directory nothing is remembered."""

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory

    def load(self, key: str) -> Any:  # noqa: ANN401 - JSON
        """What was stored under `key`, or None. A file that is not whole counts as absent."""
        if self._directory is None:
            return None
        try:
            return json.loads((self._directory / f"{key}.json").read_text())
        except (FileNotFoundError, json.JSONDecodeError):
            return None

    def store(self, key: str, value: Any) -> None:  # noqa: ANN401 - JSON
        """Remember a JSON value."""
        if self._directory is None:
            return
        self._directory.mkdir(exist_ok=True)
        partial = self._directory / f"{key}.partial"
        partial.write_text(json.dumps(value))
        partial.replace(self._directory / f"{key}.json")
