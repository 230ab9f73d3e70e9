"""Where a program polls its fuel word, so that it can be preempted after any given number of polls.

Decides: a pc polls if it is the start of a function, or if its instruction is a jump or branch whose target is not
ahead of it. Every cycle passes one: a cycle within a function takes a backward edge, one through calls enters a
function. The poll happens whenever control arrives at such a pc, before its instruction, and once even if both
reasons hold. Trusted by `lower` and the reference semantics, so that both engines preempt at the same instants.
"""

from __future__ import annotations

from validator.isa import Form, Instruction, jump_target
from validator.validate import Validated


def poll_pcs(validated: Validated) -> frozenset[int]:
    """All pcs that poll."""
    starts = {function.start for function in validated.functions}
    backward = {
        pc
        for pc, (form, instruction) in enumerate(zip(validated.forms, validated.program, strict=True))
        if form is not None and instruction is not None and jumps_back(form, instruction, pc)
    }
    return frozenset(starts | backward)


def jumps_back(form: Form, instruction: Instruction, pc: int) -> bool:
    """Whether this is a jump or branch whose target is `pc` or before it."""
    target = jump_target(form, instruction, pc)
    return target is not None and target <= pc
