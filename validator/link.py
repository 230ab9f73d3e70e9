"""An object file to a program: code as it will run, and the initial data of two regions.

Input: the bytes of an object, the helpers that the host offers, where the regions will lie, and libraries of functions
in guest code. Output: `Linked`. Decides, in this order: what is loaded (`reach`), who defines each undefined function
(the object, then a library, then the host), where sections lie within their region, and each relocated field. Trusts
`reach` for which section a relocation names, not for any offset in it. Trusted by nobody for the safety of the code:
`decode` and `validate` judge the bytes that come out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from validator.elf import GLOBAL, LOCAL, UNDEFINED
from validator.errors import LimitExceeded, LinkError, UnknownHelpers
from validator.isa import SLOT_BYTES
from validator.reach import MAX_ALIGNMENT, FunctionSymbol, LoadedSection, Reached, Role, reach
from validator.relocations import Places, relocated_code, relocated_data
from validator.validate import MAX_SLOTS

MAIN_SECTION = "spinfoam.main"
MAIN_FUNCTION = "main"
DEFAULT_SECTION = ".text"
SHOWN_NAMES = 20  # of a list in a message: an object may have 60,000 functions


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes. Claimed sizes are compared with these before memory is reserved."""

    file_bytes: int = 8 << 20
    code_bytes: int = MAX_SLOTS * SLOT_BYTES
    read_only_bytes: int = 16 << 20
    writable_bytes: int = 64 << 20


@dataclass(frozen=True, slots=True)
class PlacedCode:
    """The code section `name` fills the pcs [first, first + count). `library` is its object; None: the program."""

    name: str
    first: int
    count: int
    library: int | None = None


@dataclass(frozen=True, slots=True)
class Linked:
    """A program that is ready to be validated and to run.

    `entries` maps the code sections and the global functions of the object to pcs; a section's name beats a function's.
    `starts` are the pcs at which a function or a section starts, libraries included: nothing may run across one.
    `writable` is followed by zeros up to `writable_size`.
    """

    code: bytes
    entries: Mapping[str, int]
    functions: Mapping[str, int]
    starts: tuple[int, ...]
    read_only: bytes
    writable: bytes
    writable_size: int
    sections: tuple[PlacedCode, ...]

    def entry(self, name: str | None = None) -> int:
        """The pc of section or function `name`. Raises LinkError, which lists what there is.

        None: the section spinfoam.main; else the global function main; else .text if no other section has an entry;
        else the only global function.
        """
        if name is not None:
            if name in self.entries:
                return self.entries[name]
            raise LinkError(f"no section or global function {name!r}; there are: {_listed(self.entries)}")
        if MAIN_SECTION in self.entries:
            return self.entries[MAIN_SECTION]
        if MAIN_FUNCTION in self.functions:
            return self.functions[MAIN_FUNCTION]
        enterable = [s.name for s in self.sections if s.library is None and s.name in self.entries]
        if enterable == [DEFAULT_SECTION]:
            return self.entries[DEFAULT_SECTION]
        if len(self.functions) == 1:
            return next(iter(self.functions.values()))
        raise LinkError(f"the entry must be named, one of: {_listed(self.entries)}")

    def locate(self, pc: int) -> tuple[PlacedCode, int]:
        """The section that holds `pc`, and the offset in it in bytes. `pc` is one of the program's."""
        for section in self.sections:
            if section.first <= pc < section.first + section.count:
                return section, (pc - section.first) * SLOT_BYTES
        raise AssertionError(f"pc {pc} is in no section")


@dataclass(frozen=True, slots=True)
class _Unit:
    """An object that takes part, and the pc at which each of its code sections starts."""

    reached: Reached
    first: Mapping[int, int]
    library: int | None

    def code(self) -> Iterator[tuple[int, LoadedSection]]:
        return ((self.first[index], self.reached.sections[index]) for index in self.first)


