"""Copies of a well-formed object with parts changed: one function per way of damage, (random, object) -> bytes.

What can be changed is found in the object itself, with the shipped reader: the damage hits fields, not just bytes.
Values are mostly near what means something: zero, the old value, sizes of the file, the ends of 32 and 64 bits.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import NamedTuple

from differential.hostile.elf_writer import HEADER, SECTION_ROW
from validator.elf import (
    EXECINSTR,
    NOBITS,
    REL,
    RELOCATION_BYTES,
    SECTION_BYTES,
    STRTAB,
    SYMBOL_BYTES,
    SYMTAB,
    Section,
    read_object,
    shown_name,
)

MOST_DAMAGES = 3  # of one copy: more, and nothing is ever accepted
_SYMBOL_FIELDS = ((0, 4), (4, 1), (5, 1), (6, 2), (8, 8), (16, 8))  # name, info, other, section, value, size
_RELOCATION_FIELDS = ((0, 8), (8, 4), (12, 4))  # offset, type, symbol
_INSTRUCTION_FIELDS = ((0, 1), (1, 1), (2, 2), (4, 4))  # opcode, registers, offset, imm


class Spot(NamedTuple):
    """A field: `size` bytes from file offset `at`."""

    at: int
    size: int


@dataclass(frozen=True)
class Whole:
    """A well-formed object, and where its fields are."""

    name: str
    data: bytes

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        return read_object(self.data).sections

    @property
    def table(self) -> int:
        """The file offset of the section table."""
        found: int = struct.unpack_from("<Q", self.data, HEADER["e_shoff"][0])[0]
        return found

    @cached_property
    def header(self) -> tuple[Spot, ...]:
        return tuple(Spot(at, struct.calcsize(form)) for at, form in HEADER.values())

    @cached_property
    def rows(self) -> tuple[Spot, ...]:
        starts = range(self.table, self.table + len(self.sections) * SECTION_BYTES, SECTION_BYTES)
        return tuple(Spot(row + at, struct.calcsize(form)) for row in starts for at, form in SECTION_ROW.values())

    @cached_property
    def symbols(self) -> tuple[Spot, ...]:
        return self._fields(lambda section: section.type == SYMTAB, SYMBOL_BYTES, _SYMBOL_FIELDS)

    @cached_property
    def relocations(self) -> tuple[Spot, ...]:
        return self._fields(lambda section: section.type == REL, RELOCATION_BYTES, _RELOCATION_FIELDS)

    @cached_property
    def instructions(self) -> tuple[Spot, ...]:
        return self._fields(lambda section: bool(section.flags & EXECINSTR), 8, _INSTRUCTION_FIELDS)

    @cached_property
    def strings(self) -> tuple[Spot, ...]:
        return self._fields(lambda section: section.type == STRTAB, 1, ((0, 1),))

    @cached_property
    def debug(self) -> tuple[Spot, ...]:
        """Bytes of sections that describe code to people: DWARF and BTF."""
        elf = read_object(self.data)
        names = {section: shown_name(elf, index) for index, section in enumerate(self.sections)}
        return self._fields(lambda section: names[section].startswith((".debug", ".BTF")), 1, ((0, 1),))

    @cached_property
    def everything(self) -> tuple[Spot, ...]:
        return (Spot(0, len(self.data)),)

    def _fields(
        self, wanted: Callable[[Section], bool], row_bytes: int, fields: tuple[tuple[int, int], ...]
    ) -> tuple[Spot, ...]:
        found = []
        for section in self.sections:
            if wanted(section) and section.type != NOBITS:
                for row in range(section.offset, section.offset + section.size - row_bytes + 1, row_bytes):
                    found += [Spot(row + at, size) for at, size in fields]
        return tuple(found)


def value_near(random: Random, old: int, bits: int, length: int) -> int:
    """A number of `bits` bits in place of `old`, in a file of `length` bytes."""
    near = old + random.choice((-64, -24, -16, -8, -1, 1, 8, 16, 24, 64))
    edges = (0, 1, (1 << bits) - 1, 1 << bits - 1, (1 << bits - 1) - 1, 1 << 31, 1 << 32, length, length - 1)
    flipped = old ^ 1 << random.randrange(bits)
    chosen = random.choice((near, near, flipped, random.choice(edges), random.getrandbits(bits)))
    return chosen % (1 << bits)


def _with_field(random: Random, data: bytes, spots: tuple[Spot, ...]) -> bytes:
    at, size = random.choice(spots)
    if at + size > len(data):  # cut off by damage before
        return data
    old = int.from_bytes(data[at : at + size], "little")
    new = value_near(random, old, 8 * size, len(data))
    return data[:at] + new.to_bytes(size, "little") + data[at + size :]


def header_field(random: Random, whole: Whole, data: bytes) -> bytes:
    return _with_field(random, data, whole.header)


def section_field(random: Random, whole: Whole, data: bytes) -> bytes:
    return _with_field(random, data, whole.rows)


def symbol_field(random: Random, whole: Whole, data: bytes) -> bytes:
    return _with_field(random, data, whole.symbols) if whole.symbols else data


def relocation_field(random: Random, whole: Whole, data: bytes) -> bytes:
    return _with_field(random, data, whole.relocations) if whole.relocations else data


def instruction_field(random: Random, whole: Whole, data: bytes) -> bytes:
    return _with_field(random, data, whole.instructions) if whole.instructions else data


def string_byte(random: Random, whole: Whole, data: bytes) -> bytes:
    """Names without an end, not UTF-8, not printable, of other symbols."""
    return _with_field(random, data, whole.strings) if whole.strings else data


def debug_byte(random: Random, whole: Whole, data: bytes) -> bytes:
    """What only messages need: an object stays loadable, and asking for a line must stay cheap."""
    for _ in range(random.randrange(1, 9) if whole.debug else 0):
        data = _with_field(random, data, whole.debug)
    return data


def any_bytes(random: Random, whole: Whole, data: bytes) -> bytes:
    at, size = random.randrange(len(data) or 1), random.choice((1, 2, 4, 8, 64))
    return data[:at] + random.randbytes(min(size, len(data) - at)) + data[at + size :]


def cut(random: Random, whole: Whole, data: bytes) -> bytes:
    """The end is missing; or a piece within, so that everything behind it moves."""
    low = random.randrange(len(data) or 1)
    return data[:low] if random.random() < 0.5 else data[:low] + data[low + random.choice((1, 8, 16, 24, 64)) :]


def grown(random: Random, whole: Whole, data: bytes) -> bytes:
    """More bytes at the end, which nothing claims; or within."""
    more = random.randbytes(random.choice((1, 8, 64, 4096)))
    at = len(data) if random.random() < 0.5 else random.randrange(len(data) or 1)
    return data[:at] + more + data[at:]


def overlapping(random: Random, whole: Whole, data: bytes) -> bytes:
    """A section's bytes are another's, or the tables', wholly or in part."""
    rows = range(len(whole.sections))
    one, other = random.choice(rows), random.choice(rows)
    target = random.choice((whole.sections[other].offset, whole.table, 0)) + random.choice((0, 0, 8, -8, 1))
    return _patched(data, whole.table + one * SECTION_BYTES + SECTION_ROW["sh_offset"][0], target)


