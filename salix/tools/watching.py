"""loop.logs, loop.events, loop.webhook: what a Loop said, what waits for it, and its secret address."""

from __future__ import annotations

import base64
import secrets
from typing import Any, Literal

from pydantic import Field

from runtime.sdk.values import decode
from salix.service import Refusal, Refused, Service
from salix.service.errors import not_found
from salix.store import audit, events, loops
from salix.store.audit import Entry
from salix.store.events import EventState
from salix.store.identities import key_hash
from salix.tools.caller import Arguments, Caller, own_loop


class Logs(Arguments):
    """Which lines."""

    loop_id: str
    limit: int = Field(50, ge=1, le=200)


class Audit(Arguments):
    """Which entries."""

    loop_id: str
    limit: int = Field(50, ge=1, le=500)


class Events(Arguments):
    """What to do with pending events."""

    loop_id: str
    action: Literal["list", "retry", "discard"] = Field(
        "list", description="retry: give them their full time again and, if the Loop runs, a new incarnation"
    )
    event_id: str | None = Field(None, description="the event to discard")


class Webhook(Arguments):
    """What to do with the secret URL."""

    loop_id: str
    action: Literal["enable", "rotate", "revoke"]


async def logs(service: Service, caller: Caller, arguments: Logs) -> dict[str, Any]:
    """The last lines that a Loop logged, with what the host had to say about its calls: {lines: [{at_ms, line}]}."""
    await own_loop(service, caller, arguments.loop_id)
    await service.host.flush()
    async with service.store.read() as tx:
        lines = await loops.last_lines(tx, arguments.loop_id, arguments.limit)
    return {"lines": [{"at_ms": at_ms, "line": line} for at_ms, line in lines]}


async def audit_of(service: Service, caller: Caller, arguments: Audit) -> dict[str, Any]:
    """What a Loop asked of its host, denied calls too, and what was done to it, oldest first:
    {entries: [{at_ms, principal, action, outcome, detail}]}. Of very many calls in a minute, some are only counted."""
    await own_loop(service, caller, arguments.loop_id)
    await service.host.flush()
    async with service.store.read() as tx:
        found = await audit.of_loop(tx, arguments.loop_id, arguments.limit)
    fields = ("at_ms", "principal", "action", "outcome", "detail")
    return {"entries": [{name: getattr(entry, name) for name in fields} for entry in reversed(found)]}


async def change_events(service: Service, caller: Caller, arguments: Events) -> dict[str, Any]:
    """List the pending events of a Loop, let it try them again, or discard one for good:
    {events: [{event_id, topic, payload, accepted_ms}]}."""
    loop = await own_loop(service, caller, arguments.loop_id)
    now_ms = service.clock.now_ms()
    if arguments.action == "discard":
        if arguments.event_id is None:
            raise Refused(Refusal.INVALID, "event_id: which event is to be discarded?")
        async with service.store.write() as tx:
            await loops.locked(tx, loop.id)
            if not await events.settle(tx, loop.id, arguments.event_id, EventState.DISCARDED, now_ms, None):
                raise not_found("pending event", arguments.event_id)
            await audit.add(
                tx, Entry(caller.principal, "loop.events", loop.id, "discarded", arguments.event_id, now_ms)
            )
        await service.lifecycle.offer(loop.id)  # which takes it out of the mailbox, too
    elif arguments.action == "retry":
        async with service.store.write() as tx:
            await loops.locked(tx, loop.id)
            await events.wait_anew(tx, loop.id, now_ms)
            await audit.add(tx, Entry(caller.principal, "loop.events", loop.id, "retried", "", now_ms))
        await service.lifecycle.attach(loop.id)  # a new object: the old one's mailbox would take them for duplicates
    async with service.store.read() as tx:
        waiting = await events.pending(tx, loop.id)
    return {
        "events": [
            {"event_id": e.event_id, "topic": e.topic, "payload": decode(e.payload), "accepted_ms": e.accepted_ms}
            for e in waiting
        ]
    }


async def webhook(service: Service, caller: Caller, arguments: Webhook) -> dict[str, Any]:
    """Enable, rotate or revoke a Loop's secret webhook URL. Returns {url, signing_key}, which are shown this once: a
    POST to the URL is an event; deliveries that are signed with the key (Standard Webhooks) have authenticated ids."""
    now_ms = service.clock.now_ms()
    secret, key = secrets.token_urlsafe(32), secrets.token_bytes(32)
    async with service.store.write() as tx:
        loop = await loops.locked(tx, arguments.loop_id)
        if loop is None or loop.agent_id != caller.agent_id:
            raise not_found("Loop", arguments.loop_id)
        if (arguments.action == "enable") != (loop.webhook_sha256 is None):
            is_now = "has no webhook" if loop.webhook_sha256 is None else "has a webhook already: rotate it"
            raise Refused(Refusal.CONFLICT, f"Loop {loop.id} {is_now}")
        if arguments.action == "revoke":
            await loops.change(tx, loop.id, webhook_sha256=None, webhook_signing_key=None)
        else:
            await loops.change(tx, loop.id, webhook_sha256=key_hash(secret), webhook_signing_key=key)
        await audit.add(tx, Entry(caller.principal, "loop.webhook", loop.id, arguments.action, "", now_ms))
    if arguments.action == "revoke":
        return {"revoked": True}
    url = f"{(service.settings.public_url or '').rstrip('/')}/v1/webhooks/{secret}"
    return {"url": url, "signing_key": "whsec_" + base64.b64encode(key).decode()}
