"""Macros that move control: polls, branches, calls, returns, and the way to the host."""

from __future__ import annotations

from typing import Final, NamedTuple

from jit.context import (
    FUEL,
    PC,
    RETURN_NATIVE,
    RETURN_PC,
    SAVED,
    Exit,
    record_displacement,
    record_shift,
)
from jit.layout import Layout
from jit.macros.arithmetic import alu_imm
from jit.macros.contract import ContextBytes, Contract, FrameEffect, RecordBytes, TableSlot, promise
from jit.registers import CHECKED, COUNT, FRAME, GUEST, Reg
from jit.tagged import maker, tagged
from jit.x86 import (
    X86,
    Ahead,
    Alu,
    AluImm8,
    AluReg,
    Callee,
    Cond,
    Jump,
    JumpIf,
    JumpMem,
    JumpTable,
    Label,
    LeaLabel,
    Leave,
    Load,
    Local,
    Mem,
    MovReg,
    PcPlus,
    Shift,
    ShiftImm,
    Store,
    StoreImm,
    Stub,
    TestImm,
    TestReg,
)

_FAULT = Leave(Exit.INTERPRET)
SAVED_REGISTERS = GUEST[6:10]
_CMP: Final = Alu.CMP

# by whether the poll counts: every function begins with one
_POLLS: Final = {
    counted: promise(
        writes=(COUNT,),
        touches=(ContextBytes(FUEL, 4, write=counted),),
        leaves=(Leave(Exit.PREEMPTED),),
        polls=True,
    )
    for counted in (False, True)
}

_ahead: Final = maker(Ahead)
_jump_if: Final = maker(JumpIf)
_alu_reg: Final = maker(AluReg)
_test_reg: Final = maker(TestReg)


@tagged
class Poll(NamedTuple):
    """Leave if the fuel is negative: what makes every cycle interruptible.

    A counted poll takes one from the fuel first, so that fuel n passes exactly n polls. That costs a store-to-load
    forward per loop iteration, 10 % of guest time in all, so code that a watcher can interrupt only looks.
    Counting in a register was tried: it has to be refilled, and a branch that was taken once costs its place in the
    branch predictor from then on (20 % in tight loops, whatever the refills are worth).
    """

    counted: bool

    def contract(self) -> Contract:
        return _POLLS[self.counted]

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        fuel, out = Mem(FUEL), JumpIf(Cond.S, Leave(Exit.PREEMPTED))
        if self.counted:
            return (Load(4, COUNT, fuel), AluImm8(Alu.SUB, 32, COUNT, 1), Store(4, fuel, COUNT), out)
        return (Load(4, COUNT, fuel), TestReg(32, COUNT, COUNT), out)


@tagged
class Goto(NamedTuple):
    """On to eBPF pc + distance."""

    distance: int

    def contract(self) -> Contract:
        return promise(leaves=(_ahead(self.distance),), falls_through=False)

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        return (Jump(Ahead(self.distance)),)


@tagged
class BranchReg(NamedTuple):
    """To eBPF pc + distance if a cond b; with `test`, if a & b compares so to 0."""

    cond: Cond
    bits: int
    a: Reg
    b: Reg
    distance: int
    test: bool = False

    def contract(self) -> Contract:
        return promise(reads=(self.a, self.b), leaves=(_ahead(self.distance),))

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        compare = _test_reg(self.bits, self.a, self.b) if self.test else _alu_reg(_CMP, self.bits, self.a, self.b)
        return (compare, _jump_if(self.cond, _ahead(self.distance)))


@tagged
class BranchImm(NamedTuple):
    """As BranchReg, against a signed 32-bit value that is sign-extended to `bits`."""

    cond: Cond
    bits: int
    a: Reg
    imm: int
    distance: int
    test: bool = False

    def contract(self) -> Contract:
        return promise(reads=(self.a,), leaves=(_ahead(self.distance),), fields=(self.imm,))

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        compare: X86
        if self.test:
            compare = TestImm(self.bits, self.a, self.imm)
        elif self.imm == 0:
            compare = _test_reg(self.bits, self.a, self.a)  # the flags of a - 0: CF and OF clear
        else:
            compare = alu_imm(_CMP, self.bits, self.a, self.imm)
        return (compare, _jump_if(self.cond, _ahead(self.distance)))


