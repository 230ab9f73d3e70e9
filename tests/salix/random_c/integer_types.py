"""The integer types, and the types of C's operations on them (C11 6.3.1): what guards against overflow have to know.

Written from the standard for the generator alone. Should a rule be wrong here, a guard is of the wrong width, and the
host's compiler traps.
"""

from __future__ import annotations

from typing import NamedTuple


class CType(NamedTuple):
    """An integer type. `rank` orders types of the same width."""

    name: str
    bits: int
    signed: bool
    rank: int

    @property
    def lowest(self) -> int:
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def highest(self) -> int:
        return (1 << (self.bits - self.signed)) - 1


BOOL = CType("_Bool", 1, False, 0)
CHAR = CType("char", 8, True, 1)
SIGNED_CHAR = CType("signed char", 8, True, 1)
UNSIGNED_CHAR = CType("unsigned char", 8, False, 1)
SHORT = CType("short", 16, True, 2)
UNSIGNED_SHORT = CType("unsigned short", 16, False, 2)
INT = CType("int", 32, True, 3)
UNSIGNED = CType("unsigned", 32, False, 3)
LONG = CType("long", 64, True, 4)
UNSIGNED_LONG = CType("unsigned long", 64, False, 4)
LONG_LONG = CType("long long", 64, True, 5)
UNSIGNED_LONG_LONG = CType("unsigned long long", 64, False, 5)

TYPES = (
    BOOL, CHAR, SIGNED_CHAR, UNSIGNED_CHAR, SHORT, UNSIGNED_SHORT, INT, UNSIGNED, LONG, UNSIGNED_LONG,
    LONG_LONG, UNSIGNED_LONG_LONG,
)  # fmt: skip
_UNSIGNED_OF = {3: UNSIGNED, 4: UNSIGNED_LONG, 5: UNSIGNED_LONG_LONG}


def promoted(given: CType) -> CType:
    """C11 6.3.1.1: int holds all values of the smaller types."""
    return INT if given.rank < INT.rank else given


def common(left: CType, right: CType) -> CType:
    """C11 6.3.1.8, for our widths: a signed type holds the values of an unsigned one only if it is wider."""
    left, right = promoted(left), promoted(right)
    if left.signed == right.signed:
        return max(left, right, key=lambda each: each.rank)
    signed, unsigned = (left, right) if left.signed else (right, left)
    if unsigned.rank >= signed.rank:
        return unsigned
    return signed if signed.bits > unsigned.bits else unsigned_of(signed)


def unsigned_of(given: CType) -> CType:
    """The unsigned type of a promoted one's rank."""
    return _UNSIGNED_OF[given.rank]


def constant(value: int, given: CType) -> str:
    """A constant expression of the value; of type `given` if that is a promoted one."""
    suffix = {UNSIGNED: "u", LONG: "l", UNSIGNED_LONG: "ul", LONG_LONG: "ll", UNSIGNED_LONG_LONG: "ull"}.get(given, "")
    if value < 0:
        return f"(-{-value - 1}{suffix} - 1)" if value == given.lowest and given.bits >= 32 else f"(-{-value}{suffix})"
    return f"{value}{suffix}"
