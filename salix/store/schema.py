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


versions = Table("schema_versions", metadata, Column("number", Integer, primary_key=True, autoincrement=False))

groups = Table(
    "groups",
    metadata,
    Column("id", String, primary_key=True),
    Column("key_sha256", LargeBinary, nullable=False, unique=True),  # keys are 256 random bits: no salt is needed
    Column("created_ms", BigInteger, nullable=False),
)

agents = Table(
    "agents",
    metadata,
    Column("id", String, primary_key=True),
    Column("group_id", String, ForeignKey("groups.id"), nullable=False),
    Column("created_ms", BigInteger, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", String, primary_key=True),
    Column("agent_id", String, ForeignKey("agents.id"), nullable=False),
    Column("created_ms", BigInteger, nullable=False),
)

messages = Table(
    "messages",
    metadata,
    _serial(),
    Column("session_id", String, ForeignKey("sessions.id"), nullable=False),
    Column("message_id", Utf8, nullable=False),
    Column("author", String, nullable=False),
    Column("content", Utf8, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    UniqueConstraint("session_id", "message_id"),
    Index("messages_by_session", "session_id", "seq"),
    Index("messages_by_time", "created_ms"),
)

loops = Table(
    "loops",
    metadata,
    Column("id", String, primary_key=True),
    Column("group_id", String, ForeignKey("groups.id"), nullable=False),
    Column("agent_id", String, ForeignKey("agents.id"), nullable=False),
    Column("session_id", String, ForeignKey("sessions.id"), nullable=False),
    Column("creator", String, nullable=False),
    Column("name", Utf8, nullable=False),
    Column("path", Utf8, nullable=False),
    Column("sha256", String, nullable=False),
    Column("config", LargeBinary, nullable=False),
    Column("capabilities", LargeBinary, nullable=False),
    Column("state", String, nullable=False),
    Column("reason", String),
    Column("detail", Utf8),
    Column("incarnation", BigInteger, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("resumed_ms", BigInteger, nullable=False),
    Column("limited_since_ms", BigInteger),
    Column("limited_until_ms", BigInteger),
    Column("decisions", BigInteger, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("cost_pico_usd", BigInteger, nullable=False),
    Column("webhook_sha256", LargeBinary, unique=True),
    Column("webhook_signing_key", LargeBinary),
    Column("deleted_ms", BigInteger),
    Index("loops_by_agent", "agent_id", "state"),
    Index("loops_by_group", "group_id", "state"),
)

events = Table(
    "events",
    metadata,
    _serial(),
    Column("loop_id", String, ForeignKey("loops.id"), nullable=False),
    Column("event_id", Utf8, nullable=False),
    Column("topic", Utf8, nullable=False),
    Column("payload", LargeBinary),  # NULL once the event is settled: only its id is still needed
    Column("body_sha256", LargeBinary),
    Column("state", String, nullable=False),
    Column("accepted_ms", BigInteger, nullable=False),
    Column("waiting_since_ms", BigInteger, nullable=False),
    Column("settled_ms", BigInteger),
    Column("settled_incarnation", BigInteger),
    UniqueConstraint("loop_id", "event_id"),
    Index("events_by_state", "loop_id", "state", "seq"),
    Index("events_by_body", "loop_id", "body_sha256"),
)

checkpoints = Table(
    "checkpoints",
    metadata,
    Column("loop_id", String, ForeignKey("loops.id"), primary_key=True),
    Column("value", LargeBinary, nullable=False),
    Column("incarnation", BigInteger, nullable=False),
    Column("saved_ms", BigInteger, nullable=False),
)

wakes = Table(
    "wakes",
    metadata,
    _serial(),
    Column("loop_id", String, ForeignKey("loops.id"), nullable=False),
    Column("dedup_key", Utf8, nullable=False),
    Column("incarnation", BigInteger, nullable=False),
    Column("woken_ms", BigInteger, nullable=False),
    UniqueConstraint("loop_id", "dedup_key"),
    Index("wakes_by_time", "loop_id", "woken_ms"),
)

faults = Table(
    "faults",
    metadata,
    _serial(),
    Column("loop_id", String, ForeignKey("loops.id"), nullable=False),
    Column("incarnation", BigInteger, nullable=False),
    Column("message", Utf8, nullable=False),
    Column("happened_ms", BigInteger, nullable=False),
    Index("faults_by_time", "loop_id", "happened_ms"),
)

log_lines = Table(
    "log_lines",
    metadata,
    _serial(),
    Column("loop_id", String, ForeignKey("loops.id"), nullable=False),
    Column("line", Utf8, nullable=False),
    Column("logged_ms", BigInteger, nullable=False),
    Index("log_lines_by_loop", "loop_id", "seq"),
)

audit = Table(
    "audit",
    metadata,
    _serial(),
    Column("principal", String, nullable=False),
    Column("action", String, nullable=False),
    Column("loop_id", String),
    Column("outcome", String, nullable=False),
    Column("detail", Utf8, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Index("audit_by_loop", "loop_id", "seq"),
    Index("audit_by_time", "at_ms"),
)
