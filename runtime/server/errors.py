"""The errors of the wire: JSON-RPC's code, and the kind by which clients tell application errors apart.

-32700 PARSE_ERROR          the frame is no JSON                              id: null
-32600 INVALID_REQUEST      the JSON is no request                            id: null
-32600 DUPLICATE_ID         the id belongs to a request that is outstanding
-32601 METHOD_NOT_FOUND
-32602 INVALID_PARAMS
-32603 INTERNAL_ERROR       a defect of the server; its trace is on stderr
-32000 NOT_INITIALIZED      sf.initialize comes first
-32001 BUSY                 not now, or not in this state
-32002 MAILBOX_FULL
-32003 RESPONSE_TOO_LARGE   the result does not fit a frame
-32004 OBJECT_NOT_FOUND
-32010 INVALID_OBJECT       the ELF may not run
-32020 SANDBOX_UNAVAILABLE  no installed package has a compiler
"""

from __future__ import annotations

CODES = {
    "PARSE_ERROR": -32700,
    "INVALID_REQUEST": -32600,
    "DUPLICATE_ID": -32600,
    "METHOD_NOT_FOUND": -32601,
    "INVALID_PARAMS": -32602,
    "INTERNAL_ERROR": -32603,
    "NOT_INITIALIZED": -32000,
    "BUSY": -32001,
    "MAILBOX_FULL": -32002,
    "RESPONSE_TOO_LARGE": -32003,
    "OBJECT_NOT_FOUND": -32004,
    "INVALID_OBJECT": -32010,
    "SANDBOX_UNAVAILABLE": -32020,
}
MAX_MESSAGE_BYTES = 4096


class RequestRefused(Exception):
    """A request is answered with an error; `kind` is one of CODES."""

    def __init__(self, kind: str, message: str) -> None:
        self.kind, self.message = kind, message
        super().__init__(message)


class SessionEnded(Exception):
    """The session cannot go on: the client breaks a bound of the transport. The message is for stderr."""


def invalid_params(message: str) -> RequestRefused:
    return RequestRefused("INVALID_PARAMS", message)


def shortened(message: str) -> str:
    """At most MAX_MESSAGE_BYTES of UTF-8, cut between characters."""
    encoded = message.encode(errors="backslashreplace")
    return encoded[:MAX_MESSAGE_BYTES].decode(errors="ignore")
