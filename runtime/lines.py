"""The C line that an instruction came from: (object, section, offset) -> file and line, or None.

Reads .debug_line, DWARF versions 4 and 5, as clang writes it. Decides nothing: the answer goes into messages only. The
object comes from whoever wrote the guest, so that the answer may be a lie, but asking must neither fail nor take long:
every byte is read at most once, and what is malformed ends the search with None.

pyelftools was tried. It leaves the addresses of BPF objects unrelocated, so that lines of different sections are mixed
up, and a version 5 header that claims 2^60 directories without fields keeps it busy for ever. It is the second reader
in the tests.

Source: DWARF 5 section 6.2; DWARF 4 section 6.2.4 for the older header.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from validator.elf import REL, ElfObject, RelocationType, contents, read_object, relocations, section_name, symbol
from validator.errors import LoadError

MAX_LINE_BYTES = 1 << 20  # of .debug_line: 0.5 s of reading; a C line costs about 5 bytes
MAX_PATH_BYTES = 1024  # of a file's name, and of its directory's
MAX_LEB_BYTES = 10  # of a 64-bit number


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of a source file, as the compiler was given its path."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Row(NamedTuple):
    """The state of the line number machine that describes the instructions from `offset` of `section` on."""

    section: int  # index; 0: unknown
    offset: int
    file: int
    line: int


def line_of(data: bytes, section: str, offset: int) -> SourceLine | None:
    """The line that the instruction at `offset` bytes in `section` of the object `data` came from, if it says so."""
    return lines_of(data, section, (offset,)).get(offset)


def lines_of(data: bytes, section: str, offsets: Iterable[int]) -> dict[int, SourceLine]:
    """`line_of` for each of `offsets` that has a line; the table is read once."""
    found: dict[int, SourceLine] = {}
    with suppress(LoadError, _Malformed):  # what was found before the damage counts
        for offset, line in _search(read_object(data), section, sorted(set(offsets))):
            found[offset] = line
    return found


class _Malformed(Exception):
    """The line table is not DWARF 4 or 5 as clang writes it."""


class Text(NamedTuple):
    """A string that ends in a NUL, not copied: a hostile table names one long path a hundred thousand times."""

    table: bytes
    start: int

    def __bytes__(self) -> bytes:
        end = self.table.find(b"\0", self.start, self.start + MAX_PATH_BYTES)
        if end < 0:
            raise _Malformed
        return self.table[self.start : end]


NOTHING = Text(b"\0", 0)


@dataclass(slots=True)
class _Cursor:
    """Reads numbers from data[at:end], each byte once."""

    data: bytes
    at: int
    end: int

    def take(self, size: int) -> bytes:
        if size > self.end - self.at:
            raise _Malformed
        self.at += size
        return self.data[self.at - size : self.at]

    def fixed(self, size: int) -> int:
        return int.from_bytes(self.take(size), "little")

    def signed_byte(self) -> int:
        return int.from_bytes(self.take(1), "little", signed=True)

    def uleb(self) -> int:
        value = 0
        for position in range(MAX_LEB_BYTES):
            byte = self.fixed(1)
            value |= (byte & 0x7F) << (7 * position)
            if byte < 0x80:
                return value
        raise _Malformed

    def sleb(self) -> int:
        start = self.at
        value = self.uleb()
        bits = 7 * (self.at - start)
        return value - (1 << bits) if value >> (bits - 1) else value

    def text(self) -> Text:
        start = self.at
        end = self.data.find(b"\0", start, self.end)
        if end < 0:
            raise _Malformed
        self.at = end + 1
        return Text(self.data, start)


@dataclass(frozen=True, slots=True)
class _Header:
    """What of a unit's header is needed to run its program and to name its files."""

    version: int
    instruction_bytes: int
    line_base: int
    line_range: int
    operands: bytes  # how many each standard opcode has, from opcode 1 on
    directories: tuple[Text, ...]
    files: tuple[tuple[Text, int], ...]  # path, directory


