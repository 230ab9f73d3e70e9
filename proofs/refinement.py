"""eBPF instructions on both sides: the reference semantics, and the expansions of the macros that stand for them.

Both start from the same registers and the same unknown memory; the n-th bytes that either loads have the same name, so
that equal accesses in equal order see equal values. Trusted by isa.refines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import z3

from jit.context import SAVED, record_offset
from jit.layout import Layout
from jit.macros import Macro
from jit.registers import GUEST, Reg
from proofs.executor import explore
from proofs.layouts import Assumed
from proofs.machine import BEHIND, Event, Left, Memory, Unknown, domain, expansion, fresh_state, memory_of, run, widened
from proofs.operands import Unknowns
from proofs.quotients import AbstractDivision
from proofs.symbolic import Int
from simulator import ebpf
from simulator.ebpf import CallRecord, meaning
from simulator.machine import State
from validator.isa import SLOT_BYTES, Field, Form, Instruction

Word: TypeAlias = "z3.BitVecRef"
Code = tuple[tuple[Form, Instruction], ...]
Conditions = tuple[z3.BoolRef, ...]


class NotedRegisters(list[Word]):
    """A register file that notes which of its registers are looked at or changed."""

    def __init__(self, words: Iterable[Word]) -> None:
        super().__init__(words)
        self.touched: set[int] = set()

    def __getitem__(self, place: int | slice) -> object:  # type: ignore[override]
        self._note(place)
        return super().__getitem__(place)

    def __setitem__(self, place: int | slice, value: object) -> None:  # type: ignore[override]
        self._note(place)
        super().__setitem__(place, value)  # type: ignore[index]

    def _note(self, place: int | slice) -> None:
        self.touched.update(range(len(self))[place] if isinstance(place, slice) else (int(place),))


@dataclass(slots=True)
class GuestMemory:
    """`simulator.memory.Memory` that only notes what is asked of it."""

    events: list[Event] = field(default_factory=list)

    def load(self, address: Word, size: int) -> Word:
        loads = sum(not event.write for event in self.events)
        value = widened(z3.BitVec(f"loaded{loads}.{8 * size}", 8 * size))
        self.events.append(Event(address, size, False, value))
        return value

    def store(self, address: Word, size: int, value: Word) -> None:
        self.events.append(Event(address, size, True, widened(z3.Extract(8 * size - 1, 0, value))))


@dataclass(frozen=True, slots=True)
class Step:
    """Instructions from `pc` on, the macros that stand for them, and a state in front of them.

    `registers` are those that are known by a name or a value, `depth` is that of the frame where it matters.
    """

    code: Code
    macros: Callable[[Layout], tuple[Macro, ...]]
    registers: dict[Reg, Word]
    unknowns: Unknowns
    pc: Int
    depth: int | None = None
    assuming: Conditions = ()

    def __str__(self) -> str:
        depth = "" if self.depth is None else f", depth {self.depth}"
        return "; ".join(str(instruction) for _, instruction in self.code) + depth

    @property
    def assumptions(self) -> Conditions:
        return (*self.unknowns.assumptions, *self.assuming)

    @property
    def operands(self) -> tuple[Reg, ...]:
        """The registers that the instructions name, in order."""
        return tuple(
            GUEST[(instruction.dst, instruction.src)[place is Field.SRC]]
            for form, instruction in self.code
            for place in (Field.DST, Field.SRC)
            if place in form.uses
        )


@dataclass(frozen=True, slots=True)
class Both:
    """What one path does on both sides. Registers are those of eBPF, r0 to r10."""

    macros: tuple[Macro, ...]
    before: tuple[Word, ...]
    left: Left
    native: tuple[Word, ...]
    machine: State[Word]
    reference: ebpf.State[Word]
    event: ebpf.Event[Word] | None
    needed: Conditions  # preconditions of the operations that were used

    @property
    def memory(self) -> Memory:
        return memory_of(self.machine)

    @property
    def touched(self) -> frozenset[Reg]:
        """The registers that the reference looks at or changes."""
        assert isinstance(self.reference.registers, NotedRegisters)
        return frozenset(GUEST[number] for number in self.reference.registers.touched)


def both(step: Step, given: Assumed) -> Iterator[tuple[Conditions, Both]]:
    """Every path of the two sides, with its conditions."""

    def execute() -> tuple[Both, Conditions]:
        words = domain(AbstractDivision())
        macros = step.macros(given.layout)
        state = fresh_state(step.registers, given.base)
        before = tuple(state.registers[reg] for reg in GUEST)
        left = natively(words, macros, given, state, step.pc)
        pc: int = step.pc  # type: ignore[assignment]
        reference = ebpf.State(NotedRegisters(before), GuestMemory(), pc, _calls(step, given))
        event = _by_reference(words, step, given.layout, reference)
        native = tuple(state.registers[reg] for reg in GUEST)
        ran = Both(macros, before, left, native, state, reference, event, tuple(words.obligations))
        return ran, tuple(words.facts)

    for path in explore(execute, assuming=step.assumptions, what=str(step)):
        ran, facts = path.returned
        yield (*given.conditions, *path.conditions, *facts), ran


def natively(
    words: AbstractDivision, macros: Sequence[Macro], given: Assumed, state: State[Word], pc: Int
) -> Left:
    """Execute the expansions one after the other, to where control leaves them."""
    for macro in macros:
        left = run(words, expansion(macro, given.layout), state, Unknown(pc))
        if left != BEHIND:
            return left
    return BEHIND


def _by_reference(
    words: AbstractDivision, step: Step, layout: Layout, state: ebpf.State[Word]
) -> ebpf.Event[Word] | None:
    """Execute instructions as long as control moves forward within the code, or to an event."""
    for place, (form, instruction) in enumerate(step.code):
        pc: int = step.pc + place  # type: ignore[assignment]
        if place == 0 or state.pc == pc:
            event = meaning(words, layout, form, instruction, pc)(state)
            if event is not None:
                return event
    return None


def _calls(step: Step, given: Assumed) -> list[CallRecord[Word]]:
    """The call records up to the frame, as the context holds them."""
    records: list[CallRecord[Word]] = []
    for depth in range(step.depth or 0):
        start = record_offset(given.layout, depth) + SAVED
        saved = tuple(z3.BitVec(f"context{start + SLOT_BYTES * i}.64", 64) for i in range(4))
        records.append(CallRecord(depth, saved))
    return records
