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
from typing import Final, NamedTuple

from jit.layout import CLAMP_ROOM, Layout, Region
from jit.lower import Block
from jit.macros import Contract, Macro
from jit.macros.contract import Approved, ApprovedBytes, FrameBytes, FrameEffect, Probe
from jit.registers import CHECKED, FRAME, GUEST, SCRATCH
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


class Judged(NamedTuple):
    """The contracts of a block's macros, which pass the local checks; and whether all of them are quiet."""

    contracts: tuple[Contract, ...]
    quiet: bool


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
    judgements: list[Judged] = []
    for block in blocks:
        judged = memo.get(block.macros)
        if judged is None:
            judged = memo[block.macros] = _judged(block, layout)
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
    return Judged(tuple(contracts), quiet)


# ---------------------------------------------------------------- one macro


def local_refusal(contract: Contract, layout: Layout) -> str | None:
    """Why no state admits a macro with this contract under this layout, or None."""
    for register in contract.reads:
        if register not in _MAY_READ:
            return f"reads {register.name}, which is not a guest register"
    for register in contract.writes:
        if register not in _MAY_WRITE:
            return f"writes {register.name}"
    for value in contract.fields:
        if not -0x8000_0000 <= value <= 0x7FFF_FFFF:
            return f"{value} does not fit a signed 32-bit field"
    if contract.divisor is not None and not 0 < contract.divisor[0] <= contract.divisor[1]:
        return f"divides by {contract.divisor[0]}, where the processor may fault"
    for touch in contract.touches:
        if isinstance(touch, FrameBytes):
            reason = _frame_refusal(touch, layout)
            if reason is not None:
                return reason
    for probe in contract.probes:
        reason = _probe_refusal(probe, layout)
        if reason is not None:
            return reason
    return None


_READ_ONLY: Final = Region.READ_ONLY
_STACK: Final = Region.STACK
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


def _check_flow(
    blocks: Sequence[Block], judgements: Sequence[Judged], function: Function, function_starts: frozenset[int]
) -> tuple[bool, ...]:
    pcs = [block.pc for block in blocks]
    if not blocks or pcs[0] != function.start:
        raise GateRefused("the blocks do not start at the function's start", function.start)
    # with that, an edge that goes back in the order of blocks is one that goes back in pcs, and is polled
    if pcs != sorted(set(pcs)) or pcs[-1] >= function.end:
        raise GateRefused("the blocks are not in the order of their pcs, or leave the function", function.start)
    places, labels = frozenset(pcs), _labels(blocks, judgements)
    enterable = [True] * len(blocks)
    known = _Known()
    reachable = True  # whether the previous block can fall through into this one
    for i, ((pc, macros, joined), (contracts, quiet)) in enumerate(zip(blocks, judgements, strict=True)):
        if pc in labels or not reachable:
            known.approved = None
        if joined:
            if pc in labels or macros or i == 0 or not reachable:
                raise GateRefused("is part of an earlier block, yet has code or can be reached", pc)
            enterable[i] = False
        if i == 0 and not _begins_with_poll(contracts):
            raise GateRefused("the function's start has no poll", pc)
        reachable = True
        if quiet:
            continue
        for place, (macro, contract) in enumerate(zip(macros, contracts, strict=True)):
            if not reachable:
                raise GateRefused("follows a macro that does not fall through", pc, macro)
            if contract.polls and place > 0:
                raise GateRefused("a poll that is not the first macro of its instruction", pc, macro)
            _step(macro, contract, pc, i, known, enterable)
            for target in contract.leaves:
                if isinstance(target, Ahead):
                    _check_jump(pc, target, places, contracts, macro)
                elif isinstance(target, Callee) and pc + target.distance not in function_starts:
                    raise GateRefused("calls what is not the start of a function", pc, macro)
            reachable = contract.falls_through
        if contracts[-1].resumes_behind:
            if i + 1 == len(blocks):
                raise GateRefused("the host would resume behind the function's end", pc)
            if pcs[i + 1] != pc + 1:
                raise GateRefused(f"the host would resume at pc {pc + 1}, which has no block", pc)
    if reachable:
        raise GateRefused("control falls off the function's end", pcs[-1])
    return tuple(enterable)


def _labels(blocks: Sequence[Block], judgements: Sequence[Judged]) -> frozenset[int]:
    """The pcs at which control may arrive other than by falling through from the block before."""
    return frozenset(
        block.pc + target.distance
        for block, judged in zip(blocks, judgements, strict=True)
        if not judged.quiet
        for contract in judged.contracts
        for target in contract.leaves
        if isinstance(target, Ahead)
    )


def _begins_with_poll(contracts: tuple[Contract, ...]) -> bool:
    return bool(contracts) and contracts[0].polls


def _check_jump(
    pc: int, target: Ahead, places: frozenset[int], contracts: tuple[Contract, ...], macro: Macro
) -> None:
    if pc + target.distance not in places:
        raise GateRefused(f"jumps to pc {pc + target.distance}, which is not an instruction of the function", pc, macro)
    if target.distance <= 0 and not _begins_with_poll(contracts):
        raise GateRefused("a backward edge without a poll", pc, macro)


_SAME: Final = FrameEffect.SAME  # to look a member up in its class takes 0.07 us


@dataclass(slots=True)
class _Known:
    """What CHECKED is approved for, and by index: the block whose check it was, and the last block that used it."""

    approved: Approved | None = None
    since: int = 0
    used: int = 0


def _step(
    macro: Macro, contract: Contract, pc: int, block_index: int, known: _Known, enterable: list[bool]
) -> None:
    """Make `known` what is known behind `macro`. Raises GateRefused."""
    for touch in contract.touches:
        if isinstance(touch, ApprovedBytes):
            if known.approved is None or not known.approved.covers(touch.needed):
                raise GateRefused(f"needs {touch.needed}, known is {known.approved}", pc, macro)
            for i in range(known.used + 1, block_index + 1):  # each block once, however many share the check
                enterable[i] = False
            known.used = block_index
    if contract.aligns > 1:
        if known.approved is None:
            raise GateRefused("aligns what was not checked", pc, macro)
        if known.since != block_index:
            raise GateRefused("aligns what another instruction's check approved", pc, macro)
        known.approved = known.approved._replace(aligned=contract.aligns)
    elif contract.establishes is not None:
        known.approved = contract.establishes
        known.since = known.used = block_index
    elif CHECKED in contract.writes or contract.polls or contract.frame is not _SAME:
        known.approved = None
