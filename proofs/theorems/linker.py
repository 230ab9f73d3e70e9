"""linker.inside: where the linker writes, and what.

The shipped functions patch sections of which nothing is known but that the file holds as many bytes as the section has
(`reach` reads them so): sizes, places, offsets, symbol values, and all bytes are unknown. One relocation is applied at
a time; `_fields` shows that no two touch the same byte, so that each finds its addend as the file has it. Then `link`
itself runs on objects of two sections for each role, and a library: where sections lie, and who is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import combinations, product
from typing import Any

import z3

from proofs.buffers import Buffer, Image, Piece, Write, names_of
from proofs.executor import explore, relevant
from proofs.placements import every, is_power_of_two, some, unknown, within
from proofs.programs import modelled
from proofs.symbolic import as_int, condition_of
from proofs.theorem import Case, Obligation, Theorem, register
from validator import link, relocations
from validator.elf import GLOBAL, UNDEFINED, RelocationType
from validator.errors import LimitExceeded, LinkError
from validator.isa import SLOT_BYTES
from validator.reach import MAX_ALIGNMENT, FunctionSymbol, LoadedSection, Reached, Reference, Role
from validator.relocations import Places, address_inside, called_slot
from validator.validate import MAX_SLOTS

SIZE = 1 << 40  # of a section: more than a file of 8 MiB claims
VALUE = 1 << 64
NAMED = 2  # the index of the section that a relocation names
FUNCTION, HELPER = "a function", "a helper"


def _address() -> Iterator[Obligation]:
    u = unknown()
    low, size = u.between("low", 0, SIZE), u.between("size", 0, SIZE)
    value, addend = (u.between(name, -VALUE, VALUE) for name in ("value", "addend"))
    inside = every(within(0, value, 0, size), within(0, value + addend, 0, size), value >= 0, value + addend >= 0)
    for path in explore(partial(address_inside, low, size, value, addend), assuming=tuple(u.given)):
        if path.returned is None:
            yield Obligation("refused", path.conditions, z3.Not(inside), tuple(u.shown))
            continue
        address = as_int(path.returned)
        named = every(address >= low, address <= low + size, address == low + value + addend)
        yield Obligation("written", relevant(path.conditions, named), every(named, inside), tuple(u.shown))


def _call() -> Iterator[Obligation]:
    u = unknown()
    size, value = u.between("size", 0, SIZE), u.between("value", 0, VALUE)
    imm = u.between("imm", -(1 << 31), (1 << 31) - 1)
    for path in explore(partial(called_slot, size, value, imm), assuming=tuple(u.given)):
        meant = value + (imm + 1) * SLOT_BYTES
        inside = every(value % SLOT_BYTES == 0, value < size, meant >= 0, meant < size)
        if path.returned is None:
            yield Obligation("refused", path.conditions, z3.Not(inside), tuple(u.shown))
        else:
            slot = as_int(path.returned)
            claim = every(slot >= 0, slot * SLOT_BYTES < size, condition_of(slot * SLOT_BYTES == meant), inside)
            yield Obligation("entered", path.conditions, claim, tuple(u.shown))


# ---------------------------------------------------------------- relocations


class _Patched:
    """A section, and a relocation in it that names another section, or a function of another object by its name."""

    def __init__(self, role: Role, kind: RelocationType, name: str) -> None:
        self.u = u = unknown()
        self.role, self.name = role, name
        self.size, self.offset = u.between("size", 0, SIZE), u.between("offset", 0, VALUE)
        self.low, self.target_size = u.between("low", 0, SIZE), u.between("size of the named section", 0, SIZE)
        self.first, self.here, self.function = (u.between(n, 0, MAX_SLOTS) for n in ("first", "here", "function"))
        self.helper, self.value = u.between("helper", 0, (1 << 31) - 1), u.between("value", 0, VALUE)
        if role is Role.CODE:
            u.given.append(_holds_code(self.here, self.size))
        if kind is RelocationType.CALL_32:
            u.given.append(_holds_code(self.first, self.target_size))
        self.reference = Reference(self.offset, kind, UNDEFINED if name else NAMED, self.value, name)
        self.content = Buffer("content", self.size, u.between("a slot", 0, SIZE))

    def relocated(self) -> Buffer:
        content: Any = self.content
        section = LoadedSection("patched", self.role, content, self.size, 8, (self.reference,))
        named = LoadedSection("named", Role.CODE, b"", self.target_size, 8, ())
        functions, helpers = {FUNCTION: self.function}, {HELPER: self.helper}
        places = Places({NAMED: named}, {NAMED: self.low}, {NAMED: self.first}, functions, helpers)
        patched: Any
        with modelled(relocations, names_of(relocations)):
            if self.role is Role.CODE:
                patched = relocations.relocated_code(section, places, self.here)
            else:
                patched = relocations.relocated_data(section, places)
        return patched  # type: ignore[no-any-return]


def _holds_code(first: Any, size: Any) -> z3.BoolRef:  # noqa: ANN401
    """Slots from pc `first`, in a program that is no longer than `link` lets one be."""
    return every(size % SLOT_BYTES == 0, first * SLOT_BYTES + size <= MAX_SLOTS * SLOT_BYTES)


Claims = Iterator[tuple[str, z3.BoolRef]]


def _relocated(role: Role, kind: RelocationType, name: str) -> Iterator[Obligation]:
    patched = _Patched(role, kind, name)
    u, widths = patched.u, relocations._CODE_BYTES if role is Role.CODE else relocations._DATA_BYTES
    for path in explore(patched.relocated, assuming=tuple(u.given), allowed=(LinkError,)):
        if kind not in widths:
            refused = z3.BoolVal(path.raised is not None)
            yield Obligation("refused in such a section", path.conditions, refused, tuple(u.shown))
        elif path.raised is None:
            for what, claim in _KINDS[kind](patched, path.returned.written):
                yield Obligation(what, path.conditions, claim, tuple(u.shown))


def _wrote(patched: _Patched, written: list[Write], *fields: tuple[int, int]) -> Claims:
    """Exactly these fields, by distance from the relocation's offset and size: they lie in the section."""
    pairs = zip(written, fields, strict=False)  # their numbers are compared, too
    there = [every(write.at == patched.offset + at, write.size == size) for write, (at, size) in pairs]
    inside = [every(write.at >= 0, write.at + write.size <= patched.size) for write in written]
    yield "writes its field, inside the section", every(len(written) == len(fields), *there, *inside)


