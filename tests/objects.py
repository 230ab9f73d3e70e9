"""Runs object files on the reference semantics: linked with the memory functions, validated, laid out, executed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from jit.layout import Layout, Region, data_lows, plan
from runtime.guest_code import MEMORY_FUNCTIONS
from simulator.ebpf import Event, Fault, Finished, HelperCall, Prepared, finish_helper, initial_state, prepare, run
from simulator.integers import INTEGERS
from simulator.memory import ByteMemory
from validator.decode import decode
from validator.link import Linked, link
from validator.validate import validate

HELPERS = {"print": 1, "helper_five": 5}


@dataclass(frozen=True)
class Loaded:
    """An object, ready to run with calldata of one size."""

    program: Linked
    entry: int
    layout: Layout
    prepared: Prepared[int]

    def run(
        self, mem: bytes, at: int = 0, helper: Callable[[ByteMemory, list[int]], int] | None = None
    ) -> tuple[Event[int], bytes]:
        """The event that ended the run, and the calldata afterwards. r1 points `at` bytes into the calldata."""
        memory = ByteMemory(self.layout, self.program.read_only, self.program.writable, mem)
        arguments = (self.layout.calldata.low + at, len(mem) - at)
        state = initial_state(INTEGERS, self.layout, memory, self.entry, arguments)
        fuel = 1 << 20
        while True:
            event, fuel = run(self.prepared, state, fuel)
            if not isinstance(event, HelperCall):
                return event, bytes(memory.regions[Region.CALLDATA])
            assert helper is not None
            finish_helper(INTEGERS, state, helper(memory, state.registers[1:6]))


def load(data: bytes, entry: str | None = None, calldata_size: int = 0) -> Loaded:
    """Raises LoadError."""
    program = link(data, HELPERS, lambda read_only, _: data_lows(read_only), [MEMORY_FUNCTIONS])
    start = program.entry(entry)
    validated = validate(decode(program.code), [start], frozenset(HELPERS.values()), program.starts)
    layout = plan(len(program.read_only), program.writable_size, calldata_size)
    return Loaded(program, start, layout, prepare(INTEGERS, validated, layout))


def value(event: Event[int]) -> int:
    """r0 of a run that must have finished."""
    assert isinstance(event, Finished), event
    return event.value


def faulted(event: Event[int]) -> bool:
    return isinstance(event, Fault)
