"""The gate: macros that it admits are safe to expand, whoever chose them.

Input: the blocks of one function, as `lower` or anyone else made them. Output: `Admitted`, which only this module
makes and which is all that `jit.expand` accepts. Decides, in this order: every macro on its own (operands, the
window of a frame access, fields, the layout's regions), then in program order the abstract state (what CHECKED is
known to hold), polls, labels and how control may go on. Trusts contracts, which the theorems gate.* prove of the
expansions; knows no macro by name. A refusal is our bug, never a guest's: `GateRefused` is loud.

The abstract state is one fact: what the register CHECKED is approved for. rbp is the cage base and r10's register is
the frame's end everywhere, because nothing that writes them is admitted. At a branch target, behind a poll or a call
nothing is known: so the state needs no fixpoint, and wherever a guest can be suspended it can be entered again.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from dataclasses import InitVar, dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from jit.layout import CLAMP_ROOM, Layout, Region, flat_regions
from jit.lower import Block
from jit.macros import Contract, Macro
from jit.macros.contract import Approved, ApprovedBytes, FrameBytes, FrameEffect, Probe
from jit.registers import CHECKED, FRAME, GUEST, SCRATCH, Reg
from jit.x86 import Ahead, Callee
from validator.validate import Function


class GateRefused(Exception):
    """The gate refuses a block: pc, the macro, and what its contract lacks."""

    def __init__(self, reason: str, pc: int, macro: Macro | None = None) -> None:
        self.reason, self.pc, self.macro = reason, pc, macro
        super().__init__(f"pc {pc}: {macro if macro is not None else 'block'}: {reason}")


@dataclass(frozen=True, slots=True)
class _Key:
    """Makes `Admitted` this module's alone."""


_KEY = _Key()


@dataclass(frozen=True, slots=True)
class Admitted:
    """Blocks that passed the gate for this layout.

    `enterable[i]` tells whether the host may enter at the i-th block: not between a check and its last use.
    """

    blocks: tuple[Block, ...]
    layout: Layout
    enterable: tuple[bool, ...]
    key: InitVar[_Key]  # not kept: `dataclasses.replace` must not be a way around the gate

    def __post_init__(self, key: _Key) -> None:
        if key is not _KEY:
            raise TypeError("only jit.check admits blocks")


# The contracts of a block's macros, which pass the local checks; and whether all of them are quiet.
Judged = tuple[tuple[Contract, ...], bool]
Memo = MutableMapping[tuple[Macro, ...], Judged]


def check(
    blocks: Sequence[Block],
    function: Function,
    function_starts: frozenset[int],
    layout: Layout,
    memo: Memo | None = None,
) -> Admitted:
    """`blocks` as admitted. Raises GateRefused.

    `memo` may be kept across functions with the same layout: it holds what passed the local checks.
    """
    memo = {} if memo is None else memo
    known = memo.get
    judgements: list[Judged] = []
    for block in blocks:
        macros = block.macros
        judged = known(macros)
        if judged is None:
            judged = memo[macros] = _judged(block, layout)
        judgements.append(judged)
    enterable = _check_flow(blocks, judgements, function, function_starts)
    return Admitted(tuple(blocks), layout, enterable, _KEY)


def _judged(block: Block, layout: Layout) -> Judged:
    """The local checks of every macro of `block`. Raises GateRefused."""
    contracts: list[Contract] = []
    quiet = True
    for macro in block.macros:
        contract = macro.contract()
        reason = local_refusal(contract, layout)
        if reason is not None:
            raise GateRefused(reason, block.pc, macro)
        quiet = quiet and contract.is_quiet()
        contracts.append(contract)
    return tuple(contracts), quiet


# ---------------------------------------------------------------- one macro


def local_refusal(contract: Contract, layout: Layout) -> str | None:
    """Why no state admits a macro with this contract under this layout, or None."""
    reads, writes, touches, probes, fields, divisor = contract[:6]
    if not _MAY_READ.issuperset(reads):
        return f"reads {_first(reads, _MAY_READ).name}, which is not a guest register"
    if not _MAY_WRITE.issuperset(writes):
        return f"writes {_first(writes, _MAY_WRITE).name}"
    if not (fields or touches or probes or divisor):
        return None  # as most, who do what they do to registers
    for value in fields:
        if not -0x8000_0000 <= value <= 0x7FFF_FFFF:
            return f"{value} does not fit a signed 32-bit field"
    if divisor is not None and not 0 < divisor[0] <= divisor[1]:
        return f"divides by {divisor[0]}, where the processor may fault"
    for touch in touches:
        if isinstance(touch, FrameBytes):
            reason = _frame_refusal(touch, layout)
            if reason is not None:
                return reason
    for probe in probes:
        reason = _probe_refusal(probe, layout)
        if reason is not None:
            return reason
    for probe, following in pairwise(probes):
        if _ORDER[probe.region] >= _ORDER[following.region]:
            return "checks regions twice, or in another order than they are always checked in"
    return None


