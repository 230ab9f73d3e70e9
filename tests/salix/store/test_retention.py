"""What `prune` drops and, above all, what it keeps: every answer that somebody was promised stays the same."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import select

from salix.store import Store, audit, events, identities, loops, schema, wakes
from salix.store.audit import Entry
from salix.store.events import EventState
from salix.store.loops import LoopState
from salix.store.retention import MESSAGES_KEPT, prune
from tests.salix.store.test_store import loop, with_loop

OLD, EDGE, NEW = 99, 100, 101
TIMES = (OLD, EDGE, NEW)
ALL = {"events", "wakes", "checkpoints", "log_lines", "faults", "audit", "messages", "loops"}


async def with_rows(store: Store, states: dict[str, LoopState]) -> None:
    """A Loop of each state, with rows of each table before, at and after EDGE; of events, a pending one each, too."""
    await with_loop(store, "first")
    async with store.write() as tx:
        for loop_id, state in states.items():
            row = loop(loop_id, state)
            await loops.add(tx, row)
            await loops.save_checkpoint(tx, row, b"1", OLD)
            for at_ms in TIMES:
                await events.add(tx, loop_id, f"settled{at_ms}", "t", b"{}", at_ms)
                await events.settle(tx, loop_id, f"settled{at_ms}", EventState.ACKNOWLEDGED, at_ms, 1)
                await events.add(tx, loop_id, f"pending{at_ms}", "t", b"{}", at_ms)
                await wakes.add(tx, loop_id, f"k{at_ms}", 1, at_ms)
                await loops.add_lines(tx, [(loop_id, at_ms, "line")], keep=200)
                await loops.add_fault(tx, row, "fault", at_ms)
                await audit.add(tx, Entry("p", "a", loop_id, "o", "", at_ms))


async def times(store: Store, table: str, column: str, loop_id: str) -> list[int]:
    """The times of a Loop's rows, in order, each once."""
    found = schema.metadata.tables[table]
    async with store.read() as tx:
        query = select(found.c[column]).where(found.c.loop_id == loop_id).distinct().order_by(found.c[column])
        return list((await tx.execute(query)).scalars())


@pytest.mark.parametrize("state", [state for state in LoopState if state is not LoopState.DELETED])
def test_ids_keys_checkpoints_and_what_is_pending_stay_with_a_loop_that_may_run_again(
    database: str, state: LoopState
) -> None:
    async def run() -> None:
        async with await Store.open(database) as store:
            await with_rows(store, {"l1": state})
            assert await prune(store, EDGE) == dict.fromkeys(ALL, 0) | {"faults": 1, "audit": 1}
            async with store.read() as tx:
                for at_ms in TIMES:
                    assert await events.known(tx, "l1", f"settled{at_ms}")
                    assert await wakes.known(tx, "l1", f"k{at_ms}")
                assert [each.event_id for each in await events.pending(tx, "l1")] == [f"pending{t}" for t in TIMES]
                assert await loops.checkpoint(tx, "l1") == b"1"
                assert len(await loops.last_lines(tx, "l1", 10)) == len(TIMES)

    asyncio.run(run())


def test_of_deleted_loops_and_of_them_only_all_that_is_old_goes(database: str) -> None:
    async def run() -> None:
        async with await Store.open(database) as store:
            await with_rows(store, {"l1": LoopState.ACTIVE, "l2": LoopState.DELETED})
            dropped = await prune(store, EDGE)
            assert dropped == {
                "events": 2, "wakes": 1, "checkpoints": 1, "log_lines": 1, "faults": 2, "audit": 2, "messages": 0,
                "loops": 0,
            }  # fmt: skip
            kept = ("events", "accepted_ms"), ("wakes", "woken_ms"), ("log_lines", "logged_ms")
            for table, column in kept:
                assert await times(store, table, column, "l2") == [EDGE, NEW], table
                assert await times(store, table, column, "l1") == [OLD, EDGE, NEW], table
            for table, column in (("faults", "happened_ms"), ("audit", "at_ms")):
                assert await times(store, table, column, "l1") == [EDGE, NEW], table
            assert await prune(store, EDGE) == dict.fromkeys(ALL, 0)

    asyncio.run(run())


