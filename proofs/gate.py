"""One admitted macro in an abstract state: what the gate knows, as formulas, and every way through the expansion.

The shipped gate is what admits: `jit.check.local_refusal` on the contract, then `jit.check._step` on the abstract
state. Whatever it lets pass is run on a state about which nothing is assumed but what the abstract state says. Names no
macro. Trusted by the theorems gate.*.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import z3

from jit.check import GateRefused, _Flow, _step, local_refusal
from jit.layout import ADDRESS_LIMIT, CLAMP_ROOM, PAGE
from jit.macros import Contract, Macro
from jit.macros.contract import Approved, FrameEffect
from jit.registers import CAGE, CHECKED, FRAME, GUEST, Reg
from jit.x86 import X86
from proofs.executor import Fork, explore, variables
from proofs.layouts import R10, Assumed
from proofs.machine import Left, Memory, Unknown, domain, expansion, fresh_state, memory_of, run
from proofs.operands import APPROVED_LOW, Unknowns, roles
from proofs.symbolic import Int, SymbolicWords, condition_of
from simulator.machine import State

BLOCK_PC = 1  # of the macro's block, to the gate's step: it only compares it with where the check was
Word: TypeAlias = "z3.BitVecRef"
Told: TypeAlias = "tuple[Word, Word | None]"  # what is seen, and in a register what it held before


@dataclass(frozen=True, slots=True)
class Before:
    """The state in front of a macro, the same for all: the approval that may be known, and its registers.

    The macro is in a block at `BLOCK_PC`; the check that approved is in that or in an earlier one.
    """

    approved: Approved
    since: int
    checked: Word
    pc: Int
    ranges: tuple[z3.BoolRef, ...]

    @staticmethod
    def unknown() -> Before:
        """Any approval: bytes, direction and alignment are symbolic."""
        unknowns = Unknowns()
        approved = Approved(
            low=_number(APPROVED_LOW),
            size=unknowns.between("approved size", 0, CLAMP_ROOM),
            write=_truth(Fork(z3.Bool("approved for writing"))),
            aligned=_number(unknowns.between("approved alignment", 1, 8)),
        )
        pc = unknowns.between("pc", 0, 1 << 18)
        # CHECKED is any word, as the difference of the approved address and where it counts from
        checked = z3.BitVec("approved address", 64) - APPROVED_LOW.word(64)
        since: int = unknowns.between("pc of the check", 0, BLOCK_PC)
        return Before(approved, since, checked, pc, tuple(unknowns.assumptions))


@dataclass(frozen=True, slots=True)
class Ran:
    """One way through the expansion of an admitted macro."""

    contract: Contract
    instructions: tuple[X86, ...]
    left: Left
    before: tuple[Word, ...]  # registers
    state: State[Word]
    known: Approved | None  # behind the macro
    told: tuple[Told, ...]  # what the guest sees of it
    told_elsewhere: tuple[Told, ...]  # the same, where all that the contract does not say it reads is different
    borrows: bool  # uses what another block's check approved, as the gate sees it
    welcome: bool  # where nothing is known, too

    @property
    def memory(self) -> Memory:
        return memory_of(self.state)


@dataclass(frozen=True, slots=True)
class Way:
    """A `Ran` and under which conditions it is taken; `assumed` is of the layout and of the state in front of it."""

    path: tuple[z3.BoolRef, ...]
    assumed: tuple[z3.BoolRef, ...]
    ran: Ran
    given: Assumed
    start: Before
    shown: tuple[tuple[str, z3.ExprRef], ...]


def ways(
    macro: Macro, unknowns: Unknowns, given: Assumed, *, guessing: bool = False, twice: bool = False
) -> Iterator[Way]:
    """Every way through the expansion, in every state that the gate admits the macro in. None if it admits none.

    Memory may be changed by others at any time: the macro's safety does not rest on what it has stored. `twice`: run it
    elsewhere, too (`Ran.told_elsewhere`).
    """
    start, facts = state_before(given, guessing)
    known_registers = {reg: _counted_from(z3.BitVec(role, 64), macro) for reg, role in roles(macro).items()}
    holds = known_registers.setdefault(FRAME, R10) == R10
    known_registers[CHECKED] = start.checked
    ranges = (*start.ranges, *unknowns.assumptions)
    numbers = tuple(unknowns.shown)
    about = frozenset[int]().union(*(variables(term) for _, term in numbers), variables(R10))

    def admitted() -> Ran | None:
        contract = macro.contract()
        if local_refusal(contract, given.layout) is not None:
            return None
        flow = _Flow(BLOCK_PC, approved=start.approved, since=start.since)
        try:
            _step(flow, macro, contract)
        except GateRefused:
            return None
        state = fresh_state(known_registers, given.base, volatile=True)
        before = tuple(state.registers)
        instructions = expansion(macro, given.layout)
        left = run(domain(SymbolicWords()), instructions, state, Unknown(start.pc), guessing)
        told = told_elsewhere = _told(contract, before, state)
        if twice and not _reads_only(contract, before, state, told, about):
            other = _elsewhere(contract, before)
            before_other = tuple(other.registers)
            run(domain(SymbolicWords()), instructions, other, Unknown(start.pc, "other "), guessing)
            told_elsewhere = _told(contract, before_other, other)
        welcome = _welcome(macro, contract)
        return Ran(
            contract, instructions, left, before, state, flow.approved, told, told_elsewhere, flow.borrows, welcome
        )

    shown = (*numbers, *given.shown, *((reg.name, word) for reg, word in known_registers.items()))
    # few paths are impossible for what is assumed besides, and to ask with all of it costs seconds
    for path in explore(admitted, assuming=ranges, ask_about=1):
        if path.returned is not None:
            yield Way(path.conditions, (*given.conditions, facts, holds), path.returned, given, start, shown)


def _counted_from(word: Word, macro: Macro) -> Word:
    """Any word; written so that an address that the macro makes of it is a word on its own, or as far from `low`."""
    low, offset = (as_int(getattr(macro, name, 0)).word(64) for name in ("low", "offset"))
    return word + low - offset


# ---------------------------------------------------------------- what the guest sees


def _told(contract: Contract, before: tuple[Word, ...], state: State[Word]) -> tuple[Told, ...]:
    """The guest registers that the macro may write, and what it stores. The record of a call is not seen."""
    stored = [event.value for event in memory_of(state).events if event.write]
    registers = [(state.registers[reg], before[reg]) for reg in GUEST if reg in contract.writes]
    return (*registers, *((word, None) for word in stored if contract.frame is FrameEffect.SAME))


def _reads_only(
    contract: Contract, before: tuple[Word, ...], state: State[Word], told: tuple[Told, ...], numbers: frozenset[int]
) -> bool:
    """Whether the words that the guest sees show that they are made of what the contract reads, of loads and operands.

    Words without any unknown show nothing: they may be those of one case.
    """
    reads = [before[reg] for reg in contract.reads if reg in GUEST]
    loads = [event.value for event in memory_of(state).events if not event.write]
    known = numbers.union(*map(variables, (*reads, *loads)))
    return all(word is old or frozenset() < variables(z3.simplify(word)) <= known for word, old in told)


def _elsewhere(contract: Contract, before: tuple[Word, ...]) -> State[Word]:
    """A state that has in common with the other only the guest registers that the contract reads."""
    reads = {reg: before[reg] for reg in contract.reads if reg in GUEST}
    others = {reg: reads.get(reg, z3.BitVec(f"other {reg.name}", 64)) for reg in Reg}
    return fresh_state(others, z3.BitVec("other base", 64), volatile=True)


def _welcome(macro: Macro, contract: Contract) -> bool:
    """Whether the gate admits the macro where nothing is known, too, and knows nothing behind it."""
    flow = _Flow(BLOCK_PC)
    try:
        _step(flow, macro, contract)
    except GateRefused:
        return False
    return flow.approved is None


@cache
def state_before(given: Assumed, guessing: bool) -> tuple[Before, z3.BoolRef]:
    """The state in front of a macro, and that what the gate knows of it is true."""
    start = Before.unknown()
    fact = speculative_fact if guessing else approval_fact
    return start, fact(given, start.approved, start.checked, R10)


# ---------------------------------------------------------------- what the gate's facts mean


def approval_fact(given: Assumed, approved: Approved, checked: Word, frame_top: Word) -> z3.BoolRef:
    """The bytes at rbp + CHECKED + low may be accessed as approved, and are well placed."""
    address, top, size = approved_address(approved, checked), Int.of_word(frame_top), as_int(approved.size)
    may = z3.If(
        condition_of(approved.write),
        given.may_access(top, address, size, True),
        given.may_access(top, address, size, False),
    )
    return z3.And(well_placed(approved, checked), may)


def approved_address(approved: Approved, checked: Word) -> Int:
    """The guest address of the approved bytes."""
    return Int.of_word(z3.simplify(checked + as_int(approved.low).word(64)))


def well_placed(approved: Approved, checked: Word) -> z3.BoolRef:
    """CHECKED was clamped and counts from a page; the approved bytes are aligned as approved."""
    low, size, aligned = (as_int(n) for n in (approved.low, approved.size, approved.aligned))
    address = approved_address(approved, checked)
    clamped = z3.And(z3.ULT(checked, 1 << 32), condition_of(low >= 0), condition_of(low <= ADDRESS_LIMIT))
    clamped = z3.And(clamped, condition_of(low & PAGE - 1 == 0))
    bounded = z3.And(condition_of(size > 0), condition_of(size <= CLAMP_ROOM))
    whole = z3.And(condition_of(address & aligned - 1 == 0), condition_of(aligned & aligned - 1 == 0))
    return z3.And(clamped, bounded, whole)


def speculative_fact(given: Assumed, approved: Approved, checked: Word, frame_top: Word) -> z3.BoolRef:
    """The bytes at rbp + CHECKED + low are this guest's own, even if a branch was guessed wrong."""
    low = as_int(approved.low)
    address = Int.of_word(z3.simplify(checked + low.word(64)))
    clamped = z3.And(z3.ULT(checked, 1 << 32), condition_of(low >= 0), condition_of(low <= ADDRESS_LIMIT))
    return z3.And(clamped, given.reserved(address, as_int(approved.size)))


def is_frame_top(given: Assumed, value: Word) -> z3.BoolRef:
    """r10 is the end of one of this guest's frames."""
    layout: Any = given.layout
    distance = Int.of_word(value) - layout.frame_bytes - layout.stack_low
    whole = condition_of(distance % layout.frame_stride == 0)
    inside = condition_of(distance < layout.frames * layout.frame_stride)
    return z3.And(condition_of(distance >= 0), whole, inside)


def as_int(value: int | Int) -> Int:
    return value if isinstance(value, Int) else Int(z3.BitVecVal(value, 80), value, value)


def _number(value: Int) -> int:
    return value  # type: ignore[return-value]


def _truth(value: Fork) -> bool:
    return value  # type: ignore[return-value]


HELD = (CAGE, Reg.rsp)  # by every macro
