"""What an access meets, and whether it must fault: from the sizes and places of regions alone.

Both engines of the runtime ask the functions of `jit.layout`, directly or through words, and what native code refuses
the reference semantics executes: were these wrong, all engines would agree. So this is written anew, from the design
(loads everywhere, stores everywhere but in read-only data, frames of functions that have not returned, aligned
atomics), and the reference's own faults are compared with it.
"""

from __future__ import annotations

from typing import NamedTuple

from differential.programs.helpers import MOST_BYTES, READ, WRITE
from jit.layout import Layout
from simulator.ebpf import State
from validator.isa import Kind
from validator.validate import Validated

PLACES = ("read-only data", "data", "calldata", "own frame", "a caller's frame", "nowhere")
READ_ONLY, NOWHERE = PLACES[0], PLACES[-1]

_WORD = (1 << 64) - 1


class Access(NamedTuple):
    """What an instruction, or the helper that it calls, is about to do. `place` is one of PLACES."""

    kind: str
    address: int
    size: int
    writes: bool
    aligned: bool
    place: str

    def must_fault(self) -> bool:
        """If not, it must not."""
        return self.place == NOWHERE or (self.writes and self.place == READ_ONLY) or not self.aligned

    def is_judged_by(self, fault: tuple[object, ...] | None, pc: int) -> bool:
        """Whether `fault` (kind, pc, address, size, whether it is a write), or None, is what it must end in."""
        if fault is None:
            return not self.must_fault()
        return self.must_fault() and fault[1:] == (pc, self.address, self.size, self.writes)


def place(layout: Layout, depth: int, address: int, size: int) -> str:
    """Where all of [address, address + size) lies, for a function that `depth` others wait for."""
    regions = zip(PLACES, (layout.read_only, layout.writable, layout.calldata), strict=False)
    spans = [(name, span.low, span.size) for name, span in regions]
    for caller in range(depth + 1):
        name = "own frame" if caller == depth else "a caller's frame"
        spans.append((name, layout.stack_low + caller * layout.frame_stride, layout.frame_bytes))
    for name, low, held in spans:
        if low <= address and address + size <= low + held:
            return name
    return NOWHERE


def next_access(layout: Layout, state: State[int], validated: Validated) -> Access | None:
    """Of the instruction that `state` is at; None if there is none, or no byte is accessed."""
    form, instruction = validated.forms[state.pc], validated.program[state.pc]
    assert form is not None and instruction is not None
    depth = len(state.calls)
    if form.kind in (Kind.LOAD, Kind.STORE, Kind.ATOMIC):
        base = instruction.src if form.kind is Kind.LOAD else instruction.dst
        address = (state.registers[base] + instruction.offset) & _WORD
        aligned = form.kind is not Kind.ATOMIC or address % form.size == 0
        where = place(layout, depth, address, form.size)
        return Access(form.kind.name.lower(), address, form.size, form.kind is not Kind.LOAD, aligned, where)
    if form.kind is Kind.CALL_HELPER and instruction.imm in (READ, WRITE):
        _, address, length, *_ = state.registers
        size = length % (MOST_BYTES + 1)
        if size:
            writes = instruction.imm == WRITE
            kind = "helper writes" if writes else "helper reads"
            return Access(kind, address, size, writes, True, place(layout, depth, address, size))
    return None