def _named(patched: _Patched, address: Any, addend: Any) -> Claims:  # noqa: ANN401
    """The address lies in the section that is named, or at its end: distances from its start are easier to compare."""
    distance = patched.value + addend
    yield "the address is off the start of the section that is named", condition_of(address == patched.low + distance)
    yield "and not beyond its end", every(distance >= 0, distance <= patched.target_size)


def _pointer(patched: _Patched, written: list[Write]) -> Claims:
    size = {RelocationType.ABS64: 8, RelocationType.ABS32: 4}[patched.reference.type]
    yield from _wrote(patched, written, (0, size))
    yield from _named(patched, written[0].value, patched.content.number(patched.offset, size, signed=True))


def _wide(patched: _Patched, written: list[Write]) -> Claims:
    """The immediates of the two slots of an lddw."""
    yield from _wrote(patched, written, (4, 4), (12, 4))
    address = written[0].value | written[1].value << 32
    yield from _named(patched, address, patched.content.number(patched.offset + 4, 4))
    yield "of an lddw", _starts(patched, 0x18)


def _called(patched: _Patched, written: list[Write]) -> Claims:
    """src and the immediate of a call; dst stays, and other calls stay in their section."""
    yield from _wrote(patched, written, (1, 1), (4, 4))
    yield "of a call", _starts(patched, 0x85)
    registers, imm = (write.value for write in written)
    source, enters = registers >> 4, patched.here + patched.offset // SLOT_BYTES + 1 + imm
    yield "dst stays", condition_of((registers & 15) == (patched.content.number(patched.offset + 1, 1) & 15))
    if patched.name == HELPER:
        yield "calls the helper", every(source == 0, imm == patched.helper)
    elif patched.name == FUNCTION:
        yield "enters the function", every(source == 1, enters == patched.function)
    else:
        slots = patched.target_size // SLOT_BYTES
        yield "enters the section", every(source == 1, enters >= patched.first, enters < patched.first + slots)


def _starts(patched: _Patched, opcode: int) -> z3.BoolRef:
    """The relocation is at an instruction with this opcode."""
    return every(patched.offset % SLOT_BYTES == 0, patched.content.number(patched.offset, 1) == opcode)


_KINDS = {
    RelocationType.ABS64: _pointer,
    RelocationType.ABS32: _pointer,
    RelocationType.WIDE_64: _wide,
    RelocationType.CALL_32: _called,
}


