"""Machine code on the numbers of a counterexample: the bytes of an expansion, decoded and executed on integers.

Within `proofs.machine.running_on`, whatever a theorem runs on symbolic words goes here instead: the shipped macro is
expanded with Python's ints, assembled, placed, and its bytes are executed one by one by `simulator.x86` over
`simulator.integers`. The outcome goes back as constants, so that the theorem's own claims judge it. Decides where code
and labels lie (a proof says nothing of it), and what memory holds at first: what the counterexample says of it.

Trusted by `proofs.replay`. `lines` is what was seen, for people.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, cast

import z3

from jit.assemble import InPart, Template, distance, template
from jit.decode import decode
from jit.disassemble import disassemble, disassemble_macro, displacement, label
from jit.encode import FIELD, unsigned_field
from jit.layout import Layout
from jit.macros import Macro
from jit.registers import CAGE, GUEST, Reg
from jit.x86 import X86, Div, Idiv, JumpIf, Label, Local, PcPlus, Target
from proofs.machine import BEHIND, Behind, Fetched, Labels, Left, Memory, guess, guessed_result, symbolically
from proofs.symbolic import SymbolicWords
from proofs.values import Values
from simulator import run as processor
from simulator.integers import INTEGERS
from simulator.machine import (
    DivideError,
    FallThrough,
    Flags,
    MachineStopped,
    Return,
    State,
    ToAddress,
    ToLabel,
    UnmodelledDivision,
)
from simulator.x86 import execute

Word: TypeAlias = "z3.BitVecRef"
CODE = 0x7000_0000_0000  # where expansions are placed
_COLD = 0x1000  # from there to their cold part
_LABELS, _APART = 0x10_0000, 0x1000  # and to what their labels stand for
_MOST_STEPS = 200


class Cells(Protocol):
    """A memory of a theorem: over terms, by addresses in a form of its own."""

    def load(self, address: Word, size: int) -> Word: ...

    def store(self, address: Word, size: int, value: Word) -> None: ...

    def term(self, address: int, direct: bool, values: Values) -> Word:
        """The address in that form. `direct`: on symbols it is a known distance from rbp."""
        ...


@dataclass(slots=True)
class _Memory:
    """`simulator.machine.Memory[int]` over the cells of a theorem."""

    cells: Cells
    values: Values
    expected: Sequence[tuple[int, bool]]  # address of each access, and whether it is direct; all if there are any
    seen: list[int] = field(default_factory=list)  # what each access read or wrote

    def load(self, address: int, size: int) -> int:
        self.seen.append(self.values.number(self.cells.load(self._term(address), size)))
        return self.seen[-1]

    def store(self, address: int, size: int, value: int) -> None:
        term = self._term(address)
        self.seen.append(value & (1 << 8 * size) - 1)
        self.cells.store(term, size, z3.BitVecVal(value, 64))

    def _term(self, address: int) -> Word:
        direct = False
        if self.expected:
            on_symbols, direct = self.expected[len(self.seen)]
            assert address == on_symbols, f"accesses {address:#x}, on symbols {on_symbols:#x}"
        return self.cells.term(address, direct, self.values)


@dataclass(frozen=True, slots=True)
class _Placed:
    """An expansion in memory: bytes by native address, and the places of its instructions in their list, and back."""

    instructions: tuple[X86, ...]
    parts: tuple[tuple[int, bytes], ...]
    places: dict[int, int]
    labels: dict[int, Target]  # by native address

    def code_at(self, address: int) -> tuple[int, bytes] | None:
        return next((part for part in self.parts if part[0] <= address < part[0] + len(part[1])), None)


class Machine:
    """See the module. An engine of `proofs.machine`."""

    def __init__(self, values: Values) -> None:
        self.lines: list[str] = []
        self._values = values
        self._shadow: tuple[State[Word], State[Word]] | None = None  # a state, and the same still on symbols
        self._run = 0  # which of the values' runs `lines` is about
        self._state: object = None
        self._registers: list[int] = []  # as they were left
        self._macro = ""  # whose expansion comes next

    def words(self, symbolic: SymbolicWords) -> SymbolicWords:
        return cast("SymbolicWords", _Numbers(self._values, symbolic))

    def expansion(self, macro: Macro, layout: Layout) -> tuple[X86, ...]:
        plain: Macro = self._values.plain(macro)
        instructions = plain.expand(self._values.plain(layout))
        assert instructions == self._values.plain(macro.expand(layout)), f"{plain} expands otherwise on symbols"
        self._macro = disassemble_macro(plain)
        return instructions

    def run(self, instructions: Sequence[X86], state: State[Word], labels: Labels, guessing: bool) -> Left:
        placed = self._place(self._values.plain(tuple(instructions)), labels)
        try:
            expected = self._on_symbols(instructions, state, labels, guessing)
        except MachineStopped as stopped:
            self._follow(placed, state, guessing, ())
            raise AssertionError("the bytes run on where symbols do not") from stopped
        left = self._follow(placed, state, guessing, expected)
        if isinstance(left, ToAddress):
            self.lines.append(f"  leaves to native address {left.address:#x}, loaded from memory")
            return Fetched(_word(left.address), state.accesses[-1].address)
        assert not isinstance(left, Return), "an expansion returns to the host"
        self.lines.append("  goes on behind" if isinstance(left, Behind) else f"  leaves to {label(left)}")
        return left

    def _on_symbols(
        self, instructions: Sequence[X86], state: State[Word], labels: Labels, guessing: bool
    ) -> list[tuple[int, bool]]:
        """The accesses of the same run on symbols, where it shows which of them are direct."""
        memory = state.memory
        assert isinstance(memory, Memory)
        if self._shadow is None or self._shadow[0] is not state:
            copy = State(list(state.registers), Memory(memory.base, memory.volatile), state.flags)
            self._shadow = state, copy
        shadow = self._shadow[1]
        seen = len(shadow.accesses)
        symbolically(SymbolicWords(), instructions, shadow, labels, guessing)
        addresses = [access.address for access in shadow.accesses[seen:]]
        return [(self._values.number(a), memory.context_offset(a) is not None) for a in addresses]

    def call(self, instructions: Sequence[X86], state: State[Word]) -> ToAddress[Word] | Return[Word]:
        """Code without labels, to its end, where it goes to an address that it was given."""
        left = self._follow(self._place(tuple(instructions), None), state, False, ())
        assert isinstance(left, ToAddress | Return), f"the code ends with {left}"
        self.lines.append(f"  {'returns' if isinstance(left, Return) else 'goes'} to native address {left.address:#x}")
        return type(left)(_word(left.address))

    # ---------------------------------------------------------------- placing

    def _place(self, instructions: tuple[X86, ...], labels: Labels | None) -> _Placed:
        made = template(instructions)
        starts = {False: CODE, True: CODE + _COLD}
        straight, straight_fixups, cold_code, cold_fixups = made
        assert len(straight) < _COLD, "an expansion longer than any should be"
        named: dict[int, Target] = {}
        for number, (cold, offset) in _offsets(instructions, made).items():
            if labels is not None:
                self._values.choose(labels.address(Local(number)), starts[cold] + offset)
        parts = []
        for cold, code, fixups in ((False, straight, straight_fixups), (True, cold_code, cold_fixups)):
            patched = bytearray(code)
            for offset, link in fixups:
                assert labels is not None, f"label {link}"
                end = starts[cold] + offset + FIELD
                if isinstance(link, PcPlus):
                    field = unsigned_field(self._values.number(labels.pc_plus(link.delta)) & (1 << 32) - 1, FIELD)
                elif isinstance(link, InPart):
                    field = distance(starts[link.cold] + link.offset, end)
                else:
                    target = self._values.choose(labels.address(link), CODE + _LABELS + _APART * len(named))
                    named[target] = link
                    field = distance(target, end)
                patched[offset : offset + FIELD] = bytes(field)
            parts.append((starts[cold], bytes(patched)))
        return _Placed(instructions, tuple(parts), _places(instructions, parts), named)

    # ---------------------------------------------------------------- executing

    def _follow(
        self, placed: _Placed, state: State[Word], guessing: bool, expected: Sequence[tuple[int, bool]]
    ) -> Behind | Target | ToAddress[int] | Return[int]:
        """Execute from the first byte to where control leaves. `state` becomes that of the end, in constants."""
        memory = _Memory(cast("Cells", state.memory), self._values, expected)
        flags = (state.flags.cf, state.flags.zf, state.flags.sf, state.flags.of)
        known: Flags[int] = Flags(*(None if flag is None else self._values.number(flag) for flag in flags))
        numbers: State[int] = State([self._values.number(word) for word in state.registers], memory, known)
        self._introduce(state, numbers)
        try:
            return self._steps(placed, numbers, memory, guessing)
        finally:
            self._registers = numbers.registers
            state.registers[:] = map(_word, numbers.registers)
            after = numbers.flags
            state.flags = Flags(*(_bit(flag) for flag in (after.cf, after.zf, after.sf, after.of)))
            state.accesses += (type(a)(_word(a.address), a.size, a.write) for a in numbers.accesses)

    def _steps(
        self, placed: _Placed, state: State[int], memory: _Memory, guessing: bool
    ) -> Behind | Target | ToAddress[int] | Return[int]:
        position, counted = CODE, 0
        at = 0  # in the list, in step with the bytes: guesses are named by what `proofs.machine` counts there
        for _ in range(_MOST_STEPS):
            while at < len(placed.instructions) and isinstance(placed.instructions[at], Label):
                if placed.instructions[at].cold:  # type: ignore[union-attr]
                    break
                at, counted = at + 1, counted + 1
            found = placed.code_at(position)
            if found is None:
                assert position == CODE + len(placed.parts[0][1]), "control falls off the cold part"
                return BEHIND
            assert placed.places.get(position) == at, "the bytes are not those of the instructions"
            counted += 1
            start, code = found
            instruction, length = decode(code, position - start)
            end = position + length
            before, seen = tuple(state.registers), len(state.accesses)
            text = f"  {position:#x}  {code[position - start :][:length].hex(' '):<32} {disassemble(instruction):<40} "
            written = placed.instructions[at]
            if guessing and isinstance(written, JumpIf):
                taken = isinstance(written.label, Local) and self._values.truth(guess(counted))
                successor: object = ToLabel(instruction.label) if taken else FallThrough()  # type: ignore[union-attr]
            else:
                try:
                    successor = self._execute(instruction, state, end, counted if guessing else None)
                except MachineStopped as stopped:
                    self.lines.append(f"{text}{type(stopped).__name__}")
                    raise
            goal = getattr(instruction, "label", None)
            named = placed.labels.get(end + processor.distance(goal)) if goal is not None else None
            effects = [] if named is None else [f"({label(named)})"]
            effects += _effects(before, state, memory.seen[seen:])
            self.lines.append((text + ", ".join(effects)).rstrip())
            match successor:
                case FallThrough():
                    position, at = end, at + 1
                case ToLabel(to):
                    position = end + processor.distance(to)
                    if position in placed.labels:
                        return placed.labels[position]
                    at = placed.places.get(position, len(placed.instructions))
                case ToAddress() | Return():
                    return cast("ToAddress[int] | Return[int]", successor)
        raise AssertionError("the expansion runs longer than any should")

    def _execute(self, instruction: X86, state: State[int], end: int, guessing: int | None) -> object:
        try:
            return execute(INTEGERS, instruction, state, processor.Behind(INTEGERS, end))
        except (DivideError, UnmodelledDivision):
            if guessing is None or not isinstance(instruction, Div | Idiv):
                raise
            for reg in (Reg.rax, Reg.rdx):
                state.registers[reg] = self._values.number(guessed_result(reg, guessing))
            return FallThrough()

    # ---------------------------------------------------------------- telling

    def _introduce(self, state: State[Word], numbers: State[int]) -> None:
        if self._run != self._values.runs:
            self._run, self._registers, self.lines = self._values.runs, [], []
        if state is not self._state or numbers.registers != self._registers:
            self._state = state
            self.lines += registers(numbers.registers)
        if self._macro:
            self.lines.append(self._macro)
            self._macro = ""


def _effects(before: tuple[int, ...], state: State[int], seen: list[int]) -> Iterator[str]:
    """What the last instruction did to memory, `seen`, and to registers."""
    for access, value in zip(state.accesses[len(state.accesses) - len(seen) :], seen, strict=True):
        where = access.address - before[CAGE]
        near = f" = rbp{displacement(where)}" if abs(where) < 1 << 33 else ""
        does = "writes" if access.write else "reads"
        yield f"{does} {value:#x}, {access.size} bytes at {access.address:#x}{near}"
    yield from (f"{reg.name} = {state.registers[reg]:#x}" for reg in Reg if state.registers[reg] != before[reg])


def registers(values: Sequence[int]) -> list[str]:
    """All sixteen, with the guest's names, four in a line."""
    guest = {reg: f"r{number}" for number, reg in enumerate(GUEST)}
    cells = [f"{guest.get(reg, ''):>3} {reg.name:<3} = {values[reg]:#018x}" for reg in (*GUEST, *_others())]
    return ["  ".join(cells[i : i + 4]).rstrip() for i in range(0, len(cells), 4)]


