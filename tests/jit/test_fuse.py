"""Which runs of instructions become one: every pattern beside its nearest neighbours, which stay as they are.

The macros are written down by hand. That they compute the same is tested in `test_straight_lines`.
"""

from __future__ import annotations

import re
from itertools import product

import pytest

from jit.check import GateRefused, check
from jit.compile import compile_function
from jit.fuse import LONGEST_RUN, fused
from jit.layout import plan
from jit.lower import Block, lower
from jit.macros import (
    AddressOffset,
    AddressSum,
    BranchImm,
    BranchReg,
    CallHelper,
    CallLocal,
    Goto,
    Macro,
    Move,
    MoveImm,
    Poll,
    Return,
    Rotate,
    ShiftBy,
)
from jit.registers import Reg
from jit.x86 import Cond, Shift
from tests.corpus.assembly import (
    EXIT,
    alu_imm,
    alu_reg,
    branch_imm,
    branch_reg,
    call_helper,
    ja,
    ja32,
    lddw,
    load,
    mov,
    mov_reg,
    neg,
)
from validator.decode import decode
from validator.validate import Function, Validated, validate

LAYOUT = plan(calldata_size=64)
POLL = Poll(counted=True)
R1, R2, R3, R10 = Reg.rdi, Reg.rsi, Reg.rdx, Reg.r15
INT_MIN, INT_MAX = -(1 << 31), (1 << 31) - 1


def program_of(code: bytes) -> Validated:
    return validate(decode(code), helpers=frozenset({5}))


def blocks_of(code: bytes) -> tuple[Block, ...]:
    program = program_of(code)
    return lower(program, program.functions[0], LAYOUT, {})


def is_one(*macros: Macro, code: bytes) -> None:
    """The instructions of `code`, behind another, become `macros`, and all but the first of them nothing."""
    length = len(code) // 8
    blocks = blocks_of(mov(0, 0) + code + EXIT * 9)
    assert blocks[1].macros == macros
    assert [block.joined for block in blocks[: length + 2]] == [False, False, *[True] * (length - 1), False]
    assert all(block.macros == () for block in blocks[2 : length + 1])


def stand_alone(code: bytes) -> None:
    assert not any(block.joined for block in blocks_of(mov(0, 0) + code + EXIT * 9))


# ---------------------------------------------------------------- sums


@pytest.mark.parametrize(
    ("macro", "code"),
    [
        (AddressSum(R1, R2, R3, 0), mov_reg(1, 2) + alu_reg("add", 64, 1, 3)),
        (AddressSum(R1, R2, R2, 0), mov_reg(1, 2) + alu_reg("add", 64, 1, 2)),
        (AddressSum(R1, R2, R10, 0), mov_reg(1, 2) + alu_reg("add", 64, 1, 10)),
        (AddressSum(R1, R10, R2, 0), mov_reg(1, 10) + alu_reg("add", 64, 1, 2)),
        *(
            (AddressOffset(R1, base, imm), mov_reg(1, number) + alu_imm("add", 64, 1, imm))
            for (base, number), imm in product(((R2, 2), (R10, 10)), (-1, 0, 1, INT_MIN, INT_MAX))
        ),
        *((AddressSum(R1, R2, R1, k), alu_imm("lsh", 64, 1, k) + alu_reg("add", 64, 1, 2)) for k in (1, 2, 3)),
        (AddressSum(R1, R10, R1, 3), alu_imm("lsh", 64, 1, 3) + alu_reg("add", 64, 1, 10)),
    ],
)
def test_a_sum_of_two_is_one(macro: Macro, code: bytes) -> None:
    is_one(macro, code=code)


MOVE, ADD, SHIFT = mov_reg(1, 2), alu_reg("add", 64, 1, 3), alu_imm("lsh", 64, 1, 2)


