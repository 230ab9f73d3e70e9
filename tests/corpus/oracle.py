"""What RFC 9669 says the results are, in unbounded integers, fractions and `struct`; never in masks and shifts.

Written independently of `simulator`, in another style on purpose.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable
from ctypes import c_int8, c_int16, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64
from fractions import Fraction

_SIGNED = {8: c_int8, 16: c_int16, 32: c_int32, 64: c_int64}
_UNSIGNED = {8: c_uint8, 16: c_uint16, 32: c_uint32, 64: c_uint64}


def signed(bits: int, value: int) -> int:
    return int(_SIGNED[bits](value).value)


def unsigned(bits: int, value: int) -> int:
    return int(_UNSIGNED[bits](value).value)


def alu(name: str, bits: int, dst: int, operand: int) -> int:
    """dst after `dst = dst op operand`, as an unsigned 64-bit number (section 4.1)."""
    u, v = unsigned(bits, dst), unsigned(bits, operand)
    s, t = signed(bits, dst), signed(bits, operand)
    count = v % bits
    match name:
        case "add":
            exact = s + t
        case "sub":
            exact = s - t
        case "mul":
            exact = s * t
        case "div":
            exact = 0 if v == 0 else math.floor(Fraction(u, v))
        case "sdiv":
            exact = 0 if t == 0 else math.trunc(Fraction(s, t))
        case "mod":
            exact = u if v == 0 else u - v * math.floor(Fraction(u, v))
        case "smod":
            exact = s if t == 0 else s - t * math.trunc(Fraction(s, t))
        case "and":
            exact = _bitwise(bits, u, v, lambda a, b: a == b == "1")
        case "or":
            exact = _bitwise(bits, u, v, lambda a, b: "1" in (a, b))
        case "xor":
            exact = _bitwise(bits, u, v, operator.ne)
        case "lsh":
            exact = u * 2**count
        case "rsh":
            exact = math.floor(Fraction(u, 2**count))
        case "arsh":
            exact = math.floor(Fraction(s, 2**count))
        case "mov":
            exact = t
        case _:
            raise ValueError(name)
    return unsigned(bits, exact)


def _bitwise(bits: int, u: int, v: int, rule: Callable[[str, str], bool]) -> int:
    columns = zip(f"{u:0{bits}b}", f"{v:0{bits}b}", strict=True)
    return int("".join("1" if rule(a, b) else "0" for a, b in columns), 2)


def neg(bits: int, dst: int) -> int:
    return unsigned(bits, -signed(bits, dst))


def movsx(from_bits: int, to_bits: int, src: int) -> int:
    return unsigned(to_bits, signed(from_bits, src))


def byte_order(name: str, bits: int, dst: int) -> int:
    """Section 4.2, for a little-endian machine: `le` only truncates, `be` and `bswap` swap as well."""
    low = struct.pack("<Q", dst)[: bits // 8]
    return int.from_bytes(low, "little" if name == "le" else "big")


_COMPARISONS: dict[str, tuple[bool, Callable[[int, int], bool]]] = {
    # signed?, relation (section 4.3)
    "jeq": (False, operator.eq),
    "jne": (False, operator.ne),
    "jgt": (False, operator.gt),
    "jge": (False, operator.ge),
    "jlt": (False, operator.lt),
    "jle": (False, operator.le),
    "jsgt": (True, operator.gt),
    "jsge": (True, operator.ge),
    "jslt": (True, operator.lt),
    "jsle": (True, operator.le),
}


def taken(name: str, bits: int, dst: int, operand: int) -> bool:
    if name == "jset":
        return alu("and", bits, dst, operand) != 0
    is_signed, relation = _COMPARISONS[name]
    read = signed if is_signed else unsigned
    return relation(read(bits, dst), read(bits, operand))


def loaded(held: bytes, is_signed: bool) -> int:
    """The register after a load of these bytes (sections 5.1, 5.2)."""
    code = {1: "B", 2: "H", 4: "I", 8: "Q"}[len(held)]
    (value,) = struct.unpack("<" + (code.lower() if is_signed else code), held)
    return unsigned(64, value)


def stored(size: int, value: int) -> bytes:
    """The bytes in memory after a store of this register (section 5.1)."""
    return struct.pack("<Q", value % 2**64)[:size]


def atomic(name: str, held: bytes, src: int, r0: int) -> tuple[bytes, int, int]:
    """The bytes, src and r0 after an atomic operation on `held` (section 5.3)."""
    size = len(held)
    old = loaded(held, is_signed=False)
    if name == "cmpxchg":
        same = held == stored(size, r0)
        return (stored(size, src) if same else held), src, old
    if name == "xchg":
        return stored(size, src), old, r0
    new = stored(size, alu(name.removeprefix("fetch_"), 8 * size, old, src))
    return new, (old if name.startswith("fetch_") else src), r0