def link(
    data: bytes,
    helpers: Mapping[str, int],
    place: Callable[[int, int], tuple[int, int]],
    libraries: Sequence[bytes | Reached] = (),
    limits: Limits = Limits(),
) -> Linked:
    """Link the object in `data`. Raises ElfError, LinkError, LimitExceeded.

    `place` is given the sizes of the read-only and the writable region in bytes, and returns their guest addresses,
    multiples of MAX_ALIGNMENT. A library is an object, or what `reach` made of one: read it once for many links.
    """
    if len(data) > limits.file_bytes:
        raise LimitExceeded("object size in bytes", len(data), limits.file_bytes)
    program = _unit(reach(data), 0, None)
    functions = _global_functions(program)
    units, known = _resolve(program, functions, helpers, libraries)
    sections = program.reached.sections
    read_only, read_only_size = _lay_out(sections, (Role.READ_ONLY,))
    writable, writable_size = _lay_out(sections, (Role.WRITABLE, Role.ZERO))
    for what, size, limit in (
        ("code in bytes", sum(len(section.content) for unit in units for _, section in unit.code()), limits.code_bytes),
        ("read-only data in bytes", read_only_size, limits.read_only_bytes),
        ("writable data in bytes", writable_size, limits.writable_bytes),
    ):
        if size > limit:
            raise LimitExceeded(what, size, limit)
    read_only_low, writable_low = place(read_only_size, writable_size)
    assert read_only_low % MAX_ALIGNMENT == writable_low % MAX_ALIGNMENT == 0, "place() must align the regions"
    addresses = {index: read_only_low + offset for index, offset in read_only.items()}
    addresses |= {index: writable_low + offset for index, offset in writable.items()}
    code = []
    for unit in units:
        places = Places(unit.reached.sections, addresses, unit.first, known, helpers)
        code += [relocated_code(section, places, first) for first, section in unit.code()]
    places = Places(sections, addresses, program.first, known, helpers)
    return Linked(
        code=b"".join(code),
        entries={**functions, **_section_entries(program)},
        functions=functions,
        starts=_starts(units),
        read_only=_image(read_only, places),
        writable=_image({i: at for i, at in writable.items() if sections[i].role is Role.WRITABLE}, places),
        writable_size=writable_size,
        sections=tuple(
            PlacedCode(section.name, first, len(section.content) // SLOT_BYTES, unit.library)
            for unit in units
            for first, section in unit.code()
        ),
    )


def _unit(reached: Reached, start: int, library: int | None) -> _Unit:
    """The object with its code sections one after the other from pc `start`."""
    first = {}
    for index, section in reached.sections.items():
        if section.role is Role.CODE:
            first[index] = start
            start += section.size // SLOT_BYTES
        elif library is not None:
            raise LinkError(f"library {library} has data; a library is code only", section=section.name)
    return _Unit(reached, first, library)


def _global_functions(unit: _Unit) -> dict[str, int]:
    functions: dict[str, int] = {}
    for function in unit.reached.functions:
        if function.binding == LOCAL:
            continue
        if function.name in functions:
            section = unit.reached.sections[function.section].name
            raise LinkError("a second definition", section=section, offset=function.offset, symbol=function.name)
        functions[function.name] = unit.first[function.section] + function.offset // SLOT_BYTES
    return functions


def _resolve(
    program: _Unit, functions: Mapping[str, int], helpers: Mapping[str, int], libraries: Sequence[bytes | Reached]
) -> tuple[list[_Unit], dict[str, int]]:
    """The program and the libraries that it needs, and the pc of each function that an undefined symbol may mean.

    A definition beats a helper of the same name, the program's beats a library's, an earlier library's a later one's.
    Raises UnknownHelpers for the names that are left over.
    """
    units, known = [program], dict(functions)
    unknown: dict[str, None] = {}
    offered: list[Reached] | None = None  # libraries are read when the first name is missing
    suppliers: dict[str, int] = {}
    for unit in units:  # grows
        for name in _undefined(unit):
            if name in known:
                continue
            if offered is None:
                offered = [lib if isinstance(lib, Reached) else reach(lib) for lib in libraries]
                suppliers = _suppliers(offered)
            if name in suppliers:
                library = suppliers[name]
                end = sum(len(section.content) for other in units for _, section in other.code()) // SLOT_BYTES
                units.append(_unit(offered[library], end, library))
                supplied = _global_functions(units[-1]).items()
                known = {**{name: pc for name, pc in supplied if suppliers[name] == library}, **known}
            elif name not in helpers:
                unknown[name] = None
    if unknown:
        raise UnknownHelpers(tuple(unknown), tuple(helpers))
    return units, known


def _suppliers(libraries: Sequence[Reached]) -> dict[str, int]:
    """The library that supplies each function: the first that defines it."""
    suppliers: dict[str, int] = {}
    for number, library in enumerate(libraries):
        for function in library.functions:
            if function.binding != LOCAL:
                suppliers.setdefault(function.name, number)
    return suppliers


def _undefined(unit: _Unit) -> Iterator[str]:
    """The functions that the code of `unit` calls and its object does not define, in the order of the calls."""
    for _, section in unit.code():
        for reference in sorted(section.references):
            if reference.section == UNDEFINED:
                yield reference.name


def _lay_out(sections: Mapping[int, LoadedSection], roles: Iterable[Role]) -> tuple[dict[int, int], int]:
    """The offset of each section of these roles from the start of their region, and the region's size."""
    offsets, end = {}, 0
    for role in roles:
        for index, section in sections.items():
            if section.role is role:
                offsets[index] = -(-end // section.alignment) * section.alignment
                end = offsets[index] + section.size
    return offsets, end


def _image(offsets: Mapping[int, int], places: Places) -> bytes:
    """The initial bytes of a region, up to the end of its last section; zeros between sections."""
    image = bytearray()
    for index, offset in offsets.items():
        section = places.sections[index]
        image += bytes(offset - len(image))
        image += relocated_data(section, places)
        image += bytes(offset + section.size - len(image))
    return bytes(image)


def _starts(units: Iterable[_Unit]) -> tuple[int, ...]:
    """Each section starts one too, with or without a symbol: the code before it is another section's."""
    starts: set[int] = set()
    for unit in units:
        starts.update(unit.first.values())
        starts.update(unit.first[f.section] + f.offset // SLOT_BYTES for f in unit.reached.functions)
    return tuple(sorted(starts))


def _section_entries(unit: _Unit) -> dict[str, int]:
    """Where running a section by its name begins; sections without such a place, or that share a name, have no entry.

    One global function: there. Otherwise at the section's start, but with several global functions only if a function
    starts at it: code without symbols is assembled by hand, and begins at its beginning.
    """
    by_section: dict[int, list[FunctionSymbol]] = {index: [] for index in unit.first}
    for function in unit.reached.functions:
        by_section[function.section].append(function)
    names = Counter(unit.reached.sections[index].name for index in unit.first)
    entries = {}
    for index, functions in by_section.items():
        name = unit.reached.sections[index].name
        offsets = {f.offset for f in functions}
        exported = {f.offset for f in functions if f.binding == GLOBAL}
        if names[name] > 1 or (len(exported) > 1 and 0 not in offsets):
            continue
        start = exported.pop() if len(exported) == 1 else 0
        entries[name] = unit.first[index] + start // SLOT_BYTES
    return entries


def _listed(names: Iterable[str]) -> str:
    ordered = sorted(names)
    more = f" and {len(ordered) - SHOWN_NAMES} more" if len(ordered) > SHOWN_NAMES else ""
    return (", ".join(ordered[:SHOWN_NAMES]) + more) or "none"
