"""Writes small ELF64 objects for BPF, well-formed ones and, by changing fields afterwards, malformed ones.

Written from the gABI, without the reader's constants: a number that both got wrong would go unnoticed.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

NULL, PROGBITS, SYMTAB, STRTAB, RELA, NOBITS, REL = 0, 1, 2, 3, 4, 8, 9
W, A, X = 1, 2, 4
NOTYPE, OBJECT, FUNC, SECTION = 0, 1, 2, 3
LOCAL, GLOBAL, WEAK = 0, 1, 2
UNDEF, ABS, COMMON = 0, 0xFFF1, 0xFFF2

WIDE_64, ABS64, ABS32, NODYLD32, CALL_32 = 1, 2, 3, 4, 10

HEADER = {
    # field: (offset in the header, format)
    "ei_class": (4, "B"),
    "ei_data": (5, "B"),
    "ei_version": (6, "B"),
    "e_type": (16, "<H"),
    "e_machine": (18, "<H"),
    "e_version": (20, "<I"),
    "e_shoff": (40, "<Q"),
    "e_ehsize": (52, "<H"),
    "e_shentsize": (58, "<H"),
    "e_shnum": (60, "<H"),
    "e_shstrndx": (62, "<H"),
}
SECTION_ROW = {
    "sh_name": (0, "<I"),
    "sh_type": (4, "<I"),
    "sh_flags": (8, "<Q"),
    "sh_offset": (24, "<Q"),
    "sh_size": (32, "<Q"),
    "sh_link": (40, "<I"),
    "sh_info": (44, "<I"),
    "sh_addralign": (48, "<Q"),
    "sh_entsize": (56, "<Q"),
}


@dataclass(frozen=True)
class Sec:
    """A section; `content` as an int is the size of a section without bytes in the file."""

    name: str
    flags: int = 0
    content: bytes | int = b""
    type: int = PROGBITS
    alignment: int = 8
    link: int = 0
    info: int = 0
    row_bytes: int = 0


@dataclass(frozen=True)
class Sym:
    """A symbol; `section` is a name, or a number for a reserved index."""

    name: str
    section: str | int = UNDEF
    value: int = 0
    type: int = FUNC
    binding: int = GLOBAL
    size: int = 0


@dataclass(frozen=True)
class Rel:
    """A relocation at `offset` of a section against the symbol with this name."""

    offset: int
    type: int
    symbol: str


def code(*slots: tuple[int, int, int, int, int]) -> bytes:
    """Instructions from (opcode, dst, src, offset, imm)."""
    return b"".join(struct.pack("<BBhi", o, src << 4 | dst, offset, imm) for o, dst, src, offset, imm in slots)


EXIT = (0x95, 0, 0, 0, 0)
SECOND = (0, 0, 0, 0, 0)


def lddw(register: int = 1, addend: int = 0) -> tuple[tuple[int, int, int, int, int], ...]:
    return ((0x18, register, 0, 0, addend), SECOND)


def call(imm: int = -1, source: int = 1) -> tuple[int, int, int, int, int]:
    return (0x85, 0, source, 0, imm)


def write(
    sections: Sequence[Sec],
    symbols: Sequence[Sym] = (),
    relocations: Mapping[str, Sequence[Rel]] | None = None,
) -> bytes:
    """An object with these sections, then .rel* sections, .symtab, .strtab and .shstrtab, then the section table.

    Every section has a local symbol of type SECTION under its own name, as clang makes them, after symbol 0.
    """
    relocations = relocations or {}
    symbols = [Sym(s.name, s.name, 0, SECTION, LOCAL) for s in sections] + list(symbols)
    symtab = 1 + len(sections) + len(relocations)
    index = {section.name: position for position, section in enumerate(sections, 1)}
    number = {symbol.name: position for position, symbol in enumerate(symbols, 1)}
    strings = bytearray(b"\0")
    rows = bytes(24)
    for symbol in symbols:
        name = 0
        if symbol.type != SECTION:
            name = len(strings)
            strings += symbol.name.encode() + b"\0"
        where = index[symbol.section] if isinstance(symbol.section, str) else symbol.section
        info = symbol.binding << 4 | symbol.type
        rows += struct.pack("<IBBHQQ", name, info, 0, where, symbol.value % 2**64, symbol.size)
    every = list(sections)
    for section_name, entries in relocations.items():
        table = b"".join(struct.pack("<QII", r.offset % 2**64, r.type, number[r.symbol]) for r in entries)
        every.append(Sec(".rel" + section_name, 0, table, REL, 8, symtab, index[section_name], 16))
    every.append(Sec(".symtab", 0, rows, SYMTAB, 8, symtab + 1, 1 + len(sections), 24))
    every.append(Sec(".strtab", 0, bytes(strings), STRTAB, 1))
    names = b"\0" + b"".join(s.name.encode() + b"\0" for s in every) + b".shstrtab\0"
    every.append(Sec(".shstrtab", 0, names, STRTAB, 1))
    body, headers = bytearray(64), bytearray(64)
    name_offset = 1
    for section in every:
        body += bytes(-len(body) % 8)
        content = section.content if isinstance(section.content, bytes) else b""
        size = section.content if isinstance(section.content, int) else len(content)
        headers += struct.pack(
            "<IIQQQQIIQQ",
            *(name_offset, section.type, section.flags, 0, len(body), size),
            *(section.link, section.info, section.alignment, section.row_bytes),
        )
        body += content
        name_offset += len(section.name.encode()) + 1
    body += bytes(-len(body) % 8)
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    body[:64] = ident + struct.pack(
        "<HHIQQQIHHHHHH", 1, 247, 1, 0, 0, len(body), 0, 64, 0, 0, 64, len(every) + 1, len(every)
    )
    return bytes(body + headers)


def with_header(data: bytes, **fields: int) -> bytes:
    """`data` with fields of the ELF header changed."""
    changed = bytearray(data)
    for field, value in fields.items():
        offset, form = HEADER[field]
        struct.pack_into(form, changed, offset, value)
    return bytes(changed)


def with_section(data: bytes, section: int | str, **fields: int) -> bytes:
    """`data` with fields of the row of a section, by name or index, changed."""
    changed = bytearray(data)
    (table,) = struct.unpack_from("<Q", data, 40)
    row = table + 64 * (section if isinstance(section, int) else section_names(data).index(section))
    for field, value in fields.items():
        offset, form = SECTION_ROW[field]
        struct.pack_into(form, changed, row + offset, value)
    return bytes(changed)


def section_field(data: bytes, section: str, field: str) -> int:
    (table,) = struct.unpack_from("<Q", data, 40)
    offset, form = SECTION_ROW[field]
    value: int = struct.unpack_from(form, data, table + 64 * section_names(data).index(section) + offset)[0]
    return value


def section_names(data: bytes) -> list[str]:
    """The names of a well-formed object's sections, in order."""
    (table,) = struct.unpack_from("<Q", data, 40)
    count, names = struct.unpack_from("<HH", data, 60)
    (low,) = struct.unpack_from("<Q", data, table + 64 * names + 24)
    starts = [low + struct.unpack_from("<I", data, table + 64 * i)[0] for i in range(count)]
    return [data[start : data.index(b"\0", start)].decode() for start in starts]
