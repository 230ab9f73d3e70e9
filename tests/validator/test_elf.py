"""The reader of object files: what it accepts, the nearest thing that it refuses, and that hostile files stay cheap."""

from __future__ import annotations

import struct
import tracemalloc
from collections.abc import Callable
from contextlib import suppress

import pytest

from differential.hostile.elf_writer import (
    ABS64,
    CALL_32,
    EXIT,
    FUNC,
    GLOBAL,
    NOBITS,
    REL,
    WIDE_64,
    A,
    Rel,
    Sec,
    Sym,
    W,
    X,
    call,
    code,
    lddw,
    section_field,
    with_header,
    with_section,
    write,
)
from validator.elf import (
    MAX_NAME_BYTES,
    ElfObject,
    Relocation,
    check_claims,
    claim,
    contents,
    read_object,
    relocations,
    section_name,
    symbol,
    symbol_name,
    tables_claimed,
)
from validator.errors import ElfError, LimitExceeded, LoadError
from validator.reach import reach

TEXT = code(*lddw(), (0x61, 0, 1, 4, 0), EXIT)
GOOD = write(
    [Sec(".text", A | X, TEXT), Sec(".rodata", A, bytes(range(8))), Sec("note", 0, b"free form")],
    [Sym("main", ".text"), Sym("answer", ".rodata", 4, type=1)],
    {".text": [Rel(0, WIDE_64, ".rodata")]},
)


def test_reads_sections_symbols_and_relocations_of_a_well_formed_object() -> None:
    elf = read_object(GOOD)
    names = ["", ".text", ".rodata", "note", ".rel.text", ".symtab", ".strtab", ".shstrtab"]
    assert [section_name(elf, index) for index in range(len(elf.sections))] == names
    assert contents(elf, 1) == TEXT
    main, answer = symbol(elf, 4), symbol(elf, 5)
    assert (symbol_name(elf, main), main.section, main.value, main.type, main.binding) == ("main", 1, 0, FUNC, GLOBAL)
    assert (symbol_name(elf, answer), answer.section, answer.value) == ("answer", 2, 4)
    assert relocations(elf, 4) == ((0, WIDE_64, 2),)


def test_every_proper_prefix_of_a_file_is_refused() -> None:
    """The section table stands last, so that no prefix holds all of it."""
    for size in range(len(GOOD)):
        with pytest.raises(ElfError):
            reach(GOOD[:size])
    assert set(reach(GOOD).sections) == {1, 2}


@pytest.mark.parametrize(
    ("field", "right", "wrong"),
    [
        ("ei_class", 2, 1),
        ("ei_data", 1, 2),
        ("ei_version", 1, 0),
        ("e_type", 1, 2),
        ("e_machine", 247, 62),
        ("e_version", 1, 0),
        ("e_ehsize", 64, 52),
        ("e_shentsize", 64, 63),
        ("e_shentsize", 64, 65),
        ("e_shnum", 8, 0),  # 0: the number is in section 0, an escape that is not supported
        ("e_shnum", 8, 9),
        ("e_shoff", len(GOOD) - 8 * 64, len(GOOD) - 8 * 64 + 1),
        ("e_shoff", len(GOOD) - 8 * 64, len(GOOD) + 1),
        ("e_shoff", len(GOOD) - 8 * 64, 2**64 - 8 * 64),  # the end wraps to 0
        ("e_shstrndx", 7, 0),
        ("e_shstrndx", 7, 8),
        ("e_shstrndx", 7, 2),  # no string table
        ("e_shstrndx", 7, 0xFFFF),  # the number is in section 0
    ],
)
def test_a_header_field_has_one_right_value(field: str, right: int, wrong: int) -> None:
    assert with_header(GOOD, **{field: right}) == GOOD
    with pytest.raises(ElfError):
        reach(with_header(GOOD, **{field: wrong}))


LOW = section_field(GOOD, ".rodata", "sh_offset")


