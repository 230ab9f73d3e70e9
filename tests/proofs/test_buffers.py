"""Unknown bytes are read and written as `struct` and bytearrays do it, or not at all."""

from __future__ import annotations

import struct
from types import ModuleType
from typing import Any

import pytest
import z3

from proofs.buffers import Buffer, Format, Image, Padding, Piece, names_of
from proofs.executor import NotExplored, PathFailed, explore
from proofs.placements import every, unknown
from proofs.solver import Status, decided
from proofs.symbolic import as_int
from proofs.theorem import Obligation
from validator import relocations

CONTENT = bytes((0x85, 0x1A, 0xFF, 0x7F, 0xFE, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4, 5, 6, 7, 0x88, 9))
FORMATS = [value for value in names_of(relocations).values() if isinstance(value, Format)]


def on_content(buffer: Buffer, value: Any) -> int:  # noqa: ANN401
    """`value`, read from `buffer`, if that holds CONTENT."""
    known = [
        (buffer.number(at, size).bits.arg(0), z3.BitVecVal(int.from_bytes(CONTENT[at : at + size], "little"), 8 * size))
        for size in (1, 4, 8)
        for at in range(len(CONTENT) - size + 1)
    ]
    return int(z3.simplify(z3.substitute(as_int(value).bits, *known)).as_signed_long())


@pytest.mark.parametrize("text", ["<i", "<I", "<q", "<Q", "<4xI4xI", "<BBxxi"])
def test_formats_read_what_struct_reads(text: str) -> None:
    known = struct.Struct(text)
    for at in range(len(CONTENT) - known.size + 1):
        buffer = Buffer("content", len(CONTENT))
        read = [on_content(buffer, value) for value in Format(known).unpack_from(buffer, at)]
        assert tuple(read) == known.unpack_from(CONTENT, at)
    with pytest.raises(IndexError):
        Format(known).unpack_from(Buffer("content", len(CONTENT)), len(CONTENT) - known.size + 1)


def test_all_formats_of_the_linker_are_modelled() -> None:
    assert len(FORMATS) == 3
    assert set(names_of(relocations)["_ADDRESSES"]) == set(relocations._ADDRESSES)


@pytest.mark.parametrize("text", ["<i", "<I", "<q", "<Q"])
def test_formats_write_what_struct_writes(text: str) -> None:
    known = struct.Struct(text)
    for value in (0, -1, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**32 - 1, 2**32, 2**63, 2**64 - 1, 2**64):
        buffer = Buffer("content", len(CONTENT))
        try:
            known.pack(value)
        except struct.error:
            with pytest.raises(struct.error):
                Format(known).pack_into(buffer, 1, value)
        else:
            Format(known).pack_into(buffer, 1, value)
            assert buffer.written == [(1, known.size, value)]


def test_padding_would_be_cleared_and_is_refused() -> None:
    with pytest.raises(NotExplored):
        Format(struct.Struct("<4xI")).pack_into(Buffer("content", 9), 0, 1)


def test_what_was_written_is_not_read_back_as_it_was() -> None:
    buffer = Buffer("content", 9)
    copy = buffer.copied()
    copy[3] = 7
    with pytest.raises(NotExplored):
        _ = copy[3]
    assert buffer[3] is not None
    with pytest.raises(ValueError, match="byte"):
        copy[3] = 256


def test_places_outside_are_errors() -> None:
    u = unknown()
    buffer, at = Buffer("content", u.between("length", 0, 99)), u.between("at", 0, 99)
    with pytest.raises(PathFailed, match="IndexError"):
        list(explore(lambda: buffer[at], assuming=tuple(u.given)))
    u.given.append(every(at < buffer.length))
    assert len(list(explore(lambda: buffer[at], assuming=tuple(u.given)))) == 1


def test_a_search_finds_the_slot_that_is_looked_at_or_nothing() -> None:
    u = unknown()
    slot, start = u.between("slot", 0, 12), u.between("start", 0, 12)
    buffer = Buffer("content", 80, slot)

    def found() -> object:
        return buffer[::8].find(0x85, start)

    opcode = buffer.number(slot * 8, 1)
    there = every(slot >= start, slot < 10, opcode == 0x85)
    for path in explore(found, assuming=tuple(u.given)):
        claim = every(path.returned == -1) == z3.Not(there)
        assert decided(Obligation("", path.conditions, claim)).status is Status.PROVED


def test_an_image_knows_where_its_pieces_begin() -> None:
    image = Image()
    for part in (Piece(3, "a"), Padding(5), Piece(2, "b")):
        image += part
    assert (image.length, image.pieces) == (10, [(0, "a"), (8, "b")])


def test_builtins_are_pythons_for_everything_else() -> None:
    names = names_of(ModuleType("empty"))
    assert names["len"]([1, 2]) == 2
    assert names["bytes"](b"x") == b"x"
    with pytest.raises(ValueError, match="negative"):
        names["bytes"](-1)
