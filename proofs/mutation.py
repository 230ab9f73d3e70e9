"""Shows that the theorems can fail: runs them over modules of the core with one line changed.

A mutant is killed if one of the theorems that it names is refuted by a concrete counterexample which `proofs.replay`
confirms. "Unknown" is no kill, and neither is a mutant that cannot be imported. In a forked process all of our modules
are forgotten and imported anew, the changed one from its changed text: files stay as they are, and nobody keeps a
function of the old module.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import sys
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.machinery import ModuleSpec
from itertools import islice
from types import ModuleType
from typing import Any

from proofs.cache import OURS, Cache, digest, key_of, path_of, replay_key, source_of
from proofs.mutants.mutant import Mutant
from proofs.theorem import Theorem
from proofs.workers import Done, News, Say, Task, forked

TIMEOUT_MS = 20_000
MUTANT_LIMIT_S = 600
_SHARE = 50  # obligations of one case before it is the next one's turn: a mutant shows in few of the cases


class BadMutant(Exception):
    """The text to replace does not occur exactly once, or a theorem does not exist: the catalogue is out of date."""

    def __init__(self, mutant: Mutant, reason: str) -> None:
        super().__init__(f"mutant {mutant.id}: {reason}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a mutant: with `killed`, the theorem, case and counterexample; else why it survived.

    `values` are those of all unknowns, `replay` what was seen when the counterexample was run.
    """

    mutant: str
    killed: bool
    theorem: str = ""
    case: str = ""
    what: str = ""
    counterexample: tuple[tuple[str, int], ...] = ()
    values: tuple[tuple[str, int], ...] = ()
    replay: tuple[str, ...] = ()
    reason: str = ""


