"""One database: connections, transactions, migration at the first opening.

    async with await Store.open("sqlite:///var/salix.db") as store, store.write() as tx: ...

SQLite: write-ahead log, every commit synced, writers begin with the write lock, so that no transaction that has read
is refused when it comes to write. PostgreSQL: READ COMMITTED; whoever decides by what he reads locks the row first
(`SELECT ... FOR UPDATE`, which SQLite needs not and ignores).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType

from sqlalchemy import Table, event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from salix.store.migrations import migrate

_DRIVERS = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+asyncpg", "postgres": "postgresql+asyncpg"}
_BUSY_MS = 30_000  # how long a writer waits for another process
_READ_ONLY = "salix_read_only"


class StoreUnavailable(Exception):
    """The database cannot be opened; the message says which, without its password, and why."""


class Store:
    """See the module. `open` makes one."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._reading = engine.execution_options(**{_READ_ONLY: True})
        # SQLite has one writer; those of this process queue here, in order, instead of polling for the file's lock
        self._writer = asyncio.Lock() if engine.dialect.name == "sqlite" else None

    @classmethod
    async def open(cls, url: str) -> Store:
        """The database at `url` (sqlite:///PATH or postgresql://...), with the newest schema.

        Raises StoreUnavailable, NewerSchema.
        """
        try:
            parsed = make_url(url)
            driver = _DRIVERS[parsed.drivername]
        except (ArgumentError, KeyError) as error:
            raise StoreUnavailable("a database is sqlite:///PATH or postgresql://USER@HOST/NAME") from error
        folder = Path(parsed.database or "").parent
        if parsed.drivername == "sqlite" and not folder.is_dir():
            raise StoreUnavailable(f"{parsed.database} cannot be made: there is no folder {folder}")
        engine = create_async_engine(parsed.set(drivername=driver))
        if engine.dialect.name == "sqlite":
            event.listen(engine.sync_engine, "connect", _configure_sqlite)
            event.listen(engine.sync_engine, "begin", _begin_sqlite)
        store = cls(engine)
        try:
            async with store.write() as tx:
                await migrate(tx)
        except (OSError, OperationalError) as error:
            await engine.dispose()
            raise StoreUnavailable(f"{parsed.render_as_string()} cannot be opened: {error}") from error
        except BaseException:
            await engine.dispose()
            raise
        return store

    async def __aenter__(self) -> Store:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections. Idempotent."""
        await self._engine.dispose()

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A transaction: committed when the block ends, and then durable; rolled back if it raises."""
        if self._writer is None:
            async with self._engine.begin() as connection:
                yield connection
            return
        async with self._writer, self._engine.begin() as connection:
            yield connection

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that only reads; it waits for no writer."""
        async with self._reading.connect() as connection:
            yield connection


async def insert_new(connection: AsyncConnection, table: Table, **values: object) -> bool:
    """Insert a row unless one of its keys is taken, also by a transaction that commits meanwhile; whether it was."""
    make = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    result = await connection.execute(make(table).values(**values).on_conflict_do_nothing())
    return result.rowcount == 1


def _configure_sqlite(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    connection.isolation_level = None  # transactions begin where `_begin_sqlite` says, not where the driver guesses
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={_BUSY_MS}"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    reading = connection.get_execution_options().get(_READ_ONLY, False)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")