@pytest.mark.parametrize(
    ("section", "good", "bad", "why"),
    [
        (".rodata", {"sh_size": 24}, {"sh_size": 25}, "share bytes"),  # `note` and padding, then .rel.text
        (".rodata", {"sh_offset": LOW + 16}, {"sh_offset": LOW + 17}, "share bytes"),
        (".rodata", {"sh_offset": LOW}, {"sh_offset": LOW - 1}, "share bytes"),
        (".rodata", {"sh_offset": LOW}, {"sh_offset": 63}, "the ELF header and section '.rodata' share"),
        (".rodata", {"sh_offset": LOW}, {"sh_offset": len(GOOD) - 8}, "section table"),
        (".rodata", {"sh_offset": LOW}, {"sh_offset": len(GOOD)}, "but the file has"),
        (".rodata", {"sh_offset": LOW}, {"sh_offset": 2**64 - 4}, "but the file has"),  # the end wraps to 4
        (".rodata", {"sh_size": 8}, {"sh_size": 2**64 - LOW + 8}, "but the file has"),  # the end wraps to 8
        (".rodata", {"sh_flags": A | 0x10}, {"sh_flags": A | 0x800}, "compressed"),  # SHF_MERGE is fine
        (".rodata", {"sh_flags": A}, {"sh_flags": A | 0x400}, "no data that can be loaded"),  # thread-local
        (".rodata", {"sh_flags": A}, {"sh_flags": 0}, "no data that can be loaded"),
        (".rodata", {"sh_type": 1}, {"sh_type": 7}, "no data that can be loaded"),  # SHT_NOTE
        (".rodata", {"sh_addralign": 4096}, {"sh_addralign": 8192}, "alignment 8192"),
        (".rodata", {"sh_addralign": 0}, {"sh_addralign": 3}, "alignment 3"),
        (".text", {"sh_size": len(TEXT)}, {"sh_size": len(TEXT) - 4}, "28 bytes of code"),
        (".text", {"sh_flags": A | X}, {"sh_flags": A | X | W}, "writable"),
        (".text", {"sh_flags": A | X}, {"sh_flags": A | X | 0x800}, "compressed"),
        (".text", {"sh_name": 0}, {"sh_name": 0xFFFF}, "sh_name is 0xffff"),
        ("note", {"sh_offset": 2**64 - 1}, {"sh_name": 0xFFFF}, "sh_name is 0xffff"),  # nobody reads its contents
        (".rel.text", {"sh_size": 16}, {"sh_size": 20}, "share bytes|rows of 16"),
        (".rel.text", {"sh_size": 0}, {"sh_size": 8}, "a row has 16"),
        (".rel.text", {"sh_entsize": 16}, {"sh_entsize": 0}, "a row has 16"),
        (".rel.text", {"sh_entsize": 16}, {"sh_entsize": 24}, "a row has 16"),
        (".rel.text", {"sh_type": REL}, {"sh_type": 4}, "SHT_REL"),  # SHT_RELA
        (".rel.text", {"sh_type": REL}, {"sh_type": 0x40000014}, "SHT_REL"),  # SHT_CREL
        (".rel.text", {"sh_link": 5}, {"sh_link": 0}, "not the symbol table"),
        (".rel.text", {"sh_link": 5}, {"sh_link": 2**32 - 1}, "not the symbol table"),
        (".rel.text", {"sh_info": 1}, {"sh_info": 0}, "for no section"),
        (".rel.text", {"sh_info": 3}, {"sh_info": 8}, "for no section"),  # 3: of `note`, which is not loaded
        (".symtab", {"sh_entsize": 24}, {"sh_entsize": 16}, "a row has 24"),
        (".symtab", {"sh_size": 6 * 24}, {"sh_size": 6 * 24 - 1}, "a row has 24"),
        (".symtab", {"sh_link": 6}, {"sh_link": 5}, "not a string table"),  # itself
        (".symtab", {"sh_link": 7}, {"sh_link": 8}, "not a string table"),  # 7: shared with section names
        (".shstrtab", {}, {"sh_size": section_field(GOOD, ".shstrtab", "sh_size") - 1}, "NUL"),
        (".strtab", {}, {"sh_size": section_field(GOOD, ".strtab", "sh_size") - 1}, "NUL"),
        (".strtab", {}, {"sh_type": 1}, "not a string table"),
        ("note", {}, {"sh_type": 2}, "2 symbol tables"),
    ],
)
def test_a_section_row_is_accepted_next_to_its_nearest_refusal(
    section: str, good: dict[str, int], bad: dict[str, int], why: str
) -> None:
    reach(with_section(GOOD, section, **good))
    with pytest.raises(ElfError, match=why):
        reach(with_section(GOOD, section, **bad))


