"""Which object runs which Loop now. Lost with the process, and made anew from the store by the next one."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Attachment:
    """One load of a Loop: an object of the node, and the incarnation that is its right to act.

    delivered: the events (by `seq`) that were put into the object's mailbox, so that none is offered twice.
    """

    loop_id: str
    incarnation: int
    object_id: str
    principal: str
    delivered: set[int] = field(default_factory=set)


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
