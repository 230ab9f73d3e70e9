"""Groups, agents, sessions and their messages."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from salix.store.schema import agents, groups, messages, sessions
from salix.store.store import insert_new


class Agent(NamedTuple):
    """An agent, and the group that it belongs to for good."""

    id: str
    group_id: str


class Message(NamedTuple):
    """One message of a session. `seq` grows along the session."""

    seq: int
    message_id: str
    author: str
    content: str
    created_ms: int


def key_hash(key: str) -> bytes:
    """What is kept of a key or of a secret URL."""
    return hashlib.sha256(key.encode()).digest()


async def add_group(tx: AsyncConnection, group_id: str, key: str, now_ms: int) -> bool:
    """False if there is such a group; its key stays."""
    return await insert_new(tx, groups, id=group_id, key_sha256=key_hash(key), created_ms=now_ms)


async def change_key(tx: AsyncConnection, group_id: str, key: str) -> None:
    """Let the group have this key instead of its old one."""
    await tx.execute(update(groups).where(groups.c.id == group_id).values(key_sha256=key_hash(key)))


async def group_of_key(tx: AsyncConnection, key: str) -> str | None:
    """The group whose key this is."""
    found = await tx.execute(select(groups.c.id).where(groups.c.key_sha256 == key_hash(key)))
    return found.scalar()


async def lock_group(tx: AsyncConnection, group_id: str) -> None:
    """Let no other transaction count the group's Loops until this one ends."""
    await tx.execute(select(groups.c.id).where(groups.c.id == group_id).with_for_update())


async def add_agent(tx: AsyncConnection, agent_id: str, group_id: str, now_ms: int) -> bool:
    """False if there is such an agent, in whatever group."""
    return await insert_new(tx, agents, id=agent_id, group_id=group_id, created_ms=now_ms)


async def count_agents(tx: AsyncConnection, group_id: str) -> int:
    """How many agents a group has; nobody adds one meanwhile if the group is locked."""
    return (await tx.execute(select(func.count()).where(agents.c.group_id == group_id))).scalar_one()


async def agent(tx: AsyncConnection, agent_id: str) -> Agent | None:
    row = (await tx.execute(select(agents.c.id, agents.c.group_id).where(agents.c.id == agent_id))).one_or_none()
    return None if row is None else Agent(*row)


async def add_session(tx: AsyncConnection, session_id: str, agent_id: str, now_ms: int) -> bool:
    """False if there is such a session, of whatever agent."""
    return await insert_new(tx, sessions, id=session_id, agent_id=agent_id, created_ms=now_ms)


async def count_sessions(tx: AsyncConnection, agent_id: str) -> int:
    return (await tx.execute(select(func.count()).where(sessions.c.agent_id == agent_id))).scalar_one()


async def session_owner(tx: AsyncConnection, session_id: str) -> str | None:
    """The agent whose session it is."""
    return (await tx.execute(select(sessions.c.agent_id).where(sessions.c.id == session_id))).scalar()


async def add_message(
    tx: AsyncConnection, session_id: str, message_id: str, author: str, content: str, now_ms: int
) -> bool:
    """Append a message. False if the session has one with that id, which stays as it is."""
    await tx.execute(select(sessions.c.id).where(sessions.c.id == session_id).with_for_update())  # seq: in commit order
    known = select(messages.c.seq).where(messages.c.session_id == session_id, messages.c.message_id == message_id)
    if (await tx.execute(known)).first() is not None:
        return False
    await tx.execute(
        insert(messages).values(
            session_id=session_id, message_id=message_id, author=author, content=content, created_ms=now_ms
        )
    )
    return True


async def messages_after(tx: AsyncConnection, session_id: str, after: int, limit: int) -> list[Message]:
    """The first `limit` messages behind the position `after`, oldest first."""
    columns = (messages.c.seq, messages.c.message_id, messages.c.author, messages.c.content, messages.c.created_ms)
    query = (
        select(*columns)
        .where(messages.c.session_id == session_id, messages.c.seq > after)
        .order_by(messages.c.seq)
        .limit(limit)
    )
    return [Message(*row) for row in await tx.execute(query)]
