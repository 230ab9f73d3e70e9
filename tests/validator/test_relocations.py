"""Relocations: every address and call next to the nearest one that leaves its section, and what may not be written."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

import pytest

from differential.hostile.elf_writer import (
    ABS,
    ABS32,
    ABS64,
    CALL_32,
    COMMON,
    EXIT,
    NOBITS,
    NODYLD32,
    NOTYPE,
    OBJECT,
    WEAK,
    WIDE_64,
    A,
    Rel,
    Sec,
    Sym,
    W,
    call,
    lddw,
    write,
)
from tests.validator.linking import RO, RODATA, RW, called, linked, text, wide
from validator.errors import ElfError, LinkError
from validator.link import link

# ---- data


def pointing(to: Sec, value: int, addend: int) -> bytes:
    """Code that loads the address of a symbol at `value` in section `to`, plus `addend`."""
    symbols = [Sym("x", to.name, value, OBJECT)]
    return write([text(*lddw(1, addend), EXIT), to], symbols, {".text": [Rel(0, WIDE_64, "x")]})


@pytest.mark.parametrize(
    ("low", "to"), [(RO, RODATA), (RW, Sec(".data", A | W, bytes(8))), (RW, Sec(".bss", A | W, 8, NOBITS))]
)
@pytest.mark.parametrize(
    ("value", "addends"),
    # of an 8-byte section: every address up to one past the end, whichever way value and addend make it up
    [(-1, ()), (0, range(9)), (3, range(6)), (8, range(1)), (9, ())],
)
def test_an_address_lies_in_the_section_that_its_symbol_names(
    low: int, to: Sec, value: int, addends: Sequence[int]
) -> None:
    for addend in range(-1, 12):
        data = pointing(to, value, addend)
        if addend in addends:
            assert wide(linked(data)) == low + value + addend
        else:
            with pytest.raises(LinkError, match="outside the section"):
                linked(data)


def test_the_upper_word_of_an_addend_must_be_zero() -> None:
    for upper in (0, 1, -1):
        slots = ((0x18, 1, 0, 0, 0), (0, 0, 0, 0, upper), EXIT)
        data = write([text(*slots), RODATA], [], {".text": [Rel(0, WIDE_64, ".rodata")]})
        if upper == 0:
            assert wide(linked(data)) == RO
        else:
            with pytest.raises(LinkError, match="upper word"):
                linked(data)


def test_an_address_beyond_4_gib_fills_both_slots_and_no_32_bit_pointer() -> None:
    high = 5 << 32 | RO
    data = pointing(RODATA, 4, 1)
    assert wide(link(data, {}, lambda _ro, _rw: (high, RW))) == high + 5
    for kind, size in ((ABS64, 8), (ABS32, 4)):
        narrow = with_pointer(kind, bytes(8), 0, "x", 4)
        if kind == ABS64:
            program = link(narrow, {}, lambda _ro, _rw: (high, RW))
            assert program.writable[:size] == (high + 4).to_bytes(size, "little")
        else:
            with pytest.raises(LinkError, match="does not fit 4 bytes"):
                link(narrow, {}, lambda _ro, _rw: (high, RW))


def with_pointer(kind: int, content: bytes, offset: int, symbol: str, value: int) -> bytes:
    """Code that reaches .data, and a pointer in .data to 8 bytes of .rodata."""
    return write(
        [text(*lddw(), EXIT), Sec(".data", A | W, content), Sec(".rodata", A, b"constant")],
        [Sym("x", ".rodata", value, OBJECT)],
        {".text": [Rel(0, WIDE_64, ".data")], ".data": [Rel(offset, kind, symbol)]},
    )


@pytest.mark.parametrize(("kind", "form"), [(ABS64, "<q"), (ABS32, "<i")])
@pytest.mark.parametrize(("value", "addends"), [(0, range(9)), (4, range(-4, 5)), (8, range(-8, 1)), (9, ()), (-1, ())])
def test_a_pointer_in_data_lies_in_the_section_that_its_symbol_names(
    kind: int, form: str, value: int, addends: Sequence[int]
) -> None:
    """The addend stands in place and has a sign: C may point before a symbol, never before its section."""
    size = struct.calcsize(form)
    for addend in range(-10, 11):
        data = with_pointer(kind, struct.pack(form, addend), 0, "x", value)
        if addend in addends:
            program = linked(data)
            assert program.writable == (RO + value + addend).to_bytes(size, "little")
            assert program.read_only == b"constant"
        else:
            with pytest.raises(LinkError, match="outside the section"):
                linked(data)


def test_a_pointer_in_data_lies_inside_its_own_section() -> None:
    for offset in range(12):
        data = with_pointer(ABS64, bytes(12), offset, "x", 0)
        if offset <= 4:  # unaligned ones are fine: they are bytes
            assert linked(data).writable[offset : offset + 8] == RO.to_bytes(8, "little")
        else:
            with pytest.raises(LinkError, match="would write 8 bytes"):
                linked(data)


# ---- calls


@pytest.mark.parametrize(
    ("value", "imms"),
    [(0, (-1, 0, 1)), (8, (-2, -1, 0)), (16, (-3, -2, -1)), (4, ()), (24, ()), (-8, ())],
)
def test_a_relocated_call_enters_the_section_that_its_symbol_names(value: int, imms: Sequence[int]) -> None:
    """Three slots; the symbol is no function symbol, so that only the call is judged."""
    for imm in (*range(-5, 5), 2**31 - 1, -(2**31)):
        data = write(
            [text(call(imm), EXIT), text(EXIT, EXIT, EXIT, name="callee")],
            [Sym("f", "callee", value, NOTYPE)],
            {".text": [Rel(0, CALL_32, "f")]},
        )
        if imm in imms:
            assert called(linked(data), 0) == (1, 2 + value // 8 + imm + 1 - 1)
        else:
            with pytest.raises(LinkError, match="outside the section"):
                linked(data)


@pytest.mark.parametrize("before", [0, 2])
def test_a_local_call_without_relocation_stays_in_its_section(before: int) -> None:
    """Whatever lies beside it: five slots, the call is the third, after one that is in order."""
    others = [text(EXIT, EXIT, name="before")] if before else []
    for imm in range(-6, 6):
        data = write([*others, text(EXIT, call(-1), call(imm), EXIT, EXIT), text(EXIT, name="after")])
        if -3 <= imm <= 1:
            assert called(linked(data), before + 2) == (1, imm)
        else:
            with pytest.raises(LinkError, match="a local call to slot"):
                linked(data)


# ---- refusals

PLAIN = [text(*lddw(), call(), EXIT), Sec(".rodata", A, bytes(8)), Sec(".data", A | W, bytes(16))]
PLAIN_SYMBOLS = [
    Sym("f", ".text"),
    Sym("helper_five"),
    Sym("nowhere", type=OBJECT),
    Sym("weakling", type=OBJECT, binding=WEAK),
    Sym("absolute", ABS, 0x7FFF12345678, OBJECT),
    Sym("common", COMMON, 8, OBJECT),
    Sym("extended", 0xFFFF, 0, OBJECT),
    Sym("d", ".data", 0, OBJECT),
]


@pytest.mark.parametrize(
    ("section", "good", "bad", "why"),
    [
        (".text", [Rel(0, WIDE_64, "d")], [Rel(8, WIDE_64, "d")], "opcode 0x00 where an lddw"),
        (".text", [Rel(0, WIDE_64, "d")], [Rel(16, WIDE_64, "d")], "opcode 0x85 where an lddw"),
        (".text", [Rel(0, WIDE_64, "d")], [Rel(4, WIDE_64, "d")], "multiples of 8"),
        (".text", [Rel(0, WIDE_64, "d")], [Rel(24, WIDE_64, "d")], "would write 16 bytes"),
        (".text", [Rel(0, WIDE_64, "d")], [Rel(-8, WIDE_64, "d")], "would write 16 bytes"),
        (".text", [Rel(0, WIDE_64, "d")], [Rel(0, ABS64, "d")], "relocation type 2 in code"),
        (".text", [Rel(0, WIDE_64, "d")], [Rel(0, ABS32, "d")], "relocation type 3 in code"),
        (".text", [Rel(0, WIDE_64, "d")], [Rel(0, NODYLD32, "d")], "relocation type 4 in code"),
        (".text", [Rel(0, WIDE_64, "d")], [Rel(0, 99, "d")], "relocation type 99"),
        (".text", [Rel(99, 0, "d")], [Rel(99, 1, "d")], "would write 16 bytes"),  # type 0 means nothing
        (".text", [Rel(0, WIDE_64, "d")], [Rel(0, WIDE_64, "d")] * 2, "two relocations"),
        (".text", [Rel(16, CALL_32, "f")], [Rel(16, CALL_32, "f")] * 2, "two relocations"),
        (".text", [Rel(16, CALL_32, "f")], [Rel(0, CALL_32, "f")], "opcode 0x18 with src 0 where a call"),
        (".text", [Rel(16, CALL_32, "f")], [Rel(24, CALL_32, "f")], "opcode 0x95 with src 0 where a call"),
        (".text", [Rel(16, CALL_32, "f")], [Rel(20, CALL_32, "f")], "multiples of 8"),
        (".text", [Rel(16, CALL_32, "f")], [Rel(32, CALL_32, "f")], "would write 8 bytes"),
        (".text", [Rel(16, CALL_32, "f")], [Rel(16, CALL_32, "d")], "a call to data"),
        (".text", [Rel(0, WIDE_64, "d")], [Rel(0, WIDE_64, "f")], "no function pointers"),
        (".text", [Rel(0, WIDE_64, "d")], [Rel(0, WIDE_64, ".text")], "no function pointers"),
        (".text", [Rel(0, WIDE_64, "d")], [Rel(0, WIDE_64, "nowhere")], "not defined"),
        (".text", [Rel(0, WIDE_64, "d")], [Rel(0, WIDE_64, "weakling")], "not defined"),
        (".text", [Rel(0, WIDE_64, "d")], [Rel(0, WIDE_64, "helper_five")], "not defined"),
        (".text", [Rel(0, WIDE_64, "d")], [Rel(0, WIDE_64, "absolute")], "SHN_ABS"),
        (".text", [Rel(0, WIDE_64, "d")], [Rel(0, WIDE_64, "common")], "-fno-common"),
        (".text", [Rel(0, WIDE_64, "d")], [Rel(0, WIDE_64, "extended")], "reserved section index"),
        (".text", [Rel(16, CALL_32, "f")], [Rel(16, CALL_32, "absolute")], "SHN_ABS"),
        (".data", [Rel(0, ABS64, "d")], [Rel(0, WIDE_64, "d")], "relocation type 1 in writable data"),
        (".data", [Rel(0, ABS64, "d")], [Rel(0, CALL_32, "helper_five")], "relocation type 10 in writable data"),
        (".data", [Rel(0, ABS64, "d")], [Rel(0, NODYLD32, "d")], "relocation type 4 in writable data"),
        (".data", [Rel(0, ABS64, "d")], [Rel(0, ABS64, "f")], "no function pointers"),
        (".data", [Rel(0, ABS64, "d"), Rel(8, ABS64, "d")], [Rel(0, ABS64, "d"), Rel(7, ABS64, "d")], "two relocat"),
        (".data", [Rel(4, ABS32, "d"), Rel(8, ABS64, "d")], [Rel(5, ABS32, "d"), Rel(8, ABS64, "d")], "two relocat"),
    ],
)
def test_a_relocation_is_accepted_next_to_its_nearest_refusal(
    section: str, good: list[Rel], bad: list[Rel], why: str
) -> None:
    def relocated(entries: list[Rel]) -> Mapping[str, list[Rel]]:
        return {".text": entries} if section == ".text" else {".text": [Rel(0, WIDE_64, "d")], section: entries}

    linked(write(PLAIN, PLAIN_SYMBOLS, relocated(good)))
    with pytest.raises(LinkError, match=why):
        linked(write(PLAIN, PLAIN_SYMBOLS, relocated(bad)))


def test_a_symbol_is_defined_in_a_section_of_the_file() -> None:
    """Sections: .text, d, .rel.text, .symtab, .strtab, .shstrtab. Those that are no data are refused as such."""
    for section, error in ((2, None), (6, "no data that can be loaded"), (7, "the file has sections 1 to 6")):
        symbols = [Sym("x", section, 0, OBJECT)]
        data = write([text(*lddw(), EXIT), Sec("d", A, bytes(8))], symbols, {".text": [Rel(0, WIDE_64, "x")]})
        if error is None:
            assert wide(linked(data)) == RO
        else:
            with pytest.raises(ElfError, match=error):
                linked(data)


@pytest.mark.parametrize("flags", [A, A | W])
def test_a_section_without_bytes_has_nothing_to_relocate(flags: int) -> None:
    for content in (bytes(8), 8):
        sections = [text(*lddw(), EXIT), Sec("d", flags, content, NOBITS if content == 8 else 1), RODATA]
        relocations = {".text": [Rel(0, WIDE_64, "d")], "d": [Rel(0, ABS64, ".rodata")]}
        if content == 8:
            with pytest.raises(LinkError, match="nothing to relocate"):
                linked(write(sections, [], relocations))
        else:
            linked(write(sections, [], relocations))


def test_a_call_to_a_function_elsewhere_has_imm_minus_1_and_src_0_or_1() -> None:
    for imm in (-2, -1, 0, 5):
        for source in range(4):
            data = write([text(call(imm, source), EXIT)], [Sym("print")], {".text": [Rel(0, CALL_32, "print")]})
            if imm == -1 and source < 2:
                assert called(linked(data), 0) == (0, 1)
            else:
                with pytest.raises(LinkError):
                    linked(data)
