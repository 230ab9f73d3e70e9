"""Events in: accepted means committed. What is refused has changed nothing; what came before is a success.

id            authenticated by a key or a signature: (Loop, id) as bytes, whatever topic and payload come with it
              not authenticated: the id counts for nothing, the same body within a day is the same event
order         known id, then freshness, then rate and room: a valid duplicate is accepted whatever else is the case
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection

from runtime.sdk.values import Value, ValueRefused, check, encode
from salix.service.clock import Clock
from salix.service.errors import Refusal, Refused, not_found
from salix.service.jsontext import strict_json
from salix.service.lifecycle import Lifecycle
from salix.service.settings import MINUTE_MS, Limits
from salix.service.signatures import SignatureRefused, Signed, verified
from salix.store import Store, events, loops
from salix.store.identities import key_hash
from salix.store.loops import Loop, LoopState

_NAME_BYTES = 128


class Accepted(NamedTuple):
    """An event is in the store, by this delivery or by an earlier one."""

    event_id: str
    duplicate: bool


class Intake:
    """See the module. lifecycle: None where events are only taken in, and another process runs the Loops."""

    def __init__(self, store: Store, clock: Clock, limits: Limits, lifecycle: Lifecycle | None) -> None:
        self._store, self._clock, self._limits, self._lifecycle = store, clock, limits, lifecycle

    async def accept(self, group_id: str, loop_id: str, event_id: Value, topic: Value, payload: Value) -> Accepted:
        """An event from whoever has the group's key.

        Raises Refused: NOT_FOUND, INVALID, TOO_LARGE, RATE_LIMITED, INBOX_FULL.
        """
        self._judge(event_id, topic, payload)
        async with self._store.write() as tx:
            loop = await loops.locked(tx, loop_id)
            if loop is None or loop.group_id != group_id:
                raise not_found("Loop", loop_id)
            if await events.known(tx, loop_id, event_id):
                return Accepted(event_id, True)
            await self._add(tx, loop, event_id, topic, encode(payload), None)
        await self._offer(loop_id)
        return Accepted(event_id, False)

    async def webhook(self, secret: str, body: bytes, signed: Signed, topic: str = "webhook") -> Accepted:
        """What somebody sent to a secret URL, perhaps signed. A body that is no JSON is passed on as text.

        Raises Refused: NOT_FOUND, UNAUTHENTICATED, and as `accept`.
        """
        digest = hashlib.sha256(body).digest()
        payload = _payload(body)
        now_ms = self._clock.now_ms()
        async with self._store.write() as tx:
            loop = await loops.by_webhook(tx, key_hash(secret))
            loop = None if loop is None else await loops.locked(tx, loop.id)
            if loop is None or loop.webhook_sha256 != key_hash(secret):
                raise not_found("webhook", "")
            event_id, fresh = self._authenticated(loop, signed, body, now_ms)
            if event_id is None:
                since_ms = now_ms - self._limits.same_body_within_ms
                known = await events.id_of_body(tx, loop.id, digest, since_ms)
                if known is not None:
                    return Accepted(known, True)
                event_id = f"body:{digest.hex()[:40]}:{now_ms}"
            if await events.known(tx, loop.id, event_id):
                return Accepted(event_id, True)
            if not fresh:
                raise Refused(Refusal.UNAUTHENTICATED, "the signature's timestamp is not of these minutes")
            self._judge(event_id, topic, payload)
            await self._add(tx, loop, event_id, topic, encode(payload), digest)
        await self._offer(loop.id)
        return Accepted(event_id, False)

    def _authenticated(self, loop: Loop, signed: Signed, body: bytes, now_ms: int) -> tuple[str | None, bool]:
        """The id that a signature vouches for, None if there is no signature; and whether it was made just now."""
        if not signed.present:
            return None, True
        try:
            event_id, made_ms = verified(signed, body, loop.webhook_signing_key or b"")
        except SignatureRefused as refused:
            raise Refused(Refusal.UNAUTHENTICATED, str(refused)) from refused
        return event_id, abs(now_ms - made_ms) <= self._limits.signature_age_ms

    def _judge(self, event_id: Value, topic: Value, payload: Value) -> None:
        """Raise Refused unless a mailbox would take this event, were it empty."""
        for what, name in (("event_id", event_id), ("topic", topic)):
            if not isinstance(name, str):
                raise Refused(Refusal.INVALID, f"{what} must be a string")
            try:
                size = len(name.encode())
            except UnicodeEncodeError as error:
                raise Refused(Refusal.INVALID, f"{what} is not Unicode text") from error
            if not 0 < size <= _NAME_BYTES:
                raise Refused(Refusal.INVALID, f"{what} has {size} bytes, it must have 1 to {_NAME_BYTES}")
        try:
            check({"event_id": event_id, "topic": topic, "payload": payload})
        except ValueRefused as refused:
            raise Refused(Refusal.TOO_LARGE, f"the event is refused: {refused}") from refused

    async def _add(
        self, tx: AsyncConnection, loop: Loop, event_id: str, topic: str, payload: bytes, digest: bytes | None
    ) -> None:
        limits, now_ms = self._limits, self._clock.now_ms()
        if loop.state == LoopState.FINISHED:
            raise Refused(Refusal.CONFLICT, f"Loop {loop.id} has finished and takes no events")
        if await events.count_accepted(tx, loop.id, now_ms - MINUTE_MS) >= limits.events_per_minute:
            raise Refused(Refusal.RATE_LIMITED, f"more than {limits.events_per_minute} events in a minute")
        if await events.count_pending(tx, loop.id) >= limits.pending_events:
            raise Refused(Refusal.INBOX_FULL, f"{limits.pending_events} events are pending")
        await events.add(tx, loop.id, event_id, topic, payload, now_ms, digest)

    async def _offer(self, loop_id: str) -> None:
        if self._lifecycle is not None:
            await self._lifecycle.offer(loop_id)


def _payload(body: bytes) -> Value:
    """JSON, or else the text itself."""
    try:
        value = strict_json(body)
    except ValueError:
        return body.decode(errors="replace")
    return value
