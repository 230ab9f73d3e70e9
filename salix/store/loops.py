"""Rows of Loops, their checkpoints and faults. `state` says what the owner and Salix want; objects are elsewhere."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import ColumnElement, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from salix.store.schema import checkpoints, faults, log_lines, loops


class LoopState(StrEnum):
    """active <-> paused; active -> failed | finished, both back to active by a resume; any -> deleted, for good."""

    ACTIVE = "active"
    PAUSED = "paused"
    FAILED = "failed"
    FINISHED = "finished"
    DELETED = "deleted"


class Loop(NamedTuple):
    """A row. `config` and `capabilities` are JSON; `incarnation` counts loads, and is the fence."""

    id: str
    group_id: str
    agent_id: str
    session_id: str
    creator: str
    name: str
    path: str
    sha256: str
    config: bytes
    capabilities: bytes
    state: str
    reason: str | None
    detail: str | None
    incarnation: int
    created_ms: int
    resumed_ms: int
    limited_since_ms: int | None
    limited_until_ms: int | None
    decisions: int
    input_tokens: int
    cost_pico_usd: int
    webhook_sha256: bytes | None
    webhook_signing_key: bytes | None
    held_by: str | None = None

    @property
    def principal(self) -> str:
        """In whose name it acts."""
        return f"schedule|loop:{self.id}|{self.creator}"


_ROW = tuple(loops.c[name] for name in Loop._fields)


async def add(tx: AsyncConnection, loop: Loop) -> None:
    await tx.execute(insert(loops).values(**loop._asdict()))


async def _one(tx: AsyncConnection, condition: ColumnElement[bool], *, lock: bool) -> Loop | None:
    query = select(*_ROW).where(condition, loops.c.state != LoopState.DELETED)
    row = (await tx.execute(query.with_for_update() if lock else query)).one_or_none()
    return None if row is None else Loop(*row)


async def get(tx: AsyncConnection, loop_id: str) -> Loop | None:
    """None also if it was deleted."""
    return await _one(tx, loops.c.id == loop_id, lock=False)


async def locked(tx: AsyncConnection, loop_id: str) -> Loop | None:
    """The same; nobody else decides anything about this Loop until the transaction ends."""
    return await _one(tx, loops.c.id == loop_id, lock=True)


async def by_webhook(tx: AsyncConnection, secret_sha256: bytes) -> Loop | None:
    return await _one(tx, loops.c.webhook_sha256 == secret_sha256, lock=False)


async def of_agent(tx: AsyncConnection, agent_id: str) -> list[Loop]:
    """All but the deleted ones, oldest first."""
    query = select(*_ROW).where(loops.c.agent_id == agent_id, loops.c.state != LoopState.DELETED)
    return [Loop(*row) for row in await tx.execute(query.order_by(loops.c.created_ms, loops.c.id))]


async def of_group(tx: AsyncConnection, group_id: str) -> list[Loop]:
    """The same of a whole group, by agent."""
    query = select(*_ROW).where(loops.c.group_id == group_id, loops.c.state != LoopState.DELETED)
    return [Loop(*row) for row in await tx.execute(query.order_by(loops.c.agent_id, loops.c.created_ms, loops.c.id))]


async def in_state(tx: AsyncConnection, state: LoopState) -> list[Loop]:
    return [Loop(*row) for row in await tx.execute(select(*_ROW).where(loops.c.state == state).order_by(loops.c.id))]


async def count_active(tx: AsyncConnection, *, agent_id: str | None = None, group_id: str | None = None) -> int:
    """How many Loops of that agent, or of that group, are active."""
    query = select(func.count()).where(loops.c.state == LoopState.ACTIVE)
    if agent_id is not None:
        query = query.where(loops.c.agent_id == agent_id)
    if group_id is not None:
        query = query.where(loops.c.group_id == group_id)
    return (await tx.execute(query)).scalar_one()


async def count_of_agent(tx: AsyncConnection, agent_id: str) -> int:
    """How many Loops an agent has, deleted ones apart."""
    query = select(func.count()).where(loops.c.agent_id == agent_id, loops.c.state != LoopState.DELETED)
    return (await tx.execute(query)).scalar_one()


async def programs(tx: AsyncConnection) -> set[tuple[str, str]]:
    """(agent, path) of every object that a Loop needs which may run again."""
    query = select(loops.c.agent_id, loops.c.path).where(loops.c.state != LoopState.DELETED).distinct()
    return {(row[0], row[1]) for row in await tx.execute(query)}


async def change(tx: AsyncConnection, loop_id: str, **values: object) -> None:
    """Set columns of a row."""
    await tx.execute(update(loops).where(loops.c.id == loop_id).values(**values))


async def account(tx: AsyncConnection, loop_id: str, input_tokens: int, cost_pico_usd: int) -> None:
    """Add one decision to what a Loop has spent."""
    await change(
        tx,
        loop_id,
        decisions=loops.c.decisions + 1,
        input_tokens=loops.c.input_tokens + input_tokens,
        cost_pico_usd=loops.c.cost_pico_usd + cost_pico_usd,
    )


# ---------------------------------------------------------------- checkpoints


async def checkpoint(tx: AsyncConnection, loop_id: str) -> bytes | None:
    return (await tx.execute(select(checkpoints.c.value).where(checkpoints.c.loop_id == loop_id))).scalar()


async def save_checkpoint(tx: AsyncConnection, loop: Loop, value: bytes, now_ms: int) -> None:
    """Replace the checkpoint; the Loop's row must be locked."""
    await tx.execute(delete(checkpoints).where(checkpoints.c.loop_id == loop.id))
    await tx.execute(
        insert(checkpoints).values(loop_id=loop.id, value=value, incarnation=loop.incarnation, saved_ms=now_ms)
    )


# ---------------------------------------------------------------- faults and logs


async def add_fault(tx: AsyncConnection, loop: Loop, message: str, now_ms: int) -> None:
    await tx.execute(
        insert(faults).values(loop_id=loop.id, incarnation=loop.incarnation, message=message, happened_ms=now_ms)
    )


async def count_faults(tx: AsyncConnection, loop_id: str, since_ms: int) -> int:
    """How many there were after `since_ms`."""
    query = select(func.count()).where(faults.c.loop_id == loop_id, faults.c.happened_ms > since_ms)
    return (await tx.execute(query)).scalar_one()


async def add_lines(tx: AsyncConnection, lines: list[tuple[str, int, str]], keep: int) -> None:
    """Append lines (Loop, time, text) to the logs; of each Loop the last `keep` stay."""
    rows = [{"loop_id": loop_id, "logged_ms": at_ms, "line": line} for loop_id, at_ms, line in lines]
    await tx.execute(insert(log_lines), rows)
    for loop_id in {row[0] for row in lines}:
        newest = select(log_lines.c.seq).where(log_lines.c.loop_id == loop_id).order_by(log_lines.c.seq.desc())
        oldest_kept = (await tx.execute(newest.offset(keep - 1).limit(1))).scalar()
        if oldest_kept is not None:
            await tx.execute(delete(log_lines).where(log_lines.c.loop_id == loop_id, log_lines.c.seq < oldest_kept))


async def last_lines(tx: AsyncConnection, loop_id: str, limit: int) -> list[tuple[int, str]]:
    """The last lines (time, text), oldest first."""
    query = select(log_lines.c.logged_ms, log_lines.c.line).where(log_lines.c.loop_id == loop_id)
    rows = (await tx.execute(query.order_by(log_lines.c.seq.desc()).limit(limit))).all()
    return [(at_ms, line) for at_ms, line in reversed(rows)]
