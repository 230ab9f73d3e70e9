"""Fuel, single steps and resumption of eBPF runs: where a run may be cut in two, and that cutting changes nothing."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from jit.layout import Layout, plan
from simulator.ebpf import (
    Event,
    Fault,
    Finished,
    HelperCall,
    Paused,
    Preempted,
    Prepared,
    State,
    finish_helper,
    initial_state,
    prepare,
    run,
    step,
)
from simulator.integers import INTEGERS
from simulator.memory import ByteMemory
from tests.corpus import cases
from tests.corpus.assembly import EXIT, alu_imm, branch_imm, call_helper, call_local, ja, lddw, mov
from tests.corpus.case import Case, layout_of
from tests.simulator.machine import HELPERS
from tests.simulator.programs import programs
from validator.decode import decode
from validator.isa import Kind
from validator.polls import poll_pcs
from validator.validate import Validated, validate

PLENTY = 1 << 20


@dataclass
class Guest:
    validated: Validated
    layout: Layout
    prepared: Prepared[int]
    memory: ByteMemory
    state: State[int]

    def run(self, fuel: int, steps: int | None = None) -> tuple[Event[int], int]:
        """Run on, helper calls included: helper 5 returns its first argument."""
        while True:
            event, fuel = run(self.prepared, self.state, fuel, steps)
            if not isinstance(event, HelperCall):
                return event, fuel
            finish_helper(INTEGERS, self.state, self.state.registers[1])

    def left_behind(self) -> tuple[object, ...]:
        return self.state.registers, self.state.pc, self.state.calls, self.memory.regions


def guest(code: bytes, case: Case | None = None) -> Guest:
    layout = layout_of(case) if case else plan()
    validated = validate(decode(code), helpers=HELPERS)
    memory = ByteMemory(layout, case.read_only, case.writable, case.mem) if case else ByteMemory(layout)
    calldata = layout.calldata
    arguments = (calldata.low if calldata.size else 0, calldata.size)
    state = initial_state(INTEGERS, layout, memory, 0, arguments)
    return Guest(validated, layout, prepare(INTEGERS, validated, layout), memory, state)


COUNTDOWN = mov(6, 3) + alu_imm("sub", 64, 6, 1) + branch_imm("jne", 64, 6, 0, -2) + EXIT


@pytest.mark.parametrize(
    ("code", "pcs"),
    [
        (mov(0, 1) + EXIT, {0}),  # the entry
        (COUNTDOWN, {0, 2}),  # and a branch back
        (ja(0) + EXIT, {0}),  # a jump ahead is none
        (mov(0, 1) + branch_imm("jeq", 64, 0, 0, -1) + EXIT, {0, 1}),  # to itself
        (call_local(1) + EXIT + EXIT, {0, 2}),  # each function
        (mov(0, 1) + ja(-1), {0, 1}),
        (lddw(0, 1) + branch_imm("jeq", 32, 0, 0, -3) + EXIT, {0, 2}),
        (mov(1, 0) + call_helper(5) + EXIT, {0}),  # a helper call is none
    ],
)
def test_polls_are_at_function_starts_and_backward_jumps(code: bytes, pcs: set[int]) -> None:
    assert poll_pcs(validate(decode(code), helpers=HELPERS)) == pcs


def test_fuel_counts_polls() -> None:
    assert guest(COUNTDOWN).run(fuel=4) == (Finished(0), 0)  # the entry, and three times the branch
    for fuel, pc in ((0, 0), (1, 2), (2, 2), (3, 2)):
        assert guest(COUNTDOWN).run(fuel) == (Preempted(pc), -1)


def test_a_start_that_jumps_to_itself_polls_once_each_time() -> None:
    assert guest(ja(-1)).run(fuel=5) == (Preempted(0), -1)


def test_negative_fuel_preempts_at_the_first_poll() -> None:
    assert guest(COUNTDOWN).run(fuel=-1) == (Preempted(0), -2)


def test_resumption_polls_again() -> None:
    cut = guest(COUNTDOWN)
    cut.run(fuel=1)
    assert cut.run(fuel=0) == (Preempted(2), -1)
    assert cut.run(fuel=3) == (Finished(0), 0)


def test_a_helper_call_is_resumed_behind_it() -> None:
    calling = guest(mov(1, 9) + call_helper(5) + EXIT)
    event, fuel = run(calling.prepared, calling.state, fuel=1)
    assert (event, fuel, calling.state.pc) == (HelperCall(1, 5), 0, 1)
    finish_helper(INTEGERS, calling.state, 77)
    assert run(calling.prepared, calling.state, fuel) == (Finished(77), 0)


def test_the_step_limit_pauses_before_the_poll() -> None:
    paused = guest(COUNTDOWN)
    assert paused.run(fuel=0, steps=0) == (Paused(0), 0)
    assert paused.run(fuel=1, steps=2) == (Paused(2), 0)
    assert paused.run(fuel=0) == (Preempted(2), -1)


def test_the_generator_makes_programs_that_call_and_loop() -> None:
    polls: list[int] = []
    calls: list[bool] = []

    @settings(max_examples=100, phases=[Phase.generate], derandomize=True, deadline=None)
    @given(programs())
    def count(code: bytes) -> None:
        made = guest(code)
        polls.append(PLENTY - made.run(PLENTY)[1])
        calls.append(any(form is not None and form.kind is Kind.CALL_LOCAL for form in made.validated.forms))

    count()
    assert sum(count > 5 for count in polls) >= 20
    assert max(polls) > 25
    assert sum(calls) >= 20


@settings(deadline=None)
@given(programs())
def test_fuel_n_passes_n_polls(code: bytes) -> None:
    whole = guest(code)
    event, left = whole.run(PLENTY)
    assert isinstance(event, Finished | Fault)
    polls = PLENTY - left
    for fuel in {0, 1, 2, polls // 2, polls - 1}:
        cut = guest(code)
        early, _ = cut.run(fuel)
        assert isinstance(early, Preempted) == (fuel < polls)
        if isinstance(early, Preempted):
            assert early.pc == cut.state.pc
            assert cut.prepared.polls[early.pc]
            assert cut.run(polls - fuel) == (event, 0)  # passed and coming polls add up
            assert cut.left_behind() == whole.left_behind()
    assert guest(code).run(polls) == (event, 0)


@settings(deadline=None)
@given(programs(), st.lists(st.integers(0, 5), min_size=1))
def test_any_slicing_gives_the_same_result(code: bytes, slices: list[int]) -> None:
    whole = guest(code)
    event, _ = whole.run(PLENTY)
    cut = guest(code)
    for fuel in slices:
        now, _ = cut.run(fuel)
        if not isinstance(now, Preempted):
            break
    else:
        now, _ = cut.run(PLENTY)
    assert now == event
    assert cut.left_behind() == whole.left_behind()


@settings(deadline=None)
@given(programs())
def test_single_steps_give_the_same_result_and_fuel(code: bytes) -> None:
    whole = guest(code)
    stepped = guest(code)
    now, fuel = stepped.run(PLENTY, steps=1)
    while isinstance(now, Paused):
        now, fuel = stepped.run(fuel, steps=1)
    assert (now, fuel) == whole.run(PLENTY)
    assert stepped.left_behind() == whole.left_behind()


@pytest.mark.parametrize("prefix", ["bounds.elsewhere", "bounds.calldata24", "calls.depth", "calls.frames"])
def test_an_event_leaves_the_state_as_it_was(prefix: str) -> None:
    for case in cases(prefix):
        ending = guest(case.code, case)
        event = None
        while event is None:
            before = deepcopy((ending.state.registers, ending.state.pc, ending.state.calls))
            event = step(INTEGERS, ending.validated, ending.layout, ending.state)
        assert (ending.state.registers, ending.state.pc, ending.state.calls) == before
