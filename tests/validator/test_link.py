"""The linker: what is loaded and where, who defines a function, and what a program's entry is."""

from __future__ import annotations

import pytest

from differential.hostile.elf_writer import (
    ABS64,
    CALL_32,
    EXIT,
    LOCAL,
    NOBITS,
    NODYLD32,
    NOTYPE,
    SECOND,
    WEAK,
    WIDE_64,
    A,
    Rel,
    Sec,
    Sym,
    W,
    X,
    call,
    lddw,
    write,
)
from tests.validator.linking import HELPERS, RO, RODATA, RW, called, linked, place, text, wide
from validator.decode import decode
from validator.errors import LimitExceeded, LinkError, Reason, Rejected, UnknownHelpers
from validator.link import Limits, PlacedCode, link
from validator.reach import reach
from validator.validate import validate

# ---- what is loaded


def test_only_sections_that_code_reaches_are_loaded() -> None:
    """.text -> a -> b -> a; c points to a but nothing points to c; eh_frame points to code."""
    sections = [
        text(*lddw(), EXIT),
        Sec("a", A | W, bytes(8)),
        Sec("b", A, b"\x08" + bytes(7) + b"B" * 8),
        Sec("c", A | W, b"c" * 8),
        Sec(".eh_frame", A, bytes(8)),
        Sec(".BTF", 0, bytes(4)),
    ]
    relocations = {
        ".text": [Rel(0, WIDE_64, "a")],
        "a": [Rel(0, ABS64, "b")],
        "b": [Rel(0, ABS64, "a")],
        "c": [Rel(0, ABS64, "a")],
        ".eh_frame": [Rel(0, ABS64, ".text"), Rel(2**40, 99, ".text")],
        ".BTF": [Rel(0, NODYLD32, "c")],
    }
    program = linked(write(sections, [], relocations))
    assert program.writable == RO.to_bytes(8, "little")
    assert program.read_only == (RW + 8).to_bytes(8, "little") + b"B" * 8


def test_sections_are_aligned_and_zeros_come_last() -> None:
    sections = [
        text(*lddw(), *lddw(), *lddw(), *lddw(), EXIT),
        Sec(".bss", A | W, 100, NOBITS, alignment=64),
        Sec("d1", A | W, b"11111", alignment=1),
        Sec("d2", A | W, b"22", alignment=16),
        Sec("zero", A, 3, NOBITS, alignment=0),
    ]
    names = [".bss", "d1", "d2", "zero"]
    sizes: list[tuple[int, int]] = []

    def recording(read_only: int, writable: int) -> tuple[int, int]:
        sizes.append((read_only, writable))
        return RO, RW

    data = write(sections, [], {".text": [Rel(16 * i, WIDE_64, name) for i, name in enumerate(names)]})
    program = link(data, {}, recording)
    assert sizes == [(3, 164)]
    assert [wide(program, 2 * i) for i in range(4)] == [RW + 64, RW, RW + 16, RO]
    assert program.writable == b"11111" + bytes(11) + b"22"
    assert (program.writable_size, program.read_only) == (164, bytes(3))


# ---- calls


def test_calls_cross_sections_by_symbol_by_section_and_back() -> None:
    """What clang writes: imm -1 and the symbol, or the section's symbol and the callee's slot less one."""
    program = linked(
        write(
            [text(EXIT, name="a"), text(call(), call(1), call(), EXIT, name="b"), text(EXIT, EXIT, EXIT, name="c")],
            [Sym("first", "a"), Sym("third", "c", 16), Sym("local", "c", 8, binding=LOCAL)],
            {"b": [Rel(0, CALL_32, "third"), Rel(8, CALL_32, "c"), Rel(16, CALL_32, "first")]},
        )
    )
    # a is pc 0, b is pcs 1 to 4, c is pcs 5 to 7
    assert [called(program, pc) for pc in (1, 2, 3)] == [(1, 7 - 2), (1, 7 - 3), (1, 0 - 4)]
    assert program.sections == (PlacedCode("a", 0, 1), PlacedCode("b", 1, 4), PlacedCode("c", 5, 3))
    assert program.locate(7) == (PlacedCode("c", 5, 3), 16)
    assert program.starts == (0, 1, 5, 6, 7)


def test_a_helper_call_by_number_is_left_to_the_validator() -> None:
    for number in (5, -1, 77):
        program = linked(write([text(call(number, 0), EXIT)]))
        assert called(program, 0) == (0, number)


LIBRARY = write(
    [text(EXIT, EXIT, call(-3), EXIT)],
    [Sym("twice", ".text", 8), Sym("print", ".text", 16), Sym("hidden", ".text", binding=LOCAL)],
)
SECOND_LIBRARY = write(
    [text(call(), EXIT)], [Sym("uses_twice", ".text"), Sym("twice")], {".text": [Rel(0, CALL_32, "twice")]}
)