def test_a_section_that_nothing_reaches_may_be_damaged_in_any_way() -> None:
    damaged = {"sh_offset": 3, "sh_size": 2**64 - 1, "sh_flags": 0x800, "sh_addralign": 3, "sh_link": 2**32 - 1}
    assert set(reach(with_section(GOOD, "note", **damaged)).sections) == {1, 2}


def test_contents_of_a_section_without_bytes_are_not_looked_for() -> None:
    data = write(
        [Sec(".text", A | X, TEXT), Sec(".bss", A | W, 1 << 40, NOBITS)], [], {".text": [Rel(0, WIDE_64, ".bss")]}
    )
    loaded = reach(with_section(data, ".bss", sh_offset=2**64 - 1)).sections[2]
    assert (loaded.size, loaded.content) == (1 << 40, b"")


def named(name: bytes) -> bytes:
    """An object whose code calls an undefined function of this name."""
    data = write(
        [Sec(".text", A | X, code(call(), EXIT))], [Sym("?" * len(name))], {".text": [Rel(0, CALL_32, "?" * len(name))]}
    )
    return data.replace(b"?" * len(name), name)


@pytest.mark.parametrize(
    ("good", "bad", "error"),
    [
        (b"a" * MAX_NAME_BYTES, b"a" * (MAX_NAME_BYTES + 1), LimitExceeded),
        ("naïve".encode(), b"na\xefve", ElfError),
        (b"two words", b"two\nlines", ElfError),  # would forge lines of a log
        (b"x", b"\x1b", ElfError),
    ],
)
def test_a_name_is_printable_utf8_of_bounded_length(good: bytes, bad: bytes, error: type[LoadError]) -> None:
    (reference,) = reach(named(good)).sections[1].references
    assert reference.name == good.decode()
    with pytest.raises(error):
        reach(named(bad))


@pytest.mark.parametrize("outside", [8, 9, 1 << 20, 2**32 - 1])
def test_the_name_of_a_symbol_that_is_used_lies_in_the_string_table(outside: int) -> None:
    """The table holds a NUL, `helper` and a NUL; a name may be the tail of another, or empty."""
    data = bytearray(named(b"helper"))
    row = section_field(bytes(data), ".symtab", "sh_offset") + 2 * 24
    for start, name in ((1, "helper"), (4, "per"), (7, "")):
        struct.pack_into("<I", data, row, start)
        assert reach(bytes(data)).sections[1].references[0].name == name
    struct.pack_into("<I", data, row, outside)
    with pytest.raises(ElfError, match="in a string table of 0x8 bytes"):
        reach(bytes(data))


@pytest.mark.parametrize("number", [6, 7, 2**32 - 1])
def test_a_relocation_names_one_of_the_symbols(number: int) -> None:
    """There are six, 0 to 5; 5 is `answer`."""
    entry = section_field(GOOD, ".rel.text", "sh_offset")
    changed = bytearray(GOOD)
    struct.pack_into("<QII", changed, entry, 0, WIDE_64, 5)
    assert reach(bytes(changed)).sections[1].references[0].value == 4
    struct.pack_into("<QII", changed, entry, 0, WIDE_64, number)
    with pytest.raises(ElfError, match=f"symbol {number}: the object has 6 symbols"):
        reach(bytes(changed))


def test_sections_that_are_read_meet_but_do_not_overlap() -> None:
    """A section of one byte at each position around one of eight: inside refused, beside accepted."""
    for shift in range(-2, 10):
        elf = read_object(with_section(GOOD, "note", sh_offset=LOW + shift, sh_size=1))
        claims = tables_claimed(elf)
        claim(claims, elf, 2)
        claim(claims, elf, 3)
        if 0 <= shift < 8:
            with pytest.raises(ElfError, match=r"'\.rodata' and section 'note'|'note' and section '\.rodata'"):
                check_claims(claims, elf)
        else:
            check_claims(claims, elf)


