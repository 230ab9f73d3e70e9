"""Kinds of objects: one sound object, and what others' loaders got wrong about objects like it.

The sound object loads a word of .rodata through a relocated lddw and returns it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from random import Random

from differential.hostile.elf_writer import (
    ABS,
    ABS32,
    ABS64,
    CALL_32,
    COMMON,
    EXIT,
    NOBITS,
    NODYLD32,
    UNDEF,
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
    section_names,
    with_header,
    with_section,
    write,
)
from differential.hostile.kinds import FAULT, REJECT, Case, CaseKind

Slot = tuple[int, int, int, int, int]
_MOV0 = (0xB7, 0, 0, 0, 0)


def _load(offset: int) -> Slot:
    return (0x61, 0, 1, offset, 0)  # ldxw r0, [r1 + offset]


def _words(random: Random) -> tuple[int, ...]:
    return tuple(random.getrandbits(32) for _ in range(random.randrange(2, 9)))


def _packed(words: tuple[int, ...]) -> bytes:
    return struct.pack(f"<{len(words)}I", *words)


def _sound(random: Random, more: tuple[Sec, ...] = (), extra: tuple[Rel, ...] = ()) -> tuple[bytes, int]:
    """The sound object, and what it returns."""
    words = _words(random)
    at = random.randrange(len(words))
    sections = (Sec(".text", A | X, code(*lddw(), _load(4 * at), EXIT)), Sec(".rodata", A, _packed(words)), *more)
    return write(sections, (), {".text": (Rel(0, WIDE_64, ".rodata"), *extra)}), words[at]


def _data_object(
    random: Random, reference: Rel | None, slots: tuple[Slot, ...], symbols: tuple[Sym, ...] = (), rodata: int = 8
) -> bytes:
    """Code with one relocation, and .rodata of that many bytes."""
    sections = (Sec(".text", A | X, code(*slots)), Sec(".rodata", A, random.randbytes(rodata)))
    return write(sections, symbols, {".text": (reference,)} if reference is not None else {})


def sound(random: Random) -> Case:
    """Accepted: with relocations of type 0, empty code sections, sections that nobody reaches, a thousand of them."""
    more: list[Sec] = []
    for _ in range(random.randrange(4)):
        more.append(
            random.choice(
                (
                    Sec(f"xdp{len(more)}", A | X, b""),
                    Sec(f"license{len(more)}", W | A, b"GPL\0"),
                    Sec(f".llvm_addrsig{len(more)}", 0, random.randbytes(9), 0x6FFF4C03),
                    Sec(f".eh_frame{len(more)}", A, random.randbytes(16)),
                    Sec(f".bss{len(more)}", A | W, random.randrange(99), NOBITS),
                )
            )
        )
    if random.random() < 0.1:
        more += [Sec(f"s{number}", A, b"x") for number in range(random.choice((10, 1000)))]
    extra = (Rel(random.choice((0, 8, 1 << 40)), 0, ".rodata"),) if random.random() < 0.3 else ()
    data, result = _sound(random, tuple(more), extra)
    return Case(data, result)


def debug_relocations(random: Random) -> Case:
    """Relocations of sections that nobody loads may say anything."""
    words = _words(random)
    sections = (
        Sec(".text", A | X, code(*lddw(), _load(0), EXIT)),
        Sec(".rodata", A, _packed(words)),
        Sec(".BTF", 0, bytes(24)),
    )
    wild = tuple(
        Rel(random.choice((0, 8, 1 << 40, 2**64 - 8)), random.choice((NODYLD32, 99)), ".text") for _ in range(3)
    )
    return Case(write(sections, (), {".text": (Rel(0, WIDE_64, ".rodata"),), ".BTF": wild}), words[0])


def cut_off(random: Random) -> Case:
    data, _ = _sound(random)
    return Case(data[: random.choice((0, 1, 63, random.randrange(64), random.randrange(len(data))))], REJECT)


_IDENTITY = {"ei_class": 2, "ei_data": 1, "ei_version": 1, "e_type": 1, "e_machine": 247, "e_version": 1}


def wrong_identity(random: Random) -> Case:
    data, _ = _sound(random)
    field = random.choice(list(_IDENTITY))
    wrong = random.choice([value for value in (0, 1, 2, 3, 62, 183, 243, 255) if value != _IDENTITY[field]])
    return Case(with_header(data, **{field: wrong}), REJECT)


def wrong_section_table(random: Random) -> Case:
    data, _ = _sound(random)
    size, count = len(data), len(section_names(data))
    return Case(
        random.choice(
            (
                with_header(data, e_shoff=random.choice((size, size + 64, size - 63, 2**64 - 64, 2**63))),
                with_header(data, e_shentsize=random.choice((0, 1, 40, 63, 65, 0xFFFF))),
                with_header(data, e_shnum=random.choice((0, count + 1, 65000, 0xFFFF))),
                with_header(data, e_ehsize=random.choice((0, 52, 63, 65))),
            )
        ),
        REJECT,
    )


def wrong_name_table(random: Random) -> Case:
    data, _ = _sound(random)
    names = section_names(data)
    size = section_field(data, ".shstrtab", "sh_size")
    return Case(
        random.choice(
            (
                with_header(data, e_shstrndx=random.choice((0, len(names), 0xFFFF, 0xFF00, names.index(".text")))),
                with_section(
                    with_header(data, e_shstrndx=0xFFFF), 0, sh_link=random.choice((0xFFFFFFFF, len(names) - 1))
                ),
                with_section(data, ".shstrtab", sh_size=size - random.choice((1, 2))),
                with_section(data, random.choice((".text", ".rodata")), sh_name=random.choice((size, 0xFFFFFFFF))),
            )
        ),
        REJECT,
    )


def section_outside(random: Random) -> Case:
    """Past the end of the file, at once or because offset + size wraps."""
    data, _ = _sound(random)
    name, size = random.choice((".text", ".rodata", ".symtab", ".strtab", ".rel.text")), len(data)
    return Case(
        random.choice(
            (
                with_section(
                    data, name, sh_size=random.choice((1 << 20, 1 << 40, 2**63, 2**64 - 8)) * 3 // 3 // 24 * 24
                ),
                with_section(data, name, sh_offset=random.choice((size - 7, size + 1, 2**63, 2**64 - 64))),
                with_section(data, name, sh_offset=2**64 - 0x180, sh_size=0x300),
            )
        ),
        REJECT,
    )


def overlap(random: Random) -> Case:
    data, _ = _sound(random)
    one, other = random.sample((".text", ".rodata", ".symtab", ".rel.text"), 2)
    if (one, other) == (".rel.text", ".rodata"):  # might be read as relocations of type 0: then nothing needs .rodata
        other = ".symtab"
    low, size = section_field(data, other, "sh_offset"), section_field(data, one, "sh_size")
    return Case(with_section(data, one, sh_offset=random.choice((low, low, 64 - size)) % 2**64), REJECT)


def wrong_code_section(random: Random) -> Case:
    """Half an instruction; bytes that are compressed, or may be written."""
    data, _ = _sound(random)
    size = section_field(data, ".text", "sh_size")
    return Case(
        random.choice(
            (
                with_section(data, ".text", sh_size=size - random.randrange(1, 8)),
                with_section(data, ".text", sh_flags=A | X | 0x800),
                with_section(data, ".text", sh_flags=A | X | W),
                with_section(data, ".text", sh_addralign=random.choice((3, 1 << 13, 2**63))),
            )
        ),
        REJECT,
    )


def no_such_entry(random: Random) -> Case:
    data, _ = _sound(random)
    return Case(data, REJECT, entry=random.choice(("nosuch", ".rodata", "", ".tex", "a" * 999)))


def relocation_misplaced(random: Random) -> Case:
    """Outside the section, wrapping, in the middle of an instruction, on half an lddw, on another instruction."""
    second = (*lddw(), _load(0), EXIT)
    half = (*lddw(), _MOV0, (0x18, 1, 0, 0, 0))
    offset = random.choice((8, 16, 24, 4, 1, 32, 40, 2**64 - 8, 2**64 - 4, 1 << 32))
    which = random.choice(
        (
            Case(_data_object(random, Rel(offset, WIDE_64, ".rodata"), second), REJECT),
            Case(_data_object(random, Rel(24, WIDE_64, ".rodata"), half), REJECT),
            Case(
                _data_object(
                    random,
                    Rel(random.choice((0, 8)), CALL_32, "helper_five"),
                    (_MOV0, _MOV0, EXIT),
                    (Sym("helper_five"),),
                ),
                REJECT,
            ),
        )
    )
    return which


def wrong_symbol_name(random: Random) -> Case:
    """st_name of the symbol that a call names: outside the string table, not UTF-8, or much too long."""
    name = random.choice(("zeta", "z" * random.choice((256, 5000)), "a\nb", "\x1b[31m"))
    data = _data_object(random, Rel(0, CALL_32, name), (call(), EXIT), (Sym(name),))
    if random.random() < 0.5:
        row = section_field(data, ".symtab", "sh_offset") + 24 * 3  # after symbol 0 and two of sections
        data = data[:row] + struct.pack("<I", random.choice((0xFFFFF, 2**32 - 1))) + data[row + 4 :]
    return Case(data, REJECT)


def wrong_links(random: Random) -> Case:
    data, _ = _sound(random)
    names = section_names(data)
    symtab = names.index(".symtab")
    return Case(
        random.choice(
            (
                with_section(data, ".symtab", sh_link=random.choice((symtab, 0, len(names), 2**32 - 1))),
                with_section(data, ".rel.text", sh_info=random.choice((0, 77, len(names), 2**32 - 1))),
                with_section(data, ".rel.text", sh_link=random.choice((0, symtab + 1, 2**32 - 1))),
                with_section(data, ".rel.text", sh_size=random.choice((1, 15, 17, 20))),
                with_section(data, ".rel.text", sh_entsize=random.choice((0, 8, 24))),
                with_section(data, ".symtab", sh_type=1),  # relocations, but no symbol table
                with_section(data, ".rel.text", sh_type=4),  # SHT_RELA, of other rows
            )
        ),
        REJECT,
    )


def wrong_relocation_type(random: Random) -> Case:
    kind = random.choice((3, 5, 9, 11, 99, 255, 2**32 - 1, ABS64, CALL_32))
    return Case(_data_object(random, Rel(0, kind, ".rodata"), (*lddw(), _load(0), EXIT)), REJECT)


def undefined_symbol(random: Random) -> Case:
    """Data must not become address 0, and a call to nobody is no call."""
    name = random.choice(("zeta", "alpha", "helper_fiv", ""))
    if random.random() < 0.5:
        return Case(_data_object(random, Rel(0, WIDE_64, name), (*lddw(), _load(0), EXIT), (Sym(name, UNDEF),)), REJECT)
    return Case(_data_object(random, Rel(0, CALL_32, name), (call(), EXIT), (Sym(name, UNDEF),)), REJECT)


def absolute_symbol(random: Random) -> Case:
    section = random.choice((ABS, COMMON, 0xFF00, 0xFFFF, 0xFF3F, 999))
    value = random.choice((0, 8, 0x7FFF12345678, 2**64 - 1))
    symbols = (Sym("there", section, value, type=1),)
    return Case(_data_object(random, Rel(0, WIDE_64, "there"), (*lddw(), _load(0), EXIT), symbols), REJECT)


def address_outside(random: Random) -> Case:
    """Symbol value and addend add up to something outside the section, or wrap."""
    size = 8
    value = random.choice((size + 1, 16, 2**31, 2**63, 2**64 - 8))
    addend = random.choice((size + 1, 0x7FFFFFFF, -8, -1))
    symbols = (Sym("there", ".rodata", value, type=1),)
    if random.random() < 0.4:
        return Case(_data_object(random, Rel(0, WIDE_64, "there"), (*lddw(), _load(0), EXIT), symbols), REJECT)
    if random.random() < 0.7:
        high = random.choice((0, -1)) if addend < 0 else random.choice((0, 0, 1, -1))
        slots = ((0x18, 1, 0, 0, addend), (0, 0, 0, 0, high), _load(0), EXIT)
        return Case(_data_object(random, Rel(0, WIDE_64, ".rodata"), slots), REJECT)
    words = struct.pack("<q", addend)
    sections = (Sec(".text", A | X, code(*lddw(), EXIT)), Sec(".data", A | W, words), Sec(".rodata", A, bytes(size)))
    pointers = {".text": (Rel(0, WIDE_64, ".data"),), ".data": (Rel(0, ABS64, ".rodata"),)}
    return Case(write(sections, (), pointers), REJECT)


def access_outside(random: Random) -> Case:
    """Loading is fine, the access is not: one past the end, or before the start."""
    size = random.choice((1, 3, 4, 8, 100))
    at = random.choice((size, size + 1, size - 3, -1, -4, 32767, -32768))
    slots = (*lddw(), _load(max(at, -32768)), EXIT)
    if random.random() < 0.3:
        slots = (*lddw(1, size), _load(0), EXIT)
    return Case(_data_object(random, Rel(0, WIDE_64, ".rodata"), slots, rodata=size), FAULT)


def sound_calls(random: Random) -> Case:
    """A call relocation on the first instruction; a call that needs none; a definition with a helper's name."""
    result = random.randrange(1 << 31)
    body = ((0xB7, 0, 0, 0, result), EXIT)
    name = random.choice(("f", "helper_five", "memcpy_", "strlen"))
    main = Sym("main", ".text", 0)
    match random.randrange(3):
        case 0:
            sections = (Sec(".text", A | X, code(call(), EXIT, *body)),)
            data = write(sections, (main, Sym(name, ".text", 16)), {".text": (Rel(0, CALL_32, name),)})
        case 1:
            data = write((Sec(".text", A | X, code(call(1), EXIT, *body)),), (main,))
        case _:
            both = (Sec(".text", A | X, code(call(), EXIT)), Sec("far", A | X, code(*body)))
            data = write(both, (main, Sym(name, "far", 0)), {".text": (Rel(0, CALL_32, name),)})
    return Case(data, result)


