"""Which servers stand on this database: each counts on in its row as long as it lives, and takes it away when it ends.

Whoever wants to know whether another lives looks whether it counts on. No clock is in here, so none have to agree.
"""

from __future__ import annotations

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from salix.store.schema import servers
from salix.store.store import insert_new


async def beat(tx: AsyncConnection, server_id: str) -> None:
    """Count on."""
    if not await insert_new(tx, servers, id=server_id, beats=0):
        await tx.execute(update(servers).where(servers.c.id == server_id).values(beats=servers.c.beats + 1))


async def beats(tx: AsyncConnection) -> dict[str, int]:
    """How far each has counted."""
    return {row[0]: row[1] for row in await tx.execute(select(servers.c.id, servers.c.beats))}


async def leave(tx: AsyncConnection, server_id: str) -> None:
    await tx.execute(delete(servers).where(servers.c.id == server_id))


async def forget_others(tx: AsyncConnection, server_id: str) -> None:
    """Forget all rows but that one: who lives comes back."""
    await tx.execute(delete(servers).where(servers.c.id != server_id))