def _resolved() -> Iterator[Obligation]:
    """A call that the compiler resolved, at any slot that no relocation touches, stays in its section."""
    patched = _Patched(Role.CODE, RelocationType.CALL_32, HELPER)
    u, content, slot = patched.u, patched.content, patched.content.visited
    u.given.append(every(slot * SLOT_BYTES < content.length))
    for path in explore(patched.relocated, assuming=tuple(u.given), allowed=(LinkError,)):
        if path.raised is None:
            at = slot * SLOT_BYTES
            opcode, registers, imm = content.number(at, 1), content.number(at + 1, 1), content.number(at + 4, 4, True)
            local = every(opcode == 0x85, registers >> 4 == 1, patched.offset != at)
            inside = every(slot + 1 + imm >= 0, (slot + 1 + imm) * SLOT_BYTES < content.length)
            yield Obligation("stays inside", path.conditions, z3.Implies(local, inside), tuple(u.shown))


def _fields(role: Role, kinds: tuple[RelocationType, ...]) -> Iterator[Obligation]:
    """Several relocations of one section: all their bytes are inside, and no two have one in common."""
    u, widths = unknown(), relocations._CODE_BYTES if role is Role.CODE else relocations._DATA_BYTES
    content: Any = Buffer("content", u.between("size", 0, SIZE))
    offsets = [u.between(f"offset {n}", 0, VALUE) for n in range(len(kinds))]
    references = tuple(Reference(at, kind, NAMED, 0, "") for at, kind in zip(offsets, kinds, strict=True))
    section = LoadedSection("patched", role, content, content.length, 8, references)

    def check() -> None:
        with modelled(relocations, names_of(relocations)):
            relocations._check_fields(section, widths)

    for path in explore(check, assuming=tuple(u.given), allowed=(LinkError,)):
        if path.raised is None:
            fields = [(at, at + widths[kind]) for at, kind in zip(offsets, kinds, strict=True)]
            inside = every(*(end <= content.length for _, end in fields))
            apart = every(*(some(a[1] <= b[0], b[1] <= a[0]) for a, b in combinations(fields, 2)))
            yield Obligation("inside and apart", path.conditions, z3.And(inside, apart), tuple(u.shown))


# ---------------------------------------------------------------- places


class _Object:
    """Two sections for each role, in one order or the other, and a library of one section with one function.

    What lies before a section is as many bytes as the one before it makes of it: any number. So the second is any.
    """

    def __init__(self, roles: tuple[Role, ...]) -> None:
        self.u = u = unknown()
        self.sections = {n: self._section(n, role, ()) for n, role in enumerate(roles, 1)}
        first = next(n for n, role in enumerate(roles, 1) if role is Role.CODE)
        calls = Reference(0, RelocationType.CALL_32, UNDEFINED, 0, FUNCTION)
        self.sections[first] = replace(self.sections[first], references=(calls,))
        self.library = self._section(len(roles) + 1, Role.CODE, ())
        at = u.between("function", 0, SIZE)
        u.given.append(every(at % SLOT_BYTES == 0, at < self.library.size))  # `reach` refuses others
        self.function = FunctionSymbol(FUNCTION, GLOBAL, 1, at)
        self.read_only, self.writable = (u.between(name, 0, SIZE) for name in ("read-only", "writable"))
        u.given.append(every(self.read_only % MAX_ALIGNMENT == 0, self.writable % MAX_ALIGNMENT == 0))
        self.file: Any = Buffer("file", u.between("bytes of the file", 0, SIZE))

    def _section(self, number: int, role: Role, references: tuple[Reference, ...]) -> LoadedSection:
        size, alignment = self.u.between(f"size {number}", 0, SIZE), self.u.between(f"alignment {number}", 1, 4096)
        self.u.given.append(is_power_of_two(alignment))
        if role is Role.CODE:
            self.u.given.append(condition_of(size % SLOT_BYTES == 0))
        content: Any = Buffer(f"content {number}", size)
        return LoadedSection(f"section {number}", role, content, size, alignment, references)

    def linked(self) -> _Linking:
        """All of `link`, but for what `_relocated` shows of the bytes, and for entries, which `validate` judges."""
        done = _Linking()
        mine, theirs = Reached(self.sections, ()), Reached({1: self.library}, (self.function,))

        def place(*sizes: Any) -> tuple[Any, Any]:  # noqa: ANN401
            done.sizes = sizes
            return self.read_only, self.writable

        def code(section: LoadedSection, places: Places, here: int) -> bytes:
            done.code.append((section, places, here))
            return b""

        def data(section: LoadedSection, places: Places) -> Piece:
            done.addresses = places.addresses
            return Piece(section.size, section)

        names: dict[str, Any] = {"reach": lambda _: mine, "relocated_code": code, "relocated_data": data}
        names |= {"_starts": lambda _: (), "_section_entries": lambda _: {}}
        with modelled(link, {**names_of(link), **names}):
            done.linked = link.link(self.file, {}, place, (theirs,))
        return done


