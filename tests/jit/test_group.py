"""Which accesses share a check, and what becomes of one that fails: the fault that each access alone would have had.

Expected groups and faults are written down by hand, or follow from "the first access, in program order, that is not
inside". Random programs are in `test_straight_lines`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from itertools import permutations, product

import pytest

from jit.compile import compile_function
from jit.group import Group, grouped
from jit.layout import Layout, Profile, Region, plan
from jit.lower import lower
from jit.macros import CheckAny, CheckFlat, CheckStack, Interpret, LoadFrom, Macro, StoreImmTo, StoreTo
from jit.macros.memory import AtChecked, InFrame
from jit.regions import Hints
from jit.registers import Reg
from runtime import Exited, Faulted, FaultKind
from tests.corpus.assembly import (
    ALU_CODES,
    EXIT,
    alu_imm,
    alu_reg,
    atomic,
    branch_imm,
    byte_order,
    call_helper,
    call_local,
    ja,
    lddw,
    load,
    load_signed,
    mov,
    mov_reg,
    movsx,
    neg,
    store,
    store_imm,
)
from tests.jit.straight_lines import INPUT, REGIONS, bare, base_of, ending, span_of
from validator.decode import decode
from validator.validate import Validated, validate

LAYOUT = plan(read_only_size=40, writable_size=48, calldata_size=64)
IN, RW, RO, STACK = LAYOUT.calldata.low, LAYOUT.writable.low, LAYOUT.read_only.low, LAYOUT.stack_low
R0, R2, R6 = Reg.rax, Reg.rsi, Reg.rbx


def program_of(code: bytes) -> Validated:
    return validate(decode(code), helpers=frozenset({5}))


def groups_of(code: bytes, hint: Region | None = Region.CALLDATA, layout: Layout = LAYOUT) -> dict[int, Group]:
    """The groups of `code`, all of whose accesses are guessed to go to `hint`."""
    program = program_of(code + EXIT * 5)
    function = program.functions[0]
    hints: Hints = dict.fromkeys(range(len(program.program)), hint)
    return grouped(program, function, layout, hints, program.targets)


A, B, C = load(8, 0, 6, 0), load(4, 2, 6, 8), load_signed(1, 3, 6, -5)


@pytest.mark.parametrize(
    ("code", "group", "members"),
    [
        (A + B, Group(0, 0, 12, False), {0, 1}),
        (B + A, Group(0, 0, 12, False), {0, 1}),
        (A + B + C, Group(0, -5, 17, False), {0, 1, 2}),
        (A + A, Group(0, 0, 8, False), {0, 1}),
        (A + store(8, 6, 8, 2), Group(0, 0, 16, True), {0, 1}),  # one store makes the check one for stores
        (store(8, 6, 8, 2) + A, Group(0, 0, 16, True), {0, 1}),
        (store(2, 6, 8, 2) + store_imm(1, 6, 3, 7), Group(0, 3, 7, True), {0, 1}),
        (store(8, 6, 0, 6) + A, Group(0, 0, 8, True), {0, 1}),  # storing the base changes nothing
        (load(8, 0, 6, -32768) + load(8, 0, 6, -32768 + 56), Group(0, -32768, 64, False), {0, 1}),
    ],
)
def test_accesses_off_one_base_share_a_check(code: bytes, group: Group, members: set[int]) -> None:
    assert groups_of(code) == dict.fromkeys(members, group)
    assert groups_of(mov(0, 0) + code) == {pc + 1: Group(1, *group_span(group)) for pc in members}


def group_span(group: Group) -> tuple[int, int, bool]:
    return group.offset, group.size, group.write


_CLOBBERING = ("div", "mod", "sdiv", "smod")
BETWEEN_KEEPS = [
    *(alu_imm(name, 64, 2, 3) for name in ALU_CODES if name not in _CLOBBERING),
    *(alu_reg(name, 32, 2, 6) for name in ALU_CODES if name not in _CLOBBERING),  # the base may be read
    *(alu_reg(name, 64, 2, 4) for name in ("lsh", "rsh", "arsh", "mul")),
    neg(64, 2),
    movsx(8, 64, 2, 6),
    byte_order("be", 64, 2),
    lddw(2, 1 << 40),
    load(8, 2, 10, -8),
    store(8, 10, -8, 6),  # frame accesses need no check
    mov_reg(2, 6) + alu_reg("add", 64, 2, 4),  # and what is fused into one
    alu_imm("lsh", 64, 2, 3) + alu_reg("add", 64, 2, 6),
    b"".join([mov_reg(2, 4), alu_imm("lsh", 64, 2, 9), alu_imm("rsh", 64, 4, 55), alu_reg("or", 64, 4, 2)]),
]


@pytest.mark.parametrize("between", BETWEEN_KEEPS)
def test_arithmetic_on_other_registers_does_not_part_a_group(between: bytes) -> None:
    """And what comes of it is admitted by the gate: nothing in it overwrites the approved address."""
    last = 1 + len(between) // 8
    assert groups_of(A + between + B) == dict.fromkeys((0, last), Group(0, 0, 12, False))
    program = program_of(A + between + B + EXIT)
    for hint in (*REGIONS, None):
        hints: Hints = dict.fromkeys(range(len(program.program)), hint)
        entries = compile_function(program, program.functions[0], LAYOUT, hints).entries
        assert set(entries) == {0, last + 1}, hint  # not between a check and its last use


@pytest.mark.parametrize(
    "between",
    [
        *(alu_imm(name, 64, 2, 3) for name in _CLOBBERING),
        *(alu_reg(name, 32, 2, 4) for name in _CLOBBERING),
        atomic("add", 8, 6, 0, 2),
        atomic("fetch_or", 8, 10, -8, 2),
        branch_imm("jeq", 64, 2, 0, 0),
        branch_imm("jeq", 64, 2, 0, 2),
        ja(0),
        call_helper(5),
        # the base is overwritten
        mov(6, 0),
        mov_reg(6, 6),
        alu_imm("add", 64, 6, 0),
        alu_imm("add", 64, 6, 8),
        alu_reg("mov", 32, 6, 2),
        neg(64, 6),
        movsx(8, 64, 6, 6),
        byte_order("be", 64, 6),
        lddw(6, 1),
        load(8, 6, 10, -8),
        # an access off another base, even if it has the same value
        load(8, 2, 7, 0),
        store(8, 7, 0, 2),
    ],
)
def test_what_parts_a_group(between: bytes) -> None:
    assert groups_of(A + between + B) == {}
    later = 1 + len(between) // 8
    assert groups_of(A + A + between + B + B) == {
        **dict.fromkeys((0, 1), Group(0, 0, 8, False)),
        **dict.fromkeys((later + 1, later + 2), Group(later + 1, 8, 4, False)),
    }


@pytest.mark.parametrize("size", [1, 2, 4, 8])
@pytest.mark.parametrize("access", ["load", "store"])
def test_a_frame_access_that_is_outside_parts_a_group(access: str, size: int) -> None:
    """It is left to the interpreter, behind which the gate knows of no check."""
    for offset in (-size, -size + 1, 0, -LAYOUT.frame_bytes, -LAYOUT.frame_bytes - 1):
        between = load(size, 2, 10, offset) if access == "load" else store(size, 10, offset, 2)
        inside = -LAYOUT.frame_bytes <= offset <= -size
        assert (groups_of(A + between + B) != {}) == inside, offset
        program = program_of(A + between + B + EXIT)
        for hint in (*REGIONS, None):
            hints: Hints = dict.fromkeys(range(len(program.program)), hint)
            entries = compile_function(program, program.functions[0], LAYOUT, hints).entries
            assert set(entries) == ({0, 3} if inside else {0, 1, 2, 3}), (hint, offset)


def test_a_load_into_the_base_ends_a_group_with_itself() -> None:
    assert groups_of(A + load(8, 6, 6, 8) + B + B) == {
        **dict.fromkeys((0, 1), Group(0, 0, 16, False)),
        **dict.fromkeys((2, 3), Group(2, 8, 4, False)),
    }
    assert groups_of(load(8, 6, 6, 0) + B) == {}


def test_a_local_call_parts_a_group() -> None:
    program = program_of(A + call_local(2) + B + EXIT + A + EXIT)
    function = program.functions[0]
    assert grouped(program, function, LAYOUT, {}, program.targets) == {}


def test_a_label_parts_a_group_before_it() -> None:
    """Jumps to each of four loads in turn, from before and from behind."""
    four = load(8, 0, 6, 0) + load(8, 0, 6, 8) + load(8, 0, 6, 16) + load(8, 0, 6, 24)

    def members(code: bytes, first: int) -> list[set[int]]:
        groups = groups_of(code)
        return [{pc - first for pc in groups if groups[pc] == group} for group in dict.fromkeys(groups.values())]

    expected = [[{0, 1, 2, 3}], [{1, 2, 3}], [{0, 1}, {2, 3}], [{0, 1, 2}], [{0, 1, 2, 3}]]
    for target in range(5):
        assert members(branch_imm("jeq", 64, 1, 0, target) + four, 1) == expected[target]
        assert members(four + mov(0, 0) + branch_imm("jeq", 64, 1, 0, target - 6), 0) == expected[target]


def test_another_guess_parts_a_group() -> None:
    program = program_of(A + B + EXIT)
    function = program.functions[0]
    for first, second in product((*REGIONS, None), repeat=2):
        groups = grouped(program, function, LAYOUT, {0: first, 1: second}, frozenset())
        assert len(groups) == (2 if first is second else 0)


@pytest.mark.parametrize(
    ("hint", "limit"),
    [(Region.READ_ONLY, 40), (Region.WRITABLE, 48), (Region.CALLDATA, 64), (Region.STACK, 4096), (None, 4096)],
)
def test_a_group_is_no_larger_than_its_region(hint: Region | None, limit: int) -> None:
    for size in (1, 2, 4, 8):
        for last in range(limit - size - 9, limit - size + 10):
            for low in (0, -100):
                code = load(8, 0, 6, low) + load(size, 2, 6, low + last)
                swapped = load(size, 2, 6, low + last) + load(8, 0, 6, low)
                for order in (code, swapped):
                    assert bool(groups_of(order, hint)) == (last + size <= limit), (size, last)
    wide = plan(64, 64, 64, Profile(frame_bytes=8192, frames=8))
    for size in (8192, 8193):
        code = load(1, 0, 6, 0) + load(1, 2, 6, size - 1)
        assert bool(groups_of(code, Region.STACK, wide)) == (size == 8192)


def test_an_access_that_fits_no_longer_begins_another_group() -> None:
    code = load(8, 0, 6, 0) + load(8, 0, 6, 56) + load(8, 0, 6, 57) + load(8, 0, 6, 64)
    assert groups_of(code) == {
        **dict.fromkeys((0, 1), Group(0, 0, 64, False)),
        **dict.fromkeys((2, 3), Group(2, 57, 15, False)),
    }


# ---------------------------------------------------------------- what becomes of a group


def macros_of(code: bytes, hint: Region | None) -> list[tuple[Macro, ...]]:
    program = program_of(mov(0, 0) + code + EXIT)
    hints: Hints = dict.fromkeys(range(len(program.program)), hint)
    return [block.macros for block in lower(program, program.functions[0], LAYOUT, hints)[1:-1]]


@pytest.mark.parametrize(
    ("hint", "check", "low"),
    [
        (Region.CALLDATA, CheckFlat(R6, -4, 16, Region.CALLDATA, IN), IN),
        (Region.WRITABLE, CheckFlat(R6, -4, 16, Region.WRITABLE, RW), RW),
        (Region.STACK, CheckStack(R6, -4, 16, STACK), STACK),
        (None, CheckAny(R6, -4, 16, (Region.WRITABLE, Region.CALLDATA), True), 0),
    ],
)
def test_the_first_checks_for_all_and_the_others_use_it(hint: Region | None, check: Macro, low: int) -> None:
    """Places count from the lowest byte of the group, in whatever order the accesses come."""
    code = load(4, 0, 6, 0) + store(8, 6, 4, 2) + load(8, 0, 10, -8) + store_imm(2, 6, -4, 9)
    assert macros_of(code, hint) == [
        (check, LoadFrom(R0, AtChecked(low + 4), 4, False)),
        (StoreTo(AtChecked(low + 8), R2, 8),),
        (LoadFrom(R0, InFrame(-8), 8, False),),
        (StoreImmTo(AtChecked(low), 9, 2),),
    ]


def test_a_store_to_what_looks_read_only_is_for_the_interpreter_and_so_is_its_group() -> None:
    check = CheckFlat(R6, 0, 12, Region.READ_ONLY, RO)
    assert macros_of(A + B, Region.READ_ONLY)[0][0] == check
    assert macros_of(A + store(4, 6, 8, 2), Region.READ_ONLY) == [(Interpret(),), (Interpret(),)]


# ---------------------------------------------------------------- checks that fail

DISTANCE_AT = len(INPUT) - 8  # where the input says how far the base is from a pointer that the analysis knows
ACCESSES: dict[str, Callable[[int, int], bytes]] = {
    "load": lambda size, offset: load(size, 2, 6, offset),
    "store": lambda size, offset: store(size, 6, offset, 1),
}


@pytest.mark.parametrize("order", list(permutations(((0, 8), (10, 4), (23, 1)))), ids=str)
@pytest.mark.parametrize("region", REGIONS, ids=lambda region: region.value)
@pytest.mark.parametrize("known", ["guessed", "unknown", "guessed wrong"])
def test_a_group_across_an_end_faults_at_the_first_access_that_is_outside(
    region: Region, known: str, order: tuple[tuple[int, int], ...]
) -> None:
    """The base walks over both ends of the region byte by byte; loads and stores take turns in the group."""
    span = span_of(region)
    setup, start = (b"", 0) if known == "unknown" else base_of(6, region, known)
    setup += load(8, 0, 1, DISTANCE_AT) + (alu_reg("add", 64, 6, 0) if setup else mov_reg(6, 0)) + mov(1, 0x55)
    first = len(setup) // 8
    for kinds in (("load", "load", "load"), ("store", "load", "store")):
        accesses = list(zip(kinds, order, strict=True))
        code = setup + b"".join(ACCESSES[kind](size, offset) for kind, (offset, size) in accesses) + EXIT
        engines = [bare(code, engine) for engine in ("jit", "interpreter")]
        for at in (*range(-26, 3), *range(span.size - 27, span.size + 3)):
            address = span.low + at
            bad = [
                (FaultKind.OUT_OF_BOUNDS, first + i, address + offset, size, kind == "store")
                for i, (kind, (offset, size)) in enumerate(accesses)
                if not 0 <= at + offset <= span.size - size or (kind == "store" and region is Region.READ_ONLY)
            ]
            mem = INPUT[:DISTANCE_AT] + struct.pack("<q", address - start)
            native, reference = (ending(engine, mem) for engine in engines)
            assert native == reference
            outcome = native[0]
            if bad:
                assert isinstance(outcome, Faulted)
                assert bad[0] == (outcome.kind, outcome.pc, outcome.address, outcome.size, outcome.write)
            else:
                assert isinstance(outcome, Exited)
