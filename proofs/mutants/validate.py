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
            "validator.closed", "accepted, jump32"),
    _mutant("start", "if not function.start <= target < function.end:", "if not 0 <= target < function.end:",
            "validator.closed", "accepted, jump32"),
    _mutant("falls-off", "if pc + slots(form) >= function.end", "if pc + slots(form) > function.end",
            "validator.closed", "accepted, alu"),
    _mutant("shortcut", "or pc + 2 >= end)", "or pc + 1 >= end)", "validator.closed", "accepted, wide"),
    _mutant("branches", "frozenset((Kind.JUMP, Kind.BRANCH))", "frozenset((Kind.JUMP,))", "validator.closed",
            "accepted, branch"),
    _mutant("jump-into-wide", "if forms[target] is None:\n            return", "if target is None:\n            return",
            "validator.closed", "accepted, jump64"),
    _mutant("call-into-wide", "if forms[target] is None:\n        raise", "if target is None:\n        raise",
            "validator.closed", "accepted, local call"),
    _mutant("call-outside", "if not 0 <= target < len(program):", "if not 0 <= target:", "validator.closed",
            "accepted, local call"),
    _mutant("callee-is-no-function", "function_starts.update(_call_targets(program, forms))",
            "_call_targets(program, forms)", "validator.closed", "accepted, local call"),
    _mutant("symbol-is-no-function", "{0, *entries, *starts}", "{0, *entries}", "validator.closed", "entries"),
    _mutant("starts-in-wide", "< len(program) or forms[start] is None]", "< len(program)]", "validator.closed",
            "accepted, alu"),
    _mutant("starts-outside", "if not 0 <= start < len(program)", "if not 0 <= start <= len(program)",
            "validator.closed", "entries"),
    _mutant("last-function", "pairwise([*sorted(starts), end])", "pairwise(sorted(starts))", "validator.closed",
            "accepted, alu"),
    _mutant("unsorted", "pairwise([*sorted(starts), end])", "pairwise([*starts, end])", "validator.closed",
            "accepted, local call"),
    _mutant("remembers-too-much", "seen[instruction] = judged", "seen[instruction._replace(imm=0)] = judged",
            "validator.instruction", "opcode 0x85"),
    _mutant("helper", "instruction.imm not in helpers", "instruction.imm not in helpers and dst",
            "validator.instruction", "opcode 0x85"),
)  # fmt: skip
