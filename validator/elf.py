"""A strict reader of ELF64 little-endian relocatable objects for BPF.

Input: the bytes of a file. Output: its section table, its symbols and relocation entries as numbers, and names and
contents on request. Decides: that what is read lies inside the file, has the size and the links that the format asks
for, and that no name runs out of its string table. What nobody asks for is not looked at, so that damage in debug
information does not matter. Trusts nothing. Trusted by `reach` and `link`: an index, an offset or a size that they get
from here through a function has been compared with the file.

Work and memory are linear in the file: claimed sizes are compared with the file before anything is made of them, a
name is at most MAX_NAME_BYTES, and what is read adds up to no more than the file, because sections claim their bytes
and may not share them.

Source: System V gABI chapter 4 (https://www.sco.com/developers/gabi/latest/ch4.intro.html). Not supported, and
refused: more than 65,279 sections, compressed sections.
"""

from __future__ import annotations

import struct
from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import pairwise
from typing import NamedTuple

from validator.errors import ElfError, LimitExceeded

HEADER_BYTES = 64
SECTION_BYTES = 64
SYMBOL_BYTES = 24
RELOCATION_BYTES = 16
MAX_NAME_BYTES = 255

MACHINE_BPF = 247
TYPE_RELOCATABLE = 1

# section types
NULL, PROGBITS, SYMTAB, STRTAB, RELA, NOBITS, REL = 0, 1, 2, 3, 4, 8, 9
CREL = 0x40000014
# section flags
WRITE, ALLOC, EXECINSTR, TLS, COMPRESSED = 0x1, 0x2, 0x4, 0x400, 0x800
# section indices with a meaning of their own
UNDEFINED, RESERVED, ABSOLUTE, COMMON, EXTENDED = 0, 0xFF00, 0xFFF1, 0xFFF2, 0xFFFF
# symbol bindings and types
LOCAL, GLOBAL = 0, 1
FUNCTION = 2

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QII")


class RelocationType(IntEnum):
    """The relocation types that clang emits, by number."""

    NONE = 0
    WIDE_64 = 1  # R_BPF_64_64: the 64-bit immediate of an lddw
    ABS64 = 2  # R_BPF_64_ABS64: eight bytes of data
    ABS32 = 3  # R_BPF_64_ABS32: four bytes of data
    NODYLD32 = 4  # R_BPF_64_NODYLD32: .BTF and .BTF.ext, which nobody loads
    CALL_32 = 10  # R_BPF_64_32: the 32-bit immediate of a call


class Section(NamedTuple):
    """A row of the section table, fields in the file's order. Numbers as the file claims them."""

    name_offset: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_bytes: int


class Symbol(NamedTuple):
    """A row of the symbol table, fields in the file's order. `value` counts bytes from the start of its section."""

    name_offset: int
    info: int
    other: int
    section: int
    value: int
    size: int

    @property
    def binding(self) -> int:
        return self.info >> 4

    @property
    def type(self) -> int:
        return self.info & 15


class Relocation(NamedTuple):
    """An SHT_REL entry. `offset` counts bytes from the start of the section that is relocated."""

    offset: int
    type: int
    symbol: int


class Claim(NamedTuple):
    """The bytes [low, high) of the file belong to `section` (-1: the ELF header; 0: the section table)."""

    low: int
    high: int
    section: int
    total: int  # bytes of this claim and all before it


@dataclass(frozen=True, slots=True)
class ElfObject:
    """An object file. The two string tables end in a NUL or are empty; `symbols` are rows, undecoded: few are used."""

    data: bytes
    sections: tuple[Section, ...]
    section_names: bytes = b""
    symbol_table: int | None = None  # index of the only SHT_SYMTAB section
    symbols: bytes = b""
    symbol_names: bytes = b""


def read_object(data: bytes) -> ElfObject:
    """The tables of the object in `data`. Raises ElfError."""
    table, count, names = _read_header(data)
    sections = tuple(map(Section._make, _SECTION.iter_unpack(data[table : table + count * SECTION_BYTES])))
    nameless = ElfObject(data, sections)
    elf = replace(nameless, section_names=_string_table(nameless, names, "e_shstrndx"))
    for index, section in enumerate(sections):
        if section.name_offset >= len(elf.section_names) and section.type != NULL:
            found = f"sh_name is {section.name_offset:#x}, the name table has {len(elf.section_names):#x} bytes"
            raise ElfError(f"section {index}: {found}", offset=table + index * SECTION_BYTES)
    tables = [index for index, section in enumerate(sections) if section.type == SYMTAB]
    if not tables:
        return elf
    if len(tables) > 1:
        raise ElfError(f"{len(tables)} symbol tables; there may be one", offset=table + tables[1] * SECTION_BYTES)
    return replace(
        elf,
        symbol_table=tables[0],
        symbols=_rows(elf, tables[0], SYMBOL_BYTES),
        symbol_names=_string_table(elf, sections[tables[0]].link, "sh_link of the symbol table"),
    )


