"""Source lines: the right one for each instruction, None for damage, and never more work than bytes."""

from __future__ import annotations

import random
import struct
import tracemalloc
from pathlib import Path

import pytest

import runtime.guest_code
from differential.hostile.elf_writer import (
    ABS64,
    EXIT,
    SECTION,
    A,
    Rel,
    Sec,
    Sym,
    X,
    code,
    section_field,
    with_section,
    write,
)
from runtime.lines import MAX_LINE_BYTES, SourceLine, line_of
from tests.clang import compiled

DEMO = Path(runtime.guest_code.__file__).with_name("demo.o").read_bytes()
DEMO_SOURCE = Path(runtime.guest_code.__file__).with_name("demo.c").read_text().splitlines()

# a line on which something can fault, in two sections, and what stands on it
FAULTS = """
#define IN(name) __attribute__((noinline, section(name)))
IN("aside") unsigned long far(unsigned long *p) {
    return
        p[1] * 3; // load in far
}
unsigned long entry(unsigned long *p) {
    unsigned long a = far(p);

    p[7] = a; // store in .text
    return a;
}
"""


@pytest.mark.parametrize("cpu", ["-mcpu=v1", "-mcpu=v4"])
@pytest.mark.parametrize("dwarf", ["-gdwarf-4", "-gdwarf-5"])
def test_loads_and_stores_of_different_sections_have_their_lines(dwarf: str, cpu: str) -> None:
    data = compiled(FAULTS, dwarf, cpu)
    for section, opcode, mark in (("aside", 0x79, "// load in far"), (".text", 0x7B, "// store in .text")):
        low, size = (section_field(data, section, field) for field in ("sh_offset", "sh_size"))
        (at,) = [offset for offset in range(0, size, 8) if data[low + offset] == opcode]
        (line,) = [number for number, text in enumerate(FAULTS.splitlines(), 1) if mark in text]
        assert line_of(data, section, at) == SourceLine("source.c", line)
        assert line_of(data, section, size) is None
        assert line_of(data, section, -8) is None
    assert line_of(data, "absent", 0) is None
    assert line_of(compiled(FAULTS), ".text", 0) is None  # compiled without -g


def test_the_instructions_of_the_demo_have_lines_of_code() -> None:
    """All but the few that clang says belong to no line (line 0)."""
    size = section_field(DEMO, ".text", "sh_size")
    found = [line for offset in range(0, size, 8) if (line := line_of(DEMO, ".text", offset)) is not None]
    assert len(found) > 0.9 * size / 8
    assert {line.file for line in found} == {"runtime/guest_code/demo.c"}
    text = {DEMO_SOURCE[line.line - 1].strip() for line in found}
    assert {"counts[level]++;", "memcpy(line, text, shown);", "return checksum;"} <= text
    assert "" not in text
    assert str(found[0]) == f"runtime/guest_code/demo.c:{found[0].line}"


# ---- hand-made tables


def unit(program: bytes, version: int = 4, tables: bytes | None = None) -> bytes:
    """A unit of .debug_line: instructions of 8 bytes, line_base -3, line_range 12, opcode_base 13."""
    operands = bytes((0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1))
    if tables is None:
        tables = b"include\0\0" + b"a.c\0\x00\0\0" + b"b.h\0\x01\0\0" + b"\0"
    rest = bytes((8, 1, 1, 0xFD, 12, 13)) + operands + tables
    after = struct.pack("<I", len(rest)) + rest + program
    body = struct.pack("<H", version) + (b"\x08\0" if version == 5 else b"") + after
    return struct.pack("<I", len(body)) + body


ADDRESS = b"\0\x09\x02" + bytes(8)  # set_address, relocated
END = b"\0\x01\x01"


def with_lines(table: bytes) -> bytes:
    """An object of 16 instructions whose every set_address is relocated against .text."""
    places = [i + 3 for i in range(len(table)) if table.startswith(ADDRESS, i)]
    return write(
        [Sec(".text", A | X, code(*[EXIT] * 16)), Sec(".debug_line", 0, table)],
        [Sym("text", ".text", 0, SECTION)],
        {".debug_line": [Rel(at, ABS64, ".text") for at in places]},
    )


def special(advance: int, change: int) -> bytes:
    """The opcode that moves on by `advance` instructions and `change` lines and adds a row."""
    return bytes((13 + advance * 12 + change + 3,))


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        # rows at 0 (line 5), 16 (line 7); the end at 24
        (ADDRESS + b"\x03\x04\x01" + special(2, 2) + b"\x02\x01" + END, {0: 5, 8: 5, 16: 7, 24: None}),
        (ADDRESS + b"\x01\x02\x02" + END, {0: 1, 8: 1, 16: None}),
        (b"\x01\x02\x02" + END, {0: None}),  # an address in no section
        (ADDRESS + b"\x01", {0: None, 8: None}),  # a sequence without end
        (ADDRESS + b"\x03\x7f\x01\x02\x01" + END, {0: None}),  # line 0: of no line
        (ADDRESS + b"\x03\x76\x01\x02\x01" + END, {0: None}),  # line -9
        (ADDRESS + b"\x01\x08\x01" + b"\x02\x01" + END, {160: 1, 168: None}),  # const_add_pc: 20 instructions
        (ADDRESS + b"\x01\x09\x08\x00\x01" + b"\x02\x01" + END, {8: 1, 16: None}),  # fixed_advance_pc: 8 bytes
        (ADDRESS + b"\x05\x07\x06\x07\x0a\x0b\x0c\x01\x01\x02\x01" + END, {0: 1}),  # columns and flags say nothing
        (ADDRESS + b"\0\x03\x80ab\x01\x02\x01" + END, {0: 1}),  # an extended opcode of a vendor
        (ADDRESS + b"\x01\x02\x01" + END + ADDRESS + b"\x03\x01\x01\x02\x02" + END, {0: 1, 8: 2}),  # first one wins
    ],
)
def test_the_line_number_machine(program: bytes, expected: dict[int, int | None]) -> None:
    data = with_lines(unit(program))
    for offset, line in expected.items():
        assert line_of(data, ".text", offset) == (None if line is None else SourceLine("a.c", line))


