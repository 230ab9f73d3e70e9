"""What a macro's contract says is what its expansion does, for every macro and every choice of operand registers.

The expansion is walked with a token per register that says whose initial value it holds, over all paths. So "writes"
is what ends up different (a register that is saved and restored is not written), and "reads" is whose initial value
went into anything but a copy that was put back. The registers of each x86 form are written down here again, from the
manual: this test shares no table with the decoder or the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product

import pytest

from jit.context import FUEL, PC, record_displacement, register_offset
from jit.layout import Layout, Region, plan
from jit.macros import (
    MACROS,
    AddressOffset,
    AddressSum,
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
    Rotate,
    ShiftBy,
    ShiftByReg,
    SignExtend,
    StoreImmTo,
    StoreTo,
)
from jit.macros.contract import ApprovedBytes, ContextBytes, FrameBytes, FrameEffect, RecordBytes, TableSlot, Touch
from jit.macros.memory import AtChecked, InFrame, Place
from jit.registers import CHECKED, COUNT, FRAME, GUEST, SCRATCH, Reg
from jit.x86 import (
    X86,
    Alu,
    AluImm8,
    AluImm32,
    AluReg,
    Bswap,
    Callee,
    Cond,
    Div,
    Idiv,
    Imul,
    ImulImm,
    Jump,
    JumpIf,
    JumpMem,
    JumpTable,
    Label,
    Lea,
    LeaIndexed,
    LeaLabel,
    Load,
    LoadSigned,
    Local,
    LockAlu,
    LockCmpxchg,
    LockXadd,
    Mem,
    MovImm32,
    MovImm64,
    MovImmSigned,
    MovReg,
    MovSignExtend,
    MovZeroExtend16,
    Neg,
    Rotate16,
    Shift,
    ShiftCl,
    ShiftImm,
    SignToRdx,
    Store,
    StoreImm,
    Target,
    TestImm,
    TestReg,
    Xchg,
)

LAYOUT = plan(read_only_size=100, writable_size=200, calldata_size=24)
RAX, RDX = Reg.rax, Reg.rdx

# ---------------------------------------------------------------- what x86 instructions read and write


@dataclass(frozen=True)
class Effect:
    """Of one instruction, from the manual: registers, and the memory operand with its size and direction."""

    reads: tuple[Reg, ...] = ()
    writes: tuple[Reg, ...] = ()
    mem: Mem | None = None
    size: int = 0
    stores: bool = False


def effect(instruction: X86) -> Effect:
    match instruction:
        case MovReg(_, dst, src) | MovSignExtend(_, _, dst, src) | MovZeroExtend16(dst, src):
            return Effect((src,), (dst,))
        case MovImm32(dst, _) | MovImmSigned(dst, _) | MovImm64(dst, _) | LeaLabel(dst, _):
            return Effect((), (dst,))
        case Load(size, dst, mem) | LoadSigned(size, dst, mem):
            return Effect((), (dst,), mem, size)
        case Store(size, mem, src):
            return Effect((src,), (), mem, size, stores=True)
        case StoreImm(size, mem, _):
            return Effect((), (), mem, size, stores=True)
        case Lea(_, dst, base, _):
            return Effect((base,), (dst,))
        case LeaIndexed(dst, base, index, _, _):
            return Effect((base, index), (dst,))
        case AluReg(Alu.XOR, _, dst, src) if dst is src:
            return Effect((), (dst,))  # zero, whatever it was
        case AluReg(op, _, dst, src):
            return Effect((dst, src), () if op is Alu.CMP else (dst,))
        case AluImm8(op, _, dst, _) | AluImm32(op, _, dst, _):
            return Effect((dst,), () if op is Alu.CMP else (dst,))
        case TestReg(_, a, b):
            return Effect((a, b))
        case TestImm(_, reg, _):
            return Effect((reg,))
        case Neg(_, dst) | Bswap(_, dst) | ShiftImm(_, _, dst, _) | Rotate16(dst, _):
            return Effect((dst,), (dst,))
        case Imul(_, dst, src):
            return Effect((dst, src), (dst,))
        case ImulImm(_, dst, src, _):
            return Effect((src,), (dst,))
        case Div(_, src) | Idiv(_, src):
            return Effect((RAX, RDX, src), (RAX, RDX))
        case SignToRdx(_):
            return Effect((RAX,), (RDX,))
        case ShiftCl(_, _, dst):
            return Effect((dst, Reg.rcx), (dst,))
        case LockAlu(_, size, mem, src):
            return Effect((src,), (), mem, size, stores=True)
        case LockXadd(size, mem, src) | Xchg(size, mem, src):
            return Effect((src,), (src,), mem, size, stores=True)
        case LockCmpxchg(size, mem, src):
            return Effect((RAX, src), (RAX,), mem, size, stores=True)
        case JumpMem(mem):
            return Effect((), (), mem, 8)
        case Jump() | JumpIf() | JumpTable() | Label():
            return Effect()
        case _:
            raise AssertionError(f"no macro may contain {instruction}")


# ---------------------------------------------------------------- what a whole expansion does

Token = Reg | None  # whose initial value a register holds; None: something computed


@dataclass
class Done:
    """Over all paths of an expansion."""

    reads: set[Reg] = field(default_factory=set)
    writes: set[Reg] = field(default_factory=set)
    accesses: set[tuple[Token, Reg | None, int, int, bool]] = field(default_factory=set)
    table_slots: set[Target] = field(default_factory=set)
    leaves: set[Target] = field(default_factory=set)
    falls_through: bool = False


SAVED_R0 = Mem(register_offset(0))  # where macros that need rax for themselves keep r0
Held = dict[Reg | Mem, Token]


def walk(code: tuple[X86, ...]) -> Done:
    done = Done()
    labels = {x.number: at for at, x in enumerate(code) if isinstance(x, Label)}
    held: Held = {reg: reg for reg in Reg}
    _follow(code, labels, 0, held, done, steps=0)
    return done


def _follow(code: tuple[X86, ...], labels: dict[int, int], at: int, held: Held, done: Done, steps: int) -> None:
    while at < len(code):
        steps += 1
        assert steps < 100, "a loop inside a macro"
        instruction = code[at]
        match instruction:
            case Label(_, True):
                break  # falling onto a cold label is going on behind the macro
            case Jump(Local(number)):
                at = labels[number] + 1
                continue
            case JumpIf(_, Local(number)):
                _follow(code, labels, labels[number] + 1, dict(held), done, steps)
            case Jump(label):
                done.leaves.add(label)
                return _end(held, done)
            case JumpIf(_, label):
                done.leaves.add(label)
                _end(held, done)
            case JumpTable(label):
                done.table_slots.add(label)
                done.leaves.add(label)
                return _end(held, done)
            case JumpMem():
                _perform(instruction, held, done)
                return _end(held, done)
            case _:
                _perform(instruction, held, done)
        at += 1
    done.falls_through = True
    return _end(held, done)


def _perform(instruction: X86, held: Held, done: Done) -> None:
    if isinstance(instruction, MovReg) and instruction.bits == 64:
        held[instruction.dst] = held[instruction.src]  # a copy is no use yet
        return
    what = effect(instruction)
    if what.mem == SAVED_R0:
        done.accesses.add((None, None, SAVED_R0.disp, what.size, what.stores))
        assert what.size == 8
        if isinstance(instruction, Store):
            held[SAVED_R0] = held[instruction.src]
        else:
            held[what.writes[0]] = held[SAVED_R0]
        return
    used = [*what.reads, *([what.mem.index] if what.mem and what.mem.index is not None else [])]
    for register in used:
        token = held[register]
        if token is not None:
            done.reads.add(token)
    if what.mem is not None:
        token = held[what.mem.index] if what.mem.index is not None else None
        done.accesses.add((token, what.mem.index, what.mem.disp, what.size, what.stores))
    for register in what.writes:
        held[register] = None


def _end(held: Held, done: Done) -> None:
    for register, token in held.items():
        if isinstance(register, Reg) and token is not register:
            done.writes.add(register)
            if token is not None and register in GUEST:
                done.reads.add(token)


# ---------------------------------------------------------------- every macro with every register

WRITABLE_REGISTERS = GUEST[:10]
PLACES: tuple[Place, ...] = (InFrame(-16), AtChecked(LAYOUT.writable.low))
DISTANCE = 3


def _pairs() -> Iterable[tuple[Reg, Reg]]:
    return product(WRITABLE_REGISTERS, GUEST)


def every_macro() -> Iterator[Macro]:
    for dst, src in _pairs():
        for bits in (32, 64):
            yield Move(bits, dst, src)
            yield Multiply(bits, dst, src)
            yield Rotate(bits, dst, src, 5)
            for op in (Alu.ADD, Alu.SUB, Alu.OR, Alu.AND, Alu.XOR):
                yield BinaryReg(op, bits, dst, src)
            for shift in (Shift.SHL, Shift.SHR, Shift.SAR):
                yield ShiftByReg(shift, bits, dst, src)
            for signed, remainder in product((False, True), repeat=2):
                yield Divide(bits, signed, remainder, dst, src)
            for source_bits in (8, 16):
                yield SignExtend(source_bits, bits, dst, src)
        yield AddressSum(dst, src, dst, 3)
        yield AddressSum(dst, dst, src, 0)
        yield AddressOffset(dst, src, -9)
        yield AddressSum(dst, src, src, 1)
    for dst in WRITABLE_REGISTERS:
        for value in (0, 1, 1 << 31, 1 << 40, (1 << 64) - 1):
            yield MoveImm(dst, value)
        for bits in (32, 64):
            yield Negate(bits, dst)
            yield MultiplyImm(bits, dst, -3)
            yield BinaryImm(Alu.ADD, bits, dst, 1)
            yield BinaryImm(Alu.XOR, bits, dst, 1000)
            yield ShiftBy(Shift.SAR, bits, dst, 7)
            for signed, remainder in product((False, True), repeat=2):
                yield DivideImm(bits, signed, remainder, dst, 10)
        for bits, swap in product((16, 32, 64), (False, True)):
            yield ByteOrder(bits, dst, swap)
    yield from _memory_macros()
    yield from _control_macros()


def _memory_macros() -> Iterator[Macro]:
    for register in GUEST:
        for size in (1, 8):
            yield CheckStack(register, 5, size, LAYOUT.stack_low)
            yield CheckAny(register, -5, size, (Region.WRITABLE, Region.CALLDATA), True)
            yield CheckAny(register, -5, size, (), False)
            for region in (Region.READ_ONLY, Region.WRITABLE, Region.CALLDATA):
                yield CheckFlat(register, -5, size, region, LAYOUT.span(region).low)
    for size in (4, 8):
        yield CheckAligned(size)
    for place in PLACES:
        for size in (1, 2, 4, 8):
            yield StoreImmTo(place, -1, size)
            for register in GUEST:
                yield StoreTo(place, register, size)
            for register in WRITABLE_REGISTERS:
                yield LoadFrom(register, place, size, False)
                if size < 8:
                    yield LoadFrom(register, place, size, True)
        for size, register in product((4, 8), GUEST):
            yield AtomicUpdate(Alu.ADD, size, place, register)
            yield CompareExchange(size, place, register)
        for size, register in product((4, 8), WRITABLE_REGISTERS):
            yield AtomicFetchAdd(size, place, register)
            yield AtomicExchange(size, place, register)
            for op in (Alu.OR, Alu.AND, Alu.XOR):
                yield AtomicFetchLogic(op, size, place, register)


def _control_macros() -> Iterator[Macro]:
    yield from (Poll(counted=True), Poll(counted=False), Goto(DISTANCE), CallLocal(DISTANCE))
    yield from (CallHelper(), Interpret(), Return())
    for a, b in product(GUEST, GUEST):
        for bits, test in product((32, 64), (False, True)):
            yield BranchReg(Cond.NE if test else Cond.L, bits, a, b, DISTANCE, test)
    for a in GUEST:
        for bits, test, imm in product((32, 64), (False, True), (0, 1, 1000)):
            yield BranchImm(Cond.NE if test else Cond.L, bits, a, imm, DISTANCE, test)


BY_CLASS: dict[type, list[Macro]] = {cls: [] for cls in MACROS}
for _macro in every_macro():
    BY_CLASS[type(_macro)].append(_macro)


def test_every_class_of_macros_is_walked() -> None:
    assert set(BY_CLASS) == set(MACROS)
    assert {cls.__name__ for cls, macros in BY_CLASS.items() if not macros} == set()


@pytest.mark.parametrize("cls", MACROS, ids=lambda cls: cls.__name__)
def test_contract_names_the_registers_that_the_expansion_reads_and_writes(cls: type) -> None:
    """Nothing that happens goes unnamed, nothing is named that does not occur."""
    for macro in BY_CLASS[cls]:
        contract, code = macro.contract(), macro.expand(LAYOUT)
        done, occurring = walk(code), [effect(x) for x in code]
        moved_frame = {FRAME} if contract.frame is not FrameEffect.SAME else set()
        writes, reads = {*contract.writes, *moved_frame}, set(contract.reads)
        assert FRAME not in contract.writes, macro
        assert not done.writes & {Reg.rbp, Reg.rsp}, macro
        assert done.writes <= writes, macro
        assert writes - set(SCRATCH) <= {reg for what in occurring for reg in what.writes}, (
            macro
        )  # scratch: for some operands
        assert done.reads & set(GUEST) <= reads <= {reg for x in code for reg in _operands(x)}, macro


def _operands(instruction: X86) -> set[Reg]:
    """All registers that are read as the manual has it, xor r, r included."""
    what = effect(instruction)
    index = {what.mem.index} if what.mem is not None and what.mem.index is not None else set()
    zeroed = set(what.writes) if isinstance(instruction, AluReg) else set()
    return {*what.reads, *index, *zeroed}


@pytest.mark.parametrize("cls", MACROS, ids=lambda cls: cls.__name__)
def test_contract_names_the_bytes_that_the_expansion_touches(cls: type) -> None:
    for macro in BY_CLASS[cls]:
        contract, done = macro.contract(), walk(macro.expand(LAYOUT))
        named = set().union(*(_accesses(touch, LAYOUT) for touch in contract.touches))
        loads = {(*access[:-1], False) for access in named}  # what may be stored to may be loaded
        assert done.accesses <= named | loads, macro
        for_some_operands = {(None, None, SAVED_R0.disp, 8, True)}
        assert named - for_some_operands <= done.accesses, macro
        assert done.table_slots == {Callee(t.distance) for t in contract.touches if isinstance(t, TableSlot)}, macro


def _accesses(touch: Touch, layout: Layout) -> set[tuple[Token, Reg | None, int, int, bool]]:
    """The x86 accesses that this touch allows and that must all occur. An atomic is one that stores."""
    record = record_displacement(layout)
    match touch:
        case FrameBytes(disp, size, write):
            return {(FRAME, FRAME, disp, size, write)}
        case ApprovedBytes(needed):
            return {(CHECKED, CHECKED, needed.low, needed.size, needed.write)}
        case ContextBytes(offset, size, write):
            return {(None, None, offset, size, write)}
        case RecordBytes(True):  # return address, return pc (its low half), r6 to r9
            offsets = {(0, 8), (8, 4), (16, 8), (24, 8), (32, 8), (40, 8)}
            return {(None, COUNT, record + at, size, True) for at, size in offsets}
        case RecordBytes(False):
            return {(None, COUNT, record + at, 8, False) for at in (0, 16, 24, 32, 40)}
        case _:
            return set()  # a table slot: by label, not by address


@pytest.mark.parametrize("cls", MACROS, ids=lambda cls: cls.__name__)
def test_contract_names_where_the_expansion_goes(cls: type) -> None:
    for macro in BY_CLASS[cls]:
        contract, done = macro.contract(), walk(macro.expand(LAYOUT))
        assert done.leaves == set(contract.leaves), macro
        assert done.falls_through is contract.falls_through, macro


def test_polls_are_what_looks_at_the_fuel_and_counted_ones_write_it() -> None:
    for macro in every_macro():
        code = macro.expand(LAYOUT)
        fuel = [x for x in code if (mem := effect(x).mem) is not None and mem.index is None and mem.disp == FUEL]
        assert macro.contract().polls is bool(fuel), macro
        assert any(isinstance(x, Store) for x in fuel) is (isinstance(macro, Poll) and macro.counted), macro


def test_pcs_are_stored_for_the_host_where_it_reads_them() -> None:
    stored = [x for x in CallHelper().expand(LAYOUT) if isinstance(x, StoreImm)]
    assert [(x.size, x.mem) for x in stored] == [(4, Mem(PC))]
