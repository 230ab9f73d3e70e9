"""agent.notify: the one way to wake the agent. Once per key, six in ten minutes, and an hour at that limit is too long.

at the limit     six wakes in the last ten minutes
stays there      comes back to the limit within ten minutes of leaving it, again and again
"""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from runtime.sdk.values import Value
from salix.service.capabilities.calling import Call, Denied, Failed, Stale, as_text
from salix.service.notices import tell
from salix.service.settings import Limits
from salix.store import identities, loops, wakes
from salix.store.loops import Loop, LoopState


async def notify(call: Call) -> Value:
    """{content, dedup_key} -> {delivered: true, duplicate}. content: text, or any value, which becomes its JSON.

    A key that has woken the agent before is a success, and free, in whatever incarnation that was.
    """
    given = call.members(("content", "dedup_key"))
    limits = call.settings.limits
    dedup_key = call.text("dedup_key", given["dedup_key"], limits.dedup_key_bytes)
    content = as_text(given["content"])
    if not 0 < len(content.encode()) <= limits.wake_bytes:
        raise Denied(f"content must have 1 to {limits.wake_bytes} bytes")
    async with call.fenced() as (tx, loop):
        if await wakes.known(tx, loop.id, dedup_key):
            await call.record(tx, "agent.notify", "duplicate", dedup_key)
            return {"delivered": True, "duplicate": True}
        now_ms = call.clock.now_ms()
        times = await wakes.times_after(tx, loop.id, now_ms - limits.wake_window_ms)
        allowed = len(times) < limits.wakes
        if allowed:
            times.append(now_ms)
            await wakes.add(tx, loop.id, dedup_key, loop.incarnation, now_ms)
            message_id = f"loop:{loop.id}:{dedup_key}"
            await identities.add_message(tx, loop.session_id, message_id, call.attachment.principal, content, now_ms)
        paused = len(times) >= limits.wakes and await _at_the_limit(tx, loop, limits, times[0], now_ms)
        outcome = "delivered" if allowed else "over the limit"
        await call.record(tx, "agent.notify", outcome, dedup_key, always=allowed)
    if allowed:
        return {"delivered": True, "duplicate": False}
    if paused:
        raise Stale
    raise Failed(f"the agent was woken {limits.wakes} times in ten minutes; later")


async def _at_the_limit(tx: AsyncConnection, loop: Loop, limits: Limits, oldest_ms: int, now_ms: int) -> bool:
    """Note that the Loop is at the limit until its oldest wake is old enough; pause it if it has been for too long."""
    until_ms, since_ms = loop.limited_until_ms, loop.limited_since_ms
    if until_ms is None or since_ms is None or now_ms > until_ms + limits.wake_window_ms:
        since_ms = now_ms
    await loops.change(tx, loop.id, limited_since_ms=since_ms, limited_until_ms=oldest_ms + limits.wake_window_ms)
    if now_ms - since_ms < limits.limited_for_ms:
        return False
    await loops.change(tx, loop.id, state=LoopState.PAUSED, reason="budget", detail="an hour at the limit of wakes")
    text = f"I woke you {limits.wakes} times in ten minutes for an hour, and am paused. Resume me when I am better."
    await tell(tx, loop, "budget", text, now_ms)
    return True
