"""A campaign: the same C programs by several compilers, in forked processes. Results must agree.

Program `index` is, for the first ones, that of a pair of types (`operators`), then a random one: of ten, one has
functions in functions (`nested`), one vectors (`vectors`), the others are plain C (`writer`). It depends on the seed
and its index alone, so a mismatch is replayed by its index.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from differential.workers import gather
from tests.salix.random_c.engines import CLANG, FEW, GCC, NOT_COMPILED, OURS, SLOW, Outcomes, differing, kind, run
from tests.salix.random_c.initialised import initialised_source
from tests.salix.random_c.nested import nested_source
from tests.salix.random_c.operators import operator_source, pairs
from tests.salix.random_c.shrink import shrunk
from tests.salix.random_c.tree import Source
from tests.salix.random_c.vectors import vector_source
from tests.salix.random_c.writer import is_plain, write_source

MOST_MISMATCHES = 20
_PART = 10


@dataclass(frozen=True, slots=True)
class Campaign:
    """What to run: programs [first, first + count) of a seed, without the engines that are `missing`."""

    seed: int
    first: int
    count: int
    missing: tuple[str, ...] = ()

    def parts(self) -> list[Campaign]:
        """The same in small pieces."""
        end = self.first + self.count
        return [Campaign(self.seed, at, min(_PART, end - at), self.missing) for at in range(self.first, end, _PART)]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """An engine differs from the first. If `engine` is empty, a process ended on `count` programs."""

    index: int
    engine: str
    outcomes: tuple[tuple[str, str], ...]
    count: int = 1


@dataclass(slots=True)
class Result:
    """What was run so far: programs, and results by engine."""

    programs: int = 0
    results: Counter[str] = field(default_factory=Counter)
    mismatches: list[Mismatch] = field(default_factory=list)

    def add(self, other: Result) -> None:
        self.programs += other.programs
        self.results += other.results
        self.mismatches += other.mismatches


def source_of(seed: int, index: int) -> Source:
    """Program `index`."""
    both = pairs()
    if index < len(both):
        return operator_source(*both[index])
    write = {3: nested_source, 5: initialised_source, 7: vector_source}.get(index % 10, write_source)
    return write(seed, index)


def engines_of(index: int, missing: tuple[str, ...]) -> list[str]:
    """Those that run program `index`: the slow ones take turns."""
    wanted = [
        GCC,
        OURS,
        FEW,
        *([CLANG] if is_plain(index) or GCC in missing else []),
        *([SLOW] if index % 4 == 1 else []),
    ]
    return [name for name in wanted if name not in missing]


def run_part(part: Campaign) -> Result:
    """A part, here."""
    result = Result(part.count)
    for index in range(part.first, part.first + part.count):
        outcomes = run(str(source_of(part.seed, index)), engines_of(index, part.missing))
        result.results.update(name for name, outcome in outcomes.items() if outcome != NOT_COMPILED)
        different = differing(outcomes)
        if different is not None:
            result.mismatches.append(Mismatch(index, different, tuple(outcomes.items())))
    return result


def lost(part: Campaign, how: str) -> Result:
    """The mismatch of a part whose process ended."""
    return Result(mismatches=[Mismatch(part.first, "", (("process", how),), part.count)])


def run_campaign(campaign: Campaign, jobs: int, progress: Callable[[Result], None]) -> Result:
    """The whole campaign; `progress` is told what there is so far."""
    return gather(Result(), run_part, lost, campaign.parts(), jobs, progress, MOST_MISMATCHES)


def smallest(source: Source, outcomes: Outcomes, engine: str) -> Source:
    """The program, shrunk as long as `engine` differs in the same way from the first."""
    names = list(dict.fromkeys([next(iter(outcomes)), engine]))
    kinds = {name: kind(outcomes[name]) for name in names}

    def differs(candidate: Source) -> bool:
        found = run(str(candidate), names)
        return differing(found) is not None and {name: kind(outcome) for name, outcome in found.items()} == kinds

    return shrunk(source, differs)
