"""Why the node will not do what its embedder asked. A guest's own errors are statuses and outcomes, never these."""

from __future__ import annotations

from enum import StrEnum

from runtime.errors import RuntimeRefused


class Kind(StrEnum):
    """What embedders tell errors apart by; the wire's `error.data.kind`."""

    OBJECT_NOT_FOUND = "OBJECT_NOT_FOUND"
    INVALID_OBJECT = "INVALID_OBJECT"  # the ELF may not run; the message says why
    INVALID_PARAMS = "INVALID_PARAMS"
    MAILBOX_FULL = "MAILBOX_FULL"
    BUSY = "BUSY"  # not in this state, or not now


class NodeError(RuntimeRefused):
    """The node refused; nothing has changed. `kind` is for programs, the message for people."""

    def __init__(self, kind: Kind, message: str) -> None:
        self.kind = kind
        super().__init__(message)


def not_found(object_id: str) -> NodeError:
    return NodeError(Kind.OBJECT_NOT_FOUND, f"there is no object {object_id[:128]!r}")
