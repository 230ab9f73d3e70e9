"""The part of an x86-64 processor that our instructions see: registers, flags, memory, and where control goes next.

    registers   sixteen words of 64 bits; 8, 16 and 32-bit operands are their low bits
    flags       CF, ZF, SF, OF: a word of one bit, or undefined. AF and PF are not modelled: nothing we emit reads them
    memory      bytes at native addresses; every access is recorded, so that theorems can range over all of them

Decides nothing about instructions (`simulator.x86` does) except this: reading an undefined flag is an error, so a
theorem proved here holds whatever the processor leaves in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeAlias, TypeVar

from jit.registers import CAGE, Reg
from jit.x86 import Mem, Target
from simulator.words import W, Words

W_co = TypeVar("W_co", covariant=True)

# ---------------------------------------------------------------- state


class Memory(Protocol[W]):
    """Bytes at native addresses, little-endian, seen by one processor."""

    def load(self, address: W, size: int) -> W:
        """The `size` bytes (1, 2, 4, 8) at `address`, zero-extended to 64 bits."""
        ...

    def store(self, address: W, size: int, value: W) -> None:
        """Put the low `size` bytes of the 64-bit `value` at `address`."""
        ...


@dataclass(frozen=True, slots=True)
class Access(Generic[W]):
    """The `size` bytes at native `address` were read, or written."""

    address: W
    size: int
    write: bool


@dataclass(frozen=True, slots=True)
class Flags(Generic[W]):
    """Each a word of one bit; None is undefined."""

    cf: W | None = None
    zf: W | None = None
    sf: W | None = None
    of: W | None = None


@dataclass(slots=True)
class State(Generic[W]):
    """A processor between two instructions. Mutable; the memory is shared with whoever made it."""

    registers: list[W]  # by Reg, 64 bits each
    memory: Memory[W]
    flags: Flags[W] = field(default_factory=Flags)
    accesses: list[Access[W]] = field(default_factory=list)  # in program order; grows without bound

    def load(self, address: W, size: int) -> W:
        """The `size` bytes at `address`, zero-extended to 64 bits."""
        self.accesses.append(Access(address, size, write=False))
        return self.memory.load(address, size)

    def store(self, address: W, size: int, value: W) -> None:
        """The `size` bytes at `address` := the low bytes of the 64-bit `value`."""
        self.accesses.append(Access(address, size, write=True))
        self.memory.store(address, size, value)


class Places(Protocol[W_co]):
    """What labels stand for, where the code has not been assembled or placed yet. Words of 64 bits."""

    def address(self, label: Target) -> W_co:
        """The native address of `label`."""
        ...

    def pc_plus(self, delta: int) -> W_co:
        """The eBPF pc whose code this is, plus delta."""
        ...


# ---------------------------------------------------------------- what comes after an instruction


@dataclass(frozen=True, slots=True)
class FallThrough:
    """The instruction behind this one."""


@dataclass(frozen=True, slots=True)
class ToLabel:
    """The label's place."""

    label: Target


@dataclass(frozen=True, slots=True)
class ToAddress(Generic[W]):
    """A native address that a register or memory held."""

    address: W


@dataclass(frozen=True, slots=True)
class Return(Generic[W]):
    """The native address that was on top of the stack."""

    address: W


Next: TypeAlias = FallThrough | ToLabel | ToAddress[W] | Return[W]


class MachineStopped(Exception):
    """The instruction has no successor in this model. State is as before it, but for recorded accesses."""


class UndefinedRead(MachineStopped):
    """A condition depends on `flag`, which the last instruction that wrote it left undefined."""

    def __init__(self, flag: str) -> None:
        super().__init__(flag)
        self.flag = flag


class DivideError(MachineStopped):
    """#DE: division by zero, or a quotient that does not fit."""


class UnmodelledDivision(MachineStopped):
    """The dividend is not an extension of rax: defined for the processor, but never emitted and not modelled."""


# ---------------------------------------------------------------- operands


def read(words: Words[W], state: State[W], reg: Reg, bits: int) -> W:
    """The low `bits` of `reg`."""
    value = state.registers[reg]
    return value if bits == 64 else words.truncate(64, bits, value)


def write(words: Words[W], state: State[W], reg: Reg, bits: int, value: W) -> None:
    """`reg` := the word `value` of 32 or 64 bits; 32 clear the upper half (SDM 1, 3.4.1.1)."""
    state.registers[reg] = value if bits == 64 else words.zero_extend(bits, 64, value)


def address_of(words: Words[W], state: State[W], mem: Mem) -> W:
    """The native address rbp + index + disp, mod 2^64."""
    base = state.registers[CAGE]
    if mem.index is not None:
        base = words.add(64, base, state.registers[mem.index])
    return words.add(64, base, words.constant(64, mem.disp))