def _first(registers: tuple[Reg, ...], allowed: frozenset[Reg]) -> Reg:
    """The first register that is not allowed."""
    return next(register for register in registers if register not in allowed)


_READ_ONLY: Final = Region.READ_ONLY
_STACK: Final = Region.STACK
# one order is enough for `lower`, and leaves a sixth of the choices to prove
_ORDER: Final = {region: place for place, region in enumerate((*flat_regions(write=False), _STACK))}
_MAY_READ: Final = frozenset(GUEST)
_MAY_WRITE: Final = frozenset((*GUEST, *SCRATCH)) - {FRAME}


def _frame_refusal(touch: FrameBytes, layout: Layout) -> str | None:
    if not (touch.size > 0 and -layout.frame_bytes <= touch.disp <= -touch.size):
        return f"touches {touch.size} bytes at r10{touch.disp:+d}, outside the frame of {layout.frame_bytes} bytes"
    if touch.disp % touch.aligned:
        return f"touches {touch.size} bytes at r10{touch.disp:+d}, not aligned to {touch.aligned}"
    return None


def _probe_refusal(probe: Probe, layout: Layout) -> str | None:
    if probe.region is _READ_ONLY and probe.write:
        return "approves stores to read-only data"
    if probe.flat and probe.region is _STACK:
        return "checks the stack as if it had no gaps"
    span = layout.span(probe.region)
    if probe.low is not None and probe.low != span.low:
        return f"counts from {probe.low:#x}, the region starts at {span.low:#x}"
    limit = layout.frame_bytes if probe.region is _STACK else span.size
    if probe.size > CLAMP_ROOM:
        return f"checks {probe.size} bytes at once, of which the last might lie behind the slot's spare {CLAMP_ROOM}"
    if not 0 < probe.size <= limit:
        return f"checks {probe.size} bytes against a region ({probe.region.value}) of {limit}"
    return None


# ---------------------------------------------------------------- the order of macros


@dataclass(slots=True)
class _Flow:
    """What is known in front of a macro: all that `_fold` and `_through` carry from one block or macro to the next.

    So one block or macro, in any state, is the step of an induction over all of them: theorem gate.preempt.
    """

    pc: int = -1  # of the block that was begun last
    reachable: bool = False  # control can come from the macro before
    resumes: bool = False  # the host will go on at the next pc
    approved: Approved | None = None  # what CHECKED is approved for
    since: int = -1  # the pc of the block whose check that was
    # of the block itself
    begun: bool = False
    polled: bool = False  # its first macro is a poll
    borrows: bool = False  # it used what another block's check approved


class _Targets(NamedTuple):
    """Where control may go. `labels` is believed only as far as every jump is looked up in it."""

    places: frozenset[int]  # the pcs of the function's blocks
    labels: frozenset[int]  # the pcs at which control may arrive other than from the block before
    function_starts: frozenset[int]


def _check_flow(
    blocks: Sequence[Block], judgements: Sequence[Judged], function: Function, function_starts: frozenset[int]
) -> tuple[bool, ...]:
    flow = _before(blocks, judgements, function)
    places = frozenset([block.pc for block in blocks])
    entries = _fold(flow, blocks, judgements, _Targets(places, _labels(blocks, judgements), function_starts))
    _check_end(flow, function)
    if _BORROWS in entries or _JOINED in entries:
        return tuple(_enterable(entries, False))
    return (True,) * len(entries)


def _before(blocks: Sequence[Block], judgements: Sequence[Judged], function: Function) -> _Flow:
    """What is known in front of the first block. Raises GateRefused."""
    if not blocks or blocks[0].pc != function.start:
        raise GateRefused("the blocks do not start at the function's start", function.start)
    contracts, _ = judgements[0]
    if not contracts or not contracts[0].polls:
        raise GateRefused("the function's start has no poll", function.start)
    return _Flow(function.start - 1)


def _labels(blocks: Sequence[Block], judgements: Sequence[Judged]) -> frozenset[int]:
    """The pcs that some macro jumps to."""
    return frozenset(
        [
            block.pc + target.distance
            for block, (contracts, quiet) in zip(blocks, judgements, strict=True)
            if not quiet
            for contract in contracts
            for target in contract.leaves
            if isinstance(target, Ahead)
        ]
    )


# what a block does with the approval that it is entered with
_NOTHING, _PASSES, _BORROWS, _JOINED = "has none, or ends it", "leaves it to the next", "uses it", "has no own code"

_NOT_JOINED: Final = "is part of an earlier block, yet has code or can be reached"