@tagged
class CallHelper(NamedTuple):
    """To the host, which runs the helper that the instruction names and resumes behind it."""

    def contract(self) -> Contract:
        return promise(
            touches=(ContextBytes(PC, 4, write=True),),
            leaves=(Stub(Exit.HELPER),),
            falls_through=False,
            resumes_behind=True,
        )

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        return (StoreImm(4, Mem(PC), PcPlus(0)), Jump(Stub(Exit.HELPER)))


@tagged
class Interpret(NamedTuple):
    """To the host, which lets the reference semantics execute this instruction."""

    def contract(self) -> Contract:
        return promise(leaves=(_FAULT,), falls_through=False, resumes_behind=True)

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        return (Jump(_FAULT),)


@tagged
class CallLocal(NamedTuple):
    """Into the function at eBPF pc + distance with the next frame; behind the call when that returns.

    The record's place follows from r10, so there is no shadow stack pointer to keep consistent. r10 is masked, so
    that it names one of this guest's frames even where the depth check was mis-speculated.
    """

    distance: int

    def contract(self) -> Contract:
        return promise(
            reads=(FRAME, *SAVED_REGISTERS),
            writes=(COUNT, CHECKED),
            touches=(RecordBytes(write=True), TableSlot(self.distance)),
            leaves=(_FAULT, Callee(self.distance)),
            falls_through=False,
            resumes_behind=True,
            frame=FrameEffect.PUSH,
        )

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        record = record_displacement(layout)
        stack_bytes = layout.frames * layout.frame_stride
        return (
            alu_imm(Alu.CMP, 64, FRAME, layout.frame_top(layout.frames - 1)),
            JumpIf(Cond.AE, _FAULT),
            MovReg(32, COUNT, FRAME),
            ShiftImm(Shift.SHR, 32, COUNT, record_shift(layout)),
            LeaLabel(CHECKED, Local(0)),
            Store(8, Mem(record + RETURN_NATIVE, COUNT), CHECKED),
            StoreImm(4, Mem(record + RETURN_PC, COUNT), PcPlus(1)),
            *(Store(8, Mem(record + SAVED + 8 * i, COUNT), reg) for i, reg in enumerate(SAVED_REGISTERS)),
            alu_imm(Alu.ADD, 32, FRAME, layout.frame_stride),
            alu_imm(Alu.AND, 32, FRAME, -stack_bytes - 1),
            JumpTable(Callee(self.distance)),
            Label(0),
        )


@tagged
class Return(NamedTuple):
    """`exit`: behind the call of the caller with its frame and r6 to r9; in the entry frame, finished."""

    def contract(self) -> Contract:
        return promise(
            reads=(FRAME,),
            writes=(COUNT, *SAVED_REGISTERS),
            touches=(RecordBytes(write=False),),
            leaves=(Stub(Exit.FINISHED),),
            falls_through=False,
            frame=FrameEffect.POP,
        )

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        record = record_displacement(layout)
        stack_bytes = layout.frames * layout.frame_stride
        return (
            alu_imm(Alu.CMP, 64, FRAME, layout.frame_top(0)),
            JumpIf(Cond.E, Stub(Exit.FINISHED)),
            alu_imm(Alu.SUB, 32, FRAME, layout.frame_stride),
            alu_imm(Alu.AND, 32, FRAME, stack_bytes - 1),
            alu_imm(Alu.OR, 32, FRAME, layout.stack_low),
            MovReg(32, COUNT, FRAME),
            ShiftImm(Shift.SHR, 32, COUNT, record_shift(layout)),
            *(Load(8, reg, Mem(record + SAVED + 8 * i, COUNT)) for i, reg in enumerate(SAVED_REGISTERS)),
            JumpMem(Mem(record + RETURN_NATIVE, COUNT)),
        )
