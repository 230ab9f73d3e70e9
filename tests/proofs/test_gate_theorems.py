"""The gate's theorems hold on a few cases of each sort, and fail with a counterexample where the code is broken."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import pytest

from jit.macros import CheckFlat, CheckStack, Divide, LoadFrom, Poll, Return
from jit.macros import memory as memory_macros
from jit.macros.arithmetic import alu_imm
from jit.registers import CHECKED, Reg
from jit.x86 import X86, Alu, Lea
from proofs.gate import Way
from proofs.layouts import LAYOUTS
from proofs.solver import Proved, Status, Verdict
from proofs.theorems import gate


def verdicts(macro: type, claims: Callable[[Way], gate.Claims], most: int, *, guessing: bool) -> list[Verdict]:
    """Of the first obligations of one macro class."""
    proved = Proved()
    obligations = gate._obligations(macro, claims, guessing)
    return [proved.decide(obligation) for obligation in islice(obligations, most)]


@pytest.mark.parametrize("macro", [CheckFlat, CheckStack, LoadFrom, Divide, Poll, Return])
def test_admitted_macros_touch_what_their_contracts_name(macro: type) -> None:
    for verdict in verdicts(macro, gate.memory_claims, 12, guessing=False):
        assert verdict.status is Status.PROVED, verdict


@pytest.mark.parametrize("macro", [CheckFlat, Divide, Poll, Return])
def test_admitted_macros_leave_where_their_contracts_say(macro: type) -> None:
    for verdict in verdicts(macro, gate.contract_claims, 12, guessing=False):
        assert verdict.status is Status.PROVED, verdict


def _one_byte_more(src: Reg, offset: int, size: int, low: int, region_size: int) -> tuple[X86, ...]:
    return (Lea(64, CHECKED, src, offset - low), alu_imm(Alu.CMP, 64, CHECKED, region_size - size + 1))


def test_a_bound_that_is_one_too_large_is_refuted_with_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_macros, "_outside_flat", _one_byte_more)
    found = verdicts(CheckFlat, gate.memory_claims, 3, guessing=False)
    refuted = [verdict for verdict in found if verdict.status is Status.REFUTED]
    assert refuted
    values = dict(refuted[0].counterexample)
    region = LAYOUTS[0].read_only
    assert (values["rax"] + values["offset"]) % 2**64 + values["size"] == region.low + region.size + 1


def test_a_check_without_its_clamp_is_refuted_only_under_speculation(monkeypatch: pytest.MonkeyPatch) -> None:
    expand = CheckStack.expand
    monkeypatch.setattr(CheckStack, "expand", lambda self, layout: expand(self, layout)[:-1])
    assert {v.status for v in verdicts(CheckStack, gate.memory_claims, 3, guessing=False)} == {Status.PROVED}
    assert Status.REFUTED in {v.status for v in verdicts(CheckStack, gate.speculative_claims, 9, guessing=True)}
