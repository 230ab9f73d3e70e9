"""gate.compose: what is proved of single macros makes an invariant of whole programs.

The program is unknown: `proofs.composition`. `proofs.invariant` says what holds between two macros and which ways there
are from one such moment to the next; here the solver checks that it holds at the start, that every way keeps it, and
what it implies. The other cases are about the macros that there are, and supply what no other theorem does. How all
this comes to a theorem about runs is in docs/proofs/compose.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import z3

from jit.context import record_offset
from jit.layout import CONTEXT_HOT_BYTES, NULL_BYTES, RECORD_BYTES, may_access
from jit.macros import MACROS, Contract, Macro
from jit.macros.contract import ApprovedBytes, ContextBytes, FrameBytes, FrameEffect, RecordBytes, TableSlot
from jit.registers import CHECKED, Reg
from jit.x86 import X86, Callee, Label, LeaLabel, Local
from proofs.composition import PC, PLACE, Fact, Program, Unknowns
from proofs.executor import explore, variables
from proofs.invariant import (
    ALLOWED,
    BASE,
    EDGES,
    FRAME_TOP,
    FRAMES,
    NONE,
    STUB,
    TOUCHED,
    Edge,
    Make,
    applies,
    invariant,
)
from proofs.layouts import LAYOUTS, ORDINARY
from proofs.lemmas import Truth, rank
from proofs.machine import Unknown as UnknownPlaces
from proofs.machine import fresh_state, memory_of, run
from proofs.operands import macros_of
from proofs.placements import (
    every,
    live,
    records_inside,
    regions_disjoint,
    regions_inside,
    shapes,
    some,
    unknown,
)
from proofs.renaming import representatives
from proofs.symbolic import Int, SymbolicWords, condition_of
from proofs.theorem import Case, Obligation, Theorem, register
from validator.validate import MAX_SLOTS

DEPTH, SLOT = z3.Const("any depth", PLACE), z3.Const("any pc", PC)


# ---------------------------------------------------------------- the invariant


def _initially() -> Iterator[Obligation]:
    """Before the first entry: no call is active, r10 is the entry frame's end, nothing is compiled."""
    p, m = Program(), Unknowns("").machine(native=False)
    begun = z3.And(m.depth == NONE, m.r10 == FRAME_TOP(NONE), FRAMES != 0)
    given = (begun, m.slot(SLOT).native == STUB)
    for name, part in invariant(p, m, DEPTH, SLOT):
        yield Obligation(name, given, part)


def _kept(make: Make) -> Iterator[Obligation]:
    """Wherever the invariant holds, it holds behind this edge."""
    p = Program()
    edge = make(p, DEPTH, SLOT)
    given = edge.given(p, DEPTH, SLOT)
    for name, part in (*invariant(p, edge.after, DEPTH, SLOT), *edge.also):
        yield Obligation(name, given, part, _shown(edge))


def _shown(edge: Edge) -> tuple[tuple[str, z3.ExprRef], ...]:
    place = edge.before.place
    where = () if place is None else (("pc", place.pc), ("place", place.number))
    return (("depth", edge.before.depth), *where)


def _implied() -> Iterator[Obligation]:
    """Where the invariant holds, a macro touches what it may, and control has somewhere to go."""
    p, m = Program(), Unknowns("").machine()
    code, pc, number = m.at.code, m.at.pc, m.at.number
    parts = [part for _, part in invariant(p, m, DEPTH, SLOT)]
    facts = [fact for _, fact in (*p.macro_facts(code, pc, number), *p.block_facts(code, pc))]
    there_is, byte = z3.ULT(number, p.count(code, pc)), z3.BitVec("byte", 64)
    given = (*parts, *facts, there_is)
    said = p.said(code, pc, number)
    needed = z3.Implies(z3.Or(said.needs, said.aligns), m.at.true)
    yield Obligation("what a macro relies on is true", given, needed)
    for _, fact in touched(p, m.at.code, m.at.pc, number, m.depth, m.r10, m.rbp, applies(p, m), byte):
        may = z3.Implies(p.touches(code, pc, number, byte), ALLOWED(m.depth, byte))
        yield Obligation("what a macro touches, it may", (*given, fact), may)
    ends = (*parts, *facts, number == p.count(code, pc))
    yield Obligation("behind a block's last macro there is a block", ends, z3.Not(p.is_last(code, pc)))


