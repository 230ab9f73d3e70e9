"""One macro speaks for those that differ in names of registers: what that rests on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest
import z3

from jit.layout import Layout
from jit.macros import AddressSum, BinaryReg, CheckAny, Divide, Macro, Move, Poll, Return, ShiftByReg
from jit.registers import CAGE, CHECKED, COUNT, FRAME, GUEST, Reg
from jit.x86 import FORMS, X86, Label, MovReg, Shift
from proofs.executor import explore
from proofs.layouts import EXAMPLES
from proofs.machine import Memory, Unknown
from proofs.operands import Unknowns, macros_of
from proofs.renaming import FIXED, IMPLICIT, renamed, representatives, shape_of
from proofs.symbolic import SymbolicWords
from proofs.theorems import bytes as bytes_theorems
from simulator.machine import MachineStopped, State
from simulator.x86 import execute

LAYOUT = EXAMPLES[0]


class Watched(list[z3.BitVecRef]):
    """Registers that note which of them are read or written."""

    def __init__(self) -> None:
        super().__init__(z3.BitVec(reg.name, 64) for reg in Reg)
        self.used: set[Reg] = set()

    def __getitem__(self, key: Any) -> Any:  # noqa: ANN401 - of two overloads
        self.used.add(Reg(key))
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:  # noqa: ANN401
        self.used.add(Reg(key))
        super().__setitem__(key, value)


def registers_in(value: object) -> Iterator[Reg]:
    if isinstance(value, Reg):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from registers_in(part)


def used_by(instruction: X86, unknowns: bytes_theorems._Unknowns) -> set[Reg]:
    """The registers that the model touches when it executes the instruction, on any path."""
    used: set[Reg] = set()

    def run() -> None:
        registers = Watched()
        base: z3.BitVecRef = list.__getitem__(registers, CAGE)
        state: State[z3.BitVecRef] = State(registers, Memory(base, volatile=True))
        flags = state.flags
        bit = z3.BitVec("flag", 1)
        state.flags = type(flags)(bit, bit, bit, bit)
        try:
            execute(SymbolicWords(), instruction, state, Unknown(unknowns.between("pc", 0, 9)))
        finally:
            used.update(registers.used)

    for _ in explore(run, assuming=unknowns.assumptions, allowed=(MachineStopped,)):
        pass
    return used


@pytest.mark.parametrize("form", [form for form in FORMS if form is not Label])
def test_a_form_uses_what_it_names_and_what_is_written_down(form: type) -> None:
    implicit = set(IMPLICIT.get(form, ()))
    unknowns = bytes_theorems._Unknowns()
    generic = []
    for instruction in bytes_theorems.FORMS[form](unknowns):
        named = set(registers_in(instruction))
        if not named & {*implicit, CAGE}:
            generic.append((instruction, named))
    assert generic
    for instruction, named in generic[:: max(1, len(generic) // 40)]:
        assert used_by(instruction, unknowns) - named - {CAGE} == implicit


def test_what_is_no_guest_register_is_fixed() -> None:
    assert set(Reg) - set(FIXED) == set(GUEST) - {FRAME}
    assert {CHECKED, COUNT, FRAME, CAGE, Reg.rsp} <= set(FIXED)


def shapes_are_renamed(one: Macro, other: Macro) -> bool:
    return renamed(shape_of(one, Unknowns(), LAYOUT), shape_of(other, Unknowns(), LAYOUT))


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (Move(64, Reg.rsi, Reg.rdi), Move(64, Reg.r8, Reg.rbx), True),
        (Move(64, Reg.rsi, Reg.rdi), Move(64, Reg.rdi, Reg.rsi), True),
        (Move(64, Reg.rsi, Reg.rdi), Move(32, Reg.r8, Reg.rbx), False),
        (Move(64, Reg.rsi, Reg.rdi), Move(64, Reg.r8, Reg.r8), False),  # two registers are not one
        (Move(64, Reg.rsi, Reg.rsi), Move(64, Reg.r8, Reg.rbx), False),
        (Move(64, Reg.rsi, Reg.rdi), Move(64, Reg.r8, FRAME), False),
        (Move(64, Reg.rsi, FRAME), Move(64, Reg.r8, FRAME), True),
        (Move(64, Reg.rsi, Reg.rdi), Move(64, CHECKED, Reg.rdi), False),
        (ShiftByReg(Shift.SHL, 64, Reg.rsi, Reg.rdi), ShiftByReg(Shift.SHL, 64, Reg.rdi, Reg.rsi), True),
        (Divide(64, False, False, Reg.rsi, Reg.rdi), Divide(64, False, False, Reg.r8, Reg.rbx), True),
        (Divide(64, False, False, Reg.rsi, Reg.rdi), Divide(64, False, False, Reg.rax, Reg.rbx), False),
        (Divide(64, False, False, Reg.rsi, Reg.rdi), Divide(64, False, False, Reg.r8, Reg.rdx), False),
        (Return(), Return(), True),
        (Poll(True), Poll(False), False),
    ],
)
def test_macros_are_alike_if_a_renaming_that_fixes_special_registers_says_so(
    one: Macro, other: Macro, alike: bool
) -> None:
    assert shapes_are_renamed(one, other) is alike


def test_a_register_that_an_expansion_treats_by_name_is_explored_on_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    expand = Move.expand

    def odd(self: Move, layout: Layout) -> tuple[X86, ...]:
        return (*expand(self, layout), MovReg(64, self.dst, Reg.r13)) if self.src is Reg.r12 else expand(self, layout)

    before = len(list(representatives(Move, LAYOUT)))
    monkeypatch.setattr(Move, "expand", odd)
    sources = [macro.src for macro, _, _ in representatives(Move, LAYOUT) if isinstance(macro, Move)]
    assert Reg.r12 in sources
    assert len(sources) > before


@pytest.mark.parametrize("macro", [Move, BinaryReg, AddressSum, Divide])
def test_every_admitted_macro_is_explored_or_renamed_from_one_that_is(macro: type) -> None:
    kept = [shape for _, _, shape in representatives(macro, LAYOUT)]
    for instance, unknowns in islice(macros_of(macro), 0, None, 37):
        shape = shape_of(instance, unknowns, LAYOUT)
        assert not shape.admitted or any(renamed(other, shape) for other in kept)


def test_only_what_looks_at_the_layout_depends_on_it() -> None:
    def ignores(macro: Macro) -> bool:
        return shape_of(macro, Unknowns(), LAYOUT).ignores_layout

    assert ignores(Divide(64, True, False, Reg.rsi, Reg.rdi))
    assert not ignores(Return())
    assert not ignores(CheckAny(Reg.rsi, 0, 8, (), False))
