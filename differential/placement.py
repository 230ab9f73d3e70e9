"""Where code and memory of a campaign lie: the same addresses in every engine, and in every run that gets its wish.

    arena   function table | trampolines, exit stubs | harness | cells: the code of one snippet each
    cage    context | harness data | nothing | scratch page | nothing

A cell belongs to an index of the campaign, so that a snippet that is replayed alone sees the addresses it saw among
others. The addresses are wishes: were the kernel to place the arena or the cage elsewhere, all engines would follow,
and only the numbers in registers would be those of another run.
"""

from __future__ import annotations

from dataclasses import dataclass

from differential.snippet import PAGE, TABLE_SLOTS
from jit.context import Exit
from runtime.arena import TABLE_BYTES, TABLE_SLOT

CELLS = 256  # snippets of one chunk
CELL_BYTES = 1024
ARENA_BYTES = 64 << 20

_ARENA_WISH = 0x1000_0000_0000
_CAGE_WISH = 0x0A11_8000_0000  # the low half of an address is a negative number

START_SLOT, END_SLOT, FIRST_SLOT = 0, 1, 2  # of the function table
SLOTS = FIRST_SLOT + CELLS * TABLE_SLOTS


@dataclass(frozen=True, slots=True)
class Placement:
    """Native addresses."""

    arena: int = _ARENA_WISH
    cage: int = _CAGE_WISH  # of the reservation, whose first page is the context

    @property
    def base(self) -> int:
        """Guest address 0, what rbp holds between trampoline and harness."""
        return self.cage + PAGE

    @property
    def scratch(self) -> int:
        """The page that snippets use."""
        return self.base + 2 * PAGE

    @property
    def harness(self) -> int:
        """The code that loads and saves the processor's state."""
        return self.arena + TABLE_BYTES + PAGE

    @property
    def cells(self) -> int:
        """The code of the snippet with index 0; also that of index CELLS, and so on."""
        return self.harness + PAGE

    @property
    def end(self) -> int:
        """Where a snippet goes when it is over."""
        return self.harness

    def slot(self, number: int) -> int:
        """The address of a function table slot."""
        return self.arena + number * TABLE_SLOT

    def cell(self, index: int) -> int:
        """Where the snippet with this index begins."""
        return self.cells + index % CELLS * CELL_BYTES

    def slots_of(self, index: int) -> range:
        """The numbers of the function table slots of the snippet with this index."""
        first = FIRST_SLOT + index % CELLS * TABLE_SLOTS
        return range(first, first + TABLE_SLOTS)


CAGE_BYTES = 5 * PAGE
NO_STUBS: dict[Exit, int] = {}  # snippets leave through the function table only
