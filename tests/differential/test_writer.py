"""The writer of sequences reaches what it is there for: registers, widths, operations, both edges, both outcomes."""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import pytest

from differential.__main__ import SEED
from differential.chunk import assembled
from differential.effects import flags_surely_defined, reachable
from differential.engines.simulator import Simulator
from differential.outcome import DIVIDE_ERROR, FINISHED
from differential.placement import CELLS, Placement
from differential.snippet import PAGE, STARTING_FLAGS, Snippet
from differential.writer import write_piece, write_snippet
from jit.registers import Reg
from jit.tagged import operands
from jit.x86 import (
    FORMS,
    X86,
    Alu,
    AluReg,
    Cond,
    Div,
    Idiv,
    Imul,
    Jump,
    JumpIf,
    Label,
    Load,
    Local,
    LockCmpxchg,
    Mem,
    MovReg,
    Push,
    Ret,
    Shift,
    ShiftImm,
    Store,
)

PLACEMENT = Placement()
DRAWN = 4096  # the first of the default campaign


@cache
def drawn() -> tuple[Snippet, ...]:
    return tuple(write_snippet(SEED, index, PLACEMENT.scratch) for index in range(DRAWN))


@cache
def values() -> dict[tuple[type, str], set[object]]:
    """What the operands of each form were, by the name of the field."""
    found: dict[tuple[type, str], set[object]] = defaultdict(set)
    for snippet in drawn():
        for instruction in snippet.instructions:
            for name, value in operands(instruction):
                found[type(instruction), name].add(value)
    return found


REGISTERS = [
    (form, name)
    for form in FORMS
    for name in form._fields[:-1]  # type: ignore[attr-defined]
    if name in {"dst", "src", "reg", "a", "b", "base", "index"}
]


@pytest.mark.parametrize(("form", "name"), REGISTERS, ids=lambda value: getattr(value, "__name__", value))
def test_every_register_is_in_every_place(form: type, name: str) -> None:
    never: set[object] = set()
    if name == "index":
        never = {Reg.rsp}
    elif form in (Div, Idiv):
        never = {Reg.rdx}  # zero, or a sign
    assert values()[form, name] == set(Reg) - never


@pytest.mark.parametrize(
    ("form", "name", "expected"),
    [
        (AluReg, "op", set(Alu)),
        (ShiftImm, "op", set(Shift)),
        (JumpIf, "cond", set(Cond)),
        (Load, "size", {1, 2, 4, 8}),
        (LockCmpxchg, "size", {4, 8}),
        (MovReg, "bits", {32, 64}),
    ],
)
def test_every_choice_is_taken(form: type, name: str, expected: set[object]) -> None:
    assert values()[form, name] == expected


def test_every_index_and_the_edges_of_displacements_occur() -> None:
    places = values()[Load, "mem"] | values()[Store, "mem"]
    indexes = {mem.index for mem in places if isinstance(mem, Mem)}
    assert indexes == {None, *Reg} - {Reg.rsp}
    displacements = {mem.disp for mem in places if isinstance(mem, Mem)}
    assert {0, 1, -1, 127, 128, -128, -129, 2**31 - 1, -(2**31)} <= displacements


def test_every_setting_of_flags_is_a_start() -> None:
    assert {snippet.flags for snippet in drawn()} == {flags for flags, _, _, _ in STARTING_FLAGS}


def test_accesses_reach_both_ends_of_scratch_memory_and_nothing_else_but_the_function_table() -> None:
    simulator = Simulator(PLACEMENT, record=True)
    low, high = PLACEMENT.scratch, PLACEMENT.scratch + PAGE
    bytes_seen, ends = set[int](), set[str]()
    for first in range(0, 4 * CELLS, CELLS):
        for outcome in simulator.run(assembled(drawn()[first : first + CELLS], PLACEMENT)):
            ends.add(outcome.ended)
            for address, size, _ in outcome.accesses or ():
                if not PLACEMENT.arena <= address < PLACEMENT.harness:
                    assert low <= address <= high - size
                    bytes_seen |= {address, address + size - 1}
    assert ends == {FINISHED, DIVIDE_ERROR}
    assert {low, high - 1} <= bytes_seen


def test_compares_succeed_and_fail() -> None:
    cases = assembled([write_piece(LockCmpxchg, "both", k, PLACEMENT.scratch) for k in range(CELLS)], PLACEMENT)
    equal = [outcome.flags.zf for outcome in Simulator(PLACEMENT).run(cases)]
    assert min(equal.count(0), equal.count(1)) > CELLS / 4


def test_rsp_and_rbp_may_end_as_anything() -> None:
    outcomes = Simulator(PLACEMENT).run(assembled(drawn()[:CELLS], PLACEMENT))
    for reg in (Reg.rsp, Reg.rbp):
        final = {outcome.registers[reg] for outcome in outcomes if outcome.ended == FINISHED}
        assert len(final) > CELLS / 2
        assert 0 in final or any(value >> 63 for value in final)


@pytest.mark.parametrize(
    ("instructions", "defined"),
    [
        ((), True),
        ((Imul(64, Reg.rax, Reg.rbx),), False),
        ((Imul(64, Reg.rax, Reg.rbx), AluReg(Alu.CMP, 64, Reg.rax, Reg.rbx)), True),
        ((Imul(64, Reg.rax, Reg.rbx), AluReg(Alu.CMP, 64, Reg.rax, Reg.rbx), Push(Reg.rax)), True),
        ((Imul(64, Reg.rax, Reg.rbx), AluReg(Alu.CMP, 64, Reg.rax, Reg.rbx), Label(0)), False),
        ((AluReg(Alu.CMP, 64, Reg.rax, Reg.rbx), Label(0), Ret()), True),
        ((Label(0), Imul(64, Reg.rax, Reg.rbx)), False),
    ],
)
def test_flags_are_surely_defined(instructions: tuple[X86, ...], defined: bool) -> None:
    assert flags_surely_defined(instructions) is defined


def test_instructions_behind_a_jump_are_not_counted_up_to_the_next_label() -> None:
    nothing, jump = Push(Reg.rax), Jump(Local(0))
    assert list(reachable((nothing, jump, nothing, Label(0), nothing))) == [nothing, jump, Label(0), nothing]
    conditional = JumpIf(Cond.E, Local(0))
    assert list(reachable((conditional, nothing, Label(0)))) == [conditional, nothing, Label(0)]


def test_every_label_is_a_target_and_every_target_a_label() -> None:
    for snippet in drawn():
        labels = [i.number for i in snippet.instructions if isinstance(i, Label)]
        places = {value for i in snippet.instructions for _, value in operands(i) if isinstance(value, Local)}
        assert sorted(labels) == sorted({place.number for place in places} | set(snippet.table))
