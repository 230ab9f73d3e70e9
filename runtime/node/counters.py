"""What a node counts, and that as Prometheus text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

_PREFIX = "salix_node_"


@dataclass(slots=True)
class Counters:
    """Since the node's start. `_HELP` says what each means."""

    loads: int = 0
    refused_loads: int = 0
    unloads: int = 0
    starts: int = 0
    exits: int = 0
    faults: int = 0
    failures: int = 0
    stops: int = 0
    events: int = 0
    duplicate_events: int = 0
    redelivered_events: int = 0
    refused_events: int = 0
    host_calls: int = 0
    denied_host_calls: int = 0
    answered_host_calls: int = 0
    timed_out_host_calls: int = 0
    cancelled_host_calls: int = 0
    ignored_host_responses: int = 0
    log_lines: int = 0
    dropped_log_lines: int = 0
    activations: int = 0
    slices: int = 0
    throttles: int = 0
    parked: int = 0
    restored: int = 0


_HELP = {
    "loads": "objects loaded",
    "refused_loads": "loads refused",
    "unloads": "objects unloaded",
    "starts": "objects started",
    "exits": "objects that returned",
    "faults": "objects ended by a fault of their own",
    "failures": "objects ended because the runtime could not go on with them",
    "stops": "objects stopped",
    "events": "events admitted",
    "duplicate_events": "events that had been admitted before",
    "redelivered_events": "events delivered again, since nobody knew of their end",
    "refused_events": "events for full mailboxes, or beyond the limits",
    "host_calls": "host calls made",
    "denied_host_calls": "host calls that were not granted",
    "answered_host_calls": "host calls answered in time",
    "timed_out_host_calls": "host calls that nobody answered in time",
    "cancelled_host_calls": "host calls whose object ended first",
    "ignored_host_responses": "answers that nobody waited for",
    "log_lines": "lines that guests logged",
    "dropped_log_lines": "lines that were over the rate, or dropped by the embedder",
    "activations": "times that a guest ran on",
    "slices": "times that a guest used up its slice",
    "throttles": "times that a guest had to pause for using too much",
    "parked": "guests parked",
    "restored": "parked guests restored",
}


def prometheus(counters: Counters, gauges: Iterable[tuple[str, str, float]]) -> str:
    """The text exposition format, version 0.0.4. gauges: (name, help, value)."""
    lines: list[str] = []
    for field in fields(counters):
        name = f"{_PREFIX}{field.name}_total"
        value = getattr(counters, field.name)
        lines += (f"# HELP {name} {_HELP[field.name]}", f"# TYPE {name} counter", f"{name} {value}")
    for short, text, number in gauges:
        name = _PREFIX + short
        lines += (f"# HELP {name} {text}", f"# TYPE {name} gauge", f"{name} {number:g}")
    return "\n".join(lines) + "\n"
