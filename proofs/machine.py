"""Runs the expansion of macros on symbolic words: `simulator.x86.execute`, one path at a time.

Input: instructions with labels, as `Macro.expand` returns them, and a state. Output: the label at which control left,
or that it goes on behind the macro. Decides how memory is modelled: cells at a constant distance from rbp are the
context; all others have symbolic addresses. A load whose bytes may overlap an earlier store at another address is
beyond the model (`Overlap`): no expansion does it. That cells of the two sorts do not overlap is part of what
gate.memory proves of every access. Trusted by the gate theorems and isa.refines.

While a counterexample is replayed another engine does all this, on numbers: `running_on`, `proofs.concrete`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

import z3

from jit.layout import Layout
from jit.macros import Macro
from jit.registers import CAGE, Reg
from jit.x86 import X86, Ahead, Callee, Div, Idiv, JumpIf, Label, Local, Target
from proofs.executor import Fork
from proofs.symbolic import Int, SymbolicWords, as_int
from simulator.machine import DivideError, FallThrough, Return, State, ToAddress, ToLabel, UnmodelledDivision
from simulator.x86 import execute

if TYPE_CHECKING:
    from proofs.values import Values

MOST_STEPS = 200  # of one expansion; they have no loops


class Overlap(Exception):
    """A load might see part of an earlier store."""


class Endless(Exception):
    """The expansion runs longer than any should."""


@dataclass(frozen=True, slots=True)
class Behind:
    """Control goes on behind the macro."""


BEHIND = Behind()


@dataclass(frozen=True, slots=True)
class Fetched:
    """Control goes to the native address `target`, which was loaded from the 8 bytes at `source`."""

    target: z3.BitVecRef
    source: z3.BitVecRef


Left = Behind | Fetched | Target


@dataclass(frozen=True, slots=True)
class Event:
    """One access outside the context: `value` was loaded or stored, `size` bytes zero-extended."""

    address: z3.BitVecRef
    size: int
    write: bool
    value: z3.BitVecRef


@dataclass(slots=True)
class Memory:
    """Unknown bytes. A `volatile` one lets another writer change everything outside the context at any time."""

    base: z3.BitVecRef
    volatile: bool = False
    context: dict[tuple[int, int], z3.BitVecRef] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)

    def load(self, address: z3.BitVecRef, size: int) -> z3.BitVecRef:
        offset = self.context_offset(address)
        if offset is not None:
            return self._context_load(offset, size)
        value = None if self.volatile else self._seen(address, size)
        if value is None:
            loads = sum(not event.write for event in self.events)
            value = widened(z3.BitVec(f"loaded{loads}.{8 * size}", 8 * size))
            self.events.append(Event(address, size, False, value))
        return value

    def store(self, address: z3.BitVecRef, size: int, value: z3.BitVecRef) -> None:
        value = z3.simplify(widened(z3.Extract(8 * size - 1, 0, value)))
        offset = self.context_offset(address)
        if offset is None:
            self.events.append(Event(address, size, True, value))
            return
        for other, length in list(self.context):
            if offset < other + length and other < offset + size:
                del self.context[other, length]
        self.context[offset, size] = value

    def term(self, address: int, direct: bool, values: Values) -> z3.BitVecRef:
        """An address that is a number, as cells go by it: the context's if it is `direct`, a known distance off rbp."""
        return self.base + (address - values.number(self.base)) if direct else z3.BitVecVal(address, 64)

    def context_offset(self, address: z3.BitVecRef) -> int | None:
        """Where in the context, or None for other memory."""
        offset = z3.simplify(address - self.base)
        return offset.as_signed_long() if z3.is_bv_value(offset) else None

    def _context_load(self, offset: int, size: int) -> z3.BitVecRef:
        if (offset, size) not in self.context:
            for other, length in self.context:
                if offset < other + length and other < offset + size:
                    raise Overlap(f"{size} bytes at rbp{offset:+d} and {length} at rbp{other:+d}")
            self.context[offset, size] = widened(z3.BitVec(f"context{offset}.{8 * size}", 8 * size))
        return self.context[offset, size]

    def _seen(self, address: z3.BitVecRef, size: int) -> z3.BitVecRef | None:
        """The value of these bytes as far as an earlier access tells."""
        for event in reversed(self.events):
            distance = z3.simplify(address - event.address)
            if not z3.is_bv_value(distance):
                if event.write:
                    raise Overlap(f"{size} bytes at {address} and {event.size} at {event.address}")
                continue
            apart = distance.as_signed_long()
            if apart == 0 and size == event.size:
                return event.value
            if event.write and apart < event.size and -apart < size:
                raise Overlap(f"{size} bytes at {address} and {event.size} at {event.address}")
        return None


