"""What Loops asked of their host, on its way into the audit log: every call, but of each Loop so many in a minute only.

    written with its effect   what a limit of its own bounds: acknowledged events, wakes. Always, in that transaction
    written, or counted       all else. Beyond the minute's number a call is counted, and when the minute is over one
                              line says how many of each kind there were: a Loop that spins does not fill the disk

Calls that change no rows are kept here until the next transaction of their Loop, or for a second at most: a crash may
lose these, and none whose effect is there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from salix.service.attachments import Attachment
from salix.service.clock import Clock
from salix.service.settings import MINUTE_MS
from salix.store.audit import Entry

LEFT_OUT = "left out"  # the outcome of the line that counts
_DETAIL = 1000  # characters


@dataclass(slots=True)
class _Minute:
    """Of one Loop: how many lines were written since `begin_ms`, and what was only counted."""

    principal: str
    begin_ms: int
    written: int = 0
    left_out: Counter[str] = field(default_factory=Counter)


class Trail:
    """See the module. per_minute: lines of one Loop."""

    def __init__(self, clock: Clock, per_minute: int) -> None:
        self._clock, self._per_minute = clock, per_minute
        self._minutes: dict[str, _Minute] = {}
        self._entries: list[Entry] = []

    def entry(self, attachment: Attachment, action: str, outcome: str, detail: str) -> Entry:
        """A line in the name of a Loop."""
        now_ms = self._clock.now_ms()
        return Entry(attachment.principal, action, attachment.loop_id, outcome, detail[:_DETAIL], now_ms)

    def admits(self, attachment: Attachment, action: str, outcome: str) -> bool:
        """Whether this minute has room for one more line of that Loop; if not, it is counted."""
        begin_ms = self._clock.now_ms() // MINUTE_MS * MINUTE_MS
        minute = self._minutes.get(attachment.loop_id)
        if minute is None or minute.begin_ms != begin_ms:
            if minute is not None:
                self._close(attachment.loop_id, minute)
            minute = self._minutes[attachment.loop_id] = _Minute(attachment.principal, begin_ms)
        if minute.written >= self._per_minute:
            minute.left_out[f"{action} {outcome}"] += 1
            return False
        minute.written += 1
        return True

    def note(self, attachment: Attachment, action: str, outcome: str, detail: str = "") -> None:
        """A call that no transaction writes: keep its line until one comes by."""
        if self.admits(attachment, action, outcome):
            self._entries.append(self.entry(attachment, action, outcome, detail))

    def take(self, loop_id: str | None = None) -> list[Entry]:
        """The lines that are kept, of one Loop, or of all with the counts of ended minutes: the caller's to write."""
        if loop_id is None:
            begin_ms = self._clock.now_ms() // MINUTE_MS * MINUTE_MS
            self._close_all(lambda minute: minute.begin_ms != begin_ms)
        taken = [entry for entry in self._entries if loop_id in (None, entry.loop_id)]
        self._entries = [entry for entry in self._entries if loop_id not in (None, entry.loop_id)]
        return taken

    def take_last(self) -> list[Entry]:
        """The same at the end, with the counts of the minute that is not over."""
        self._close_all(lambda minute: True)
        return self.take()

    def put_back(self, entries: list[Entry]) -> None:
        """They could not be written."""
        self._entries = entries + self._entries

    def _close_all(self, over: Callable[[_Minute], bool]) -> None:
        for loop_id, minute in list(self._minutes.items()):
            if over(minute):
                del self._minutes[loop_id]
                self._close(loop_id, minute)

    def _close(self, loop_id: str, minute: _Minute) -> None:
        if minute.left_out:
            kinds = ", ".join(f"{kind}: {count}" for kind, count in sorted(minute.left_out.items()))
            detail = f"{minute.left_out.total()} more calls in this minute: {kinds}"
            at_ms = minute.begin_ms + MINUTE_MS - 1
            self._entries.append(Entry(minute.principal, "host.calls", loop_id, LEFT_OUT, detail[:_DETAIL], at_ms))
