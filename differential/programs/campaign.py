"""A campaign of programs: draws, runs, compares, counts the forms that control reached; in forked processes.

A program depends on the seed and its index alone, so a mismatch is replayed by its index.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from differential.programs.engines import HAPPENINGS, REFERENCE, TURNS, Outcomes, run_alone, run_everywhere
from differential.programs.outcome import EXITED, FAULTED, OUT_OF_FUEL, differences
from differential.programs.program import form_name, named_rows
from differential.programs.reference import Reached
from differential.programs.rights import PLACES
from differential.programs.writer import write_program
from differential.workers import gather
from runtime.outcomes import FaultKind

LEAST_PER_FORM = 10  # instructions that control reaches
LEAST_PER_ENDING = 2  # programs
LEAST_PER_ACCESS = 2  # instructions that control reaches
LEAST_PER_HAPPENING = 10
_KINDS = ("load", "store", "atomic", "helper reads", "helper writes")
ACCESSES = tuple(f"{kind}: {place}" for kind in _KINDS for place in PLACES)
ENDINGS = (EXITED, OUT_OF_FUEL, *(f"{FAULTED} {kind.name}" for kind in FaultKind))
MOST_MISMATCHES = 50  # a pass that is quite wrong need not be compared to the end
_PART = 20


@dataclass(frozen=True, slots=True)
class Campaign:
    """What to run: programs [first, first + count) of a seed."""

    seed: int
    first: int
    count: int

    def parts(self) -> list[Campaign]:
        """The same in small pieces."""
        end = self.first + self.count
        return [Campaign(self.seed, at, min(_PART, end - at)) for at in range(self.first, end, _PART)]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """An engine differs from the reference on a program.

    If `count` is not 1: a process ended on so many programs, one after the other, and on none of them alone.
    """

    index: int
    engine: str
    differences: tuple[str, ...]
    count: int = 1


@dataclass(slots=True)
class Result:
    """What was run so far."""

    programs: int = 0
    forms: Counter[str] = field(default_factory=Counter)  # instructions that control reached, by form
    ended: Counter[str] = field(default_factory=Counter)
    engines: Counter[str] = field(default_factory=Counter)  # programs that each of them ran
    accesses: Counter[str] = field(default_factory=Counter)  # instructions that control reached, by kind and place
    happened: Counter[str] = field(default_factory=Counter)  # between turns
    mismatches: list[Mismatch] = field(default_factory=list)

    def add(self, other: Result) -> None:
        self.programs += other.programs
        self.forms += other.forms
        self.ended += other.ended
        self.engines += other.engines
        self.accesses += other.accesses
        self.happened += other.happened
        self.mismatches += other.mismatches

    def missing_forms(self) -> list[str]:
        """Forms of the instruction set that control reached too rarely for the run to say anything about them."""
        return [name for name in named_rows() if self.forms[name] < LEAST_PER_FORM]

    def missing(self) -> list[str]:
        """What occurred too rarely: ways to end, places of accesses, moves from engine to engine."""
        wanted = (
            (self.ended, ENDINGS, LEAST_PER_ENDING),
            (self.accesses, ACCESSES, LEAST_PER_ACCESS),
            (self.happened, HAPPENINGS, LEAST_PER_HAPPENING),
        )
        return [
            f"{name} ({counted[name]} of {least})"
            for counted, names, least in wanted
            for name in names
            if counted[name] < least
        ]


def run_part(part: Campaign) -> Result:
    """A part, here."""
    result = Result(part.count)
    for index in range(part.first, part.first + part.count):
        reached, outcomes = run_everywhere(write_program(part.seed, index))
        result.forms.update(forms_reached(reached))
        result.engines.update(outcomes.keys())
        result.ended[ending(reached)] += 1
        result.accesses.update(what for _, what in reached.accesses)
        result.happened.update(outcomes[TURNS].happened if TURNS in outcomes else {})
        found = mismatch(index, outcomes)
        if found is not None:
            result.mismatches.append(found)
    return result


def forms_reached(reached: Reached) -> Iterator[str]:
    """The form of each instruction that control reached."""
    for pc in reached.pcs:
        instruction = reached.validated.program[pc]
        assert instruction is not None
        yield form_name(instruction)


def ending(reached: Reached) -> str:
    """In one or two words: faults by kind."""
    outcome = reached.outcome
    return f"{outcome.ended} {outcome.detail[0]}" if outcome.ended == FAULTED else outcome.ended


def mismatch(index: int, outcomes: Outcomes) -> Mismatch | None:
    """The first engine that differs from the reference."""
    for engine, outcome in outcomes.items():
        found = differences(outcomes[REFERENCE], outcome)
        if found:
            return Mismatch(index, engine, tuple(found))
    return None


def lost(part: Campaign, how: str) -> Result:
    """The mismatch of a part whose process ended: of one program, the engine that ends it; else all of them."""
    found = None
    if part.count == 1:
        found = mismatch(part.first, run_alone(write_program(part.seed, part.first)))
    return Result(mismatches=[found or Mismatch(part.first, "", (how,), part.count)])


def run_campaign(campaign: Campaign, jobs: int, progress: Callable[[Result], None]) -> Result:
    """The whole campaign; `progress` is told what there is so far. Ends early after MOST_MISMATCHES."""
    return gather(Result(), run_part, lost, campaign.parts(), jobs, progress, MOST_MISMATCHES)
