"""Why Salix will not do what it was asked. Guests see codes instead, never these."""

from __future__ import annotations

from enum import StrEnum


class Refusal(StrEnum):
    """What programs tell refusals apart by. The HTTP status of each is in `salix.http.errors`."""

    UNAUTHENTICATED = "unauthenticated"
    NOT_FOUND = "not_found"
    INVALID = "invalid"  # the request itself is wrong, and will be wrong again
    CONFLICT = "conflict"  # not in this state
    TOO_LARGE = "too_large"
    QUOTA = "quota"
    INBOX_FULL = "inbox_full"  # until the Loop acknowledges some
    RATE_LIMITED = "rate_limited"
    INVALID_PROGRAM = "invalid_program"
    UNAVAILABLE = "unavailable"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type"
    INTERNAL = "internal"  # a defect of ours


class Refused(Exception):
    """Nothing has changed. `kind` is for programs, the message for people and agents."""

    def __init__(self, kind: Refusal, message: str) -> None:
        self.kind = kind
        super().__init__(message)


def not_found(what: str, name: str) -> Refused:
    return Refused(Refusal.NOT_FOUND, f"there is no {what} {name[:128]!r}")
