"""The step of the gate's fold, in any state: what the theorem is about, and that it sees a gate with a fault."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from jit.check import GateRefused, _Flow, _fold, _Targets, _through
from jit.lower import Block
from jit.macros import Goto, Macro, MoveImm, Poll, Return
from jit.registers import Reg
from proofs import flow
from proofs.executor import explore
from proofs.placements import unknown
from proofs.solver import Proved, Status
from proofs.theorem import Case
from proofs.theorems import preempt


def case(name: str) -> Case:
    (found,) = (case for case in preempt._cases() if case.name.startswith(name))
    return found


def refuted(name: str) -> set[str]:
    """What does not hold in a case."""
    proved = Proved()
    verdicts = ((o.what, proved.decide(o).status) for o in case(name).obligations())
    return {what for what, status in verdicts if status is not Status.PROVED}


def test_equal_pcs_are_in_a_set_together() -> None:
    u = unknown()
    a, b = u.between("a", 0, 9), u.between("b", 0, 9)
    paths = list(explore(lambda: (a in flow.PLACES, b in flow.PLACES), assuming=(a.bits == b.bits,)))
    assert {path.returned for path in paths} == {(True, True), (False, False)}


def test_any_state_is_any_state() -> None:
    """Each field of the fold's state is unknown, so that a new one is not forgotten."""
    state = flow.flow(unknown(), True)
    assert not [name for name in _Flow.__slots__ if getattr(state, name) is getattr(_Flow(), name)]


def test_the_cases_hold_for_the_gate_as_it_is() -> None:
    names = ("a block with 0 macros, led through, a", "a block with 0 macros, quiet, j", "the start", "the end", "how")
    assert not [name for name in names if refuted(name)]


def _through_labels(real: Callable[..., Any]) -> Callable[..., Any]:
    def broken(state: _Flow, *rest: Any) -> Any:  # noqa: ANN401
        before = state.approved
        entries = real(state, *rest)
        state.approved = before
        return entries

    return broken


def _forgets_the_order(real: Callable[..., Any]) -> Callable[..., Any]:
    def broken(state: _Flow, *rest: Any) -> Any:  # noqa: ANN401
        state.pc = -1
        return real(state, *rest)

    return broken


@pytest.mark.parametrize(
    ("fault", "what"),
    [(_through_labels, "who comes from elsewhere knows no approval"), (_forgets_the_order, "pcs increase")],
)
def test_a_fold_with_a_fault_is_refuted(
    fault: Callable[..., Any], what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flow, "_fold", fault(_fold))
    assert what in refuted("a block with 0 macros, quiet, alone")


def test_a_backward_edge_that_is_not_looked_at_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jit.check._check_jump", lambda *_: None)
    assert refuted("a macro that jumps") == {
        "a jump goes to a block of this function",
        "... which is known as a label",
        "... and is further on, or the block begins with a poll",
    }


def test_a_poll_that_ignores_the_fuel_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    expand = Poll.expand
    monkeypatch.setattr(Poll, "expand", lambda self, layout: expand(self, layout)[:-1])
    assert any("goes on with fuel" in what for what in refuted("macros that poll"))


@pytest.mark.parametrize("split", range(1, 4))
def test_a_list_is_judged_as_its_parts_one_after_the_other(split: int) -> None:
    """The state is all that a part knows of what came before: what the induction rests on."""
    poll, move = Poll(counted=True), MoveImm(Reg.rax, 1)
    parts: list[tuple[Macro, ...]] = [(poll,), (move,), (poll, Goto(-1)), (Return(),)]
    blocks = [Block(pc, macros) for pc, macros in enumerate(parts)]
    judged = [(tuple(m.contract() for m in b.macros), b.macros == (move,)) for b in blocks]
    sets = _Targets(frozenset(range(4)), frozenset({1}), frozenset({0}))
    whole, parted = _Flow(-1), _Flow(-1)
    entries = _fold(whole, blocks, judged, sets)
    first = _fold(parted, blocks[:split], judged[:split], sets)
    second = _fold(parted, blocks[split:], judged[split:], sets)
    assert (parted, first + second) == (whole, entries)


def test_a_jump_to_what_is_no_label_is_refused() -> None:
    """The set of labels is made apart from the check of jumps, and not believed."""
    goto = Goto(1)
    sets = _Targets(frozenset({0, 1}), frozenset(), frozenset({0}))
    with pytest.raises(GateRefused, match="not known as a label"):
        _through(_Flow(0, True), (goto,), (goto.contract(),), sets)
    _through(_Flow(0, True), (goto,), (goto.contract(),), sets._replace(labels=frozenset({1})))
