"""The audit log: who did what, in whose name, and what came of it. Only added to; `retention` drops what is old."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from salix.store.schema import audit


class Entry(NamedTuple):
    """One line. `detail` is JSON or text, short."""

    principal: str
    action: str
    loop_id: str | None
    outcome: str
    detail: str
    at_ms: int


async def add(tx: AsyncConnection, *entries: Entry) -> None:
    """Append lines, in their order."""
    if entries:
        await tx.execute(insert(audit), [entry._asdict() for entry in entries])


async def of_loop(tx: AsyncConnection, loop_id: str, limit: int) -> list[Entry]:
    """The last entries about a Loop, newest first."""
    columns = (audit.c[name] for name in Entry._fields)
    query = select(*columns).where(audit.c.loop_id == loop_id).order_by(audit.c.seq.desc()).limit(limit)
    return [Entry(*row) for row in await tx.execute(query)]
