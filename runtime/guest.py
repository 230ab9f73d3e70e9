"""A guest: one instance of a program, with its own memory. The state machine that everything else drives.

    idle --begin--> ready --advance--> preempted --advance--> ...
                                   \\-> waiting --answer--> answered --advance--> ...
                                   \\-> idle, with Exited, Faulted or Stopped

`advance` and `answer` are the whole interface between a guest and an event loop; `run` and `run_async` are loops over
them. Data (.data, .bss) lives as long as the guest, from run to run; registers and calls start anew with each `begin`.
A guest is used by one thread at a time; only `stop` may come from another.
"""

from __future__ import annotations

import asyncio
import inspect
import time
import weakref
from collections.abc import Awaitable
from typing import TYPE_CHECKING

from jit.context import Exit
from jit.layout import Layout, Placement, hypothesis_violation
from runtime.activation import (
    ENTER_CALLED,
    ENTER_RESUME,
    ENTER_START,
    MAX_FUEL,
    Context,
    SimulatorEvent,
    load_state,
    run_native,
    store_state,
)
from runtime.cage import fit
from runtime.errors import GuestPointerFault, LayoutHypothesis, WrongState
from runtime.helpers import Helper, HelperMisuse
from runtime.memory import GuestMemory
from runtime.outcomes import Event, Exited, Faulted, FaultKind, Outcome, Preempted, Stopped, Waiting
from runtime.phase import Phase
from runtime.snapshot import Snapshot, restore_into, taken
from simulator import ebpf

if TYPE_CHECKING:
    from runtime.program import Program
    from runtime.text import Unit

# Polls with the interpreter lock held: what most activations need, microseconds in all. Between two polls a guest may
# run all of its instructions, so long programs get fewer: about a millisecond's worth at most.
HELD_FUEL = 1024
_LEAST_HELD_FUEL = 16
_HELD_INSTRUCTIONS = 1 << 20
DEFAULT_SLICE_MS = 1.0
_FUEL_AT_ONCE = 1 << 20  # polls, a few milliseconds, between two looks at whether the guest is to stop
_INTERPRETED_FUEL = 2048  # polls between two looks at the clock
_MASK = (1 << 64) - 1
# Bound here because a call of a helper takes 4 us, of which a dozen look-ups in a class would be one
_IDLE, _READY, _PREEMPTED, _WAITING, _ANSWERED, _CLOSED = Phase
_FINISHED, _HELPER, _OUT_OF_FUEL = Exit.FINISHED, Exit.HELPER, Exit.PREEMPTED