def section_name(elf: ElfObject, index: int) -> str:
    """The name of section `index`. Raises ElfError, LimitExceeded."""
    return _name(elf.section_names, elf.sections[index].name_offset, f"the name of section {index}")


def shown_name(elf: ElfObject, index: int) -> str:
    """The name of section `index` for a message, which must not fail for want of one."""
    start = elf.sections[index].name_offset
    end = elf.section_names.find(b"\0", start, start + 64)
    return elf.section_names[start:end].decode(errors="replace") if end > start else f"#{index}"


def symbol(elf: ElfObject, index: int) -> Symbol:
    """Row `index` of the symbol table. Raises ElfError if there is no such row."""
    position = index * SYMBOL_BYTES
    if position >= len(elf.symbols):
        raise ElfError(f"symbol {index}: the object has {len(elf.symbols) // SYMBOL_BYTES} symbols")
    return Symbol._make(_SYMBOL.unpack_from(elf.symbols, position))


def symbol_name(elf: ElfObject, row: Symbol) -> str:
    """The name of a symbol. Raises ElfError, LimitExceeded."""
    return _name(elf.symbol_names, row.name_offset, "the name of a symbol")


def function_symbols(elf: ElfObject, code: Container[int]) -> tuple[Symbol, ...]:
    """The function symbols that are defined in the sections `code`, in the file's order."""
    rows = _SYMBOL.iter_unpack(elf.symbols)
    return tuple(Symbol._make(row) for row in rows if row[1] & 15 == FUNCTION and row[3] in code)


def contents(elf: ElfObject, index: int) -> bytes:
    """The bytes of section `index` in the file. Raises ElfError if they lie outside it or are compressed."""
    low, high = _extent(elf, index)
    if elf.sections[index].flags & COMPRESSED:
        raise malformed(elf, index, "the contents are compressed (SHF_COMPRESSED), which is not supported")
    return elf.data[low:high]


def relocations(elf: ElfObject, index: int) -> tuple[Relocation, ...]:
    """The entries of the SHT_REL section `index`. Raises ElfError if it is malformed or has no symbol table."""
    section = elf.sections[index]
    if elf.symbol_table is None or section.link != elf.symbol_table:
        right = "the object has none" if elf.symbol_table is None else f"that is section {elf.symbol_table}"
        raise malformed(elf, index, f"sh_link is {section.link}, not the symbol table: {right}")
    return tuple(map(Relocation._make, _RELOCATION.iter_unpack(_rows(elf, index, RELOCATION_BYTES))))


def tables_claimed(elf: ElfObject) -> list[Claim]:
    """The bytes that the header and the tables of `elf` occupy. Raises ElfError."""
    table, count, names = _read_header(elf.data)
    claims = [Claim(0, HEADER_BYTES, -1, HEADER_BYTES)]
    claims.append(Claim(table, table + count * SECTION_BYTES, 0, HEADER_BYTES + count * SECTION_BYTES))
    symbol_table = elf.symbol_table
    linked = {names} if symbol_table is None else {names, symbol_table, elf.sections[symbol_table].link}
    for index in sorted(linked):
        claim(claims, elf, index)
    return claims


def claim(claims: list[Claim], elf: ElfObject, index: int) -> None:
    """Add the bytes of section `index`, to be called before they are read. Raises ElfError if it has not got them all.

    Claims that add up to more than the file overlap, and end the reading at once: a thousand relocation sections over
    the same megabyte are never read. Others that overlap are found by `check_claims` when all are there.
    """
    low, high = _extent(elf, index)
    claims.append(Claim(low, high, index, claims[-1].total + high - low))
    if claims[-1].total > len(elf.data):
        check_claims(claims, elf)


