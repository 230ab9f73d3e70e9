"""Native bytes as a processor runs them: decode, execute, follow control until it leaves the bytes.

So a simulation is a run of the machine model on what `jit.decode` finds in the very bytes that would be mapped.
Trusts nothing about the bytes: jumping into the middle of an instruction decodes from there. Raises NotOurs at an
instruction that we never emit, MachineStopped where the model ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, assert_never

from jit.decode import decode
from jit.x86 import X86, Native, Target
from simulator.machine import FallThrough, Return, State, ToAddress, ToLabel
from simulator.words import W, Words
from simulator.x86 import execute


@dataclass(frozen=True, slots=True)
class Left(Generic[W]):
    """Control went to a native address outside the bytes; the instruction there has not been executed."""

    address: W


@dataclass(frozen=True, slots=True)
class OutOfSteps:
    """The step limit was reached before the instruction at `position`. Going on from there is allowed."""

    position: int


Outcome: TypeAlias = Left[W] | OutOfSteps


@dataclass(frozen=True, slots=True)
class Behind(Generic[W]):
    """`Places` of decoded instructions: all labels are distances from the end, which is at native address `end`."""

    words: Words[W]
    end: W

    def address(self, label: Target) -> W:
        return self.words.add(64, self.end, self.words.constant(64, distance(label)))

    def pc_plus(self, delta: int) -> W:
        raise AssertionError("the decoder finds numbers, not pcs")


def run(
    words: Words[W], code: Sequence[int], base: W, state: State[W], position: int = 0, *, steps: int
) -> Outcome[W]:
    """Execute from code[position] on, where `base` is the native address of code[0]; at most `steps` instructions."""
    decoded: dict[int, tuple[X86, int]] = {}
    for _ in range(steps):
        if not 0 <= position < len(code):
            return Left(words.add(64, base, words.constant(64, position)))
        if position not in decoded:
            decoded[position] = decode(code, position)
        instruction, length = decoded[position]
        end = position + length
        successor = execute(words, instruction, state, Behind(words, words.add(64, base, words.constant(64, end))))
        match successor:
            case FallThrough():
                position = end
            case ToLabel(label):
                position = end + distance(label)
            case ToAddress(address) | Return(address):
                found = position_of(words, address, base, len(code))
                if found is None:
                    return Left(address)
                position = found
            case _:
                assert_never(successor)
    return OutOfSteps(position)


def distance(label: Target) -> int:
    assert isinstance(label, Native), f"the decoder finds distances, not {label}"
    return label.displacement


def position_of(words: Words[W], address: W, base: W, size: int) -> int | None:
    """address - base, if that is one of 0 .. size - 1. Bisects, because a word can be compared but not read."""
    offset = words.sub(64, address, base)
    if not words.unsigned_less(64, offset, words.constant(64, size)):
        return None
    low, high = 0, size
    while high - low > 1:
        middle = (low + high) // 2
        if words.unsigned_less(64, offset, words.constant(64, middle)):
            high = middle
        else:
            low = middle
    return low
