"""Remembers what was proved, under a hash of everything that the result depends on.

Key of a theorem: the text of `Theorem.depends`, of the theorem's own module, of what decides (`proofs.runner`) and of
all that these import of ours, transitively; z3's version. Not of the replay, which judges counterexamples and would
bring the whole core into every key: a mutant's key has it besides. Only successes are remembered: what failed is tried
again.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterable
from functools import partial
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


_REPLAY = "proofs.replay"
_NOT_FOLLOWED = {"proofs.theorems", "proofs.mutants"}  # the packages import every theorem and every mutant


def key_of(theorem: Theorem, source: Source = source_of) -> str:
    """The hash under which the theorem's result is remembered."""
    return digest(theorem.id, _key(closure_of(theorem, source)))


def closure_of(theorem: Theorem, source: Source = source_of) -> dict[str, str]:
    """Text by name of all modules that make a difference to whether the theorem is proved."""
    return closure([*theorem.depends, stated_in(theorem), "proofs.runner"], _without(source, _REPLAY))


def replay_key(source: Source = source_of) -> str:
    """The hash of what judges counterexamples."""
    return _key(closure([_REPLAY], _without(source)))


def stated_in(theorem: Theorem) -> str:
    """The module whose function lists the theorem's cases."""
    lists: Any = theorem.cases
    while isinstance(lists, partial):
        lists = lists.func
    name: str = lists.__module__
    return name


def _without(source: Source, *modules: str) -> Source:
    skipped = {*_NOT_FOLLOWED, *modules}
    return lambda name: None if name in skipped or name.startswith("proofs.mutants.") else source(name)


def _key(texts: dict[str, str]) -> str:
    return digest(z3.get_full_version(), *(part for name in sorted(texts) for part in (name, texts[name])))


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
