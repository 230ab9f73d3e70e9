"""pyelftools reads the same objects and knows nothing of our reader: what both accept, they must read alike.

Compared are the rows, names and bytes of sections, the rows and names of symbols, and relocations. Where one of the two
readers refuses a part, that part is not compared, and no more than it. Ours refuses with LoadError only: whatever else
it raises is raised here, too.

Optional: without pyelftools nothing is compared, and `AVAILABLE` says so.
"""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar

from validator.elf import (
    NOBITS,
    REL,
    SYMTAB,
    ElfObject,
    contents,
    read_object,
    relocations,
    section_name,
    symbol,
    symbol_name,
)
from validator.errors import LoadError

AVAILABLE = importlib.util.find_spec("elftools") is not None

SECTION_FIELDS = (
    *("sh_name", "sh_type", "sh_flags", "sh_addr", "sh_offset"),
    *("sh_size", "sh_link", "sh_info", "sh_addralign", "sh_entsize"),
)
MOST_ROWS = 2000  # of one table, in one comparison: a hostile table has as many as the file has bytes for
MOST_BYTES = 1 << 20  # of all sections: a thousand of them can claim the same bytes

Read = TypeVar("Read")


def disagreements(data: bytes) -> list[str]:
    """How the two readers differ on `data`; nothing, if one of them refuses it."""
    elf = _ours(read_object, data)
    return [] if elf is None else list(islice(_compared(data, elf), 9))


def _ours(read: Callable[..., Read], *arguments: Any) -> Read | None:  # noqa: ANN401 - whatever `read` takes
    try:
        return read(*arguments)
    except LoadError:
        return None


def _theirs(read: Callable[..., Read], *arguments: Any) -> Read | None:  # noqa: ANN401 - whatever `read` takes
    from elftools.common.exceptions import ELFError

    try:
        return read(*arguments)
    # pyelftools lets through what it stumbles over: texts that are none, numbers that no seek takes, missing tables
    except (ELFError, ValueError, OverflowError, AttributeError, TypeError, KeyError, IndexError):
        return None


def _differ(what: str, ours: object, read: Callable[..., object], *arguments: object) -> Iterator[str]:
    """In words, if both read it and not the same. What we refuse pyelftools is not asked for: it would decompress."""
    if ours is None:
        return
    theirs = _theirs(read, *arguments)
    if theirs is not None and ours != theirs:
        yield f"{what}: {str(ours)[:80]}, pyelftools reads {str(theirs)[:80]}"


def _compared(data: bytes, elf: ElfObject) -> Iterator[str]:
    from elftools.elf.elffile import ELFFile
    from elftools.elf.relocation import RelocationSection
    from elftools.elf.sections import SymbolTableSection

    theirs: list[Any] | None = _theirs(lambda: list(ELFFile(io.BytesIO(data)).iter_sections()))
    if not theirs:
        return
    if len(theirs) != len(elf.sections):
        yield f"{len(elf.sections)} sections, pyelftools finds {len(theirs)}"
        return
    left = MOST_BYTES
    for index, (ours, section) in enumerate(zip(elf.sections, theirs, strict=True)):
        what = f"section {index}"
        yield from _differ(what, tuple(ours), _numbers, section)
        yield from _differ(f"the name of {what}", _ours(section_name, elf, index), getattr, section, "name")
        left -= ours.size
        if left >= 0 and ours.type != NOBITS:
            yield from _differ(f"the bytes of {what}", _ours(contents, elf, index), section.data)
        if isinstance(section, SymbolTableSection) and ours.type == SYMTAB:
            yield from _symbols_compared(elf, section)
        if isinstance(section, RelocationSection) and ours.type == REL:
            found = _ours(lambda at=index: [tuple(row) for row in relocations(elf, at)[:MOST_ROWS]])
            yield from _differ(f"relocations in {what}", found, _relocations, section)


def _numbers(section: Any) -> tuple[int, ...]:  # noqa: ANN401 - pyelftools has no types
    """Its row. Types that pyelftools knows have a name there."""
    from elftools.elf.enums import ENUM_SH_TYPE_BASE

    types = {**ENUM_SH_TYPE_BASE, "SHT_LLVM_ADDRSIG": 0x6FFF4C03}
    return tuple(types.get(section[field], section[field]) for field in SECTION_FIELDS)


def _relocations(section: Any) -> list[tuple[int, ...]]:  # noqa: ANN401 - pyelftools has no types
    rows = islice(section.iter_relocations(), MOST_ROWS)
    return [(row["r_offset"], row["r_info_type"], row["r_info_sym"]) for row in rows]


def _symbols_compared(elf: ElfObject, section: Any) -> Iterator[str]:  # noqa: ANN401 - pyelftools has no types
    for at in range(min(_theirs(section.num_symbols) or 0, MOST_ROWS)):
        ours, theirs = _ours(symbol, elf, at), _theirs(section.get_symbol, at)
        if ours is not None and theirs is not None:
            visible = ours._replace(other=ours.other & 7)  # pyelftools reads nothing else of `other`
            yield from _differ(f"symbol {at}", tuple(visible), _symbol_numbers, theirs.entry)
            yield from _differ(f"the name of symbol {at}", _ours(symbol_name, elf, ours), getattr, theirs, "name")


def _symbol_numbers(row: Any) -> tuple[int, ...]:  # noqa: ANN401 - pyelftools has no types
    """Its row. Numbers that pyelftools knows have a name there."""
    from elftools.elf.enums import ENUM_ST_INFO_BIND, ENUM_ST_INFO_TYPE, ENUM_ST_SHNDX, ENUM_ST_VISIBILITY

    def number(names: Mapping[str, int], value: int | str) -> int:
        return names[value] if isinstance(value, str) else value

    info, other = row["st_info"], row["st_other"]
    kind = number(ENUM_ST_INFO_BIND, info["bind"]) << 4 | number(ENUM_ST_INFO_TYPE, info["type"])
    visibility, where = number(ENUM_ST_VISIBILITY, other["visibility"]), number(ENUM_ST_SHNDX, row["st_shndx"])
    return row["st_name"], kind, visibility, where, row["st_value"], row["st_size"]
