"""Every run of instructions that `jit.fuse` takes as one, found by asking it.

The program is unknown. An instruction is any row of the instruction set until `may_start` or `fused` ask something
about it that its rows answer in different ways; its registers are chosen when they are compared (`proofs.names`);
numbers are symbolic throughout, and so is the room that a run has. What comes back is each run for every choice of
rows and registers that leads to it. Trusted by isa.refines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import Any

import z3

from jit.fuse import LONGEST_RUN, Run, fused, may_start
from jit.layout import Layout
from jit.macros import Macro
from jit.registers import GUEST, Reg
from proofs.choices import with_names
from proofs.executor import Fork, explore
from proofs.instructions import REGISTERS, EveryHelper, number_range
from proofs.names import Unnamed, name
from proofs.operands import Unknowns
from proofs.refinement import Conditions, Step, Word
from proofs.symbolic import Int
from validator.isa import FRAME_POINTER, ROWS, Field, Instruction, Kind, Operation, Row
from validator.validate import MAX_SLOTS, Validated, local_rejection

_FIELDS = (Field.DST, Field.SRC)


class _Undecided(Exception):
    """The rows that the instruction at `place` may be answer `question` in different ways."""

    def __init__(self, place: int, question: str) -> None:
        super().__init__(place, question)
        self.place, self.question = place, question


@dataclass(frozen=True, slots=True)
class _Chosen:
    """An instruction: one of these rows, with registers dst and src; None as long as nobody looked at one."""

    rows: tuple[tuple[int, Row], ...]
    dst: int | None = None
    src: int | None = None

    @property
    def named(self) -> tuple[int, ...]:
        """The registers that were looked at."""
        return tuple(number for number in (self.dst, self.src) if number is not None)

    def answers(self, question: str) -> tuple[object, ...]:
        """What the rows say, each answer once, in the order of the rows."""
        return tuple(dict.fromkeys(_answer(row, question) for _, row in self.rows))


_ANY = _Chosen(tuple((opcode, row) for opcode, rows in ROWS.items() for row in rows))


def _answer(row: Row, question: str) -> object:
    """An attribute of the form, or what is known of a field of the instruction: its value or its range."""
    if question.upper() not in Field.__members__:
        return getattr(row.form, question)
    field = Field[question.upper()]
    if field not in row.form.uses:
        return row.value if row.field is field else 0
    return "a register" if field in _FIELDS else number_range(row.form, field)


@dataclass(frozen=True, slots=True)
class _Form:
    """Stands for a form: asks its rows."""

    choice: _Chosen
    place: int

    def __getattr__(self, question: str) -> object:
        answers = self.choice.answers(question)
        if len(answers) > 1:
            raise _Undecided(self.place, question)
        return answers[0]


@dataclass(frozen=True, slots=True)
class _Instruction:
    """Stands for an instruction: asks its rows for what is fixed, the rest is not known."""

    choice: _Chosen
    place: int
    numbers: _Numbers

    def __getattr__(self, question: str) -> object:
        answers = self.choice.answers(question)
        if len(answers) > 1:
            raise _Undecided(self.place, question)
        answer = answers[0]
        if answer == "a register":
            return name(getattr(self.choice, question), (self.place, question))
        return self.numbers.number(f"{question}{self.place}", answer) if isinstance(answer, tuple) else answer


class _Numbers:
    """The numbers of all programs that are asked about: made once, because there are thousands of programs."""

    def __init__(self) -> None:
        self.unknowns = Unknowns()
        self.pc: Int = self.unknowns.between("pc", 0, MAX_SLOTS)
        self.pcs = tuple(_Pc(self, place) for place in range(LONGEST_RUN + 1))
        self._known: dict[tuple[str, object], object] = {}

    def number(self, name: str, limits: tuple[int, int]) -> object:
        if (name, limits) not in self._known:
            self._known[name, limits] = self.unknowns.between(name, *limits)
        return self._known[name, limits]


class _Pc(Int):
    """The unknown pc of the first instruction + `place`."""

    __slots__ = ("numbers", "place")

    def __init__(self, numbers: _Numbers, place: int) -> None:
        pc = numbers.pc + place
        super().__init__(pc.bits, pc.low, pc.high)
        self.numbers, self.place = numbers, place

    def __add__(self, other: int | Int) -> Int:
        return self.numbers.pcs[self.place + other] if isinstance(other, int) else super().__add__(other)

    def __sub__(self, other: int | Int) -> Int:
        return self.numbers.pcs[self.place - other] if isinstance(other, int) else super().__sub__(other)

    def __ge__(self, other: Any) -> bool | Fork:  # noqa: ANN401 - an `_End`, too
        return other.is_reached(self.place) if isinstance(other, _End) else super().__ge__(other)


@dataclass(frozen=True, slots=True)
class _End:
    """Where the run has to end: `room` places behind its first pc or, while that is `open`, further on."""

    room: int = 1
    open: bool = True

    def is_reached(self, place: int) -> bool:
        if self.open and place >= self.room:
            raise _NoEnd
        return place >= self.room


class _NoEnd(Exception):
    """How much room there is was asked."""


class _From:
    """What lies from the first pc on, by pc. Behind it lies what nobody has asked about."""

    def __init__(self, parts: list[Any]) -> None:
        self._parts = parts

    def __getitem__(self, pc: _Pc) -> Any:  # noqa: ANN401 - a form, or an instruction
        return self._parts[pc.place]


@dataclass(frozen=True, slots=True)
class Found:
    """Under `conditions` the first `run.length` of the instructions are fused, where at least `room` may be."""

    chosen: tuple[_Chosen, ...]
    run: Run
    room: int
    numbers: _Numbers
    conditions: Conditions


@dataclass(frozen=True, slots=True)
class _State:
    """What has been chosen so far."""

    chosen: tuple[_Chosen, ...]
    end: _End = _End()


def found(kind: Kind, operation: Operation) -> Iterator[Found]:
    """Every run that starts with such an instruction. Its registers stand for all that coincide in the same way."""
    start = (kind, operation)
    first = replace(
        _ANY, rows=tuple(pair for pair in _ANY.rows if (pair[1].form.kind, pair[1].form.operation) == start)
    )
    pending, numbers = [_State((first, *(_ANY,) * (LONGEST_RUN - 1)))], _Numbers()
    while pending:
        state = pending.pop()
        questions: list[Exception] = []
        runs: list[Found] = []
        for path in explore(
            lambda: _asked(state, numbers),  # noqa: B023 - used up before the next round
            allowed=(_Undecided, _NoEnd, Unnamed),
        ):
            if path.raised is not None:
                questions.append(path.raised)
            elif (answer := path.returned) is not None:
                runs.append(Found(state.chosen, answer, state.end.room, numbers, path.conditions))
        if questions:  # the runs come again when they are answered
            pending += _refined(state, questions[0])
        else:
            yield from runs


def _asked(state: _State, numbers: _Numbers) -> Run | None:
    """As `lower` asks."""
    forms = _From([_Form(choice, place) for place, choice in enumerate(state.chosen)])
    program = _From([_Instruction(choice, place, numbers) for place, choice in enumerate(state.chosen)])
    validated = Validated(program, forms, (), (), frozenset())  # type: ignore[arg-type]
    start: Any = numbers.pcs[0]
    end: Any = state.end
    return fused(validated, start, end) if may_start(validated, start) else None


def _refined(state: _State, question: Exception) -> Iterator[_State]:
    """Every answer to the question."""
    if isinstance(question, _NoEnd):
        yield replace(state, end=_End(state.end.room, open=False))
        yield replace(state, end=_End(state.end.room + 1, open=state.end.room + 1 < LONGEST_RUN))
        return
    chosen = state.chosen
    if isinstance(question, Unnamed):
        place, field = _place_and_field(question)
        taken = tuple(dict.fromkeys(number for choice in chosen for number in choice.named))
        new = next(number for number in REGISTERS if number not in taken)  # stands for all others
        numbers = dict.fromkeys((*taken, new, FRAME_POINTER))
        answers = [_naming(chosen[place], field, number) for number in numbers]
    else:
        assert isinstance(question, _Undecided)
        place, asked = question.place, question.question
        answers = [
            replace(chosen[place], rows=tuple(pair for pair in chosen[place].rows if _answer(pair[1], asked) == answer))
            for answer in chosen[place].answers(asked)
        ]
    for choice in answers:
        yield replace(state, chosen=(*chosen[:place], choice, *chosen[place + 1 :]))


def _place_and_field(question: Unnamed) -> tuple[int, str]:
    """What `_Instruction` names a register by."""
    what: Any = question.what
    place, field = what
    return place, field


def _naming(choice: _Chosen, field: str, number: int) -> _Chosen:
    return replace(choice, dst=number) if field == "dst" else replace(choice, src=number)


# ---------------------------------------------------------------- as steps


def steps(run: Found) -> Iterator[Step]:
    """The run with every choice of rows, of registers that coincide as those of `run` do, and of all others."""
    chosen = run.chosen[: run.run.length]
    looked_at = (number for choice in chosen for number in choice.named if number != FRAME_POINTER)
    taken = tuple(dict.fromkeys(looked_at))
    others = [number for number in REGISTERS if number != FRAME_POINTER]
    for rows in product(*(choice.rows for choice in chosen)):
        free = sum(
            (choice.dst is None and Field.DST in row.form.uses) + (choice.src is None and Field.SRC in row.form.uses)
            for choice, (_, row) in zip(chosen, rows, strict=True)
        )
        for numbers, rest in product(permutations(others, len(taken)), product(REGISTERS, repeat=free)):
            names = {**dict(zip(taken, numbers, strict=True)), FRAME_POINTER: FRAME_POINTER}
            step = _step(run, chosen, rows, names, iter(rest))
            if all(local_rejection(instruction, EveryHelper()) is None for _, instruction in step.code):
                yield step


def _step(
    run: Found,
    chosen: tuple[_Chosen, ...],
    rows: tuple[tuple[int, Row], ...],
    names: dict[int, int],
    free: Iterator[int],
) -> Step:
    code = []
    for place, (choice, (opcode, row)) in enumerate(zip(chosen, rows, strict=True)):
        asked: Any = _Instruction(replace(choice, rows=((opcode, row),)), place, run.numbers)
        dst = _register(row, Field.DST, choice.dst, names, free)
        src = _register(row, Field.SRC, choice.src, names, free)
        code.append((row.form, Instruction(opcode, dst, src, asked.offset, asked.imm)))
    hosts = {GUEST[old]: GUEST[new] for old, new in names.items()}
    macros: Any = with_names(run.run.macros, hosts)
    words: dict[Reg, Word] = {host: z3.BitVec(f"register {old.name}", 64) for old, host in hosts.items()}

    def lowered(layout: Layout) -> tuple[Macro, ...]:
        return tuple(macros)

    return Step(tuple(code), lowered, words, run.numbers.unknowns, run.numbers.pc, assuming=run.conditions)


def _register(row: Row, field: Field, number: int | None, names: dict[int, int], free: Iterator[int]) -> int:
    """The register in a field; one of the `free` ones if nobody looked at it."""
    if field not in row.form.uses:
        return row.value if row.field is field else 0
    return names[number] if number is not None else next(free)
