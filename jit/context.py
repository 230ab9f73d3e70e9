"""The context page: what guest code and host tell each other. Offsets are relative to the cage base (rbp).

    -context_bytes + 64 k   record of the call made from frame k: native return address, return pc, r6, r7, r8, r9
    -104                    r0 .. r10, eight bytes each
    -16                     pc: where the guest stopped or will resume (4 bytes)
    -8                      fuel: negative preempts at the next poll; counted polls decrement it (4 bytes, signed)

The guest has no pointer to it: guest addresses are not negative, and clamps keep mis-speculated ones so.
"""

from __future__ import annotations

from enum import IntEnum

from jit.layout import RECORD_BYTES, Layout

REGISTERS = -104
PC = -16
FUEL = -8

# within a shadow-stack record
RETURN_NATIVE = 0
RETURN_PC = 8
SAVED = 16  # r6 .. r9


class Exit(IntEnum):
    """Why guest code returned to the host. The pc in the context says where."""

    FINISHED = 1  # `exit` in the entry frame; r0 is the result
    HELPER = 2  # the call at pc wants its helper; resume behind it
    PREEMPTED = 3  # a poll found no fuel; resume at pc
    INTERPRET = 4  # the instruction at pc is for the reference semantics: it faults, or needs the slow path
    UNCOMPILED = 5  # the callee of the topmost record has no native code yet


def register_offset(register: int) -> int:
    """Where eBPF register `register` is saved."""
    return REGISTERS + 8 * register


def record_offset(layout: Layout, depth: int) -> int:
    """Where the record of the call made from the frame at `depth` lies."""
    return RECORD_BYTES * depth - layout.context_bytes


def record_shift(layout: Layout) -> int:
    """(r10 >> shift) + record_displacement(layout) is the offset of the current frame's record."""
    return (layout.frame_stride // RECORD_BYTES).bit_length() - 1


def record_displacement(layout: Layout) -> int:
    """See `record_shift`: the two save the generated code a multiplication and a shadow stack pointer."""
    return record_offset(layout, 0) - (layout.frame_top(0) >> record_shift(layout))