def misplaced_function(random: Random) -> Case:
    """A symbol that is called starts at no instruction of its section."""
    value = random.choice((4, 1, 32, 40, 2**63, 0xFFFFFFFFFFFFFFB8))
    symbols = (Sym("main", ".text", 0), Sym("f", ".text", value, size=8))
    text = code(call(), EXIT, _MOV0, EXIT)
    return Case(write((Sec(".text", A | X, text),), symbols, {".text": (Rel(0, CALL_32, "f"),)}), REJECT)


def function_pointer(random: Random) -> Case:
    """The address of code is taken, in code or in data; or data is called."""
    symbols = (Sym("main", ".text", random.choice((0, 8))),)
    if random.random() < 0.4:
        slots = (*lddw(), _MOV0, EXIT)
        return Case(_data_object(random, Rel(0, WIDE_64, random.choice((".text", "main"))), slots, symbols), REJECT)
    if random.random() < 0.5:
        sections = (Sec(".text", A | X, code(*lddw(), EXIT)), Sec(".data", A | W, bytes(16)))
        pointers = {".text": (Rel(0, WIDE_64, ".data"),), ".data": (Rel(8, ABS64, ".text"),)}
        return Case(write(sections, (), pointers), REJECT)
    slots = (call(), EXIT)
    return Case(_data_object(random, Rel(0, CALL_32, "data"), slots, (Sym("data", ".rodata", 0),)), REJECT)