def check_claims(claims: Iterable[Claim], elf: ElfObject) -> None:
    """Raise ElfError if two claims share bytes."""
    ordered = sorted(claim for claim in claims if claim.low < claim.high)
    for one, other in pairwise(ordered):
        if one.high > other.low:
            raise ElfError(f"{_owner(one, elf)} and {_owner(other, elf)} share bytes", offset=other.low)


def malformed(elf: ElfObject, index: int, reason: str) -> ElfError:
    return ElfError(reason, section=shown_name(elf, index), offset=elf.sections[index].offset)


def _read_header(data: bytes) -> tuple[int, int, int]:
    """Where the section table begins, how many rows it has, and which section names the others."""
    if len(data) < HEADER_BYTES:
        raise ElfError(f"the file has {len(data)} bytes, an ELF header has {HEADER_BYTES}", offset=0)
    fields = _HEADER.unpack_from(data)
    ident, kind, machine, version, _, _, table, _, header_bytes, _, _, row_bytes, count, names = fields
    for offset, found, right, what in (
        (0, ident[:4], b"\x7fELF", "the magic number"),
        (4, ident[4], 2, "EI_CLASS (2 is 64-bit)"),
        (5, ident[5], 1, "EI_DATA (1 is little-endian)"),
        (6, ident[6], 1, "EI_VERSION"),
        (16, kind, TYPE_RELOCATABLE, "e_type (1 is a relocatable object, as `cc -c` makes)"),
        (18, machine, MACHINE_BPF, "e_machine (247 is BPF)"),
        (20, version, 1, "e_version"),
        (52, header_bytes, HEADER_BYTES, "e_ehsize"),
        (58, row_bytes, SECTION_BYTES, "e_shentsize"),
    ):
        if found != right:
            raise ElfError(f"{what} is {found!r}, not {right!r}", offset=offset)
    if count == 0:
        raise ElfError("e_shnum is 0: no sections, or more than 65,279, which is not supported", offset=60)
    if count * SECTION_BYTES > len(data) - table:
        found = f"{count} rows of {SECTION_BYTES} bytes from {table:#x}"
        raise ElfError(f"the section table ({found}) lies outside the file ({len(data):#x} bytes)", offset=40)
    if not 0 < names < min(count, RESERVED):
        raise ElfError(f"e_shstrndx is {names}, the file has sections 1 to {count - 1}", offset=62)
    return table, count, names


def _extent(elf: ElfObject, index: int) -> tuple[int, int]:
    section = elf.sections[index]
    if section.offset > len(elf.data) or section.size > len(elf.data) - section.offset:
        found = f"{section.size:#x} bytes from file offset {section.offset:#x}"
        raise malformed(elf, index, f"{found}, but the file has {len(elf.data):#x}")
    return section.offset, section.offset + section.size


def _rows(elf: ElfObject, index: int, row_bytes: int) -> bytes:
    section = elf.sections[index]
    if section.entry_bytes != row_bytes or section.size % row_bytes:
        found = f"{section.size} bytes in rows of {section.entry_bytes}"
        raise malformed(elf, index, f"{found}; a row has {row_bytes}")
    return contents(elf, index)


def _string_table(elf: ElfObject, index: int, named_by: str) -> bytes:
    if index >= len(elf.sections) or elf.sections[index].type != STRTAB:
        raise ElfError(f"{named_by} is {index}, which is not a string table")
    strings = contents(elf, index)
    if strings and strings[-1] != 0:
        raise malformed(elf, index, "the string table does not end in a NUL")
    return strings


def _name(table: bytes, start: int, what: str) -> str:
    if start >= len(table):
        if start == 0:  # an empty table holds the empty name
            return ""
        raise ElfError(f"{what}: offset {start:#x} in a string table of {len(table):#x} bytes")
    end = table.find(b"\0", start, start + MAX_NAME_BYTES + 1)
    if end < 0:
        raise LimitExceeded(f"{what}, in bytes", table.index(b"\0", start) - start, MAX_NAME_BYTES)
    try:
        name = table[start:end].decode()
    except UnicodeDecodeError:
        raise ElfError(f"{what} is not UTF-8: {table[start:end]!r}") from None
    if not name.isprintable():
        raise ElfError(f"{what} cannot be printed: {name!r}")
    return name


def _owner(claimed: Claim, elf: ElfObject) -> str:
    if claimed.section <= 0:
        return "the section table" if claimed.section == 0 else "the ELF header"
    return f"section {shown_name(elf, claimed.section)!r}"
