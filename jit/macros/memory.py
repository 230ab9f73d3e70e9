"""Checks and accesses. A check approves an address, an access uses what was approved or the current frame.

    lea  CHECKED, [src + offset - low]     from the region's start; huge if below it
    cmp  CHECKED, size of region - size    unsigned: one compare for both ends
    ja   the interpreter's exit            a fault, or another region: the host finds out
    and  CHECKED32, window - 1             guessed wrong: still inside this guest's slot
    mov  dst, [rbp + CHECKED + low]

A check that fails is not a verdict. It leaves to the host, which lets the reference semantics execute that one
instruction: it faults there with all particulars, or it succeeds because the address lies in another region than
the analysis guessed, and the guest goes on. So a wrong guess costs time, never correctness.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from jit.context import Exit
from jit.layout import Layout, Region, power_of_two
from jit.macros.arithmetic import alu_imm
from jit.macros.contract import Approved, ApprovedBytes, Contract, FrameBytes, Probe, promise
from jit.registers import CHECKED, COUNT, FRAME, Reg
from jit.tagged import maker, tagged
from jit.x86 import (
    X86,
    Alu,
    AluReg,
    Cond,
    JumpIf,
    Label,
    Lea,
    Leave,
    Load,
    LoadSigned,
    Local,
    Mem,
    MovReg,
    Store,
    StoreImm,
    TestImm,
)

_FAULT = Leave(Exit.INTERPRET)
_LEAVES = (_FAULT,)
_FAULT_IF_ABOVE = JumpIf(Cond.A, _FAULT)
_INSIDE = Local(0)
_FRAME = (FRAME,)

# to look a member up in its class takes 0.07 us
_CMP: Final = Alu.CMP
_AND: Final = Alu.AND
_READ_ONLY: Final = Region.READ_ONLY
_STACK: Final = Region.STACK

_mem: Final = maker(Mem)
_load: Final = maker(Load)
_store: Final = maker(Store)
_lea: Final = maker(Lea)
_frame_bytes: Final = maker(FrameBytes)
_approved_bytes: Final = maker(ApprovedBytes)
_approved: Final = maker(Approved)
_probe: Final = maker(Probe)


@tagged
class InFrame(NamedTuple):
    """r10 + disp, inside the current frame: needs no check."""

    disp: int

    def mem(self) -> Mem:
        return _mem(self.disp, FRAME)

    def touch(self, size: int, write: bool, aligned: int = 1) -> FrameBytes:
        return _frame_bytes(self.disp, size, write, aligned)


@tagged
class AtChecked(NamedTuple):
    """rbp + CHECKED + disp: must have been approved."""

    disp: int

    def mem(self) -> Mem:
        return _mem(self.disp, CHECKED)

    def touch(self, size: int, write: bool, aligned: int = 1) -> ApprovedBytes:
        return _approved_bytes(_approved(self.disp, size, write, aligned))


Place = InFrame | AtChecked


def _place_reads(place: Place) -> tuple[Reg, ...]:
    return _FRAME if isinstance(place, InFrame) else ()


def _outside_flat(src: Reg, offset: int, size: int, low: int, region_size: int) -> tuple[X86, ...]:
    """CHECKED := address - low; afterwards "above" means outside."""
    return (_lea(64, CHECKED, src, offset - low), alu_imm(_CMP, 64, CHECKED, region_size - size))


def _outside_stack(src: Reg, offset: int, size: int, layout: Layout) -> tuple[X86, ...]:
    """CHECKED := address - stack_low, or leave: the bytes must lie in one live frame."""
    return (
        Lea(64, CHECKED, src, offset),
        AluReg(Alu.CMP, 64, CHECKED, FRAME),
        JumpIf(Cond.AE, _FAULT),
        alu_imm(Alu.SUB, 64, CHECKED, layout.stack_low),
        JumpIf(Cond.B, _FAULT),
        MovReg(32, COUNT, CHECKED),
        alu_imm(Alu.AND, 32, COUNT, layout.frame_stride - 1),
        alu_imm(Alu.CMP, 32, COUNT, layout.frame_bytes - size),
        JumpIf(Cond.A, _FAULT),
    )


@tagged
class CheckFlat(NamedTuple):
    """Approves [src + offset, + size) if it lies inside `region`, which is not the stack."""

    src: Reg
    offset: int
    size: int
    region: Region
    low: int  # of the region, as the layout has it: where approved addresses are relative to

    def contract(self) -> Contract:
        write = self.region is not _READ_ONLY
        return promise(
            reads=(self.src,),
            writes=(CHECKED,),
            leaves=_LEAVES,
            probes=(_probe(self.region, self.size, write, self.low),),
            establishes=_approved(self.low, self.size, write),
            fields=(self.offset - self.low,),
        )

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        span = layout.span(self.region)
        return (
            *_outside_flat(self.src, self.offset, self.size, span.low, span.size),
            _FAULT_IF_ABOVE,
            alu_imm(_AND, 32, CHECKED, power_of_two(span.size) - 1),
        )


@tagged
class CheckStack(NamedTuple):
    """Approves [src + offset, + size) if it lies inside one live stack frame."""

    src: Reg
    offset: int
    size: int
    low: int  # stack_low

    def contract(self) -> Contract:
        return promise(
            reads=(self.src, FRAME),
            writes=(CHECKED, COUNT),
            leaves=_LEAVES,
            probes=(_probe(_STACK, self.size, True, self.low, flat=False),),
            establishes=_approved(self.low, self.size, True),
            fields=(self.offset,),
        )

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        span = layout.span(_STACK)
        return (
            *_outside_stack(self.src, self.offset, self.size, layout),
            alu_imm(Alu.AND, 32, CHECKED, span.size - 1),
        )


@tagged
class CheckAny(NamedTuple):
    """Approves [src + offset, + size) if it lies inside one of the flat `regions` or one live stack frame."""

    src: Reg
    offset: int
    size: int
    regions: tuple[Region, ...]
    write: bool

    def contract(self) -> Contract:
        return promise(
            reads=(self.src, FRAME),
            writes=(CHECKED, COUNT),
            leaves=_LEAVES,
            probes=(
                *(_probe(region, self.size, self.write) for region in self.regions),
                _probe(_STACK, self.size, self.write, flat=False),
            ),
            establishes=_approved(0, self.size, self.write),
            fields=(self.offset,),
        )

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        probes: list[X86] = []
        for region in self.regions:
            span = layout.span(region)
            probes += _outside_flat(self.src, self.offset, self.size, span.low, span.size)
            probes.append(JumpIf(Cond.BE, _INSIDE))
        return (
            *probes,
            *_outside_stack(self.src, self.offset, self.size, layout),
            Label(0),
            Lea(32, CHECKED, self.src, self.offset),
            alu_imm(Alu.AND, 32, CHECKED, layout.slot_bytes - 1),
        )


@tagged
class CheckAligned(NamedTuple):
    """Keeps the approval if the approved address is a multiple of `size`; else leaves.

    Regions start on pages, so the offset in CHECKED is aligned exactly if the address is.
    """

    size: int

    def contract(self) -> Contract:
        return promise(leaves=_LEAVES, aligns=self.size)

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        return (TestImm(32, CHECKED, self.size - 1), JumpIf(Cond.NE, _FAULT))


@tagged
class LoadFrom(NamedTuple):
    """dst := the `size` bytes at `place`, sign- or zero-extended to 64 bits."""

    dst: Reg
    place: Place
    size: int
    signed: bool

    def contract(self) -> Contract:
        return promise(
            reads=_place_reads(self.place), writes=(self.dst,), touches=(self.place.touch(self.size, False),)
        )

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        if self.signed:
            return (LoadSigned(self.size, self.dst, self.place.mem()),)
        return (_load(self.size, self.dst, self.place.mem()),)


@tagged
class StoreTo(NamedTuple):
    """The `size` bytes at `place` := the low bytes of src."""

    place: Place
    src: Reg
    size: int

    def contract(self) -> Contract:
        return promise(reads=(self.src, *_place_reads(self.place)), touches=(self.place.touch(self.size, True),))

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        return (_store(self.size, self.place.mem(), self.src),)


@tagged
class StoreImmTo(NamedTuple):
    """The `size` bytes at `place` := imm, a signed 32-bit value: sign-extended to 8 bytes, cut to fewer than 4."""

    place: Place
    imm: int
    size: int

    def contract(self) -> Contract:
        return promise(
            reads=_place_reads(self.place), touches=(self.place.touch(self.size, True),), fields=(self.imm,)
        )

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        imm = self.imm if self.size == 8 else self.imm & (1 << 8 * self.size) - 1
        return (StoreImm(self.size, self.place.mem(), imm),)
