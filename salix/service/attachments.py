"""Which object runs which Loop now. Lost with the process, and made anew from the store by the next one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import NamedTuple


class Given(NamedTuple):
    """An event that was put into an object's mailbox: its id, and when that was, the last time."""

    event_id: str
    at_ms: int


@dataclass(slots=True)
class Attachment:
    """One load of a Loop: an object of the node, and the incarnation that is its right to act.

    given: the pending events (by `seq`) that were put into the object's mailbox. delivering: held by whoever compares
    them with the rows, so that all that are given were rows before.
    """

    loop_id: str
    incarnation: int
    object_id: str
    principal: str
    given: dict[int, Given] = field(default_factory=dict)
    delivering: asyncio.Lock = field(default_factory=asyncio.Lock)


class Attachments:
    """The attachments of one process, by Loop and by object."""

    def __init__(self) -> None:
        self._by_loop: dict[str, Attachment] = {}
        self._by_object: dict[str, Attachment] = {}

    def __len__(self) -> int:
        return len(self._by_loop)

    def add(self, attachment: Attachment) -> None:
        self._by_loop[attachment.loop_id] = attachment
        self._by_object[attachment.object_id] = attachment

    def remove(self, attachment: Attachment) -> None:
        """Idempotent; a later attachment of the same Loop stays."""
        if self._by_loop.get(attachment.loop_id) is attachment:
            del self._by_loop[attachment.loop_id]
        self._by_object.pop(attachment.object_id, None)

    def of_loop(self, loop_id: str) -> Attachment | None:
        return self._by_loop.get(loop_id)

    def of_object(self, object_id: str) -> Attachment | None:
        return self._by_object.get(object_id)

    def all(self) -> list[Attachment]:
        return list(self._by_loop.values())
