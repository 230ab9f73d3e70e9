"""pyelftools reads the same objects and knows nothing of our reader: what both accept, they must read alike.

Optional: without pyelftools nothing is compared, and `AVAILABLE` says so.
"""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any

from validator.elf import REL, SYMTAB, ElfObject, read_object, relocations, section_name, symbol, symbol_name
from validator.errors import LoadError

AVAILABLE = importlib.util.find_spec("elftools") is not None

SECTION_FIELDS = (
    *("sh_name", "sh_type", "sh_flags", "sh_addr", "sh_offset"),
    *("sh_size", "sh_link", "sh_info", "sh_addralign", "sh_entsize"),
)
MOST_ROWS = 2000  # of one table, in one comparison: a hostile table has as many as the file has bytes for


def disagreements(data: bytes) -> list[str]:
    """How the two readers differ on `data`; nothing, if one of them refuses it."""
    try:
        elf = read_object(data)
    except LoadError:
        return []
    return list(islice(_compared(data, elf), 9))


def _compared(data: bytes, elf: ElfObject) -> Iterator[str]:
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile
    from elftools.elf.enums import ENUM_SH_TYPE_BASE
    from elftools.elf.relocation import RelocationSection
    from elftools.elf.sections import SymbolTableSection

    # pyelftools lets through what it stumbles over: texts that are none, numbers that no seek takes, missing tables
    refusals = (LoadError, ELFError, ValueError, OverflowError, AttributeError, TypeError, KeyError, IndexError)
    types = {**ENUM_SH_TYPE_BASE, "SHT_LLVM_ADDRSIG": 0x6FFF4C03}
    theirs: list[Any] = []
    with suppress(*refusals):
        theirs = list(ELFFile(io.BytesIO(data)).iter_sections())
    if not theirs:
        return
    if len(theirs) != len(elf.sections):
        yield f"{len(elf.sections)} sections, pyelftools finds {len(theirs)}"
        return
    for index, (ours, section) in enumerate(zip(elf.sections, theirs, strict=True)):
        fields = {field: section[field] for field in SECTION_FIELDS}
        fields["sh_type"] = types.get(fields["sh_type"], fields["sh_type"])  # it gives types that it knows a name
        if tuple(ours) != tuple(fields.values()):
            yield f"section {index}: {tuple(ours)}, pyelftools reads {tuple(fields.values())}"
        with suppress(*refusals):
            if section_name(elf, index) != section.name:
                yield f"section {index} is {section_name(elf, index)!r}, pyelftools reads {section.name!r}"
        if isinstance(section, SymbolTableSection) and ours.type == SYMTAB:
            with suppress(*refusals):
                for at, row in enumerate(islice(section.iter_symbols(), MOST_ROWS)):
                    yield from _symbol_compared(elf, at, row.entry, row.name)
        if isinstance(section, RelocationSection) and ours.type == REL:
            with suppress(*refusals):
                entries = [
                    (entry["r_offset"], entry["r_info_type"], entry["r_info_sym"])
                    for entry in islice(section.iter_relocations(), MOST_ROWS)
                ]
                if [tuple(entry) for entry in relocations(elf, index)[:MOST_ROWS]] != entries:
                    yield f"the relocations of section {index} differ"


def _symbol_compared(elf: ElfObject, at: int, row: Mapping[str, int], name: str) -> Iterator[str]:
    ours = symbol(elf, at)
    if (ours.value, ours.size, ours.name_offset) != (row["st_value"], row["st_size"], row["st_name"]):
        yield f"symbol {at}: {tuple(ours)}, pyelftools reads {row}"
    with suppress(LoadError):
        if symbol_name(elf, ours) != name:
            yield f"symbol {at} is {symbol_name(elf, ours)!r}, pyelftools reads {name!r}"
