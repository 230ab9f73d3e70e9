"""loop.create and what becomes of a Loop then: list, get, pause, resume, delete."""

from __future__ import annotations

import re
import secrets
from decimal import Decimal
from typing import Any

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from runtime.node import Memory, MemoryKind, NodeError
from runtime.sdk.values import Value, ValueRefused, check
from salix.service import Refusal, Refused, Service
from salix.service.capabilities import CAPABILITIES
from salix.service.errors import not_found
from salix.service.programs import judge, sha256_of
from salix.store import audit, events, identities, loops, wakes
from salix.store.audit import Entry
from salix.store.loops import Loop, LoopState
from salix.tools.caller import Arguments, Caller, NoArguments, own_loop

_PICO = Decimal(10) ** 12
_NAME_BYTES = 128
_CONFIG_BYTES = 8 * 1024  # so that a checkpoint has room beside it


class Create(Arguments):
    """What a Loop is: a program in the agent's files, and with what it runs."""

    path: str = Field(description="the object in your files, as loop.build returned it")
    sha256: str = Field(description="its SHA-256 in hex; the Loop runs exactly this program, or not at all")
    name: str = Field("loop", description="for people")
    config: Any = Field(None, description="what sf_config() gives, any JSON of at most 8 KiB")
    capabilities: list[str] | None = Field(None, description="what it may call, of the host's list; all if missing")
    session: str = Field("main", description="the session of yours that it wakes")


class OneLoop(Arguments):
    """A Loop of the caller's."""

    loop_id: str


def _session_id(agent_id: str, name: str) -> str:
    return f"{agent_id}/{name}"


async def create(service: Service, caller: Caller, arguments: Create) -> dict[str, Any]:
    """Create a Loop from an object in your files and start it. Returns the Loop, as loop.get does."""
    elf = service.files.read(caller.agent_id, arguments.path)
    service.files.used(caller.agent_id, arguments.path)  # before there is a row that keeps it
    found = sha256_of(elf)
    if found != arguments.sha256.lower():
        raise Refused(Refusal.CONFLICT, f"{arguments.path} has SHA-256 {found}")
    try:
        await judge(service.node, elf)
    except NodeError as error:
        raise Refused(Refusal.INVALID_PROGRAM, str(error)) from error
    loop_id, now_ms = f"l{secrets.token_hex(8)}", service.clock.now_ms()
    loop = Loop(
        id=loop_id, group_id=caller.group_id, agent_id=caller.agent_id,
        session_id=_session_id(caller.agent_id, arguments.session), creator=caller.agent_id,
        name=_name(arguments.name), path=arguments.path, sha256=found, config=_config(arguments.config),
        capabilities=_capabilities(arguments.capabilities), state=LoopState.ACTIVE, reason=None, detail=None,
        incarnation=0, created_ms=now_ms, resumed_ms=now_ms, limited_since_ms=None, limited_until_ms=None, decisions=0,
        input_tokens=0, cost_pico_usd=0, webhook_sha256=None, webhook_signing_key=None,
    )  # fmt: skip
    async with service.store.write() as tx:
        await _keep_quotas(tx, service, caller)
        if await loops.count_of_agent(tx, caller.agent_id) >= service.settings.limits.loops_of_agent:
            raise Refused(
                Refusal.QUOTA, f"an agent has at most {service.settings.limits.loops_of_agent} Loops: delete some"
            )
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", arguments.session, re.ASCII):
            raise Refused(Refusal.INVALID, "a session's name has 1 to 64 letters, digits, - and _")
        is_new = await identities.add_session(tx, loop.session_id, caller.agent_id, now_ms)
        if is_new and await identities.count_sessions(tx, caller.agent_id) > service.settings.limits.sessions_of_agent:
            raise Refused(Refusal.QUOTA, f"an agent has at most {service.settings.limits.sessions_of_agent} sessions")
        await loops.add(tx, loop)
        await audit.add(tx, Entry(caller.principal, "loop.create", loop_id, "created", found, now_ms))
    await service.lifecycle.attach(loop_id)
    return await _view_of(service, caller, loop_id)


def _name(name: str) -> str:
    if not 0 < len(name.encode(errors="replace")) <= _NAME_BYTES or not name.isprintable():
        raise Refused(Refusal.INVALID, f"a name has 1 to {_NAME_BYTES} bytes that can be printed")
    return name


def _config(config: Value) -> bytes:
    try:
        encoded = check(config)
    except ValueRefused as refused:
        raise Refused(Refusal.INVALID, f"config: {refused}") from refused
    if len(encoded) > _CONFIG_BYTES:
        raise Refused(Refusal.TOO_LARGE, f"the config has {len(encoded)} bytes, at most {_CONFIG_BYTES} are allowed")
    return encoded


def _capabilities(names: list[str] | None) -> bytes:
    unknown = [name[:64] for name in names or () if name not in CAPABILITIES]
    if unknown:
        raise Refused(Refusal.INVALID, f"there are no capabilities {unknown}; there are {sorted(CAPABILITIES)}")
    return check(sorted(set(CAPABILITIES if names is None else names)))