@pytest.mark.parametrize("source", [0, 1])
@pytest.mark.parametrize(
    ("name", "expected", "sections"),
    [
        ("helper_five", (0, 5), 1),  # the host's
        ("print", (1, 2 + 2 - 1), 2),  # a library's, though the host has one of this name
        ("twice", (1, 2 + 1 - 1), 2),
        ("uses_twice", (1, 2 + 0 - 1), 3),  # needs the other library
    ],
)
def test_an_undefined_function_is_a_librarys_or_else_the_hosts(
    source: int, name: str, expected: tuple[int, int], sections: int
) -> None:
    data = write([text(call(-1, source), EXIT)], [Sym(name)], {".text": [Rel(0, CALL_32, name)]})
    program = linked(data, [LIBRARY, SECOND_LIBRARY])
    assert called(program, 0) == expected
    assert len(program.sections) == sections
    assert link(data, HELPERS, place, [reach(LIBRARY), reach(SECOND_LIBRARY)]) == program
    assert set(program.entries) == {".text"}
    validate(decode(program.code), [0], frozenset(HELPERS.values()), program.starts)


def test_a_library_that_needs_another_is_linked_to_it() -> None:
    data = write([text(call(), EXIT)], [Sym("uses_twice")], {".text": [Rel(0, CALL_32, "uses_twice")]})
    program = linked(data, [LIBRARY, SECOND_LIBRARY])
    assert program.sections[1:] == (PlacedCode(".text", 2, 2, library=1), PlacedCode(".text", 4, 4, library=0))
    assert called(program, 2) == (1, 5 - 3)


@pytest.mark.parametrize("order", [("only", "both"), ("both", "only")])
def test_an_earlier_library_beats_a_later_one_whatever_is_called_first(order: tuple[str, str]) -> None:
    """The later one is needed for `only`, and defines `both` too."""
    earlier = write([text(EXIT)], [Sym("both", ".text")])
    later = write([text(EXIT, EXIT)], [Sym("only", ".text"), Sym("both", ".text", 8)])
    calls = [Rel(8 * i, CALL_32, name) for i, name in enumerate(order)]
    program = linked(write([text(call(), call(), EXIT)], [Sym(n) for n in order], {".text": calls}), [earlier, later])
    first = {section.library: section.first for section in program.sections}
    targets = {name: pc + 1 + called(program, pc)[1] for pc, name in enumerate(order)}
    assert targets == {"both": first[0], "only": first[1]}


@pytest.mark.parametrize("name", ["helper_five", "twice"])
def test_the_objects_own_definition_beats_library_and_host(name: str) -> None:
    data = write([text(call(), EXIT), text(EXIT, name="own")], [Sym(name, "own")], {".text": [Rel(0, CALL_32, name)]})
    assert called(linked(data, [LIBRARY]), 0) == (1, 1)


def test_every_unknown_function_is_listed_once_in_the_order_of_the_calls() -> None:
    names = ["zeta", "helper_five", "alpha", "alpha"]
    relocations = [Rel(8 * i, CALL_32, name) for i, name in enumerate(names)]
    data = write(
        [text(*[call()] * 4, EXIT)], [Sym(n, type=NOTYPE) for n in ("alpha", "helper_five", "zeta")],
        {".text": relocations[::-1]},
    )  # fmt: skip
    with pytest.raises(UnknownHelpers) as caught:
        linked(data)
    assert caught.value.names == ("zeta", "alpha")
    assert caught.value.offered == tuple(HELPERS)


def test_a_library_is_code_only() -> None:
    with_data = write([text(*lddw(), EXIT), RODATA], [Sym("twice", ".text")], {".text": [Rel(0, WIDE_64, ".rodata")]})
    data = write([text(call(), EXIT)], [Sym("twice")], {".text": [Rel(0, CALL_32, "twice")]})
    with pytest.raises(LinkError, match="a library is code only"):
        linked(data, [with_data])


def test_a_function_symbol_marks_an_instruction_of_its_section() -> None:
    """An empty function at the very end is what clang makes of __builtin_unreachable(); it can be no callee."""
    for value in range(-8, 25):
        for size in (0, 8):
            data = write([text(EXIT, EXIT)], [Sym("f", ".text", value, size=size)])
            if value in (0, 8):
                assert linked(data).entries["f"] == value // 8
            elif value == 16 and size == 0:
                assert "f" not in linked(data).entries
            else:
                with pytest.raises(LinkError, match="no function can start here"):
                    linked(data)


def test_two_global_functions_may_not_share_a_name_and_two_local_ones_may() -> None:
    local = [Sym("f", ".text", binding=LOCAL), Sym("f", ".text", 8, binding=LOCAL)]
    assert linked(write([text(EXIT, EXIT)], local)).starts == (0, 1)
    for bindings in ((1, 1), (1, 2)):
        both = [Sym("f", ".text", 8 * i, binding=binding) for i, binding in enumerate(bindings)]
        with pytest.raises(LinkError, match="second definition"):
            linked(write([text(EXIT, EXIT)], both))


def test_an_object_without_code_is_refused() -> None:
    with pytest.raises(LinkError, match="no code"):
        linked(write([Sec(".text", A | X, b""), Sec(".rodata", A, bytes(8))]))