class Guest:
    """See the module. Made by `Program.instantiate` and `Program.restore`; `close` gives its memory back."""

    def __init__(self, program: Program, calldata_size: int) -> None:
        self.program = program
        self.phase = _IDLE
        self._host = program.host
        self._held_fuel = held_fuel(len(program.text.validated.program))
        self.fuel_left = 0  # polls that the last `advance` with fuel did not use
        self._stop_requested = False
        self._pending: asyncio.Future[int] | None = None
        self._pending_loop: asyncio.AbstractEventLoop | None = None
        self.layout: Layout = program.layout_for(calldata_size)
        self._slot = self._host.cage.take(self.layout)
        self._finalizer = weakref.finalize(self, self._host.cage.give_back, self._slot)
        self._fill()
        self._unit = self._unit_for(self.layout)
        self._returns_to: Unit | None = None  # whose addresses the native return addresses in the context are
        self.context = Context(self._slot, self.layout)
        self.memory = GuestMemory(self)

    def _fill(self) -> None:
        program, memory = self.program, self._slot.memory
        if program.read_only:
            low = self.layout.read_only.low
            memory[low : low + len(program.read_only)] = program.read_only
        if program.writable:
            low = self.layout.writable.low
            memory[low : low + len(program.writable)] = program.writable

    def _unit_for(self, layout: Layout) -> Unit | None:
        return self.program.unit_for(layout) if self.program.native else None

    # ---------------------------------------------------------------- what helpers and tools see

    @property
    def slot_memory(self) -> memoryview:
        """All of the slot, by guest address. For the runtime's own use: unmapped parts must not be touched."""
        return self._slot.memory

    def resident_bytes(self) -> int | None:
        """What its memory really takes, pages that were touched; None where the kernel does not tell."""
        return self._slot.resident_bytes()

    @property
    def frame_top(self) -> int:
        """r10 of the current frame."""
        return self.context.register(10)

    @property
    def closed(self) -> bool:
        return self.phase is _CLOSED

    def read(self, address: int, size: int) -> bytes:
        """A copy of guest memory, with the guest's own rights. Raises GuestPointerFault."""
        return self.memory.read(address, size)

    # ---------------------------------------------------------------- the state machine

    def begin(self, mem: bytes | bytearray | memoryview = b"", entry: str | int | None = None) -> None:
        """Start a new activation with calldata `mem`: r1 is its address (0 if it is empty), r2 its length.

        Whatever activation there was is gone. Raises LayoutHypothesis, LayoutRefused, LinkError, WrongState.
        """
        self._refuse_if_closed()
        pc = self.program.entry_pc(entry)
        size = self.program.calldata_size(len(mem))
        if size != self.layout.calldata.size:
            self._resize(size)
        self.phase = _IDLE
        calldata = self.layout.calldata
        if calldata.size:
            self._slot.memory[calldata.low : calldata.low + len(mem)] = mem
            if len(mem) < calldata.size:
                self._slot.memory[calldata.low + len(mem) : calldata.low + calldata.size] = bytes(
                    calldata.size - len(mem)
                )
        context = self.context
        context.set_registers([0] * 11)
        context.set_register(1, calldata.low if mem else 0)
        context.set_register(2, len(mem))
        context.set_register(10, self.layout.frame_top(0))
        context.pc = pc
        self._stop_requested = False
        self._check_hypothesis()
        self.phase = _READY
        self._returns_to = None

    def _resize(self, calldata_size: int) -> None:
        """Another calldata size: another layout, in the same slot if it is large enough, else in a new one."""
        layout = self.program.layout_for(calldata_size)
        unit = self._unit_for(layout)  # before anything changes: code for another layout must not run on this slot
        slot = self._slot
        if (layout.slot_bytes, layout.context_bytes) == (slot.slot_bytes, slot.context_bytes):
            fit(slot, layout)
            end = layout.calldata.low + layout.calldata.size
            slot.memory[end : slot.mapped] = bytes(slot.mapped - end)  # of a longer input before: not in a snapshot
            self._slot, self.layout, self._unit = slot, layout, unit
            self.context = Context(slot, layout)
            return
        slot = self._host.cage.take(layout)
        for span in (layout.read_only, layout.writable):
            slot.memory[span.low : span.low + span.size] = self._slot.memory[span.low : span.low + span.size]
        with self._host.slots_change:
            self._slot, self.layout, self._unit = slot, layout, unit
            self.context = Context(slot, layout)
            self._finalizer()
            self._finalizer = weakref.finalize(self, self._host.cage.give_back, slot)

    def _check_hypothesis(self) -> None:
        arena = self._host.arena
        placement = Placement(
            base=self._slot.address,
            reserved_low=self._slot.reserved_low,
            reserved_high=self._slot.reserved_high,
            code_low=arena.low if arena is not None else 0,
            code_high=arena.high if arena is not None else 0,
            frame_top=self.context.register(10),
        )
        violation = hypothesis_violation(self.layout, placement)
        if violation is not None:
            raise LayoutHypothesis(violation)

    def advance(self, fuel: int | None = None, slice_ms: float = DEFAULT_SLICE_MS) -> Event:
        """Run until the guest finishes, faults, calls a helper, or has used up its fuel or slice.

        With `fuel` it is preempted after exactly that many polls, on both engines. Without, after about `slice_ms`
        milliseconds, of which the first polls run with the interpreter lock held. Raises WrongState.
        """
        if self.phase not in (_READY, _PREEMPTED, _ANSWERED):
            raise WrongState(f"a guest that is {self.phase.value} cannot advance")
        if self._unit is None:
            return self._advance_interpreted(fuel, slice_ms)
        if fuel is not None:
            return self._advance_counted(fuel)
        if self.phase is not _PREEMPTED:  # which shows that it is a long activation
            event = self._enter(self._held_fuel, held=True)
            if not isinstance(event, Preempted):
                return event
        token = self._host.watcher.arm(slice_ms / 1000, self.context.expire)
        try:
            return self._enter(MAX_FUEL, held=False, counted=False)
        finally:
            self._host.watcher.disarm(token)

    def _advance_counted(self, fuel: int) -> Event:
        """In portions, so that a `stop` that a counted poll overwrote still takes effect soon."""
        left = max(fuel, 0)
        while True:
            granted = min(left, _FUEL_AT_ONCE)
            event = self._enter(granted, held=granted <= self._held_fuel)
            left -= granted
            if left == 0 or not isinstance(event, Preempted):
                self.fuel_left = left + max(self.context.fuel, 0)
                return event

    def _enter(self, fuel: int, held: bool, counted: bool = True) -> Event:
        arena, unit = self._host.arena, self._unit
        assert arena is not None
        assert unit is not None
        if not counted:
            unit = self.program.unit_for(self.layout, counted=False)
        if self._returns_to is not unit:
            self._returns_to = None  # in case there is no room for the code of some caller
            self.context.rederive(unit)
            self._returns_to = unit
        context, phase = self.context, self.phase
        how = ENTER_CALLED if phase is _ANSWERED else ENTER_START if phase is _READY else ENTER_RESUME
        pc = context.pc + 1 if phase is _ANSWERED else context.pc
        context.fuel = fuel
        if self._stop_requested:  # looked at after fuel is set: a later `stop` finds fuel to take away
            return self._stopped()
        entries = arena.held if held else arena.released
        address = unit.native_address(pc)
        assert address is not None, f"pc {pc} cannot be entered"
        self.phase = _PREEMPTED  # should a callee find no room for its code, the guest can go on from there
        reason, event = run_native(context, self._slot, unit, entries, how, address)
        if reason is _FINISHED:
            self.phase = _IDLE
            return Exited(self.context.register(0))
        if reason is _HELPER:
            return self._waiting()
        if reason is _OUT_OF_FUEL:
            return self._preempted()
        assert event is not None
        return self._ended(event)

    def _advance_interpreted(self, fuel: int | None, slice_ms: float) -> Event:
        if self._stop_requested:
            return self._stopped()
        prepared = self.program.text.prepared(self.layout)
        state = load_state(self.context, self._slot)
        if self.phase is _ANSWERED:
            state.registers[1:6] = [0] * 5
            state.pc += 1
        left = _INTERPRETED_FUEL if fuel is None else max(fuel, 0)
        deadline = time.monotonic() + slice_ms / 1000
        while True:
            granted = min(left, _INTERPRETED_FUEL)
            event, rest = ebpf.run(prepared, state, granted)
            if fuel is not None:
                left -= granted - max(rest, 0)
            more = left > 0 if fuel is not None else time.monotonic() < deadline
            if isinstance(event, ebpf.Preempted) and more and not self._stop_requested:
                continue
            store_state(self.context, state)
            self._returns_to = None
            self.fuel_left = left
            return self._ended(event)

    def _ended(self, event: SimulatorEvent) -> Event:
        match event:
            case ebpf.Finished(value):
                self.phase = _IDLE
                return Exited(value)
            case ebpf.HelperCall():
                return self._waiting()
            case ebpf.Preempted() | ebpf.Paused():
                return self._preempted()
            case ebpf.Fault(kind, pc, address, size, write):
                self.phase = _IDLE
                if address is None:
                    return self.program.fault(FaultKind[kind.name], pc)
                context = self.context
                callers = (context.return_pc(depth) - 1 for depth in reversed(range(context.depth)))
                return self.program.fault(FaultKind[kind.name], pc, address, size, write, callers=callers)

    def _preempted(self) -> Event:
        self.phase = _PREEMPTED
        return self._stopped() if self._stop_requested else Preempted(self.context.pc)

    def _stopped(self) -> Stopped:
        self.phase = _IDLE
        return Stopped(self.context.pc)

    def _waiting(self) -> Event:
        self.phase = _WAITING
        if self._stop_requested:
            return self._stopped()
        return self.call()

    def call(self) -> Waiting:
        """The helper call that the guest waits for. Raises WrongState if it does not wait."""
        if self.phase is not _WAITING:
            raise WrongState(f"a guest that is {self.phase.value} waits for no helper")
        pc = self.context.pc
        instruction = self.program.text.validated.program[pc]
        assert instruction is not None
        return Waiting(pc, instruction.imm, self.context.arguments())

    def answer(self, value: int) -> None:
        """Answer the helper call: r0 := value modulo 2^64, r1 to r5 := 0. Raises WrongState."""
        if self.phase is not _WAITING:
            raise WrongState(f"a guest that is {self.phase.value} waits for no helper")
        self.context.set_result(value & _MASK)
        self.phase = _ANSWERED

    def snapshot(self) -> Snapshot:
        """The guest as a value, to be continued by `Program.restore` here or elsewhere. Raises WrongState."""
        self._refuse_if_closed()
        return taken(self)

    def adopt_snapshot(self, snapshot: Snapshot) -> None:
        """Become what `snapshot` says; for `Program.restore`. Raises SnapshotRefused, LayoutHypothesis."""
        restore_into(self, snapshot)
        if snapshot.phase is not _IDLE:
            self._check_hypothesis()
        self._returns_to = None
        self.phase = snapshot.phase

    def stop(self) -> None:
        """End the activation as soon as possible; may be called from any thread. The run ends with Stopped."""
        self._stop_requested = True
        with self._host.slots_change:  # else another thread could give the slot, and this fuel, to another guest
            if self.phase is _CLOSED:
                return
            self.context.expire()
        pending, loop = self._pending, self._pending_loop
        if pending is not None and loop is not None:
            loop.call_soon_threadsafe(pending.cancel)

    def close(self) -> None:
        """Give the guest's memory back. Idempotent. Must not be called from one of its own helpers."""
        with self._host.slots_change:
            if self.phase is _CLOSED:
                return
            self.phase = _CLOSED
            self._finalizer()
        self._unit = self._returns_to = None

    def __enter__(self) -> Guest:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _refuse_if_closed(self) -> None:
        if self.phase is _CLOSED:
            raise WrongState("the guest is closed")

    # ---------------------------------------------------------------- loops over the state machine

    def run(
        self,
        mem: bytes | bytearray | memoryview = b"",
        entry: str | int | None = None,
        *,
        fuel: int | None = None,
        limit_ms: float | None = None,
    ) -> Outcome:
        """Begin, and run to an outcome, calling helpers as they come. See `resume` for the limits."""
        self.begin(mem, entry)
        return self.resume(fuel=fuel, limit_ms=limit_ms)

    def resume(self, *, fuel: int | None = None, limit_ms: float | None = None) -> Outcome:
        """Run on to an outcome. Preempted only if `fuel` polls or `limit_ms` of the guest's own time are used up.

        Time in helpers is not the guest's. Raises WrongState, HelperMisuse, and whatever a helper raises; the guest
        then still waits for that helper.
        """
        budget = _Budget(fuel, limit_ms)
        while True:
            if self.phase is _WAITING:
                result = self._invoke()
                if isinstance(result, Faulted):
                    return result
                if not isinstance(result, int):
                    if inspect.iscoroutine(result):
                        result.close()
                    raise WrongState(f"{self._helper().name!r} is a coroutine: use run_async")
                self.answer(result)
                if budget.spent:  # a guest that calls and calls is never preempted by a poll
                    return Preempted(self.context.pc)
            event = budget.advance(self)
            if isinstance(event, Waiting) or (isinstance(event, Preempted) and not budget.spent):
                continue
            return event

    async def run_async(
        self,
        mem: bytes | bytearray | memoryview = b"",
        entry: str | int | None = None,
        *,
        fuel: int | None = None,
        limit_ms: float | None = None,
    ) -> Outcome:
        """`run`, with helpers that may be coroutines; other tasks run between slices."""
        self.begin(mem, entry)
        return await self.resume_async(fuel=fuel, limit_ms=limit_ms)

    async def resume_async(self, *, fuel: int | None = None, limit_ms: float | None = None) -> Outcome:
        """`resume`, with helpers that may be coroutines; other tasks run between slices.

        If the task is cancelled, the guest still waits for its helper and can be resumed or snapshotted.
        """
        budget = _Budget(fuel, limit_ms)
        while True:
            if self.phase is _WAITING:
                result = self._invoke()
                if inspect.isawaitable(result):
                    answered = await self._await(result)
                    if not isinstance(answered, int):
                        return answered
                    result = answered
                if isinstance(result, Faulted):
                    return result
                self.answer(result)
                if budget.spent:  # a guest that calls and calls is never preempted by a poll
                    return Preempted(self.context.pc)
            event = budget.advance(self)
            if isinstance(event, Preempted) and not budget.spent:
                await asyncio.sleep(0)
                continue
            if not isinstance(event, Waiting):
                return event

    async def _await(self, result: Awaitable[int]) -> int | Faulted | Stopped:
        self._pending, self._pending_loop = asyncio.ensure_future(result), asyncio.get_running_loop()
        try:
            if self._stop_requested:
                self._pending.cancel()
            answer = await self._pending
        except asyncio.CancelledError:
            if self._stop_requested:
                return self._stopped()
            raise
        except GuestPointerFault as fault:
            return self.bad_pointer(fault)
        finally:
            self._pending = self._pending_loop = None
        if not isinstance(answer, int):
            raise HelperMisuse(self._helper(), answer)
        return self._stopped() if self._stop_requested else answer

    def _invoke(self) -> int | Awaitable[int] | Faulted:
        """Call the helper that the guest waits for."""
        call = self.call()
        helper = self.program.helpers.by_number[call.helper]
        try:
            result = helper.function(self.memory, *call.arguments)
        except GuestPointerFault as fault:
            return self.bad_pointer(fault)
        if isinstance(result, int) or inspect.isawaitable(result):
            return result
        raise HelperMisuse(helper, result)

    def _helper(self) -> Helper:
        return self.program.helpers.by_number[self.call().helper]

    def bad_pointer(self, fault: GuestPointerFault) -> Faulted:
        """End the activation, which waits for a helper that found a bad pointer; as a fault of the guest."""
        name = self._helper().name
        self.phase = _IDLE
        detail = f"in an argument of {name}: {fault}"
        pc = self.context.pc
        return self.program.fault(FaultKind.HELPER_POINTER, pc, fault.address, fault.size, fault.write, detail)


