"""Runs objects: from the start, or from what resumed them, to the next wait, the end of a slice, or their end.

One thread runs all guests, between the event loop's other work; so whoever stops, parks or delivers finds no guest
running, and nothing here needs a lock. A guest is charged for its slices, not for what it waits for, nor for what a
slice may have taken longer: after `throttle_after` seconds without a wait it pauses for `throttle_pause`.
"""

from __future__ import annotations

import asyncio
import secrets
import sys
import time
import traceback
from collections.abc import Callable
from time import perf_counter

from runtime.errors import GuestPointerFault, MemoryUnavailable, RuntimeRefused
from runtime.guest import Guest
from runtime.helpers import Helpers
from runtime.memory import GuestMemory
from runtime.node.counters import Counters
from runtime.node.embedder import Embedder, HostCall
from runtime.node.objects import NodeObject
from runtime.node.parking import Idle, Parking
from runtime.node.scheduler import Scheduler
from runtime.node.status import INTERNAL_ERROR, PROGRAM_FAULT, RUNTIME_REFUSED, Exit, Failure, Outcome, State, Wait
from runtime.node.timers import Timers
from runtime.outcomes import Exited, Faulted, Preempted, Stopped, Waiting
from runtime.phase import Phase
from runtime.program import Program
from runtime.sdk import codes
from runtime.sdk.calls import SDK_CALLS
from runtime.sdk.values import Value, ValueRefused, check, decode
from runtime.snapshot import Snapshot

ENTRY = "spinfoam.main"
SLICE_MS = 1.0
THROTTLE_AFTER_MS = 20.0
THROTTLE_PAUSE_MS = 20.0
_SWEEP_SECONDS = 1.0
_PARKED_AT_ONCE = 4  # half a millisecond, then the event loop looks at its input
_SIGN, _WORD = 1 << 63, 1 << 64


def _not_called(_memory: GuestMemory, *_arguments: int) -> int:
    raise AssertionError("a node serves its guests' calls itself")


HELPERS = Helpers(dict.fromkeys(SDK_CALLS, _not_called))
_CALLS = {HELPERS.by_name[name]: call for name, call in SDK_CALLS.items()}


