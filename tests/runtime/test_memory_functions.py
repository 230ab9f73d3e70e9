"""memcpy, memmove, memset, memcmp and strlen do what C says, and touch no byte outside their ranges.

Ranges lie at the very start or the very end of the guest's calldata, so that one byte too far faults.
"""

from __future__ import annotations

import random
import struct
from functools import cache

import pytest

from differential.hostile.elf_writer import CALL_32, EXIT, A, Rel, Sec, Sym, X, call, code, write
from tests.objects import Loaded, faulted, load, value

HEADER = 24  # bytes: three numbers that the program reads from where r1 points
LENGTHS = (*range(0, 42), 63, 64, 65, 71, 100)


@cache
def calling(function: str, calldata_size: int) -> Loaded:
    """A program that calls `function` with r1 + first, r1 + second (memset: second), third, as numbers in calldata."""
    second = (0xBF, 2, 4, 0, 0) if function == "memset" else (0x0F, 2, 4, 0, 0)
    text = code(
        (0x79, 3, 1, 16, 0),  # ldxdw r3, [r1+16]
        (0x79, 4, 1, 8, 0),
        (0x79, 5, 1, 0, 0),
        (0xBF, 2, 1, 0, 0),  # mov r2, r1
        second,
        (0x0F, 1, 5, 0, 0),  # add r1, r5
        call(),
        EXIT,
    )
    calls = {".text": [Rel(6 * 8, CALL_32, function)]}
    return load(write([Sec(".text", A | X, text)], [Sym(function)], calls), ".text", calldata_size)


def area_of(size: int, seed: int = 0) -> bytes:
    return random.Random(seed).randbytes(size)


def call_on(function: str, area: bytes, first: int, second: int, third: int, header_first: bool) -> tuple[int, bytes]:
    """(r0, the area afterwards). `first` and `second` are offsets in the area; r0 becomes one if it is a pointer."""
    loaded = calling(function, len(area) + HEADER)
    base = HEADER if header_first else -len(area)  # of the area, from r1
    other = second if function == "memset" else base + second
    numbers = struct.pack("<qqq", base + first, other, third)
    mem, at = (numbers + area, 0) if header_first else (area + numbers, len(area))
    event, after = loaded.run(mem, at)
    low = loaded.layout.calldata.low + (HEADER if header_first else 0)
    result = value(event)
    pointer = function in ("memcpy", "memmove", "memset")
    return (result - low if pointer else result), (after[HEADER:] if header_first else after[: len(area)])


@pytest.mark.parametrize("header_first", [True, False])
@pytest.mark.parametrize("function", ["memcpy", "memmove"])
def test_copies_ranges_that_do_not_overlap(function: str, header_first: bool) -> None:
    for length in LENGTHS:
        area = area_of(2 * length, length)
        for to, source in ((0, length), (length, 0)):
            expected = bytearray(area)
            expected[to : to + length] = area[source : source + length]
            assert call_on(function, area, to, source, length, header_first) == (to, bytes(expected))


@pytest.mark.parametrize("length", [1, 7, 8, 9, 15, 16, 31, 32, 33, 40, 70])
def test_memmove_copies_ranges_that_overlap_in_any_way(length: int) -> None:
    for distance in range(0, min(length, 36) + 1):
        area = area_of(length + distance, distance)
        for to, source in ((0, distance), (distance, 0)):
            expected = bytearray(area)
            expected[to : to + length] = area[source : source + length]
            assert call_on("memmove", area, to, source, length, True) == (to, bytes(expected))
            assert call_on("memmove", area, to, source, length, False) == (to, bytes(expected))


@pytest.mark.parametrize("header_first", [True, False])
def test_memset_fills_with_the_low_byte(header_first: bool) -> None:
    for length in LENGTHS:
        for byte in (0, 0x5A, 0xFF, 0x1234):
            area = area_of(length + 4, length)
            start = 4 if header_first else 0  # the range touches the end of the calldata, or its start
            expected = area[:start] + bytes([byte & 0xFF]) * length + area[start + length :]
            assert call_on("memset", area, start, byte, length, header_first) == (start, expected)


@pytest.mark.parametrize("header_first", [True, False])
def test_memcmp_orders_by_the_first_byte_that_differs(header_first: bool) -> None:
    for length in LENGTHS:
        one = area_of(length, length)
        assert call_on("memcmp", one + one, 0, length, length, header_first)[0] & 0xFFFFFFFF == 0
        for position in range(length):
            other = bytearray(one)
            other[position] ^= 0x80
            for later in range(position + 1, length):
                other[later] ^= 0xFF  # what comes later does not matter
            answer, _ = call_on("memcmp", one + bytes(other), 0, length, length, header_first)
            negative = answer >> 31 & 1  # an int: 32 bits
            assert answer & 0xFFFFFFFF and negative == (one < bytes(other))


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 100])
def test_strlen_reads_up_to_the_nul_and_no_further(length: int) -> None:
    assert call_on("strlen", b"x" * length + b"\0", 0, 0, 0, True)[0] == length
    assert call_on("strlen", b"x" * length + b"\0y\0", 0, 0, 0, True)[0] == length
    mem = struct.pack("<qqq", HEADER, 0, 0) + b"x" * length  # no NUL before the end
    assert faulted(calling("strlen", len(mem)).run(mem)[0])


@pytest.mark.parametrize("function", ["memcpy", "memmove", "memset", "memcmp"])
@pytest.mark.parametrize("length", [*range(1, 35), 2**63, 2**64 - 1, 2**64 - 8])
def test_a_range_that_is_one_byte_too_long_faults(function: str, length: int) -> None:
    room = min(length, 40) - 1
    mem = struct.pack("<qqQ", HEADER, 0 if function == "memset" else HEADER, length) + bytes(room)
    assert faulted(calling(function, len(mem)).run(mem)[0])