def held_fuel(slots: int) -> int:
    """How many polls a program of this many slots may pass while it holds the interpreter lock."""
    return max(_LEAST_HELD_FUEL, min(HELD_FUEL, _HELD_INSTRUCTIONS // slots))


class _Budget:
    """What is left of a run's fuel and time.

    Time is this thread's CPU time in `advance`: a guest is charged neither for helpers nor for a busy machine. What it
    causes counts: compilation at its first calls, interpretation of what checks refuse.
    """

    def __init__(self, fuel: int | None, limit_ms: float | None) -> None:
        self.fuel, self.left_ms = fuel, limit_ms
        self.spent = False

    def advance(self, guest: Guest) -> Event:
        if self.left_ms is None:
            event = guest.advance(self.fuel)
            used = self.fuel
        else:
            used = None if self.fuel is None else min(self.fuel, _FUEL_AT_ONCE)
            before = time.thread_time()
            event = guest.advance(used, min(max(self.left_ms, 0.05), DEFAULT_SLICE_MS))
            self.left_ms -= (time.thread_time() - before) * 1000
            self.spent = self.left_ms <= 0
        if self.fuel is not None and used is not None:
            self.fuel -= used - guest.fuel_left
            self.spent = self.spent or (isinstance(event, Preempted) and self.fuel <= 0)
        return event
