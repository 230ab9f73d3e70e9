"""What Salix itself tells an agent about its Loop. Their ids begin otherwise than those of wakes do."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from salix.store import identities
from salix.store.loops import Loop

AUTHOR = "salix"


async def tell(tx: AsyncConnection, loop: Loop, kind: str, text: str, now_ms: int) -> None:
    """Append a message to the Loop's target session: one of each kind in an incarnation."""
    message_id = f"salix:{loop.id}:{loop.incarnation}:{kind}"
    await identities.add_message(
        tx, loop.session_id, message_id, AUTHOR, f"Loop {loop.name} ({loop.id}): {text}", now_ms
    )