@pytest.mark.parametrize(
    "code",
    [
        alu_reg("mov", 32, 1, 2) + ADD,
        MOVE + alu_reg("add", 32, 1, 3),
        MOVE + alu_imm("add", 32, 1, 3),
        alu_reg("mov", 32, 1, 2) + alu_reg("add", 32, 1, 3),
        mov_reg(1, 1) + ADD,  # dst == src
        MOVE + alu_reg("add", 64, 1, 1),  # with itself: the sum is not of what was moved from
        MOVE + alu_reg("add", 64, 2, 3),  # another dst
        MOVE + alu_reg("sub", 64, 1, 3),
        MOVE + alu_imm("sub", 64, 1, 3),
        MOVE + alu_reg("or", 64, 1, 3),
        MOVE + alu_reg("mov", 64, 1, 3),
        MOVE + neg(64, 1),
        mov(1, 2) + ADD,  # an immediate moved
        lddw(1, 2) + ADD,
        load(8, 1, 10, -8) + ADD,
        MOVE + mov(4, 0) + ADD,  # something between
        ADD + MOVE,
        *(alu_imm("lsh", 64, 1, k) + alu_reg("add", 64, 1, 2) for k in (0, 4, -1, 63, 64, 65, 66)),
        alu_imm("lsh", 32, 1, 2) + alu_reg("add", 64, 1, 2),
        SHIFT + alu_reg("add", 32, 1, 2),
        SHIFT + alu_reg("add", 64, 1, 1),
        SHIFT + alu_reg("add", 64, 2, 1),  # the sum in the other register: r1 would have to be shifted too
        SHIFT + alu_imm("add", 64, 1, 2),
        SHIFT + alu_reg("sub", 64, 1, 2),
        alu_reg("lsh", 64, 1, 4) + alu_reg("add", 64, 1, 2),
        alu_imm("rsh", 64, 1, 2) + alu_reg("add", 64, 1, 2),
        alu_imm("arsh", 64, 1, 2) + alu_reg("add", 64, 1, 2),
    ],
)
def test_what_is_beside_a_sum_stands_alone(code: bytes) -> None:
    stand_alone(code)


# ---------------------------------------------------------------- rotations


def rotation(bits: int, shift: str, k: int, other: int | None = None, into: int | None = None) -> list[bytes]:
    """r1 := r2 shifted by k; r2, or r3 if `into` says so, := r2 rotated. `other` is the opposite shift's count."""
    opposite = {"lsh": "rsh", "rsh": "lsh"}[shift]
    target = 2 if into is None else into
    moved = [] if into is None else [alu_reg("mov", bits, into, 2)]
    return [
        alu_reg("mov", bits, 1, 2),
        alu_imm(shift, bits, 1, k),
        *moved,
        alu_imm(opposite, bits, target, bits - k if other is None else other),
        alu_reg("or", bits, target, 1),
    ]


ROTATIONS = list(product((32, 64), ("lsh", "rsh"), (None, 3)))


@pytest.mark.parametrize(("bits", "shift", "into"), ROTATIONS)
def test_a_rotation_is_one_for_every_count_that_is_one(bits: int, shift: str, into: int | None) -> None:
    target = R2 if into is None else R3
    for k in range(-1, bits + 2):
        code = b"".join(rotation(bits, shift, k, into=into))
        if 0 < k < bits:
            op, left = (Shift.SHL, k) if shift == "lsh" else (Shift.SHR, bits - k)
            is_one(Move(bits, R1, R2), ShiftBy(op, bits, R1, k), Rotate(bits, target, R2, left), code=code)
        else:
            stand_alone(code)


@pytest.mark.parametrize(("bits", "shift", "into"), ROTATIONS)
def test_counts_that_do_not_add_up_are_no_rotation(bits: int, shift: str, into: int | None) -> None:
    for k, other in product((1, 7, bits - 1), range(-1, bits + 2)):
        if k + other != bits:
            stand_alone(b"".join(rotation(bits, shift, k, other, into)))


