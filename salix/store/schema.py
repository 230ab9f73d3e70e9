"""The tables, as queries see them. `migrations` makes them; a test compares the two.

Whatever text may come from outside (ids of events, contents, lines of logs) is kept as the bytes of its UTF-8, so that
no database normalises it, compares it by a collation, or refuses a NUL in it. Times are milliseconds since 1970.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    UniqueConstraint,
)
from sqlalchemy.types import TypeDecorator


class Utf8(TypeDecorator[str]):
    """A str in Python, the bytes of its UTF-8 in the database."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:
        return None if value is None else value.encode()

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> str | None:
        return None if value is None else value.decode()


metadata = MetaData()
_NUMBER = BigInteger().with_variant(Integer, "sqlite")  # what SQLite numbers by itself must be an INTEGER


def _serial() -> Column[int]:
    return Column("seq", _NUMBER, primary_key=True, autoincrement=True)


def _number(name: str) -> Column[int]:
    return Column(name, BigInteger, nullable=False)


def _text(name: str) -> Column[str]:
    """From outside."""
    return Column(name, Utf8, nullable=False)


def _word(name: str) -> Column[str]:
    """Of our own making."""
    return Column(name, String, nullable=False)


def _data(name: str) -> Column[bytes]:
    return Column(name, LargeBinary, nullable=False)


def _of(table: str, name: str, *, key: bool = False) -> Column[str]:
    """A row of another table, by its id. key: there is one row for it."""
    return Column(name, String, ForeignKey(f"{table}.id"), primary_key=key, nullable=False)


def _id() -> Column[str]:
    return Column("id", String, primary_key=True)


versions = Table("schema_versions", metadata, Column("number", Integer, primary_key=True, autoincrement=False))

servers = Table("servers", metadata, _id(), _number("beats"))

groups = Table(
    "groups",
    metadata,
    _id(),
    Column("key_sha256", LargeBinary, nullable=False, unique=True),  # keys are 256 random bits: no salt is needed
    _number("created_ms"),
)

agents = Table("agents", metadata, _id(), _of("groups", "group_id"), _number("created_ms"))

sessions = Table("sessions", metadata, _id(), _of("agents", "agent_id"), _number("created_ms"))

messages = Table(
    "messages",
    metadata,
    _serial(),
    _of("sessions", "session_id"),
    _text("message_id"),
    _word("author"),
    _text("content"),
    _number("created_ms"),
    UniqueConstraint("session_id", "message_id"),
    Index("messages_by_session", "session_id", "seq"),
    Index("messages_by_time", "created_ms"),
)

loops = Table(
    "loops",
    metadata,
    _id(),
    _of("groups", "group_id"),
    _of("agents", "agent_id"),
    _of("sessions", "session_id"),
    _word("creator"),
    _text("name"),
    _text("path"),
    _word("sha256"),
    _data("config"),
    _data("capabilities"),
    _word("state"),
    Column("reason", String),
    Column("detail", Utf8),
    _number("incarnation"),
    _number("created_ms"),
    _number("resumed_ms"),
    Column("limited_since_ms", BigInteger),
    Column("limited_until_ms", BigInteger),
    _number("decisions"),
    _number("input_tokens"),
    _number("cost_pico_usd"),
    Column("webhook_sha256", LargeBinary, unique=True),
    Column("webhook_signing_key", LargeBinary),
    Column("deleted_ms", BigInteger),
    Column("held_by", String),  # the server that loaded it last; it may be gone
    Index("loops_by_agent", "agent_id", "state"),
    Index("loops_by_group", "group_id", "state"),
)

events = Table(
    "events",
    metadata,
    _serial(),
    _of("loops", "loop_id"),
    _text("event_id"),
    _text("topic"),
    Column("payload", LargeBinary),  # NULL once the event is settled: only its id is still needed
    Column("body_sha256", LargeBinary),
    _word("state"),
    _number("accepted_ms"),
    _number("waiting_since_ms"),
    Column("settled_ms", BigInteger),
    Column("settled_incarnation", BigInteger),
    UniqueConstraint("loop_id", "event_id"),
    Index("events_by_state", "loop_id", "state", "seq"),
    Index("events_by_body", "loop_id", "body_sha256"),
)

checkpoints = Table(
    "checkpoints",
    metadata,
    _of("loops", "loop_id", key=True),
    _data("value"),
    _number("incarnation"),
    _number("saved_ms"),
)

wakes = Table(
    "wakes",
    metadata,
    _serial(),
    _of("loops", "loop_id"),
    _text("dedup_key"),
    _number("incarnation"),
    _number("woken_ms"),
    UniqueConstraint("loop_id", "dedup_key"),
    Index("wakes_by_time", "loop_id", "woken_ms"),
)

faults = Table(
    "faults",
    metadata,
    _serial(),
    _of("loops", "loop_id"),
    _number("incarnation"),
    _text("message"),
    _number("happened_ms"),
    Index("faults_by_time", "loop_id", "happened_ms"),
)

log_lines = Table(
    "log_lines",
    metadata,
    _serial(),
    _of("loops", "loop_id"),
    _text("line"),
    _number("logged_ms"),
    Index("log_lines_by_loop", "loop_id", "seq"),
)

audit = Table(
    "audit",
    metadata,
    _serial(),
    _word("principal"),
    _word("action"),
    Column("loop_id", String),
    _word("outcome"),
    _text("detail"),
    _number("at_ms"),
    Index("audit_by_loop", "loop_id", "seq"),
    Index("audit_by_time", "at_ms"),
)
