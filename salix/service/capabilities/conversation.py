"""conversation.read: what is said in the Loop's target session. Its own words are told apart by who wrote them."""

from __future__ import annotations

from runtime.sdk.values import Value, encode
from salix.service.capabilities.calling import Call, Denied
from salix.store import identities

_MOST = 50
_ROOM = 15 * 1024  # of the 16 KiB of a result, for the messages


async def read(call: Call) -> Value:
    """{after?, limit?} -> {messages: [{id, author, content, seq}], next}.

    Messages behind the position `after` (0: from the start), oldest first, without what this Loop has written itself:
    a Loop that watches the session that it writes to must not answer itself. `next` moves past those, too, and is what
    to pass as `after` the next time. A message that is too large for a result is cut, and says so.
    """
    given = call.members((), ("after", "limit")) if call.arguments is not None else {}
    after, limit = given.get("after", 0), given.get("limit", _MOST)
    if type(after) is not int or type(limit) is not int or not 0 <= after < 1 << 63 or not 1 <= limit <= _MOST:
        raise Denied(f"after must be a position, limit from 1 to {_MOST}")
    loop = await call.current()
    async with call.store.read() as tx:
        found = await identities.messages_after(tx, loop.session_id, after, limit)
    shown: list[Value] = []
    room = _ROOM
    for message in found:
        if message.author != call.attachment.principal:
            entry = {
                "id": message.message_id, "author": message.author, "content": message.content, "seq": message.seq,
            }  # fmt: skip
            size = len(encode(entry))
            if size > room and shown:
                break
            if size > room:
                entry |= {"content": message.content[:2000], "cut": True}
            shown.append(entry)
            room -= size
        after = message.seq
    if shown:  # before it has them; that there was nothing is written in passing
        async with call.store.write() as tx:
            await call.record(tx, "conversation.read", "read", f"{len(shown)} messages, to position {after}")
    return {"messages": shown, "next": after}