def test_control_cannot_run_from_one_section_into_the_next() -> None:
    """The next section needs no symbol for that; nor can half an lddw take its second slot from there."""
    falls = linked(write([text((0xB7, 0, 0, 0, 1), name="a"), text(EXIT, name="b")]))
    with pytest.raises(Rejected) as caught:
        validate(decode(falls.code), [0], frozenset(), falls.starts)
    assert caught.value.reason is Reason.FALLS_OFF
    halves = linked(write([text(EXIT, lddw()[0], name="a"), text(SECOND, EXIT, name="b")]))
    with pytest.raises(Rejected) as caught:
        validate(decode(halves.code), [0], frozenset(), halves.starts)
    assert caught.value.reason is Reason.ENTRY


# ---- limits


@pytest.mark.parametrize(
    ("field", "what"),
    [
        ("file_bytes", "object"),
        ("code_bytes", "code"),
        ("read_only_bytes", "read-only"),
        ("writable_bytes", "writable"),
    ],
)
def test_a_size_may_reach_its_limit_and_not_exceed_it(field: str, what: str) -> None:
    data = write(
        [text(*lddw(), *lddw(), EXIT), Sec(".rodata", A, bytes(24)), Sec(".bss", A | W, 48, NOBITS)],
        [],
        {".text": [Rel(0, WIDE_64, ".rodata"), Rel(16, WIDE_64, ".bss")]},
    )
    sizes = {"file_bytes": len(data), "code_bytes": 40, "read_only_bytes": 24, "writable_bytes": 48}
    link(data, {}, place, limits=Limits(**sizes))
    sizes[field] -= 1
    with pytest.raises(LimitExceeded, match=what):
        link(data, {}, place, limits=Limits(**sizes))


@pytest.mark.parametrize("flags", [A, A | W])
def test_a_terabyte_of_zeros_is_refused_before_it_is_reserved(flags: int) -> None:
    data = write([text(*lddw(), EXIT), Sec("z", flags, 1 << 40, NOBITS)], [], {".text": [Rel(0, WIDE_64, "z")]})
    with pytest.raises(LimitExceeded):
        linked(data)


# ---- entries


@pytest.mark.parametrize(
    ("symbols", "entry"),
    [
        ([], 0),  # assembled by hand
        ([Sym("main", ".text")], 0),
        ([Sym("main", ".text", 16)], 2),  # the only global function
        ([Sym("static", ".text", binding=LOCAL), Sym("main", ".text", 16)], 2),
        ([Sym("static", ".text", 8, binding=LOCAL)], 0),
        ([Sym("a", ".text"), Sym("b", ".text", 8)], 0),
        ([Sym("a", ".text", 8), Sym("b", ".text", 16)], None),  # which?
        ([Sym("a", ".text", 8), Sym("b", ".text", 16), Sym("static", ".text", binding=LOCAL)], 0),
        ([Sym("a", ".text", 8, binding=WEAK), Sym("b", ".text", 16)], 2),
        ([Sym("label", ".text", 8, NOTYPE)], 0),  # no function
    ],
)
def test_the_entry_of_a_section(symbols: list[Sym], entry: int | None) -> None:
    program = linked(write([text(EXIT, EXIT, EXIT)], symbols))
    assert program.entries.get(".text") == entry
    if entry is None:
        with pytest.raises(LinkError, match=r"no section or global function '\.text'; there are: a, b"):
            program.entry(".text")
    else:
        assert program.entry(".text") == entry


@pytest.mark.parametrize(
    ("sections", "symbols", "expected"),
    [
        ([".text"], [Sym("f", ".text")], 0),
        ([".text"], [Sym("f", ".text"), Sym("main", ".text", 8)], 1),
        ([".text"], [Sym("f", ".text"), Sym("main", ".text", 8, binding=LOCAL)], 0),
        ([".text", "spinfoam.main"], [Sym("main", ".text"), Sym("g", "spinfoam.main", 8)], 3),
        ([".text", "other"], [Sym("f", ".text"), Sym("g", "other")], "one of: .text, f, g, other"),
        ([".text", "other"], [Sym("f", "other", 8)], 3),  # the only global function
        (["other"], [], "one of: other"),
        (["other"], [Sym("f", "other", 8)], 1),
        (["twin", "twin"], [], "one of: none"),
    ],
)
def test_the_entry_of_a_program_when_none_is_named(
    sections: list[str], symbols: list[Sym], expected: int | str
) -> None:
    program = linked(write([text(EXIT, EXIT, name=name) for name in sections], symbols))
    if isinstance(expected, int):
        assert program.entry(None) == expected
    else:
        with pytest.raises(LinkError, match=expected):
            program.entry(None)


def test_a_section_beats_a_function_of_its_name() -> None:
    program = linked(write([text(EXIT, EXIT), text(EXIT, name="main")], [Sym("main", ".text", 8), Sym("x", "main")]))
    assert program.entry("main") == 2
    assert program.functions["main"] == 1


def test_a_long_list_of_candidates_is_cut() -> None:
    many = [Sym(f"f{i:04}", ".text", 8 * i) for i in range(1000)]
    with pytest.raises(LinkError, match=r"there are: \.text, f0000.* and 981 more$"):
        linked(write([text(*[EXIT] * 1000)], many)).entry("absent")
