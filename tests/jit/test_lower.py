"""Which macros each eBPF form becomes: the right operation, operands, check, and polls in the right places.

Expected macros are written down here by hand. That they compute the right thing is tested on the corpus.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from jit.layout import Layout, Profile, Region, plan
from jit.lower import lower
from jit.macros import (
    AtomicExchange,
    AtomicFetchAdd,
    AtomicFetchLogic,
    AtomicUpdate,
    BinaryImm,
    BinaryReg,
    BranchImm,
    BranchReg,
    ByteOrder,
    CallHelper,
    CallLocal,
    CheckAligned,
    CheckAny,
    CheckFlat,
    CheckStack,
    CompareExchange,
    Divide,
    DivideImm,
    Goto,
    Interpret,
    LoadFrom,
    Macro,
    Move,
    MoveImm,
    Multiply,
    MultiplyImm,
    Negate,
    Poll,
    Return,
    ShiftBy,
    ShiftByReg,
    SignExtend,
    StoreImmTo,
    StoreTo,
)
from jit.macros.memory import AtChecked, InFrame
from jit.regions import Hints
from jit.registers import GUEST, Reg
from jit.x86 import Alu, Cond, Shift
from tests.corpus.assembly import (
    EXIT,
    alu_imm,
    alu_reg,
    atomic,
    branch_imm,
    branch_reg,
    byte_order,
    call_helper,
    call_local,
    ja,
    ja32,
    lddw,
    load,
    load_signed,
    mov,
    movsx,
    neg,
    store,
    store_imm,
)
from validator.decode import decode
from validator.validate import validate

POLL = Poll(counted=True)

LAYOUT = plan(read_only_size=64, writable_size=64, calldata_size=64)
RO, RW, IN, STACK = LAYOUT.read_only.low, LAYOUT.writable.low, LAYOUT.calldata.low, LAYOUT.stack_low
R0, R1, R2, R3 = Reg.rax, Reg.rdi, Reg.rsi, Reg.rdx  # the register map, by hand (DESIGN.md section 4)
INT_MIN = -(1 << 31)


def lowered(code: bytes, hint: Region | None = None, layout: Layout = LAYOUT) -> tuple[Macro, ...]:
    """The macros of `code`, which stands at pc 1 and has that hint."""
    program = validate(decode(mov(0, 0) + code + EXIT + EXIT + EXIT), helpers=frozenset({5}))
    hints: Hints = {1: hint} if hint is not None else {}
    blocks = lower(program, program.functions[0], layout, hints)
    assert blocks[1].pc == 1
    return blocks[1].macros


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (alu_reg("add", 64, 0, 1), [BinaryReg(Alu.ADD, 64, R0, R1)]),
        (alu_reg("sub", 32, 1, 0), [BinaryReg(Alu.SUB, 32, R1, R0)]),
        (alu_reg("or", 64, 2, 2), [BinaryReg(Alu.OR, 64, R2, R2)]),
        (alu_reg("and", 32, 2, 3), [BinaryReg(Alu.AND, 32, R2, R3)]),
        (alu_reg("xor", 64, 3, 10), [BinaryReg(Alu.XOR, 64, R3, Reg.r15)]),
        (alu_imm("add", 64, 0, -1), [BinaryImm(Alu.ADD, 64, R0, -1)]),
        (alu_imm("sub", 32, 0, INT_MIN), [BinaryImm(Alu.SUB, 32, R0, INT_MIN)]),
        (alu_imm("or", 64, 0, 1), [BinaryImm(Alu.OR, 64, R0, 1)]),
        (alu_imm("and", 64, 0, 255), [BinaryImm(Alu.AND, 64, R0, 255)]),
        (alu_imm("xor", 32, 0, 7), [BinaryImm(Alu.XOR, 32, R0, 7)]),
        (alu_reg("mul", 32, 0, 1), [Multiply(32, R0, R1)]),
        (alu_imm("mul", 64, 0, -3), [MultiplyImm(64, R0, -3)]),
        (alu_reg("mov", 64, 0, 10), [Move(64, R0, Reg.r15)]),
        (alu_reg("mov", 32, 0, 1), [Move(32, R0, R1)]),
        (alu_imm("mov", 64, 0, -1), [MoveImm(R0, (1 << 64) - 1)]),  # sign-extended
        (alu_imm("mov", 32, 0, -1), [MoveImm(R0, (1 << 32) - 1)]),  # not beyond 32 bits
        (lddw(0, 0x1122334455667788), [MoveImm(R0, 0x1122334455667788)]),
        (lddw(0, -1), [MoveImm(R0, (1 << 64) - 1)]),
        (neg(64, 0), [Negate(64, R0)]),
        (neg(32, 1), [Negate(32, R1)]),
        (movsx(8, 64, 0, 1), [SignExtend(8, 64, R0, R1)]),
        (movsx(16, 32, 0, 1), [SignExtend(16, 32, R0, R1)]),
        (movsx(32, 64, 0, 1), [SignExtend(32, 64, R0, R1)]),
        (byte_order("le", 16, 0), [ByteOrder(16, R0, False)]),
        (byte_order("le", 32, 0), [ByteOrder(32, R0, False)]),
        (byte_order("le", 64, 0), []),  # this is a little-endian machine
        (byte_order("be", 16, 0), [ByteOrder(16, R0, True)]),
        (byte_order("be", 64, 0), [ByteOrder(64, R0, True)]),
        (byte_order("bswap", 32, 0), [ByteOrder(32, R0, True)]),
        (byte_order("bswap", 64, 0), [ByteOrder(64, R0, True)]),
        (ja(1), [Goto(2)]),
        (ja32(1), [Goto(2)]),
        (call_helper(5), [CallHelper()]),
        (call_local(1), [CallLocal(2)]),
        (EXIT, [Return()]),
    ],
)
def test_form_becomes(code: bytes, expected: list[Macro]) -> None:
    assert list(lowered(code)) == expected


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize(("name", "op"), [("lsh", Shift.SHL), ("rsh", Shift.SHR), ("arsh", Shift.SAR)])
def test_shift_counts_are_taken_modulo_the_width(name: str, op: Shift, bits: int) -> None:
    assert lowered(alu_reg(name, bits, 1, 2)) == (ShiftByReg(op, bits, R1, R2),)
    nothing = (Move(32, R1, R1),) if bits == 32 else ()
    for imm, count in ((1, 1), (bits - 1, bits - 1), (bits + 3, 3), (-1, bits - 1), (INT_MIN + 5, 5)):
        assert lowered(alu_imm(name, bits, 1, imm)) == (ShiftBy(op, bits, R1, count),)
    for imm in (0, bits, 2 * bits, -bits, INT_MIN):
        assert lowered(alu_imm(name, bits, 1, imm)) == nothing


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize(
    ("name", "signed", "remainder"), [("div", 0, 0), ("mod", 0, 1), ("sdiv", 1, 0), ("smod", 1, 1)]
)
def test_division_by_a_register(name: str, signed: int, remainder: int, bits: int) -> None:
    assert lowered(alu_reg(name, bits, 3, 0)) == (Divide(bits, bool(signed), bool(remainder), R3, R0),)


NOTHING_64: list[Macro] = []
NOTHING_32: list[Macro] = [Move(32, R1, R1)]  # the upper half becomes zero


@pytest.mark.parametrize(
    ("bits", "imm", "div", "mod"),
    [
        (32, 0, [MoveImm(R1, 0)], NOTHING_32),  # RFC 9669 section 4.1: 0, and the dividend
        (64, 0, [MoveImm(R1, 0)], NOTHING_64),
        (32, 1, NOTHING_32, [MoveImm(R1, 0)]),
        (64, 1, NOTHING_64, [MoveImm(R1, 0)]),
        (32, 2, [ShiftBy(Shift.SHR, 32, R1, 1)], [BinaryImm(Alu.AND, 32, R1, 1)]),
        (64, 2, [ShiftBy(Shift.SHR, 64, R1, 1)], [BinaryImm(Alu.AND, 64, R1, 1)]),
        (32, 1 << 30, [ShiftBy(Shift.SHR, 32, R1, 30)], [BinaryImm(Alu.AND, 32, R1, (1 << 30) - 1)]),
        (64, 1 << 30, [ShiftBy(Shift.SHR, 64, R1, 30)], [BinaryImm(Alu.AND, 64, R1, (1 << 30) - 1)]),
        (32, INT_MIN, [ShiftBy(Shift.SHR, 32, R1, 31)], [BinaryImm(Alu.AND, 32, R1, (1 << 31) - 1)]),  # 2^31
        # at 64 bits the immediate is sign-extended: no power of two
        (
            64,
            INT_MIN,
            [DivideImm(64, False, False, R1, 0xFFFF_FFFF_8000_0000)],
            [DivideImm(64, False, True, R1, 0xFFFF_FFFF_8000_0000)],
        ),
        (32, 3, [DivideImm(32, False, False, R1, 3)], [DivideImm(32, False, True, R1, 3)]),
        (
            64,
            (1 << 31) - 1,
            [DivideImm(64, False, False, R1, 0x7FFF_FFFF)],
            [DivideImm(64, False, True, R1, 0x7FFF_FFFF)],
        ),
        (32, -1, [DivideImm(32, False, False, R1, 0xFFFF_FFFF)], [DivideImm(32, False, True, R1, 0xFFFF_FFFF)]),
        (64, -1, [DivideImm(64, False, False, R1, (1 << 64) - 1)], [DivideImm(64, False, True, R1, (1 << 64) - 1)]),
    ],
)
def test_unsigned_division_by_a_constant(bits: int, imm: int, div: list[Macro], mod: list[Macro]) -> None:
    assert list(lowered(alu_imm("div", bits, 1, imm))) == div
    assert list(lowered(alu_imm("mod", bits, 1, imm))) == mod


@pytest.mark.parametrize(
    ("bits", "imm", "sdiv", "smod"),
    [
        (32, 0, [MoveImm(R1, 0)], NOTHING_32),
        (64, 0, [MoveImm(R1, 0)], NOTHING_64),
        (32, -1, [Negate(32, R1)], [MoveImm(R1, 0)]),  # idiv would raise #DE for INT_MIN
        (64, -1, [Negate(64, R1)], [MoveImm(R1, 0)]),
        (32, 1, [DivideImm(32, True, False, R1, 1)], [DivideImm(32, True, True, R1, 1)]),
        (32, 2, [DivideImm(32, True, False, R1, 2)], [DivideImm(32, True, True, R1, 2)]),  # rounds to zero: no shift
        (32, INT_MIN, [DivideImm(32, True, False, R1, 1 << 31)], [DivideImm(32, True, True, R1, 1 << 31)]),
        (64, -2, [DivideImm(64, True, False, R1, (1 << 64) - 2)], [DivideImm(64, True, True, R1, (1 << 64) - 2)]),
    ],
)
def test_signed_division_by_a_constant(bits: int, imm: int, sdiv: list[Macro], smod: list[Macro]) -> None:
    assert list(lowered(alu_imm("sdiv", bits, 1, imm))) == sdiv
    assert list(lowered(alu_imm("smod", bits, 1, imm))) == smod


def test_every_power_of_two_divides_by_a_shift() -> None:
    for bits, power in product((32, 64), range(1, 31)):
        assert lowered(alu_imm("div", bits, 1, 1 << power)) == (ShiftBy(Shift.SHR, bits, R1, power),)
        assert lowered(alu_imm("mod", bits, 1, 1 << power)) == (BinaryImm(Alu.AND, bits, R1, (1 << power) - 1),)


# ---------------------------------------------------------------- memory

CHECKS: dict[Region | None, dict[bool, tuple[Macro, int]]] = {
    # guess -> for a load, for a store: the check of 4 bytes at r1 + 6, and what approved bytes are relative to
    Region.WRITABLE: dict.fromkeys((False, True), (CheckFlat(R1, 6, 4, Region.WRITABLE, RW), RW)),
    Region.CALLDATA: dict.fromkeys((False, True), (CheckFlat(R1, 6, 4, Region.CALLDATA, IN), IN)),
    Region.STACK: dict.fromkeys((False, True), (CheckStack(R1, 6, 4, STACK), STACK)),
    Region.READ_ONLY: {False: (CheckFlat(R1, 6, 4, Region.READ_ONLY, RO), RO)},
    None: {
        False: (CheckAny(R1, 6, 4, (Region.WRITABLE, Region.CALLDATA, Region.READ_ONLY), False), 0),
        True: (CheckAny(R1, 6, 4, (Region.WRITABLE, Region.CALLDATA), True), 0),
    },
}


@pytest.mark.parametrize("hint", CHECKS, ids=str)
def test_access_through_a_pointer_is_checked_for_the_guessed_region(hint: Region | None) -> None:
    check, low = CHECKS[hint][False]
    place = AtChecked(low)
    assert lowered(load(4, 0, 1, 6), hint) == (check, LoadFrom(R0, place, 4, False))
    assert lowered(load_signed(4, 0, 1, 6), hint) == (check, LoadFrom(R0, place, 4, True))
    assert lowered(load(4, 1, 1, 6), hint) == (check, LoadFrom(R1, place, 4, False))
    if True not in CHECKS[hint]:
        for code in (store(4, 1, 6, 2), store_imm(4, 1, 6, 9), atomic("add", 4, 1, 6, 2)):
            assert lowered(code, hint) == (Interpret(),)  # always faults
        return
    check, low = CHECKS[hint][True]
    place, aligned = AtChecked(low), CheckAligned(4)
    assert lowered(store(4, 1, 6, 2), hint) == (check, StoreTo(place, R2, 4))
    assert lowered(store_imm(4, 1, 6, -9), hint) == (check, StoreImmTo(place, -9, 4))
    assert lowered(atomic("add", 4, 1, 6, 2), hint) == (check, aligned, AtomicUpdate(Alu.ADD, 4, place, R2))


@pytest.mark.parametrize("size", [4, 8])
def test_atomics(size: int) -> None:
    place, checks = AtChecked(STACK), (CheckStack(R1, 0, size, STACK), CheckAligned(size))
    expected: dict[str, Macro] = {
        "add": AtomicUpdate(Alu.ADD, size, place, R2),
        "or": AtomicUpdate(Alu.OR, size, place, R2),
        "and": AtomicUpdate(Alu.AND, size, place, R2),
        "xor": AtomicUpdate(Alu.XOR, size, place, R2),
        "fetch_add": AtomicFetchAdd(size, place, R2),
        "fetch_or": AtomicFetchLogic(Alu.OR, size, place, R2),
        "fetch_and": AtomicFetchLogic(Alu.AND, size, place, R2),
        "fetch_xor": AtomicFetchLogic(Alu.XOR, size, place, R2),
        "xchg": AtomicExchange(size, place, R2),
        "cmpxchg": CompareExchange(size, place, R2),
    }
    for name, macro in expected.items():
        assert lowered(atomic(name, size, 1, 0, 2), Region.STACK) == (*checks, macro), name


@pytest.mark.parametrize("frame", [4096, 8192])
@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_frame_relative_access_needs_no_check_exactly_inside_the_frame(size: int, frame: int) -> None:
    layout = plan(profile=Profile(frame_bytes=frame, frames=8))
    edges = (*range(-frame - 9, -frame + 10), *range(-10, 10), -(1 << 15), (1 << 15) - 1)
    for disp in edges:
        inside = -frame <= disp and disp + size <= 0
        place = InFrame(disp)
        for code, macro in (
            (load(size, 0, 10, disp), LoadFrom(R0, place, size, False)),
            (store(size, 10, disp, 1), StoreTo(place, R1, size)),
            (store_imm(size, 10, disp, 3), StoreImmTo(place, 3, size)),
        ):
            assert lowered(code, Region.STACK, layout) == ((macro,) if inside else (Interpret(),)), disp
            assert lowered(code, None, layout) == ((macro,) if inside else (Interpret(),)), disp
        if size >= 4:
            update = AtomicUpdate(Alu.ADD, size, place, R1)
            expected = (update,) if inside and disp % size == 0 else (Interpret(),)
            assert lowered(atomic("add", size, 10, disp, 1), Region.STACK, layout) == expected, disp


@pytest.mark.parametrize("region", [Region.READ_ONLY, Region.WRITABLE, Region.CALLDATA])
def test_a_region_smaller_than_the_access_is_not_probed(region: Region) -> None:
    regions = (Region.READ_ONLY, Region.WRITABLE, Region.CALLDATA)
    for size, access in product(range(10), (1, 2, 4, 8)):
        ro, rw, calldata = (size if other is region else 0 for other in regions)
        layout = plan(ro, rw, calldata)
        guessed, unknown = lowered(load(access, 0, 1, 0), region, layout), lowered(load(access, 0, 1, 0), None, layout)
        probed = (region,) if size >= access else ()
        assert guessed[0] == (CheckFlat(R1, 0, access, region, layout.span(region).low) if probed else Interpret())
        assert unknown[0] == CheckAny(R1, 0, access, probed, False)


# ---------------------------------------------------------------- branches and polls

CONDITIONS = {
    "jeq": Cond.E,
    "jne": Cond.NE,
    "jgt": Cond.A,
    "jge": Cond.AE,
    "jlt": Cond.B,
    "jle": Cond.BE,
    "jsgt": Cond.G,
    "jsge": Cond.GE,
    "jslt": Cond.L,
    "jsle": Cond.LE,
    "jset": Cond.NE,
}


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", CONDITIONS)
def test_branches(name: str, bits: int) -> None:
    cond, test = CONDITIONS[name], name == "jset"
    assert lowered(branch_reg(name, bits, 1, 2, 1)) == (BranchReg(cond, bits, R1, R2, 2, test),)
    assert lowered(branch_imm(name, bits, 1, -5, 1)) == (BranchImm(cond, bits, R1, -5, 2, test),)
    assert lowered(branch_imm(name, bits, 1, 0, 0)) == (BranchImm(cond, bits, R1, 0, 1, test),)
    assert lowered(branch_imm(name, bits, 1, 0, -1)) == (POLL, BranchImm(cond, bits, R1, 0, 0, test))


@pytest.mark.parametrize("jump", [ja, ja32])
def test_a_poll_stands_before_every_edge_that_does_not_go_forward(jump: Callable[[int], bytes]) -> None:
    assert lowered(jump(1)) == (Goto(2),)
    assert lowered(jump(0)) == (Goto(1),)
    assert lowered(jump(-1)) == (POLL, Goto(0))
    assert lowered(jump(-2)) == (POLL, Goto(-1))


def test_every_function_begins_with_a_poll_and_no_other_instruction_has_one() -> None:
    code = [mov(0, 0), call_local(2), call_helper(5), EXIT, load(8, 0, 10, -8), EXIT]
    program = validate(decode(b"".join(code)), helpers=frozenset({5}))
    polled = [
        block.pc
        for function in program.functions
        for block in lower(program, function, LAYOUT, {})
        if POLL in block.macros
    ]
    assert polled == [0, 4]


def test_a_function_that_begins_with_its_loop_polls_once() -> None:
    program = validate(decode(branch_imm("jne", 64, 1, 0, -1) + EXIT))
    assert lower(program, program.functions[0], LAYOUT, {})[0].macros == (POLL, BranchImm(Cond.NE, 64, R1, 0, 0))


def test_one_block_per_instruction_under_its_pc() -> None:
    program = validate(decode(lddw(0, 1) + lddw(1, 2) + byte_order("le", 64, 0) + EXIT))
    assert [block.pc for block in lower(program, program.functions[0], LAYOUT, {})] == [0, 2, 4, 5]


def test_a_shared_memo_does_not_mix_up_guesses_or_polls() -> None:
    again = decode(load(8, 0, 1, 0) + load(8, 0, 1, 0) + branch_imm("jeq", 64, 0, 0, -1) + ja(-1) + EXIT)
    program = validate(again)
    memo: dict[object, tuple[Macro, ...]] = {}
    for _ in range(2):
        hints: Hints = {0: Region.CALLDATA, 1: Region.STACK}
        blocks = lower(program, program.functions[0], LAYOUT, hints, memo)  # type: ignore[arg-type]
        assert [macro for macro in blocks[0].macros if isinstance(macro, CheckFlat | CheckStack | CheckAny)] == [
            CheckFlat(R1, 0, 8, Region.CALLDATA, IN)
        ]
        assert blocks[1].macros[0] == CheckStack(R1, 0, 8, STACK)
        assert [block.macros[0] == POLL for block in blocks] == [True, False, True, True, False]


def test_register_map_is_the_designs() -> None:
    assert [reg.name for reg in GUEST] == [
        *("rax", "rdi", "rsi", "rdx", "r10", "r8"),
        *("rbx", "r12", "r13", "r14", "r15"),
    ]
