"""An instruction sequence and the state before it: what a campaign draws and a shrinker makes smaller."""

from __future__ import annotations

from dataclasses import dataclass, replace

from jit.x86 import X86, Alu
from simulator.machine import Flags

PAGE = 4096  # scratch memory is one page, between two that are not mapped
TABLE_SLOTS = 4  # of the function table, for jumps of one snippet


@dataclass(frozen=True, slots=True)
class Snippet:
    """Runs from its first instruction; behind its last one it is over.

    `registers` by Reg. `table`: the label that each of its function table slots holds; `Callee(k + 1)` is slot k.
    """

    index: int  # of the campaign; where its code is placed depends on it
    instructions: tuple[X86, ...]
    registers: tuple[int, ...]
    flags: Flags[int]
    page: bytes
    table: tuple[int, ...] = ()

    def with_register(self, number: int, value: int) -> Snippet:
        """The same with another initial value of one register."""
        changed = (*self.registers[:number], value, *self.registers[number + 1 :])
        return replace(self, registers=changed)


def _flags(cf: int, zf: int, sf: int, of: int) -> Flags[int]:
    return Flags(cf, zf, sf, of)


_LOWEST, _HIGHEST, _ONES = 1 << 63, (1 << 63) - 1, (1 << 64) - 1

# Flags that code can start with, and an operation on 64-bit numbers that leaves them, worked out by hand: a zero has no
# sign, so ZF and SF are never set together; and no sum of numbers with one sign overflows to zero without a carry.
STARTING_FLAGS: tuple[tuple[Flags[int], Alu, int, int], ...] = (
    (_flags(cf=0, zf=0, sf=0, of=0), Alu.CMP, 1, 0),
    (_flags(cf=0, zf=1, sf=0, of=0), Alu.CMP, 0, 0),
    (_flags(cf=0, zf=0, sf=1, of=0), Alu.CMP, _ONES, 0),
    (_flags(cf=1, zf=0, sf=1, of=0), Alu.CMP, 0, 1),
    (_flags(cf=1, zf=0, sf=0, of=0), Alu.CMP, 1, _ONES),
    (_flags(cf=0, zf=0, sf=0, of=1), Alu.CMP, _LOWEST, 1),
    (_flags(cf=1, zf=0, sf=1, of=1), Alu.CMP, _HIGHEST, _ONES),
    (_flags(cf=0, zf=0, sf=1, of=1), Alu.ADD, _HIGHEST, 1),
    (_flags(cf=1, zf=0, sf=0, of=1), Alu.ADD, _LOWEST, _LOWEST + 1),
    (_flags(cf=1, zf=1, sf=0, of=0), Alu.ADD, _ONES, 1),
    (_flags(cf=1, zf=1, sf=0, of=1), Alu.ADD, _LOWEST, _LOWEST),
)


def operation_for(flags: Flags[int]) -> tuple[Alu, int, int]:
    """The operation and its operands that leave these flags. Raises KeyError for flags that none leaves."""
    for found, op, a, b in STARTING_FLAGS:
        if found == flags:
            return op, a, b
    raise KeyError(flags)
