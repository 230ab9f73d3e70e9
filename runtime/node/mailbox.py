"""An object's mailbox: first in, first out, bounded by entries and bytes, deduplicated at admission.

Admission is not completion: an id that was admitted is a duplicate even if the guest failed to handle its event. Who
knows that it did (an embedder with a durable inbox) delivers it again, which only a copy that still lies here prevents.
Admission history belongs to the object, so another object, and a later one with the same program, accepts the id.
"""

from __future__ import annotations

from runtime.node.errors import Kind, NodeError
from runtime.node.status import Delivery
from runtime.sdk.values import Value, ValueRefused, check, encode

MAX_ENTRIES = 32
MAX_MAILBOX_BYTES = 32 * 1024
MAX_NAME_BYTES = 128  # of event ids, topics and capability names, in UTF-8
REMEMBERED_IDS = 128

_ADMITTED = Delivery(accepted=True, duplicate=False)
_DUPLICATE = Delivery(accepted=True, duplicate=True)


class Mailbox:
    """See the module. Holds encoded events: compact, and what a guest does to its copy stays its own."""

    __slots__ = ("_bytes", "_entries", "_ids")

    def __init__(self) -> None:
        self._entries: list[bytes] = []  # at most 32: to take the first off a list is cheap, and an empty one small
        self._bytes = 0
        self._ids: dict[str, None] = {}  # in order of admission

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def encoded_bytes(self) -> int:
        """Of all the events that lie here."""
        return self._bytes

    def deliver(self, event_id: str, topic: str, payload: Value) -> Delivery:
        """Admit an event. Raises NodeError (INVALID_PARAMS, MAILBOX_FULL), and then nothing has changed."""
        check_name("event_id", event_id)
        check_name("topic", topic)
        return _DUPLICATE if event_id in self._ids else self._admit(event_id, topic, payload)

    def deliver_again(self, event_id: str, topic: str, payload: Value) -> Delivery:
        """Admit an event that may have been admitted and taken before; a duplicate only if it still lies here.

        Raises as `deliver`.
        """
        check_name("event_id", event_id)
        check_name("topic", topic)
        return _DUPLICATE if self._position(event_id) is not None else self._admit(event_id, topic, payload)

    def withdraw(self, event_id: str) -> bool:
        """Take an event back; False if it does not lie here. Its id stays admitted."""
        position = self._position(event_id)
        if position is None:
            return False
        self._bytes -= len(self._entries.pop(position))
        return True

    def _position(self, event_id: str) -> int | None:
        """Where the event with that id lies. Entries begin with their ids, so none is decoded."""
        beginning = encode({"event_id": event_id})[:-1] + b","
        return next((n for n, entry in enumerate(self._entries) if entry.startswith(beginning)), None)

    def _admit(self, event_id: str, topic: str, payload: Value) -> Delivery:
        try:
            event = check({"event_id": event_id, "topic": topic, "payload": payload})
        except ValueRefused as refused:
            raise NodeError(Kind.INVALID_PARAMS, f"the event is refused: {refused}") from refused
        size = len(event)
        if len(self._entries) >= MAX_ENTRIES:
            raise NodeError(Kind.MAILBOX_FULL, f"the mailbox holds {MAX_ENTRIES} events already")
        if self._bytes + size > MAX_MAILBOX_BYTES:
            raise NodeError(
                Kind.MAILBOX_FULL,
                f"an event of {size} bytes does not fit: {self._bytes} of {MAX_MAILBOX_BYTES} bytes are taken",
            )
        self._entries.append(event)
        self._bytes += size
        ids = self._ids
        ids.pop(event_id, None)  # one that comes again is the newest
        if len(ids) >= REMEMBERED_IDS:
            del ids[next(iter(ids))]
        ids[event_id] = None
        return _ADMITTED

    def take(self) -> bytes | None:
        """The oldest event, encoded, which leaves the mailbox; None if there is none."""
        if not self._entries:
            return None
        event = self._entries.pop(0)
        self._bytes -= len(event)
        return event

    def clear(self) -> None:
        self._entries.clear()
        self._bytes = 0
        self._ids.clear()


def check_name(what: str, name: str) -> None:
    """Raise NodeError (INVALID_PARAMS) unless `name` has at most 128 bytes as UTF-8."""
    if len(name) > MAX_NAME_BYTES or not name.isascii():
        try:
            size = len(name.encode())
        except UnicodeEncodeError as error:
            raise NodeError(Kind.INVALID_PARAMS, f"{what} is not Unicode text: it has a lone surrogate") from error
        if size > MAX_NAME_BYTES:
            raise NodeError(Kind.INVALID_PARAMS, f"{what} has {size} bytes, at most {MAX_NAME_BYTES} are allowed")
