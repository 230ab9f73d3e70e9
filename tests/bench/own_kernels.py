"""Inputs and results of the kernels in `kernels/`. Results come from Python and its library, not from the C code.

An image is four little-endian 64-bit numbers (repeats, n, two parameters) and a payload; the C file says which.
"""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

MASK64 = (1 << 64) - 1
GOLDEN = 0x9E37_79B9_7F4A_7C15


@dataclass(frozen=True, slots=True)
class Model:
    """What one kernel reads and returns, by number of repeats."""

    full_repeats: int
    image: Callable[[int], bytearray]
    expected: Callable[[int], int]


def _image(repeats: int, n: int, a: int, b: int, payload: bytes) -> bytearray:
    return bytearray(struct.pack("<4Q", repeats, n, a, b) + payload)


@cache
def _random_bytes(seed: str, size: int) -> bytes:
    return random.Random(seed).randbytes(size)


def _mix(h: int, value: int) -> int:
    rotated = (h << 13 | h >> 51) & MASK64
    return (rotated ^ value) * GOLDEN & MASK64


# ---------------------------------------------------------------- crc: CRC-32 by nibbles, table in the image


CRC_BYTES = 20_000


def _crc_table() -> bytes:
    entries = []
    for value in range(16):
        for _ in range(4):
            value = value >> 1 ^ (0xEDB8_8320 if value & 1 else 0)
        entries.append(value)
    return struct.pack("<16I", *entries)


def _crc_image(repeats: int) -> bytearray:
    return _image(repeats, CRC_BYTES, 0, 0, _crc_table() + _random_bytes("crc", CRC_BYTES))


def _crc_expected(repeats: int) -> int:
    crc = 0
    for _ in range(repeats):
        crc = zlib.crc32(_random_bytes("crc", CRC_BYTES), crc)
    return crc


# ---------------------------------------------------------------- sort: Shell sort of 32-bit numbers


SORT_COUNT = 4_000


def _sort_image(repeats: int) -> bytearray:
    return _image(repeats, SORT_COUNT, 0, 0, _random_bytes("sort", 4 * SORT_COUNT) + bytes(4 * SORT_COUNT))


def _sort_expected(repeats: int) -> int:
    numbers = struct.unpack(f"<{SORT_COUNT}I", _random_bytes("sort", 4 * SORT_COUNT))
    h = 0
    for repeat in range(repeats):
        for i, number in enumerate(sorted(number * (2 * repeat + 1) & 0xFFFF_FFFF for number in numbers)):
            if i % 64 == 0:
                h = _mix(h, number)
    return h


# ---------------------------------------------------------------- search: Horspool, overlapping matches


TEXT_BYTES, PATTERN_BYTES = 50_000, 12


@cache
def _text() -> bytes:
    rng = random.Random("search")
    text = bytearray(rng.choice(b"abcdefgh     ") for _ in range(TEXT_BYTES))
    pattern = text[100 : 100 + PATTERN_BYTES]
    for _ in range(100):
        at = rng.randrange(TEXT_BYTES - PATTERN_BYTES)
        text[at : at + PATTERN_BYTES] = pattern
    return bytes(text)


def _search_image(repeats: int) -> bytearray:
    pattern = _text()[100 : 100 + PATTERN_BYTES]
    return _image(repeats, TEXT_BYTES, PATTERN_BYTES, 0, bytes(1024) + pattern.ljust(32, b"\0") + _text())


def _search_expected(repeats: int) -> int:
    text = _text()
    pattern, places, at = text[100 : 100 + PATTERN_BYTES], [], -1
    while (at := text.find(pattern, at + 1)) >= 0:
        places.append(at)
    h = 0
    for _ in range(repeats):
        for place in places:
            h = _mix(h, place)
    return h


# ---------------------------------------------------------------- filter: second-order sections, Q14 fixed point


SAMPLES = 20_000
SECTIONS = ((1024, 2048, 1024, -22282, 8520), (4096, 0, -4096, -15000, 7000))  # b0 b1 b2 a1 a2


def _filter_image(repeats: int) -> bytearray:
    coefficients = struct.pack("<10i", *(c for section in SECTIONS for c in section))
    return _image(repeats, SAMPLES, 0, 0, coefficients + _random_bytes("filter", 2 * SAMPLES))


def _filter_expected(repeats: int) -> int:
    h = 0
    state: tuple[int, ...] = (0,) * 8
    for _ in range(repeats):
        state, total = _filtered(state)
        h = _mix((h + total) & MASK64, state[6] & MASK64)
    return h


@cache  # the state at the end hardly depends on that at the beginning: two or three distinct ones in all
def _filtered(before: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """The state after all samples, and the sum of the output."""
    state, total = list(before), 0
    for x in struct.unpack(f"<{SAMPLES}h", _random_bytes("filter", 2 * SAMPLES)):
        for s, (b0, b1, b2, a1, a2) in enumerate(SECTIONS):
            x1, x2, y1, y2 = state[4 * s : 4 * s + 4]
            y = (b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2) >> 14
            y = max(-32768, min(32767, y))
            state[4 * s : 4 * s + 4] = x, x1, y, y1
            x = y
        total += x
    return tuple(state), total


# ---------------------------------------------------------------- hash: open addressing, insert and look up


KEYS, TABLE_SLOTS = 3_000, 8_192


def _hash_image(repeats: int) -> bytearray:
    return _image(repeats, KEYS, TABLE_SLOTS - 1, 0, _random_bytes("hash", 8 * KEYS) + bytes(16 * TABLE_SLOTS))


def _hash_expected(repeats: int) -> int:
    keys = [key & 2047 for key in struct.unpack(f"<{KEYS}Q", _random_bytes("hash", 8 * KEYS))]
    added: dict[int, int] = {}  # to the counter of a key, each time that its fold is visited
    for i, key in enumerate(keys):
        added[key] = added.get(key, 0) + i
    h = 0
    for repeat in range(repeats):
        visits = repeat // 4 + 1
        h = _mix(h, added[keys[repeat % KEYS]] * visits)
    return h


MODELS = {
    "crc": Model(420, _crc_image, _crc_expected),
    "filter": Model(330, _filter_image, _filter_expected),
    "hash": Model(5000, _hash_image, _hash_expected),
    "search": Model(1100, _search_image, _search_expected),
    "sort": Model(150, _sort_image, _sort_expected),
}