@pytest.mark.parametrize("rows", [1, 2, 3, 1000])
def test_few_rows_to_a_transaction_drop_as_many_in_the_end(database: str, rows: int) -> None:
    async def run() -> None:
        async with await Store.open(database) as store:
            await with_rows(store, {"l2": LoopState.DELETED, "l3": LoopState.DELETED})
            dropped = await prune(store, EDGE, rows=rows)
            assert dropped == {
                "events": 4, "wakes": 2, "checkpoints": 2, "log_lines": 2, "faults": 2, "audit": 2, "messages": 0,
                "loops": 0,
            }  # fmt: skip

    asyncio.run(run())


@pytest.mark.parametrize("deleted_ms", TIMES)
def test_a_deleted_loops_row_goes_last_and_when_it_is_old_itself(database: str, deleted_ms: int) -> None:
    async def run() -> None:
        async with await Store.open(database) as store:
            await with_rows(store, {"l1": LoopState.PAUSED, "l2": LoopState.DELETED, "l3": LoopState.DELETED})
            async with store.write() as tx:
                await loops.change(tx, "l2", deleted_ms=deleted_ms)
                await loops.change(tx, "l3", deleted_ms=deleted_ms)
            assert (await prune(store, EDGE))["loops"] == 0, "there are rows of it that are not old"
            assert (await prune(store, NEW + 1))["loops"] == 2
            async with store.read() as tx:
                left = list((await tx.execute(select(schema.loops.c.id).order_by(schema.loops.c.id))).scalars())
            assert left == ["first", "l1"]

    asyncio.run(run())


def test_of_each_session_the_last_messages_stay_and_positions_are_not_used_again(database: str) -> None:
    async def run() -> None:
        async with await Store.open(database) as store:
            await with_loop(store, "first")
            async with store.write() as tx:
                await identities.add_session(tx, "quiet", "a", OLD)
                for n in range(MESSAGES_KEPT + 5):
                    at_ms = OLD if n < 3 or n > 10 else NEW  # of the first five that are too many, two are new
                    assert await identities.add_message(tx, "s", f"m{n}", "salix", "text", at_ms)
                for n in range(MESSAGES_KEPT):
                    await identities.add_message(tx, "quiet", f"m{n}", "salix", "text", OLD)
            assert (await prune(store, EDGE))["messages"] == 3
            assert (await prune(store, NEW + 1))["messages"] == 2
            assert (await prune(store, NEW + 1))["messages"] == 0
            async with store.write() as tx:
                left = await identities.messages_after(tx, "s", 0, 1000)
                assert [message.message_id for message in left] == [f"m{n}" for n in range(5, MESSAGES_KEPT + 5)]
                assert len(await identities.messages_after(tx, "quiet", 0, 1000)) == MESSAGES_KEPT
                await identities.add_message(tx, "s", "next", "salix", "text", NEW)
                (message,) = await identities.messages_after(tx, "s", left[-1].seq, 10)
                assert message.message_id == "next"

    asyncio.run(run())


def test_a_wake_whose_message_went_is_still_a_duplicate(database: str) -> None:
    async def run() -> None:
        async with await Store.open(database) as store:
            await with_rows(store, {"l1": LoopState.ACTIVE})
            async with store.write() as tx:
                for n in range(MESSAGES_KEPT + 1):
                    await identities.add_message(tx, "s", f"loop:l1:k{OLD - n}", "p", "text", OLD)
            assert (await prune(store, NEW + 1))["messages"] == 1
            async with store.read() as tx:
                assert await wakes.known(tx, "l1", f"k{OLD}")

    asyncio.run(run())


def test_numbers_of_rows_that_went_are_not_used_again(database: str) -> None:
    async def run() -> None:
        async with await Store.open(database) as store:
            await with_rows(store, {"l1": LoopState.ACTIVE, "l2": LoopState.DELETED})
            async with store.read() as tx:
                highest = max((await tx.execute(select(schema.events.c.seq))).scalars())
            await prune(store, NEW + 1)
            async with store.write() as tx:
                await events.add(tx, "l1", "next", "t", b"{}", NEW)
                assert (await events.pending(tx, "l1"))[-1].seq > highest

    asyncio.run(run())
