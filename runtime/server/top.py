"""`python -m runtime top`: what the objects of a served node do, as a table that is drawn anew every second.

A client of `runtime.server.observe`: asks on a socket, draws the reply. Shares and rates are of the time between two
replies, the first are of the whole time. Texts from guests are escaped.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

_RATES = ("events", "host_calls", "activations", "slices", "log_lines", "faults")
_MAX_OUTCOME = 60


class Watch:
    """A connection to a served node. Raises OSError, at first and when the server has gone."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.connect(str(path))
        self._lines = self._socket.makefile("rb")
        self._asked = 0.0
        self._counters: Mapping[str, float] = {}

    def look(self, objects: int) -> Group:
        """What there is to see, with the `objects` that ran most."""
        self._socket.sendall(b'{"objects":%d}\n' % objects)
        line = self._lines.readline()
        if not line:
            raise ConnectionResetError("the server has gone")
        reply = json.loads(line)
        counters, now = read_counters(reply["metrics"]), time.monotonic()
        first = not self._counters
        seconds = reply["stats"]["uptime_ms"] / 1000 if first else now - self._asked
        view = drawn(reply, counters, self._counters, max(seconds, 1e-3))
        self._counters, self._asked = counters, now
        return view

    def close(self) -> None:
        self._lines.close()
        self._socket.close()


def read_counters(metrics: str) -> dict[str, float]:
    """The values in Prometheus text, by name without prefix and `_total`."""
    found = {}
    for line in metrics.splitlines():
        if not line.startswith("#"):
            name, _, value = line.partition(" ")
            found[name.removeprefix("salix_node_").removesuffix("_total")] = float(value)
    return found


def drawn(
    reply: Mapping[str, Any], counters: Mapping[str, float], before: Mapping[str, float], seconds: float
) -> Group:
    """A reply, as lines and a table; `before` are the counters `seconds` ago."""
    stats = reply["stats"]
    head = Text(f"up {stats['uptime_ms'] / 1000:,.0f} s", style="bold")
    for name in ("objects", "waiting", "parked", "waiting_to_run", "pending_host_calls"):
        head.append(f"   {name.replace('_', ' ')} {stats[name]:,}", style="not bold")
    rates = "   ".join(
        f"{name.replace('_', ' ')} {(counters[name] - before.get(name, 0.0)) / seconds:,.1f}/s" for name in _RATES
    )
    table = Table("object", "state", "wait", box=None, pad_edge=False, header_style="bold reverse")
    for column in ("mailbox", "of a core", "seconds"):
        table.add_column(column, justify="right")
    table.add_column("outcome", no_wrap=True, overflow="ellipsis")
    for each in reply["objects"]:
        status = each["status"]
        table.add_row(
            status["object_id"],
            status["state"],
            status["wait"],
            str(status["mailbox_entries"]),
            f"{each['since'] / seconds:.1%}",
            f"{each['seconds']:.3f}",
            _outcome(status["outcome"]),
        )
    return Group(head, Text(rates), table)


def _outcome(outcome: Mapping[str, Any] | None) -> str:
    if outcome is None:
        return ""
    text = f"exit code {outcome['exit_code']}" if "exit_code" in outcome else f"{outcome['kind']}: {outcome['error']}"
    return escape(text[:_MAX_OUTCOME])


def top(path: Path, objects: int, seconds: float, once: bool) -> int:
    """Draw until the server goes or the user interrupts; the exit status."""
    console = Console()
    watch = Watch(path)
    try:
        if once:
            console.print(watch.look(objects))
            return 0
        with Live(watch.look(objects), console=console, screen=True, auto_refresh=False) as live:
            while True:
                time.sleep(seconds)
                live.update(watch.look(objects), refresh=True)
    except ConnectionError:
        console.print("the server has gone")
        return 0
    except KeyboardInterrupt:
        return 0
    finally:
        watch.close()
