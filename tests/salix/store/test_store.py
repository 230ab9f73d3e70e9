"""The store, on each database: migrations lead to the schema, races have one winner, transactions are whole."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import Connection, inspect, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from salix.store import Store, StoreUnavailable, events, identities, loops, migrations, schema
from salix.store.events import EventState
from salix.store.loops import Loop, LoopState
from salix.store.migrations import STEPS, NewerSchema
from salix.store.store import insert_new


def loop(loop_id: str = "l1", state: LoopState = LoopState.ACTIVE) -> Loop:
    return Loop(
        id=loop_id, group_id="g", agent_id="a", session_id="s", creator="a", name="watch", path="w.o", sha256="00",
        config=b"null", capabilities=b"[]", state=state, reason=None, detail=None, incarnation=0, created_ms=1,
        resumed_ms=1, limited_since_ms=None, limited_until_ms=None, decisions=0, input_tokens=0, cost_pico_usd=0,
        webhook_sha256=None, webhook_signing_key=None,
    )  # fmt: skip


async def with_agent(tx: AsyncConnection) -> None:
    await identities.add_group(tx, "g", "key", 1)
    await identities.add_agent(tx, "a", "g", 1)
    await identities.add_session(tx, "s", "a", 1)


async def with_loop(store: Store, loop_id: str = "l1") -> None:
    async with store.write() as tx:
        await with_agent(tx)
        await loops.add(tx, loop(loop_id))


def shape(connection: Connection) -> dict[str, object]:
    """What a database has, as far as both say it alike."""
    found = inspect(connection)
    return {
        table: (
            [(column["name"], column["nullable"] and column["name"] != "seq") for column in found.get_columns(table)],
            found.get_pk_constraint(table)["constrained_columns"],
            sorted((tuple(key["constrained_columns"]), key["referred_table"]) for key in found.get_foreign_keys(table)),
            sorted(tuple(key["column_names"]) for key in found.get_unique_constraints(table)),
            sorted((index["name"] or "", tuple(index["column_names"])) for index in found.get_indexes(table)
                   if not index.get("unique")),
        )
        for table in sorted(found.get_table_names())
    }  # fmt: skip


def test_migrations_lead_to_the_schema(database: str) -> None:
    async def run() -> None:
        async with await Store.open(database) as store:
            async with store.read() as tx:
                migrated = await tx.run_sync(shape)
            async with store.write() as tx:
                await tx.run_sync(schema.metadata.drop_all)
                await tx.run_sync(schema.metadata.create_all)
                assert await tx.run_sync(shape) == migrated

    asyncio.run(run())


def test_a_database_of_the_first_version_is_migrated_and_keeps_its_rows(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        monkeypatch.setattr(migrations, "STEPS", STEPS[:1])
        async with await Store.open(database) as store, store.write() as tx:
            await with_agent(tx)
            for row in (loop(), loop("gone", LoopState.DELETED)):
                known = {name: value for name, value in row._asdict().items() if name != "held_by"}
                await tx.execute(schema.loops.insert().values(**known))
        monkeypatch.undo()
        async with await Store.open(database) as store, store.read() as tx:
            assert await loops.get(tx, "l1") == loop()
            deleted = select(schema.loops.c.id, schema.loops.c.deleted_ms).order_by(schema.loops.c.id)
            assert [tuple(row) for row in await tx.execute(deleted)] == [("gone", 0), ("l1", None)]

    asyncio.run(run())


def test_opening_again_changes_nothing_and_a_newer_schema_is_refused(database: str) -> None:
    async def run() -> None:
        async with await Store.open(database) as store:
            await with_loop(store)
        async with await Store.open(database) as store:
            async with store.read() as tx:
                assert await loops.get(tx, "l1") == loop()
            async with store.write() as tx:
                await tx.execute(schema.versions.insert().values(number=len(STEPS) + 1))
        with pytest.raises(NewerSchema):
            await Store.open(database)

    asyncio.run(run())


def test_servers_that_open_a_new_database_at_once_migrate_it_once(database: str) -> None:
    async def run() -> None:
        stores = await asyncio.gather(*(Store.open(database) for _ in range(4)))
        async with stores[0].read() as tx:
            assert (await tx.execute(select(schema.versions.c.number))).scalars().all() == [*range(1, len(STEPS) + 1)]
        for store in stores:
            await store.close()

    asyncio.run(run())


@pytest.mark.parametrize("url", ["mysql://x/y", "nonsense", "sqlite:////nowhere/at/all/x.db"])
def test_what_cannot_be_opened_is_a_typed_error(url: str) -> None:
    with pytest.raises(StoreUnavailable):
        asyncio.run(Store.open(url))


def test_a_transaction_that_raises_leaves_nothing(database: str) -> None:
    async def run() -> None:
        async with await Store.open(database) as store:
            with pytest.raises(ZeroDivisionError):
                async with store.write() as tx:
                    await identities.add_group(tx, "g", "key", 1)
                    raise ZeroDivisionError
            async with store.read() as tx:
                assert await identities.group_of_key(tx, "key") is None

    asyncio.run(run())


def test_of_racing_inserts_from_two_servers_one_wins_and_none_fails(database: str) -> None:
    async def run() -> None:
        one, two = await Store.open(database), await Store.open(database)
        await with_loop(one)

        async def attempt(store: Store, n: int) -> bool:
            async with store.write() as tx:
                return await insert_new(
                    tx, schema.wakes, loop_id="l1", dedup_key=f"k{n % 5}", incarnation=1, woken_ms=n
                )

        won = await asyncio.gather(*(attempt(store, n) for n in range(20) for store in (one, two)))
        assert sum(won) == 5
        await one.close()
        await two.close()

    asyncio.run(run())


@pytest.mark.parametrize("name", ["e\u00e9", "e\u0301", "E", "a\0b", "x" * 128, "\U0001f600"])
def test_ids_are_bytes_and_nothing_is_normalised(database: str, name: str) -> None:
    async def run() -> None:
        async with await Store.open(database) as store:
            await with_loop(store)
            async with store.write() as tx:
                await events.add(tx, "l1", name, name, b"{}", 5)
                assert await events.known(tx, "l1", name)

                for other in ("\u00e9", "e", name + " ", name[:-1]):
                    assert other == name or not await events.known(tx, "l1", other)
            async with store.read() as tx:
                assert [(e.event_id, e.topic) for e in await events.pending(tx, "l1")] == [(name, name)]

    asyncio.run(run())


def test_settling_is_per_event_and_happens_once(database: str) -> None:
    async def run() -> None:
        async with await Store.open(database) as store:
            await with_loop(store)
            async with store.write() as tx:
                for n in range(4):
                    await events.add(tx, "l1", f"e{n}", "t", b"{}", n)
                done = [
                    await events.settle(tx, "l1", name, EventState.ACKNOWLEDGED, 9, 1) for name in ("e2", "e2", "x")
                ]
                assert done == [True, False, False]
                assert [event.event_id for event in await events.pending(tx, "l1")] == ["e0", "e1", "e3"]
                assert await events.known(tx, "l1", "e2")
                assert await events.overdue(tx, 1) == {"l1": 2}

    asyncio.run(run())


def test_logs_keep_the_last_lines(database: str) -> None:
    async def run() -> None:
        async with await Store.open(database) as store:
            await with_loop(store)
            async with store.write() as tx:
                for n in range(7):
                    await loops.add_lines(tx, [("l1", n, f"line {n}\0")], keep=3)
                assert await loops.last_lines(tx, "l1", 10) == [(n, f"line {n}\0") for n in (4, 5, 6)]

    asyncio.run(run())


def test_sqlite_writes_ahead_and_syncs_every_commit(tmp_path: Path) -> None:
    async def run() -> None:
        async with await Store.open(f"sqlite:///{tmp_path}/x.db") as store, store.read() as tx:
            assert (await tx.execute(text("PRAGMA journal_mode"))).scalar() == "wal"
            assert (await tx.execute(text("PRAGMA synchronous"))).scalar() == 2

    asyncio.run(run())
