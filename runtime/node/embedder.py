"""What a node wants of its embedder: to make host calls, and to hear of objects.

None of these may block or await. Host calls are answered later, with `Node.answer`, `answer_error` or
`answer_denied`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from runtime.node.status import Status
from runtime.sdk.values import Value


@dataclass(frozen=True, slots=True)
class HostCall:
    """A guest asks the embedder for something it was granted. `id` is unique among all nodes and times.

    arguments: a value that nobody changes any more. deadline_unix_ms: when the guest gives up, by the wall clock.
    """

    id: str
    object_id: str
    capability: str
    arguments: Value
    timeout_ms: int
    deadline_unix_ms: int


class Embedder(Protocol):
    """See the module."""

    def host_call(self, call: HostCall) -> None:
        """Begin to serve `call`."""

    def host_denied(self, object_id: str, capability: str) -> None:
        """A guest asked for something that it was not granted, and was told so. Advisory."""

    def host_cancel(self, call_id: str) -> None:
        """Nobody waits for the answer to this call any more: it timed out, or its object ended."""

    def object_state(self, status: Status) -> None:
        """An object has ended. Advisory."""

    def log(self, object_id: str, message: str) -> bool:
        """A line from a guest; False if it was dropped, which the guest is told."""