def touched(
    p: Program, code: z3.BitVecRef, pc: z3.BitVecRef, number: z3.BitVecRef, depth: z3.BitVecRef, r10: z3.BitVecRef,
    rbp: z3.BitVecRef, known: Truth, byte: z3.BitVecRef,
) -> Iterator[Fact]:  # fmt: skip
    """gate.memory, of one macro and one byte; of macros that do not look at CHECKED in any state."""
    there_is = z3.And(p.exists(code, pc), z3.ULT(number, p.count(code, pc)))
    frame = z3.And(z3.ULT(depth, FRAMES), r10 == FRAME_TOP(depth), rbp == BASE)
    touches = z3.And(there_is, frame, known, p.touches(code, pc, number, byte))
    yield TOUCHED, z3.Implies(touches, ALLOWED(depth, byte))


# ---------------------------------------------------------------- inductions over lists


def _block_induction() -> Iterator[Obligation]:
    """What is used stays known to the end of the block: `Program.macro_facts` says it of the block's end at once."""
    p, place = Program(), Unknowns("").place
    code, pc, number = place.code, place.pc, place.number
    here, there = p.at(code, pc, number), p.at(code, pc, number + 1)
    last = p.at(code, pc, p.count(code, pc))
    at_end = z3.Implies(here.borrows, last.borrows)
    yield Obligation("at the end", (number == p.count(code, pc),), at_end)
    step = z3.Implies(here.borrows, there.borrows)  # "what was used stays known"
    yield Obligation("one macro earlier", (step, z3.Implies(there.borrows, last.borrows)), at_end)


def _ranking() -> Iterator[Obligation]:
    """The rank is a number: it cannot fall for ever, and what falls never returns to where it was."""
    a, b, c = (rank(*(z3.BitVec(f"{w}{n}", s) for w, s in (("d", 32), ("pc", 80), ("n", 32)))) for n in range(3))
    yield Obligation("it does not fall to itself", (), z3.Not(z3.ULT(a, a)))
    yield Obligation("falling twice is falling", (z3.ULT(b, a), z3.ULT(c, b)), z3.ULT(c, a))


# ---------------------------------------------------------------- the macros that there are


def _shapes() -> Iterator[Obligation]:
    """A macro that calls ends its block, is resumed behind it, and returns there; nobody else calls."""
    for instance in (instance for macro in MACROS for instance, _ in macros_of(macro)):
        contract = instance.contract()
        calls = sum(isinstance(target, Callee) for target in contract.leaves)
        if contract.frame is FrameEffect.PUSH:
            last = not contract.falls_through and contract.resumes_behind and _returns_behind(instance)
            what = f"{instance}: a call is a block's last macro, and is resumed behind"
            yield Obligation(what, (), z3.BoolVal(last and calls == 1))
        elif calls or contract.frame is FrameEffect.POP:
            what = f"{instance}: a return is a block's last macro, and calls nothing"
            yield Obligation(what, (), z3.BoolVal(not calls and not contract.falls_through))


def _returns_behind(macro: Macro) -> bool:
    """Where it lets the callee return to is behind all of its code."""
    code = macro.expand(ORDINARY)
    end, labels = code[-1], [part.label for part in code if isinstance(part, LeaLabel)]
    return isinstance(end, Label) and not end.cold and labels == [Local(end.number)]


def _stores() -> Iterator[Obligation]:
    """No macro writes to the record of another depth than its own, for a call, or of any depth, for all others."""
    u = unknown()
    layout, placement = u.layout(), u.placement()
    depth, other, address = u.depth(), u.depth("other depth"), u.between("address", 0, (1 << 64) - 1)
    assumed = [part for of in (shapes, regions_inside, regions_disjoint) for part in of(layout, placement, depth)]
    assumed += [next(iter(records_inside(layout, placement, k))) for k in (depth, other)]  # the rest is of pc and fuel
    both = every(live(layout, depth), live(layout, other))
    given = (*u.given, *assumed, both)
    record = record_offset(layout, other)
    top = layout.frame_top(depth)
    for path in explore(partial(may_access, layout, top, address, 1, True), assuming=given, prune=False):
        may = (*path.conditions, condition_of(path.returned))
        in_front = every(record + RECORD_BYTES <= 0, address >= NULL_BYTES)
        yield Obligation("a store leaves the records of other depths: guest memory", may, in_front, tuple(u.shown))
    for start, size in sorted(_context_stores()):
        behind = every(record + RECORD_BYTES <= -CONTEXT_HOT_BYTES, start >= -CONTEXT_HOT_BYTES, start + size <= 0)
        yield Obligation(f"a store leaves the records of other depths: {start:+}", given, behind, tuple(u.shown))
    own = record_offset(layout, depth)
    apart = some(depth == other, own + RECORD_BYTES <= record, record + RECORD_BYTES <= own)
    yield Obligation("a store leaves the records of other depths: a call's own", given, apart, tuple(u.shown))


