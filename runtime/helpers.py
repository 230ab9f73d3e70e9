"""Host functions that guests may call: `function(memory, a, b, c, d, e) -> int`, or a coroutine function of that form.

The five arguments are unsigned 64-bit numbers. The result is taken modulo 2^64, so -1 is all ones. Guests call a
helper by number, or by name if they come from an object file; a name's number is derived from the name alone, so
that the same code gets the same bytes whatever else the host offers.
"""

from __future__ import annotations

import zlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from runtime.memory import GuestMemory

HelperFunction = Callable[[GuestMemory, int, int, int, int, int], int | Awaitable[int]]

_NAMED = 0x4000_0000  # numbers of named helpers have this bit


@dataclass(frozen=True, slots=True)
class Helper:
    """One host function, as guests know it."""

    number: int
    name: str
    function: HelperFunction


class Helpers:
    """A table of helpers. Raises ValueError for a number outside 0 .. 2^30 - 1 and for names that share a number."""

    def __init__(self, functions: Mapping[int | str, HelperFunction]) -> None:
        self.by_number: dict[int, Helper] = {}
        self.by_name: dict[str, int] = {}
        for key, function in functions.items():
            if isinstance(key, str):
                number = _NAMED | zlib.crc32(key.encode()) % _NAMED
                helper = Helper(number, key, function)
                self.by_name[key] = number
            else:
                if not 0 <= key < _NAMED:
                    raise ValueError(f"helper number {key}: numbers go from 0 to {_NAMED - 1}")
                helper = Helper(key, f"helper {key}", function)
            other = self.by_number.get(helper.number)
            if other is not None:
                raise ValueError(f"helpers {other.name!r} and {helper.name!r} share a number: rename one")
            self.by_number[helper.number] = helper
        self.numbers = frozenset(self.by_number)


class HelperMisuse(TypeError):
    """A helper returned something that is no 64-bit number: an error of the host, named so that it can be found."""

    def __init__(self, helper: Helper, result: object) -> None:
        self.helper, self.result = helper, result
        super().__init__(f"helper {helper.name!r} returned {type(result).__name__}, it must return an int")
