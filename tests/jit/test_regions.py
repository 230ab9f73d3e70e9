"""The guesses: which region each access is thought to go to, and that guessing is bounded work for any program.

A wrong guess is no error (the access is interpreted then), so what is pinned here is what C compilers emit.
"""

from __future__ import annotations

import pytest

from jit import regions
from jit.layout import Layout, Region, plan
from jit.regions import guess
from tests.corpus.assembly import (
    EXIT,
    alu_imm,
    alu_reg,
    atomic,
    branch_imm,
    call_helper,
    call_local,
    ja,
    lddw,
    load,
    mov,
    mov_reg,
    movsx,
    neg,
    store,
    store_imm,
)
from validator.decode import decode
from validator.validate import Validated, validate

LAYOUT = plan(read_only_size=64, writable_size=64, calldata_size=64)
RO, RW = LAYOUT.read_only.low, LAYOUT.writable.low
READ_ONLY, WRITABLE, STACK, CALLDATA = Region.READ_ONLY, Region.WRITABLE, Region.STACK, Region.CALLDATA
HELPER = call_helper(5)
LOAD_R1, LOAD_R6 = load(8, 0, 1, 0), load(8, 0, 6, 0)


def validated(*parts: bytes) -> Validated:
    return validate(decode(b"".join(parts)), helpers=frozenset({5}))


def guessed(*parts: bytes, layout: Layout = LAYOUT) -> list[Region | None]:
    """The guesses for the accesses, in the order of their pcs."""
    return [region for _, region in sorted(guess(validated(*parts), layout).items())]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        # where pointers come from
        ([LOAD_R1], CALLDATA),
        ([load(8, 0, 2, 0)], None),  # its length
        ([load(8, 0, 10, -8)], STACK),
        ([lddw(1, RO), LOAD_R1], READ_ONLY),
        ([lddw(1, RW), LOAD_R1], WRITABLE),
        ([mov(1, RW), LOAD_R1], WRITABLE),
        ([lddw(1, RW + 63), LOAD_R1], WRITABLE),
        ([lddw(1, RW + 64), LOAD_R1], WRITABLE),  # one past the end: loops count down from there
        ([lddw(1, RW + 65), LOAD_R1], None),
        ([lddw(1, RW - 1), LOAD_R1], None),
        ([lddw(1, RW + (1 << 32)), LOAD_R1], None),
        ([lddw(1, 0), LOAD_R1], None),
        # what keeps them
        ([mov_reg(6, 1), LOAD_R6], CALLDATA),
        ([mov_reg(6, 10), alu_imm("add", 64, 6, -64), LOAD_R6], STACK),
        ([alu_reg("add", 64, 1, 2), LOAD_R1], CALLDATA),
        ([mov(3, 5), alu_reg("add", 64, 3, 1), load(1, 0, 3, 0)], CALLDATA),  # index + pointer
        ([alu_imm("sub", 64, 1, 8), LOAD_R1], CALLDATA),
        ([alu_imm("and", 64, 1, -8), LOAD_R1], CALLDATA),
        ([mov_reg(6, 1), HELPER, LOAD_R6], CALLDATA),
        ([LOAD_R1, load(8, 0, 1, 8)], CALLDATA),
        # what ends them
        ([alu_imm("and", 64, 1, 7), LOAD_R1], None),
        ([alu_imm("mul", 64, 1, 1), LOAD_R1], None),
        ([alu_imm("add", 32, 1, 0), LOAD_R1], None),
        ([alu_reg("mov", 32, 1, 1), LOAD_R1], None),
        ([alu_reg("sub", 64, 1, 10), LOAD_R1], None),  # a distance
        ([mov_reg(6, 10), alu_reg("add", 64, 6, 1), LOAD_R6], None),  # two pointers
        ([neg(64, 1), LOAD_R1], None),
        ([movsx(32, 64, 1, 1), LOAD_R1], None),
        ([load(8, 1, 1, 0), LOAD_R1], None),
        ([HELPER, LOAD_R1], None),
        ([mov_reg(0, 10), HELPER, load(8, 0, 0, 0)], None),
        ([mov_reg(0, 1), atomic("cmpxchg", 8, 1, 0, 2), load(8, 0, 0, 0)], None),  # r0 is written
        ([mov_reg(6, 1), atomic("fetch_add", 8, 1, 0, 6), LOAD_R6], None),
        ([mov_reg(6, 1), atomic("add", 8, 1, 0, 6), LOAD_R6], CALLDATA),
    ],
)
def test_last_access_is_guessed(code: list[bytes], expected: Region | None) -> None:
    assert guessed(*code, EXIT)[-1] is expected


