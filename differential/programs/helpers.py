"""The helpers of random programs. What they do depends on their arguments and the guest's memory alone."""

from __future__ import annotations

import zlib
from typing import Final

from runtime import GuestMemory
from runtime.helpers import HelperFunction

MIX, READ, WRITE = 1, 2, 3
_MASK = (1 << 64) - 1
MOST_BYTES = 32


def mix(memory: GuestMemory, *arguments: int) -> int:
    """Something that depends on every bit of all five arguments; negative half of the time."""
    value = 0
    for argument in arguments:
        value = (value * 0x9E37_79B9_7F4A_7C15 + argument) & _MASK
    return value - (1 << 64) if value & 1 else value


def read(memory: GuestMemory, pointer: int, length: int, *_: int) -> int:
    """A sum over up to MOST_BYTES bytes."""
    return zlib.crc32(memory.read(pointer, length % (MOST_BYTES + 1)))


def write(memory: GuestMemory, pointer: int, length: int, value: int, *_: int) -> int:
    """Writes up to MOST_BYTES bytes of `value`, again and again."""
    size = length % (MOST_BYTES + 1)
    memory.write(pointer, (value.to_bytes(8, "little") * 4)[:size])
    return size


HELPERS: Final[dict[int | str, HelperFunction]] = {MIX: mix, READ: read, WRITE: write}