def widened(value: z3.BitVecRef) -> z3.BitVecRef:
    """Zero-extended to 64 bits."""
    return z3.ZeroExt(64 - value.size(), value) if value.size() < 64 else value


@dataclass(frozen=True, slots=True)
class Unknown:
    """`Places` of code that is not placed: every label's address is a word of its own. `pc` is the eBPF pc.

    With another `place` the same code lies elsewhere.
    """

    pc: Int
    place: str = ""

    def address(self, label: Target) -> z3.BitVecRef:
        if isinstance(label, Local):
            return z3.BitVec(f"{self.place}address of label {label.number}", 64)
        start = z3.BitVec(f"{self.place}address of {type(label).__name__}", 64)
        if isinstance(label, Callee | Ahead):  # two distances, two places
            return start + as_int(label.distance).word(64)
        return start

    def pc_plus(self, delta: int) -> z3.BitVecRef:
        return (self.pc + delta).word(64)


class Labels(Protocol):
    """`simulator.machine.Places` of words."""

    def address(self, label: Target) -> z3.BitVecRef: ...

    def pc_plus(self, delta: int) -> z3.BitVecRef: ...


_NAMED = [z3.BitVec(reg.name, 64) for reg in Reg]


def fresh_state(words: dict[Reg, z3.BitVecRef], base: z3.BitVecRef, volatile: bool = False) -> State[z3.BitVecRef]:
    """Registers as given, the others unknown; rbp is the cage base."""
    registers = [words[reg] if reg in words else _NAMED[reg] for reg in Reg]
    registers[CAGE] = base
    return State(registers, Memory(base, volatile))


def memory_of(state: State[z3.BitVecRef]) -> Memory:
    assert isinstance(state.memory, Memory)
    return state.memory


# ---------------------------------------------------------------- engines

WordsT = TypeVar("WordsT", bound=SymbolicWords)


class Engine(Protocol):
    """Who executes in place of this module."""

    def words(self, symbolic: SymbolicWords) -> SymbolicWords: ...

    def expansion(self, macro: Macro, layout: Layout) -> tuple[X86, ...]: ...

    def run(self, instructions: Sequence[X86], state: State[z3.BitVecRef], labels: Labels, guessing: bool) -> Left: ...

    def call(
        self, instructions: Sequence[X86], state: State[z3.BitVecRef]
    ) -> ToAddress[z3.BitVecRef] | Return[z3.BitVecRef]: ...


_ENGINES: list[Engine] = []


@contextmanager
def running_on(engine: Engine) -> Iterator[None]:
    """Let `engine` execute."""
    _ENGINES.append(engine)
    try:
        yield
    finally:
        _ENGINES.pop()


def domain(words: WordsT) -> WordsT:
    """The words on which to execute: these, or those of the engine that has taken over."""
    return _ENGINES[-1].words(words) if _ENGINES else words  # type: ignore[return-value]  # looks like them


def expansion(macro: Macro, layout: Layout) -> tuple[X86, ...]:
    """`macro.expand(layout)`."""
    return _ENGINES[-1].expansion(macro, layout) if _ENGINES else macro.expand(layout)