SPILL, RELOAD = store(8, 10, -16, 1), load(8, 6, 10, -16)


@pytest.mark.parametrize(
    ("between", "expected"),
    [
        ([], CALLDATA),
        ([store(8, 10, -8, 2)], CALLDATA),  # the neighbours
        ([store(8, 10, -24, 2)], CALLDATA),
        ([store(1, 10, -8, 2)], CALLDATA),
        ([store(8, 10, -16, 2)], None),
        ([store(1, 10, -9, 2)], None),  # its last byte
        ([store(1, 10, -16, 2)], None),
        ([store(8, 10, -23, 2)], None),  # ends in its first byte
        ([store(8, 10, -9, 2)], None),  # starts in its last
        ([store_imm(8, 10, -16, 0)], None),
        ([store(8, 10, -16, 10)], STACK),
        ([mov_reg(7, 10), store(8, 7, -200, 2)], None),  # anywhere in the frame, as far as we know
        ([mov_reg(7, 10), store(4, 7, -200, 2)], CALLDATA),  # no pointer
        ([mov_reg(7, 10), atomic("add", 8, 7, -200, 2)], None),
        ([store(8, 1, 0, 2)], CALLDATA),  # another region
        ([HELPER], CALLDATA),  # nobody told it where the frame is
        ([mov_reg(2, 10), HELPER], None),
    ],
)
def test_spilled_pointer_is_remembered_until_overwritten(between: list[bytes], expected: Region | None) -> None:
    assert guessed(SPILL, *between, RELOAD, LOAD_R6, EXIT)[-1] is expected


@pytest.mark.parametrize("reload", [load(4, 6, 10, -16), load(8, 6, 10, -8)], ids=["half", "elsewhere"])
def test_only_the_whole_spill_is_the_pointer(reload: bytes) -> None:
    assert guessed(SPILL, reload, LOAD_R6, EXIT)[-1] is None


def test_without_calldata_r1_is_unknown() -> None:
    assert guessed(LOAD_R1, EXIT, layout=plan()) == [None]


def test_branches_keep_what_both_ways_agree_on() -> None:
    same = [branch_imm("jeq", 64, 2, 0, 1), mov_reg(6, 1), mov_reg(6, 1), LOAD_R6, EXIT]
    assert guessed(*same) == [CALLDATA]
    differ = [mov_reg(6, 10), branch_imm("jeq", 64, 2, 0, 1), mov_reg(6, 1), LOAD_R6, EXIT]
    assert guessed(*differ) == [None]
    spilled_on_one_way = [branch_imm("jeq", 64, 2, 0, 1), SPILL, RELOAD, LOAD_R6, EXIT]
    assert guessed(*spilled_on_one_way)[-1] is None


def test_loop_that_keeps_a_pointer_keeps_the_guess() -> None:
    loop = [mov_reg(6, 1), LOAD_R6, alu_imm("add", 64, 6, 8), branch_imm("jne", 64, 0, 0, -3), EXIT]
    assert guessed(*loop) == [CALLDATA]


def test_loop_that_brings_another_region_back_forgets_at_its_head() -> None:
    loop = [mov_reg(6, 1), LOAD_R6, mov_reg(6, 10), branch_imm("jne", 64, 0, 0, -3), LOAD_R6, EXIT]
    assert guessed(*loop) == [None, STACK]


def test_an_inner_loop_undoes_what_its_outer_loop_assumed() -> None:
    loops = [
        mov_reg(6, 1),
        LOAD_R6,  # outer head
        LOAD_R6,  # inner head
        mov_reg(6, 10),
        branch_imm("jne", 64, 0, 0, -3),
        branch_imm("jne", 64, 2, 0, -5),
        EXIT,
    ]
    assert guessed(*loops) == [None, None]


def test_arguments_of_local_calls_are_followed() -> None:
    callee = [load(8, 0, 1, 0), load(8, 0, 2, 0), load(8, 0, 6, 0), load(8, 0, 10, -8), EXIT]
    caller = [mov_reg(6, 10), mov_reg(2, 10), call_local(1), EXIT]
    assert guessed(*caller, *callee) == [CALLDATA, STACK, None, STACK]  # r6 is no argument


def test_two_callers_must_agree_on_an_argument() -> None:
    callee = [load(8, 0, 1, 0), load(8, 0, 2, 0), EXIT]
    caller = [
        mov_reg(6, 1),
        mov_reg(2, 10),
        call_local(5),  # calldata, stack
        mov_reg(1, 6),
        lddw(2, RW),
        call_local(1),  # calldata, writable
        EXIT,
    ]
    assert guessed(*caller, *callee)[-2:] == [CALLDATA, None]


