"""isa.refines: cases of each sort hold, planted faults are refuted with a counterexample, and nothing is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
import z3

import jit.branches
import jit.fuse
import jit.group
import jit.lower
import proofs.theorems  # noqa: F401 - registers them
from jit.layout import Region
from jit.lower import lower_instruction
from jit.macros import MACROS, AddressSum, Divide, Negate, Poll
from jit.macros import memory as memory_macros
from jit.macros.arithmetic import alu_imm
from jit.registers import CHECKED, Reg
from jit.x86 import X86, Alu, Lea
from proofs.accesses import GUESSES
from proofs.choices import Explored
from proofs.executor import NotExplored
from proofs.instructions import numbers
from proofs.layouts import EXAMPLES
from proofs.names import Unnamed, name
from proofs.quotients import AbstractDivision
from proofs.refinement import Step
from proofs.runs import found
from proofs.solver import Proved, Status, Verdict
from proofs.theorem import THEOREMS, Case
from proofs.theorems import isa
from validator.isa import ROWS, Field, Instruction, Kind, Operation


def cases() -> dict[str, Case]:
    return {case.name: case for case in THEOREMS["isa.refines"].cases()}


def verdicts(case: str) -> Iterator[Verdict]:
    proved = Proved()
    return (proved.decide(obligation) for obligation in cases()[case].obligations())


@pytest.mark.parametrize(
    "case",
    [
        "0x07 offset=0 alu add64",
        "0x3c offset=0 alu div32",
        "0x3f offset=1 alu sdiv64",
        "0xd7 imm=32 byte order bswap32",
        "0x2d branch jgt64",
        "0x85 src=0 helper call 64",
        "0x85 src=1 local call 64, layout 0",
        "0x95 exit 64, layout 0",
        "0x7b store 64",
        "0x79 load 64 off r10, layout 0",
        "0xdb imm=241 atomic cmpxchg64 off r10, layout 3",
        "check Region.WRITABLE, atomic None, write True, layout 0",
        "check Region.STACK, atomic 8, write True, layout 2",
        "check None, atomic None, write False, layout 1",
        "runs from alu lsh",
        "runs from branch jset",
        "groups and alu",
        "functions with store",
        "poll, counted True",
        "poll, counted False",
    ],
)
def test_the_case_holds(case: str) -> None:
    found = list(verdicts(case))
    assert found
    assert {verdict.status for verdict in found} == {Status.PROVED}


def refutation(case: str) -> dict[str, int]:
    """The first counterexample."""
    return next(dict(verdict.counterexample) for verdict in verdicts(case) if verdict.status is Status.REFUTED)


def test_an_expansion_that_computes_something_else_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Negate, "expand", lambda self, layout: ())
    values = refutation("0x87 negate 64")
    assert values["r1"] not in (0, 1 << 63)  # the two words that are their own negatives


def test_a_register_that_is_lost_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    expand: Any = Divide.expand
    monkeypatch.setattr(Divide, "expand", lambda self, layout: (*expand(self, layout)[:1], *expand(self, layout)[2:]))
    assert refutation("0x3f offset=0 alu div64")


def test_a_choice_for_one_register_only_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """No choice of registers hides behind the one that stands for others."""
    lowered = jit.lower._alu_reg

    def broken(bits: int, operation: Operation, dst: Reg, src: Reg) -> Any:  # noqa: ANN401 - a macro
        return lowered(bits, Operation.SUB if dst is Reg.r13 and src is Reg.r15 else operation, dst, src)

    monkeypatch.setattr(jit.lower, "_alu_reg", broken)
    refuted = [v for v in verdicts("0x0f offset=0 alu add64") if v.status is Status.REFUTED]
    assert len(refuted) == 1


def test_a_bound_that_is_one_too_large_is_refuted_with_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    def outside(src: Reg, offset: int, size: int, low: int, region_size: int) -> tuple[X86, ...]:
        return (Lea(64, CHECKED, src, offset - low), alu_imm(Alu.CMP, 64, CHECKED, region_size - size + 1))

    monkeypatch.setattr(memory_macros, "_outside_flat", outside)
    values = refutation("check Region.WRITABLE, atomic None, write True, layout 0")
    address = values["r1"] + values["share offset"]
    assert (address + values["share size"]) % 2**64 == EXAMPLES[0].writable.low + EXAMPLES[0].writable.size + 1


def test_another_check_than_the_one_that_was_decided_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    check = jit.lower._check

    def narrower(src: Reg, share: jit.lower.Share, hint: Any, layout: Any) -> Any:  # noqa: ANN401 - as `_check`
        return check(src, share._replace(size=1) if hint is Region.CALLDATA and share.write else share, hint, layout)

    monkeypatch.setattr(jit.lower, "_check", narrower)
    assert next(v for v in verdicts("check Region.CALLDATA, atomic None, write True, layout 0") if v.counterexample)


def test_a_distance_that_is_not_the_offset_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    def misplaced(disp: int) -> memory_macros.AtChecked:
        return memory_macros.AtChecked(disp + 1)

    monkeypatch.setattr(jit.lower, "_at_checked", misplaced)
    assert next(v for v in verdicts("0x7b store 64") if v.status is Status.REFUTED)


def test_a_run_that_is_fused_wrongly_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit.fuse, "opposite", lambda macro, distance: macro._replace(distance=distance))
    assert "offset0" in refutation("runs from branch jne")


def test_a_group_that_outlives_its_base_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit.group, "registers_written", lambda form, instruction: ())
    assert next(v for v in verdicts("groups and alu") if v.status is Status.REFUTED)


def test_a_function_without_its_poll_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit.lower, "jumps_back", lambda form, instruction, pc: False)
    assert next(v for v in verdicts("functions with jump") if v.status is Status.REFUTED)


# ---------------------------------------------------------------- nothing is left out


def test_every_row_has_a_case_of_its_own() -> None:
    names = list(cases())
    assert len(names) == len(list(THEOREMS["isa.refines"].cases())), "two cases have one name"
    for opcode, rows in ROWS.items():
        for row in rows:
            own = {case.name for case in isa._row_cases(opcode, row)}
            assert own
            assert own <= set(names)


def test_every_macro_is_made_by_some_instruction_or_run() -> None:
    made: set[type] = {Poll}  # by `lower` itself
    for opcode, row in ((opcode, row) for opcode, rows in ROWS.items() for row in rows):
        for imm, guess in product((0, 3) if Field.IMM in row.form.uses else (0,), GUESSES):
            fields = {Field.IMM: imm} | ({} if row.field is None else {row.field: row.value})
            src = fields.get(Field.SRC, 7)
            instruction = Instruction(opcode, 6, src, fields.get(Field.OFFSET, 0), fields[Field.IMM])
            made |= {type(macro) for macro in lower_instruction(row.form, instruction, guess, None, EXAMPLES[0])}
    assert made < set(MACROS), "runs are not needed for any"
    for run in (run for operation in (Operation.MOV, Operation.LSH) for run in found(Kind.ALU, operation)):
        made |= {type(macro) for macro in run.run.macros}
    assert made == set(MACROS)


def test_the_runs_that_are_known_are_found() -> None:
    """Three scales for each way to coincide; sums and rotations are in the test above."""
    scaled = list(found(Kind.ALU, Operation.LSH))
    assert {(type(run.run.macros[0]), run.run.length) for run in scaled} == {(AddressSum, 2)}
    by_registers = Counter(tuple(choice.named for choice in run.chosen) for run in scaled)
    assert set(by_registers.values()) == {3}
    assert not list(found(Kind.LOAD, Operation.NONE))


# ---------------------------------------------------------------- the machinery


def test_a_name_can_be_compared_and_looked_up_and_nothing_else() -> None:
    assert name(3) == name(3)
    assert name(3) != name(4)
    assert (name(10) == 10, name(3) == 10) == (True, False)
    assert ("a", "b", "c", "d")[name(3)] == "d"
    for forbidden in (lambda: name(3) == 3, lambda: hash(name(3)), lambda: name(3) in {3: 0}):
        with pytest.raises(NotExplored):
            forbidden()
    with pytest.raises(TypeError):
        _ = name(3) < name(4)
    with pytest.raises(Unnamed) as asked:
        _ = name(None, "the first") == name(3)
    assert asked.value.what == "the first"


def test_divisions_of_the_same_are_the_same_and_by_a_constant_they_are_what_they_are() -> None:
    words = AbstractDivision()
    a, b, c = z3.BitVecs("a b c", 64)
    first, second = words.unsigned_div(64, a, b), words.unsigned_div(64, a, c)
    assert words.unsigned_div(64, a + 0, b).eq(first)
    assert not words.unsigned_rem(64, a, b).eq(first)
    solver = z3.Solver()
    solver.add(*words.facts, b == c, first != second)
    assert solver.check() == z3.unsat
    halves = words.unsigned_div(64, a, z3.BitVecVal(2, 64))
    solver = z3.Solver()
    solver.add(halves != z3.LShR(a, 1))
    assert solver.check() == z3.unsat


def test_a_choice_that_meets_a_register_in_use_is_explored_on_its_own() -> None:
    """A division uses rax, rdx and rcx: r0 and r3 are no other names of r1."""
    row = ROWS[0x3F][0]
    (given,) = numbers(row)
    explored = Explored(EXAMPLES)
    own: list[tuple[int, int]] = []
    for step in isa._plain_steps(0x3F, row, given):
        if not explored.covers(step):
            explored.add(step, frozenset())
            ((_, instruction),) = step.code
            own.append((instruction.dst, instruction.src))
    assert len(own) < 20
    assert {0, 3} <= {dst for dst, _ in own}
    assert {0, 3} <= {src for _, src in own}
    assert {dst == src for dst, src in own} == {False, True}


def test_a_sequence_that_differs_is_no_renaming() -> None:
    row = ROWS[0x0F][0]
    (given,) = numbers(row)
    explored = Explored(EXAMPLES)
    first, second = list(isa._plain_steps(0x0F, row, given))[:2]
    assert not explored.covers(first)
    explored.add(first, frozenset())
    assert explored.covers(second)
    twice = Step(second.code, lambda layout: second.macros(layout) * 2, second.registers, second.unknowns, second.pc)
    assert not explored.covers(twice)