def many_functions(count: int) -> bytes:
    text = code(*[EXIT] * count)
    return write([Sec(".text", A | X, text)], [Sym(f"f{i}", ".text", 8 * i) for i in range(count)])


def many_sections(count: int) -> bytes:
    sections = [Sec(f"s{i}", A | X, code(EXIT)) for i in range(count)]
    return write(sections, [Sym(f"f{i}", f"s{i}") for i in range(count)])


def many_relocations(count: int) -> bytes:
    text = code(*[call()] * count, EXIT)
    return write(
        [Sec(".text", A | X, text)], [Sym("helper")], {".text": [Rel(8 * i, CALL_32, "helper") for i in range(count)]}
    )


def many_pointers(count: int) -> bytes:
    sections = [Sec(".text", A | X, TEXT), Sec(".data", A | W, bytes(8 * count))]
    relocated = {".text": [Rel(0, WIDE_64, ".data")], ".data": [Rel(8 * i, ABS64, ".data") for i in range(count)]}
    return write(sections, [], relocated)


def one_long_name(count: int) -> bytes:
    """Functions whose names are the suffixes of one long name: quadratic if each is kept in full."""
    data = bytearray(many_functions(count))
    low, size = section_field(bytes(data), ".strtab", "sh_offset"), section_field(bytes(data), ".strtab", "sh_size")
    data[low + 1 : low + size - 1] = b"n" * (size - 2)
    rows = section_field(bytes(data), ".symtab", "sh_offset")
    for i in range(count):
        struct.pack_into("<I", data, rows + 24 * (i + 2), 1 + size - 3 - i)
    return bytes(data)


@pytest.mark.parametrize("build", [many_functions, many_sections, many_relocations, many_pointers, one_long_name])
def test_memory_grows_no_faster_than_the_file(build: Callable[[int], bytes]) -> None:
    """Peak memory per byte of the file at 8 times the size is about what it was: nothing is quadratic."""

    def peak(data: bytes) -> float:
        tracemalloc.start()
        with suppress(LoadError):
            reach(data)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used / len(data)

    small, large = build(1000), build(8000)
    assert peak(large) < 1.5 * peak(small) + 1


def test_a_thousand_relocation_sections_over_the_same_bytes_are_not_read_a_thousand_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entries = b"".join(struct.pack("<QII", 8 * i, CALL_32, 3 + 1000) for i in range(1000))
    tables = [Sec(f"r{i}", 0, b"", REL, 8, 0, 1, 16) for i in range(1000)]
    data = write(
        [Sec(".text", A | X, code(*[call()] * 1000, EXIT)), Sec("entries", 0, entries), *tables], [Sym("helper")]
    )
    low, symtab = section_field(data, "entries", "sh_offset"), 1 + 2 + 1000
    changed = bytearray(data)
    (table,) = struct.unpack_from("<Q", data, 40)
    for i in range(1000):
        row = table + 64 * (3 + i)
        struct.pack_into("<QQI", changed, row + 24, low, len(entries), symtab)
    reads: list[int] = []

    def counted(elf: ElfObject, index: int) -> tuple[Relocation, ...]:
        reads.append(index)
        return relocations(elf, index)

    monkeypatch.setattr("validator.reach.relocations", counted)
    with pytest.raises(ElfError, match="share bytes"):
        reach(bytes(changed))
    assert len(reads) * len(entries) <= len(data)


def test_claimed_sizes_reserve_nothing() -> None:
    tracemalloc.start()
    for section in (".text", ".rodata", ".rel.text", ".symtab", ".strtab", ".shstrtab"):
        with pytest.raises(ElfError):
            reach(with_section(GOOD, section, sh_size=2**62))
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_string_tables_may_be_shared_as_llvm_shares_them() -> None:
    """LLVM writes one string table for the names of sections and of symbols."""
    shared = with_section(GOOD, ".symtab", sh_link=7)
    assert set(reach(shared).sections) == {1, 2}
