"""The node: owns objects, and is all that an embedder needs. In-process; the JSON-RPC server is a codec over it.

    async with Node(embedder) as node:
        status = node.load(elf, {"city": "Aachen"}, [Capability("agent.notify")])
        node.start(status.object_id)
        node.deliver(status.object_id, "e1", "webhook", {"kind": "deploy"})

All methods return at once, and none runs guest code; guests run between the event loop's other work. `stop`, `unload`
and `close` are coroutines, because what they wait for may one day take time. A node is used from its loop's thread.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Sequence
from types import TracebackType

from runtime.errors import MemoryUnavailable
from runtime.host import Host
from runtime.node.capabilities import Capability, granted
from runtime.node.counters import prometheus
from runtime.node.embedder import Embedder
from runtime.node.errors import Kind, NodeError, not_found
from runtime.node.objects import NodeObject
from runtime.node.parking import Parking
from runtime.node.running import ENTRY, HELPERS, SLICE_MS, THROTTLE_AFTER_MS, THROTTLE_PAUSE_MS, Running
from runtime.node.status import Delivery, Memory, MemoryKind, Page, State, Status, Wait
from runtime.program import Program, load
from runtime.sdk import codes
from runtime.sdk.values import Value, ValueRefused, check
from runtime.text import Text
from validator.errors import LoadError

MAX_PAGE = 256
_PROGRAMS_KEPT = 16  # of ended objects: some ten kilobytes each, and ten milliseconds of translation
DEFAULT_PAGE = 100
_ENDED = (State.STOPPED, State.EXITED, State.FAILED)


class Node:
    """See the module. Make it where an event loop runs.

    engine: as for `runtime.load`. slice_ms: how long a guest may run while others wait. throttle_after_ms: a guest that
    has run so long without a wait pauses for throttle_pause_ms. parking: which waiting guests give their memory back.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        host: Host | None = None,
        engine: str | None = None,
        slice_ms: float = SLICE_MS,
        throttle_after_ms: float = THROTTLE_AFTER_MS,
        throttle_pause_ms: float = THROTTLE_PAUSE_MS,
        parking: Parking | None = None,
    ) -> None:
        self._running = Running(embedder, slice_ms, throttle_after_ms, throttle_pause_ms, parking or Parking())
        self._objects: dict[str, NodeObject] = {}
        self._kept: dict[Text, Program] = {}  # started last of those with this code; the latest are at the end
        self._ordered: list[str] | None = []  # the ids in lexical order; None: to be sorted when next needed
        self._host, self._engine = host, engine
        self._serial = 0
        self._since = self._running.loop.time()
        self._closed = False

    async def __aenter__(self) -> Node:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def session_id(self) -> str:
        """32 hex digits, different for each node; part of the ids of its host calls."""
        return self._running.session

    # ---------------------------------------------------------------- objects

    def load(self, elf: bytes, config: Value = None, capabilities: Sequence[Capability] = ()) -> Status:
        """Judge an ELF object and make an object of it, which does not run yet.

        Each load is an object of its own, with its own memory and history, whatever else has the same bytes. Raises
        NodeError: INVALID_OBJECT, INVALID_PARAMS (config or capabilities), BUSY (the node is closed).
        """
        self._refuse_if_closed()
        running = self._running
        try:
            encoded = check(config)
        except ValueRefused as refused:
            raise NodeError(Kind.INVALID_PARAMS, f"the config is refused: {refused}") from refused
        grants = granted(capabilities)
        try:
            program = load(elf, HELPERS, engine=self._engine, host=self._host, calldata_bytes=0)
            program.entry_pc(ENTRY)
        except LoadError as error:
            running.counters.refused_loads += 1
            raise NodeError(Kind.INVALID_OBJECT, str(error)) from error
        self._serial += 1
        object_id = f"o{self._serial}"
        item = NodeObject(running, object_id, hashlib.sha256(elf).digest(), program, encoded, grants)
        self._objects[object_id] = item
        self._ordered = None
        running.counters.loads += 1
        return item.status()

    def start(self, object_id: str) -> Status:
        """Let an object run, once. Raises NodeError: OBJECT_NOT_FOUND, BUSY (it was started, or there is no memory)."""
        self._refuse_if_closed()
        item = self._get(object_id)
        if item.state is not State.LOADED:
            raise NodeError(Kind.BUSY, f"object {object_id} is {item.state.value}: an object can only start once")
        try:
            self._running.start(item)
        except MemoryUnavailable as error:
            raise NodeError(Kind.BUSY, f"there is no memory for another guest: {error}") from error
        self._running.counters.starts += 1
        self._keep(item.program)
        return item.status()

    def _keep(self, program: Program | None) -> None:
        """Keep the code of `program`, so that it need not be translated again for the next object that has it."""
        assert program is not None
        kept = self._kept
        kept.pop(program.text, None)
        kept[program.text] = program
        if len(kept) > _PROGRAMS_KEPT:
            del kept[next(iter(kept))]

    def get(self, object_id: str) -> Status:
        """Raises NodeError: OBJECT_NOT_FOUND."""
        return self._get(object_id).status()

    async def stop(self, object_id: str) -> Status:
        """End an object; what it holds is given back when this returns. An object that has ended stays as it ended.

        Raises NodeError: OBJECT_NOT_FOUND.
        """
        item = self._get(object_id)
        self._stop(item)
        return item.status()

    async def unload(self, object_id: str) -> None:
        """Stop an object and forget it. There need be no such object: another unload may have come first."""
        item = self._objects.get(object_id)
        if item is None:
            return
        self._stop(item)
        if self._objects.pop(object_id, None) is not None:
            self._running.counters.unloads += 1
            self._ordered = None

    def list(self, after: str | None = None, limit: int = DEFAULT_PAGE) -> Page:
        """Objects whose ids come after `after`, which need not exist any more. Raises NodeError: INVALID_PARAMS."""
        if not 1 <= limit <= MAX_PAGE:
            raise NodeError(Kind.INVALID_PARAMS, f"limit is {limit}, it must be from 1 to {MAX_PAGE}")
        ids = self._ordered
        if ids is None:
            ids = self._ordered = sorted(self._objects)
        first = 0 if after is None else bisect_right(ids, after)
        chosen = ids[first : first + limit]
        more = first + limit < len(ids)
        return Page(tuple(self._objects[each].status() for each in chosen), chosen[-1] if more else None)

    # ---------------------------------------------------------------- events and answers

    def deliver(self, object_id: str, event_id: str, topic: str, payload: Value) -> Delivery:
        """Put an event into an object's mailbox, also before its start.

        Raises NodeError: OBJECT_NOT_FOUND, BUSY (it has ended), MAILBOX_FULL, INVALID_PARAMS (ids and topics have at
        most 128 bytes, an encoded event 16 KiB).
        """
        item = self._taking_events(object_id)
        return self._delivered(item, item.mailbox.deliver, event_id, topic, payload)

    def deliver_again(self, object_id: str, event_id: str, topic: str, payload: Value) -> Delivery:
        """Deliver an event that the object may have taken and lost; a duplicate only if it still lies in the mailbox.

        Raises as `deliver`.
        """
        item = self._taking_events(object_id)
        self._running.counters.redelivered_events += 1
        return self._delivered(item, item.mailbox.deliver_again, event_id, topic, payload)

    def withdraw(self, object_id: str, event_id: str) -> bool:
        """Take an event out of an object's mailbox; False if the guest has it, or is about to.

        Raises NodeError: OBJECT_NOT_FOUND.
        """
        item = self._get(object_id)
        if item.wait is Wait.NONE and item.answer is None and len(item.mailbox) == 1:
            return False  # it may have been woken for this one
        return item.mailbox.withdraw(event_id)

    def _taking_events(self, object_id: str) -> NodeObject:
        item = self._get(object_id)
        if item.state in _ENDED:
            raise NodeError(Kind.BUSY, f"object {object_id} is {item.state.value}: it takes no more events")
        return item

    def _delivered(
        self, item: NodeObject, admit: Callable[[str, str, Value], Delivery], event_id: str, topic: str, payload: Value
    ) -> Delivery:
        counters = self._running.counters
        try:
            delivery = admit(event_id, topic, payload)
        except NodeError:
            counters.refused_events += 1
            raise
        if delivery.duplicate:
            counters.duplicate_events += 1
            return delivery
        counters.events += 1
        if item.wait is Wait.EVENT:
            self._running.wake(item, None)
        return delivery

    def answer(self, call_id: str, result: Value) -> bool:
        """Answer a host call. False if nobody waits for it any more; that is counted, and otherwise ignored."""
        return self._running.answered(call_id, result)

    def answer_error(self, call_id: str) -> bool:
        """Answer a host call with a failure: the guest sees SF_HOST_ERROR."""
        return self._running.failed(call_id)

    def answer_denied(self, call_id: str) -> bool:
        """Refuse a host call that was granted by name, for what it asks: the guest sees SF_DENIED."""
        return self._running.failed(call_id, codes.DENIED)

    # ---------------------------------------------------------------- the node itself

    def stats(self) -> dict[str, int]:
        """Some numbers about now: objects, pending_host_calls, ignored_host_responses, uptime_ms, and more."""
        running = self._running
        return {
            "objects": len(self._objects),
            "waiting": len(running.idle),
            "parked": running.parked_now,
            "waiting_to_run": running.scheduler.waiting_to_run,
            "timers": len(running.timers),
            "pending_host_calls": len(running.calls),
            "ignored_host_responses": running.counters.ignored_host_responses,
            "uptime_ms": int((running.loop.time() - self._since) * 1000),
        }

    def usage(self, object_id: str) -> float:
        """Seconds that an object has run, with what the runtime did for it. Raises NodeError: OBJECT_NOT_FOUND."""
        return self._get(object_id).used_in_all

    def usages(self) -> dict[str, float]:
        """The same of all objects, by id."""
        return {object_id: item.used_in_all for object_id, item in self._objects.items()}

    def memory(self, object_id: str) -> Memory:
        """What an object takes: the pages that its guest touched, or what is kept of one that is parked; and the events
        in its mailbox. Raises NodeError: OBJECT_NOT_FOUND.
        """
        item = self._get(object_id)
        waiting = item.mailbox.encoded_bytes
        if item.parked is not None:
            return Memory(waiting + len(item.parked), MemoryKind.PARKED)
        if item.guest is None:
            return Memory(waiting, MemoryKind.NONE)
        resident = item.guest.resident_bytes()
        if resident is not None:
            return Memory(waiting + resident, MemoryKind.RESIDENT)
        layout = item.guest.layout
        regions = layout.read_only.size + layout.writable.size + layout.calldata.size
        return Memory(waiting + regions + layout.frames * layout.frame_bytes + layout.context_bytes, MemoryKind.AT_MOST)

    def metrics(self) -> str:
        """Counters and gauges, as Prometheus text."""
        helps = {"uptime_ms": "milliseconds since the node was made"}
        gauges = [(name, helps.get(name, name.replace("_", " ")), float(value)) for name, value in self.stats().items()]
        return prometheus(self._running.counters, [gauge for gauge in gauges if gauge[0] != "ignored_host_responses"])

    async def close(self) -> None:
        """End all objects. Idempotent."""
        self._closed = True
        for item in list(self._objects.values()):
            self._stop(item)
        self._objects.clear()
        self._kept.clear()
        self._ordered = []
        self._running.close()

    def _stop(self, item: NodeObject) -> None:
        if item.state not in _ENDED:
            self._running.counters.stops += 1
            self._running.end(item, State.STOPPED)

    def _get(self, object_id: str) -> NodeObject:
        item = self._objects.get(object_id)
        if item is None:
            raise not_found(object_id)
        return item

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise NodeError(Kind.BUSY, "the node is closed")
