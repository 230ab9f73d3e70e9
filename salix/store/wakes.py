"""The wake log: each (Loop, dedup_key) once, for ever. The functions want the Loop's row locked."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from salix.store.schema import wakes


class Wake(NamedTuple):
    """One wake that was delivered."""

    dedup_key: str
    incarnation: int
    woken_ms: int


async def known(tx: AsyncConnection, loop_id: str, dedup_key: str) -> bool:
    query = select(wakes.c.seq).where(wakes.c.loop_id == loop_id, wakes.c.dedup_key == dedup_key)
    return (await tx.execute(query)).first() is not None


async def add(tx: AsyncConnection, loop_id: str, dedup_key: str, incarnation: int, now_ms: int) -> None:
    await tx.execute(
        insert(wakes).values(loop_id=loop_id, dedup_key=dedup_key, incarnation=incarnation, woken_ms=now_ms)
    )


async def times_after(tx: AsyncConnection, loop_id: str, since_ms: int) -> list[int]:
    """When the Loop woke its agent after `since_ms`, in order."""
    query = select(wakes.c.woken_ms).where(wakes.c.loop_id == loop_id, wakes.c.woken_ms > since_ms)
    return list((await tx.execute(query.order_by(wakes.c.seq))).scalars())


async def last(tx: AsyncConnection, loop_id: str, limit: int) -> list[Wake]:
    """The last wakes, newest first."""
    columns = (wakes.c.dedup_key, wakes.c.incarnation, wakes.c.woken_ms)
    query = select(*columns).where(wakes.c.loop_id == loop_id).order_by(wakes.c.seq.desc()).limit(limit)
    return [Wake(*row) for row in await tx.execute(query)]
