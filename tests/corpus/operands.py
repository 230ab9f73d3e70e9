"""The operands that are swept: edges of both widths, patterns, and all pairs of registers."""

from __future__ import annotations

from itertools import cycle, product

_INTERESTING = (
    *(0, 1, 2, 7, -1, -2, -7),
    *(31, 32, 33, 63, 64),
    *(0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF),
    *(2**31 - 1, 2**31, 2**32 - 1, 2**32, -(2**31), -(2**31) - 1),
    *(2**63 - 1, -(2**63), -(2**63) + 1),
    0x5555_5555_5555_5555,
    0xAAAA_AAAA_AAAA_AAAA,
    0xFFFF_FFFF_0000_0001,  # a high half that a 32-bit operation must not see
    0xDEAD_BEEF_8000_0000,  # the same before INT32_MIN
    0x0123_4567_89AB_CDEF,
)
VALUES = tuple(value % 2**64 for value in _INTERESTING)
_ONE_AT_A_TIME = {7, 31, 33, 0x7F, 0xFF, 0x7FFF, 0xFFFF}  # edges of the narrow widths only: not squared
PAIRED = tuple(value for value in VALUES if value not in _ONE_AT_A_TIME)
IMMEDIATES = (0, 1, 2, -1, -2, 7, -7, 31, 32, 63, 64, 0x80, 0x8000, 2**31 - 1, -(2**31), 0x55555555, -0x55555556)

WRITABLE = range(10)
READABLE = range(11)
ALL_PAIRS = tuple(product(WRITABLE, READABLE))  # dst, src
DISTINCT_PAIRS = tuple((dst, src) for dst, src in product(WRITABLE, WRITABLE) if dst != src)


def value_pairs() -> list[tuple[int, int, int, int]]:
    """(dst, src, value of dst, value of src): every pair of values, on register pairs taken in turn."""
    turns = cycle(DISTINCT_PAIRS)
    return [(*next(turns), a, b) for a, b in product(PAIRED, PAIRED)]


def register_pairs() -> list[tuple[int, int, int, int]]:
    """(dst, src, value of dst, value of src): every pair of registers, with values taken in turn.

    r10 as src keeps its own value, whatever is given here.
    """
    firsts, seconds = cycle(VALUES), cycle(VALUES[5:] + VALUES[:4])  # lengths differ: pairs of values vary
    return [(dst, src, next(firsts), next(seconds)) for dst, src in ALL_PAIRS]
