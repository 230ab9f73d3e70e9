"""An object: one program, one guest, one activation. A small state machine, not a task.

What suspends a guest is a field here (`wait`, `deadline`, `call_id`), what resumes it is `Running.wake`. Implements
`runtime.sdk.calls.Services`, so this is what the sf_ calls do to the world.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from runtime.guest import Guest
from runtime.node.capabilities import Grants
from runtime.node.mailbox import Mailbox
from runtime.node.status import Outcome, State, Status, Wait
from runtime.program import Program
from runtime.sdk import codes
from runtime.sdk.handles import Handles
from runtime.sdk.values import Value, decode

if TYPE_CHECKING:
    from runtime.node.running import Running

LOGS_PER_SECOND = 10


class NodeObject:
    """See the module. Made and ended by `Node`, run by `Running`."""

    __slots__ = (
        "answer",
        "call_id",
        "config_bytes",
        "deadline",
        "grants",
        "guest",
        "handles",
        "id",
        "log_count",
        "log_window",
        "mailbox",
        "outcome",
        "parked",
        "program",
        "queued",
        "running",
        "sha256",
        "spins",
        "started",
        "state",
        "throttled",
        "used",
        "used_in_all",
        "wait",
    )

    def __init__(
        self, running: Running, object_id: str, sha256: bytes, program: Program, config: bytes, grants: Grants
    ) -> None:
        self.running = running
        self.id, self.sha256 = object_id, sha256
        self.program: Program | None = program  # None when it has ended
        self.config_bytes = config
        self.grants = grants
        self.state, self.wait = State.LOADED, Wait.NONE
        self.outcome: Outcome | None = None
        self.guest: Guest | None = None  # None before the start, while parked, at the end
        self.parked: bytes | None = None
        self.answer: int | None = None  # of the call that suspended the guest; None: an event is to be taken
        self.mailbox = Mailbox()
        self.handles = Handles()
        self.deadline = 0  # the number of its entry in `Timers`
        self.call_id: str | None = None
        self.started = 0.0  # by the event loop's clock
        self.used = 0.0  # seconds that it ran since it last waited
        self.used_in_all = 0.0
        self.queued = self.throttled = False
        self.spins = False  # whether it has used up a slice since it last waited
        self.log_window, self.log_count = 0, 0

    def status(self) -> Status:
        """A copy of what embedders may see."""
        return Status(self.id, self.sha256.hex(), self.state, self.wait, len(self.mailbox), self.outcome)

    # ---------------------------------------------------------------- what the sf_ calls need (`Services`)

    def config(self) -> Value:
        """The object's configuration, each time a copy."""
        return decode(self.config_bytes)

    def now_mono_ms(self) -> int:
        """Milliseconds since the object's start."""
        return int((self.running.loop.time() - self.started) * 1000)

    def now_unix_ms(self) -> int:
        """The wall clock."""
        return time.time_ns() // 1_000_000

    def log(self, message: str) -> int:
        """Ten lines a second reach the embedder, if it takes them; the others are SF_LIMIT."""
        running = self.running
        second = int(running.loop.time())
        if second != self.log_window:
            self.log_window, self.log_count = second, 0
        if self.log_count >= LOGS_PER_SECOND:
            running.counters.dropped_log_lines += 1
            return codes.LIMIT
        self.log_count += 1
        if not running.embedder.log(self.id, message):
            running.counters.dropped_log_lines += 1
            return codes.LIMIT
        running.counters.log_lines += 1
        return 0

    def sleep(self, milliseconds: int) -> int | None:
        """Suspend; the answer is 0. No time at all is a yield."""
        if not milliseconds:
            return self.yield_now()
        self.wait = Wait.TIMER
        self.running.timers.set(self, milliseconds / 1000)
        return None

    def yield_now(self) -> int | None:
        """Let all others run first. Not a wait: who only yields is throttled like who spins."""
        self.answer = 0
        return None

    def next_event(self, timeout_ms: int) -> int | None:
        """A handle for the oldest event, for which there is room; SF_TIMEOUT if none comes."""
        if len(self.mailbox):
            return self.take_event()
        if not timeout_ms:
            return codes.TIMEOUT
        self.wait = Wait.EVENT
        self.running.timers.set(self, timeout_ms / 1000)
        return None

    def take_event(self) -> int:
        """A handle for the oldest event; there must be one, and room for the handle."""
        event = self.mailbox.take()
        assert event is not None
        return self.handles.add(decode(event))

    def host_call(self, capability: str, arguments: Value, timeout_ms: int) -> int | None:
        """Ask the embedder; for nothing that is not granted, or whose answer would come too late."""
        running = self.running
        if not self.grants.allows(capability, arguments):
            running.counters.denied_host_calls += 1
            running.embedder.host_denied(self.id, capability)
            return codes.DENIED
        if not timeout_ms:
            return codes.TIMEOUT
        self.wait = Wait.HOST_CALL
        running.timers.set(self, timeout_ms / 1000)
        running.call(self, capability, arguments, timeout_ms)
        return None
