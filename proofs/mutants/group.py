"""Groups whose members have nobody that checks for them."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _mutant(name: str, old: str, new: str, case: str) -> Mutant:
    return Mutant(f"group.{name}", "jit.group", old, new, ("isa.refines",), case)


MUTANTS = (
    _mutant("goes-on-at-labels", "(label or _interrupts(form))", "_interrupts(form)", "groups and negate"),
    _mutant("goes-on-behind-division", "(label or _interrupts(form))", "label", "groups and alu"),
    _mutant("base-changes", "current.base in registers_written(form, instruction)", "current.low > current.high",
            "groups and alu"),
    _mutant("other-base", "if current.base == base and", "if", "groups and load"),
    _mutant("other-guess", "current.hint is hint and room", "room", "groups and load"),
    _mutant("too-long", "joined_high - joined_low <= _limit(hint, layout) and", "", "groups and load"),
    _mutant("low", "min(current.low, low)", "current.low", "groups and load"),
    _mutant("high", "max(current.high, high)", "high", "groups and load"),
    _mutant("loads-only", "current.write or write\n", "current.write\n", "groups and store"),
    _mutant("division-clobbers", "Operation.SDIV, Operation.SMOD))", "Operation.SDIV))", "0x9f offset=1"),
    _mutant("atomics-clobber", "frozenset((Kind.ATOMIC, Kind.JUMP,", "frozenset((Kind.JUMP,", "groups and atomic"),
    _mutant("frame", "if in_current_frame(layout, instruction.offset, form.size):", "if form.size:", "groups and load"),
    _mutant("span", "current.low, current.high - current.low, current.write)",
            "current.low, current.high, current.write)", "groups and negate"),
)  # fmt: skip
