"""What a macro promises: everything that the gate looks at, and all that the gate.* theorems prove of it.

A contract is about any operands and any register contents. What it does not name does not happen: registers that
are not in `writes` keep their values, memory outside `touches` is neither read nor written, control goes nowhere
but to `leaves` and, if `falls_through`, to the next macro.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from jit.layout import Region
from jit.registers import CHECKED, Reg
from jit.tagged import maker, tagged
from jit.x86 import Ahead, Callee, Leave, Stub


@tagged
class Approved(NamedTuple):
    """A fact about the register CHECKED: the `size` bytes at rbp + CHECKED + low may be loaded.

    With `write` they may be stored too; with `aligned` = n their address is a multiple of n. They stay inside the
    guest's slot even if the branch of the check was mis-speculated.
    """

    low: int
    size: int
    write: bool
    aligned: int = 1

    def covers(self, needed: Approved) -> bool:
        """Whether this fact implies `needed`."""
        return (
            self.low <= needed.low
            and needed.low + needed.size <= self.low + self.size
            and (self.write or not needed.write)
            and self.aligned % needed.aligned == 0
            and (needed.low - self.low) % needed.aligned == 0
        )


@tagged
class FrameBytes(NamedTuple):
    """The `size` bytes at r10 + disp. The gate admits them only inside the current frame, and `disp` aligned."""

    disp: int
    size: int
    write: bool
    aligned: int = 1


@tagged
class ApprovedBytes(NamedTuple):
    """Bytes that an earlier check must have approved: the gate's state has to cover `needed`."""

    needed: Approved


@tagged
class ContextBytes(NamedTuple):
    """The `size` bytes at rbp + offset, in the context page."""

    offset: int
    size: int
    write: bool


@tagged
class RecordBytes(NamedTuple):
    """The shadow-stack record of the current frame (`write`: a call) or of its caller (a return)."""

    write: bool


@tagged
class TableSlot(NamedTuple):
    """The function table slot of a callee, read only."""

    distance: int


Touch = FrameBytes | ApprovedBytes | ContextBytes | RecordBytes | TableSlot


class FrameEffect(Enum):
    """What becomes of r10 and the shadow call stack."""

    SAME = "same"
    PUSH = "push"
    POP = "pop"


class Probe(NamedTuple):
    """A check of `size` bytes at an address against `region`; the gate compares it with the layout.

    `low` is where the approved offset counts from: the region's first address, or None for guest addresses. `flat`
    is a check for any place in the region: the stack, with its gaps and dead frames, must not be checked so.
    """

    region: Region
    size: int
    write: bool
    low: int | None = None
    flat: bool = True


Exits = Ahead | Leave | Callee | Stub


class Contract(NamedTuple):
    """See the module's docstring. A named tuple: one is made for every macro, at a quarter of a dataclass's cost."""

    reads: tuple[Reg, ...] = ()  # guest registers; scratch registers are the macro's own affair
    writes: tuple[Reg, ...] = ()  # guest registers and scratch registers
    touches: tuple[Touch, ...] = ()
    probes: tuple[Probe, ...] = ()
    fields: tuple[int, ...] = ()  # values that must fit a signed 32-bit field
    divisor: tuple[int, int] | None = None  # of a division without guards, and the largest that cannot fault
    # from here on: where control goes, and what the macros behind may rely on
    leaves: tuple[Exits, ...] = ()
    falls_through: bool = True
    resumes_behind: bool = False  # the host, or a callee, continues at the next eBPF instruction
    establishes: Approved | None = None
    aligns: int = 1  # proves the approved address to be a multiple of this
    polls: bool = False
    frame: FrameEffect = FrameEffect.SAME

    def is_quiet(self) -> bool:
        """Whether the macro may stand anywhere between two others, and changes nothing that those may rely on."""
        if self.leaves or self[_LEAVES:] != _FALLS_THROUGH or CHECKED in self.writes:
            return False
        for touch in self.touches:  # noqa: SIM110 - `any` makes a generator, which takes longer than the answer
            if isinstance(touch, ApprovedBytes):
                return False
        return True


_LEAVES: Final = Contract._fields.index("leaves")
_FALLS_THROUGH: Final = Contract()[_LEAVES:]
promise: Final = maker(Contract)
