"""The status page: all Loops of a group on one page, as the server knows them now. HTML and nothing else.

No scripts, no files from elsewhere: the policy in the headers forbids both, so that a name or a log line that came from
a guest could do nothing even if it were not escaped, which it is.
"""

from __future__ import annotations

import time
from html import escape
from typing import Any

from runtime.node import MemoryKind
from salix.service import Service
from salix.store import loops
from salix.tools.loops import view

PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
}
_REFRESH_SECONDS = 10
_LINES = 3
_COLUMNS = (
    *("Loop", "agent", "state", "waits for", "memory", "pending", "wakes left", "load", "tokens", "USD"),
    "last lines",
)
_LEGEND = (
    "Memory: resident, the pages that the guest has touched; parked, what is kept of one that has waited for a minute;"
    " at most, what it may touch, where the kernel does not tell. Load: how often the Loop was loaded. Wakes left: of"
    " these ten minutes. Tokens and USD: what its decisions took in all."
)

_STYLE = """
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; --line: #8884; }
body { margin: 2rem; }
h1 { font-size: 1.3rem; margin: 0 0 .2rem; }
p { margin: 0 0 1.2rem; opacity: .75; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .45rem .5rem; border-bottom: 1px solid var(--line); }
th { font-weight: 600; }
td:first-child { min-width: 11rem; overflow-wrap: anywhere; }
td:last-child { min-width: 18rem; }
td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
small { display: block; opacity: .7; overflow-wrap: anywhere; }
code { font: .85em/1.5 ui-monospace, monospace; display: block; overflow-wrap: anywhere; }
.state { display: inline-block; padding: 0 .5em; border-radius: 1em; border: 1px solid currentColor; }
.active { color: #1a7f37; } .paused { color: #9a6700; } .failed { color: #cf222e; } .finished { color: #57606a; }
"""


async def status_page(service: Service, group_id: str) -> str:
    """The page, as a whole document."""
    await service.host.flush()
    rows: list[str] = []
    counts: dict[str, int] = {}
    async with service.store.read() as tx:
        for loop in await loops.of_group(tx, group_id):
            counts[loop.state] = counts.get(loop.state, 0) + 1
            lines = await loops.last_lines(tx, loop.id, _LINES)
            rows.append(_row(await view(service, tx, loop), loop.agent_id, [line for _, line in lines]))
    summary = ", ".join(f"{count} {state}" for state, count in sorted(counts.items())) or "none yet"
    at = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(service.clock.now_ms() / 1000))
    head = "".join(f'<th scope="col">{name}</th>' for name in _COLUMNS)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Loops: {escape(group_id)}</title>'
        f'<meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="{_REFRESH_SECONDS}">'
        f"<style>{_STYLE}</style></head><body><h1>Loops of {escape(group_id)}</h1><p>{escape(summary)}, at {at}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        f"<p><small>{escape(_LEGEND)}</small></p></body></html>\n"
    )


def _row(loop: dict[str, Any], agent_id: str, lines: list[str]) -> str:
    reason = (
        "" if loop["reason"] is None else f"<small>{escape(loop['reason'])}: {escape(loop['detail'] or '')}</small>"
    )
    state = f'<span class="state {escape(loop["state"])}">{escape(loop["state"])}</span>{reason}'
    cells = [
        f"<td>{escape(loop['name'])}<small>{escape(loop['loop_id'])}</small></td>",
        f"<td>{escape(agent_id)}</td>",
        f"<td>{state}</td>",
        f"<td>{escape(loop['waits_for'] or '')}</td>",
    ]
    numbers = (
        _memory(loop["memory_bytes"], loop["memory_kind"]), loop["pending_events"], loop["wakes_left"],
        loop["incarnation"], loop["input_tokens"], loop["cost_usd"],
    )  # fmt: skip
    cells += [f'<td class="n">{number}</td>' for number in numbers]
    cells.append("<td>" + "".join(f"<code>{escape(line)}</code>" for line in lines) + "</td>")
    return f"<tr>{''.join(cells)}</tr>"


def _memory(size: int, kind: str) -> str:
    if kind == MemoryKind.NONE:
        return ""
    return f"{size / 1024:.{0 if size >= 10 * 1024 else 1}f} KiB<small>{escape(kind)}</small>"