async def _keep_quotas(tx: AsyncConnection, service: Service, caller: Caller) -> None:
    """Raise Refused (QUOTA) unless one more Loop may be active; nobody else makes one until the transaction ends."""
    limits = service.settings.limits
    await identities.lock_group(tx, caller.group_id)
    if await loops.count_active(tx, agent_id=caller.agent_id) >= limits.active_loops_of_agent:
        raise Refused(Refusal.QUOTA, f"an agent has at most {limits.active_loops_of_agent} active Loops")
    if await loops.count_active(tx, group_id=caller.group_id) >= limits.active_loops_of_group:
        raise Refused(Refusal.QUOTA, f"a group has at most {limits.active_loops_of_group} active Loops")


async def list_loops(service: Service, caller: Caller, arguments: NoArguments) -> dict[str, Any]:
    """Your Loops, oldest first: {loops: [...]}, each as loop.get returns it."""
    async with service.store.read() as tx:
        return {"loops": [await view(service, tx, loop) for loop in await loops.of_agent(tx, caller.agent_id)]}


async def get(service: Service, caller: Caller, arguments: OneLoop) -> dict[str, Any]:
    """One Loop: its state and why, what it waits for, pending events, wakes left in these ten minutes, tokens spent."""
    return await _view_of(service, caller, arguments.loop_id)


async def pause(service: Service, caller: Caller, arguments: OneLoop) -> dict[str, Any]:
    """Stop an active Loop; its checkpoint and its events stay. Returns the Loop."""
    await _change(service, caller, arguments.loop_id, "loop.pause", LoopState.PAUSED)
    await service.lifecycle.detach(arguments.loop_id)
    return await _view_of(service, caller, arguments.loop_id)


async def resume(service: Service, caller: Caller, arguments: OneLoop) -> dict[str, Any]:
    """Start a paused, failed or finished Loop from its checkpoint; its pending events come again. Returns the Loop."""
    await _change(service, caller, arguments.loop_id, "loop.resume", LoopState.ACTIVE)
    await service.lifecycle.attach(arguments.loop_id)
    return await _view_of(service, caller, arguments.loop_id)


async def delete(service: Service, caller: Caller, arguments: OneLoop) -> dict[str, Any]:
    """End a Loop for good, with its events. Its id is never used again. Returns {deleted: true}."""
    await _change(service, caller, arguments.loop_id, "loop.delete", LoopState.DELETED)
    await service.lifecycle.detach(arguments.loop_id)
    return {"deleted": True}


async def _change(service: Service, caller: Caller, loop_id: str, action: str, state: LoopState) -> None:
    """Raises Refused: NOT_FOUND, CONFLICT (it is in another state), QUOTA."""
    now_ms = service.clock.now_ms()
    async with service.store.write() as tx:
        if state is LoopState.ACTIVE:
            await identities.lock_group(tx, caller.group_id)  # before the Loop, as everywhere
        loop = await loops.locked(tx, loop_id)
        if loop is None or loop.agent_id != caller.agent_id:
            raise not_found("Loop", loop_id)
        if loop.state == state or (state is LoopState.PAUSED and loop.state != LoopState.ACTIVE):
            raise Refused(Refusal.CONFLICT, f"Loop {loop_id} is {loop.state}")
        if state is LoopState.ACTIVE:
            await _keep_quotas(tx, service, caller)
            await events.wait_anew(tx, loop_id, now_ms)
            await loops.change(tx, loop_id, resumed_ms=now_ms, limited_since_ms=None, limited_until_ms=None)
        gone: dict[str, object] = {}
        if state is LoopState.DELETED:
            gone = {"webhook_sha256": None, "webhook_signing_key": None, "deleted_ms": now_ms}
        await loops.change(tx, loop_id, state=state, reason=None, detail=None, **gone)
        await audit.add(tx, Entry(caller.principal, action, loop_id, state, "", now_ms))


async def _view_of(service: Service, caller: Caller, loop_id: str) -> dict[str, Any]:
    loop = await own_loop(service, caller, loop_id)
    async with service.store.read() as tx:
        return await view(service, tx, loop)


async def view(service: Service, tx: AsyncConnection, loop: Loop) -> dict[str, Any]:
    """A Loop as agents and operators see it."""
    limits, now_ms = service.settings.limits, service.clock.now_ms()
    recent = await wakes.times_after(tx, loop.id, now_ms - limits.wake_window_ms)
    attachment = service.attachments.of_loop(loop.id)
    none = Memory(0, MemoryKind.NONE)
    memory = none if attachment is None else service.node.memory(attachment.object_id)
    return {
        "loop_id": loop.id,
        "name": loop.name,
        "state": loop.state,
        "reason": loop.reason,
        "detail": loop.detail,
        "waits_for": None if attachment is None else service.node.get(attachment.object_id).wait.value,
        "memory_bytes": memory.bytes,
        "memory_kind": memory.kind.value,
        "incarnation": loop.incarnation,
        "principal": loop.principal,
        "session": loop.session_id.partition("/")[2],
        "path": loop.path,
        "sha256": loop.sha256,
        "pending_events": await events.count_pending(tx, loop.id),
        "wakes_left": limits.wakes - len(recent),
        "decisions": loop.decisions,
        "input_tokens": loop.input_tokens,
        "cost_usd": f"{Decimal(loop.cost_pico_usd) / _PICO:f}",
        "webhook": loop.webhook_sha256 is not None,
        "created_ms": loop.created_ms,
    }