def changed_source(mutant: Mutant) -> str:
    """The text of the mutant's module with its one replacement. Raises BadMutant."""
    source = source_of(mutant.module)
    if source is None:
        raise BadMutant(mutant, f"there is no module {mutant.module}")
    found = source.count(mutant.old)
    if found != 1:
        raise BadMutant(mutant, f"{mutant.old!r} occurs {found} times in {mutant.module}")
    return source.replace(mutant.old, mutant.new)


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Imports one module from a text."""

    def __init__(self, module: str, source: str) -> None:
        self._module, self._source = module, source

    def find_spec(self, fullname: str, path: object, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname != self._module:
            return None
        return importlib.util.spec_from_loader(fullname, self, origin=f"a mutant of {fullname}")

    def get_source(self, fullname: str) -> str:
        return self._source

    def is_package(self, fullname: str) -> bool:
        path = path_of(fullname)
        return path is not None and path.name == "__init__.py"


def theorems_over(mutant: Mutant) -> list[Theorem]:
    """The theorems that may kill the mutant, over the changed module. Only for a process of its own: see the module."""
    finder = _Changed(mutant.module, changed_source(mutant))
    _forget_modules()
    sys.meta_path.insert(0, finder)
    importlib.import_module("proofs.theorems")
    registered: dict[str, Theorem] = importlib.import_module("proofs.theorem").THEOREMS
    return [registered[name] for name in mutant.killed_by]


def _forget_modules() -> dict[str, ModuleType]:
    """Removes what is imported of ours, and returns it."""
    return {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] in OURS}


def run_mutant(mutant: Mutant) -> Outcome:
    """What becomes of the mutant. Only for a process of its own."""
    kept = dict(sys.modules)
    try:
        return _first_refutation(mutant)
    finally:
        _forget_modules()
        sys.modules.update(kept)  # the outcome is sent as an object of the classes that the parent knows


def _first_refutation(mutant: Mutant) -> Outcome:
    try:
        theorems = theorems_over(mutant)
        cases = [(theorem, case) for theorem in theorems for case in theorem.cases()]
    except Exception as exception:
        return Outcome(mutant.id, False, reason=f"cannot be imported: {type(exception).__name__}: {exception}")
    doubts: list[str] = []
    for finding in _findings(cases, mutant.case):
        if finding.status.value != "refuted":
            doubts.append(f"undecided: {finding.theorem} {finding.case}: {finding.reason}")
        elif finding.replay is None or not finding.replay.confirmed:
            why = " ".join(finding.replay.lines) if finding.replay is not None else "it was not run"
            where = f"{finding.theorem} {finding.case}: {finding.what}"
            doubts.insert(0, f"counterexample not confirmed: {where}: {why}")
        else:
            about = finding.theorem, finding.case, finding.what
            return Outcome(mutant.id, True, *about, finding.counterexample, finding.values, finding.replay.lines)
    return Outcome(mutant.id, False, reason=doubts[0] if doubts else "everything is proved of it")


def _findings(cases: Sequence[tuple[Any, Any]], first: str) -> Iterator[Any]:
    """What there is to find in the cases: the named ones first, the others in turns."""
    judge = importlib.import_module("proofs.cases").judge  # the one of the modules that were imported anew
    proved = importlib.import_module("proofs.solver").Proved()
    likely = [pair for pair in cases if first and pair[1].name.startswith(first)]
    for theorem, case in likely:
        yield from (j.finding for j in judge(theorem, case, proved, TIMEOUT_MS) if j.finding is not None)
    others = [pair for pair in cases if pair not in likely]
    running = deque(judge(theorem, case, proved, TIMEOUT_MS) for theorem, case in others)
    while running:
        judged = running.popleft()
        share = list(islice(judged, _SHARE))
        yield from (j.finding for j in share if j.finding is not None)
        if len(share) == _SHARE:
            running.append(judged)


class Watcher:
    """Who is told of each outcome."""

    def started(self, mutants: int) -> None: ...

    def outcome(self, outcome: Outcome) -> None: ...


def run_mutants(
    mutants: Sequence[Mutant],
    theorems: dict[str, Theorem],
    jobs: int,
    cache: Cache,
    watcher: Watcher,
    proved: Collection[str],
) -> list[Outcome]:
    """One outcome per mutant. Raises BadMutant before anything runs.

    `proved`: ids of theorems that hold of the unchanged code. Only those can kill: what refutes the code as it is says
    nothing of a change.
    """
    keys: dict[str, str] = {}
    judged_by = replay_key()
    outcomes: list[Outcome] = []
    todo: list[Mutant] = []
    for mutant in mutants:
        changed_source(mutant)
        missing = [name for name in mutant.killed_by if name not in theorems]
        if missing or not mutant.killed_by:
            raise BadMutant(mutant, f"no such theorem: {', '.join(missing) or 'none is named'}")
        mutant = replace(mutant, killed_by=tuple(name for name in mutant.killed_by if name in proved))
        if not mutant.killed_by:
            outcomes.append(Outcome(mutant.id, False, reason="its theorems are not proved of the unchanged code"))
            continue
        keys[mutant.id] = digest(repr(mutant), judged_by, *(key_of(theorems[name]) for name in mutant.killed_by))
        known = cache.load(keys[mutant.id])
        if known is None:
            todo.append(mutant)
        else:
            outcomes.append(_remembered(known))
    watcher.started(len(todo))
    for index, said in forked([_task(mutant) for mutant in todo], jobs, MUTANT_LIMIT_S):
        if isinstance(said, News):
            continue
        outcome = said.value if isinstance(said, Done) else Outcome(todo[index].id, False, reason=said.reason)
        outcomes.append(outcome)
        watcher.outcome(outcome)
        if outcome.killed:
            cache.store(keys[outcome.mutant], asdict(outcome))
    order = {mutant.id: position for position, mutant in enumerate(mutants)}
    return sorted(outcomes, key=lambda outcome: order[outcome.mutant])


def _remembered(known: dict[str, Any]) -> Outcome:
    """An outcome from JSON, which has no tuples."""
    pairs = {name: tuple(map(tuple, known[name])) for name in ("counterexample", "values")}
    return Outcome(**{**known, **pairs, "replay": tuple(known["replay"])})


def _task(mutant: Mutant) -> Task[Outcome]:
    def task(say: Say) -> Outcome:
        return run_mutant(mutant)

    return task