@pytest.mark.parametrize(("bits", "shift", "into"), ROTATIONS)
def test_what_is_beside_a_rotation_stands_alone(bits: int, shift: str, into: int | None) -> None:
    """One instruction of the run replaced, by each of its neighbours in turn; and the run cut short."""
    run = rotation(bits, shift, 7, into=into)
    wide, target = 96 - bits, 2 if into is None else into
    opposite = {"lsh": "rsh", "rsh": "lsh"}[shift]
    neighbours: list[tuple[int, list[bytes]]] = [
        (0, [alu_reg("mov", wide, 1, 2), alu_reg("mov", bits, 4, 2), alu_reg("mov", bits, 1, 4), mov(1, 2)]),
        (1, [alu_imm(shift, wide, 1, 7), alu_imm(shift, bits, 4, 7), alu_imm("arsh", bits, 1, 7)]),
        (1, [alu_reg(shift, bits, 1, 4), alu_imm(opposite, bits, 1, 7)]),
        (-2, [alu_imm(opposite, wide, target, bits - 7), alu_imm(opposite, bits, 4, bits - 7)]),
        (-2, [alu_imm("arsh", bits, target, bits - 7), alu_reg(opposite, bits, target, 4)]),
        (-2, [alu_imm(shift, bits, target, bits - 7)]),
        (-1, [alu_reg("or", wide, target, 1), alu_reg("or", bits, target, 4), alu_reg("or", bits, 1, target)]),
        (-1, [alu_reg("xor", bits, target, 1), alu_reg("add", bits, target, 1), alu_imm("or", bits, target, 1)]),
    ]
    if into is not None:
        moves = [alu_reg("mov", wide, 3, 2), alu_reg("mov", bits, 3, 1), alu_reg("mov", bits, 4, 2), mov(3, 2)]
        neighbours.append((2, [*moves, alu_reg("mov", bits, 1, 2), alu_reg("mov", bits, 2, 2)]))
    for place, others in neighbours:
        for other in others:
            changed = run.copy()
            changed[place] = other
            stand_alone(b"".join(changed))
    for length in range(1, len(run)):
        stand_alone(b"".join(run[:length]))


@pytest.mark.parametrize(("bits", "shift"), list(product((32, 64), ("lsh", "rsh"))))
def test_the_parts_of_a_rotation_are_in_different_registers(bits: int, shift: str) -> None:
    """r2 moved to r1, where its first part is, or to itself."""
    for into in (1, 2):
        stand_alone(b"".join(rotation(bits, shift, 7, into=into)))
    same = [code.replace(alu_reg("mov", bits, 1, 2), alu_reg("mov", bits, 2, 2)) for code in rotation(bits, shift, 7)]
    stand_alone(b"".join(same))


def test_a_rotation_of_r10_goes_to_another_register() -> None:
    run = [alu_reg("mov", 64, 1, 10), alu_imm("lsh", 64, 1, 9), alu_reg("mov", 64, 2, 10)]
    run += [alu_imm("rsh", 64, 2, 55), alu_reg("or", 64, 2, 1)]
    is_one(Move(64, R1, R10), ShiftBy(Shift.SHL, 64, R1, 9), Rotate(64, R2, R10, 9), code=b"".join(run))


# ---------------------------------------------------------------- a branch around a jump

OPPOSITE = {
    "jeq": Cond.NE,
    "jne": Cond.E,
    "jgt": Cond.BE,
    "jge": Cond.B,
    "jlt": Cond.AE,
    "jle": Cond.A,
    "jsgt": Cond.LE,
    "jsge": Cond.L,
    "jslt": Cond.GE,
    "jsle": Cond.G,
    "jset": Cond.E,  # of a test: no bit is set
}


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", OPPOSITE)
def test_a_branch_around_a_jump_is_the_opposite_branch(name: str, bits: int) -> None:
    cond, test = OPPOSITE[name], name == "jset"
    for distance in (0, 1, 5):
        for jump in (ja, ja32):
            to = distance + 2  # from the branch
            is_one(BranchImm(cond, bits, R1, -9, to, test), code=branch_imm(name, bits, 1, -9, 1) + jump(distance))
            is_one(BranchReg(cond, bits, R1, R2, to, test), code=branch_reg(name, bits, 1, 2, 1) + jump(distance))


BRANCH = branch_imm("jeq", 64, 1, 0, 1)


@pytest.mark.parametrize(
    "code",
    [
        branch_imm("jeq", 64, 1, 0, 0) + ja(3),
        branch_imm("jeq", 64, 1, 0, 2) + ja(3),
        branch_imm("jeq", 64, 1, 0, -1) + ja(3),
        BRANCH + ja(-1),  # goes back: polls
        BRANCH + ja(-2),
        BRANCH + ja32(-3),
        BRANCH + EXIT,
        BRANCH + BRANCH,
        BRANCH + mov(1, 1),
        ja(1) + ja(3),
    ],
)
def test_what_is_beside_a_branch_around_a_jump_stands_alone(code: bytes) -> None:
    stand_alone(code)


# ---------------------------------------------------------------- what surrounds a run

RUNS = {
    "sum": [MOVE, ADD],
    "scaled sum": [SHIFT, alu_reg("add", 64, 1, 2)],
    "rotation of 4": rotation(64, "lsh", 7),
    "rotation of 5": rotation(64, "lsh", 7, into=3),
    "branch": [BRANCH, ja(3)],
}


