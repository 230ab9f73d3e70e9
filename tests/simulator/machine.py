"""Runs bytecode on the reference semantics, the way every test here does."""

from __future__ import annotations

from dataclasses import dataclass

from jit.layout import Layout, Profile, Region, plan
from simulator.ebpf import Event, Fault, Finished, HelperCall, State, finish_helper, initial_state, prepare, run
from simulator.integers import INTEGERS
from simulator.memory import ByteMemory
from tests.corpus.case import Case, Seen, Stop
from validator.decode import decode
from validator.validate import validate

HELPERS = frozenset({5})  # returns its first argument


@dataclass(frozen=True)
class Outcome:
    """How a run ended, and what it left behind."""

    event: Event[int]
    state: State[int]
    memory: ByteMemory
    layout: Layout


def execute(code: bytes, mem: bytes = b"", fuel: int = 1 << 20, profile: Profile | None = None) -> Outcome:
    """Validate and run `code` with calldata `mem`. Raises validator.errors.LoadError."""
    layout = plan(calldata_size=len(mem), profile=profile or Profile())
    validated = validate(decode(code), helpers=HELPERS)
    memory = ByteMemory(layout, calldata=mem)
    arguments = (layout.calldata.low if mem else 0, len(mem))
    state = initial_state(INTEGERS, layout, memory, 0, arguments)
    prepared = prepare(INTEGERS, validated, layout)
    while True:
        event, fuel = run(prepared, state, fuel)
        if not isinstance(event, HelperCall):
            return Outcome(event, state, memory, layout)
        finish_helper(INTEGERS, state, state.registers[1])


def result(outcome: Outcome) -> int:
    """r0 of a run that must have finished."""
    assert isinstance(outcome.event, Finished), outcome.event
    return outcome.event.value


def calldata(outcome: Outcome) -> bytes:
    return bytes(outcome.memory.regions[Region.CALLDATA])


def see(case: Case) -> Seen:
    """What the reference semantics makes of a case of the corpus."""
    outcome = execute(case.code, case.mem)
    match outcome.event:
        case Finished(value):
            return Seen(value, calldata(outcome))
        case Fault(kind, pc, address, size, write):
            return Seen(Stop(kind, pc, address, size, write), calldata(outcome))
        case _:
            raise AssertionError(f"{case.name}: {outcome.event}")
