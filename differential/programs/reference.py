"""The reference semantics alone: no runtime, no machine code, memory in one bytearray; and what control reached.

Whether it faults where it must, and only there, is judged by `rights`: what it allows, no engine refuses.
"""

from __future__ import annotations

from dataclasses import dataclass

from differential.programs.helpers import HELPERS
from differential.programs.outcome import EXITED, FAULTED, MISJUDGED, OUT_OF_FUEL, Outcome, pages_of
from differential.programs.program import GuestProgram, assembled
from differential.programs.rights import next_access
from jit.layout import Layout
from runtime.cage import mapped_end
from runtime.errors import GuestPointerFault
from runtime.memory import GuestMemory, SlotMemory
from simulator.ebpf import Fault, Finished, HelperCall, Preempted, State, finish_helper, initial_state, prepare, run
from simulator.integers import INTEGERS
from validator.decode import decode
from validator.validate import Validated, validate

BUDGET = 80  # polls: what a program may pass

_WORD = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Reached:
    """The outcome, the pcs of the instructions that were executed or ended the run, and where those accessed memory."""

    validated: Validated
    outcome: Outcome
    pcs: frozenset[int]
    accesses: frozenset[tuple[int, str]]  # pc; kind and place


class _Owner:
    """The guest, as helpers see it."""

    def __init__(self, layout: Layout, memory: memoryview) -> None:
        self.layout, self.slot_memory, self.closed = layout, memory, False
        self.state: State[int] | None = None

    @property
    def frame_top(self) -> int:
        assert self.state is not None
        return self.state.registers[10]


def run_reference(program: GuestProgram) -> Reached:
    """Run to the end, or until BUDGET polls are passed. Raises Rejected if the program is not valid."""
    numbers = frozenset(number for number in HELPERS if isinstance(number, int))
    validated = validate(decode(assembled(program.lines)), (0,), numbers)
    layout = program.layout()
    end = mapped_end(layout)
    memory = memoryview(bytearray(end))
    contents = (program.read_only, program.writable, program.calldata)
    for span, content in zip((layout.read_only, layout.writable, layout.calldata), contents, strict=True):
        memory[span.low : span.low + span.size] = content
    prepared = prepare(INTEGERS, validated, layout)
    calldata = program.calldata
    arguments = (layout.calldata.low if calldata else 0, len(calldata))
    owner = _Owner(layout, memory)
    state = owner.state = initial_state(INTEGERS, layout, SlotMemory(memory), 0, arguments)
    guest_memory = GuestMemory(owner)
    fuel, reached, accesses = BUDGET, set[int](), set[tuple[int, str]]()
    detail: tuple[object, ...] = ()
    ended = ""
    while not ended:
        at = state.pc
        access = next_access(layout, state, validated)
        event, fuel = run(prepared, state, fuel, steps=1)
        match event:
            case Finished(value):
                ended, detail = EXITED, (value,)
            case Preempted(pc):
                ended, detail, fuel, access = OUT_OF_FUEL, (pc,), 0, None
            case Fault(kind, pc, address, size, write):
                ended = FAULTED
                detail = (kind.name, pc) if address is None else (kind.name, pc, address, size, write)
            case HelperCall(pc, number):
                try:
                    result = HELPERS[number](guest_memory, *state.registers[1:6])
                except GuestPointerFault as fault:
                    ended, detail = FAULTED, ("HELPER_POINTER", pc, fault.address, fault.size, fault.write)
                else:
                    assert isinstance(result, int)
                    finish_helper(INTEGERS, state, result & _WORD)
        if ended != OUT_OF_FUEL:
            reached.add(at)
        if access is not None:
            accesses.add((at, f"{access.kind}: {access.place}"))
            if not access.is_judged_by(detail if ended == FAULTED else None, at):
                ended, detail = MISJUDGED, (*access, *detail)
    outcome = Outcome(ended, detail, tuple(state.registers), tuple(state.calls), BUDGET - fuel, pages_of(memory, end))
    return Reached(validated, outcome, frozenset(reached), frozenset(accesses))
