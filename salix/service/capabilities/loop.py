"""What a Loop does with its own row: acknowledge events, save and read its checkpoint, log."""

from __future__ import annotations

from runtime.sdk.codes import MAX_LOG_BYTES
from runtime.sdk.values import Value, ValueRefused, check, decode
from salix.service.capabilities.calling import Call, Denied, Failed
from salix.service.programs import config_with_state
from salix.store import events, loops
from salix.store.events import EventState


async def acknowledge(call: Call) -> Value:
    """{event_id} -> {acknowledged, pending}. `acknowledged` is false if it is not pending; asking again is harmless."""
    event_id = call.text("event_id", call.members(("event_id",))["event_id"], 128)
    async with call.fenced() as (tx, loop):
        now_ms = call.clock.now_ms()
        done = await events.settle(tx, loop.id, event_id, EventState.ACKNOWLEDGED, now_ms, loop.incarnation)
        await call.record(tx, "loop.ack", "acknowledged" if done else "not pending", event_id, always=done)
        return {"acknowledged": done, "pending": await events.count_pending(tx, loop.id)}


async def put_state(call: Call) -> Value:
    """{state} -> {saved: true}; the next load has it as config.state.

    Refused if config and state together would be no value any more: what is saved can always be handed back.
    """
    state = call.members(("state",))["state"]
    async with call.fenced() as (tx, loop):
        encoded = check(state)
        try:
            check(config_with_state(loop.config, encoded))
        except ValueRefused as refused:
            raise Denied(f"the state does not fit beside the config: {refused}") from refused
        await loops.save_checkpoint(tx, loop, encoded, call.clock.now_ms())
        await call.record(tx, "loop.state.put", "saved", f"{len(encoded)} bytes")
    return {"saved": True}


async def get_state(call: Call) -> Value:
    """{} or nothing -> {state}: the last one that was saved, null if there is none."""
    if call.arguments is not None:
        call.members(())
    loop = await call.current()
    async with call.store.read() as tx:
        saved = await loops.checkpoint(tx, loop.id)
    return {"state": None if saved is None else decode(saved)}


async def log(call: Call) -> Value:
    """{message} -> {}. As `sf_log`, with its limits, for what is no text in memory."""
    message = call.text("message", call.members(("message",))["message"], MAX_LOG_BYTES)
    if not call.log(message):
        raise Failed("more lines than are kept")
    return {}
