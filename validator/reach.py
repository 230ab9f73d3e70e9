"""Which sections of an object are loaded, and what each of their relocations refers to.

Input: an object from `elf`. Output: its code sections, all of them, and the data sections that code reaches through
relocations, directly or through the relocations of other data; for each the relocations, with the symbol looked up.
Decides: what is loaded, as what, and that each relocation names something that exists. Sections that nothing reaches
(.eh_frame, .BTF, .debug*, license) are neither read nor checked: ordinary objects carry relocations there that mean
nothing to a loader. Trusts `elf`. Trusted by `link`, which still compares every offset with its section.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from validator.elf import (
    ABSOLUTE,
    ALLOC,
    COMMON,
    CREL,
    EXECINSTR,
    LOCAL,
    NOBITS,
    PROGBITS,
    REL,
    RELA,
    RESERVED,
    TLS,
    UNDEFINED,
    WRITE,
    Claim,
    ElfObject,
    Relocation,
    RelocationType,
    Section,
    Symbol,
    check_claims,
    claim,
    contents,
    function_symbols,
    malformed,
    read_object,
    relocations,
    section_name,
    shown_name,
    symbol,
    symbol_name,
    tables_claimed,
)
from validator.errors import ElfError, LinkError
from validator.isa import SLOT_BYTES

MAX_ALIGNMENT = 4096


class Role(Enum):
    """What a loaded section is for: the order in which they are laid out."""

    CODE = "code"
    READ_ONLY = "read-only data"
    WRITABLE = "writable data"
    ZERO = "zero-initialised writable data"


class Reference(NamedTuple):
    """A relocation with its symbol looked up. `offset` counts bytes from the start of the relocated section.

    `section` is where the symbol is defined and `value` its offset there; section 0: the symbol is undefined, and
    `name` is what to look for elsewhere. `name` is empty for a defined symbol.
    """

    offset: int
    type: RelocationType
    section: int
    value: int
    name: str


@dataclass(frozen=True, slots=True)
class LoadedSection:
    """A section that is loaded. `content` is what the file holds: `size` bytes, or none (then they are zeros)."""

    name: str
    role: Role
    content: bytes
    size: int
    alignment: int
    references: tuple[Reference, ...]


class FunctionSymbol(NamedTuple):
    """A function that a code section defines. `offset` counts bytes from the start of the section."""

    name: str  # empty for a local function: nothing looks for it
    binding: int
    section: int
    offset: int


@dataclass(frozen=True, slots=True)
class Reached:
    """What of an object is loaded: sections by their index in the file, in the file's order within each role."""

    sections: Mapping[int, LoadedSection]
    functions: tuple[FunctionSymbol, ...]


def reach(data: bytes) -> Reached:
    """What of the object in `data` is loaded. Raises ElfError, LinkError, LimitExceeded."""
    elf = read_object(data)
    claims = tables_claimed(elf)
    tables = _relocation_sections(elf)
    code = [index for index, section in enumerate(elf.sections) if _is_code(section)]
    if not code:
        raise LinkError("the object has no code: no section that is SHF_ALLOC and SHF_EXECINSTR and not empty")
    sections: dict[int, LoadedSection] = {}
    pending = list(code)
    while pending:
        index = pending.pop()
        if index in sections:
            continue
        sections[index] = loaded = _load(elf, index, tables.get(index, ()), claims)
        pending.extend(reference.section for reference in loaded.references if reference.section != UNDEFINED)
    check_claims(claims, elf)
    return Reached(dict(sorted(sections.items())), _functions(elf, frozenset(code)))


def _is_code(section: Section) -> bool:
    """An empty code section is none: compilers put an empty .text beside named sections."""
    wanted = ALLOC | EXECINSTR
    return section.type == PROGBITS and section.flags & wanted == wanted and section.size > 0


def _relocation_sections(elf: ElfObject) -> dict[int, list[int]]:
    """The sections of relocations for each section: there may be several for one."""
    tables: dict[int, list[int]] = {}
    for index, section in enumerate(elf.sections):
        if section.type in (REL, RELA, CREL):
            if not 0 < section.info < len(elf.sections):
                found = f"sh_info is {section.info}, the file has sections 1 to {len(elf.sections) - 1}"
                raise malformed(elf, index, f"the relocations are for no section: {found}")
            tables.setdefault(section.info, []).append(index)
    return tables


def _load(elf: ElfObject, index: int, tables: Sequence[int], claims: list[Claim]) -> LoadedSection:
    section = elf.sections[index]
    role = _role(elf, index, section)
    content = b""
    if section.type != NOBITS:
        claim(claims, elf, index)
        content = contents(elf, index)
    references: list[Reference] = []
    names: dict[int, str] = {}
    for table in tables:
        if elf.sections[table].type != REL:
            raise malformed(elf, table, "BPF objects carry their addends in place: the type must be SHT_REL")
        claim(claims, elf, table)
        for entry in relocations(elf, table):
            if entry.type != RelocationType.NONE:
                references.append(_reference(elf, index, entry, names))
    if references and section.type == NOBITS:  # nobody would apply them
        raise LinkError("a section without bytes in the file has nothing to relocate", section=shown_name(elf, index))
    return LoadedSection(
        section_name(elf, index), role, content, section.size, max(section.alignment, 1), tuple(references)
    )


