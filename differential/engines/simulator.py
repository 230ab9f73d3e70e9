"""The machine model over ints, on the decoding of the very bytes that the other engines run."""

from __future__ import annotations

import platform
from collections.abc import Mapping

from differential.chunk import BREAKPOINT, Chunk
from differential.outcome import ASTRAY, DIVIDE_ERROR, ENDLESS, FINISHED, MEMORY_FAULT, MOST_STEPS, Outcome
from differential.placement import END_SLOT, SLOTS, Placement
from jit.decode import NotOurs
from runtime.arena import TABLE_SLOT
from simulator.integers import INTEGERS
from simulator.machine import DivideError, MachineStopped, State
from simulator.run import Left, run


class _Unmapped(Exception):
    """There is no memory at the address."""


class Ranges:
    """`Memory[int]` over a few mapped ranges."""

    def __init__(self, ranges: Mapping[int, bytearray]) -> None:
        self.ranges = ranges

    def load(self, address: int, size: int) -> int:
        held, offset = self._find(address, size)
        return int.from_bytes(held[offset : offset + size], "little")

    def store(self, address: int, size: int, value: int) -> None:
        held, offset = self._find(address, size)
        held[offset : offset + size] = value.to_bytes(8, "little")[:size]

    def _find(self, address: int, size: int) -> tuple[bytearray, int]:
        for low, held in self.ranges.items():
            if low <= address <= low + len(held) - size:
                return held, address - low
        raise _Unmapped(address)


def mapped(chunk: Chunk, number: int) -> dict[int, bytearray]:
    """What snippet `number` finds in memory, by first address: the scratch page and the function table."""
    table = bytearray(SLOTS * TABLE_SLOT)
    for slot, address in ({END_SLOT: chunk.placement.end} | chunk.slots(number)).items():
        table[slot * TABLE_SLOT : (slot + 1) * TABLE_SLOT] = address.to_bytes(TABLE_SLOT, "little")
    return {chunk.placement.scratch: bytearray(chunk.snippets[number].page), chunk.placement.arena: table}


class Simulator:
    """See the module. `record`: whether outcomes tell the accesses."""

    def __init__(self, placement: Placement, record: bool = False) -> None:
        self.version = f"Python {platform.python_version()}"
        self._record = record

    def run(self, chunk: Chunk) -> list[Outcome]:
        """One outcome per snippet, in the order of the chunk."""
        return [self._run(chunk, number) for number in range(len(chunk.snippets))]

    def _run(self, chunk: Chunk, number: int) -> Outcome:
        snippet = chunk.snippets[number]
        memory = Ranges(mapped(chunk, number))
        state = State(list(snippet.registers), memory, snippet.flags)
        start, offset = chunk.start(snippet), chunk.offset(snippet)
        code = chunk.code
        try:
            left = run(INTEGERS, code, start - offset, state, offset, steps=MOST_STEPS)
        except DivideError:
            return Outcome(DIVIDE_ERROR)
        except _Unmapped:
            return Outcome(MEMORY_FAULT)
        except NotOurs as refused:
            return Outcome(ASTRAY if code[refused.position] == BREAKPOINT else f"not ours: {refused}")
        except MachineStopped as stopped:
            return Outcome(f"not modelled: {type(stopped).__name__} {stopped}")
        if not isinstance(left, Left):
            return Outcome(ENDLESS)
        if left.address != chunk.placement.end:
            return Outcome(ASTRAY)
        page = bytes(memory.ranges[chunk.placement.scratch])
        accesses = tuple((a.address, a.size, a.write) for a in state.accesses) if self._record else None
        return Outcome(FINISHED, tuple(state.registers), state.flags, page, True, accesses)
