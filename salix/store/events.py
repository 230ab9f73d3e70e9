"""The durable inbox: an event is pending from its acceptance to its settlement, and its id is remembered after that.

Four facts have four owners. That an event is accepted is this table's; that the guest has it is the mailbox's, which
forgets with its object; that it is settled is the guest's `loop.ack` (or its owner's discard), this table's again; that
an agent was woken is the wake log's. The functions that change rows want the Loop's row locked.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from salix.store.schema import events


class EventState(StrEnum):
    PENDING = "pending"
    ACKNOWLEDGED = "acknowledged"
    DISCARDED = "discarded"


class Event(NamedTuple):
    """A pending event. `waiting_since_ms`: its acceptance, or when its Loop was last resumed."""

    seq: int
    event_id: str
    topic: str
    payload: bytes
    accepted_ms: int
    waiting_since_ms: int


async def known(tx: AsyncConnection, loop_id: str, event_id: str) -> bool:
    """Whether an event with that id was ever accepted."""
    query = select(events.c.seq).where(events.c.loop_id == loop_id, events.c.event_id == event_id)
    return (await tx.execute(query)).first() is not None


async def id_of_body(tx: AsyncConnection, loop_id: str, body_sha256: bytes, since_ms: int) -> str | None:
    """The id of the last event that came with that very body after `since_ms`."""
    query = (
        select(events.c.event_id)
        .where(events.c.loop_id == loop_id, events.c.body_sha256 == body_sha256, events.c.accepted_ms > since_ms)
        .order_by(events.c.seq.desc())
        .limit(1)
    )
    return (await tx.execute(query)).scalar()


async def add(
    tx: AsyncConnection,
    loop_id: str,
    event_id: str,
    topic: str,
    payload: bytes,
    now_ms: int,
    body_sha256: bytes | None = None,
) -> None:
    """Accept an event whose id is new."""
    await tx.execute(
        insert(events).values(
            loop_id=loop_id,
            event_id=event_id,
            topic=topic,
            payload=payload,
            body_sha256=body_sha256,
            state=EventState.PENDING,
            accepted_ms=now_ms,
            waiting_since_ms=now_ms,
        )
    )


async def count_pending(tx: AsyncConnection, loop_id: str) -> int:
    query = select(func.count()).where(events.c.loop_id == loop_id, events.c.state == EventState.PENDING)
    return (await tx.execute(query)).scalar_one()


async def count_accepted(tx: AsyncConnection, loop_id: str, since_ms: int) -> int:
    """How many were accepted after `since_ms`."""
    query = select(func.count()).where(events.c.loop_id == loop_id, events.c.accepted_ms > since_ms)
    return (await tx.execute(query)).scalar_one()


async def pending(tx: AsyncConnection, loop_id: str) -> list[Event]:
    """All that are pending, in the order of their acceptance."""
    query = (
        select(*(events.c[name] for name in Event._fields))
        .where(events.c.loop_id == loop_id, events.c.state == EventState.PENDING)
        .order_by(events.c.seq)
    )
    return [Event(*row) for row in await tx.execute(query)]


async def overdue(tx: AsyncConnection, before_ms: int) -> dict[str, int]:
    """How many pending events of each Loop have waited since `before_ms` or longer."""
    query = (
        select(events.c.loop_id, func.count())
        .where(events.c.state == EventState.PENDING, events.c.waiting_since_ms <= before_ms)
        .group_by(events.c.loop_id)
    )
    return {row[0]: row[1] for row in await tx.execute(query)}


async def settle(
    tx: AsyncConnection, loop_id: str, event_id: str, state: EventState, now_ms: int, incarnation: int | None
) -> bool:
    """Settle one event. False if it is not pending: settled before, or never accepted."""
    result = await tx.execute(
        update(events)
        .where(events.c.loop_id == loop_id, events.c.event_id == event_id, events.c.state == EventState.PENDING)
        .values(state=state, payload=None, settled_ms=now_ms, settled_incarnation=incarnation)
    )
    return result.rowcount == 1


async def wait_anew(tx: AsyncConnection, loop_id: str, now_ms: int) -> None:
    """Give the pending events of a Loop their full time again."""
    await tx.execute(
        update(events)
        .where(events.c.loop_id == loop_id, events.c.state == EventState.PENDING)
        .values(waiting_since_ms=now_ms)
    )
