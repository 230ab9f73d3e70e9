"""The gate's theorems hold on a few cases of each sort, and fail with a counterexample where the code is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import pytest

from jit.context import FUEL, register_offset
from jit.layout import Layout
from jit.macros import (
    MACROS,
    CallLocal,
    CheckAligned,
    CheckFlat,
    CheckStack,
    DivideImm,
    Goto,
    Interpret,
    LoadFrom,
    Move,
    Negate,
    Poll,
    Return,
)
from jit.macros import memory as memory_macros
from jit.macros.arithmetic import alu_imm
from jit.macros.contract import Contract
from jit.registers import CHECKED, COUNT, Reg
from jit.x86 import (
    FORMS,
    X86,
    Ahead,
    Alu,
    Callee,
    Jump,
    JumpTable,
    Lea,
    LeaLabel,
    Load,
    Local,
    Mem,
    MovReg,
    Neg,
    Store,
    Xchg,
)
from proofs.gate import Way
from proofs.solver import Proved, Status, Verdict
from proofs.theorem import Obligation, Theorem
from proofs.theorems import encodable, gate

Claims = Callable[[Way], gate.Claims]


def decided(macro: type, claims: Claims, most: int, *, guessing: bool = False) -> Iterator[tuple[Obligation, Verdict]]:
    """The first obligations of one macro class, and what becomes of them."""
    proved = Proved()
    for obligation in islice(gate._obligations(macro, claims, guessing), most):
        yield obligation, proved.decide(obligation)


def verdicts(macro: type, claims: Claims, most: int, *, guessing: bool = False) -> list[Verdict]:
    return [verdict for _, verdict in decided(macro, claims, most, guessing=guessing)]


def refuted(macro: type, claims: Claims, most: int = 40, *, guessing: bool = False) -> set[str]:
    """What is refuted of a macro class, in words."""
    found = decided(macro, claims, most, guessing=guessing)
    return {o.what.rpartition(": ")[2] for o, verdict in found if verdict.status is Status.REFUTED}


@pytest.mark.parametrize("macro", [CheckFlat, CheckStack, LoadFrom, DivideImm, Poll, Return])
def test_admitted_macros_touch_what_their_contracts_name(macro: type) -> None:
    for verdict in verdicts(macro, gate.memory_claims, 12):
        assert verdict.status is Status.PROVED, verdict


@pytest.mark.parametrize("macro", [CheckFlat, DivideImm, Poll, Return, CallLocal])
def test_admitted_macros_leave_where_their_contracts_say(macro: type) -> None:
    for verdict in verdicts(macro, gate.contract_claims, 20):
        assert verdict.status is Status.PROVED, verdict


@pytest.mark.parametrize("theorem", [gate.MEMORY, gate.CONTRACT, gate.SPECULATIVE])
def test_every_macro_has_a_case(theorem: Theorem) -> None:
    assert {macro.__name__ for macro in MACROS} <= {case.name for case in theorem.cases()}


def test_every_form_is_looked_for_and_one_that_nothing_emits_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    class Unused:
        """A form that no macro uses yet."""

    monkeypatch.setattr(gate, "FORMS", (*FORMS, Unused))
    proved = Proved()
    found = {o.what: proved.decide(o).status for o in gate._forms()}
    assert set(found) == {f"{form.__name__} is emitted" for form in (*FORMS, Unused)}
    assert [what for what, status in found.items() if status is Status.REFUTED] == ["Unused is emitted"]


# ---------------------------------------------------------------- faults


def _one_byte_more(src: Reg, offset: int, size: int, low: int, region_size: int) -> tuple[X86, ...]:
    return (Lea(64, CHECKED, src, offset - low), alu_imm(Alu.CMP, 64, CHECKED, region_size - size + 1))


def test_a_bound_that_is_one_too_large_is_refuted_with_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_macros, "_outside_flat", _one_byte_more)
    found = verdicts(CheckFlat, gate.memory_claims, 40)
    counterexamples = [verdict for verdict in found if verdict.status is Status.REFUTED]
    assert counterexamples
    values = dict(counterexamples[0].counterexample)
    end = values["read_only.low"] + values["read_only.size"]
    assert (values["rax"] + values["offset"]) % 2**64 + values["size"] == end + 1


def test_a_bound_that_is_too_large_for_regions_of_one_size_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    right = memory_macros._outside_flat

    def wrong(src: Reg, offset: int, size: int, low: int, region_size: int) -> tuple[X86, ...]:
        return (_one_byte_more if region_size == 12_345 else right)(src, offset, size, low, region_size)

    monkeypatch.setattr(memory_macros, "_outside_flat", wrong)
    proved = Proved()
    for obligation in gate._obligations(CheckFlat, gate.memory_claims, False):
        verdict = proved.decide(obligation)
        if verdict.status is Status.REFUTED:
            assert dict(verdict.counterexample)["read_only.size"] == 12_345
            return
    raise AssertionError("not refuted")


def test_a_check_without_its_clamp_is_refuted_only_under_speculation(monkeypatch: pytest.MonkeyPatch) -> None:
    expand = CheckStack.expand
    monkeypatch.setattr(CheckStack, "expand", lambda self, layout: expand(self, layout)[:-1])
    assert {v.status for v in verdicts(CheckStack, gate.memory_claims, 3)} == {Status.PROVED}
    assert refuted(CheckStack, gate.speculative_claims, 20, guessing=True) == {"approved"}


FAULTS: list[tuple[type, Callable[[Any, Layout], tuple[X86, ...]], str]] = [
    (Goto, lambda self, layout: (Jump(Ahead(self.distance + 1)),), "leaves to where it may (Ahead)"),
    (Goto, lambda self, layout: (), "leaves to where it may (Behind)"),
    (Move, lambda self, layout: (MovReg(64, self.dst, COUNT),), "nothing but what is read reaches the guest"),
    (Move, lambda self, layout: (LeaLabel(self.dst, Local(0)),), "nothing but what is read reaches the guest"),
    (Move, lambda self, layout: (MovReg(64, self.dst, self.src), Neg(64, COUNT)), "rcx is unchanged"),
    (Negate, lambda self, layout: (Neg(64, Reg.rsp),), "rsp is unchanged"),
    (Negate, lambda self, layout: (Neg(64, Reg.rbp),), "rbp is unchanged"),
    (Negate, lambda self, layout: (Neg(64, Reg.r15),), "r10 stays"),
    (Interpret, lambda self, layout: (Neg(64, Reg.rax), *_left(layout)), "rax is as the instruction found it"),
]


def _left(layout: Layout) -> tuple[X86, ...]:
    return _INTERPRET(Interpret(), layout)


_INTERPRET = Interpret.expand


@pytest.mark.parametrize(("macro", "expand", "claim"), FAULTS)
def test_an_expansion_that_does_more_than_its_contract_says_is_refuted(
    macro: type, expand: Callable[[Any, Layout], tuple[X86, ...]], claim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(macro, "expand", expand)
    assert claim in refuted(macro, gate.contract_claims)


@pytest.mark.parametrize("extra", [Load(8, COUNT, Mem(register_offset(0))), Store(4, Mem(FUEL - 4), COUNT)])
def test_an_access_that_no_contract_names_is_refuted(extra: X86, monkeypatch: pytest.MonkeyPatch) -> None:
    expand = Poll.expand
    monkeypatch.setattr(Poll, "expand", lambda self, layout: (*expand(self, layout), extra))
    assert refuted(Poll, gate.memory_claims)


def test_a_call_whose_record_or_callee_is_wrong_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    expand = CallLocal.expand

    def without(self: CallLocal, layout: Layout) -> tuple[X86, ...]:
        return tuple(i for i in expand(self, layout) if not (isinstance(i, Store) and i.src is Reg.r13))

    def elsewhere(self: CallLocal, layout: Layout) -> tuple[X86, ...]:
        return tuple(JumpTable(Callee(0)) if isinstance(i, JumpTable) else i for i in expand(self, layout))

    monkeypatch.setattr(CallLocal, "expand", without)
    assert "the record has r13" in refuted(CallLocal, gate.contract_claims)
    monkeypatch.setattr(CallLocal, "expand", elsewhere)
    assert "leaves to where it may (Fetched)" in refuted(CallLocal, gate.contract_claims)


def test_a_contract_that_is_quiet_about_what_it_does_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    contract = DivideImm.contract
    monkeypatch.setattr(DivideImm, "contract", lambda self: contract(self)._replace(writes=(self.dst,)))
    assert {"rcx is unchanged", "r11 is unchanged"} <= refuted(DivideImm, gate.contract_claims, 80)
    monkeypatch.setattr(Contract, "is_quiet", lambda self: True)
    assert "may stand anywhere" in refuted(CheckAligned, gate.contract_claims, 20)


def test_a_division_that_can_fault_is_refuted_by_the_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    contract = DivideImm.contract
    monkeypatch.setattr(DivideImm, "contract", lambda self: contract(self)._replace(divisor=None))
    with pytest.raises(Exception, match="DivideError"):
        verdicts(DivideImm, gate.memory_claims, 10)


# ---------------------------------------------------------------- the way to bytes


def test_an_instruction_whose_bytes_would_be_anothers_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    def narrow(self: Poll, layout: Layout) -> tuple[X86, ...]:
        return (Xchg(2, Mem(register_offset(0)), COUNT),)

    monkeypatch.setattr(Poll, "expand", narrow)
    assert "its bytes are its own" not in refuted(Poll, gate.contract_claims)  # the encoder refuses it
    monkeypatch.setattr(encodable, "encode", lambda instruction: None)
    monkeypatch.setattr(encodable, "_ENCODED", {})  # what it said before
    assert "its bytes are its own" in refuted(Poll, gate.contract_claims)
