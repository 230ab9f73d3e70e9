"""Macros that move control, with one mistake."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _poll(name: str, old: str, new: str) -> Mutant:
    return Mutant(f"control.{name}", "jit.macros.control", old, new, ("gate.preempt",), "macros that poll")


MUTANTS = (
    _poll("poll", "JumpIf(Cond.S, Leave(Exit.PREEMPTED))", "JumpIf(Cond.E, Leave(Exit.PREEMPTED))"),
    _poll("poll-looks", "TestReg(32, COUNT, COUNT), out", "TestReg(64, COUNT, COUNT), out"),
    _poll("poll-counts", "AluImm8(Alu.SUB, 32, COUNT, 1)", "AluImm8(Alu.SUB, 32, COUNT, 2)"),
)
