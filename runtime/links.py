"""Linked objects: what was linked once is not linked again for objects that differ from it in their initial data alone.

Many objects are one program, with the same or other data. Linking one takes 110 us, most of what it takes to load it.

Why the result is what `link` gives: `validator.reach` claims each byte that is read for one purpose, and refuses a file
in which two claims share bytes. The bytes of a section of writable data are claimed as its contents, and nothing looks
at those of a section without relocations: they are copied to the program's initial data. So a file that agrees with
one that was linked in all other bytes, and in its length, is linked alike. This is looked at where it is simplest: the
object has one such section, and it is all of the initial data.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from runtime.helpers import Helpers
from validator.elf import read_object
from validator.link import Limits, Linked
from validator.reach import Role, reach

_KEPT = 32
_LARGEST_BYTES = 64 << 10  # of a file that is kept


class _Known(NamedTuple):
    """An object that was linked: its file without [low, high), where its initial data lie."""

    size: int
    low: int
    high: int
    head: bytes
    tail: bytes
    helpers: Helpers
    limits: Limits
    linked: Linked


class Links:
    """The latest objects. `get` may be called by any thread."""

    def __init__(self) -> None:
        self._known: deque[_Known] = deque(maxlen=_KEPT)

    def get(self, elf: bytes, helpers: Helpers, limits: Limits, link: Callable[[], Linked]) -> Linked:
        """What `link()` returns, which links `elf` against `helpers` within `limits`. Raises what it raises."""
        size = len(elf)
        for known in tuple(self._known):
            if (
                known.size == size
                and known.helpers is helpers
                and elf.startswith(known.head)
                and elf.endswith(known.tail)
                and known.limits == limits
            ):
                return replace(known.linked, writable=elf[known.low : known.high])
        linked = link()
        if size <= _LARGEST_BYTES:
            data = _initial_data(elf, linked)
            if data is not None:
                low, high = data
                self._known.appendleft(_Known(size, low, high, elf[:low], elf[high:], helpers, limits, linked))
        return linked


def _initial_data(elf: bytes, linked: Linked) -> tuple[int, int] | None:
    """Where the file has all of the initial data, as they are; (0, 0) if there are none."""
    writable = [(index, each) for index, each in reach(elf).sections.items() if each.role is Role.WRITABLE]
    if not writable:
        return 0, 0
    (index, section), *more = writable
    if more or section.references or section.content != linked.writable:
        return None
    low = read_object(elf).sections[index].offset
    return low, low + section.size
