"""Runs bytecode on the reference semantics, the way every test here does."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

from jit.layout import Layout, Region, plan
from simulator import ebpf
from simulator.ebpf import Event, FaultKind, Finished, State
from simulator.integers import INTEGERS
from simulator.memory import ByteMemory
from simulator.words import Words
from tests.corpus.case import Case, Seen, Stop, layout_of
from validator.decode import decode
from validator.validate import validate

HELPERS = frozenset({5})  # returns its first argument
CORPUS_FUEL = 1000  # no case of the corpus that ends polls as often


@dataclass(frozen=True)
class Engine:
    """The semantics under test, on the domain under test: both may be broken copies."""

    semantics: ModuleType = ebpf
    words: Words[int] = INTEGERS


REFERENCE = Engine()


@dataclass(frozen=True)
class Outcome:
    """How a run ended, and what it left behind."""

    event: Event[int]
    state: State[int]
    memory: ByteMemory


def execute(code: bytes, layout: Layout, memory: ByteMemory, fuel: int, engine: Engine = REFERENCE) -> Outcome:
    """Validate and run `code`, with r1 and r2 naming calldata. Raises validator.errors.LoadError."""
    semantics, words = engine.semantics, engine.words
    validated = validate(decode(code), helpers=HELPERS)
    size = layout.calldata.size
    state = semantics.initial_state(words, layout, memory, 0, (layout.calldata.low if size else 0, size))
    prepared = semantics.prepare(words, validated, layout)
    while True:
        event, fuel = semantics.run(prepared, state, fuel)
        if not isinstance(event, semantics.HelperCall):
            return Outcome(event, state, memory)
        semantics.finish_helper(words, state, state.registers[1])


def execute_on(code: bytes, mem: bytes = b"", fuel: int = 1 << 20) -> Outcome:
    """Run `code` on calldata `mem`."""
    layout = plan(calldata_size=len(mem))
    return execute(code, layout, ByteMemory(layout, calldata=mem), fuel)


def result(outcome: Outcome) -> int:
    """r0 of a run that must have finished."""
    assert isinstance(outcome.event, Finished), outcome.event
    return outcome.event.value


def see(case: Case, engine: Engine = REFERENCE) -> Seen:
    """What an engine makes of a case of the corpus."""
    layout = layout_of(case)
    memory = ByteMemory(layout, case.read_only, case.writable, case.mem)
    event = execute(case.code, layout, memory, CORPUS_FUEL, engine).event
    return Seen(
        _ending(event, engine.semantics), *(bytes(memory.regions[r]) for r in (Region.CALLDATA, Region.WRITABLE))
    )


def _ending(event: Event[int], semantics: ModuleType) -> int | Stop | None:
    if isinstance(event, semantics.Finished):
        return int(event.value)
    if isinstance(event, semantics.Fault):
        return Stop(FaultKind[event.kind.name], event.pc, event.address, event.size, event.write)
    return None