def _role(elf: ElfObject, index: int, section: Section) -> Role:
    alignment = section.alignment
    if alignment > MAX_ALIGNMENT or alignment & (alignment - 1):
        raise malformed(elf, index, f"alignment {alignment}: it must be a power of two up to {MAX_ALIGNMENT}")
    writable = bool(section.flags & WRITE)
    if section.flags & EXECINSTR:
        if writable:
            raise malformed(elf, index, "code that is writable: SHF_EXECINSTR and SHF_WRITE exclude each other")
        if section.size % SLOT_BYTES:
            found = f"{section.size} bytes of code"
            raise malformed(elf, index, f"{found}; instructions fill multiples of {SLOT_BYTES}")
        if section.type != PROGBITS or not section.flags & ALLOC:
            raise malformed(elf, index, "code that is not loaded: it must be SHT_PROGBITS and SHF_ALLOC")
        return Role.CODE
    if not section.flags & ALLOC or section.flags & TLS or section.type not in (PROGBITS, NOBITS):
        found = f"type {section.type}, flags {section.flags:#x}"
        raise malformed(elf, index, f"a relocation refers to it, but it is no data that can be loaded: {found}")
    if not writable:
        return Role.READ_ONLY
    return Role.ZERO if section.type == NOBITS else Role.WRITABLE


def _reference(elf: ElfObject, relocated: int, entry: Relocation, names: dict[int, str]) -> Reference:
    """What a relocation of section `relocated` refers to; `names` keeps the names that were read before."""
    kind = _TYPES.get(entry.type)
    row = symbol(elf, entry.symbol)
    if kind is None:
        known = ", ".join(str(kind.value) for kind in RelocationType)
        raise _refused(elf, relocated, entry, row, f"relocation type {entry.type}; BPF has {known}")
    if row.section == UNDEFINED:
        if entry.symbol == 0:
            raise _refused(elf, relocated, entry, row, "the relocation names no symbol")
        if kind is not RelocationType.CALL_32:
            raise _refused(elf, relocated, entry, row, "data that is not defined; only functions may be the host's")
        if entry.symbol not in names:
            names[entry.symbol] = symbol_name(elf, row)
        return Reference(entry.offset, kind, UNDEFINED, 0, names[entry.symbol])
    if row.section >= RESERVED:
        why = _RESERVED.get(row.section, f"reserved section index {row.section:#x}")
        raise _refused(elf, relocated, entry, row, why)
    if row.section >= len(elf.sections):
        found = f"it is defined in section {row.section}, the file has sections 1 to {len(elf.sections) - 1}"
        raise ElfError(f"symbol {entry.symbol}: {found}")
    in_code = bool(elf.sections[row.section].flags & EXECINSTR)
    if kind is RelocationType.CALL_32 and not in_code:
        raise _refused(elf, relocated, entry, row, "a call to data")
    if kind is not RelocationType.CALL_32 and in_code:
        raise _refused(elf, relocated, entry, row, "the address of a function is taken; there are no function pointers")
    return Reference(entry.offset, kind, row.section, row.value, "")


_TYPES = {kind.value: kind for kind in RelocationType}
_RESERVED = {
    ABSOLUTE: "an absolute address (SHN_ABS): an object may only name addresses inside its own sections",
    COMMON: "a common symbol (SHN_COMMON), which has no section; compile with -fno-common",
}


def _refused(elf: ElfObject, relocated: int, entry: Relocation, row: Symbol, reason: str) -> LinkError:
    name = symbol_name(elf, row)
    if not name and 0 < row.section < len(elf.sections):
        name = shown_name(elf, row.section)
    return LinkError(reason, section=shown_name(elf, relocated), offset=entry.offset, symbol=name)


def _functions(elf: ElfObject, code: frozenset[int]) -> tuple[FunctionSymbol, ...]:
    functions: list[FunctionSymbol] = []
    for row in function_symbols(elf, code):
        size = elf.sections[row.section].size
        if row.value == size and row.size == 0:
            continue  # what clang makes of a function that is all __builtin_unreachable(); a call to it is refused
        if row.value % SLOT_BYTES or row.value >= size:
            found = f"the section has {size:#x} bytes, and instructions start at multiples of {SLOT_BYTES}"
            name = symbol_name(elf, row)
            raise LinkError(
                f"no function can start here: {found}",
                section=shown_name(elf, row.section),
                offset=row.value,
                symbol=name,
            )
        name = "" if row.binding == LOCAL else symbol_name(elf, row)
        functions.append(FunctionSymbol(name, row.binding, row.section, row.value))
    return tuple(functions)
