"""A guest's registers and call stack in its context page, and how each engine runs on from there.

The context page is the one representation of a suspended guest: native code stores its registers there when it
leaves, and the interpreter reads and writes the same fields, so the two can take turns at any suspension point.
Native return addresses in the shadow stack are the only thing in it that is not portable; `rederive` makes them
from the return pcs.
"""

from __future__ import annotations

from jit.context import (
    FUEL,
    PC,
    RETURN_NATIVE,
    RETURN_PC,
    SAVED,
    Exit,
    record_offset,
    register_offset,
)
from jit.layout import Layout
from runtime.arena import Entries
from runtime.cage import Slot
from runtime.memory import SlotMemory
from runtime.text import Text, Unit
from simulator import ebpf
from simulator.ebpf import CallRecord, State

SimulatorEvent = ebpf.Event[int]


_FIVE_ZEROS = memoryview(bytes(40)).cast("Q")
_EXITS = {reason.value: reason for reason in Exit}  # in a fifth of the time that calling `Exit` takes
_INTERPRET, _UNCOMPILED = Exit.INTERPRET, Exit.UNCOMPILED
MAX_FUEL = (1 << 31) - 1
EXPIRED = -(1 << 30)


class Context:
    """Typed access to the context page of a slot. Registers and fuel are where `jit.context` says."""

    __slots__ = ("_fuel", "_pc", "_registers", "layout", "quads", "words")

    def __init__(self, slot: Slot, layout: Layout) -> None:
        self.layout = layout
        self.quads = slot.context.cast("Q")
        self.words = slot.context.cast("i")
        self._registers = (layout.context_bytes + register_offset(0)) // 8
        self._pc = (layout.context_bytes + PC) // 4
        self._fuel = (layout.context_bytes + FUEL) // 4

    def register(self, number: int) -> int:
        return self.quads[self._registers + number]

    def set_register(self, number: int, value: int) -> None:
        self.quads[self._registers + number] = value

    def arguments(self) -> tuple[int, int, int, int, int]:
        """r1 to r5."""
        a, b, c, d, e = self.quads[self._registers + 1 : self._registers + 6]
        return a, b, c, d, e

    def set_result(self, value: int) -> None:
        """r0 := value, r1 to r5 := 0."""
        registers = self._registers
        self.quads[registers] = value
        self.quads[registers + 1 : registers + 6] = _FIVE_ZEROS

    def registers(self) -> list[int]:
        return self.quads[self._registers : self._registers + 11].tolist()

    def set_registers(self, values: list[int]) -> None:
        for number, value in enumerate(values):
            self.quads[self._registers + number] = value

    @property
    def pc(self) -> int:
        return self.words[self._pc]

    @pc.setter
    def pc(self, pc: int) -> None:
        self.words[self._pc] = pc

    @property
    def fuel(self) -> int:
        """Polls left, if they are counted; negative once the guest was preempted, or is to be."""
        return self.words[self._fuel]

    @fuel.setter
    def fuel(self, fuel: int) -> None:
        """0 <= fuel <= MAX_FUEL."""
        self.words[self._fuel] = fuel

    def expire(self) -> None:
        """Let the guest be preempted at its next poll. A counted poll may overwrite this once."""
        self.words[self._fuel] = EXPIRED

    @property
    def depth(self) -> int:
        """How many calls are active."""
        return self.layout.depth(self.register(10))

    def calls(self) -> list[CallRecord[int]]:
        """The shadow call stack, outermost first."""
        return [self._record(depth) for depth in range(self.depth)]

    def _record(self, depth: int) -> CallRecord[int]:
        at = (self.layout.context_bytes + record_offset(self.layout, depth)) // 8
        saved = self.quads[at + SAVED // 8 : at + SAVED // 8 + 4]
        return CallRecord(self.quads[at + RETURN_PC // 8], tuple(saved.tolist()))

    def return_pc(self, depth: int) -> int:
        """Where the call made from the frame at `depth` returns to."""
        return self.quads[(self.layout.context_bytes + record_offset(self.layout, depth) + RETURN_PC) // 8]

    def set_calls(self, calls: list[CallRecord[int]]) -> None:
        """Write the shadow call stack, without native addresses; r10 must be set to match."""
        for depth, record in enumerate(calls):
            at = (self.layout.context_bytes + record_offset(self.layout, depth)) // 8
            self.quads[at + RETURN_NATIVE // 8] = 0
            self.quads[at + RETURN_PC // 8] = record.return_pc
            for i, value in enumerate(record.saved):
                self.quads[at + SAVED // 8 + i] = value

    def rederive(self, unit: Unit) -> None:
        """Native return addresses for all active calls."""
        for depth in range(self.depth):
            at = (self.layout.context_bytes + record_offset(self.layout, depth)) // 8
            native = unit.native_address(self.quads[at + RETURN_PC // 8])
            assert native is not None, "behind a call, nothing is between a check and its use"
            self.quads[at + RETURN_NATIVE // 8] = native


# How the next native entry has to be made
ENTER_START, ENTER_RESUME, ENTER_CALLED = "start", "resume", "resume_called"


def run_native(
    context: Context, slot: Slot, unit: Unit, entries: Entries, how: str, address: int
) -> tuple[Exit, SimulatorEvent | None]:
    """Run native code from native `address` until it leaves for good: finished, at a helper, preempted, or at a fault.

    The exits that are the runtime's own affair, a function to compile and an instruction to interpret, are dealt
    with here. With INTERPRET comes the event of the reference semantics. `context.pc` is where the guest is.
    """
    base = slot.address
    while True:
        if how is ENTER_RESUME:
            reason = _EXITS[entries.resume(base, address)]
        elif how is ENTER_CALLED:
            reason = _EXITS[entries.resume_called(base, address)]
        else:
            reason = _EXITS[entries.start(base, address)]
        how = ENTER_RESUME
        if reason is _UNCOMPILED:
            call_pc = context.return_pc(context.depth - 1) - 1
            context.pc = _callee(unit.text, call_pc)
            found = unit.native_address(context.pc)
        elif reason is _INTERPRET:
            found = None
            while found is None:  # more than once only if code without guesses shares a check where the old did not
                event = interpret_to_an_entry(context, slot, unit)
                if event is not None:
                    return _INTERPRET, event
                unit.guessed_wrong()
                found = unit.native_address(context.pc)
        else:
            return reason, None
        assert found is not None, f"pc {context.pc} cannot be entered"
        address = found


def _callee(text: Text, call_pc: int) -> int:
    instruction = text.validated.program[call_pc]
    assert instruction is not None
    return call_pc + 1 + instruction.imm


def interpret_to_an_entry(context: Context, slot: Slot, unit: Unit) -> SimulatorEvent | None:
    """Let the reference semantics execute the instruction at `context.pc`, and on to a pc that can be entered.

    Returns the event if one of them ends the run.
    """
    state = load_state(context, slot)
    depth = len(state.calls)
    while True:
        event = unit.action(state.pc)(state)
        if event is not None or unit.native_address(state.pc) is not None:
            break
    store_state(context, state)
    if len(state.calls) != depth:
        context.rederive(unit)
    return event


def load_state(context: Context, slot: Slot) -> State[int]:
    """The guest as the reference semantics wants it."""
    return State(context.registers(), SlotMemory(slot.memory), context.pc, context.calls())


def store_state(context: Context, state: State[int]) -> None:
    """The inverse of `load_state`. Records that are still as they were keep their native addresses."""
    old = context.calls()
    context.set_registers(state.registers)
    context.pc = state.pc
    if state.calls != old:
        context.set_calls(state.calls)