def guess(step: int) -> z3.BoolRef:
    """Whether the processor guesses that the jump is taken."""
    return z3.Bool(f"guess{step}")


def guessed_result(reg: Reg, step: int) -> z3.BitVecRef:
    """What is in `reg` behind a division that faults, as long as nobody has noticed."""
    return z3.BitVec(f"guessed {reg.name}{step}", 64)


def run(
    words: SymbolicWords,
    instructions: Sequence[X86],
    state: State[z3.BitVecRef],
    places: Unknown,
    guessing: bool = False,
) -> Left:
    """Execute to where control leaves the expansion.

    With `guessing` the processor may go either way at each conditional jump, whatever the flags say, and past a
    division that faults with anything in its results; where a wrong guess leaves the expansion, nothing more is said.
    """
    if _ENGINES:
        return _ENGINES[-1].run(instructions, state, places, guessing)
    return symbolically(words, instructions, state, places, guessing)


def symbolically(
    words: SymbolicWords, instructions: Sequence[X86], state: State[z3.BitVecRef], places: Labels, guessing: bool
) -> Left:
    """`run` by this module."""
    labels = {part.number: i for i, part in enumerate(instructions) if isinstance(part, Label)}
    cold = next((i for i, part in enumerate(instructions) if isinstance(part, Label) and part.cold), None)
    end = len(instructions) if cold is None else cold
    position, steps = 0, 0
    while position != end:
        instruction = instructions[position]
        steps += 1
        if steps > MOST_STEPS:
            raise Endless
        if isinstance(instruction, Label):
            assert not instruction.cold, "control falls from one cold part into another"
            position += 1
            continue
        if guessing and isinstance(instruction, JumpIf):
            local = isinstance(instruction.label, Local)
            taken = local and bool(Fork(guess(steps)))
            successor: object = ToLabel(instruction.label) if taken else FallThrough()
        else:
            successor = _execute(words, instruction, state, places, steps if guessing else None)
        if isinstance(successor, ToLabel):
            if not isinstance(successor.label, Local):
                return successor.label
            position = labels[successor.label.number] + 1
            continue
        if isinstance(successor, ToAddress):
            return Fetched(successor.address, state.accesses[-1].address)
        assert not isinstance(successor, Return), "an expansion returns to the host"
        position += 1
        assert position < len(instructions) or cold is None, "control falls off the cold part"
    return BEHIND


def call(
    words: SymbolicWords, instructions: Sequence[X86], state: State[z3.BitVecRef]
) -> ToAddress[z3.BitVecRef] | Return[z3.BitVecRef]:
    """Execute code without labels or jumps, to its last instruction, which goes to an address that it was given."""
    if _ENGINES:
        return _ENGINES[-1].call(instructions, state)
    for i, instruction in enumerate(instructions):
        following = execute(words, instruction, state, _NoLabels())
        if isinstance(following, ToAddress | Return):
            assert i == len(instructions) - 1, f"{instruction} leaves before the end"
            return following
        assert isinstance(following, FallThrough), f"{instruction} jumps"
    raise AssertionError("the code has no end")


class _NoLabels:
    """`Places` of code without labels."""

    def address(self, label: Target) -> z3.BitVecRef:
        raise AssertionError(f"label {label}")

    def pc_plus(self, delta: int) -> z3.BitVecRef:
        raise AssertionError("a pc")


def _execute(
    words: SymbolicWords, instruction: X86, state: State[z3.BitVecRef], places: Labels, step: int | None
) -> object:
    try:
        return execute(words, instruction, state, places)
    except (DivideError, UnmodelledDivision):
        if step is None or not isinstance(instruction, Div | Idiv):
            raise
        for reg in (Reg.rax, Reg.rdx):
            state.registers[reg] = guessed_result(reg, step)
        return FallThrough()
