"""eBPF instructions to macro instructions: the pass that makes every choice.

Input: a validated function, the layout, the region guesses. Output: a `Block` of macros per eBPF pc. Decides: which
macro, which check, which of several equivalent sequences, and where polls stand. Trusts nothing it is told about
regions. Trusted by nobody: the gate (`jit.check`) refuses what is not safe, and isa.refines proves that each choice
computes what the reference semantics says.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Final, NamedTuple, assert_never

from jit.branches import branch
from jit.fuse import LONGEST_RUN, fused, may_start
from jit.group import grouped
from jit.layout import Layout, Region, flat_regions, in_current_frame
from jit.macros import (
    AtomicExchange,
    AtomicFetchAdd,
    AtomicFetchLogic,
    AtomicUpdate,
    BinaryImm,
    BinaryReg,
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
from jit.macros.memory import AtChecked, InFrame, Place
from jit.regions import Hints, Provenance
from jit.registers import GUEST, Reg
from jit.tagged import maker
from jit.x86 import Alu, Shift
from validator.isa import FRAME_POINTER, Form, Instruction, Kind, Operation, Source
from validator.polls import jumps_back
from validator.validate import Function, Validated

Memo = MutableMapping[tuple[Instruction, Provenance, "Share | None"], tuple[Macro, ...]]


class Block(NamedTuple):
    """The macros of the eBPF instruction at `pc`, in order. A block may be empty: an instruction without effect.

    The instruction of a `joined` block is done by an earlier block; nothing may go there.
    """

    pc: int
    macros: tuple[Macro, ...]
    joined: bool = False


_ALU = {
    Operation.ADD: Alu.ADD,
    Operation.SUB: Alu.SUB,
    Operation.OR: Alu.OR,
    Operation.AND: Alu.AND,
    Operation.XOR: Alu.XOR,
}
_SHIFT = {Operation.LSH: Shift.SHL, Operation.RSH: Shift.SHR, Operation.ARSH: Shift.SAR}
_REG: Final = Source.REG
_ARITHMETIC: Final = Kind.ALU
_LOAD: Final = Kind.LOAD
_STORE: Final = Kind.STORE
_BRANCH: Final = Kind.BRANCH


def lower(
    program: Validated,
    function: Function,
    layout: Layout,
    hints: Hints,
    memo: Memo | None = None,
    counted: bool = True,
) -> tuple[Block, ...]:
    """The macros of `function`, with counted polls or not.

    `memo` may be kept across functions and programs with the same layout.
    """
    memo = {} if memo is None else memo
    groups = grouped(program, function, layout, hints, program.targets)
    instructions, forms = program.program, program.forms
    poll = Poll(counted)
    blocks: list[Block] = []
    hint_at, group_at, known, add = hints.get, groups.get, memo.get, blocks.append
    joined_until = function.start
    start = function.start
    for pc in range(start, function.end):
        instruction, form = instructions[pc], forms[pc]
        if instruction is None or form is None:
            continue
        if pc < joined_until:
            add(_block(pc, (), True))
            continue
        kind, run = form.kind, None
        if kind in _STARTS and may_start(program, pc):
            run = fused(program, pc, _run_end(pc, function, program.targets))
        if run is not None:
            macros, joined_until = run.macros, pc + run.length
        else:
            group = group_at(pc)
            share = None if group is None else _share(group.offset, group.size, group.write, pc != group.first)
            hint = hint_at(pc)
            key = (instruction, hint, share)
            found = known(key)
            if found is None:
                found = memo[key] = lower_instruction(form, instruction, hint, share, layout)
            macros = found
        # the polls of validator.polls
        if pc == start or (kind in _JUMPS and jumps_back(form, instruction, pc)):
            macros = (poll, *macros)
        add(_block(pc, macros))
    return tuple(blocks)


_JUMPS: Final = frozenset((Kind.JUMP, Kind.BRANCH))
_STARTS: Final = frozenset((Kind.ALU, Kind.BRANCH))  # what a run can start with: spares the others the question
_block: Final = maker(Block)


def _run_end(pc: int, function: Function, labels: frozenset[int]) -> int:
    """The first pc behind `pc` that a run which starts there may not include."""
    end, limit = pc + 1, min(pc + LONGEST_RUN, function.end)
    while end < limit and end not in labels:
        end += 1
    return end


class Share(NamedTuple):
    """What an access has to check: [base + offset, + size), written if `write`; nothing if it is `checked` already."""

    offset: int
    size: int
    write: bool
    checked: bool


def lower_instruction(
    form: Form, i: Instruction, hint: Provenance, share: Share | None, layout: Layout
) -> tuple[Macro, ...]:
    """The macros of one instruction, polls aside."""
    kind = form.kind
    if kind is _ARITHMETIC:  # the frequent ones first: each arm of the match costs 0.08 us
        return _alu(form, GUEST[i.dst], i)
    if kind is _LOAD:
        checks, place = _access(i.src, i.offset, form.size, False, share, hint, layout)
        return checks if place is None else (*checks, _load_from(GUEST[i.dst], place, form.size, form.signed))
    if kind is _STORE:
        checks, place = _access(i.dst, i.offset, form.size, True, share, hint, layout)
        return checks if place is None else (*checks, _store(form, i, place))
    if kind is _BRANCH:
        return (branch(form, i),)
    match kind:
        case Kind.JUMP:
            return (Goto(1 + (i.imm if form.bits == 32 else i.offset)),)
        case Kind.NEGATE:
            return (Negate(form.bits, GUEST[i.dst]),)
        case Kind.SIGN_EXTEND:
            return (SignExtend(form.bits, form.to_bits, GUEST[i.dst], GUEST[i.src]),)
        case Kind.BYTE_ORDER:
            swap = form.operation is not Operation.TO_LITTLE
            return () if form.bits == 64 and not swap else (ByteOrder(form.bits, GUEST[i.dst], swap),)
        case Kind.WIDE_IMMEDIATE:
            return (MoveImm(GUEST[i.dst], i.imm),)
        case Kind.ATOMIC:
            checks, place = _access(i.dst, i.offset, form.size, True, None, hint, layout, aligned=True)
            return checks if place is None else (*checks, _atomic(form, i, place))
        case Kind.CALL_HELPER:
            return (CallHelper(),)
        case Kind.CALL_LOCAL:
            return (CallLocal(1 + i.imm),)
        case Kind.EXIT:
            return (Return(),)
        case Kind.ALU | Kind.LOAD | Kind.STORE | Kind.BRANCH:
            raise AssertionError(f"{kind} was dealt with")
        case _:
            assert_never(kind)


# ---------------------------------------------------------------- arithmetic

_binary_imm: Final = maker(BinaryImm)
_binary_reg: Final = maker(BinaryReg)
_shift_by: Final = maker(ShiftBy)
_move: Final = maker(Move)
_move_imm: Final = maker(MoveImm)


def _alu(form: Form, dst: Reg, i: Instruction) -> tuple[Macro, ...]:
    bits, operation = form.bits, form.operation
    if form.source is _REG:
        return (_alu_reg(bits, operation, dst, GUEST[i.src]),)
    imm, op = i.imm, _ALU.get(operation)
    if op is not None:
        return (_binary_imm(op, bits, dst, imm),)
    shift = _SHIFT.get(operation)
    if shift is not None:
        count = imm & (bits - 1)
        return (_shift_by(shift, bits, dst, count),) if count else _truncate(bits, dst)
    match operation:
        case Operation.MOV:
            return (_move_imm(dst, imm & ((1 << bits) - 1)),)
        case Operation.MUL:
            return (MultiplyImm(bits, dst, imm),)
        case Operation.DIV | Operation.MOD:
            return _divide_unsigned(bits, operation is Operation.MOD, dst, imm)
        case Operation.SDIV | Operation.SMOD:
            return _divide_signed(bits, operation is Operation.SMOD, dst, imm)
        case _:
            raise AssertionError(f"{operation} is no arithmetic")


def _alu_reg(bits: int, operation: Operation, dst: Reg, src: Reg) -> Macro:
    op = _ALU.get(operation)
    if op is not None:
        return _binary_reg(op, bits, dst, src)
    shift = _SHIFT.get(operation)
    if shift is not None:
        return ShiftByReg(shift, bits, dst, src)
    match operation:
        case Operation.MOV:
            return _move(bits, dst, src)
        case Operation.MUL:
            return Multiply(bits, dst, src)
        case Operation.DIV | Operation.MOD | Operation.SDIV | Operation.SMOD:
            signed = operation in (Operation.SDIV, Operation.SMOD)
            return Divide(bits, signed, operation in (Operation.MOD, Operation.SMOD), dst, src)
        case _:
            raise AssertionError(f"{operation} is no arithmetic")


def _truncate(bits: int, dst: Reg) -> tuple[Macro, ...]:
    """dst := dst; at 32 bits that clears the upper half."""
    return (Move(32, dst, dst),) if bits == 32 else ()


def _divide_unsigned(bits: int, remainder: bool, dst: Reg, imm: int) -> tuple[Macro, ...]:
    divisor = imm & ((1 << bits) - 1)
    if divisor == 0:
        return _truncate(bits, dst) if remainder else (MoveImm(dst, 0),)
    for shift in range(32):  # an immediate is no larger power of two
        if divisor == 1 << shift:
            return _divide_by_power(bits, remainder, dst, shift)
    return (DivideImm(bits, False, remainder, dst, divisor),)


def _divide_by_power(bits: int, remainder: bool, dst: Reg, shift: int) -> tuple[Macro, ...]:
    """By 2^shift, without a division; shift <= 31, so that the mask of a remainder is an immediate."""
    if not remainder:
        return (ShiftBy(Shift.SHR, bits, dst, shift),) if shift else _truncate(bits, dst)
    if shift == 0:
        return (MoveImm(dst, 0),)
    return (BinaryImm(Alu.AND, bits, dst, (1 << shift) - 1),)


def _divide_signed(bits: int, remainder: bool, dst: Reg, imm: int) -> tuple[Macro, ...]:
    if imm == 0:
        return _truncate(bits, dst) if remainder else (MoveImm(dst, 0),)
    if imm == -1:
        return (MoveImm(dst, 0),) if remainder else (Negate(bits, dst),)
    return (DivideImm(bits, True, remainder, dst, imm & ((1 << bits) - 1)),)


# ---------------------------------------------------------------- memory


def _access(
    base: int,
    offset: int,
    size: int,
    write: bool,
    share: Share | None,
    hint: Provenance,
    layout: Layout,
    aligned: bool = False,
) -> tuple[tuple[Macro, ...], Place | None]:
    """The check for `share`, or else for the access alone, if one is needed; and where the `size` bytes at r`base` are.

    Nowhere, if no check can approve them: then the macros are all that there is to do.
    """
    if base == FRAME_POINTER:
        if in_current_frame(layout, offset, size) and (not aligned or offset % size == 0):
            return (), _in_frame(offset)
        return (Interpret(),), None
    if share is None:
        share = _share(offset, size, write, False)
    check = _check(GUEST[base], share, hint, layout)
    if check is None:
        return (Interpret(),), None
    low = 0 if isinstance(check, CheckAny) else check.low
    place = _at_checked(low + offset - share.offset)
    if share.checked:
        return (), place
    return (check, CheckAligned(size)) if aligned else (check,), place


_share: Final = maker(Share)
_in_frame: Final = maker(InFrame)
_at_checked: Final = maker(AtChecked)
_load_from: Final = maker(LoadFrom)
_store_to: Final = maker(StoreTo)
_check_flat: Final = maker(CheckFlat)
_STACK: Final = Region.STACK


def _check(src: Reg, share: Share, hint: Provenance, layout: Layout) -> CheckFlat | CheckStack | CheckAny | None:
    """The check for this guess, or None if nothing in the guessed region can hold such an access."""
    offset, size, write, _ = share
    if hint is _STACK:
        return CheckStack(src, offset, size, layout.stack_low)
    if hint is None:
        candidates = tuple(region for region in flat_regions(write) if layout.span(region).size >= size)
        return CheckAny(src, offset, size, candidates, write)
    span = layout.span(hint)
    if hint in flat_regions(write) and span.size >= size:
        return _check_flat(src, offset, size, hint, span.low)
    return None


def _store(form: Form, i: Instruction, place: Place) -> Macro:
    if form.source is _REG:
        return _store_to(place, GUEST[i.src], form.size)
    return StoreImmTo(place, i.imm, form.size)


def _atomic(form: Form, i: Instruction, place: Place) -> Macro:
    src, size = GUEST[i.src], form.size
    match form.operation:
        case Operation.XCHG:
            return AtomicExchange(size, place, src)
        case Operation.CMPXCHG:
            return CompareExchange(size, place, src)
    op = _ALU[form.operation]
    if not form.fetch:
        return AtomicUpdate(op, size, place, src)
    if form.operation is Operation.ADD:
        return AtomicFetchAdd(size, place, src)
    return AtomicFetchLogic(op, size, place, src)
