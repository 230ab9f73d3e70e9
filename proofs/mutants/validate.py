"""A validator that lets one thing through."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _mutant(name: str, old: str, new: str, by: str, case: str = "") -> Mutant:
    return Mutant(f"validate.{name}", "validator.validate", old, new, (by,), case)


MUTANTS = (
    _mutant("register", "if dst > FRAME_POINTER or src", "if src", "validator.instruction", "opcode 0x07"),
    _mutant("writes-r10", "named = FRAME_POINTER in (dst, src)", "named = FRAME_POINTER in (src,)",
            "validator.instruction", "opcode 0x07"),
    _mutant("reserved", "if instruction[field] != 0:", "if instruction[field] > 0:", "validator.instruction",
            "opcode 0x07"),
    _mutant("end", "<= target < function.end:", "<= target <= function.end:",
            "validator.edge", "opcode 0x05"),
    _mutant("start", "if not function.start <= target < function.end:", "if not 0 <= target < function.end:",
            "validator.edge", "opcode 0x05"),
    _mutant("falls-off", "if pc + slots(form) >= function.end", "if pc + slots(form) > function.end",
            "validator.edge", "opcode 0x07"),
)  # fmt: skip
