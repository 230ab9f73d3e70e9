"""The gate admits what is safe and refuses its nearest neighbour that is not, with the reason.

Blocks are written by hand, as a `lower` with any bug might have made them. What the contracts say is compared with
the expansions in `test_contracts`.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from jit.check import Admitted, GateRefused, Judged, _Key, check
from jit.expand import expand, translate
from jit.layout import Profile, Region, plan
from jit.lower import Block
from jit.macros import (
    AtomicExchange,
    AtomicFetchAdd,
    AtomicUpdate,
    BinaryImm,
    BranchImm,
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
    Poll,
    Return,
    StoreImmTo,
    StoreTo,
)
from jit.macros.memory import AtChecked, InFrame
from jit.registers import Reg
from jit.x86 import Alu, Cond
from validator.validate import Function

POLL = Poll(counted=True)

LAYOUT = plan(read_only_size=100, writable_size=200, calldata_size=24)
RO, RW, IN, STACK = LAYOUT.read_only.low, LAYOUT.writable.low, LAYOUT.calldata.low, LAYOUT.stack_low
RAX, RDI, R10, RBP, RSP = Reg.rax, Reg.rdi, Reg.r15, Reg.rbp, Reg.rsp
MOVE = Move(64, RAX, RDI)


def gate(*blocks: tuple[Macro, ...], starts: frozenset[int] = frozenset({0})) -> Admitted:
    """The verdict on a function at pc 0 whose blocks have the pcs 0, 1, ..."""
    made = [Block(pc, macros) for pc, macros in enumerate(blocks)]
    return check(made, Function(0, len(made)), starts, LAYOUT)


def around(*macros: Macro) -> tuple[tuple[Macro, ...], ...]:
    """A whole function with these macros as its second instruction."""
    return (POLL,), macros, (Return(),)


def refuses(reason: str, *blocks: tuple[Macro, ...], starts: frozenset[int] = frozenset({0})) -> GateRefused:
    with pytest.raises(GateRefused, match=re.escape(reason)) as refused:
        gate(*blocks, starts=starts)
    return refused.value


# ---------------------------------------------------------------- one macro


KINDS = [
    *((kind, size) for kind in ("load", "store", "store imm") for size in (1, 2, 4, 8)),
    ("atomic", 4),
    ("atomic", 8),
]


@pytest.mark.parametrize(("kind", "size"), KINDS)
def test_frame_window_is_exact_at_both_edges(kind: str, size: int) -> None:
    frame = 4096
    edges = (*range(-frame - 9, -frame + 10), *range(-10, 10), -(1 << 31), (1 << 31) - 1)
    for disp in edges:
        place = InFrame(disp)
        by_kind: dict[str, Macro] = {
            "load": LoadFrom(RAX, place, size, False),
            "store": StoreTo(place, RAX, size),
            "store imm": StoreImmTo(place, -1, size),
            "atomic": AtomicUpdate(Alu.ADD, size, place, RAX),
        }
        macro = by_kind[kind]
        if -frame <= disp and disp + size <= 0 and (kind != "atomic" or disp % size == 0):
            gate(*around(macro))
        elif -frame <= disp and disp + size <= 0:
            refuses("not aligned", *around(macro))
        else:
            refuses(f"touches {size} bytes at r10{disp:+d}, outside the frame of 4096 bytes", *around(macro))


def test_frame_window_follows_the_profile() -> None:
    wide = plan(profile=Profile(frame_bytes=8192, frames=8))
    blocks = [Block(pc, macros) for pc, macros in enumerate(around(LoadFrom(RAX, InFrame(-8192), 8, False)))]
    check(blocks, Function(0, 3), frozenset({0}), wide)
    refuses("outside the frame", *around(LoadFrom(RAX, InFrame(-8192), 8, False)))


@pytest.mark.parametrize("size", [0, -1, -4096])
def test_frame_access_of_no_bytes_is_refused(size: int) -> None:
    refuses("outside the frame", *around(LoadFrom(RAX, InFrame(-8), size, False)))


@pytest.mark.parametrize(
    "macro",
    [
        Move(64, R10, RAX),
        MoveImm(R10, 0),
        BinaryImm(Alu.ADD, 64, R10, 0),  # no effect is an effect
        LoadFrom(R10, InFrame(-8), 8, False),
        AtomicFetchAdd(8, InFrame(-8), R10),
        AtomicExchange(8, InFrame(-8), R10),
        Divide(64, False, False, R10, RAX),
        Move(64, Reg.r9, RAX),  # not in use
        Move(64, RBP, RAX),
        LoadFrom(RBP, InFrame(-8), 8, False),
        Move(64, RSP, RAX),
        MoveImm(RSP, 0),
    ],
    ids=str,
)
def test_frame_cage_and_host_stack_pointers_are_never_written(macro: Macro) -> None:
    refuses("writes r15" if R10 in macro.contract().writes else "writes r", *around(macro))


@pytest.mark.parametrize(
    "macro",
    [
        Move(64, RAX, R10),
        StoreTo(InFrame(-8), R10, 8),
        AtomicUpdate(Alu.ADD, 8, InFrame(-8), R10),
        CompareExchange(8, InFrame(-8), R10),  # writes r0, not r10
    ],
    ids=str,
)
def test_frame_pointer_may_be_read(macro: Macro) -> None:
    gate(*around(macro))


@pytest.mark.parametrize("register", [Reg.rbp, Reg.rsp, Reg.rcx, Reg.r9, Reg.r11], ids=lambda r: r.name)
def test_registers_that_hold_no_guest_value_are_never_read(register: Reg) -> None:
    refuses(f"reads {register.name}, which is not a guest register", *around(Move(64, RAX, register)))
    refuses(f"reads {register.name}", *around(CheckFlat(register, 0, 8, Region.WRITABLE, RW)))


@pytest.mark.parametrize("value", [-(1 << 31), (1 << 31) - 1])
def test_32_bit_fields_are_exact_at_both_edges(value: int) -> None:
    beyond = value + (1 if value > 0 else -1)
    for fits, overflows in (
        (BinaryImm(Alu.ADD, 64, RAX, value), BinaryImm(Alu.ADD, 64, RAX, beyond)),
        (StoreImmTo(InFrame(-8), value, 8), StoreImmTo(InFrame(-8), beyond, 8)),
        (BranchImm(Cond.E, 64, RAX, value, 1), BranchImm(Cond.E, 64, RAX, beyond, 1)),
        (CheckStack(RDI, value, 8, STACK), CheckStack(RDI, beyond, 8, STACK)),
        (CheckFlat(RDI, value + RW, 8, Region.WRITABLE, RW), CheckFlat(RDI, beyond + RW, 8, Region.WRITABLE, RW)),
    ):
        gate(*around(fits))
        refuses(f"{beyond} does not fit a signed 32-bit field", *around(overflows))


@pytest.mark.parametrize(
    ("region", "low", "region_size"),
    [
        (Region.READ_ONLY, RO, 100),
        (Region.WRITABLE, RW, 200),
        (Region.CALLDATA, IN, 24),
        (Region.STACK, STACK, 4096),  # one frame, not the whole stack
    ],
)
def test_a_check_must_name_its_regions_start_and_fit_its_size(region: Region, low: int, region_size: int) -> None:
    def probe(size: int, start: int) -> Macro:
        return CheckStack(RDI, 0, size, start) if region is Region.STACK else CheckFlat(RDI, 0, size, region, start)

    for size in (1, 8, region_size):
        gate(*around(probe(size, low)))
    refuses(f"checks {region_size + 1} bytes", *around(probe(region_size + 1, low)))
    refuses("checks 0 bytes", *around(probe(0, low)))
    refuses("checks -1 bytes", *around(probe(-1, low)))
    for wrong in (low - 1, low + 1, low + 4096, -1, RO if region is not Region.READ_ONLY else RW):
        refuses(f"counts from {wrong:#x}, the region starts at {low:#x}", *around(probe(8, wrong)))


def test_a_check_covers_no_more_than_may_lie_behind_the_slot() -> None:
    """Clamped, an approved address lies in the slot, and the bytes behind it up to the size of the check later."""
    large = plan(calldata_size=1 << 20)

    def verdict(size: int) -> Admitted:
        macros = around(CheckFlat(RDI, 0, size, Region.CALLDATA, large.calldata.low))
        return check([Block(pc, m) for pc, m in enumerate(macros)], Function(0, 3), frozenset({0}), large)

    for size in (65535 + 8, 17 * 4096):
        verdict(size)
    with pytest.raises(GateRefused, match="69633 bytes at once"):
        verdict(17 * 4096 + 1)


def test_a_check_of_an_empty_region_is_refused() -> None:
    empty = plan(calldata_size=0)
    blocks = [Block(pc, m) for pc, m in enumerate(around(CheckFlat(RDI, 0, 1, Region.CALLDATA, empty.calldata.low)))]
    with pytest.raises(GateRefused, match=re.escape("checks 1 bytes against a region (calldata) of 0")):
        check(blocks, Function(0, 3), frozenset({0}), empty)


def test_a_check_for_stores_may_not_count_read_only_data() -> None:
    gate(*around(CheckAny(RDI, 0, 8, (Region.WRITABLE, Region.READ_ONLY), write=False)))
    gate(*around(CheckAny(RDI, 0, 8, (Region.WRITABLE,), write=True)))
    refuses("approves stores to read-only data", *around(CheckAny(RDI, 0, 8, (Region.READ_ONLY,), write=True)))


def test_a_check_looks_at_each_region_once_and_in_order() -> None:
    """So the gate admits finitely many, all of which gate.memory is about."""
    gate(*around(CheckAny(RDI, 0, 8, (Region.WRITABLE, Region.CALLDATA, Region.READ_ONLY), write=False)))
    for wrong in ((Region.WRITABLE, Region.CALLDATA, Region.WRITABLE), (Region.READ_ONLY, Region.WRITABLE)):
        refuses("checks regions twice, or in another order", *around(CheckAny(RDI, 0, 8, wrong, write=False)))


@pytest.mark.parametrize("region", [Region.READ_ONLY, Region.WRITABLE, Region.CALLDATA])
def test_a_check_of_one_region_may_not_count_from_guest_address_0(region: Region) -> None:
    """Its expansion counts from the region: theorem gate.memory refuted that the null page was approved."""
    low = LAYOUT.span(region).low
    gate(*around(CheckFlat(RDI, 0, 8, region, low)))
    refuses(f"counts from 0x0, the region starts at {low:#x}", *around(CheckFlat(RDI, 0, 8, region, 0)))


def test_the_stack_may_not_be_checked_like_a_region_without_gaps() -> None:
    """Dead frames and the gaps between frames would be approved."""
    gate(*around(CheckStack(RDI, 0, 8, STACK)))
    refuses("checks the stack as if it had no gaps", *around(CheckFlat(RDI, 0, 8, Region.STACK, STACK)))
    refuses("checks the stack as if it had no gaps", *around(CheckAny(RDI, 0, 8, (Region.STACK,), write=True)))


@pytest.mark.parametrize(("bits", "beyond"), [(32, 1 << 32), (32, (1 << 32) - 1), (64, (1 << 64) - 1), (64, 0)])
def test_a_division_without_guards_may_not_be_by_a_divisor_that_faults(bits: int, beyond: int) -> None:
    gate(*around(DivideImm(bits, True, False, RAX, (1 << bits) - 2)))
    gate(*around(DivideImm(bits, True, False, RAX, 1)))
    gate(*around(DivideImm(bits, False, False, RAX, (1 << bits) - 1)))
    refuses(f"divides by {beyond}", *around(DivideImm(bits, True, False, RAX, beyond)))


# ---------------------------------------------------------------- approvals

RW_CHECK = CheckFlat(RDI, 0, 8, Region.WRITABLE, RW)
RO_CHECK = CheckFlat(RDI, 0, 8, Region.READ_ONLY, RO)
LOAD_8 = LoadFrom(RAX, AtChecked(RW), 8, False)


@pytest.mark.parametrize(
    ("checked", "low"),
    [
        (RW_CHECK, RW),
        (CheckFlat(RDI, -5, 8, Region.CALLDATA, IN), IN),
        (CheckStack(RDI, 3, 8, STACK), STACK),
        (CheckAny(RDI, 0, 8, (Region.WRITABLE,), write=True), 0),
    ],
    ids=str,
)
def test_an_approved_window_is_exact_at_both_edges(checked: Macro, low: int) -> None:
    for size in (1, 2, 4, 8):
        for disp in range(low - 9, low + 10):
            macro = LoadFrom(RAX, AtChecked(disp), size, False)
            if low <= disp and disp + size <= low + 8:
                gate(*around(checked, macro))
            else:
                refuses(f"needs Approved(low={disp}, size={size}", *around(checked, macro))


def test_stores_need_an_approval_for_stores() -> None:
    gate(*around(RO_CHECK, LoadFrom(RAX, AtChecked(RO), 8, False)))
    refuses("write=True", *around(RO_CHECK, StoreTo(AtChecked(RO), RAX, 8)))
    refuses("write=True", *around(RO_CHECK, StoreImmTo(AtChecked(RO), 0, 8)))
    refuses("write=True", *around(RO_CHECK, CheckAligned(8), CompareExchange(8, AtChecked(RO), RAX)))
    any_load = CheckAny(RDI, 0, 8, (Region.WRITABLE,), write=False)
    gate(*around(any_load, LoadFrom(RAX, AtChecked(0), 8, False)))
    refuses("write=True", *around(any_load, StoreTo(AtChecked(0), RAX, 8)))
    gate(*around(RW_CHECK, StoreTo(AtChecked(RW), RAX, 8)))


@pytest.mark.parametrize("size", [4, 8])
def test_atomics_need_alignment_as_well(size: int) -> None:
    for macro in (
        AtomicUpdate(Alu.XOR, size, AtChecked(RW), RAX),
        AtomicFetchAdd(size, AtChecked(RW), RAX),
        AtomicExchange(size, AtChecked(RW), RAX),
        CompareExchange(size, AtChecked(RW), RDI),
    ):
        gate(*around(RW_CHECK, CheckAligned(size), macro))
        gate(*around(RW_CHECK, CheckAligned(8), macro))
        refuses(f"aligned={size}", *around(RW_CHECK, macro))
        refuses(f"aligned={size}", *around(RW_CHECK, CheckAligned(size // 2), macro))
        refuses(f"aligned={size}", *around(RW_CHECK, CheckAligned(size), RW_CHECK, macro))  # checked anew
    refuses("aligns what was not checked", *around(CheckAligned(size)))
    refuses("aligns what another instruction's check approved", (POLL, RW_CHECK), (CheckAligned(size),), (Return(),))


NOT_APPROVED = f"needs Approved(low={RW}, size=8, write=False, aligned=1), known is None"


def test_nothing_is_approved_without_a_check() -> None:
    refuses(NOT_APPROVED, (POLL, LOAD_8), (Return(),))
    gate((POLL, RW_CHECK, LOAD_8), (Return(),))


@pytest.mark.parametrize(
    "between",
    [(MOVE,), (StoreTo(InFrame(-8), RAX, 8),), (BranchImm(Cond.E, 64, RAX, 0, 2),), (MoveImm(RDI, 7), LOAD_8)],
    ids=str,
)
def test_an_approval_outlives_what_leaves_the_checked_address_alone(between: tuple[Macro, ...]) -> None:
    gate((POLL, RW_CHECK), between, (LOAD_8,), (Return(),))


@pytest.mark.parametrize(
    ("blocks", "what"),
    [
        (((POLL, RW_CHECK), (POLL, LOAD_8), (Return(),)), "a poll"),
        (((POLL, RW_CHECK), (CallHelper(),), (LOAD_8,), (Return(),)), "a helper call"),
        (((POLL, RW_CHECK), (CallLocal(-1),), (LOAD_8,), (Return(),)), "a local call"),
        (((POLL, RW_CHECK), (Interpret(),), (LOAD_8,), (Return(),)), "the interpreter"),
        (((POLL, RW_CHECK), (Divide(64, False, False, RAX, RDI),), (LOAD_8,), (Return(),)), "a division"),
        (((POLL, BranchImm(Cond.E, 64, RAX, 0, 2)), (RW_CHECK,), (LOAD_8,), (Return(),)), "a label"),
        (((POLL, RW_CHECK), (LOAD_8,), (POLL, Goto(-1))), "a label reached from behind"),
        (((POLL, RW_CHECK), (Goto(2),), (LOAD_8,), (Return(),)), "a jump around"),
        (((POLL, RW_CHECK), (CheckFlat(RDI, 0, 4, Region.WRITABLE, RW), LOAD_8), (Return(),)), "a narrower check"),
        (((POLL, RW_CHECK), (RO_CHECK, LOAD_8), (Return(),)), "another region's check"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_approval_ends_at(blocks: tuple[tuple[Macro, ...], ...], what: str) -> None:
    refuses(f"needs Approved(low={RW}, size=8", *blocks)


def test_the_host_may_enter_everywhere_but_between_a_check_and_its_last_use() -> None:
    blocks = ((POLL, RW_CHECK), (MOVE,), (LOAD_8,), (MOVE,), (RW_CHECK, LOAD_8), (Return(),))
    assert gate(*blocks).enterable == (True, False, False, True, True, True)


# ---------------------------------------------------------------- control


def test_a_backward_edge_needs_a_poll_before_it() -> None:
    gate((POLL,), (MOVE,), (POLL, Goto(-1)))
    refuses("a backward edge without a poll", (POLL,), (MOVE,), (Goto(-1),))
    gate((POLL,), (POLL, Goto(0)))  # for (;;);
    refuses("a backward edge without a poll", (POLL,), (Goto(0),))
    gate((POLL,), (MOVE,), (POLL, BranchImm(Cond.E, 64, RAX, 0, -1)), (Return(),))
    refuses("a backward edge without a poll", (POLL,), (MOVE,), (BranchImm(Cond.E, 64, RAX, 0, -1),), (Return(),))
    gate((POLL,), (Goto(1),), (Return(),))  # forward: none needed


def test_no_cycle_goes_around_the_polls_by_the_order_of_blocks() -> None:
    def verdict(*pcs: int) -> Admitted:
        macros: dict[int, tuple[Macro, ...]] = {0: (POLL,), 1: (MOVE,), 2: (Goto(1),), 3: (Return(),)}
        return check([Block(pc, macros[pc]) for pc in pcs], Function(0, 4), frozenset({0}), LAYOUT)

    verdict(0, 1, 2, 3)
    with pytest.raises(GateRefused, match="order"):
        check(
            [Block(0, (POLL,)), Block(3, (MOVE,)), Block(2, (Goto(1),))], Function(0, 4), frozenset({0}), LAYOUT
        )  # 3 falls through to 2, which goes to 3


def test_a_function_begins_with_a_poll() -> None:
    gate((POLL, MOVE), (Return(),))
    refuses("the function's start has no poll", (MOVE, POLL), (Return(),))
    refuses("the function's start has no poll", (), (POLL,), (Return(),))


def test_a_poll_stands_first_so_that_a_preempted_instruction_starts_over() -> None:
    gate((POLL,), (POLL, MOVE), (Return(),))
    refuses("a poll that is not the first", (POLL,), (MOVE, POLL), (Return(),))


@pytest.mark.parametrize("distance", [2, 3, 100, -2, -100, 1 << 31])
def test_jumps_stay_inside_the_function(distance: int) -> None:
    gate((POLL,), (POLL, Goto(1)), (Return(),))
    outside = f"jumps to pc {1 + distance}, which is not an instruction of the function"
    refuses(outside, (POLL,), (POLL, Goto(distance)), (Return(),))
    refuses(outside, (POLL,), (POLL, BranchImm(Cond.E, 64, RAX, 0, distance)), (Return(),))


def test_calls_go_to_starts_of_functions() -> None:
    blocks = ((POLL,), (CallLocal(8),), (Return(),))
    gate(*blocks, starts=frozenset({0, 9}))
    for starts in (frozenset({0, 8}), frozenset({0, 10}), frozenset({0})):
        refuses("calls what is not the start of a function", *blocks, starts=starts)


@pytest.mark.parametrize("last", [(MOVE,), (POLL,), (BranchImm(Cond.E, 64, RAX, 0, -1),), ()], ids=str)
def test_control_does_not_fall_off_the_end(last: tuple[Macro, ...]) -> None:
    polled = (POLL, *last) if last and isinstance(last[0], BranchImm) else last
    gate((POLL,), polled, (Return(),))
    refuses("control falls off the function's end", (POLL,), polled)


@pytest.mark.parametrize("last", [CallHelper(), CallLocal(-1), Interpret()], ids=str)
def test_the_host_has_an_instruction_to_resume_at(last: Macro) -> None:
    gate((POLL,), (last,), (Return(),))
    refuses("the host would resume behind the function's end", (POLL,), (last,))


@pytest.mark.parametrize("call", [CallHelper(), CallLocal(-1)], ids=str)
def test_what_follows_a_call_is_the_next_instruction(call: Macro) -> None:
    def verdict(following: int) -> Admitted:
        blocks = [Block(0, (POLL,)), Block(1, (call,)), Block(following, (Return(),))]
        return check(blocks, Function(0, 9), frozenset({0}), LAYOUT)

    verdict(2)
    with pytest.raises(GateRefused, match="resume at pc 2"):
        verdict(3)


@pytest.mark.parametrize("macro", [Goto(1), Return(), CallHelper(), Interpret()], ids=str)
def test_nothing_stands_behind_a_macro_that_does_not_fall_through(macro: Macro) -> None:
    gate((POLL,), (MOVE, macro), (Return(),))
    refuses("follows a macro that does not fall through", (POLL,), (macro, MOVE), (Return(),))


@pytest.mark.parametrize("pcs", [(), (1, 2), (0, 0), (0, 2, 1), (0, 5)], ids=str)
def test_blocks_are_the_functions_instructions_in_order(pcs: tuple[int, ...]) -> None:
    function = Function(0, 5)
    check([Block(0, (POLL,)), Block(4, (Return(),))], function, frozenset({0}), LAYOUT)
    blocks = [Block(pc, (POLL, Return())) for pc in pcs]
    with pytest.raises(GateRefused):
        check(blocks, function, frozenset({0}), LAYOUT)


def test_a_memo_remembers_acceptance_only() -> None:
    memo: dict[tuple[Macro, ...], Judged] = {}
    bad = Move(64, R10, RAX)
    for _ in range(2):
        with pytest.raises(GateRefused, match="writes r15"):
            check([Block(0, (POLL, bad, Return()))], Function(0, 1), frozenset({0}), LAYOUT, memo)
    assert not memo
    check([Block(0, (POLL, Return()))], Function(0, 1), frozenset({0}), LAYOUT, memo)
    assert list(memo) == [(POLL, Return())]


# ---------------------------------------------------------------- no way around it


def test_admitted_is_made_by_the_gate_alone() -> None:
    good = gate((POLL,), (Return(),))
    for key in (None, object(), "key", _Key()):
        with pytest.raises(TypeError, match="admits blocks"):
            Admitted(good.blocks, good.layout, good.enterable, key)  # type: ignore[arg-type]
    with pytest.raises((TypeError, ValueError), match="key"):  # ValueError before Python 3.13
        replace(good, blocks=(Block(0, (Move(64, RBP, RAX),)),))  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        good.blocks = ()  # type: ignore[misc]


def test_expand_and_translate_take_admitted_blocks_only() -> None:
    good = gate((POLL,), (Return(),))
    assert len(expand(good)) == 2
    assert translate(good).code
    for blocks in (good.blocks, list(good.blocks), (good.blocks, good.layout)):
        with pytest.raises(AttributeError):
            expand(blocks)  # type: ignore[arg-type]
        with pytest.raises(AttributeError):
            translate(blocks)  # type: ignore[arg-type]


def test_a_part_of_an_aligned_approval_is_aligned_only_at_multiples() -> None:
    def part(offset: int) -> tuple[Macro, ...]:
        update = AtomicUpdate(Alu.ADD, 4, AtChecked(RW + offset), RAX)
        return (CheckFlat(RDI, 0, 8, Region.WRITABLE, RW), CheckAligned(8), update)

    for offset in (0, 4):
        gate(*around(*part(offset)))
    for offset in (1, 2, 3):
        refuses("needs Approved", *around(*part(offset)))
