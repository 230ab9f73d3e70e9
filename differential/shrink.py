"""A smaller snippet on which two engines still differ in the same way.

The way is how the engines end: a candidate on which one of them newly faults, or the model stops, says something else.
Instructions are left out, long stretches first; then the state and the numbers in instructions become simple.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from differential.outcome import Outcome
from differential.snippet import PAGE, STARTING_FLAGS, Snippet
from jit.encode import EncodingRefused
from jit.tagged import operands
from jit.x86 import X86, Lea, LeaIndexed
from simulator.machine import Flags

_SIMPLE = (0, 1)
_NUMBERS = {"imm", "disp", "count"}

Run = Callable[[Snippet], dict[str, Outcome]]  # outcomes by engine
Differ = Callable[[Snippet, dict[str, Outcome]], bool]


def shrunk(snippet: Snippet, run: Run, differ: Differ) -> Snippet:
    """The smallest snippet found. `run` and `differ` decide; they must say that `snippet` itself differs."""
    way = _way(run(snippet))

    def still(candidate: Snippet) -> bool:
        try:
            outcomes = run(candidate)
        except (KeyError, EncodingRefused):  # a label went away, or a number does not fit
            return False
        return _way(outcomes) == way and differ(candidate, outcomes)

    before = None
    while before != snippet:
        before = snippet
        snippet = _with_fewer_instructions(snippet, still)
        for candidates in (_simpler_states, _simpler_instructions):
            snippet = _first_of_each(snippet, candidates, still)
    return snippet


def _way(outcomes: dict[str, Outcome]) -> dict[str, str]:
    return {name: outcome.ended for name, outcome in outcomes.items()}


def _with_fewer_instructions(snippet: Snippet, still: Callable[[Snippet], bool]) -> Snippet:
    fewer = with_fewer(snippet.instructions, lambda rest: still(replace(snippet, instructions=rest)))
    return replace(snippet, instructions=fewer)


Part = TypeVar("Part")


def with_fewer(parts: tuple[Part, ...], still: Callable[[tuple[Part, ...]], bool]) -> tuple[Part, ...]:
    """`parts` without those that can be left out, long stretches first, such that `still` holds."""
    size = len(parts)
    while size:
        at = 0
        while at < len(parts):
            rest = (*parts[:at], *parts[at + size :])
            if still(rest):
                parts = rest
            else:
                at += size
        size //= 2
    return parts


Candidates = Callable[[Snippet], Iterator[Callable[[Snippet], Iterator[Snippet]]]]


def _first_of_each(snippet: Snippet, candidates: Candidates, still: Callable[[Snippet], bool]) -> Snippet:
    """Of each place that can be simpler, the simplest value that still differs."""
    for place in candidates(snippet):
        for candidate in place(snippet):
            if candidate == snippet:
                break
            if still(candidate):
                snippet = candidate
                break
    return snippet


def _simpler_states(snippet: Snippet) -> Iterator[Callable[[Snippet], Iterator[Snippet]]]:
    yield lambda s: iter([replace(s, page=bytes(PAGE)), replace(s, page=b"\xff" * PAGE)])
    simple_flags: Flags[int] = STARTING_FLAGS[0][0]
    yield lambda s: iter([replace(s, flags=simple_flags)])
    for number in range(len(snippet.registers)):
        yield lambda s, number=number: (s.with_register(number, value) for value in _SIMPLE)  # type: ignore[misc]


def _simpler_instructions(snippet: Snippet) -> Iterator[Callable[[Snippet], Iterator[Snippet]]]:
    for at in range(len(snippet.instructions)):
        yield lambda s, at=at: _with_simpler_numbers(s, at)  # type: ignore[misc]


def _with_simpler_numbers(snippet: Snippet, at: int) -> Iterator[Snippet]:
    instruction = snippet.instructions[at]
    for name, value in operands(instruction):
        if name not in _NUMBERS or not isinstance(value, int):
            continue
        if name == "disp" and not isinstance(instruction, Lea | LeaIndexed):
            continue
        for simple in _SIMPLE:
            changed: X86 = instruction._replace(**{name: simple})  # type: ignore[arg-type]
            yield replace(snippet, instructions=(*snippet.instructions[:at], changed, *snippet.instructions[at + 1 :]))