def bss(random: Random) -> Case:
    """Zero whatever the file has where sh_offset points; relocations into it are refused."""
    size = random.choice((4, 16, 4096, 1 << 20))
    sections = (
        Sec(".text", A | X, code(*lddw(), _load(random.randrange(0, min(size, 32760) - 3)), EXIT)),
        Sec(".rodata", A, b"\xee" * 16),
        Sec(".bss", A | W, size, NOBITS),
    )
    pointers = {".text": (Rel(0, WIDE_64, ".bss"),)}
    if random.random() < 0.3:
        return Case(write(sections, (), {**pointers, ".bss": (Rel(0, ABS64, ".rodata"),)}), REJECT)
    data = write(sections, (), pointers)
    low = section_field(data, ".rodata", "sh_offset")
    return Case(with_section(data, ".bss", sh_offset=random.choice((low, 0, len(data) + 99, 2**64 - 1))), 0)


def absurd_bss(random: Random) -> Case:
    """Claimed sizes are compared with a limit before memory is reserved."""
    sections = (Sec(".text", A | X, code(*lddw(), EXIT)), Sec(".bss", A | W, 1 << 30, NOBITS))
    data = write(sections, (), {".text": (Rel(0, WIDE_64, ".bss"),)})
    size = random.choice((1 << 27, 2**63, 2**64 - 1, random.randrange(1 << 27, 2**64)))
    return Case(with_section(data, ".bss", sh_size=size), REJECT)


