"""gate.preempt: every cycle of what the gate admits passes a poll.

The gate is a fold (`jit.check._fold`, `_through`): what it accepts of a list is what it accepts of each block and
macro, one after the other, each in the state that the one before left. So the theorem runs the shipped functions on one
unknown block, and on one unknown macro, in every state. What it shows of one step holds of every step; the ranking is
then an argument about edges (docs/proofs/compose.md, "Polls").
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any, TypeAlias

import z3

from jit.check import (
    _BORROWS,
    _JOINED,
    _NOTHING,
    _PASSES,
    GateRefused,
    Judged,
    _before,
    _check_end,
    _enterable,
    _judged,
)
from jit.context import FUEL, Exit
from jit.lower import Block
from jit.macros import MACROS, Contract, Macro
from jit.macros.contract import FrameEffect
from jit.x86 import Ahead, Callee, Leave
from proofs.executor import Fork, explore
from proofs.flow import (
    ALIGNED,
    COVERS,
    ESTABLISHED,
    KNOWN,
    LABELS,
    LEAVES,
    PLACES,
    STARTS,
    Kind,
    Step,
    any_block,
    block_steps,
    contract,
    differing,
    flow,
    kinds,
    macro_steps,
    since_is_past,
)
from proofs.layouts import LAYOUTS
from proofs.machine import BEHIND, Left, fresh_state, memory_of, run, widened
from proofs.machine import Unknown as UnknownPlaces
from proofs.operands import macros_of
from proofs.placements import Unknown, every, some, unknown
from proofs.symbolic import Int, SymbolicWords, as_int, condition_of
from proofs.theorem import Case, Obligation, Theorem, register
from validator.validate import MAX_SLOTS, Function

Claims = Iterator[tuple[str, z3.BoolRef]]
Word: TypeAlias = "z3.BitVecRef"


# ---------------------------------------------------------------- the ranking


def rank(depth: Word, pc: Int, place: Word) -> Word:
    """Falls along every edge that passes no poll: shallower, or else further in the function, or else in the block."""
    return z3.Concat(depth, ~pc.word(32), ~place)


_DEPTH, _PLACE = z3.BitVec("depth", 32), z3.BitVec("place in the block", 32)
_IN_RANGE = z3.And(z3.UGT(_DEPTH, 0), z3.ULT(_PLACE, 1 << 31))


def _falls(pc: Int, to: tuple[Word, Int, Word]) -> z3.BoolRef:
    """The rank falls from any place of the block at `pc`, at any depth, if both are pcs of a program."""
    programs = z3.And(condition_of(pc >= 0), condition_of(to[1] <= MAX_SLOTS), _IN_RANGE)
    return z3.Implies(programs, z3.ULT(rank(*to), rank(_DEPTH, pc, _PLACE)))


_FIRST = z3.BitVecVal(0, 32)


# ---------------------------------------------------------------- one macro


def _macro(leave: str) -> Iterator[Obligation]:
    for kind, known in product(kinds(leave), (False, True)):
        u = unknown()
        made = contract(u, kind)
        for step in macro_steps(u, made, known):
            if step.after is None:
                continue
            for what, claim in (*_flow_claims(made, step), *_approval_claims(kind, made, step)):
                yield Obligation(what, step.given, claim, tuple(u.shown))


def _flow_claims(made: Contract, step: Step) -> Claims:
    """Where control may go, and that what the state says of the macro behind is so."""
    before, after = step.before, step.after
    assert after is not None
    polls, pc = condition_of(made.polls), as_int(before.pc)
    yield "control comes from the macro before only", step.was("reachable")
    yield "a poll is a block's first macro", z3.Implies(polls, z3.Not(step.was("begun")))
    first = z3.If(step.was("begun"), step.was("polled"), polls)
    yield "it is noted whether the block's first macro polls", step.became("polled") == first
    yield "the block has begun", step.became("begun")
    yield "control goes on behind it only if it falls through", step.became("reachable") == condition_of(
        made.falls_through
    )
    behind = z3.Or(step.was("resumes"), condition_of(made.resumes_behind))
    yield "it is noted whether the host goes on behind", step.became("resumes") == behind
    yield "it is the same block", condition_of(as_int(after.pc) == pc)
    yield "the check was this block's or an earlier one's", since_is_past(after)
    yield "the next macro of the block is further on", _falls(pc, (_DEPTH, pc, _PLACE + 1))
    yield "a return is shallower", _falls(pc, (_DEPTH - 1, Int.fresh("any pc", 0, MAX_SLOTS)[0], _FIRST))
    for target in made.leaves:
        if isinstance(target, Ahead):
            to = as_int(pc + target.distance)
            yield "a jump goes to a block of this function", PLACES.has(to)
            yield "... which is known as a label", LABELS.has(to)
            forward = z3.And(condition_of(to > pc), _falls(pc, (_DEPTH, to, _FIRST)))
            yield "... and is further on, or the block begins with a poll", z3.Or(step.became("polled"), forward)
        elif isinstance(target, Callee):
            yield "a call goes to a function's start", STARTS.has(as_int(pc + target.distance))


def _approval_claims(kind: Kind, made: Contract, step: Step) -> Claims:
    """What CHECKED is approved for behind the macro, and where the host may not enter because of it."""
    before, after = step.before, step.after
    assert after is not None
    own = condition_of(as_int(before.since) == as_int(before.pc))
    aligns = condition_of(made.aligns > 1)
    known: object = before.approved
    if kind.needs:
        yield "an approval covers what it needs", z3.And(COVERS, z3.BoolVal(known is KNOWN))
        yield "... it is the block's own, or known to be used", z3.Or(own, step.became("borrows"))
    yield "what was used stays known", z3.Implies(step.was("borrows"), step.became("borrows"))
    yield "alignment is of the block's own approval", z3.Implies(aligns, z3.And(own, z3.BoolVal(known is KNOWN)))
    left: object = after.approved
    if left is ESTABLISHED:
        yield "a new approval is the macro's, from here on", z3.And(
            z3.BoolVal(kind.establishes), condition_of(as_int(after.since) == as_int(before.pc))
        )
    elif left is ALIGNED:
        yield "an aligned approval was checked for it", z3.And(aligns, own)
    elif left is not None:
        kept = not kind.writes_checked and kind.frame is FrameEffect.SAME and not kind.establishes
        same = condition_of(as_int(after.since) == as_int(before.since))
        polls = condition_of(made.polls)
        yield "an approval stays where nothing ends it", z3.And(z3.BoolVal(kept and left is known), same, z3.Not(polls))


# ---------------------------------------------------------------- one block


def _block(macros: int, quiet: bool, joined: bool) -> Iterator[Obligation]:
    """A block without macros, or of quiet ones, or of one macro that does nothing: how it is entered."""
    for known in (False, True):
        u = unknown()
        block = any_block(u, macros, joined)
        judged = Judged((Contract(),) * macros, quiet)
        for step in block_steps(u, block, judged, known):
            if step.after is None:
                continue
            for what, claim in _block_claims(block, step):
                yield Obligation(what, step.given, claim, tuple(u.shown))
            if not (macros or quiet or joined):
                begun = z3.Or(*(step.became(name) for name in ("begun", "polled", "borrows")))
                yield Obligation("in front of its first macro it has done nothing", step.given, z3.Not(begun))


def _block_claims(block: Block, step: Step) -> Claims:
    before, after = step.before, step.after
    assert after is not None
    last, pc = as_int(before.pc), as_int(block.pc)
    yield "the next block is further on", _falls(last, (_DEPTH, pc, _FIRST))
    yield "pcs increase", condition_of(pc > last)
    yield "the block's pc is noted", condition_of(as_int(after.pc) == pc)
    yield "the check was an earlier block's", z3.And(since_is_past(after), condition_of(as_int(after.since) < pc))
    resumed = z3.Implies(step.was("resumes"), condition_of(pc == last + 1))
    yield "where the host resumes there is a block", z3.And(resumed, z3.Not(step.became("resumes")))
    yield "control falls through its nothing", step.became("reachable")
    from_elsewhere = z3.Or(LABELS.has(pc), z3.Not(step.was("reachable")))
    ended = z3.BoolVal(after.approved is None)
    kept = z3.And(z3.BoolVal(after.approved is before.approved), condition_of(as_int(after.since) == before.since))
    yield "who comes from elsewhere knows no approval", z3.Implies(from_elsewhere, ended)
    yield "who comes from the block before knows what was known there, or nothing", z3.Or(ended, kept)
    if block.joined:
        yield "what an earlier block does has no code", z3.BoolVal(not block.macros)
        yield "... and is reached from the block before only", z3.Not(from_elsewhere)
    (entry,) = step.entries
    yield "what was done before may not be entered", z3.BoolVal((entry is _JOINED) == block.joined)
    passes = z3.Or(ended, z3.BoolVal(entry in (_PASSES, _JOINED)))
    yield "an approval of before that is known behind the block is passed on", passes


def _used(leave: str) -> Iterator[Obligation]:
    """A block says so if it uses what an earlier one checked, and if it leaves that to the next one."""
    for kind in kinds(leave):
        u = unknown()
        block, made = any_block(u, 1, False), contract(u, kind)
        for step in block_steps(u, block, Judged((made,), False), True):
            if step.after is None:
                continue
            for what, claim in _used_claims(kind, made, step):
                yield Obligation(what, step.given, claim, tuple(u.shown))


def _used_claims(kind: Kind, made: Contract, step: Step) -> Claims:
    after, (entry,) = step.after, step.entries
    assert after is not None
    pc = as_int(after.pc)
    if kind.needs:
        yield "a block says that it uses what an earlier one checked", z3.BoolVal(entry is _BORROWS)
    ended = z3.Or(z3.BoolVal(after.approved is None), condition_of(as_int(after.since) == pc))
    yield "a block says that it leaves an approval to the next", z3.Or(ended, z3.BoolVal(entry is not _NOTHING))
    polls = condition_of(made.polls)
    yield "a block that begins with a poll may be entered", z3.Implies(polls, z3.BoolVal(entry is _NOTHING))


def _joined() -> Iterator[Obligation]:
    """What an earlier block does has no code: a joined block with macros is refused."""
    for quiet, known in product((False, True), repeat=2):
        u = unknown()
        block = any_block(u, 1, True)
        for step in block_steps(u, block, Judged((Contract(),), quiet), known):
            yield Obligation("refused", step.given, z3.BoolVal(step.after is None), tuple(u.shown))


# ---------------------------------------------------------------- quiet macros


def _quiet() -> Iterator[Obligation]:
    """Blocks of quiet macros are passed over: that is what leading the state through them would do."""
    for kind in kinds():
        for falls, resumes, polls, aligns, known in product((False, True), repeat=5):
            u = unknown()
            flags = {"falls_through": falls, "resumes_behind": resumes, "polls": polls}
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
    passed = list(block_steps(u, block, Judged((made,), True), known))
    led = list(block_steps(u, block, Judged((made,), False), known))
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
        for path in explore(partial(_judged, Block(0, macros), LAYOUTS[0])):
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
            judged = [Judged(tuple(Contract(polls=p) for p in polls), False)] * blocks
            accepted = partial(_before, made, judged, function)
            for path in explore(accepted, assuming=tuple(u.given), allowed=(GateRefused,)):
                if path.raised is None:
                    starts = condition_of(as_int(made[0].pc) == function.start) if made else z3.BoolVal(False)
                    first = condition_of(polls[0]) if polls else z3.BoolVal(False)
                    yield Obligation("the first block is the function's start", path.conditions, starts)
                    yield Obligation("its first macro polls", path.conditions, first, tuple(u.shown))
                    state = path.returned
                    known = state.reachable or state.resumes or state.approved is not None
                    in_front = z3.And(condition_of(as_int(state.pc) < function.start), since_is_past(state))
                    yield Obligation("nothing is known in front of it", path.conditions, z3.BoolVal(not known))
                    yield Obligation("the fold begins in front of it", path.conditions, in_front, tuple(u.shown))


def _end() -> Iterator[Obligation]:
    for known in (False, True):
        u = unknown()
        state, function = flow(u, known), Function(0, u.between("end", 0, MAX_SLOTS))
        judge = partial(_check_end, state, function)
        for path in explore(judge, assuming=tuple(u.given), allowed=(GateRefused,)):
            if path.raised is None:
                falls_off = z3.Or(condition_of(state.reachable), condition_of(state.resumes))
                yield Obligation("nothing goes on behind the last block", path.conditions, z3.Not(falls_off))
                inside = condition_of(as_int(state.pc) < function.end)
                yield Obligation("the last block is the function's", path.conditions, inside, tuple(u.shown))


def _entries(entry: str) -> Iterator[Obligation]:
    """One step of the fold from the back. What it carries shows at a block in front that passes everything on."""
    needed: Any = Fork(z3.Bool("needed behind"))
    for path in explore(lambda: tuple(_enterable((_PASSES, entry), needed))):
        carried, enterable = (condition_of(truth) for truth in path.returned)
        behind = z3.And(z3.Bool("needed behind"), z3.BoolVal(entry is not _NOTHING))
        needs = z3.Or(z3.BoolVal(entry is _BORROWS), behind)
        yield Obligation("who passes on needs what the next needs", path.conditions, carried == z3.Not(needs))
        may = z3.And(z3.Not(needs), z3.BoolVal(entry is not _JOINED))
        yield Obligation("the host may enter where nothing is needed", path.conditions, enterable == may)


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


def _run(macro: Macro) -> tuple[Left, Word]:
    state = fresh_state({}, z3.BitVec("base", 64))
    memory_of(state).context[FUEL, 4] = widened(_FUEL)
    left = run(SymbolicWords(), macro.expand(LAYOUTS[0]), state, UnknownPlaces(Int.fresh("pc", 0, MAX_SLOTS)[0]))
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
