"""Atomic read-modify-write (RFC 9669 section 5.3). The address is naturally aligned: the gate demands it.

x86 has no fetching and, or, xor: they are a load and a compare-exchange. Only the guest writes its memory while it
runs, so the exchange succeeds; should it not, the host executes the instruction, instead of a loop without a poll.
"""

from __future__ import annotations

from typing import NamedTuple

from jit.context import Exit, register_offset
from jit.layout import Layout
from jit.macros.contract import ContextBytes, Contract, promise
from jit.macros.memory import InFrame, Place
from jit.registers import COUNT, FRAME, Reg
from jit.tagged import tagged
from jit.x86 import (
    X86,
    Alu,
    AluReg,
    Cond,
    Jump,
    JumpIf,
    Label,
    Leave,
    Load,
    Local,
    LockAlu,
    LockCmpxchg,
    LockXadd,
    Mem,
    MovReg,
    Store,
    Xchg,
)

_SAVED_RAX = Mem(register_offset(0))  # where an exit would save it anyway


def _contract(place: Place, size: int, reads: tuple[Reg, ...], writes: tuple[Reg, ...]) -> Contract:
    frame = (FRAME,) if isinstance(place, InFrame) else ()
    return promise(reads=(*reads, *frame), writes=writes, touches=(place.touch(size, True, size),))


@tagged
class AtomicUpdate(NamedTuple):
    """The bytes at `place` op= src; op is ADD, OR, AND or XOR."""

    op: Alu
    size: int
    place: Place
    src: Reg

    def contract(self) -> Contract:
        return _contract(self.place, self.size, (self.src,), ())

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        return (LockAlu(self.op, self.size, self.place.mem(), self.src),)


@tagged
class AtomicFetchAdd(NamedTuple):
    """The bytes at `place`, src := their sum, their old value zero-extended."""

    size: int
    place: Place
    src: Reg

    def contract(self) -> Contract:
        return _contract(self.place, self.size, (self.src,), (self.src,))

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        return (LockXadd(self.size, self.place.mem(), self.src),)


@tagged
class AtomicFetchLogic(NamedTuple):
    """The bytes at `place`, src := bytes op src, their old value zero-extended; op is OR, AND or XOR."""

    op: Alu
    size: int
    place: Place
    src: Reg

    def contract(self) -> Contract:
        contract = _contract(self.place, self.size, (self.src,), (self.src, COUNT))
        saves = ContextBytes(_SAVED_RAX.disp, 8, write=True)
        return contract._replace(touches=(*contract.touches, saves), leaves=(Leave(Exit.INTERPRET),))

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        bits = 8 * self.size
        deliver: tuple[X86, ...] = ()
        if self.src is not Reg.rax:
            deliver = (MovReg(bits, self.src, Reg.rax), Load(8, Reg.rax, _SAVED_RAX))
        return (
            Store(8, _SAVED_RAX, Reg.rax),
            MovReg(64, COUNT, self.src),
            Load(self.size, Reg.rax, self.place.mem()),
            AluReg(self.op, bits, COUNT, Reg.rax),  # the operations commute
            LockCmpxchg(self.size, self.place.mem(), COUNT),
            JumpIf(Cond.NE, Local(0)),
            *deliver,
            Label(0, cold=True),
            Load(8, Reg.rax, _SAVED_RAX),
            Jump(Leave(Exit.INTERPRET)),
        )


@tagged
class AtomicExchange(NamedTuple):
    """The bytes at `place`, src := the low bytes of src, the old bytes zero-extended."""

    size: int
    place: Place
    src: Reg

    def contract(self) -> Contract:
        return _contract(self.place, self.size, (self.src,), (self.src,))

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        return (Xchg(self.size, self.place.mem(), self.src),)


@tagged
class CompareExchange(NamedTuple):
    """If the bytes at `place` equal the low bytes of r0 they become src's; r0 := their old value, zero-extended."""

    size: int
    place: Place
    src: Reg

    def contract(self) -> Contract:
        return _contract(self.place, self.size, (self.src, Reg.rax), (Reg.rax,))

    def expand(self, layout: Layout) -> tuple[X86, ...]:
        exchange = LockCmpxchg(self.size, self.place.mem(), self.src)
        if self.size == 4:  # a success leaves the upper half of rax alone
            return (exchange, MovReg(32, Reg.rax, Reg.rax))
        return (exchange,)
