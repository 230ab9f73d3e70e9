"""Listings for the terminal: one line per x86 instruction, the passes from left to right, C lines in between."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from runtime.explain import Listing, Machine, Row
from runtime.sources import Sources

NOT_READ_BACK = "decode!= "  # before bytes in which `jit.decode` does not find the instruction beside them
NARROW = 120  # columns; below, macros stand under their eBPF instruction instead of beside it
_GAP = 2
_LEAST = 12  # columns for a column


class Line(NamedTuple):
    """One line of the table; empty cells repeat what is above."""

    pc: str
    ebpf: str
    macro: str
    x86: str
    code: str
    faithful: bool = True
    cold: bool = False


def render(listing: Listing, sources: Sources, width: int) -> RenderableType:
    """One function in `width` columns."""
    narrow = width < NARROW
    lines = [tuple(_narrow(_lines(row)) if narrow else _lines(row)) for row in listing.rows]
    widths = _widths([line for group in lines for line in group], width, narrow)
    parts: list[RenderableType] = [Text(f"{listing.name}: {listing.code_bytes} bytes", style="bold")]
    table, shown = _table(widths, narrow, header=True), None
    for row, group in zip(listing.rows, lines, strict=True):
        if row.line is not None and row.line != shown:
            shown = row.line
            parts += [table, Text(f"{shown}  {sources.text(shown)}".rstrip(), style="magenta")]
            table = _table(widths, narrow, header=False)
        for line in group:
            _add(table, line, narrow)
    return Group(*parts, table)


def _lines(row: Row) -> Iterator[Line]:
    made = [(step.text, step.machine) for step in row.steps]
    if row.stubs:
        made.append(("(stubs)", row.stubs))
    pc, ebpf = str(row.pc), row.text
    if not made:
        yield Line(pc, ebpf, "", "", "")
    for macro, machine in made:
        for instruction in machine:
            yield Line(pc, ebpf, macro, instruction.text, _bytes(instruction), instruction.faithful, instruction.cold)
            pc, ebpf, macro = "", "", ""


def _bytes(machine: Machine) -> str:
    return machine.code.hex(" ") if machine.faithful else NOT_READ_BACK + machine.code.hex(" ")


def _narrow(lines: Iterator[Line]) -> Iterator[Line]:
    """Macros two columns further in, in the column of the eBPF instruction that they follow."""
    for line in lines:
        if line.pc:
            yield line._replace(macro="", x86="", code="", faithful=True)
        if line.x86:
            yield line._replace(pc="", ebpf=f"  {line.macro}" if line.macro else "")


_COLUMNS = (("pc", "dim"), ("eBPF", "bold"), ("macros", "cyan"), ("x86", "green"), ("bytes", "yellow"))


def _widths(lines: list[Line], width: int, narrow: bool) -> list[int]:
    """The columns' widths: what they need, the widest made narrower until all fit."""
    columns = zip(*(line[: len(_COLUMNS)] for line in lines), strict=True)
    widths = [
        max(len(str(cell)) for cell in (name, *cells)) for (name, _), cells in zip(_COLUMNS, columns, strict=True)
    ]
    if narrow:
        widths[2] = 0
    while sum(widths) + _GAP * len(widths) > width and max(widths) > _LEAST:
        widths[widths.index(max(widths))] -= 1
    return widths


def _table(widths: list[int], narrow: bool, *, header: bool) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), show_header=header)
    for (name, style), width in zip(_COLUMNS, widths, strict=True):
        if name != "macros" or not narrow:
            shown = "eBPF, macros" if name == "eBPF" and narrow else name
            table.add_column(
                shown, style=style, width=width, overflow="fold", justify="right" if name == "pc" else "left"
            )
    return table


def _add(table: Table, line: Line, narrow: bool) -> None:
    cells = [Text(line.pc), Text(line.ebpf), Text(line.macro), Text(line.x86)]
    if narrow:
        del cells[2]
        cells[1] = Text(line.ebpf, style="not bold cyan" if line.ebpf.startswith("  ") else "")
    table.add_row(*cells, Text(line.code, style="" if line.faithful else "bold red"), style="dim" if line.cold else "")
