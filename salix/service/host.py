"""The host's side of a node: host calls become capabilities, log lines rows, ends of objects news for the life cycle.

The node asks for nothing that may block, so each host call is a task. A guest has one at a time, so there are at most
as many tasks as attachments. What a capability raises becomes a code; only our own defects are printed.
"""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Callable, Coroutine
from typing import Any

from runtime.node import Failure, HostCall, Node, State, Status
from runtime.sdk.values import ValueRefused
from salix.service.attachments import Attachment, Attachments
from salix.service.capabilities import CAPABILITIES
from salix.service.capabilities.calling import Call, Denied, Failed, Stale
from salix.service.clock import Clock
from salix.service.decisions.asking import Decider
from salix.service.settings import Settings
from salix.service.trail import Trail
from salix.service.webclient import WebClient
from salix.store import Store, audit, loops

_MOST_UNSAVED_LINES = 10_000


class Host:
    """An `Embedder`. `ended` is called when an object ended, `settled` when its mailbox may have room again."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        settings: Settings,
        attachments: Attachments,
        decider: Decider,
        web: WebClient,
    ) -> None:
        self._store, self._clock, self._settings = store, clock, settings
        self._attachments, self._decider, self._web = attachments, decider, web
        self.node: Node | None = None
        self.ended: Callable[[Attachment, Status], Coroutine[Any, Any, None]] | None = None
        self.settled: Callable[[Attachment], Coroutine[Any, Any, None]] | None = None
        self._calls: dict[str, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._lines: list[tuple[str, int, str]] = []
        self._trail = Trail(clock, settings.limits.audited_calls_per_minute)

    # ---------------------------------------------------------------- what the node asks

    def host_call(self, call: HostCall) -> None:
        attachment = self._attachments.of_object(call.object_id)
        assert self.node is not None
        if attachment is None:  # it was detached while the guest ran on to this call
            self.node.answer_denied(call.id)
            return
        task = asyncio.create_task(self._serve(call, attachment))
        self._calls[call.id] = task
        task.add_done_callback(lambda _: self._calls.pop(call.id, None))

    def host_denied(self, object_id: str, capability: str) -> None:
        attachment = self._attachments.of_object(object_id)
        if attachment is not None:
            self._trail.note(attachment, "host.call", "denied", f"{capability[:200]} is not granted")

    def host_cancel(self, call_id: str) -> None:
        """Let it finish: what it does to the store it does wholly or not at all, and its answer is dropped."""

    def object_state(self, status: Status) -> None:
        attachment = self._attachments.of_object(status.object_id)
        if attachment is not None and status.state is not State.STOPPED and self.ended is not None:
            self.spawn(self.ended(attachment, status))

    def log(self, object_id: str, message: str) -> bool:
        attachment = self._attachments.of_object(object_id)
        return attachment is not None and self.log_line(attachment.loop_id, message)

    # ---------------------------------------------------------------- logs and tasks

    def log_line(self, loop_id: str, line: str) -> bool:
        """Keep a line until `flush`; False if too many are kept."""
        if len(self._lines) >= _MOST_UNSAVED_LINES:
            return False
        self._lines.append((loop_id, self._clock.now_ms(), line))
        return True

    def _take_lines(self, loop_id: str) -> list[tuple[str, int, str]]:
        """The lines of one Loop, which whoever takes them writes."""
        taken = [line for line in self._lines if line[0] == loop_id]
        self._lines = [line for line in self._lines if line[0] != loop_id]
        return taken

    async def flush(self, *, last: bool = False) -> None:
        """Write the lines that were logged, and what was noted for the audit log. last: nothing comes after it."""
        lines, self._lines = self._lines, []
        entries = self._trail.take_last() if last else self._trail.take()
        if not lines and not entries:
            return
        try:
            async with self._store.write() as tx:
                await audit.add(tx, *entries)
                if lines:
                    await loops.add_lines(tx, lines, self._settings.limits.log_lines_kept)
        except BaseException:  # the database is away: the next time
            self._lines = lines + self._lines
            self._trail.put_back(entries)
            raise

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run `work` beside everything else, until it is done or the host closes."""
        task = asyncio.create_task(self.guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def settle(self) -> None:
        """Wait until nothing is under way that was begun before; for tests and for the end."""
        while pending := [*self._calls.values(), *self._tasks]:
            await asyncio.wait(pending)

    async def close(self) -> None:
        """Let what is under way come to its end, for a moment; then end it."""
        pending = [*self._calls.values(), *self._tasks]
        if pending:
            await asyncio.wait(pending, timeout=2)
        for task in (*self._calls.values(), *self._tasks):
            task.cancel()
        await self.guarded(self.flush(last=True))  # the database may be what is gone

    async def guarded(self, work: Coroutine[Any, Any, None]) -> None:
        """Do `work` for one Loop. What fails is printed: the others go on, and the sweep comes back to this one."""
        try:
            await work
        except Exception:
            traceback.print_exc(file=sys.stderr)

    # ---------------------------------------------------------------- host calls

    async def _serve(self, call: HostCall, attachment: Attachment) -> None:
        assert self.node is not None
        loop_id = attachment.loop_id
        asked = Call(
            call.arguments, attachment, self._store, self._clock, self._settings, self._decider, self._web,
            self._trail, lambda line: self.log_line(loop_id, line), lambda: self._take_lines(loop_id),
        )  # fmt: skip

        def note(outcome: str, detail: str = "") -> None:
            if not asked.recorded:
                self._trail.note(attachment, call.capability, outcome, detail)

        try:
            result = await CAPABILITIES[call.capability](asked)
        except Denied as denied:
            note("denied", str(denied))
            self.log_line(loop_id, f"{call.capability} denied: {denied}"[:1000])
            self.node.answer_denied(call.id)
        except Stale:
            note("stale", f"by incarnation {attachment.incarnation}, which does not run any more")
            self.node.answer_denied(call.id)
            await self._detach(attachment)
        except (Failed, ValueRefused) as failed:
            note("failed", str(failed))
            self.log_line(loop_id, f"{call.capability} failed: {failed}"[:1000])
            self.node.answer_error(call.id)
        except Exception as error:  # a defect of ours, or a database that is gone: the guest may try again
            note("failed", type(error).__name__)
            traceback.print_exc(file=sys.stderr)
            self.node.answer_error(call.id)
        else:
            note("done")
            acknowledged = call.capability == "loop.ack" and self._attachments.of_object(call.object_id) is attachment
            if acknowledged:  # a copy that waits must be gone before the guest can ask for it
                self.node.withdraw(attachment.object_id, call.arguments["event_id"])
            self.node.answer(call.id, result)
            if acknowledged and self.settled is not None:
                await self.guarded(self.settled(attachment))

    async def _detach(self, attachment: Attachment) -> None:
        assert self.node is not None
        self._attachments.remove(attachment)
        await self.node.unload(attachment.object_id)


def failure_text(status: Status) -> str:
    """How an object ended, for people."""
    match status.outcome:
        case Failure(kind, error):
            return f"{kind}: {error}"
        case None:
            return status.state.value
        case exit_:
            return f"the program returned {exit_.exit_code}"
