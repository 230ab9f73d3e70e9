"""One admitted macro in an abstract state: what the gate knows, as formulas, and every way through the expansion.

The shipped gate is what admits: `jit.check.local_refusal` on the contract, then `jit.check._step` on the abstract
state. Whatever it lets pass is run on a state about which nothing is assumed but what the abstract state says. Names no
macro. Trusted by the theorems gate.*.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from dis import get_instructions
from functools import cache
from typing import Any, TypeAlias

import z3

from jit.check import GateRefused, _Flow, _step, local_refusal
from jit.layout import ADDRESS_LIMIT, CLAMP_ROOM, PAGE, Layout
from jit.macros import Contract, Macro
from jit.macros.contract import Approved, ContextBytes, FrameEffect
from jit.registers import CAGE, CHECKED, FRAME, Reg
from proofs.executor import Fork, explore
from proofs.layouts import Assumed
from proofs.machine import Left, Memory, Unknown, fresh_state, memory_of, run
from proofs.operands import APPROVED_LOW, Unknowns, roles
from proofs.symbolic import Int, SymbolicWords, condition_of
from simulator.machine import State

Word: TypeAlias = "z3.BitVecRef"


@dataclass(frozen=True, slots=True)
class Before:
    """The state in front of a macro, the same for all: the approval that may be known, and its registers."""

    approved: Approved
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
        return Before(approved, checked, pc, tuple(unknowns.assumptions))


@dataclass(frozen=True, slots=True)
class Ran:
    """One way through the expansion of an admitted macro."""

    contract: Contract
    left: Left
    before: tuple[Word, ...]  # registers
    state: State[Word]
    known: Approved | None  # behind the macro

    @property
    def memory(self) -> Memory:
        return memory_of(self.state)


@dataclass(frozen=True, slots=True)
class Way:
    """A `Ran` and under which conditions it is taken."""

    conditions: tuple[z3.BoolRef, ...]
    ran: Ran
    given: Assumed
    start: Before
    shown: tuple[tuple[str, z3.ExprRef], ...]


def ways(
    macro: Macro, unknowns: Unknowns, given: Assumed, *, guessing: bool = False, volatile: bool = False
) -> Iterator[Way]:
    """Every way through the expansion, in every state that the gate admits the macro in. None if it admits none."""
    start, facts = _start(given, guessing)
    frame_top = given.r10
    known_registers = {reg: z3.BitVec(role, 64) for reg, role in roles(macro).items()}
    known_registers |= {FRAME: frame_top, CHECKED: start.checked}
    ranges = (*start.ranges, *unknowns.assumptions)

    def admitted() -> Ran | None:
        contract = macro.contract()
        if local_refusal(contract, given.layout) is not None:
            return None
        flow = _Flow(approved=start.approved)
        try:
            _step(flow, macro, contract)
        except GateRefused:
            return None
        state = fresh_state(known_registers, given.base, volatile)
        before = tuple(state.registers)
        left = run(SymbolicWords(), macro.expand(given.layout), state, Unknown(start.pc), guessing)
        return Ran(contract, left, before, state, flow.approved)

    if _refused_for_its_registers(macro, given.layout):
        return
    shown = (*unknowns.shown, *((reg.name, word) for reg, word in known_registers.items()))
    # few paths are impossible for what is assumed besides, and to ask with all of it costs seconds
    for path in explore(admitted, assuming=ranges):
        if path.returned is not None:
            yield Way((*given.conditions, facts, *path.conditions), path.returned, given, start, shown)


@cache
def _start(given: Assumed, guessing: bool) -> tuple[Before, z3.BoolRef]:
    """The state in front of a macro, and that what the gate knows of it is true."""
    start = Before.unknown()
    fact = speculative_fact if guessing else approval_fact
    return start, fact(given, start.approved, start.checked, given.r10)


def ignores_layout(macro: Macro) -> bool:
    """Whether nothing that the gate or an expansion does with this macro depends on the layout.

    Then its obligations under one layout are those under every other.
    """
    contract = macro.contract()
    memory = any(not isinstance(touch, ContextBytes) for touch in contract.touches)
    if memory or contract.probes or contract.establishes is not None or contract.aligns > 1:
        return False
    used = any(step.argval == "layout" for step in get_instructions(macro.expand))
    return not used and contract.frame is FrameEffect.SAME


def _refused_for_its_registers(macro: Macro, layout: Layout) -> bool:
    """Decided by the registers alone, which the gate looks at first: spares the exploration."""
    contract = macro.contract()
    return local_refusal(Contract(reads=contract.reads, writes=contract.writes), layout) is not None


# ---------------------------------------------------------------- what the gate's facts mean


def approval_fact(given: Assumed, approved: Approved, checked: Word, frame_top: Word) -> z3.BoolRef:
    """The bytes at rbp + CHECKED + low may be accessed as approved, and are aligned as approved.

    CHECKED was clamped, and counts from a page.
    """
    low, size, aligned = (as_int(n) for n in (approved.low, approved.size, approved.aligned))
    address, top = Int.of_word(z3.simplify(checked + low.word(64))), Int.of_word(frame_top)
    may = z3.If(
        condition_of(approved.write),
        given.may_access(top, address, size, True),
        given.may_access(top, address, size, False),
    )
    clamped = z3.And(z3.ULT(checked, 1 << 32), condition_of(low >= 0), condition_of(low <= ADDRESS_LIMIT))
    clamped = z3.And(clamped, condition_of(low & PAGE - 1 == 0))
    bounded = z3.And(condition_of(size > 0), condition_of(size <= CLAMP_ROOM))
    whole = z3.And(condition_of(address & aligned - 1 == 0), condition_of(aligned & aligned - 1 == 0))
    return z3.And(clamped, bounded, may, whole)


def speculative_fact(given: Assumed, approved: Approved, checked: Word, frame_top: Word) -> z3.BoolRef:
    """The bytes at rbp + CHECKED + low are this guest's own, even if a branch was guessed wrong."""
    return given.reserved(Int.of_word(checked) + approved.low, as_int(approved.size))


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
