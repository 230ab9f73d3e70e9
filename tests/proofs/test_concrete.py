"""Counterexamples about machine code are run as bytes, and shown as registers, memory and instructions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from io import StringIO
from itertools import product

import pytest
import z3
from rich.console import Console

from jit import trampolines
from jit.assemble import template
from jit.decode import decode
from jit.macros import CheckFlat, CheckStack
from jit.macros import memory as memory_macros
from jit.macros.arithmetic import alu_imm
from jit.registers import CHECKED, Reg
from jit.x86 import (
    X86,
    Alu,
    AluImm8,
    AluImm32,
    AluReg,
    Bswap,
    Cond,
    Div,
    JumpIf,
    Label,
    Lea,
    Load,
    Local,
    Mem,
    MovImm32,
    MovImm64,
    MovReg,
    Shift,
    ShiftImm,
    Store,
)
from proofs.cases import Finding, judge
from proofs.concrete import Machine, registers
from proofs.executor import explore, guided
from proofs.machine import BEHIND, Labels, Unknown, domain, fresh_state, memory_of, run, running_on
from proofs.report import show_finding
from proofs.solver import Proved, Status
from proofs.symbolic import Int, SymbolicWords
from proofs.theorem import THEOREMS, Case, Obligation, Theorem
from proofs.theorems import gate
from proofs.values import Values
from simulator.integers import INTEGERS
from simulator.machine import DivideError

BASE = z3.BitVec("base", 64)
EDGES = (0, 1, 2, 63, 64, 127, 128, 255)


def values_of(**numbers: int) -> Values:
    solver = z3.Solver()
    solver.add(*(z3.BitVec(name, 64) == number for name, number in numbers.items()))
    assert solver.check() == z3.sat
    return Values(solver.model())


def found(theorem: Theorem, case: str) -> Finding:
    """The first finding of a case."""
    chosen = next(c for c in theorem.cases() if c.name.startswith(case))
    return next(judged.finding for judged in judge(theorem, chosen, Proved()) if judged.finding is not None)


# ---------------------------------------------------------------- runs


def test_bytes_on_numbers_do_what_the_symbolic_run_does() -> None:
    code: tuple[X86, ...] = (
        Load(4, Reg.rcx, Mem(-16)),
        ShiftImm(Shift.SHL, 64, Reg.rcx, 3),
        AluReg(Alu.ADD, 64, Reg.rax, Reg.rcx),
        AluReg(Alu.CMP, 64, Reg.rax, Reg.rdx),
        JumpIf(Cond.AE, Local(0)),
        Store(8, Mem(0x1000, Reg.rdx), Reg.rax),
        Label(0),
        Bswap(64, Reg.rax),
    )
    pc, _ = Int.fresh("pc", 0, 9)
    for rax, rdx in ((1, 5), (100, 5)):
        values = values_of(base=1 << 40, rax=rax, rdx=rdx, **{"context-16.32": 0})
        machine = Machine(values)
        state = fresh_state({}, BASE)
        with guided(values), running_on(machine):
            (path,) = explore(lambda: run(SymbolicWords(), code, state, Unknown(pc)))  # noqa: B023 - called at once
        assert path.returned == BEHIND
        assert values.number(state.registers[Reg.rax]) == int.from_bytes(rax.to_bytes(8, "little"), "big")
        stored = [(values.number(e.address), values.number(e.value)) for e in memory_of(state).events]
        assert stored == ([((1 << 40) + 0x1000 + rdx, rax)] if rax < rdx else [])
        assert any("bswap rax" in line for line in machine.lines)


def test_a_division_error_is_left_to_the_caller() -> None:
    pc, _ = Int.fresh("pc", 0, 9)
    values, state = values_of(base=1 << 40, rdx=0, rcx=0), fresh_state({}, BASE)
    machine = Machine(values)
    with guided(values), running_on(machine):
        divide = partial(run, SymbolicWords(), (Div(64, Reg.rcx),), state, Unknown(pc))
        (path,) = explore(lambda: divide(), allowed=(DivideError,))  # noqa: PLW0108 - a partial is run on numbers, too
    assert path.raised is not None
    *state_before, last = machine.lines
    assert state_before == registers([values.number(z3.BitVec(r.name, 64)) if r != 5 else 1 << 40 for r in Reg])
    assert last.split() == ["0x700000000000", "48", "f7", "f1", "div", "rcx", "DivideError"]


def test_context_is_what_is_at_a_distance_from_rbp_that_is_known_on_symbols() -> None:
    pc, _ = Int.fresh("pc", 0, 9)
    code = (Load(8, Reg.rax, Mem(-16)), Load(8, Reg.rax, Mem(-32, Reg.rcx)), Load(8, Reg.rax, Mem(-64, Reg.rdx)))
    values = values_of(base=1 << 40, rdx=8, **{"context-16.64": 1, "context-24.64": 2, "loaded0.64": 3})
    state = fresh_state({Reg.rcx: z3.BitVecVal(8, 64)}, BASE)
    with guided(values), running_on(Machine(values)):
        list(explore(lambda: run(SymbolicWords(), code, state, Unknown(pc))))
    memory = memory_of(state)
    assert set(memory.context) == {(-16, 8), (-24, 8)}
    assert [values.number(event.address) for event in memory.events] == [(1 << 40) - 56]
    assert values.number(state.registers[Reg.rax]) == 3


def test_words_on_numbers_are_those_of_the_integers() -> None:
    values = values_of()
    with running_on(Machine(values)):
        words = domain(SymbolicWords())
        for a, b in product(EDGES, EDGES):
            x, y = z3.BitVecVal(a, 8), z3.BitVecVal(b, 8)
            for name in ("add", "sub", "mul", "bit_and", "bit_or", "bit_xor"):
                assert values.number(getattr(words, name)(8, x, y)) == getattr(INTEGERS, name)(8, a, b)
            assert bool(words.signed_less(8, x, y)) == INTEGERS.signed_less(8, a, b)
            if b:
                assert values.number(words.unsigned_div(8, x, y)) == a // b
        assert not words.obligations
        words.unsigned_div(8, z3.BitVecVal(1, 8), z3.BitVecVal(0, 8))
        assert len(words.obligations) == 1  # what the symbolic domain asks for, and is not so


# ---------------------------------------------------------------- planted faults


def _one_byte_more(src: Reg, offset: int, size: int, low: int, region_size: int) -> tuple[X86, ...]:
    return (Lea(64, CHECKED, src, offset - low), alu_imm(Alu.CMP, 64, CHECKED, region_size - size + 1))


def test_a_wrong_bound_is_confirmed_by_the_bytes_and_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_macros, "_outside_flat", _one_byte_more)
    finding = found(gate.MEMORY, CheckFlat.__name__)
    assert finding.status is Status.REFUTED
    assert finding.replay is not None
    assert finding.replay.confirmed
    text, values = "\n".join(finding.replay.lines), dict(finding.counterexample)
    lea = Lea(64, CHECKED, Reg.rax, values["offset"] - values["low"])
    assert template((lea,))[0].hex(" ") in text
    assert "lea r11, [rax" in text
    assert f"r0 rax = {values['rax']:#018x}" in text
    assert f"rbp = {dict(finding.values)['base']:#018x}" in text
    assert "(leave INTERPRET)" in text
    assert "\nCheckFlat rax, offset " in text
    assert text.endswith("goes on behind")
    printed = StringIO()
    show_finding(Console(file=printed), finding)
    assert f"    rax = {values['rax']:#x} ({values['rax']})\n" in printed.getvalue()
    assert "\n    confirmed by running it\n     r0 rax = " in printed.getvalue()


def test_what_only_a_wrong_guess_reaches_is_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    expand = CheckStack.expand
    monkeypatch.setattr(CheckStack, "expand", lambda self, layout: expand(self, layout)[:-1])
    finding = found(gate.SPECULATIVE, CheckStack.__name__)
    assert finding.replay is not None
    assert finding.replay.confirmed, finding.replay.lines


def _one_byte_less(i: AluImm8 | AluImm32) -> AluImm8 | AluImm32:
    return i._replace(imm=i.imm - 1) if i.op is Alu.CMP else i


def test_a_fault_that_is_gone_from_the_bytes_is_not_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_macros, "_outside_flat", _one_byte_more)
    place = Machine._place

    def repaired(self: Machine, instructions: tuple[X86, ...], labels: Labels | None) -> object:
        right = (_one_byte_less(i) if isinstance(i, AluImm8 | AluImm32) else i for i in instructions)
        return place(self, tuple(right), labels)

    monkeypatch.setattr(Machine, "_place", repaired)
    finding = found(gate.MEMORY, CheckFlat.__name__)
    assert finding.status is Status.REFUTED
    assert finding.replay is not None
    assert not finding.replay.confirmed


def test_what_the_assembler_refuses_is_confirmed() -> None:
    imm, within = Int.fresh("imm", 0, 1 << 32)
    pc, _ = Int.fresh("pc", 0, 9)

    def loads() -> Iterator[Obligation]:
        def load() -> object:
            state = fresh_state({}, BASE)
            run(SymbolicWords(), (MovImm32(Reg.rax, imm),), state, Unknown(pc))  # type: ignore[arg-type]
            return state.registers[Reg.rax]

        for path in explore(load, assuming=(within,), what="the constant"):
            yield Obligation("the constant", path.conditions, same_word(path.returned, imm), (("imm", imm.bits),))

    def same_word(word: object, number: Int) -> z3.BoolRef:
        return word == number.word(64)

    planted = Theorem("planted.one", "", "", (), (), lambda: (Case("only", loads),))
    finding = found(planted, "only")
    assert dict(finding.counterexample) == {"imm": 1 << 32}
    assert finding.replay is not None
    assert finding.replay.confirmed
    assert "EncodingRefused" in finding.replay.lines[0]


def test_a_leaking_trampoline_is_confirmed_and_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    leaking = tuple(
        MovImm64(Reg.rdx, 0xBAD) if i == AluReg(Alu.XOR, 32, Reg.rdx, Reg.rdx) else i for i in trampolines.START
    )
    monkeypatch.setattr(trampolines, "START", leaking)
    finding = found(THEOREMS["host.trampoline"], "START")
    assert finding.what == "enters: r3"
    assert finding.replay is not None
    assert finding.replay.confirmed
    text = "\n".join(finding.replay.lines)
    assert "movabs rdx, 0xbad" in text
    assert "rdx = 0xbad" in text
    assert "rbp-0x60" in text  # where r1 comes from


def test_an_instruction_that_is_read_back_wrongly_is_shown_on_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    def swapped(code: tuple[int, ...]) -> tuple[X86, int]:
        read, length = decode(code)
        return (MovReg(read.bits, read.src, read.dst) if isinstance(read, MovReg) else read), length

    monkeypatch.setattr("proofs.theorems.bytes.decode", swapped)
    finding = found(THEOREMS["bytes.roundtrip"], "MovReg")
    assert finding.replay is not None
    assert finding.replay.confirmed
    assert finding.replay.lines == (
        "instruction: mov eax, ecx", "bytes: 89 c8", "read back: mov ecx, eax", "bytes read: 2",
    )  # fmt: skip