def exchanged(random: Random, whole: Whole, data: bytes) -> bytes:
    """Two rows of the section table change places, so that every index to them is wrong."""
    one, other = sorted(random.choice(range(len(whole.sections))) * SECTION_BYTES + whole.table for _ in "12")
    if other + SECTION_BYTES > len(data) or one == other:
        return data
    first, second = data[one : one + SECTION_BYTES], data[other : other + SECTION_BYTES]
    return data[:one] + second + data[one + SECTION_BYTES : other] + first + data[other + SECTION_BYTES :]


def duplicated(random: Random, whole: Whole, data: bytes) -> bytes:
    """A longer section table, at the end of the file: rows of it again, up to a thousand times."""
    size = len(whole.sections) * SECTION_BYTES
    rows = data[whole.table : whole.table + size]
    if len(rows) < size:
        return data
    again = random.choice(range(len(whole.sections))) * SECTION_BYTES
    times = random.choice((1, 1, 2, 1000))
    longer = bytearray(data + bytes(-len(data) % 8) + rows + rows[again : again + SECTION_BYTES] * times)
    struct.pack_into("<Q", longer, HEADER["e_shoff"][0], len(longer) - size - times * SECTION_BYTES)
    struct.pack_into("<H", longer, HEADER["e_shnum"][0], len(whole.sections) + times)
    return bytes(longer)


def _patched(data: bytes, at: int, number: int) -> bytes:
    return data[:at] + (number % 2**64).to_bytes(8, "little") + data[at + 8 :] if at + 8 <= len(data) else data


Damage = Callable[[Random, Whole, bytes], bytes]
DAMAGES: tuple[Damage, ...] = (
    header_field,
    section_field,
    symbol_field,
    relocation_field,
    instruction_field,
    string_byte,
    debug_byte,
    any_bytes,
    cut,
    grown,
    overlapping,
    exchanged,
    duplicated,
)


def damaged(random: Random, whole: Whole) -> tuple[str, bytes]:
    """A copy of `whole` with one to three damages, and the name of the first."""
    first = random.choice(DAMAGES)
    data = first(random, whole, whole.data)
    for _ in range(random.choice((0, 0, 1, MOST_DAMAGES - 1))):
        data = random.choice(DAMAGES)(random, whole, data)
    return first.__name__.replace("_", " "), data
