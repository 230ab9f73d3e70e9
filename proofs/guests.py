"""A guest between two instructions of which nothing is known but its pc, its depth, and r10: and its next step.

The step is the reference semantics', `simulator.ebpf.meaning`. All that a theorem about control can see of a guest is
r10, the pc and the call records; every other register and all memory answers with an unknown, and so does the check of
an access, which may allow or refuse any.
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import z3

from jit.layout import Layout
from proofs.executor import Fork, NotExplored
from proofs.programs import modelled
from proofs.symbolic import Int, SymbolicWords
from simulator import ebpf
from simulator.ebpf import CallRecord, Event, HelperCall
from validator.isa import FRAME_POINTER, Form, Instruction

Word: TypeAlias = z3.BitVecRef


class Registers:
    """r0 to r10 under known and unknown numbers. Only what is written to r10 is kept."""

    def __init__(self, frame: Word) -> None:
        self.frame = frame
        self._read = 0

    def __getitem__(self, number: Any) -> Any:  # noqa: ANN401
        if isinstance(number, slice):
            self._need_others(number)
            return [self._unknown() for _ in range(number.start, number.stop)]
        if isinstance(number, Int):
            return z3.If(number.bits == FRAME_POINTER, self.frame, self._unknown())
        return self.frame if number == FRAME_POINTER else self._unknown()

    def __setitem__(self, number: Any, value: Any) -> None:  # noqa: ANN401
        if isinstance(number, slice):
            self._need_others(number)
        elif isinstance(number, Int):
            self.frame = z3.If(number.bits == FRAME_POINTER, value, self.frame)
        elif number == FRAME_POINTER:
            self.frame = value

    def _unknown(self) -> Word:
        self._read += 1
        return z3.BitVec(f"register read {self._read}", 64)

    @staticmethod
    def _need_others(numbers: slice) -> None:
        if not 0 <= numbers.start <= numbers.stop <= FRAME_POINTER:
            raise NotExplored(f"registers {numbers}")


class Memory:
    """Bytes that may be anything whenever they are read."""

    def __init__(self) -> None:
        self._read = 0

    def load(self, address: Word, size: int) -> Word:
        self._read += 1
        return z3.ZeroExt(64 - 8 * size, z3.BitVec(f"loaded {self._read}", 8 * size))

    def store(self, address: Word, size: int, value: Word) -> None:
        pass


@dataclass(slots=True)
class Calls:
    """The records of `depth` calls. The innermost returns to `innermost`, unless another was `pushed` on it."""

    depth: Any
    innermost: Any
    pushed: list[CallRecord[Word]] = field(default_factory=list)
    popped: int = 0

    def __bool__(self) -> bool:
        return bool(self.depth != 0)

    def append(self, record: CallRecord[Word]) -> None:
        self.pushed.append(record)
        self.depth = self.depth + 1

    def pop(self) -> CallRecord[Word]:
        if self.pushed or self.popped:
            raise NotExplored("a second record")
        self.popped += 1
        self.depth = self.depth - 1
        return CallRecord(self.innermost, tuple(z3.BitVec(f"saved {i}", 64) for i in range(4)))


@dataclass(frozen=True, slots=True)
class Guest:
    """Before a step: at `pc`, in a frame at `depth` of a `layout`, and the record of the call that led there."""

    layout: Layout
    pc: Any
    depth: Any
    returns_to: Any


@dataclass(frozen=True, slots=True)
class After:
    """After a step. `event`: why there was none; a helper has returned already."""

    event: Event[Word] | None
    pc: Any
    frame: Word
    calls: Calls


def frame_base(layout: Layout, depth: Any) -> Word:  # noqa: ANN401
    """What r10 must be at `depth`, as a machine word."""
    top: Any = layout.frame_top(depth)
    word: Word = top.word(64)
    return word


def step(guest: Guest, form: Form, instruction: Instruction) -> After:
    """The guest after `instruction`, and after the helper that it calls."""
    words = SymbolicWords()
    registers, calls = Registers(frame_base(guest.layout, guest.depth)), Calls(guest.depth, guest.returns_to)
    state: Any = ebpf.State(registers, Memory(), guest.pc, calls)  # type: ignore[arg-type]
    names = {"len": lambda of: of.depth if isinstance(of, Calls) else builtins.len(of), "access_check": _any_access}
    with modelled(ebpf, names):
        event = ebpf.meaning(words, guest.layout, form, instruction, guest.pc)(state)
        if isinstance(event, HelperCall):
            ebpf.finish_helper(words, state, z3.BitVec("what the helper returns", 64))
    return After(event, state.pc, registers.frame, calls)


def _any_access(words: object, layout: Layout, size: int, write: bool) -> Any:  # noqa: ANN401
    return lambda frame_top, address: Fork(z3.Bool("the access is allowed"))
