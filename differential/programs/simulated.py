"""A host whose processor is the machine model: the runtime as it is, but for what happens when code is entered.

The very bytes that `jit/` placed in the arena, trampolines and exit stubs included, are decoded by `jit.decode` and
executed by `simulator.x86`. Memory is the guest's own slot and context, the function table, and a stack; an access
anywhere else, or an instruction where no code was placed, raises `Astray`. So wrong code is seen before a processor
gets it.
"""

from __future__ import annotations

from bisect import bisect_right

from jit.assemble import FunctionCode
from jit.layout import NULL_BYTES, PAGE, Layout
from jit.registers import HOST_SAVED, Reg
from runtime import Host
from runtime.arena import TABLE_BYTES, Arena, Entries, Entry
from runtime.cage import Cage, Slot
from runtime.text import Units
from simulator.integers import INTEGERS
from simulator.machine import MachineStopped, State
from simulator.run import OutOfSteps, run

ARENA_BYTES = 1 << 26
_STACK_LOW, _STACK_BYTES = 0x7FFF_0000_0000, 4096
_HOST = 0x7FFE_0000_0000  # where the call of an entry returns to
MOST_STEPS = 1 << 17


class Astray(MachineStopped):
    """The code left what is its own."""


class SimulatedCage(Cage):
    """Knows its slots by their addresses."""

    def __init__(self) -> None:
        super().__init__(seed=1)
        self.slots: dict[int, Slot] = {}

    def take(self, layout: Layout) -> Slot:
        slot = super().take(layout)
        self.slots[slot.address] = slot
        return slot


class _Memory:
    """What code that was entered with this slot may touch, by native address."""

    def __init__(self, slot: Slot, table: memoryview, table_low: int) -> None:
        self._slot, self._table, self._table_low = slot, table, table_low
        self.stack = bytearray(_STACK_BYTES)

    def load(self, address: int, size: int) -> int:
        held, offset = self._find(address, size, write=False)
        return int.from_bytes(held[offset : offset + size], "little")

    def store(self, address: int, size: int, value: int) -> None:
        held, offset = self._find(address, size, write=True)
        held[offset : offset + size] = value.to_bytes(8, "little")[:size]

    def _find(self, address: int, size: int, write: bool) -> tuple[memoryview | bytearray, int]:
        slot = self._slot
        guest_address = address - slot.address
        if NULL_BYTES <= guest_address <= slot.mapped - size:
            return slot.memory, guest_address
        if 0 <= guest_address + slot.context_bytes <= slot.context_bytes - size:
            return slot.context, guest_address + slot.context_bytes
        if 0 <= address - _STACK_LOW <= _STACK_BYTES - size:
            return self.stack, address - _STACK_LOW
        if not write and 0 <= address - self._table_low <= len(self._table) - size:
            return self._table, address - self._table_low
        raise Astray(f"{'store to' if write else 'load from'} {guest_address:#x} beyond the cage base")


class SimulatedArena(Arena):
    """An arena whose code nobody enters but the machine model."""

    def __init__(self, cage: SimulatedCage) -> None:
        super().__init__(ARENA_BYTES)
        self._cage = cage
        view = self._reservation.view
        self._bytes: dict[int, bytes] = {self.low + TABLE_BYTES: bytes(view[TABLE_BYTES : TABLE_BYTES + PAGE])}
        self._lows = [self.low + TABLE_BYTES]
        self.held = self.released = Entries(*self.ways_in, self._entry)

    def add(self, function: FunctionCode, table: dict[int, int]) -> tuple[int, int]:
        address, size = super().add(function, table)
        self._bytes[address] = bytes(self._reservation.view[address - self.low : address - self.low + size])
        self._lows = sorted(self._bytes)
        return address, size

    def give_back(self, address: int, size: int) -> None:
        del self._bytes[address]
        self._lows = sorted(self._bytes)
        super().give_back(address, size)

    def _entry(self, trampoline: int) -> Entry:
        return lambda base, target: self._simulate(trampoline, base, target)

    def _simulate(self, address: int, base: int, target: int) -> int:
        """What the C function at `address` returns. The host's registers are as a caller has them: not to be lost."""
        memory = _Memory(self._cage.slots[base], self._reservation.view[:TABLE_BYTES], self.low)
        registers = [0xC0DE_0000_0000_0000 + number for number in range(16)]
        top = registers[Reg.rsp] = _STACK_LOW + _STACK_BYTES // 2
        registers[Reg.rdi], registers[Reg.rsi] = base, target
        before = list(registers)
        memory.store(top, 8, _HOST)
        state = State(registers, memory)
        steps = 0
        while address != _HOST:
            low, code = self._code_at(address)
            left = run(INTEGERS, code, low, state, address - low, steps=MOST_STEPS)
            state.accesses.clear()
            steps += 1
            if isinstance(left, OutOfSteps) or steps > MOST_STEPS:
                raise Astray("the code does not come back")
            address = left.address
        if registers[Reg.rsp] != top + 8 or any(registers[reg] != before[reg] for reg in HOST_SAVED):
            raise Astray("the host's registers were not restored")
        return registers[Reg.rax] & 0xFFFF_FFFF

    def _code_at(self, address: int) -> tuple[int, bytes]:
        place = bisect_right(self._lows, address) - 1
        low = self._lows[place] if place >= 0 else 0
        code = self._bytes.get(low, b"")
        if not low <= address < low + len(code):
            raise Astray(f"control went to {address:#x}, where there is no code")
        return low, code


def simulated_host() -> Host:
    """A host like any other. Raises EngineUnavailable where there is no native engine to simulate."""
    host = Host()
    host.cage = cage = SimulatedCage()
    host.arena = SimulatedArena(cage)
    host.units = Units(host.arena)
    return host
