"""Accesses in two halves, with a cut between: a check that approves an address, and the access that uses it.

What holds at the cut is that CHECKED counts from the approved bytes' guest address, that the reference semantics allows
the access there, and that nothing else has changed. So every check is decided once for all accesses behind it, be it
their own or one that several share, and every access once for all checks before it. `shapes` shows that what `lower`
emits are such halves, for every guess and every shared check. Trusted by isa.refines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from typing import Any, Final

import z3

from jit.context import Exit
from jit.group import _limit
from jit.layout import Layout, Region
from jit.lower import Share, lower_instruction
from jit.macros import Interpret, Macro
from jit.macros.memory import AtChecked
from jit.regions import Provenance
from jit.registers import CHECKED, FRAME, GUEST, Reg
from jit.x86 import Leave
from proofs.choices import alike
from proofs.executor import explore
from proofs.instructions import REGISTERS, Numbers, instructions
from proofs.layouts import EXAMPLES, Assumed, formula
from proofs.machine import BEHIND, Left, domain, fresh_state, memory_of
from proofs.names import name
from proofs.operands import Unknowns
from proofs.quotients import AbstractDivision
from proofs.refinement import Conditions, Step, Word, natively
from proofs.symbolic import Int, SymbolicWords, as_int, condition_of
from simulator.machine import State
from simulator.memory import access_check
from validator.isa import FRAME_POINTER, ROWS, Field, Form, Instruction, Kind, Row
from validator.validate import MAX_SLOTS

GUESSES: Final[tuple[Provenance, ...]] = (None, *Region)
WIDEST: Final = 8  # bytes of an access
_SPAN: Final = (1 << 16) - 1 + WIDEST  # bytes that accesses off one register reach: offsets have 16 bits


def base_of(form: Form, instruction: Instruction) -> int:
    """The register that the address counts from."""
    return instruction.src if form.kind is Kind.LOAD else instruction.dst


def writes(form: Form) -> bool:
    """As what the access is judged."""
    return form.kind is not Kind.LOAD


def allowed(layout: Layout, frame_top: Word, address: Word, size: int | Int, write: bool) -> z3.BoolRef:
    """What the reference semantics asks before an access, as a formula."""
    condition, unknowns = _allowed(layout, write)
    return z3.substitute(condition, *zip(unknowns, (frame_top, address, as_int(size).bits), strict=True))


@cache
def _allowed(layout: Layout, write: bool) -> tuple[z3.BoolRef, tuple[Word, ...]]:
    frame_top, address = z3.BitVec("any frame top", 64), z3.BitVec("any address", 64)
    size: Any = Int(z3.BitVec("any size", as_int(0).bits.size()), 1, _SPAN)
    paths = formula(lambda: access_check(SymbolicWords(), layout, size, write)(frame_top, address))
    return z3.And(*paths, z3.BoolVal(True)), (frame_top, address, size.bits)


# ---------------------------------------------------------------- accesses behind the cut


def used(form: Form, instruction: Instruction, distance: Int, layout: Layout) -> Macro:
    """The access of this instruction, `distance` behind what was approved."""
    last: Any = lower_instruction(form, instruction, None, None, layout)[-1]
    access: Macro = last._replace(place=AtChecked(distance))  # type: ignore[arg-type]
    return access


def behind_check(opcode: int, row: Row, given: Numbers, layout: Layout) -> Iterator[Step]:
    """Every access of the row off any register but r10, in the state at the cut."""
    form = row.form
    distance: Int = given.unknowns.between("distance", -(1 << 40), 1 << 40)
    for instruction in instructions(opcode, row, given):
        base = base_of(form, instruction)
        if base == FRAME_POINTER:
            continue
        registers = by_role(form, instruction)
        address = registers[GUEST[base]] + as_int(instruction.offset).word(64)
        fact = allowed(layout, registers[FRAME], address, form.size, writes(form))
        if form.kind is Kind.ATOMIC:
            fact = z3.And(fact, _aligned(address, form.size))
        registers[CHECKED] = address - distance.word(64)

        def macros(layout: Layout, instruction: Instruction = instruction) -> tuple[Macro, ...]:
            return (used(form, instruction, distance, layout),)

        yield Step(((form, instruction),), macros, registers, given.unknowns, given.pc, assuming=(fact,))


def off_frame(opcode: int, row: Row, given: Numbers, placed: Assumed) -> Iterator[Step]:
    """Every access of the row off r10, in any live frame. Lowered without a guess: `shapes` says that none matters."""
    form = row.form
    for instruction in instructions(opcode, row, given):
        if base_of(form, instruction) == FRAME_POINTER:
            registers = {**by_role(form, instruction), FRAME: placed.r10}

            def macros(layout: Layout, instruction: Instruction = instruction) -> tuple[Macro, ...]:
                return lower_instruction(form, instruction, None, None, layout)

            yield Step(((form, instruction),), macros, registers, given.unknowns, given.pc)


def by_role(form: Form, instruction: Instruction) -> dict[Reg, Word]:
    """Registers by what they are to the instruction, so that the solver is asked the same again; r10 is always r10."""
    names = {GUEST[instruction.src]: "src"} if Field.SRC in form.uses else {}
    if Field.DST in form.uses:
        names[GUEST[instruction.dst]] = "dst"
    return {reg: z3.BitVec(name, 64) for reg, name in {**names, FRAME: "r10"}.items()}


def _aligned(address: Word, size: int) -> z3.BoolRef:
    return address & size - 1 == 0


# ---------------------------------------------------------------- checks before the cut


@dataclass(frozen=True, slots=True)
class Checked:
    """One way through a check: `low` is what CHECKED counts from, if control goes on behind it."""

    left: Left
    before: tuple[Word, ...]
    machine: State[Word]
    low: Int


def unknown_share(unknowns: Unknowns, guess: Provenance, layout: Layout, write: bool, name: str = "share") -> Share:
    """Any bytes that `lower` may have to check at once: those of a group, or of one access."""
    offset = unknowns.between(f"{name} offset", -(1 << 15), (1 << 15) - 1)
    size = unknowns.between(f"{name} size", 1, min(_SPAN, max(WIDEST, _limit(guess, layout))))
    return Share(offset, size, write, checked=False)


def check_of(macros: tuple[Macro, ...]) -> tuple[Macro, ...]:
    """What stands before the access; all of it, if there is none."""
    return macros if macros == (Interpret(),) else macros[:-1]


def checks(atomic: int | None, share: Share, guess: Provenance, unknowns: Unknowns, given: Assumed) -> Iterator[Step]:
    """The check for `share` off each register but r10; for an atomic of this size, `share` is its own bytes.

    "address" is where `share` lies.
    """
    (opcode, row), offset = checking_row(atomic), share.offset
    pc = unknowns.between("pc", 0, MAX_SLOTS)
    address = z3.BitVec("address", 64)
    for base in (number for number in REGISTERS if number != FRAME_POINTER):
        instruction = Instruction(opcode, base, base, offset)

        def macros(layout: Layout, instruction: Instruction = instruction) -> tuple[Macro, ...]:
            return check_of(lower_instruction(row.form, instruction, guess, share, layout))

        registers = {GUEST[base]: address - as_int(offset).word(64), FRAME: given.r10}
        yield Step(((row.form, instruction),), macros, registers, unknowns, pc)


def checked(step: Step, given: Assumed) -> Iterator[tuple[Conditions, Checked]]:
    """Every way through the check."""

    def execute() -> Checked:
        macros = step.macros(given.layout)
        state = fresh_state(step.registers, given.base)
        before = tuple(state.registers[reg] for reg in GUEST)
        left = natively(domain(AbstractDivision()), macros, given, state, step.pc)
        lows = [fact.low for fact in (macro.contract().establishes for macro in macros) if fact is not None]
        return Checked(left, before, state, as_int(lows[-1] if lows else 0))

    for path in explore(execute, assuming=step.assumptions, what=str(step)):
        yield (*given.conditions, *path.conditions), path.returned


def check_claims(way: Checked, share: Share, given: Assumed, aligned: int) -> Iterator[tuple[str, z3.BoolRef]]:
    """To the interpreter, or on to the cut; in both cases with all guest registers and memory as they were."""
    address = z3.BitVec("address", 64)
    after = [way.machine.registers[reg] for reg in GUEST]
    same = [mine == before for mine, before in zip(after, way.before, strict=True)]
    yield "the state is untouched", z3.And(*same, z3.BoolVal(not memory_of(way.machine).events))
    if way.left != BEHIND:
        yield "leaves to the interpreter", z3.BoolVal(way.left == Leave(Exit.INTERPRET))
        return
    yield "CHECKED is the address", way.machine.registers[CHECKED] + way.low.word(64) == address
    yield "it is aligned", _aligned(address, aligned)
    unknowns = Unknowns()
    distance, size = unknowns.between("distance", 0, _SPAN), unknowns.between("size", 1, WIDEST)
    inside = z3.And(*unknowns.assumptions, condition_of(distance + size <= share.size))
    for write in {False, share.write}:
        may = allowed(given.layout, given.r10, address + distance.word(64), size, write)
        yield f"accesses are allowed, write={write}", z3.Implies(inside, may)


# ---------------------------------------------------------------- what `lower` emits


# dst and src: every way to coincide with each other and with r10
_COINCIDENCES: Final = ((6, 7), (6, 6), (FRAME_POINTER, 7), (6, FRAME_POINTER), (FRAME_POINTER, FRAME_POINTER))


def shapes(opcode: int, row: Row, given: Numbers) -> Iterator[tuple[str, Conditions, z3.BoolRef]]:
    """For each guess and each check, own or shared: the halves that were decided, and nothing else."""
    form = row.form
    for (dst, src), (number, layout), guess in product(_COINCIDENCES, enumerate(EXAMPLES), GUESSES):
        instruction = Instruction(opcode, name(dst), name(src), given.offset, given.imm)
        unknowns = Unknowns()
        share = unknown_share(unknowns, guess, layout, write=True)
        assumptions = (*given.unknowns.assumptions, *unknowns.assumptions)
        for write in (False, True) if form.kind is Kind.LOAD else (True,):
            shape = partial(_shape, form, instruction, guess, share._replace(write=write), layout)
            for path in explore(shape, assuming=assumptions):
                yield f"{instruction}, guess {guess}, write {write}, layout {number}", path.conditions, path.returned


def _shape(form: Form, instruction: Instruction, guess: Provenance, share: Share, layout: Layout) -> z3.BoolRef:
    """As `shapes` says, of one instruction: on its own, as the first behind a shared check, and as a later one."""
    own = Share(instruction.offset, form.size, writes(form), checked=False)
    alone = lower_instruction(form, instruction, guess, None, layout)
    first = lower_instruction(form, instruction, guess, share, layout)
    later = lower_instruction(form, instruction, guess, share._replace(checked=True), layout)
    if base_of(form, instruction) == FRAME_POINTER:  # no check: decided as it is, for no guess
        unguessed = lower_instruction(form, instruction, None, None, layout)
        return z3.BoolVal(all(alike(unguessed, other) for other in (alone, first, later)))
    if form.kind is Kind.ATOMIC:
        return _halves(form, instruction, alone, _decided_check(form, instruction, guess, None, layout), own)
    of_own = lower_instruction(form, instruction, guess, own, layout)
    behind = first if first == (Interpret(),) else first[-1:]
    if not alike(alone, of_own) or not alike(later, behind):
        return z3.BoolVal(False)
    return _halves(form, instruction, first, _decided_check(form, instruction, guess, share, layout), share)


def _decided_check(
    form: Form, instruction: Instruction, guess: Provenance, share: Share | None, layout: Layout
) -> tuple[Macro, ...]:
    """What the cases of `checks` decide: the check of one row for all others."""
    opcode, row = checking_row(form.size if form.kind is Kind.ATOMIC else None)
    base = base_of(form, instruction)
    checking = Instruction(opcode, base, base, instruction.offset)
    return check_of(lower_instruction(row.form, checking, guess, share, layout))


def checking_row(atomic: int | None) -> tuple[int, Row]:
    """The first atomic row of this size, or the first load: the row whose checks are decided."""
    for opcode, rows in ROWS.items():
        for row in rows:
            if row.form.kind is (Kind.LOAD if atomic is None else Kind.ATOMIC) and atomic in (None, row.form.size):
                return opcode, row
    raise AssertionError("there is no such row")


def _halves(
    form: Form, instruction: Instruction, macros: tuple[Macro, ...], check: tuple[Macro, ...], share: Share
) -> z3.BoolRef:
    """`macros` are the check that was decided and the access that was decided, as far behind it as its offset says."""
    if check == (Interpret(),):
        return z3.BoolVal(macros == check)
    lows = [fact.low for fact in (macro.contract().establishes for macro in check) if fact is not None]
    place = getattr(macros[-1], "place", None)
    if not alike(macros[:-1], check) or not isinstance(place, AtChecked) or len(lows) != 1:
        return z3.BoolVal(False)
    distance = as_int(place.disp)
    if not alike(macros[-1], used(form, instruction, distance, EXAMPLES[0])):
        return z3.BoolVal(False)
    return distance.bits == (as_int(lows[0]) + instruction.offset - share.offset).bits