def _fold(flow: _Flow, blocks: Sequence[Block], judgements: Sequence[Judged], targets: _Targets) -> list[str]:
    """Leads `flow` through the blocks. What each does with the approval that it is entered with. Raises GateRefused."""
    entries: list[str] = []
    labels = targets.labels
    for (pc, macros, joined), (contracts, quiet) in zip(blocks, judgements, strict=True):
        if pc <= flow.pc:  # with that, an edge that goes back in the order of blocks goes back in pcs, and is polled
            raise GateRefused("the blocks are not in the order of their pcs", pc)
        if flow.resumes:
            if pc != flow.pc + 1:
                raise GateRefused(f"the host would resume at pc {flow.pc + 1}, which has no block", flow.pc)
            flow.resumes = False
        flow.pc = pc
        if pc in labels or not flow.reachable:
            flow.approved = None
            if joined:
                raise GateRefused(_NOT_JOINED, pc)
        flow.reachable = True
        if joined:
            if macros:
                raise GateRefused(_NOT_JOINED, pc)
            entries.append(_JOINED)
        elif quiet:
            entries.append(_NOTHING if flow.approved is None else _PASSES)
        else:
            flow.begun = flow.polled = flow.borrows = False
            _through(flow, macros, contracts, targets)
            if flow.borrows:
                entries.append(_BORROWS)
            else:
                entries.append(_NOTHING if flow.approved is None or flow.since == pc else _PASSES)
    return entries


def _through(
    flow: _Flow, macros: tuple[Macro, ...], contracts: tuple[Contract, ...], targets: _Targets
) -> None:
    """Leads `flow` through macros of the block at `flow.pc`. Raises GateRefused."""
    for macro, contract in zip(macros, contracts, strict=True):
        if not flow.reachable:
            raise GateRefused("follows a macro that does not fall through", flow.pc, macro)
        if flow.begun:
            if contract.polls:
                raise GateRefused("a poll that is not the first macro of its instruction", flow.pc, macro)
        else:
            flow.begun, flow.polled = True, contract.polls
        _step(flow, macro, contract)
        for target in contract.leaves:
            if isinstance(target, Ahead):
                _check_jump(flow, target, targets, macro)
            elif isinstance(target, Callee) and flow.pc + target.distance not in targets.function_starts:
                raise GateRefused("calls what is not the start of a function", flow.pc, macro)
        flow.reachable = contract.falls_through
        if contract.resumes_behind:
            flow.resumes = True


def _check_jump(flow: _Flow, target: Ahead, targets: _Targets, macro: Macro) -> None:
    pc = flow.pc + target.distance
    if pc not in targets.places:
        raise GateRefused(f"jumps to pc {pc}, which is not an instruction of the function", flow.pc, macro)
    if pc not in targets.labels:
        raise GateRefused(f"jumps to pc {pc}, which is not known as a label", flow.pc, macro)
    if target.distance <= 0 and not flow.polled:
        raise GateRefused("a backward edge without a poll", flow.pc, macro)


_SAME: Final = FrameEffect.SAME  # to look a member up in its class takes 0.07 us


def _step(flow: _Flow, macro: Macro, contract: Contract) -> None:
    """Make what `flow` says of CHECKED true behind `macro`. Raises GateRefused."""
    if contract.polls:  # a guest that is preempted here is entered here again
        flow.approved = None
    for touch in contract.touches:
        if isinstance(touch, ApprovedBytes):
            if flow.approved is None or not flow.approved.covers(touch.needed):
                raise GateRefused(f"needs {touch.needed}, known is {flow.approved}", flow.pc, macro)
            if flow.since != flow.pc:
                flow.borrows = True
    if contract.aligns > 1:
        if flow.approved is None:
            raise GateRefused("aligns what was not checked", flow.pc, macro)
        if flow.since != flow.pc:
            raise GateRefused("aligns what another instruction's check approved", flow.pc, macro)
        flow.approved = flow.approved._replace(aligned=contract.aligns)
    elif contract.establishes is not None:
        flow.approved = contract.establishes
        flow.since = flow.pc
    elif CHECKED in contract.writes or contract.frame is not _SAME:
        flow.approved = None


def _check_end(flow: _Flow, function: Function) -> None:
    if flow.pc >= function.end:
        raise GateRefused("the blocks leave the function", flow.pc)
    if flow.resumes:
        raise GateRefused("the host would resume behind the function's end", flow.pc)
    if flow.reachable:
        raise GateRefused("control falls off the function's end", flow.pc)


def _enterable(entries: Sequence[str], needed: bool) -> list[bool]:
    """Of each block: whether the host may enter there, which knows of no approval.

    `needed`: whether the one that the last block leaves to the next is used there.
    """
    enterable: list[bool] = []
    for entry in reversed(entries):
        if entry is _BORROWS:
            needed = True
        elif entry is _NOTHING:
            needed = False
        enterable.append(not needed and entry is not _JOINED)
    enterable.reverse()
    return enterable
