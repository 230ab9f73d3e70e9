"""A campaign: draws snippets, runs them on every engine, compares, counts; in forked processes, chunk by chunk.

A snippet depends on the seed and its index alone, so a mismatch is replayed by its index. If an engine ends its
process, or raises something, that is the outcome of the snippet that it does so on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial

from differential.chunk import Chunk, assembled
from differential.effects import reachable
from differential.engines import ENGINES, Engine
from differential.engines.hardware import Hardware
from differential.operands import variant, variants
from differential.outcome import DIVIDE_ERROR, FINISHED, Outcome, differences
from differential.placement import CELLS, Placement
from differential.snippet import Snippet
from differential.workers import Died, alone, gather
from differential.writer import write_snippet
from jit.x86 import FORMS

LEAST_PER_FORM = 50
LEAST_PER_VARIANT = 5
MOST_MISMATCHES = 200  # a model that is quite wrong need not be compared to the end


@dataclass(frozen=True, slots=True)
class Campaign:
    """What to run: snippets [first, first + count) of a seed, on these engines. The first one is the reference."""

    seed: int
    first: int
    count: int
    engines: tuple[str, ...]

    def parts(self) -> list[Campaign]:
        """The same in pieces that fit a chunk each."""
        found, at, end = [], self.first, self.first + self.count
        while at < end:
            next_at = min(end, at - at % CELLS + CELLS)
            found.append(Campaign(self.seed, at, next_at - at, self.engines))
            at = next_at
        return found


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Two engines differ on a snippet; or none of them finished it, which is a mistake of the writer.

    If `count` is not 1: a process ended on so many snippets, one after the other, and on none of them alone.
    """

    index: int
    engines: tuple[str, str]
    differences: tuple[str, ...]
    count: int = 1


@dataclass(slots=True)
class Result:
    """What was run so far."""

    sequences: int = 0
    forms: Counter[str] = field(default_factory=Counter)  # instructions that control can reach
    variants: Counter[str] = field(default_factory=Counter)  # the same, by form, operation, condition and widths
    ended: Counter[str] = field(default_factory=Counter)
    mismatches: list[Mismatch] = field(default_factory=list)

    def add(self, other: Result) -> None:
        self.sequences += other.sequences
        self.forms += other.forms
        self.variants += other.variants
        self.ended += other.ended
        self.mismatches += other.mismatches

    def missing_forms(self) -> list[str]:
        """Forms that occurred too rarely for the run to say anything about them."""
        return [form.__name__ for form in FORMS if self.forms[form.__name__] < LEAST_PER_FORM]

    def missing_variants(self) -> list[str]:
        """The same of variants."""
        return [variant for variant in variants() if self.variants[variant] < LEAST_PER_VARIANT]


@dataclass(frozen=True, slots=True)
class Bench:
    """Engines at one placement."""

    placement: Placement
    engines: dict[str, Engine]

    def outcomes(self, snippets: Sequence[Snippet]) -> dict[str, list[Outcome]]:
        """What each engine makes of the snippets, which must be for different cells."""
        chunk: Chunk = assembled(snippets, self.placement)
        return {name: engine.run(chunk) for name, engine in self.engines.items()}


@cache
def bench(names: tuple[str, ...]) -> Bench:
    """These engines, made once per process. Raises EngineMissing.

    Two benches with this processor cannot both have their wish: a campaign has one for all that it does.
    """
    engines: dict[str, Engine] = {}
    placement = Placement()
    if "hardware" in names:  # it gets its addresses from the kernel; the others take any
        hardware = Hardware(placement)
        placement = hardware.placement
        engines["hardware"] = hardware
    for name in names:
        if name not in engines:
            engines[name] = ENGINES[name](placement)
    return Bench(placement, {name: engines[name] for name in names})


def run_part(part: Campaign) -> Result:
    """A part that fits a chunk."""
    there = bench(part.engines)
    result = Result(part.count)
    snippets = [write_snippet(part.seed, part.first + k, there.placement.scratch) for k in range(part.count)]
    outcomes = there.outcomes(snippets)
    for number, snippet in enumerate(snippets):
        executed = list(reachable(snippet.instructions))
        result.forms.update(type(instruction).__name__ for instruction in executed)
        result.variants.update(map(variant, executed))
        left = {name: outcomes[name][number] for name in part.engines}
        result.ended[left[part.engines[0]].ended] += 1
        found = mismatch(snippet, left)
        if found is not None:
            result.mismatches.append(found)
    return result


def mismatch(snippet: Snippet, outcomes: dict[str, Outcome]) -> Mismatch | None:
    """The first engine that differs from the reference, which is the first of all."""
    reference, *others = outcomes
    for other in others:
        found = differences(snippet, outcomes[reference], outcomes[other])
        if found:
            return Mismatch(snippet.index, (reference, other), tuple(found))
    ended = outcomes[reference].ended
    if ended not in {FINISHED, DIVIDE_ERROR}:
        return Mismatch(snippet.index, (reference, reference), (f"ended: {ended}, as nothing should that is drawn",))
    return None


def outcomes_alone(there: Bench, names: Sequence[str], snippet: Snippet) -> dict[str, Outcome]:
    """What these engines make of it in a process each, whose death is an outcome. Raises as `assembled` does."""
    chunk = assembled([snippet], there.placement)
    outcomes: dict[str, Outcome] = {}
    for name in names:
        made = alone(partial(there.engines[name].run, chunk))
        outcomes[name] = Outcome(made.how) if isinstance(made, Died) else made[0]
    return outcomes


def lost(part: Campaign, how: str) -> Result:
    """The mismatch of a part whose process ended: of one sequence, the engine that ends it; else all of them."""
    reference, there = part.engines[0], bench(part.engines)
    found = None
    if part.count == 1:
        snippet = write_snippet(part.seed, part.first, there.placement.scratch)
        found = mismatch(snippet, outcomes_alone(there, part.engines, snippet))
    return Result(mismatches=[found or Mismatch(part.first, (reference, reference), (how,), part.count)])


def run_campaign(campaign: Campaign, jobs: int, progress: Callable[[Result], None]) -> Result:
    """The whole campaign; `progress` is told what there is so far. Ends early after MOST_MISMATCHES."""
    return gather(Result(), run_part, lost, campaign.parts(), jobs, progress, MOST_MISMATCHES)