def _search(elf: ElfObject, section: str, wanted_offsets: list[int]) -> Iterator[tuple[int, SourceLine]]:
    """The lines of `wanted_offsets`, which are sorted; whatever is found is deleted from there."""
    by_name: dict[str, list[int]] = {}
    for index in range(1, len(elf.sections)):
        by_name.setdefault(section_name(elf, index), []).append(index)
    wanted, tables = by_name.get(section, []), by_name.get(".debug_line", [])
    if len(wanted) != 1 or len(tables) != 1 or elf.sections[tables[0]].size > MAX_LINE_BYTES:
        return
    strings = {name: contents(elf, by_name[name][0]) for name in _STRING_FORMS.values() if name in by_name}
    addresses = _addresses(elf, tables[0])
    table = contents(elf, tables[0])
    at = 0
    while at < len(table) and wanted_offsets:
        unit = _Cursor(table, at, len(table))
        size = unit.fixed(4)
        if size > len(table) - unit.at:  # also the escape of 64-bit DWARF, 0xffffffff
            raise _Malformed
        at = unit.end = unit.at + size
        header = _read_header(unit, strings)
        for offset, row in _rows_at(_rows(unit, header, addresses), wanted[0], wanted_offsets):
            line = _source_line(header, row)
            if line is not None:
                yield offset, line


def _addresses(elf: ElfObject, table: int) -> dict[int, tuple[int, int]]:
    """Where in .debug_line an address stands -> the section that it lies in, and the symbol's offset there.

    Without the relocation an address is only an offset, in a section that nobody names.
    """
    tables = [index for index, section in enumerate(elf.sections) if section.type == REL and section.info == table]
    addresses = {}
    for entry in relocations(elf, tables[0]) if len(tables) == 1 else ():
        if entry.type == RelocationType.ABS64:
            row = symbol(elf, entry.symbol)
            addresses[entry.offset] = (row.section, row.value)
    return addresses


def _read_header(unit: _Cursor, strings: Mapping[str, bytes]) -> _Header:
    """Read the header of a unit and leave the cursor at its program."""
    version = unit.fixed(2)
    if version not in (4, 5):
        raise _Malformed
    if version == 5:
        unit.take(2)  # sizes of an address and of a segment selector
    program = unit.fixed(4)
    program += unit.at
    instruction_bytes, operations = unit.fixed(1), unit.fixed(1)
    unit.take(1)  # default_is_stmt
    line_base, line_range, opcode_base = unit.signed_byte(), unit.fixed(1), unit.fixed(1)
    if operations != 1 or line_range == 0 or opcode_base == 0:
        raise _Malformed
    operands = unit.take(opcode_base - 1)
    if version == 5:
        directories = tuple(path for path, _ in _entries(unit, strings))
        files = tuple(_entries(unit, strings))
    else:
        directories = tuple(_texts(unit))
        files = tuple(_old_files(unit))
    if not unit.at <= program <= unit.end:
        raise _Malformed
    unit.at = program
    return _Header(version, instruction_bytes, line_base, line_range, operands, directories, files)


def _texts(unit: _Cursor) -> Iterator[Text]:
    """The strings before the next empty one."""
    while unit.data[unit.at : unit.at + 1] != b"\0":
        yield unit.text()
    unit.take(1)


def _old_files(unit: _Cursor) -> Iterator[tuple[Text, int]]:
    for path in _texts(unit):
        directory, _time, _bytes = unit.uleb(), unit.uleb(), unit.uleb()
        yield path, directory


_PATH, _DIRECTORY = 1, 2  # DW_LNCT_*, what a field means
_FIXED_FORMS = {0x0B: 1, 0x05: 2, 0x06: 4, 0x07: 8, 0x1E: 16}  # DW_FORM_data*, bytes
_STRING_FORMS = {0x1F: ".debug_line_str", 0x0E: ".debug_str"}  # DW_FORM_line_strp, DW_FORM_strp
_FORM_STRING, _FORM_UDATA = 0x08, 0x0F


