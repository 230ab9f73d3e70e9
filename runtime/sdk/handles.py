"""The handles of one object: positive numbers that stand for JSON values and bytes, at most 128 at a time.

A number is never used twice in a process, not even by different objects, so a handle that was dropped, or remembered
from an earlier life, is refused and never means something else. Numbers go up, which makes a mark nothing but a number:
releasing it drops what has a higher one. Entries are replaced in place and never inserted in the middle, so the table
is in the order of its numbers.
"""

from __future__ import annotations

from itertools import count

from runtime.sdk.codes import INVALID, LIMIT, MAX_HANDLES
from runtime.sdk.values import Value

_numbers = count(1)  # of handles and marks, of all objects


class Handles:
    """`entries` maps a live handle to its JSON value, or to `bytes`, which no JSON value is.

    It is public for reading and for replacing the value of a handle. No entry is ever changed in itself, except an
    `Array` or `Object` that is not frozen, which only one entry refers to.
    """

    __slots__ = ("entries",)

    def __init__(self) -> None:
        self.entries: dict[int, Value | bytes] = {}

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def full(self) -> bool:
        """Whether the next `add` fails: to be asked before something is done whose result needs a handle."""
        return len(self.entries) >= MAX_HANDLES

    def add(self, value: Value | bytes) -> int:
        """A new handle for a JSON value within the limits, or for bytes; LIMIT if there are 128."""
        entries = self.entries
        if len(entries) >= MAX_HANDLES:
            return LIMIT
        number = next(_numbers)
        entries[number] = value
        return number

    def drop(self, handle: int) -> int:
        """0, or INVALID if it is none of this object's live handles."""
        if handle not in self.entries:
            return INVALID
        del self.entries[handle]
        return 0

    def mark(self) -> int:
        """A number for `release`. It is no handle, takes no room, and may be released as often as one likes."""
        return next(_numbers)

    def release(self, mark: int) -> int:
        """How many handles were dropped: all that were made since `mark`. INVALID for a number that is no mark."""
        if not 0 < mark < 1 << 63:
            return INVALID
        entries, before = self.entries, len(self.entries)
        while entries and next(reversed(entries)) > mark:
            entries.popitem()
        return before - len(entries)