class Running:
    """See the module. Part of a `Node`, which owns the table of objects."""

    def __init__(
        self, embedder: Embedder, slice_ms: float, throttle_after_ms: float, throttle_pause_ms: float, parking: Parking
    ) -> None:
        self.loop = asyncio.get_running_loop()
        self.embedder = embedder
        self.counters = Counters()
        self.timers: Timers[NodeObject] = Timers(self.loop, self._expired)
        self.scheduler: Scheduler[NodeObject] = Scheduler(self.loop, self._run)
        self.idle: Idle[NodeObject] = Idle(parking, self.loop.time, self.park)
        self.calls: dict[str, NodeObject] = {}
        self.session = secrets.token_hex(16)
        self.parked_now = 0
        self._call_serial = 0
        self._slice_ms, self._slice = slice_ms, slice_ms / 1000
        self._throttle_after, self._throttle_pause = throttle_after_ms / 1000, throttle_pause_ms / 1000
        self._sweep: asyncio.Handle | None = None
        if parking.sweeps:
            self._sweep_later()

    # ---------------------------------------------------------------- beginning, waking, ending

    def start(self, item: NodeObject) -> None:
        """Give `item` its guest and let it run soon. Raises MemoryUnavailable, and then nothing has changed."""
        assert item.program is not None
        guest = self._with_room(item.program, item.program.instantiate)
        try:
            guest.begin(entry=ENTRY)
        except BaseException:
            guest.close()
            raise
        item.guest = guest
        item.state, item.started = State.STARTING, self.loop.time()
        self.scheduler.wake(item)

    def wake(self, item: NodeObject, answer: int | None) -> None:
        """What `item` waited for has happened. None: there is an event in its mailbox."""
        self.timers.forget(item)
        self.idle.discard(item)
        item.wait, item.answer = Wait.NONE, answer
        self.scheduler.wake(item)

    def end(self, item: NodeObject, state: State, outcome: Outcome | None = None) -> None:
        """End `item`: nothing of it runs again, and all that it held is given back."""
        self.timers.forget(item)
        self.idle.discard(item)
        if item.call_id is not None:
            self.counters.cancelled_host_calls += 1
            self._drop_call(item)
        if item.guest is not None:
            item.guest.close()
            item.guest = None
        if item.parked is not None:
            item.parked = None
            self.parked_now -= 1
        item.program = None
        item.config_bytes = b"null"
        item.handles.entries.clear()
        item.mailbox.clear()
        was_started = item.state is not State.LOADED
        item.state, item.wait, item.outcome = state, Wait.NONE, outcome
        if was_started:
            self.embedder.object_state(item.status())

    def close(self) -> None:
        """Run nothing any more."""
        if self._sweep is not None:
            self._sweep.cancel()
        self.scheduler.close()
        self.timers.close()

    # ---------------------------------------------------------------- host calls

    def call(self, item: NodeObject, capability: str, arguments: Value, timeout_ms: int) -> None:
        """Make a host call for `item`, which waits for it."""
        self._call_serial += 1
        call_id = f"sf:{self.session}:{self._call_serial}"
        item.call_id = call_id
        self.calls[call_id] = item
        self.counters.host_calls += 1
        deadline = time.time_ns() // 1_000_000 + timeout_ms
        self.embedder.host_call(HostCall(call_id, item.id, capability, arguments, timeout_ms, deadline))

    def answered(self, call_id: str, result: Value) -> bool:
        """The embedder's answer; False if nobody waits for it, which is counted."""
        item = self._answered(call_id)
        if item is None:
            return False
        try:
            own = decode(check(result))  # the embedder may change his
        except ValueRefused:
            self.wake(item, codes.LIMIT)
            return True
        self.wake(item, item.handles.add(own))
        return True

    def failed(self, call_id: str, code: int = codes.HOST_ERROR) -> bool:
        """The embedder could not do it, or would not."""
        item = self._answered(call_id)
        if item is not None:
            self.wake(item, code)
        return item is not None

    def _answered(self, call_id: str) -> NodeObject | None:
        item = self.calls.pop(call_id, None)
        if item is None:
            self.counters.ignored_host_responses += 1
            return None
        item.call_id = None
        self.counters.answered_host_calls += 1
        return item

    def _drop_call(self, item: NodeObject) -> None:
        call_id = item.call_id
        assert call_id is not None
        item.call_id = None
        del self.calls[call_id]
        self.embedder.host_cancel(call_id)

    def _expired(self, item: NodeObject) -> None:
        if item.throttled:
            item.throttled = False
            self.scheduler.requeue(item)
        elif item.wait is Wait.HOST_CALL:
            self.counters.timed_out_host_calls += 1
            self._drop_call(item)
            self.wake(item, codes.TIMEOUT)
        elif item.wait is Wait.EVENT:
            self.wake(item, codes.TIMEOUT)
        else:
            self.wake(item, 0)

    # ---------------------------------------------------------------- running

    def _run(self, item: NodeObject) -> None:
        """One turn of `item`. Nothing that happens to it reaches the others."""
        if item.state is State.STARTING:
            item.state = State.RUNNING
        elif item.state is not State.RUNNING:
            return  # it ended while it was queued
        self.counters.activations += 1
        begun = perf_counter()
        try:
            self._advance(item, begun)
        except RuntimeRefused as refused:
            self.counters.failures += 1
            self.end(item, State.FAILED, Failure(RUNTIME_REFUSED, str(refused)))
        except Exception as error:  # a defect of ours: it must not take the neighbours down
            traceback.print_exc(file=sys.stderr)
            self.counters.failures += 1
            self.end(item, State.FAILED, Failure(INTERNAL_ERROR, f"{type(error).__name__}: {error}"))
        item.used_in_all += perf_counter() - begun

    def _advance(self, item: NodeObject, begun: float) -> None:
        guest = item.guest
        if guest is None:
            guest = self._restored(item)
        if guest.phase is Phase.WAITING:
            answer = item.answer
            guest.answer(item.take_event() if answer is None else answer)
        memory, calls = guest.memory, _CALLS
        result: int | None = 0
        while True:
            event = guest.advance(slice_ms=self._slice_ms)
            if isinstance(event, Waiting):
                try:
                    result = calls[event.helper](item, memory, *event.arguments)
                except GuestPointerFault as fault:
                    self._faulted(item, guest.bad_pointer(fault))
                    return
                if result is None and (item.wait is not Wait.NONE or item.queued):
                    item.used, item.spins = 0.0, False
                    if not item.queued:  # else the embedder answered from inside of the call
                        self.idle.add(item)
                    return
                if item.state is not State.RUNNING:  # the embedder stopped it from inside of the call
                    return
                if result is not None:
                    guest.answer(result)
                    if perf_counter() - begun < self._slice:
                        continue
            if isinstance(event, Waiting | Preempted):  # it yielded, or used up its slice
                self._slice_ended(item, perf_counter() - begun, yielded=result is None)
                return
            if isinstance(event, Exited):
                self.counters.exits += 1
                value = event.value
                self.end(item, State.EXITED, Exit(value - _WORD if value & _SIGN else value))
                return
            assert not isinstance(event, Stopped), "guests are stopped between their turns"
            self._faulted(item, event)
            return

    def _slice_ended(self, item: NodeObject, seconds: float, yielded: bool) -> None:
        """`item` goes on later; before others that spin, if this was its first slice since it waited.

        One may end because the machine was busy, or the garbage collector came by.
        """
        self.counters.slices += 1
        item.used += min(seconds, self._slice)
        spins = yielded or item.spins
        item.spins = True
        if self._throttle(item):
            return
        self.scheduler.requeue(item, first=not spins)

    def _throttle(self, item: NodeObject) -> bool:
        """Whether `item` has to pause, from now on."""
        if item.used < self._throttle_after:
            return False
        self.counters.throttles += 1
        item.used, item.throttled = 0.0, True
        self.timers.set(item, self._throttle_pause)
        return True

    def _faulted(self, item: NodeObject, fault: Faulted) -> None:
        self.counters.faults += 1
        self.end(item, State.FAILED, Failure(PROGRAM_FAULT, str(fault)))

    # ---------------------------------------------------------------- parking

    def park(self, item: NodeObject) -> None:
        """Keep the guest of `item`, which waits, as bytes."""
        guest = item.guest
        assert guest is not None
        item.parked = guest.snapshot().to_bytes()
        guest.close()
        item.guest = None
        self.counters.parked += 1
        self.parked_now += 1

    def _restored(self, item: NodeObject) -> Guest:
        program, parked = item.program, item.parked
        assert program is not None
        assert parked is not None
        snapshot = Snapshot.from_bytes(parked)
        guest = item.guest = self._with_room(program, lambda: program.restore(snapshot))
        item.parked = None
        self.counters.restored += 1
        self.parked_now -= 1
        return guest

    def _with_room(self, program: Program, make: Callable[[], Guest]) -> Guest:
        """`make()`, parking others to keep to the limit, and while the kernel refuses memory and any can be parked.

        Guests that were woken and wait for their turn have memory, too: by thousands, after a flood of events.
        """
        while program.host.cage.in_use >= self.idle.limit and self.idle.park_longest():
            pass
        while True:
            try:
                return make()
            except MemoryUnavailable:
                if not self.idle.park_longest():
                    raise

    def _sweep_later(self) -> None:
        self._sweep = self.loop.call_later(_SWEEP_SECONDS, self._sweep_now)

    def _sweep_now(self) -> None:
        if self.idle.sweep(_PARKED_AT_ONCE):
            self._sweep = self.loop.call_soon(self._sweep_now)
        else:
            self._sweep_later()
