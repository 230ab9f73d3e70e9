"""Signed webhooks, as the Standard Webhooks specification has them: three headers, and all of them are covered.

    webhook-signature: v1,BASE64(HMAC-SHA256(key, ID "." TIMESTAMP "." BODY)), perhaps several, between blanks

A delivery with any of the headers must have all of them, once. The id is then authenticated, the timestamp required.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Sequence
from typing import NamedTuple


class SignatureRefused(Exception):
    """The headers of a signed delivery are incomplete, or the signature is not theirs."""


class Signed(NamedTuple):
    """All values of each of the headers."""

    ids: Sequence[str] = ()
    timestamps: Sequence[str] = ()
    signatures: Sequence[str] = ()

    @property
    def present(self) -> bool:
        return bool(self.ids or self.timestamps or self.signatures)


def verified(signed: Signed, body: bytes, key: bytes) -> tuple[str, int]:
    """The id and the time, in milliseconds since 1970, that whoever has `key` vouches for. Raises SignatureRefused."""
    if not len(signed.ids) == len(signed.timestamps) == len(signed.signatures) == 1:
        raise SignatureRefused("webhook-id, webhook-timestamp and webhook-signature belong together, each once")
    (event_id,), (timestamp,), (signatures,) = signed
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) < 15):
        raise SignatureRefused("webhook-timestamp must be whole seconds since 1970")
    expected = sign(key, event_id, timestamp, body)
    if not key or not any(hmac.compare_digest(expected.encode(), one.encode()) for one in signatures.split(" ")):
        raise SignatureRefused("the signature is not that of this id, timestamp and body")
    return event_id, int(timestamp) * 1000


def sign(key: bytes, event_id: str, timestamp: str, body: bytes) -> str:
    """The signature of one delivery."""
    signed = f"{event_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