def _context_stores() -> set[tuple[int, int]]:
    """The bytes of the context that some macro stores to, besides a record. Raises AssertionError at a new touch."""
    found = set()
    for instance in (instance for macro in MACROS for instance, _ in macros_of(macro)):
        for touch in instance.contract().touches:
            assert isinstance(touch, FrameBytes | ApprovedBytes | ContextBytes | RecordBytes | TableSlot), touch
            if isinstance(touch, ContextBytes) and touch.write:
                found.add((touch.offset, touch.size))
            if isinstance(touch, RecordBytes):
                assert touch.write == (instance.contract().frame is FrameEffect.PUSH), instance
    return found


def _unseen(macro: type) -> Iterator[Obligation]:
    """What gate.memory assumes of CHECKED may be false in front of a macro that needs no approval: it does not look."""
    checked = z3.BitVec("CHECKED", 64)
    for number, layout in enumerate(LAYOUTS):
        for instance, _, shape in representatives(macro, layout):
            if number > 0 and shape.ignores_layout:
                continue
            for part in shape.parts:
                if part.instructions is None or _needs(part.contract):
                    continue
                code = part.instructions
                for path in explore(lambda: _done(code, checked), assuming=part.conditions, prune=False):  # noqa: B023
                    terms = map(z3.simplify, (*path.conditions, *path.returned))
                    seen = any(variables(term) & variables(checked) for term in terms)
                    what = f"{instance}: a macro that needs no approval does not look at CHECKED"
                    yield Obligation(what, path.conditions, z3.BoolVal(not seen))
    yield Obligation("nothing else is claimed here", (), z3.BoolVal(True))


def _needs(contract: Contract) -> bool:
    return contract.aligns > 1 or any(isinstance(touch, ApprovedBytes) for touch in contract.touches)


def _done(code: tuple[X86, ...], checked: z3.BitVecRef) -> tuple[z3.ExprRef, ...]:
    """All that the macro does to memory and registers, but for leaving CHECKED as it is."""
    state = fresh_state({CHECKED: checked}, z3.BitVec("base", 64), volatile=True)
    run(SymbolicWords(), code, state, UnknownPlaces(Int.fresh("pc", 0, MAX_SLOTS)[0]))
    memory, after = memory_of(state), state.registers[CHECKED]
    registers = [state.registers[reg] for reg in Reg if reg is not CHECKED or after is not checked]
    stored = [event.value for event in memory.events if event.write]
    return (*registers, *(access.address for access in state.accesses), *stored, *memory.context.values())


# ---------------------------------------------------------------- registration


def _cases() -> Iterator[Case]:
    yield Case("initially", _initially)
    for name, make in EDGES.items():
        yield Case(f"kept: {name}", partial(_kept, make))
    yield Case("implied", _implied)
    yield Case("induction over a block", _block_induction)
    yield Case("the rank", _ranking)
    yield Case("macros that call and return", _shapes)
    yield Case("stores and records", _stores)
    for macro in MACROS:
        yield Case(f"CHECKED in {macro.__name__}", partial(_unseen, macro))


def _assumptions() -> Iterator[tuple[str, tuple[z3.BoolRef, ...]]]:
    for name, make in EDGES.items():
        p = Program()
        yield f"the invariant, and {name}", make(p, DEPTH, SLOT).given(p, DEPTH, SLOT)


register(
    Theorem(
        id="gate.compose",
        statement=(
            "in every program of admitted functions, every macro, call, return, exit to the host and entry keeps an "
            "invariant, which implies that only allowed bytes are touched, only declared places reached, rsp and rbp "
            "kept, and that a run without end polls again and again or is at the host"
        ),
        ranges_over="all programs and machine states, as uninterpreted functions; functions are compiled at any time",
        assumes=(
            "of every macro: gate.memory, gate.contract; of every block: gate.preempt",
            "of the host: host.trampoline, layout.hypothesis, and what docs/proofs/compose.md lists as trusted",
        ),
        depends=("jit.macros", "jit.check", "jit.layout", "jit.context", "jit.x86", "simulator.x86"),
        cases=_cases,
        assumptions=_assumptions,
    )
)
