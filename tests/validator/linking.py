"""Linking in tests: one place for the regions, one set of helpers, and a look at what came out."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from differential.hostile.elf_writer import A, Sec, X, code
from validator.link import Linked, link

RO, RW = 0x10000, 0x30000
RODATA = Sec(".rodata", A, bytes(8))
HELPERS = {"helper_five": 5, "print": 1}


def place(_read_only: int, _writable: int) -> tuple[int, int]:
    return RO, RW


def linked(data: bytes, libraries: Sequence[bytes] = ()) -> Linked:
    return link(data, HELPERS, place, libraries)


def text(*slots: tuple[int, int, int, int, int], name: str = ".text") -> Sec:
    return Sec(name, A | X, code(*slots))


def wide(program: Linked, pc: int = 0) -> int:
    """The 64-bit immediate of the lddw at `pc`."""
    low, high = struct.unpack_from("<4xI4xI", program.code, pc * 8)
    return int(low | high << 32)


def called(program: Linked, pc: int) -> tuple[int, int]:
    """(src, imm) of the call at `pc`."""
    opcode, registers, imm = struct.unpack_from("<BB2xi", program.code, pc * 8)
    assert opcode == 0x85
    return registers >> 4, imm
