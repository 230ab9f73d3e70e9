"""What every capability is given, how it refuses, and the fence: an older incarnation's call changes nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from sqlalchemy.ext.asyncio import AsyncConnection

from runtime.sdk.values import Value, encode
from salix.service.attachments import Attachment
from salix.service.clock import Clock
from salix.service.decisions.asking import Decider
from salix.service.settings import Settings
from salix.service.trail import Trail
from salix.service.webclient import WebClient
from salix.store import Store, audit, loops
from salix.store.audit import Entry
from salix.store.loops import Loop, LoopState


class Denied(Exception):
    """Not with these arguments, ever: SF_DENIED. The message goes to the Loop's log, for whoever wrote it."""


class Failed(Exception):
    """Not now: SF_HOST_ERROR. The message goes to the Loop's log."""


class Stale(Exception):
    """Whoever asks is not the current incarnation of an active Loop: SF_DENIED, and its object has to go."""


@dataclass(slots=True)
class Call:
    """One host call of an attachment.

    log: adds a line to the Loop's log, False if it may not. unsaved_lines: takes those that no transaction has written.
    recorded: whether the trail knows of it, as a line or as one more in a count.
    """

    arguments: Value
    attachment: Attachment
    store: Store
    clock: Clock
    settings: Settings
    decider: Decider
    web: WebClient
    trail: Trail
    log: Callable[[str], bool]
    unsaved_lines: Callable[[], list[tuple[str, int, str]]]
    recorded: bool = field(default=False, init=False)

    @asynccontextmanager
    async def fenced(self) -> AsyncIterator[tuple[AsyncConnection, Loop]]:
        """A transaction with the Loop's row, locked. Raises Stale.

        What the Loop has logged so far is written with it: whoever sees an effect can see what led to it.
        """
        earlier: list[Entry] = []
        try:
            async with self.store.write() as tx:
                loop = self._current(await loops.locked(tx, self.attachment.loop_id))
                earlier = self.trail.take(loop.id)
                await audit.add(tx, *earlier)
                yield tx, loop
                lines = self.unsaved_lines()
                if lines:
                    await loops.add_lines(tx, lines, self.settings.limits.log_lines_kept)
        except BaseException:
            self.trail.put_back(earlier)
            raise

    async def current(self) -> Loop:
        """The row, for calls that write nothing. Raises Stale."""
        async with self.store.read() as tx:
            return self._current(await loops.get(tx, self.attachment.loop_id))

    def _current(self, loop: Loop | None) -> Loop:
        if loop is None or loop.state != LoopState.ACTIVE or loop.incarnation != self.attachment.incarnation:
            raise Stale
        return loop

    async def record(
        self, tx: AsyncConnection, action: str, outcome: str, detail: str = "", *, always: bool = False
    ) -> None:
        """Write a line of the audit log, in the name of the Loop, or count it. always: a limit of its own bounds it."""
        self.recorded = True
        if always or self.trail.admits(self.attachment, action, outcome):
            await audit.add(tx, self.trail.entry(self.attachment, action, outcome, detail))

    def members(self, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict[str, Value]:
        """The arguments as an object that has these members and no others. Raises Denied."""
        given = self.arguments
        if not isinstance(given, dict):
            raise Denied("the arguments must be an object")
        missing = [name for name in required if name not in given]
        unknown = [name for name in given if name not in required and name not in optional]
        if missing or unknown:
            raise Denied(f"missing: {missing}, unknown: {[name[:64] for name in unknown]}")
        return given

    def text(self, name: str, value: Value, limit: int) -> str:
        """`value`, a string of at most `limit` bytes, not empty. Raises Denied."""
        if not isinstance(value, str) or not 0 < len(value.encode()) <= limit:
            raise Denied(f"{name} must be a string of 1 to {limit} bytes")
        return value


Capability: TypeAlias = Callable[[Call], Awaitable[Value]]


def as_text(value: Value) -> str:
    """A string as it is, all else as compact JSON."""
    return value if isinstance(value, str) else encode(value).decode()
