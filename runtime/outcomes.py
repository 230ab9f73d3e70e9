"""What can become of a run: values, not exceptions, because a guest's fault is not the host's error.

Exited     the entry function returned
Faulted    the guest did what it may not; it is over, its neighbours are not concerned
Preempted  it used up its slice or fuel; it can go on
Waiting    it called a helper that has not answered
Stopped    the host ended it
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from jit.layout import NULL_BYTES
from runtime.lines import SourceLine


class FaultKind(Enum):
    """Why a guest was ended; the value is the beginning of the message."""

    OUT_OF_BOUNDS = "access out of bounds"
    UNALIGNED_ATOMIC = "unaligned atomic access"
    STACK_EXHAUSTED = "call stack exhausted"
    HELPER_POINTER = "bad pointer passed to a helper"


@dataclass(frozen=True, slots=True)
class Faulted:
    """The guest faulted at `pc` (8-byte slots from the program's start).

    `address` (guest address), `size` (bytes) and `write` describe the access; they are None where there is none.
    `instruction` is its disassembly, `section` and `offset` (bytes) its place in the object, if it came from one.
    """

    kind: FaultKind
    pc: int
    address: int | None = None
    size: int | None = None
    write: bool | None = None
    instruction: str = ""
    section: str | None = None
    offset: int | None = None
    source: SourceLine | None = None
    detail: str = ""

    def __str__(self) -> str:
        parts = [f"{self.kind.value} at pc {self.pc}"]
        if self.instruction:
            parts.append(f"`{self.instruction}`")
        if self.address is not None:
            direction = "store to" if self.write else "load from"
            null = " (a null pointer)" if self.address < NULL_BYTES else ""
            parts.append(f"{self.size}-byte {direction} guest address {self.address:#x}{null}")
        if self.detail:
            parts.append(self.detail)
        if self.section is not None and self.offset is not None:
            parts.append(f"in section {self.section!r} at offset {self.offset:#x}")
        if self.source is not None:
            parts.append(f"from {self.source}")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Exited:
    """The entry function returned `value` (unsigned 64 bits)."""

    value: int


@dataclass(frozen=True, slots=True)
class Preempted:
    """Out of fuel or slice at `pc`; `Guest.advance` goes on from there."""

    pc: int


class Waiting(NamedTuple):  # made at every call: in a third of the time
    """The helper call at `pc` wants its answer: `Guest.answer(value)`."""

    pc: int
    helper: int
    arguments: tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Stopped:
    """`Guest.stop` ended the activation at `pc`."""

    pc: int


Outcome = Exited | Faulted | Preempted | Stopped
Event = Exited | Faulted | Preempted | Waiting | Stopped
