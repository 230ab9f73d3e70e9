"""That the reference semantics uses words only through their domain, with the right widths."""

from __future__ import annotations

from itertools import islice

import pytest

from jit.layout import Region
from simulator.ebpf import Event, Fault, Finished, HelperCall, finish_helper, initial_state, prepare, run
from simulator.memory import ByteMemory
from tests.corpus import SLICES
from tests.corpus.case import Case, Seen, Stop, layout_of
from tests.simulator.machine import CORPUS_FUEL, HELPERS
from tests.simulator.opaque import Opaque, OpaqueMemory, OpaqueWords
from validator.decode import decode
from validator.validate import validate

WORDS = OpaqueWords()


def _see(case: Case) -> Seen:
    layout = layout_of(case)
    memory = ByteMemory(layout, case.read_only, case.writable, case.mem)
    calldata = layout.calldata
    arguments = (WORDS.constant(64, calldata.low if case.mem else 0), WORDS.constant(64, calldata.size))
    state = initial_state(WORDS, layout, OpaqueMemory(memory), 0, arguments)
    prepared = prepare(WORDS, validate(decode(case.code), helpers=HELPERS), layout)
    event, fuel = run(prepared, state, CORPUS_FUEL)
    while isinstance(event, HelperCall):
        finish_helper(WORDS, state, state.registers[1])
        event, fuel = run(prepared, state, fuel)
    return Seen(_ending(event), bytes(memory.regions[Region.CALLDATA]), bytes(memory.regions[Region.WRITABLE]))


def _ending(event: Event[Opaque]) -> int | Stop | None:
    match event:
        case Finished(value):
            return value.value
        case Fault(kind, pc, address, size, write):
            return Stop(kind, pc, None if address is None else address.value, size, write)
        case _:
            return None


@pytest.mark.parametrize("name", SLICES)
def test_semantics_runs_on_opaque_words(name: str) -> None:
    for case in islice(SLICES[name](), 0, None, 10):
        assert case.mismatch(_see(case)) is None