def _entries(unit: _Cursor, strings: Mapping[str, bytes]) -> Iterator[tuple[Text, int]]:
    """The entries of a version 5 table of directories or files. Each takes at least one byte of the file."""
    fields = [(unit.uleb(), unit.uleb()) for _ in range(unit.fixed(1))]
    count = unit.uleb()
    if count and not fields:
        raise _Malformed
    for _ in range(count):
        path, directory = NOTHING, 0
        for meaning, form in fields:
            number, text = _field(unit, form, strings)
            if meaning == _PATH:
                path = text
            elif meaning == _DIRECTORY:
                directory = number
        yield path, directory


def _field(unit: _Cursor, form: int, strings: Mapping[str, bytes]) -> tuple[int, Text]:
    """A field as a number and as a text; the one that it is not is 0 or empty."""
    if form in _FIXED_FORMS:
        return unit.fixed(_FIXED_FORMS[form]), NOTHING
    if form == _FORM_UDATA:
        return unit.uleb(), NOTHING
    if form == _FORM_STRING:
        return 0, unit.text()
    if form in _STRING_FORMS:
        return 0, Text(strings.get(_STRING_FORMS[form], b""), unit.fixed(4))
    raise _Malformed


def _rows(unit: _Cursor, header: _Header, addresses: Mapping[int, tuple[int, int]]) -> Iterator[Row]:
    """The rows of a unit's program; a row with line 0 and file 0 ends a sequence."""
    opcode_base = len(header.operands) + 1
    constant_advance = (255 - opcode_base) // header.line_range * header.instruction_bytes
    section, offset, file, line = 0, 0, 1, 1
    while unit.at < unit.end:
        opcode = unit.fixed(1)
        if opcode >= opcode_base:
            advance, change = divmod(opcode - opcode_base, header.line_range)
            offset += advance * header.instruction_bytes
            line += header.line_base + change
            yield Row(section, offset, file, line)
            continue
        match opcode:
            case 0:  # extended
                size = unit.uleb()
                start = unit.at
                operand = unit.take(size)
                if operand[:1] == b"\x01":  # end_sequence
                    yield Row(section, offset, 0, 0)
                    section, offset, file, line = 0, 0, 1, 1
                elif operand[:1] == b"\x02":  # set_address
                    section, base = addresses.get(start + 1, (0, 0))
                    offset = base + int.from_bytes(operand[1:9], "little")
            case 1:  # copy
                yield Row(section, offset, file, line)
            case 2:  # advance_pc
                offset += unit.uleb() * header.instruction_bytes
            case 3:  # advance_line
                line += unit.sleb()
            case 4:  # set_file
                file = unit.uleb()
            case 8:  # const_add_pc
                offset += constant_advance
            case 9:  # fixed_advance_pc
                offset += unit.fixed(2)
            case _:  # column, flags, and what later versions may add
                for _ in range(header.operands[opcode - 1]):
                    unit.uleb()


def _rows_at(rows: Iterator[Row], section: int, offsets: list[int]) -> Iterator[tuple[int, Row]]:
    """The row of each offset: the first at or before it whose successor in the sequence lies behind it.

    An offset that was found is deleted from `offsets`: a hostile table may describe all of them in every row.
    """
    last = Row(0, 0, 0, 0)
    for row in rows:
        if last.section == section and last.line > 0 and last.offset < row.offset:
            first, end = bisect_left(offsets, last.offset), bisect_left(offsets, row.offset)
            for offset in offsets[first:end]:
                yield offset, last
            del offsets[first:end]
        if not offsets:
            return
        last = row


def _source_line(header: _Header, row: Row) -> SourceLine | None:
    """Files count from 1 before version 5; directory 0 is where the compiler ran, which says nothing elsewhere."""
    first = 0 if header.version == 5 else 1
    if not 0 <= row.file - first < len(header.files) or row.line >= 1 << 31:
        return None
    text, directory = header.files[row.file - first]
    path = bytes(text)
    if directory and not path.startswith(b"/"):
        if not 0 <= directory - first < len(header.directories):
            return None
        path = bytes(header.directories[directory - first]) + b"/" + path
    name = path.decode(errors="backslashreplace")
    return SourceLine(name, row.line) if name.isprintable() else None