def write_to_read_only(random: Random) -> Case:
    """Stores and atomics, also a compare-and-exchange that does not succeed."""
    writing = random.choice(
        ((0x62, 1, 0, 0, 7), (0x7B, 1, 0, 0, 0), (0xC3, 1, 0, 0, 0xF1), (0xDB, 1, 0, 0, 0), (0x72, 1, 0, 7, 1))
    )
    return Case(_data_object(random, Rel(0, WIDE_64, ".rodata"), (*lddw(), _MOV0, writing, EXIT)), FAULT)


def bad_helper_range_in_data(random: Random) -> Case:
    """Begins in a section and ends behind it; or is all of one that may not be written."""
    size, inside = random.choice((8, 12, 64, 4096)), random.choice((1, 4, 7))
    low, length = random.choice(((size - inside, 8), (size, 1), (-1, 1), (-inside, 8), (0, size + 1), (0, 1 << 30)))
    section, flags, name = random.choice(((".rodata", A, "print"), (".data", A | W, "print"), (".data", A | W, "fill")))
    if random.random() < 0.3:
        low, length, section, flags, name = 0, random.choice((1, size)), ".rodata", A, "fill"
    slots = (*lddw(), (0x07, 1, 0, 0, low), (0xB7, 2, 0, 0, length), call(), EXIT)
    sections = (Sec(".text", A | X, code(*slots)), Sec(section, flags, random.randbytes(size)))
    relocations = (Rel(0, WIDE_64, section), Rel(32, CALL_32, name))
    return Case(write(sections, (Sym(name),), {".text": relocations}), FAULT)


