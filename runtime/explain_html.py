"""Listings as one web page that needs nothing else: no script, no fonts, no network."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from runtime.explain import INPUT_BYTES, Listing, Machine, Row
from runtime.explain_text import NOT_READ_BACK
from runtime.sources import Sources

_STYLE = """
:root { --paper: #fff; --ink: #1c2024; --faint: #6b7280; --rule: #e3e6ea;
        --ebpf: #1d4ed8; --macro: #0f766e; --x86: #9a3412; --bytes: #6d28d9; --c: #f4f1e8; --bad: #b91c1c; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #15181c; --ink: #e4e7eb; --faint: #8b95a1; --rule: #2a3037;
          --ebpf: #93b4ff; --macro: #6ee0d0; --x86: #fdba8c; --bytes: #c9b5ff; --c: #24221b; --bad: #ff8a8a; } }
body { margin: 2rem auto; padding: 0 1.5rem; max-width: 105rem; background: var(--paper); color: var(--ink);
       font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin-bottom: .2rem } h2 { font-size: 1.05rem; margin: 2.5rem 0 .6rem }
p, li { max-width: 50rem } nav ul { padding-left: 1.2rem }
table { border-collapse: collapse; width: 100%; font: 13px/1.45 ui-monospace, Menlo, Consolas, monospace }
th { position: sticky; top: 0; background: var(--paper); text-align: left; padding: .3rem .9rem .3rem 0;
     border-bottom: 2px solid currentColor }
td { vertical-align: top; padding: .05rem .9rem .05rem 0; }
tbody tr.first td { border-top: 1px solid var(--rule) }
tr.c td { background: var(--c); padding: .25rem .5rem; border-top: 1px solid var(--rule); white-space: pre-wrap }
.pc { color: var(--faint); text-align: right } .ebpf { color: var(--ebpf); font-weight: 600 }
.macro { color: var(--macro) } .x86 { color: var(--x86); white-space: pre } .bytes { color: var(--bytes) }
tr.cold .x86, tr.cold .bytes { opacity: .6 } .where { color: var(--faint) } .bad { color: var(--bad); font-weight: 700 }
"""


def page(title: str, listings: Iterable[Listing], sources: Sources) -> str:
    """The page for these functions."""
    listings = tuple(listings)
    unread = sum(listing.unfaithful for listing in listings)
    reading = f'<span class="bad">{unread} instructions are not read back.</span>' if unread else "All are read back."
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
        '<p>Each <span class="ebpf">eBPF instruction</span>, the <span class="macro">macros</span> that <i>lower</i> '
        'chose and <i>check</i> admitted, the <span class="x86">x86 instructions</span> of their <i>expansion</i>, and '
        'the <span class="bytes">bytes</span> that <i>assemble</i> made. Distances to exit stubs and to the function '
        "table are 0 until the code is placed. Bounds are constants: these are for an input of "
        f"{INPUT_BYTES} bytes. <i>decode</i> reads every instruction back from its bytes. {reading}</p>",
    ]
    if len(listings) > 1:
        links = (f'<li><a href="#pc{x.function.start}">{escape(x.name)}</a></li>' for x in listings)
        parts.append(f"<nav><ul>{''.join(links)}</ul></nav>")
    for listing in listings:
        parts += _function(listing, sources)
    parts.append("</body></html>\n")
    return "\n".join(parts)


def _function(listing: Listing, sources: Sources) -> Iterator[str]:
    yield f'<h2 id="pc{listing.function.start}">{escape(listing.name)}: {listing.code_bytes} bytes</h2>'
    yield "<table><thead><tr><th>pc</th><th>eBPF</th><th>macros</th><th>x86</th><th>bytes</th></tr></thead><tbody>"
    shown = None
    for row in listing.rows:
        if row.line is not None and row.line != shown:
            shown = row.line
            where, text = escape(str(shown)), escape(sources.text(shown))
            yield f'<tr class="c"><td colspan="5"><span class="where">{where}</span>  {text}</td></tr>'
        yield from _row(row)
    yield "</tbody></table>"


def _row(row: Row) -> Iterator[str]:
    head = f'<td class="pc">{row.pc}</td><td class="ebpf" title="{row.slot.hex(" ")}">{escape(row.text)}</td>'
    if not row.steps:
        yield f'<tr class="first">{head}<td></td><td></td><td></td></tr>'
    kind = "first"
    for step in row.steps:
        macro = f'<td class="macro" title="{escape(step.meaning)}">{escape(step.text)}</td>'
        for machine in step.machine:
            yield f'<tr class="{kind}{" cold" if machine.cold else ""}">{head}{macro}{_machine(machine)}</tr>'
            kind, head, macro = "", "<td></td><td></td>", "<td></td>"
    for number, machine in enumerate(row.stubs):
        yield f'<tr class="cold"><td></td><td></td><td>{"" if number else "(stubs)"}</td>{_machine(machine)}</tr>'


def _machine(machine: Machine) -> str:
    code = escape(machine.code.hex(" "))
    if not machine.faithful:
        code = f'<span class="bad">{escape(NOT_READ_BACK)}</span>{code}'
    return f'<td class="x86">{escape(machine.text)}</td><td class="bytes">{code}</td>'
