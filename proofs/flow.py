"""The step of the gate's fold over blocks and macros, in any state: `jit.check._fold` and `_through` on unknowns.

Input: the kind of a macro's contract, one of `contracts()`, or of a block. Output: every way through the shipped
function, from a state about which nothing is assumed. Sets of pcs are predicates of which nothing is known; an approval
is a thing that covers what is needed, or does not. Names no macro. Trusted by gate.preempt and gate.compose.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, fields
from functools import partial
from itertools import product
from typing import Any, TypeAlias

import z3

from jit.check import GateRefused, Judged, _Flow, _fold, _Targets, _through
from jit.context import Exit
from jit.lower import Block
from jit.macros import Contract
from jit.macros.contract import Approved, ApprovedBytes, ContextBytes, FrameEffect
from jit.registers import CHECKED
from jit.x86 import Ahead, Callee, Leave, Stub
from proofs.executor import Fork, explore
from proofs.placements import Unknown
from proofs.symbolic import INT_BITS, Int, as_int, condition_of
from proofs.values import Values
from validator.validate import MAX_SLOTS

Truth: TypeAlias = "z3.BoolRef"
Word: TypeAlias = "z3.BitVecRef"
DISTANCE_RANGE = 1 << 48  # of jumps and calls; the instruction's fields are 32 bits


class Pcs:
    """A set of pcs of which nothing is known but that equal pcs are in it together."""

    def __init__(self, name: str) -> None:
        self._has = z3.Function(name, z3.BitVecSort(INT_BITS), z3.BoolSort())

    def of(self, pc: Word) -> Truth:
        return self._has(pc)

    def __contains__(self, pc: object) -> bool:
        assert isinstance(pc, int | Int)
        return bool(Fork(self.of(as_int(pc).bits)))

    def plain(self, values: Values) -> Pcs:
        """It forks on known pcs, too, as the numbers say."""
        return self


PLACES, LABELS, STARTS = Pcs("is a block"), Pcs("is a label"), Pcs("is a function's start")
COVERS = z3.Bool("the approval covers what is needed")


class AnyApproval:
    """An approval about which nothing is known."""

    def covers(self, needed: Approved) -> bool:
        return bool(Fork(COVERS))

    def _replace(self, aligned: object) -> AnyApproval:
        return ALIGNED


KNOWN, ESTABLISHED, ALIGNED = AnyApproval(), AnyApproval(), AnyApproval()
NEEDED = Approved(0, 8, False)


def targets() -> _Targets:
    sets: Any = (PLACES, LABELS, STARTS)
    return _Targets(*sets)


# ---------------------------------------------------------------- any contract


@dataclass(frozen=True, slots=True)
class Kind:
    """What the fold asks of a contract; flags and numbers are unknown. `leave`: a jump, a call, or another way out."""

    needs: bool  # approved bytes
    leave: str
    establishes: bool
    writes_checked: bool
    frame: FrameEffect


STAYS, JUMPS, CALLS, TO_HOST, FINISHES = "stays", "jumps", "calls", "may go to the host", "finishes"
LEAVES = (STAYS, JUMPS, CALLS, TO_HOST, FINISHES)


def kinds(*leaves: str) -> Iterator[Kind]:
    """All kinds, or those that leave so."""
    for leave, frame in product(leaves or LEAVES, FrameEffect):
        for needs, establishes, writes in product((False, True), repeat=3):
            yield Kind(needs, leave, establishes, writes, frame)


def contract(u: Unknown, kind: Kind, name: str = "", **flags: Any) -> Contract:  # noqa: ANN401 - truths, known or not
    """Any contract of this kind. A macro that needs approved bytes may touch others before and behind them."""
    distance = u.between(f"{name}distance", -DISTANCE_RANGE, DISTANCE_RANGE)
    leaves: dict[str, Any] = {
        STAYS: (),
        JUMPS: (Leave(Exit.INTERPRET), Ahead(distance)),
        CALLS: (Leave(Exit.INTERPRET), Callee(distance)),
        TO_HOST: (Leave(Exit.INTERPRET), Leave(Exit.PREEMPTED)),
        FINISHES: (Stub(Exit.FINISHED),),
    }
    other = ContextBytes(-8, 4, write=False)
    approval: Any = ESTABLISHED if kind.establishes else None
    return Contract(
        writes=(CHECKED,) if kind.writes_checked else (),
        touches=(other, ApprovedBytes(NEEDED), other) if kind.needs else (other,),
        leaves=leaves[kind.leave],
        falls_through=flags.get("falls_through", Fork(z3.Bool(f"{name}falls through"))),
        resumes_behind=flags.get("resumes_behind", Fork(z3.Bool(f"{name}is resumed behind"))),
        polls=flags.get("polls", Fork(z3.Bool(f"{name}polls"))),
        establishes=approval,
        aligns=flags["aligns"] if "aligns" in flags else u.between(f"{name}aligns", 1, 8),
        frame=kind.frame,
    )


# ---------------------------------------------------------------- any state


def flow(u: Unknown, known: bool) -> _Flow:
    """Any state in front of a macro; with an approval or without. Its check was in this block or an earlier one."""
    approval: Any = KNOWN if known else None
    truths: list[Any] = [Fork(z3.Bool(name)) for name in ("reachable", "resumes", "begun", "polled", "borrows")]
    reachable, resumes, begun, polled, borrows = truths
    pc, since = u.between("pc", -1, MAX_SLOTS), u.between("since", -1, MAX_SLOTS)
    state = _Flow(pc, reachable, resumes, approval, since, begun, polled, borrows)
    u.given.append(since_is_past(state))
    return state


def since_is_past(state: _Flow) -> Truth:
    return condition_of(as_int(state.since) <= state.pc)


@dataclass(frozen=True, slots=True)
class Step:
    """One way of one step. `after` is None where the gate refuses."""

    before: _Flow
    after: _Flow | None
    given: tuple[Truth, ...]
    entries: tuple[str, ...] = ()

    def was(self, name: str) -> Truth:
        return condition_of(getattr(self.before, name))

    def became(self, name: str) -> Truth:
        return condition_of(getattr(self.after, name))


def macro_steps(u: Unknown, made: Contract, known: bool) -> Iterator[Step]:
    """`_through` of one macro with this contract, from any state within its block."""
    before = flow(u, known)
    run = partial(_macro_behind, before, made, targets())
    for path in explore(run, assuming=tuple(u.given), allowed=(GateRefused,), prune=False):
        yield Step(before, path.returned if path.raised is None else None, path.conditions)


def _macro_behind(before: _Flow, made: Contract, sets: _Targets) -> _Flow:
    after = copy(before)
    _through(after, (_ANY_MACRO,), (made,), sets)
    return after


def block_steps(u: Unknown, block: Block, judged: Judged, known: bool) -> Iterator[Step]:
    """`_fold` of one block, from any state behind the one before."""
    before = flow(u, known)
    run = partial(_block_behind, before, block, judged, targets())
    for path in explore(run, assuming=tuple(u.given), allowed=(GateRefused,), prune=False):
        if path.raised is not None:
            yield Step(before, None, path.conditions)
        else:
            after, entries = path.returned
            yield Step(before, after, path.conditions, entries)


def _block_behind(before: _Flow, block: Block, judged: Judged, sets: _Targets) -> tuple[_Flow, tuple[str, ...]]:
    after = copy(before)
    return after, tuple(_fold(after, (block,), (judged,), sets))


_ANY_MACRO: Any = "any macro"  # the fold names it in refusals, nothing else


def any_block(u: Unknown, macros: int, joined: bool) -> Block:
    pc = u.between("next pc", 0, MAX_SLOTS)
    return Block(pc, (_ANY_MACRO,) * macros, joined)


def differing(a: _Flow, b: _Flow, *ignored: str) -> Iterator[tuple[str, Truth]]:
    """Field by field, that two states are the same."""
    for name in (field.name for field in fields(_Flow) if field.name not in ignored):
        x, y = getattr(a, name), getattr(b, name)
        if isinstance(x, bool | Fork):
            yield name, condition_of(x) == condition_of(y)
        elif isinstance(x, int | Int):
            yield name, condition_of(as_int(x) == as_int(y))
        else:
            yield name, z3.BoolVal(x is y)