def walk_between_regions(random: Random) -> Case:
    """Down from .data, or up from .rodata: something unmapped lies between."""
    down, step = random.random() < 0.5, random.choice((1, 4, 8))
    slots = (
        *lddw(),
        (0x71, 0, 1, 0, 0),  # ldxb r0, [r1]
        (0x07, 1, 0, 0, -step if down else step),
        (0x05, 0, 0, -3, 0),
        EXIT,
    )
    sections = (Sec(".text", A | X, code(*slots)), Sec(".data", A | W, bytes(64)), Sec(".rodata", A, bytes(64)))
    start = ".data" if down else ".rodata"
    return Case(write(sections, (), {".text": (Rel(0, WIDE_64, start),)}), FAULT)


def narrow_pointer(random: Random) -> Case:
    """R_BPF_64_ABS32 in data: guest addresses fit, and nothing is truncated."""
    words = _words(random)
    at = 4 * random.randrange(len(words))
    sections = (
        Sec(".text", A | X, code(*lddw(), (0x61, 1, 1, 0, 0), _load(0), EXIT)),
        Sec(".data", A | W, struct.pack("<I", 0)),
        Sec(".rodata", A, _packed(words)),
    )
    symbols = (Sym("answer", ".rodata", at, type=1),)
    pointers = {".text": (Rel(0, WIDE_64, ".data"),), ".data": (Rel(0, ABS32, "answer"),)}
    return Case(write(sections, symbols, pointers), words[at // 4])


def long_chains(random: Random) -> Case:
    """Many relocation sections over the same bytes, many symbols: work stays linear in the file."""
    count = random.choice((10, 200))
    data, _ = _sound(random, tuple(Sec(f".d{n}", A, bytes(8)) for n in range(count)))
    names = section_names(data)
    table = struct.unpack_from("<Q", data, 40)[0]
    row = data[table + 64 * names.index(".rel.text") :][:64]
    changed = bytearray(data)
    for n in range(1 + 2, 1 + 2 + count):
        changed[table + 64 * n : table + 64 * n + 64] = row
    return Case(bytes(changed), REJECT)


Maker = Callable[[Random], Case]
_ALL: tuple[tuple[Maker, str], ...] = (
    (sound, "E00 E29 E51 E95 E97 E101 rule-7"),
    (debug_relocations, "E93 rule-7"),
    (cut_off, "E01"),
    (wrong_identity, "E03 E05 E07"),
    (wrong_section_table, "E09 E11 E13 E15"),
    (wrong_name_table, "E17 E19"),
    (section_outside, "E21 E23 rule-8"),
    (overlap, "E25 rule-6"),
    (wrong_code_section, "E27 E31"),
    (no_such_entry, "E33"),
    (relocation_misplaced, "E35 E37 E39 rule-6"),
    (wrong_symbol_name, "E41"),
    (wrong_links, "E43 E45 E47 E53"),
    (wrong_relocation_type, "E49"),
    (undefined_symbol, "E55 E99 rule-4"),
    (absolute_symbol, "E57"),
    (address_outside, "E59 E61 E63 E89"),
    (access_outside, "E65 H07 rule-11"),
    (sound_calls, "E67 E69 E77 rule-5"),
    (misplaced_function, "E71 E73"),
    (function_pointer, "E75"),
    (bss, "E79 E91"),
    (absurd_bss, "rule-8"),
    (write_to_read_only, "E81 E83"),
    (bad_helper_range_in_data, "H09"),
    (walk_between_regions, "E85"),
    (narrow_pointer, "E87"),
    (long_chains, "rule-8"),
)
OBJECT_KINDS = {maker.__name__.replace("_", " "): CaseKind(maker, tuple(classes.split())) for maker, classes in _ALL}
