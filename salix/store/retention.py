"""What may be forgotten, and what a promise still needs.

kept    ids of events and keys of wakes, as long as their Loop may run again: the same id is the same event "for ever"
        (the contents of settled events are gone already); what is pending; messages, which are their agents'
goes    of deleted Loops: events, wakes, checkpoints, log lines. A deleted Loop takes no event and makes no call any
        more, and its id is never used again, so nobody can ask for these
        of all Loops: faults, which count for an hour only, and the audit log, which is for people

Each by its own age, some rows to a transaction, so that a server that runs meanwhile never waits for long.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Column, ColumnElement, delete, select

from salix.store.loops import LoopState
from salix.store.schema import audit, checkpoints, events, faults, log_lines, loops, wakes
from salix.store.store import Store

_ROWS = 1000  # of a transaction


class _Rule(NamedTuple):
    """Rows of `key`'s table whose time `at_ms` is old enough. loop_id: ... and whose Loop was deleted."""

    key: Column[int] | Column[str]
    at_ms: Column[int]
    loop_id: Column[str] | None

    def old(self, before_ms: int) -> ColumnElement[bool]:
        too_old = self.at_ms < before_ms
        if self.loop_id is None:
            return too_old
        return too_old & self.loop_id.in_(select(loops.c.id).where(loops.c.state == LoopState.DELETED))


_RULES = (
    _Rule(events.c.seq, events.c.accepted_ms, events.c.loop_id),
    _Rule(wakes.c.seq, wakes.c.woken_ms, wakes.c.loop_id),
    _Rule(checkpoints.c.loop_id, checkpoints.c.saved_ms, checkpoints.c.loop_id),
    _Rule(log_lines.c.seq, log_lines.c.logged_ms, log_lines.c.loop_id),
    _Rule(faults.c.seq, faults.c.happened_ms, None),
    _Rule(audit.c.seq, audit.c.at_ms, None),
)


async def prune(store: Store, before_ms: int, *, rows: int = _ROWS) -> dict[str, int]:
    """Drop what is older than `before_ms` and no promise needs; how many rows of each table.

    Stopped in the middle, it has dropped some of them, and can be run again.
    """
    dropped: dict[str, int] = {}
    for rule in _RULES:
        table = rule.key.table
        dropped[table.name] = 0
        while True:
            some = select(rule.key).where(rule.old(before_ms)).limit(rows)
            async with store.write() as tx:
                count = (await tx.execute(delete(table).where(rule.key.in_(some)))).rowcount
            dropped[table.name] += count
            if count < rows:
                break
    return dropped
