"""Host calls, and what else the node says by itself, as frames: the server's half of `runtime.node.Embedder`.

A call whose frame finds no room in the outbox waits here, as the value that it is, until there is room or the node
gives it up. An object has one call at most, so there are no more of them than objects. A call that is given up before
its frame was taken from the outbox is never seen by the client; after that, the client is told with host.cancel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from runtime.node import Exit, HostCall, Outcome, Status
from runtime.sdk.codes import MAX_VALUE_BYTES
from runtime.server.frames import encode
from runtime.server.outbox import DATA_BYTES, OBJECT_BYTES, Outbox

_NOTIFICATION: Final = b'{"jsonrpc":"2.0","method":"%s","params":%s}\n'
_CALL: Final = (
    b'{"jsonrpc":"2.0","id":"%s","method":"host.call","params":{"object_id":"%s","capability":%s,"arguments":%s,'
    b'"timeout_ms":%d,"deadline_unix_ms":%d,"max_result_bytes":%d}}\n'
)


class HostCalls:
    """See the module. `send(frame)` queues a control frame if there is room; `flush_soon()` gets data written."""

    def __init__(self, outbox: Outbox, send: Callable[[bytes], bool], flush_soon: Callable[[], None]) -> None:
        self._outbox, self._send, self._flush_soon = outbox, send, flush_soon
        self._waiting: dict[str, HostCall] = {}  # for room, the oldest first
        self.dropped = 0  # notifications of objects that found no room

    # ---------------------------------------------------------------- what the node calls

    def host_call(self, call: HostCall) -> None:
        """Send `call`, now or when there is room."""
        if self._waiting or not self._queued(call):
            self._waiting[call.id] = call

    def host_denied(self, object_id: str, capability: str) -> None:
        """The wire has no notification of it; `sf.stats` counts them."""

    def host_cancel(self, call_id: str) -> None:
        """Take the call back, or tell the client to forget it."""
        if self._waiting.pop(call_id, None) is None and not self._outbox.withdraw(call_id):
            self._send(_NOTIFICATION % (b"host.cancel", b'{"id":"%s"}' % call_id.encode()))

    def object_state(self, status: Status) -> None:
        """An object has ended."""
        self._send(_NOTIFICATION % (b"sf.object.state", status_json(status)))

    def log(self, object_id: str, message: str) -> bool:
        """A line of an object's; False if there is no room."""
        line = _NOTIFICATION % (b"sf.log", encode({"object_id": object_id, "message": message}))
        if not self._outbox.add_data(object_id, line):
            self.dropped += 1
            return False
        self._flush_soon()
        return True

    # ---------------------------------------------------------------- what the session calls

    def room(self) -> None:
        """There may be room in the outbox now: queue the calls that wait for it."""
        for call in list(self._waiting.values()):
            if self._outbox.data_bytes > DATA_BYTES - OBJECT_BYTES:
                return
            if self._queued(call):
                del self._waiting[call.id]

    def _queued(self, call: HostCall) -> bool:
        frame = _CALL % (
            call.id.encode(),
            call.object_id.encode(),
            encode(call.capability),
            encode(call.arguments),
            call.timeout_ms,
            call.deadline_unix_ms,
            MAX_VALUE_BYTES,
        )
        if not self._outbox.add_data(call.object_id, frame, call.id):
            return False
        self._flush_soon()
        return True


def status_json(status: Status) -> bytes:
    """An object's status. Ids, hashes and states need no escapes."""
    return (
        f'{{"object_id":"{status.object_id}","sha256":"{status.sha256}","state":"{status.state.value}",'
        f'"wait":"{status.wait.value}","mailbox_entries":{status.mailbox_entries},"outcome":'
    ).encode() + _outcome_json(status.outcome)


def _outcome_json(outcome: Outcome | None) -> bytes:
    match outcome:
        case None:
            return b"null}"
        case Exit(exit_code):
            return b'{"exit_code":%d}}' % exit_code
        case _:
            return encode({"kind": outcome.kind, "error": outcome.error}) + b"}"
