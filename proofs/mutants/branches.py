"""Branches that are taken at other times."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _mutant(name: str, old: str, new: str, case: str) -> Mutant:
    return Mutant(f"branches.{name}", "jit.branches", old, new, ("isa.refines",), case)


MUTANTS = (
    _mutant("or-equal", "Operation.JSGE: Cond.GE", "Operation.JSGE: Cond.G", "0x75"),
    _mutant("signed", "Operation.JLT: Cond.B", "Operation.JLT: Cond.L", "0xa5"),
    _mutant("test", "Operation.JSET: Cond.NE", "Operation.JSET: Cond.E", "0x45"),
    _mutant("test-forgotten", "imm, distance, test)", "imm, distance, False)", "0x45"),
    _mutant("opposite", "Cond.A: Cond.BE", "Cond.A: Cond.B", "runs from branch jgt"),
    _mutant("opposite-signed", "Cond.LE: Cond.G,", "Cond.LE: Cond.A,", "runs from branch jsle"),
    _mutant("distance", "1 + i.offset", "i.offset", "0x15"),
)  # fmt: skip
