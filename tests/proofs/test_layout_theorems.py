"""Theorems about layouts, borders and the validator: their fast cases hold, and planted mistakes are refuted."""

from __future__ import annotations

from dataclasses import replace

import pytest

import proofs.theorems  # noqa: F401 - registers them
from jit.layout import Placement, hypothesis_violation, plan
from proofs.placements import ASSUMPTIONS, accepted, every, unknown
from proofs.second_solver import second_answer
from proofs.solver import Status, decided, smt2
from proofs.theorem import THEOREMS, Obligation

FAST = [
    ("layout.hypothesis", "windows"),
    ("layout.hypothesis", "strides"),
    ("host.range", "access_check, stride 0x10000, 4 bytes, write=True"),
    ("host.trampoline", "RESUME_CALLED, HELPER"),
    ("linker.inside", "address_inside"),
    ("linker.inside", "called_slot"),
    ("linker.inside", "code, CALL_32, a function"),
    ("linker.inside", "writable data, ABS32, ABS64"),
    ("linker.inside", "read-only data, WIDE_64, a section"),
    ("linker.inside", "places, in reverse"),
    ("validator.instruction", "opcode 0xdb"),
    ("validator.instruction", "opcode 0x85"),
    ("validator.sound", "decode, second slots"),
    ("validator.sound", "decode, other slots"),
    ("validator.sound", "entry"),
    ("validator.sound", "step, opcode 0x85"),
    ("validator.closed", "accepted, jump32, last function"),
    ("validator.closed", "entries"),
    ("validator.closed", "step, opcode 0x95"),
]


@pytest.mark.parametrize(("theorem", "name"), FAST)
def test_the_case_holds(theorem: str, name: str) -> None:
    (case,) = (case for case in THEOREMS[theorem].cases() if case.name == name)
    obligations = list(case.obligations())
    assert obligations
    for obligation in obligations:
        assert decided(obligation).status is Status.PROVED, obligation.what
    assert second_answer(smt2(obligations[-1])) is Status.PROVED  # it can be written down, too


def test_without_the_predicate_no_assumption_about_memory_holds() -> None:
    """Each assumption can fail, so that none is proved for an empty reason."""
    u = unknown()
    layout, placement, depth = u.layout(1 << 16), u.placement(), u.depth()
    for statement, assumption in ASSUMPTIONS.items():
        if "record_shift" in statement or "depth and frame_top" in statement:
            continue  # arithmetic, which holds of more layouts
        claim = every(*assumption(layout, placement, depth))
        assert decided(Obligation(statement, tuple(u.given), claim)).status is Status.REFUTED, statement


def test_the_formula_of_the_predicate_is_the_predicate() -> None:
    """On concrete layouts the explored formula is a constant: what the function says of the same numbers."""
    good = plan(100, 200, 24)
    base = 0x7F00_0000_0000
    placement = Placement(base, base - (1 << 20), base + (1 << 30), 0, 0, good.frame_top(3))
    for layout in (good, replace(good, context_bytes=64), replace(good, slot_bytes=good.slot_bytes - 1)):
        formula = accepted(lambda: hypothesis_violation(layout, placement), ())  # noqa: B023 - called at once
        holds = decided(Obligation("", (), formula)).status is Status.PROVED
        assert holds is (hypothesis_violation(layout, placement) is None)