class _Linking:
    """What `link` has asked for, and what it returned."""

    sizes: tuple[Any, ...]
    addresses: Mapping[int, Any]
    linked: Any

    def __init__(self) -> None:
        self.code: list[tuple[LoadedSection, Places, Any]] = []


def _placed(roles: tuple[Role, ...]) -> Iterator[Obligation]:
    of = _Object(roles)
    for path in explore(of.linked, assuming=tuple(of.u.given), allowed=(LimitExceeded,)):
        if path.raised is None:
            for what, claim in (*_data_placed(of, path.returned), *_code_placed(of, path.returned)):
                yield Obligation(what, path.conditions, claim, tuple(of.u.shown))


def _data_placed(of: _Object, done: _Linking) -> Claims:
    """Each section lies in its region, apart from others, and its bytes are in the region's image where it lies."""
    regions = {
        Role.READ_ONLY: (of.read_only, done.sizes[0], done.linked.read_only),
        Role.WRITABLE: (of.writable, done.sizes[1], done.linked.writable),
        Role.ZERO: (of.writable, done.sizes[1], Image()),
    }
    data = {n: section for n, section in of.sections.items() if section.role is not Role.CODE}
    for n, section in data.items():
        low, size, image = regions[section.role]
        offset = done.addresses[n] - low
        yield f"a section is inside its region: {section.role.value}", every(offset >= 0, offset + section.size <= size)
        at = [begins == offset for begins, piece in image.pieces if piece is section]
        yield "its bytes are where it is", every(*at, len(at) == (section.role is not Role.ZERO))
        yield "and the image is no longer than the region", condition_of(image.length <= size)
    for (n, one), (m, other) in combinations(data.items(), 2):
        if regions[one.role][0] is regions[other.role][0]:
            a, b = done.addresses[n], done.addresses[m]
            yield "sections do not overlap", some(a + one.size <= b, b + other.size <= a)
    yield "the size is what was asked for", condition_of(done.linked.writable_size == done.sizes[1])


def _code_placed(of: _Object, done: _Linking) -> Claims:
    """Code sections follow each other from pc 0, each where others find it, and are as many slots as a program has."""
    end: Any = 0
    for section, places, here in done.code:
        number = next(n for n, known in places.sections.items() if known is section)
        yield "code is where the code before it ends", every(here == end, places.first[number] == here)
        end = here + section.size // SLOT_BYTES
    expected = [s for s in of.sections.values() if s.role is Role.CODE] + [of.library]
    yield "all code", z3.BoolVal([id(section) for section, _, _ in done.code] == [id(s) for s in expected])
    yield "fits a program", condition_of(end <= MAX_SLOTS)
    pc, here = done.code[0][1].functions[FUNCTION], done.code[-1][2]
    at = of.function.offset // SLOT_BYTES
    yield "a function is where it is", every(pc == here + at, at < of.library.size // SLOT_BYTES)


def _cases() -> Iterator[Case]:
    yield Case("address_inside", _address)
    yield Case("called_slot", _call)
    yield Case("resolved calls", _resolved)
    for role, widths in ((Role.CODE, relocations._CODE_BYTES), *((r, relocations._DATA_BYTES) for r in DATA)):
        for kind in RelocationType:
            for name in ("", FUNCTION, HELPER) if kind is RelocationType.CALL_32 else ("",):
                what = f"{role.value}, {kind.name}, {name or 'a section'}"
                yield Case(what, partial(_relocated, role, kind, name))
        for kinds in (*product(widths, repeat=2), *product(widths, repeat=3)):
            yield Case(f"{role.value}, {', '.join(kind.name for kind in kinds)}", partial(_fields, role, kinds))
    for name, order in (("roles in order", tuple(Role)), ("in reverse", tuple(reversed(Role)))):
        yield Case(f"places, {name}", partial(_placed, (*order, *order)))


DATA = (Role.READ_ONLY, Role.WRITABLE)  # `link` gives no other section to `relocated_data`

register(
    Theorem(
        id="linker.inside",
        statement="every address the linker writes lies in the region it names",
        ranges_over="every kind of relocation and of section; all numbers and bytes of the file",
        assumes=(
            "sizes and places of sections are below 2^40, symbol values below 2^64",
            "`reach` reads as many bytes of a section as it has, and finds functions in their sections",
            "`place` gives disjoint regions of the sizes that it is asked for; struct and sorting are Python's",
        ),
        depends=("validator.link", "validator.relocations", "validator.reach", "validator.isa"),
        cases=_cases,
    )
)