def _others() -> list[Reg]:
    return [reg for reg in Reg if reg not in GUEST]


def _word(value: int) -> Word:
    return z3.BitVecVal(value, 64)


def _bit(value: int | None) -> Word | None:
    return None if value is None else z3.BitVecVal(value, 1)


def _offsets(instructions: Sequence[X86], made: Template) -> dict[int, tuple[bool, int]]:
    """Where each label is: in which part, and how many bytes from its beginning."""
    straight, _, cold_code, _ = made
    found: dict[int, tuple[bool, int]] = {}
    cold, offset = False, 0
    for instruction in instructions:
        if isinstance(instruction, Label):
            if instruction.cold and not cold:
                cold, offset = True, 0
            found[instruction.number] = cold, offset
        else:
            offset += decode(cold_code if cold else straight, offset)[1]
    return found


def _places(instructions: Sequence[X86], parts: Sequence[tuple[int, bytes]]) -> dict[int, int]:
    """By native address, where in the list the instruction is."""
    found: dict[int, int] = {}
    (position, code), cold = parts[0], False
    start = position
    for index, instruction in enumerate(instructions):
        if not isinstance(instruction, Label):
            found[position] = index
            position += decode(code, position - start)[1]
        elif instruction.cold and not cold:
            (position, code), cold = parts[1], True
            start = position
    return found


class _Numbers:
    """`SymbolicWords` that computes by `simulator.integers`: operands become numbers, results constants."""

    def __init__(self, values: Values, symbolic: SymbolicWords) -> None:
        self._values, self._symbolic = values, symbolic

    def __getattr__(self, operation: str) -> Any:  # noqa: ANN401 - an operation, or what a subclass adds
        if not hasattr(INTEGERS, operation):
            return getattr(self._symbolic, operation)

        def computed(bits: int, *operands: Any) -> object:  # noqa: ANN401
            numbers = [self._values.plain(operand) for operand in operands]
            constants = [
                z3.BitVecVal(number, operand.size()) if z3.is_bv(operand) else operand
                for operand, number in zip(operands, numbers, strict=True)
            ]
            needed = len(self._symbolic.obligations)
            symbolic = getattr(SymbolicWords, operation)(self._symbolic, bits, *constants)
            if len(self._symbolic.obligations) > needed:
                return symbolic  # a precondition does not hold: the integers have no result
            result = getattr(INTEGERS, operation)(bits, *numbers)
            return result if isinstance(result, bool) else z3.BitVecVal(result, symbolic.size())

        return computed
