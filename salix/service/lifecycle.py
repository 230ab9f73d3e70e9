"""Loading, ending and moving Loops: rows say what should run, attachments what does; this makes them one.

    active, no object            load: a new incarnation, the ELF read and its hash compared, pending events
    object faulted               load again, three times an hour; then failed, and the agent is told once
    object returned >= 0         finished                       < 0: as a fault, since it gave up
    event given, not settled     given again, once a minute
    event pending for 15 minutes failed, the events stay
    paused, deleted, fenced      no object

A load is committed before its object exists, so of two servers that load the same Loop the later one's stays, and the
other's object is denied everything from then on and goes. A server takes all Loops when it starts. After that it leaves
those that another holds to it, for as long as that one is seen to live: else the two would take them from each other in
turns.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import defaultdict
from collections.abc import Callable, Set

from runtime.node import Delivery, Exit, Failure, Kind, Node, NodeError, State, Status
from runtime.node.status import PROGRAM_FAULT
from runtime.sdk.values import Value, decode
from salix.service.attachments import Attachment, Attachments, Given
from salix.service.clock import Clock
from salix.service.files import AgentFiles
from salix.service.host import Host, failure_text
from salix.service.notices import tell
from salix.service.programs import ProgramChanged, config_with_state, grants, read_program
from salix.service.settings import Settings
from salix.store import Store, audit, events, loops, servers
from salix.store.audit import Entry
from salix.store.events import Event
from salix.store.loops import Loop, LoopState

_SILENT_SWEEPS = 4  # of another server, and it is taken to be gone


class Lifecycle:
    """See the module."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        settings: Settings,
        files: AgentFiles,
        node: Node,
        attachments: Attachments,
        host: Host,
    ) -> None:
        self._store, self._clock, self._settings, self._files = store, clock, settings, files
        self._node, self._attachments, self._host = node, attachments, host
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)  # by Loop: one change at a time
        self._server_id, self._has_begun = secrets.token_hex(8), False
        self._heard: dict[str, tuple[int, int]] = {}  # of other servers: how far they had counted, and since when
        host.ended, host.settled = self.ended, self.deliver_pending

    # ---------------------------------------------------------------- loading

    async def attach(self, loop_id: str) -> None:
        """Load a Loop that is active, in place of the object that it has, if any."""
        async with self._turns[loop_id]:
            await self._attach(loop_id)

    async def _attach(self, loop_id: str) -> None:
        await self._detach(loop_id)
        async with self._store.write() as tx:
            loop = await loops.locked(tx, loop_id)
            if loop is None or loop.state != LoopState.ACTIVE:
                return
            loop = loop._replace(incarnation=loop.incarnation + 1)
            await loops.change(tx, loop_id, incarnation=loop.incarnation, held_by=self._server_id)
            state = await loops.checkpoint(tx, loop_id)
        try:
            elf = read_program(self._files, loop)
            status = self._node.load(elf, config_with_state(loop.config, state), grants(loop))
        except ProgramChanged as changed:
            await self.fail(loop_id, "program", str(changed), loop.incarnation)
            return
        except NodeError as refused:
            if refused.kind is not Kind.BUSY:
                await self.fail(loop_id, "program", str(refused), loop.incarnation)
            return
        attachment = Attachment(loop_id, loop.incarnation, status.object_id, loop.principal)
        self._attachments.add(attachment)
        await self.deliver_pending(attachment)
        if self._attachments.of_object(attachment.object_id) is attachment:
            try:
                self._node.start(attachment.object_id)
            except NodeError:  # no memory: the sweep tries again
                await self._detach(loop_id)

    async def detach(self, loop_id: str) -> None:
        """End the object of a Loop, if it has one here."""
        async with self._turns[loop_id]:
            await self._detach(loop_id)

    async def _detach(self, loop_id: str) -> None:
        attachment = self._attachments.of_loop(loop_id)
        if attachment is not None:
            self._attachments.remove(attachment)
            await self._node.unload(attachment.object_id)

    # ---------------------------------------------------------------- events

    async def deliver_pending(self, attachment: Attachment) -> None:
        """Make the mailbox what the rows say: settled events leave it, and those that its object was not given yet come
        into it, in their order. What finds no room is tried again by the next sweep."""
        async with attachment.delivering:
            await self._deliver_pending(attachment)

    async def replay(self, attachment: Attachment) -> None:
        """The same; then those again that the object was given a minute ago or longer, the longest ago first."""
        async with attachment.delivering:
            waiting, given = await self._deliver_pending(attachment), attachment.given
            before_ms = self._clock.now_ms() - self._settings.limits.replay_every_ms
            due = [each for each in waiting if each.seq in given and given[each.seq].at_ms <= before_ms]
            due.sort(key=lambda each: given[each.seq].at_ms)
            self._put(attachment, self._node.deliver_again, due)

    async def _deliver_pending(self, attachment: Attachment) -> list[Event]:
        """What is pending."""
        async with self._store.read() as tx:
            waiting = await events.pending(tx, attachment.loop_id)
        given, pending = attachment.given, {event.seq for event in waiting}
        if self._attachments.of_object(attachment.object_id) is attachment:
            for seq in given.keys() - pending:
                self._node.withdraw(attachment.object_id, given.pop(seq).event_id)
        self._put(attachment, self._node.deliver, [each for each in waiting if each.seq not in given])
        return waiting

    def _put(
        self, attachment: Attachment, deliver: Callable[[str, str, str, Value], Delivery], chosen: list[Event]
    ) -> None:
        for event in chosen:
            try:
                deliver(attachment.object_id, event.event_id, event.topic, decode(event.payload))
            except NodeError:  # full, or it has ended: the event stays pending, and so do those behind it
                return
            attachment.given[event.seq] = Given(event.event_id, self._clock.now_ms())

    async def offer(self, loop_id: str) -> None:
        """An event was accepted, or discarded: tell the Loop now, if it runs here."""
        attachment = self._attachments.of_loop(loop_id)
        if attachment is not None:
            await self.deliver_pending(attachment)

    # ---------------------------------------------------------------- ends

    async def ended(self, attachment: Attachment, status: Status) -> None:
        """An object has ended by itself."""
        async with self._turns[attachment.loop_id]:
            if self._attachments.of_loop(attachment.loop_id) is not attachment:
                return
            await self._detach(attachment.loop_id)
            if isinstance(status.outcome, Failure) and status.outcome.kind != PROGRAM_FAULT:
                return  # not the program's fault: the sweep loads it again
            if await self._judge_end(attachment, status):
                await self._attach(attachment.loop_id)

    async def _judge_end(self, attachment: Attachment, status: Status) -> bool:
        """Write down what an end means; whether the Loop is to be loaded again."""
        limits, now_ms, text = self._settings.limits, self._clock.now_ms(), failure_text(status)
        async with self._store.write() as tx:
            loop = await loops.locked(tx, attachment.loop_id)
            if loop is None or loop.state != LoopState.ACTIVE or loop.incarnation != attachment.incarnation:
                return False
            await audit.add(tx, Entry("salix", "loop.ended", loop.id, status.state.value, text[:1000], now_ms))
            if status.state is State.EXITED and isinstance(status.outcome, Exit) and status.outcome.exit_code >= 0:
                await loops.change(tx, loop.id, state=LoopState.FINISHED, reason="exit", detail=text)
                return False
            await loops.add_fault(tx, loop, text, now_ms)
            since_ms = max(now_ms - limits.reload_window_ms, loop.resumed_ms - 1)
            count = await loops.count_faults(tx, loop.id, since_ms)
            self._host.log_line(loop.id, f"fault {count} in an hour: {text}"[:1000])
            if count <= limits.reloads:
                return True
            await loops.change(tx, loop.id, state=LoopState.FAILED, reason="faults", detail=text)
            await tell(
                tx, loop, "faults", f"failed after {count} faults in an hour. The last one: {text}"[:4000], now_ms
            )
            return False

    async def fail(self, loop_id: str, reason: str, detail: str, incarnation: int | None = None) -> None:
        """Fail an active Loop, of that incarnation if one is given, and tell its agent; its events stay pending."""
        async with self._store.write() as tx:
            loop = await loops.locked(tx, loop_id)
            if loop is None or loop.state != LoopState.ACTIVE or incarnation not in (None, loop.incarnation):
                return
            now_ms = self._clock.now_ms()
            await loops.change(tx, loop_id, state=LoopState.FAILED, reason=reason, detail=detail)
            await audit.add(tx, Entry("salix", "loop.failed", loop_id, reason, detail[:1000], now_ms))
            await tell(tx, loop, reason, f"failed: {detail}"[:4000], now_ms)

    # ---------------------------------------------------------------- the sweep

    async def sweep(self) -> None:
        """Make what runs here what the rows say. Run at the start, and some times a minute."""
        limits = self._settings.limits
        alive = await self._beat()
        async with self._store.read() as tx:
            overdue = await events.overdue(tx, self._clock.now_ms() - limits.acknowledge_within_ms)
            active = {loop.id: loop for loop in await loops.in_state(tx, LoopState.ACTIVE)}
        for loop_id in overdue.keys() & active.keys():
            count, minutes = overdue[loop_id], limits.acknowledge_within_ms // 60_000
            text = f"{count} events were not acknowledged within {minutes} minutes. They are still pending."
            await self.fail(loop_id, "unacknowledged", text)
            await self.detach(loop_id)
        for attachment in self._attachments.all():
            loop = active.get(attachment.loop_id)
            if loop is None or loop.incarnation != attachment.incarnation:
                async with self._turns[attachment.loop_id]:
                    if self._attachments.of_loop(attachment.loop_id) is attachment and await self._is_stale(attachment):
                        await self._detach(attachment.loop_id)
        for loop_id in sorted(active.keys() - overdue.keys()):
            await self._host.guarded(self._look_after(active[loop_id], alive))

    async def _is_stale(self, attachment: Attachment) -> bool:
        """By the row as it is now: the sweep's picture may be older than the attachment."""
        async with self._store.read() as tx:
            loop = await loops.get(tx, attachment.loop_id)
        return loop is None or loop.state != LoopState.ACTIVE or loop.incarnation != attachment.incarnation

    async def _beat(self) -> Set[str]:
        """Show that this server lives; which others do, or none when this one begins: it takes what they have."""
        async with self._store.write() as tx:
            if not self._has_begun:
                await servers.forget_others(tx, self._server_id)
            await servers.beat(tx, self._server_id)
            found = await servers.beats(tx)
        now_ms = self._clock.now_ms()
        for server_id, count in found.items():
            if server_id not in self._heard or self._heard[server_id][0] != count:
                self._heard[server_id] = (count, now_ms)
        self._heard = {server_id: self._heard[server_id] for server_id in found if server_id != self._server_id}
        self._has_begun = True
        patience_ms = _SILENT_SWEEPS * self._settings.limits.sweep_every_ms
        return {server_id for server_id, (_, since_ms) in self._heard.items() if now_ms - since_ms < patience_ms}

    async def leave(self) -> None:
        """Let others take the Loops of this server at once."""
        async with self._store.write() as tx:
            await servers.leave(tx, self._server_id)

    async def _look_after(self, loop: Loop, alive: Set[str]) -> None:
        attachment = self._attachments.of_loop(loop.id)
        if attachment is not None:
            await self.replay(attachment)
            return
        if loop.held_by in alive:
            return
        async with self._turns[loop.id]:
            if self._attachments.of_loop(loop.id) is None:
                await self._attach(loop.id)
