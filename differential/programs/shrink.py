"""A smaller program on which engines still differ in the same way: each ends as it did, and the same two differ."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import replace

from differential.programs.engines import Outcomes
from differential.programs.program import PROFILE, WIDE, GuestProgram, Line, Turn
from differential.shrink import with_fewer
from validator.errors import LoadError
from validator.isa import Field, discriminator

_SIMPLE = (0, 1)
Run = Callable[[GuestProgram], Outcomes]
Differ = Callable[[Outcomes], str | None]  # the engine that differs from the reference


def shrunk(program: GuestProgram, run: Run, differ: Differ) -> GuestProgram:
    """The smallest program found. `differ` must say that `program` itself has an engine that differs."""
    way = _way(run(program), differ)

    def still(candidate: GuestProgram) -> bool:
        try:
            outcomes = run(candidate)
        except (KeyError, struct.error, LoadError):  # a mark went away, or the validator refuses what is left
            return False
        return _way(outcomes, differ) == way

    before = None
    while before != program:
        before = program
        program = _with_fewer_lines(program, still)
        for change in (*_simpler_memory(program), *_simpler_turns(program)):
            merged = _merged(program, change)
            if merged != program and still(merged):
                program = merged
        for at in range(len(program.lines)):
            for candidate in _simpler_lines(program, at):
                if still(candidate):
                    program = candidate
                    break
    return program


def _way(outcomes: Outcomes, differ: Differ) -> tuple[str | None, dict[str, str]]:
    return differ(outcomes), {name: outcome.ended for name, outcome in outcomes.items()}


def _with_fewer_lines(program: GuestProgram, still: Callable[[GuestProgram], bool]) -> GuestProgram:
    fewer = with_fewer(program.lines, lambda rest: still(replace(program, lines=rest)))
    return replace(program, lines=fewer)


Change = dict[str, object]


def _simpler_memory(program: GuestProgram) -> Iterator[Change]:
    """Nothing, or zeros of the same size; in the usual layout."""
    for name in ("read_only", "writable", "calldata"):
        for simpler in (bytes(len(getattr(program, name))), b""):
            yield {name: simpler}
    yield {"profile": PROFILE}


def _simpler_turns(program: GuestProgram) -> Iterator[Change]:
    turns = program.turns
    yield {"turns": tuple(Turn(turn.fuel, turn.engine, False) for turn in turns)}
    for turn in turns:
        yield {"turns": (Turn(1, turn.engine, turn.snapshot),)}


def _merged(program: GuestProgram, change: Change) -> GuestProgram:
    return replace(program, **change)  # type: ignore[arg-type]


def _simpler_lines(program: GuestProgram, at: int) -> Iterator[GuestProgram]:
    """With a simpler number, where a line has one that does not select its form."""
    line = program.lines[at]
    if not isinstance(line, Line):
        return
    instruction = line.instruction
    for field in (Field.IMM, Field.OFFSET):
        if discriminator(instruction) is field and instruction.opcode != WIDE:
            continue
        for simple in _SIMPLE:
            if instruction[field] == simple or instruction[field] == 0:
                break
            simpler = line._replace(instruction=instruction._replace(**{field.name.lower(): simple}))
            yield replace(program, lines=(*program.lines[:at], simpler, *program.lines[at + 1 :]))
