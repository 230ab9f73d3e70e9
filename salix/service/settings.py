"""What an operator decides, and the limits that everybody lives with. Each number is written once, here."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one Loop, where nothing else is said. The figures are the product's."""

    active_loops_of_agent: int = 20
    active_loops_of_group: int = 100
    pending_events: int = 32
    events_per_minute: int = 120
    acknowledge_within_ms: int = 15 * MINUTE_MS
    replay_every_ms: int = MINUTE_MS
    sweep_every_ms: int = 15_000
    same_body_within_ms: int = DAY_MS
    signature_age_ms: int = 5 * MINUTE_MS
    wake_bytes: int = 8 * 1024
    dedup_key_bytes: int = 256
    wakes: int = 6
    wake_window_ms: int = 10 * MINUTE_MS
    limited_for_ms: int = HOUR_MS  # so long at the limit of wakes, and the Loop is paused
    reloads: int = 3
    reload_window_ms: int = HOUR_MS
    log_lines_kept: int = 200
    audited_calls_per_minute: int = 30  # of a Loop; acknowledgements and wakes, which have limits, come on top
    file_bytes: int = 1024 * 1024
    files_of_agent: int = 200
    bytes_of_agent: int = 16 * 1024 * 1024  # of all of its files
    loops_of_agent: int = 200  # active or not
    sessions_of_agent: int = 1000
    agents_of_group: int = 1000


@dataclass(frozen=True, slots=True)
class DecisionSettings:
    """Where questions go. Without a URL, a rule engine of our own answers, and says so.

    price: of a million input tokens, in USD.
    """

    url: str | None = None
    key: str = field(default="", repr=False)
    model: str = "typesafe/jev-1.13.0"
    price: Decimal = Decimal("0.042")
    timeout_ms: int = 20_000


@dataclass(frozen=True, slots=True)
class WebSettings:
    """What `web.http_request` may do. allow_private: also addresses of this machine and its networks; for tests."""

    allow_private: bool = False
    methods: tuple[str, ...] = ("GET", "HEAD", "POST")
    redirects: int = 5
    body_bytes: int = 12 * 1024  # of an answer; a result may have 16 KiB in all
    timeout_ms: int = 20_000


@dataclass(frozen=True, slots=True)
class Settings:
    """database: a URL for `Store.open`. files: the folder under which each agent has one of its own.

    ca_file: certificates (PEM) to trust besides the usual ones, of servers that Loops fetch from and of the model's.
    keep_days: how old what no promise needs may become before the service prunes it; 0: for ever.
    """

    database: str
    files: Path
    public_url: str | None = None  # how the world reaches the server; by default where it listens
    limits: Limits = Limits()
    decisions: DecisionSettings = DecisionSettings()
    web: WebSettings = WebSettings()
    ca_file: Path | None = None
    keep_days: int = 90
    engine: str | None = None