@pytest.mark.parametrize("name", RUNS)
def test_control_enters_a_run_at_its_first_instruction_only(name: str) -> None:
    """A branch before it goes to each of its instructions, and to the one behind; likewise one from further on."""
    run = RUNS[name]
    for at in range(len(run) + 1):
        forward = blocks_of(branch_imm("jeq", 64, 4, 0, at) + b"".join(run) + EXIT * 9)
        code = mov(0, 0) + b"".join(run) + EXIT * 3
        back = blocks_of(code + branch_imm("jeq", 64, 4, 0, 1 + at - len(code) // 8 - 1) + EXIT)
        for blocks in (forward, back):
            joined = [block.pc for block in blocks if block.joined]
            assert joined == ([] if 0 < at < len(run) else list(range(2, 1 + len(run)))), at


@pytest.mark.parametrize("name", RUNS)
def test_a_run_ends_before_the_end_that_is_given(name: str) -> None:
    code = b"".join(RUNS[name])
    program = program_of(code + EXIT * 6)
    length = len(RUNS[name])
    for end in range(1, length):
        assert fused(program, 0, end) is None
    for end in (length, length + 1):
        run = fused(program, 0, end)
        assert run is not None
        assert run.length == length <= LONGEST_RUN


@pytest.mark.parametrize("name", RUNS)
def test_a_poll_stands_before_a_run_at_the_start_of_a_function(name: str) -> None:
    code = b"".join(RUNS[name])
    first = blocks_of(code + EXIT * 6)[0]
    assert first.macros == (POLL, *blocks_of(mov(0, 0) + code + EXIT * 6)[1].macros)


@pytest.mark.parametrize("name", RUNS)
def test_the_host_enters_at_the_first_instruction_of_a_run_only(name: str) -> None:
    program = program_of(mov(0, 0) + b"".join(RUNS[name]) + EXIT * 6)
    entries = compile_function(program, program.functions[0], LAYOUT, {}).entries
    inside = set(range(2, 1 + len(RUNS[name])))
    assert set(entries) == set(range(len(program.program))) - inside


def test_a_run_may_stand_behind_a_helper_call() -> None:
    program = program_of(call_helper(5) + b"".join(RUNS["sum"]) + EXIT)
    assert set(compile_function(program, program.functions[0], LAYOUT, {}).entries) == {0, 1, 3}


# ---------------------------------------------------------------- the gate

SUM = AddressSum(R1, R2, R3, 0)


def gate(*blocks: tuple[Macro, ...] | None) -> None:
    """None is a joined block."""
    made = [Block(pc, macros or (), joined=macros is None) for pc, macros in enumerate(blocks)]
    check(made, Function(0, len(made)), frozenset({0}), LAYOUT)


def refuses(reason: str, *blocks: tuple[Macro, ...] | None) -> None:
    with pytest.raises(GateRefused, match=re.escape(reason)):
        gate(*blocks)


def test_the_gate_refuses_a_label_inside_a_run() -> None:
    end: tuple[Macro, ...] = (Return(),)
    reason = "is part of an earlier block, yet has code or can be reached"
    for target in range(1, 5):
        jump: tuple[Macro, ...] = (POLL, BranchImm(Cond.E, 64, R1, 0, target))
        back: tuple[Macro, ...] = (POLL, BranchImm(Cond.E, 64, R1, 0, target - 5))
        forth = (jump, (SUM,), None, None, end, end)
        again = ((POLL,), (SUM,), None, None, (MoveImm(R1, 0),), back, end)
        for blocks in (forth, again):
            if target in (2, 3):
                refuses(reason, *blocks)
            else:
                gate(*blocks)


def test_the_gate_refuses_a_joined_block_that_is_not_part_of_what_is_before_it() -> None:
    reason = "is part of an earlier block, yet has code or can be reached"
    gate((POLL, SUM), None, (Return(),))
    refuses(reason, (POLL, Goto(1)), None, (Return(),))
    refuses("the function's start has no poll", None, (POLL, SUM), (Return(),))
    refuses(reason, (POLL, CallHelper()), None, (Return(),))
    refuses(reason, (POLL, CallLocal(0)), None, (Return(),))
    with pytest.raises(GateRefused, match=reason):
        blocks = [Block(0, (POLL,)), Block(1, (SUM,), joined=True), Block(2, (Return(),))]
        check(blocks, Function(0, 3), frozenset({0}), LAYOUT)