STRING, UDATA, DATA1 = 0x08, 0x0F, 0x0B
NEW_TABLES = bytes((1, 1, STRING, 2)) + b".\0include\0" + bytes((2, 1, STRING, 2, UDATA, 2)) + b"a.c\0\0b.h\0\x01"


@pytest.mark.parametrize(
    ("version", "tables", "file", "name"),
    [
        (4, None, 1, "a.c"),
        (4, None, 2, "include/b.h"),
        (4, None, 0, None),  # files count from 1
        (4, None, 3, None),
        (4, b"\0" + b"/abs.c\0\x05\0\0\0", 1, "/abs.c"),
        (4, b"\0" + b"a.c\0\x05\0\0\0", 1, None),  # there is no directory 5
        (4, b"\0" + b"a\nb.c\0\0\0\0\0", 1, None),
        (5, NEW_TABLES, 0, "a.c"),
        (5, NEW_TABLES, 1, "include/b.h"),
        (5, NEW_TABLES, 2, None),
        (5, b"\0" + b"\x80\x80\x80\x80\x80\x80\x80\x80\x01", 1, None),  # 2^56 directories without fields
        (5, bytes((1, 1, STRING)) + b"\xff\xff\x7f" + b".\0", 1, None),  # two million in two bytes
        (5, bytes((1, 1, 0x17, 1)) + b".\0", 1, None),  # DW_FORM_sec_offset names no path
        (3, None, 1, None),
        (6, None, 1, None),
    ],
)
def test_the_name_of_a_file(version: int, tables: bytes | None, file: int, name: str | None) -> None:
    data = with_lines(unit(ADDRESS + bytes((4, file)) + b"\x01\x02\x01" + END, version, tables))
    assert line_of(data, ".text", 0) == (None if name is None else SourceLine(name, 1))


def test_every_prefix_of_a_table_gives_the_line_or_none() -> None:
    table = unit(ADDRESS + b"\x03\x04\x01\x02\x01" + END)
    whole = with_lines(table)
    for size in range(len(table)):
        assert line_of(with_section(whole, ".debug_line", sh_size=size), ".text", 0) is None
    assert line_of(whole, ".text", 0) == SourceLine("a.c", 5)
    for limit in range(0, 100):
        changed = struct.pack("<I", limit) + table[4:]
        assert line_of(with_lines(changed), ".text", 0) in (None, SourceLine("a.c", 5))


def test_a_number_without_end_is_not_read_to_the_end() -> None:
    program = b"\x02" + b"\xff" * 100_000
    assert line_of(with_lines(unit(ADDRESS + b"\x01" + program)), ".text", 0) is None


def test_a_table_above_the_limit_is_not_read() -> None:
    sequence = ADDRESS + b"\x01\x02\x01" + END
    for extra, line in ((0, SourceLine("a.c", 1)), (1, None)):
        fixed = len(unit(sequence))
        assert line_of(with_lines(unit(sequence + bytes((10,)) * (MAX_LINE_BYTES - fixed + extra))), ".text", 0) == line


def test_memory_does_not_grow_with_the_paths_that_a_table_names() -> None:
    """100,000 files, all named by the same thousand bytes."""
    path = b"p" * 1000 + b"\0"
    tables = bytes((1, 1, STRING, 1)) + b".\0" + bytes((1, 1, 0x1F)) + b"\xa0\x8d\x06" + bytes(4 * 100_000)
    table = unit(ADDRESS + b"\x04\x00\x01\x02\x01" + END, 5, tables)
    places = [table.index(ADDRESS) + 3]
    data = write(
        [Sec(".text", A | X, code(EXIT)), Sec(".debug_line", 0, table), Sec(".debug_line_str", 0, path)],
        [],
        {".debug_line": [Rel(at, ABS64, ".text") for at in places]},
    )
    tracemalloc.start()
    assert line_of(data, ".text", 0) == SourceLine("p" * 1000, 1)
    assert tracemalloc.get_traced_memory()[1] < 100 * len(data)
    tracemalloc.stop()


@pytest.mark.parametrize("seed", range(4))
def test_damage_gives_a_line_or_none(seed: int) -> None:
    rng = random.Random(seed)
    low, size = (section_field(DEMO, ".debug_line", field) for field in ("sh_offset", "sh_size"))
    answers = set()
    for _ in range(300):
        changed = bytearray(DEMO)
        for _ in range(rng.randint(1, 4)):
            at = rng.choice((low + rng.randrange(size), low + rng.randrange(60), rng.randrange(len(DEMO))))
            changed[at] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
        line = line_of(bytes(changed), ".text", 8 * rng.randrange(100))
        assert line is None or isinstance(line, SourceLine)
        answers.add(line is None)
    assert answers == {True, False}
