"""Snippets as bytes at their addresses. The assembler is the one that guests get: template, join, place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from differential.placement import CELL_BYTES, CELLS, END_SLOT, NO_STUBS, Placement
from differential.snippet import Snippet
from jit.assemble import FunctionCode, Template, join, place, template
from jit.encode import encode
from jit.x86 import X86, Callee, JumpTable, Label, LockCmpxchg

_PCS = 16  # eBPF pcs of a cell, so to speak: Callee(k) is the slot for the k-th of them
BREAKPOINT = 0xCC  # INT3: what lies where no code is


@dataclass(frozen=True, slots=True)
class Chunk:
    """Up to CELLS snippets, no two of them for the same cell."""

    snippets: tuple[Snippet, ...]
    placement: Placement
    function: FunctionCode  # all cells
    callees: dict[int, int]  # slot address by pc, as `jit.assemble.place` wants it
    code: bytes  # the same, placed at `placement.cells`
    targets: tuple[tuple[int, ...], ...]  # of each snippet: the native addresses in its function table slots

    def start(self, snippet: Snippet) -> int:
        """The native address of its first instruction."""
        return self.placement.cell(snippet.index)

    def offset(self, snippet: Snippet) -> int:
        """The same as a position in `code`."""
        return snippet.index % CELLS * CELL_BYTES

    def slots(self, number: int) -> dict[int, int]:
        """What the function table slots of snippet `number` hold: native address by number of the slot."""
        slots = self.placement.slots_of(self.snippets[number].index)
        return dict(zip(slots, self.targets[number], strict=False))


def assembled(snippets: Sequence[Snippet], placement: Placement) -> Chunk:
    """The snippets in their cells. KeyError if one names a label that it does not have."""
    parts: list[tuple[int, Template]] = []
    callees: dict[int, int] = {}
    position = 0
    for snippet in sorted(snippets, key=lambda s: s.index % CELLS):
        cell = snippet.index % CELLS
        parts.append((-1 - cell, _nothing(cell * CELL_BYTES - position)))
        body = template((*snippet.instructions, JumpTable(Callee(0))))
        size = len(body[0])
        assert size <= CELL_BYTES, f"snippet {snippet.index} has {size} bytes"
        parts.append((_PCS * cell, body))
        callees[_PCS * cell] = placement.slot(END_SLOT)
        for k, number in enumerate(placement.slots_of(snippet.index)):
            callees[_PCS * cell + 1 + k] = placement.slot(number)
        position = cell * CELL_BYTES + size
    parts.append((-1 - CELLS, _nothing(CELLS * CELL_BYTES - position)))
    function = join(parts)
    code = place(function, placement.cells, NO_STUBS, callees)
    targets = tuple(tuple(placement.cell(s.index) + label_offset(s, label) for label in s.table) for s in snippets)
    return Chunk(tuple(snippets), placement, function, callees, code, targets)


def _nothing(size: int) -> Template:
    return bytes([BREAKPOINT]) * size, (), b"", ()


def label_offset(snippet: Snippet, label: int) -> int:
    """How many bytes of the snippet lie before the label. KeyError if it has none."""
    offset = 0
    for instruction in snippet.instructions:
        if isinstance(instruction, Label) and instruction.number == label:
            return offset
        offset += len(encode(instruction)[0])
    raise KeyError(label)


def narrow_exchanges(snippet: Snippet) -> list[tuple[int, int]]:
    """Where its 32-bit compare-and-exchanges begin and end, in bytes from its start."""
    if not any(_narrow_exchange(instruction) for instruction in snippet.instructions):
        return []
    found, offset = [], 0
    for instruction in snippet.instructions:
        size = len(encode(instruction)[0])
        if _narrow_exchange(instruction):
            found.append((offset, offset + size))
        offset += size
    return found


def _narrow_exchange(instruction: X86) -> bool:
    return isinstance(instruction, LockCmpxchg) and instruction.size == 4
