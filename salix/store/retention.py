"""What may be forgotten, and what a promise still needs.

kept    ids of events and keys of wakes, as long as their Loop may run again: the same id is the same event "for ever",
        the same key the same wake (the contents of settled events are gone already); what is pending; of each session
        the last messages, however old
goes    of deleted Loops: events, wakes, checkpoints, log lines, and then their rows. A deleted Loop takes no event and
        makes no call any more, and its id is never used again, so nobody can ask for these
        of all Loops: faults, which count for an hour only, and the audit log, which is for people
        messages beyond the last ones of their session. That a wake was delivered stays in the wake's row, and positions
        are not used again: whoever reads on reads what is left

Each by its own age, some rows to a transaction, so that a server that runs meanwhile never waits for long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sqlalchemy import Column, ColumnElement, and_, delete, exists, select

from salix.store.loops import LoopState
from salix.store.schema import audit, checkpoints, events, faults, log_lines, loops, messages, wakes
from salix.store.store import Store

MESSAGES_KEPT = 200  # of a session, at least
_ROWS = 1000  # of a transaction
_OF_LOOPS = (events, wakes, checkpoints, log_lines, faults)


class _Rule(NamedTuple):
    """Rows of `key`'s table whose time `at_ms` is old enough, and for which `also` holds, if it is given."""

    key: Column[int] | Column[str]
    at_ms: Column[int]
    also: ColumnElement[bool] | None = None


def _was_deleted(loop_id: Column[str]) -> ColumnElement[bool]:
    return loop_id.in_(select(loops.c.id).where(loops.c.state == LoopState.DELETED))


def _has_enough_after_it() -> ColumnElement[bool]:
    """Whether a message is none of the last of its session."""
    later = messages.alias()
    of_the_session = select(later.c.seq).where(later.c.session_id == messages.c.session_id)
    newest = of_the_session.order_by(later.c.seq.desc()).offset(MESSAGES_KEPT - 1).limit(1)
    return messages.c.seq < newest.scalar_subquery()


_RULES = (
    _Rule(events.c.seq, events.c.accepted_ms, _was_deleted(events.c.loop_id)),
    _Rule(wakes.c.seq, wakes.c.woken_ms, _was_deleted(wakes.c.loop_id)),
    _Rule(checkpoints.c.loop_id, checkpoints.c.saved_ms, _was_deleted(checkpoints.c.loop_id)),
    _Rule(log_lines.c.seq, log_lines.c.logged_ms, _was_deleted(log_lines.c.loop_id)),
    _Rule(faults.c.seq, faults.c.happened_ms),
    _Rule(audit.c.seq, audit.c.at_ms),
    _Rule(messages.c.seq, messages.c.created_ms, _has_enough_after_it()),
    _Rule(
        loops.c.id,
        loops.c.deleted_ms,
        and_(*(~exists().where(table.c.loop_id == loops.c.id) for table in _OF_LOOPS)),
    ),
)


async def prune(
    store: Store,
    before_ms: int,
    *,
    rows: int = _ROWS,
    said: Callable[[str, int], None] = lambda table, count: None,
) -> dict[str, int]:
    """Drop what is older than `before_ms` and no promise needs; how many rows of each table.

    said: is told how many rows of a table went so far. Stopped in the middle, it has dropped some of them, and can be
    run again.
    """
    dropped: dict[str, int] = {}
    for rule in _RULES:
        table, old = rule.key.table, rule.at_ms < before_ms
        some = select(rule.key).where(old if rule.also is None else old & rule.also).limit(rows)
        dropped[table.name] = 0
        while True:
            async with store.write() as tx:
                keys = list((await tx.execute(some)).scalars())
                if keys:
                    await tx.execute(delete(table).where(rule.key.in_(keys)))
            dropped[table.name] += len(keys)
            said(table.name, dropped[table.name])
            if len(keys) < rows:
                break
    return dropped
