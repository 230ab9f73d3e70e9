"""Arithmetic that writes or reads what its contract does not say."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _arithmetic(name: str, old: str, new: str, case: str) -> Mutant:
    return Mutant(f"arithmetic.{name}", "jit.macros.arithmetic", old, new, ("gate.contract",), case)


MUTANTS = (
    _arithmetic("count-unsaid", "writes=(self.dst, COUNT))", "writes=(self.dst,))", "ShiftByReg"),
    _arithmetic("base-unsaid", "reads=(self.base,), writes=(self.dst,), fields=(self.imm,)",
                "reads=(), writes=(self.dst,), fields=(self.imm,)", "AddressOffset"),
    _arithmetic("wrong-destination", "rotate = ShiftImm(Shift.ROL, self.bits, self.dst,",
                "rotate = ShiftImm(Shift.ROL, self.bits, self.src,", "Rotate"),
)  # fmt: skip
