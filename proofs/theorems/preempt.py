"""gate.preempt: every cycle of what the gate admits passes a poll.

The gate is a fold (`jit.check._fold`, `_through`): what it accepts of a list is what it accepts of each block and
macro, one after the other, each in the state that the one before left. So the theorem runs the shipped functions on one
unknown block, and on one unknown macro, in every state. What it shows of one step holds of every step; the ranking is
then an argument about edges (docs/proofs/compose.md, "Polls").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, TypeAlias

import z3

from jit.check import (
    _BORROWS,
    _JOINED,
    _NOTHING,
    _PASSES,
    Admitted,
    GateRefused,
    _before,
    _check_end,
    _enterable,
    _Flow,
    _judged,
    check,
)
from jit.context import FUEL, Exit
from jit.lower import Block
from jit.macros import MACROS, Contract, Macro
from jit.macros.contract import ApprovedBytes, FrameEffect
from jit.x86 import Ahead, Callee, Leave
from proofs import lemmas
from proofs.executor import Fork, explore
from proofs.flow import (
    ALIGNED,
    CALLS,
    COVERS,
    DISTANCE_RANGE,
    ESTABLISHED,
    JUMPS,
    LABELS,
    LEAVES,
    PLACES,
    STARTS,
    STAYS,
    Kind,
    Step,
    any_block,
    block_steps,
    contract,
    differing,
    flow,
    kinds,
    macro_steps,
)
from proofs.layouts import ORDINARY
from proofs.lemmas import At, Entry, Left, Lemmas, Said
from proofs.machine import BEHIND, fresh_state, memory_of, run, widened
from proofs.machine import Unknown as UnknownPlaces
from proofs.operands import macros_of
from proofs.placements import Unknown, every, some, unknown
from proofs.symbolic import Int, SymbolicWords, as_int, condition_of, unknown_keys
from proofs.theorem import Case, Obligation, Theorem, register
from validator.validate import MAX_SLOTS, Function

Word: TypeAlias = "z3.BitVecRef"


# ---------------------------------------------------------------- the terms of a run


def _at(state: _Flow) -> At:
    pc, since = as_int(state.pc).bits, as_int(state.since).bits
    flags = (state.begun, state.polled, state.borrows)
    known = z3.BoolVal(state.approved is not None)
    return At(pc, condition_of(state.reachable), condition_of(state.resumes), known, since, *map(condition_of, flags))


def _said(kind: Kind, made: Contract) -> Said:
    return Said(
        falls_through=condition_of(made.falls_through),
        resumes_behind=condition_of(made.resumes_behind),
        polls=condition_of(made.polls),
        needs=z3.BoolVal(kind.needs),
        establishes=z3.BoolVal(kind.establishes),
        aligns=condition_of(made.aligns > 1),
        ends=z3.BoolVal(kind.writes_checked or kind.frame is not FrameEffect.SAME),
    )


def _left(before: _Flow, after: _Flow) -> Left:
    approved: object = after.approved
    kept = approved is not None and approved is before.approved
    return Left(z3.BoolVal(kept), z3.BoolVal(approved is ALIGNED), z3.BoolVal(approved is ESTABLISHED))


def _entry(entry: str) -> Entry:
    return Entry(*(z3.BoolVal(entry is kind) for kind in (_NOTHING, _PASSES, _BORROWS, _JOINED)))


# ---------------------------------------------------------------- one macro


def _macro(leave: str) -> Iterator[Obligation]:
    for kind, known in product(kinds(leave), (False, True)):
        u = unknown()
        made = contract(u, kind)
        for step in macro_steps(u, made, known):
            if step.after is not None:
                yield from _of(u, step, _macro_lemmas(kind, made, step.before, step.after))


def _macro_lemmas(kind: Kind, made: Contract, before: _Flow, after: _Flow) -> Lemmas:
    here, there = _at(before), _at(after)
    yield from lemmas.macro(here, _said(kind, made), there, _left(before, after))
    if kind.needs:
        yield "... and is one that covers it", COVERS
    yield from lemmas.shallower(here.pc, Int.fresh("any pc", 0, MAX_SLOTS)[0].bits)
    for target in made.leaves:
        if isinstance(target, Ahead):
            yield from lemmas.jump(here, there, as_int(before.pc + target.distance).bits, PLACES.of, LABELS.of)
        elif isinstance(target, Callee):
            yield from lemmas.call(as_int(before.pc + target.distance).bits, STARTS.of)


def _of(u: Unknown, step: Step, claims: Lemmas) -> Iterator[Obligation]:
    for what, claim in claims:
        yield Obligation(what, step.given, claim, tuple(u.shown))


# ---------------------------------------------------------------- one block


def _block(macros: int, quiet: bool, joined: bool) -> Iterator[Obligation]:
    """A block without macros, or of one that does nothing: how it is entered."""
    for known in (False, True):
        u = unknown()
        block = any_block(u, macros, joined)
        for step in block_steps(u, block, ((Contract(),) * macros, quiet), known):
            if step.after is not None:
                yield from _of(u, step, _block_lemmas(block, step, step.after))
                if not (macros or quiet or joined):
                    yield from _of(u, step, lemmas.begins(_at(step.after)))
                if macros == 0:  # it has used nothing, whatever is noted of the block before
                    (entry,) = step.entries
                    unused = replace(_at(step.after), borrows=z3.BoolVal(False))
                    yield from _of(u, step, lemmas.behind(unused, _entry(entry)))


def _block_lemmas(block: Block, step: Step, after: _Flow) -> Lemmas:
    last, front, pc = _at(step.before), _at(after), as_int(block.pc).bits
    kept = z3.BoolVal(after.approved is step.before.approved)
    yield from lemmas.entered(last, pc, front, kept, LABELS.of(pc), z3.BoolVal(block.joined))
    (entry,) = step.entries
    yield "what was done before has no code and may not be entered", z3.BoolVal(
        (entry is _JOINED) == block.joined and not (block.joined and block.macros)
    )
    passed = z3.BoolVal(entry in (_PASSES, _JOINED))
    yield "an approval of before that is known behind the block is passed on", z3.Implies(front.known, passed)


def _used(leave: str) -> Iterator[Obligation]:
    """A block says so if it uses what an earlier one checked, and if it leaves that to the next one."""
    for kind in kinds(leave):
        u = unknown()
        block, made = any_block(u, 1, False), contract(u, kind)
        for step in block_steps(u, block, ((made,), False), True):
            if step.after is not None:
                (entry,) = step.entries
                yield from _of(u, step, lemmas.behind(_at(step.after), _entry(entry)))


def _joined() -> Iterator[Obligation]:
    """What an earlier block does has no code: a joined block with macros is refused."""
    for quiet, known in product((False, True), repeat=2):
        u = unknown()
        block = any_block(u, 1, True)
        for step in block_steps(u, block, ((Contract(),), quiet), known):
            yield Obligation("refused", step.given, z3.BoolVal(step.after is None), tuple(u.shown))


# ---------------------------------------------------------------- quiet macros


def _quiet() -> Iterator[Obligation]:
    """Blocks of quiet macros are passed over: that is what leading the state through them would do."""
    for kind in kinds():
        for falls, resumes, polls, aligns, known in product((False, True), repeat=5):
            u = unknown()
            flags: dict[str, Any] = {"falls_through": falls, "resumes_behind": resumes, "polls": polls}
            made = contract(u, kind, **flags) if aligns else contract(u, kind, **flags, aligns=1)
            if _may_be_quiet(made):
                yield from _does_nothing(u, made, known)


def _may_be_quiet(made: Contract) -> bool:
    return any(path.returned for path in explore(made.is_quiet, prune=False))


def _does_nothing(u: Unknown, made: Contract, known: bool) -> Iterator[Obligation]:
    quiet = some(*(every(*p.conditions) for p in explore(made.is_quiet, prune=False) if p.returned))
    for step in macro_steps(u, made, known):
        given = (*step.given, quiet, step.was("reachable"))
        if step.after is None:
            yield Obligation("a quiet macro is not refused", given, z3.BoolVal(False), tuple(u.shown))
            continue
        for name, same in differing(step.before, step.after, "begun", "polled"):
            yield Obligation(f"a quiet macro leaves `{name}`", given, same, tuple(u.shown))
    block = any_block(u, 1, False)
    passed = list(block_steps(u, block, ((made,), True), known))
    led = list(block_steps(u, block, ((made,), False), known))
    for one, other in product(passed, led):
        given = (*one.given, *other.given, quiet)
        if one.after is None or other.after is None:
            both = z3.BoolVal(one.after is other.after)
            yield Obligation("a quiet block is refused either way, or not", given, both, tuple(u.shown))
            continue
        for name, same in differing(one.after, other.after, "begun", "polled", "borrows"):
            yield Obligation(f"a quiet block leaves `{name}`", given, same, tuple(u.shown))
        yield Obligation("a quiet block is entered alike", given, z3.BoolVal(one.entries == other.entries))


class _Told(Contract):
    """A contract that is quiet if it is said to be."""

    def is_quiet(self) -> bool:
        return _truth(Fork(z3.Bool(f"macro {self.divisor} is quiet")))


class _Teller:
    """A macro with this contract."""

    def __init__(self, number: int) -> None:
        self.told = _Told(divisor=(1 + number, 8))

    def contract(self) -> Contract:
        return self.told


def _judgement() -> Iterator[Obligation]:
    """A block counts as quiet only if each of its macros is."""
    for length in range(4):
        macros: Any = tuple(_Teller(number) for number in range(length))
        for path in explore(partial(_judged, Block(0, macros), ORDINARY)):
            contracts, quiet = path.returned
            theirs = z3.BoolVal(all(a is b.told for a, b in zip(contracts, macros, strict=True)))
            each = every(*(z3.Bool(f"macro {teller.told.divisor} is quiet") for teller in macros))
            yield Obligation("the contracts are the macros'", path.conditions, theirs)
            yield Obligation("all are quiet", path.conditions, z3.Implies(condition_of(quiet), each))


def _truth(value: Fork) -> bool:
    return bool(value)


# ---------------------------------------------------------------- the start, the end, the entries


def _start() -> Iterator[Obligation]:
    for blocks in range(3):
        for macros in range(3):
            u = unknown()
            function = Function(u.between("start", 0, MAX_SLOTS), u.between("end", 0, MAX_SLOTS))
            made = [Block(u.between(f"pc {i}", 0, MAX_SLOTS), ("any",) * macros) for i in range(blocks)]  # type: ignore[arg-type]
            polls: list[Any] = [Fork(z3.Bool(f"macro {i} polls")) for i in range(macros)]
            judged = [(tuple(Contract(polls=p) for p in polls), False)] * blocks
            accepted = partial(_before, made, judged, function)
            for path in explore(accepted, assuming=tuple(u.given), allowed=(GateRefused,)):
                if path.raised is None:
                    first = condition_of(polls[0]) if polls else z3.BoolVal(False)
                    pc = as_int(made[0].pc) if made else as_int(-1)
                    begin = as_int(function.start).bits
                    claims = (*lemmas.start(pc.bits, begin, first), *lemmas.in_front(_at(path.returned), begin))
                    for what, claim in claims:
                        yield Obligation(what, path.conditions, claim, tuple(u.shown))


def _end() -> Iterator[Obligation]:
    for known in (False, True):
        u = unknown()
        state, function = flow(u, known), Function(0, u.between("end", 0, MAX_SLOTS))
        judge = partial(_check_end, state, function)
        for path in explore(judge, assuming=tuple(u.given), allowed=(GateRefused,)):
            if path.raised is None:
                for what, claim in lemmas.end(_at(state), as_int(function.end).bits):
                    yield Obligation(what, path.conditions, claim, tuple(u.shown))


def _entries(entry: str) -> Iterator[Obligation]:
    """One step of the fold from the back. What it carries shows at a block in front that passes everything on."""
    needed: Any = Fork(z3.Bool("needed behind"))
    for path in explore(lambda: tuple(_enterable((_PASSES, entry), needed))):
        carried, enterable = (condition_of(truth) for truth in path.returned)
        for what, claim in lemmas.needed(_entry(entry), z3.Not(carried), z3.Bool("needed behind"), enterable):
            yield Obligation(what, path.conditions, claim)


# ---------------------------------------------------------------- the whole of it


class _Macro:
    """A macro of which nothing is known but its contract."""

    def __init__(self, made: Contract) -> None:
        self.made = made

    def contract(self) -> Contract:
        return self.made


def _whole(first: str, second: str, shares: bool) -> Iterator[Obligation]:
    """`check` itself, on two blocks of one macro each: that it puts together what the other cases are about."""
    u = unknown()
    function = Function(u.between("start", 0, MAX_SLOTS), u.between("end", 0, MAX_SLOTS))
    kinds = (Kind(False, first, shares, False, FrameEffect.SAME), Kind(shares, second, False, False, FrameEffect.SAME))
    fields = [(u.between(f"field {i}", -DISTANCE_RANGE, DISTANCE_RANGE),) for i in range(2)]
    made = [contract(u, kind, f"{i} ", aligns=1)._replace(fields=fields[i]) for i, kind in enumerate(kinds)]
    macros: list[Any] = [_Macro(one) for one in made]
    blocks = [Block(u.between(f"pc {i}", 0, MAX_SLOTS), (macro,)) for i, macro in enumerate(macros)]
    sets: Any = STARTS
    with unknown_keys():
        judge = partial(check, blocks, function, sets, ORDINARY)
        paths = list(explore(lambda: judge(), assuming=tuple(u.given), allowed=(GateRefused,)))  # noqa: PLW0108
    for path in paths:
        if path.raised is None:
            admitted = path.returned
            given = z3.BoolVal(admitted.blocks == tuple(blocks) and admitted.layout is ORDINARY)
            for what, claim in (("it is what was given", given), *_whole_claims(blocks, made, function, admitted)):
                yield Obligation(what, path.conditions, claim, tuple(u.shown))


def _whole_claims(
    blocks: list[Block], made: list[Contract], function: Function, admitted: Admitted
) -> Iterator[tuple[str, z3.BoolRef]]:
    pcs, end = [as_int(block.pc) for block in blocks], as_int(function.end)
    polls, falls, resumes = (
        [condition_of(getattr(one, name)) for one in made] for name in ("polls", "falls_through", "resumes_behind")
    )
    yield "the start", every(pcs[0] == function.start, polls[0])
    yield "the order", every(pcs[0] < pcs[1], pcs[1] < end)
    yield "the end", z3.Not(z3.Or(falls[1], resumes[1]))
    yield "where the host resumes", z3.Implies(resumes[0], condition_of(pcs[1] == pcs[0] + 1))
    for pc, one, poll in zip(pcs, made, polls, strict=True):
        fits = [every(value >= -(1 << 31), value < 1 << 31) for value in one.fields]
        yield "each macro by itself", every(*fits)
        for to in (as_int(pc + target.distance) for target in one.leaves if isinstance(target, Ahead)):
            yield "jumps", every(some(to == pcs[0], to == pcs[1]), some(to > pc, poll))
        for to in (as_int(pc + target.distance) for target in one.leaves if isinstance(target, Callee)):
            yield "calls", STARTS.of(to.bits)
    needs = any(isinstance(touch, ApprovedBytes) for touch in made[1].touches)
    yield "where the host may enter", z3.BoolVal(admitted.enterable == (True, not needs))


# ---------------------------------------------------------------- polls


_FUEL = z3.BitVec("fuel", 32)


_FUEL_RANGE = z3.BitVecVal(-(1 << 31), 32) < _FUEL  # what is negative leaves at once: nobody counts down so far


def _polls() -> Iterator[Obligation]:
    """Behind a macro that is said to poll the fuel is not negative: with none left the guest is at the host."""
    for macro, unknowns in (pair for kind in MACROS for pair in macros_of(kind) if pair[0].contract().polls):
        for path in explore(lambda: _run(macro), assuming=(_FUEL_RANGE, *unknowns.assumptions)):  # noqa: B023
            left, fuel = path.returned
            if left == BEHIND:
                counted = z3.Or(fuel == widened(_FUEL), fuel == widened(_FUEL - 1))
                passed = z3.And(_FUEL >= 0, z3.Extract(31, 0, fuel) >= 0, counted)
                yield Obligation(f"{macro}: goes on with fuel", path.conditions, passed, (("fuel", _FUEL),))
            else:
                preempted = z3.BoolVal(left == Leave(Exit.PREEMPTED))
                yield Obligation(f"{macro}: is preempted without", path.conditions, preempted, (("fuel", _FUEL),))


def _run(macro: Macro) -> tuple[object, Word]:
    state = fresh_state({}, z3.BitVec("base", 64))
    memory_of(state).context[FUEL, 4] = widened(_FUEL)
    left = run(SymbolicWords(), macro.expand(ORDINARY), state, UnknownPlaces(Int.fresh("pc", 0, MAX_SLOTS)[0]))
    return left, memory_of(state).context[FUEL, 4]


# ---------------------------------------------------------------- registration


def _cases() -> Iterator[Case]:
    for leave in LEAVES:
        yield Case(f"a macro that {leave}", partial(_macro, leave))
        yield Case(f"a block whose macro {leave}", partial(_used, leave))
    for macros, quiet, joined in product((0, 1), (False, True), (False, True)):
        name = f"a block with {macros} macros, {'quiet' if quiet else 'led through'}, {'joined' if joined else 'alone'}"
        if not (joined and macros):
            yield Case(name, partial(_block, macros, quiet, joined))
    yield Case("joined blocks with macros", _joined)
    yield Case("how a block is judged", _judgement)
    yield Case("quiet macros and blocks", _quiet)
    yield Case("the start", _start)
    yield Case("the end", _end)
    for entry in (_NOTHING, _PASSES, _BORROWS, _JOINED):
        yield Case(f"a block that {entry}", partial(_entries, entry))
    yield Case("macros that poll", _polls)
    for first, second, shares in product((STAYS, JUMPS), (STAYS, JUMPS, CALLS), (False, True)):
        name = f"two blocks: one {first}, one {second}, {'one' if shares else 'no'} check"
        if not (shares and second == JUMPS):  # to where nothing is approved, so none is admitted
            yield Case(name, partial(_whole, first, second, shares))


def _assumptions() -> Iterator[tuple[str, tuple[z3.BoolRef, ...]]]:
    yield "fuel", (_FUEL_RANGE,)
    u = unknown()
    flow(u, True)
    yield "a state", tuple(u.given)


register(
    Theorem(
        id="gate.preempt",
        statement=(
            "every cycle of macros that the gate admits passes a poll: an edge without one leads on in its function or "
            "back to a caller, calls go to starts of functions, which poll; and the host may enter only where nothing "
            "that was checked before is used"
        ),
        ranges_over=(
            "any block and any macro of a list of any length, in every state of the gate's fold; any contract, with "
            "distances within 2^48; any sets of places, labels and function starts"
        ),
        assumes=("pcs are those of a program of at most 2^18 slots", "the fuel is not the least 32-bit number"),
        depends=("jit.check", "jit.macros", "jit.context", "jit.x86", "simulator.x86", "simulator.machine"),
        cases=_cases,
        assumptions=_assumptions,
    )
)
