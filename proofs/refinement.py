"""One eBPF instruction on both sides: the reference semantics, and the expansions of what `lower` chose for it.

Both start from the same registers and the same unknown memory; the n-th bytes that either loads have the same name, so
that equal accesses in equal order see equal values. Trusted by isa.refines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import z3

from jit.context import SAVED, record_offset
from jit.layout import Region
from jit.lower import lower_instruction
from jit.macros import Macro
from jit.regions import Provenance
from jit.registers import FRAME, GUEST, Reg
from proofs.executor import explore
from proofs.layouts import Assumed
from proofs.machine import BEHIND, Event, Left, Memory, Unknown, fresh_state, memory_of, run, widened
from proofs.operands import Unknowns
from proofs.symbolic import Int, SymbolicWords
from simulator import ebpf
from simulator.ebpf import CallRecord, meaning
from simulator.machine import State
from validator.isa import FRAME_POINTER, SLOT_BYTES, Field, Form, Instruction, Kind, Row
from validator.validate import local_rejection

Word: TypeAlias = "z3.BitVecRef"
_ACCESSES = (Kind.LOAD, Kind.STORE, Kind.ATOMIC)
_FRAMES = (Kind.CALL_LOCAL, Kind.EXIT)


class _Every(frozenset[int]):
    """All helper numbers."""

    def __contains__(self, number: object) -> bool:
        return True


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
class Both:
    """What one path does on both sides. Registers are those of eBPF, r0 to r10."""

    macros: tuple[Macro, ...]
    before: tuple[Word, ...]
    left: Left
    native: tuple[Word, ...]
    memory: Memory
    reference: ebpf.State[Word]
    event: ebpf.Event[Word] | None
    needed: tuple[z3.BoolRef, ...]  # preconditions of the operations that were used


@dataclass(frozen=True, slots=True)
class Step:
    """An instruction in a layout, with a guess for it and the depth of its frame (None: any)."""

    form: Form
    instruction: Instruction
    hint: Provenance
    depth: int | None
    unknowns: Unknowns
    pc: Int

    def __str__(self) -> str:
        return f"{self.instruction}, guess {self.hint}, depth {'any' if self.depth is None else self.depth}"


def steps(opcode: int, row: Row, given: Assumed) -> Iterator[Step]:
    """Every instruction of this row that the validator accepts; immediates and offsets are symbolic."""
    unknowns = Unknowns()
    pc = unknowns.between("pc", 0, 1 << 18)
    choices: dict[Field, tuple[int, ...]] = {
        field: tuple(range(FRAME_POINTER + 1)) if field in row.form.uses else (0,) for field in (Field.DST, Field.SRC)
    }
    bits = {Field.OFFSET: 16, Field.IMM: 32}
    for name, size in bits.items():
        if name in row.form.uses:
            wide = name is Field.IMM and row.form.kind is Kind.WIDE_IMMEDIATE
            low, high = (0, (1 << 64) - 1) if wide else (-(1 << size - 1), (1 << size - 1) - 1)
            choices[name] = (unknowns.between(name.name.lower(), low, high),)
        else:
            choices[name] = (0,)
    if row.field is not None:
        choices[row.field] = (row.value,)
    hints: tuple[Provenance, ...] = (None, *Region) if row.form.kind in _ACCESSES else (None,)
    depths: tuple[int | None, ...] = tuple(range(given.layout.frames)) if row.form.kind in _FRAMES else (None,)
    for dst in choices[Field.DST]:
        for src in choices[Field.SRC]:
            instruction = Instruction(opcode, dst, src, choices[Field.OFFSET][0], choices[Field.IMM][0])
            if local_rejection(instruction, _Every()) is None:
                for hint in hints:
                    for depth in depths:
                        yield Step(row.form, instruction, hint, depth, unknowns, pc)


def looks_at_layout(form: Form) -> bool:
    """Whether lowering or meaning of the form ask the layout: where there is memory, or another frame."""
    return form.kind in _ACCESSES or form.kind in _FRAMES


def both(step: Step, given: Assumed) -> Iterator[tuple[tuple[z3.BoolRef, ...], Both]]:
    """Every path of the two sides, with its conditions."""
    registers = _registers(step, given)
    pc: int = step.pc  # type: ignore[assignment]

    def execute() -> Both:
        words = SymbolicWords()
        macros = lower_instruction(step.form, step.instruction, step.hint, None, given.layout)
        state = fresh_state(registers, given.base)
        before = tuple(state.registers[reg] for reg in GUEST)
        left = _run(words, macros, given, state, step.pc)
        reference = ebpf.State(list(before), GuestMemory(), pc, _calls(step, given))
        event = meaning(words, given.layout, step.form, step.instruction, pc)(reference)
        native = tuple(state.registers[reg] for reg in GUEST)
        return Both(macros, before, left, native, memory_of(state), reference, event, tuple(words.obligations))

    for path in explore(execute, assuming=tuple(step.unknowns.assumptions)):
        yield (*given.conditions, *path.conditions), path.returned


def _run(
    words: SymbolicWords, macros: tuple[Macro, ...], given: Assumed, state: State[Word], pc: Int
) -> Left:
    for macro in macros:
        left = run(words, macro.expand(given.layout), state, Unknown(pc))
        if left != BEHIND:
            return left
    return BEHIND


def _registers(step: Step, given: Assumed) -> dict[Reg, Word]:
    """By role, so that instructions that differ in registers come to the same terms."""
    names = {GUEST[step.instruction.src]: "src"} if Field.SRC in step.form.uses else {}
    if Field.DST in step.form.uses:
        names[GUEST[step.instruction.dst]] = "dst"
    registers = {reg: z3.BitVec(name, 64) for reg, name in names.items()}
    top = given.r10 if step.depth is None else z3.BitVecVal(given.layout.frame_top(step.depth), 64)
    return {**registers, FRAME: top}


def _calls(step: Step, given: Assumed) -> list[CallRecord[Word]]:
    """The call records up to the frame, as the context holds them."""
    records: list[CallRecord[Word]] = []
    for depth in range(step.depth or 0):
        start = record_offset(given.layout, depth) + SAVED
        saved = tuple(z3.BitVec(f"context{start + SLOT_BYTES * i}.64", 64) for i in range(4))
        records.append(CallRecord(depth, saved))
    return records