def test_recursion_with_another_region_ends() -> None:
    code = [load(8, 0, 1, 0), mov_reg(1, 10), call_local(-3), EXIT]
    assert guessed(*code) == [None]


def test_unreachable_functions_and_code_get_no_wrong_guess() -> None:
    assert guessed(ja(1), LOAD_R1, EXIT) == []
    dead = validate(decode(b"".join([EXIT, LOAD_R1, EXIT])), starts=(1,))
    assert guess(dead, LAYOUT) == {}


# ---------------------------------------------------------------- bounded work


class Work:
    """Counts sweeps, and the instructions looked at."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sweeps = self.instructions = 0
        sweep_once, transfer = regions._sweep_once, regions._transfer

        def counted_sweep(*args: object) -> int | None:
            self.sweeps += 1
            return sweep_once(*args)  # type: ignore[arg-type]

        def counted_transfer(*args: object) -> None:
            self.instructions += 1
            transfer(*args)  # type: ignore[arg-type]

        monkeypatch.setattr(regions, "_sweep_once", counted_sweep)
        monkeypatch.setattr(regions, "_transfer", counted_transfer)


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many spills each copied state holds."""
    sizes: list[int] = []
    copy = regions._State.copy

    def counted(state: regions._State) -> regions._State:
        sizes.append(len(state.spilled))
        return copy(state)

    monkeypatch.setattr(regions._State, "copy", counted)
    return sizes


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    return Work(monkeypatch)


SWEEPS = 32  # of one function for one set of arguments: any small number, a bound is the point
SPILLS = 128


def _ladder(count: int) -> bytes:
    """Rung k: a head, and a branch back to the head of rung k - 1. What is lost at the end climbs a rung per sweep."""
    code = [mov_reg(6, 1), load(8, 0, 6, 0)]
    for _ in range(count):
        code += [load(8, 0, 6, 0), branch_imm("jne", 64, 0, 0, -3)]
    return b"".join([*code, mov_reg(6, 10), branch_imm("jne", 64, 0, 0, -3), EXIT])


def test_a_ladder_of_loops_climbs_a_rung_per_sweep(work: Work) -> None:
    """So that the next test is about what it says."""
    assert set(guess(validated(_ladder(4)), LAYOUT).values()) == {None}
    assert work.sweeps > 4


def test_a_long_ladder_of_loops_does_not_cost_a_sweep_per_rung(work: Work) -> None:
    hints = guess(validated(_ladder(1000)), LAYOUT)
    assert work.sweeps <= SWEEPS
    assert set(hints.values()) <= {None}


def test_a_function_that_is_given_up_still_tells_its_callees(work: Work) -> None:
    ladder = _ladder(1000)
    caller = [ladder[:-8], call_local(1), EXIT]
    callee = [load(8, 0, 1, 0), load(8, 0, 10, -8), EXIT]
    assert guessed(*caller, *callee) == [None, STACK]
    assert work.sweeps <= 2 * SWEEPS


def test_a_thousand_nested_loops(work: Work) -> None:
    count = 1000
    heads = [load(8, 0, 6, 0)] * count
    backs = [branch_imm("jne", 64, 0, 0, -(2 * k) - 2) for k in range(count)]
    guess(validated(mov_reg(6, 1), *heads, *backs, mov_reg(6, 10), EXIT), LAYOUT)
    assert work.sweeps <= SWEEPS


def test_twenty_thousand_labels_and_four_thousand_spills(work: Work, kept: list[int]) -> None:
    spills = [store(8, 10, -8 * k, 1) for k in range(1, 4097)]
    branches = [branch_imm("jeq", 64, 0, 0, 0)] * 20_000
    guess(validated(*spills, *branches, RELOAD, EXIT), LAYOUT)
    assert work.sweeps <= SWEEPS
    assert work.instructions <= SWEEPS * (4096 + 20_000 + 2)
    assert len(kept) >= 20_000
    assert 16 <= max(kept) <= SPILLS  # each label has a copy, so this bounds the memory


def test_three_hundred_functions_that_call_in_a_ring(work: Work) -> None:
    count = 300  # the arguments go bad one by one
    code: list[bytes] = []
    for k in range(count):
        code += [load(8, 0, 1, 0), mov_reg(1 + k % 5, 10), call_local(1 if k + 1 < count else -4 * count + 1), EXIT]
    guess(validated(*code), LAYOUT)
    assert count <= work.sweeps <= count * 6  # five arguments can be lost
