"""Divisions that fault, or lose what they borrowed."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _division(name: str, old: str, new: str, case: str = "DivideImm", by: str = "gate.contract") -> Mutant:
    return Mutant(f"division.{name}", "jit.macros.division", old, new, (by,), case)


MUTANTS = (
    _division("zero", "JumpIf(Cond.E, _ZERO)", "JumpIf(Cond.NE, _ZERO)", "Divide", "gate.memory"),
    _division("minus-one", "alu_imm(Alu.CMP, bits, COUNT, -1)", "alu_imm(Alu.CMP, bits, COUNT, -2)", "Divide",
              "gate.memory"),
    _division("rax-lost", "delivered.append(Load(8, Reg.rax, _SAVED_RAX))", "pass"),
    _division("rdx-lost", "delivered.append(MovReg(64, Reg.rdx, CHECKED))", "pass"),
    _division("rdx-half", "delivered.append(MovReg(64, Reg.rdx, CHECKED))",
              "delivered.append(MovReg(32, Reg.rdx, CHECKED))"),
    _division("saves-elsewhere", "_SAVES = (ContextBytes(register_offset(0), 8, write=True),)",
              "_SAVES = (ContextBytes(register_offset(0), 4, write=True),)", by="gate.memory"),
    _division("divisor-bound", "(2 if self.signed else 1)", "1", by="gate.memory"),
)  # fmt: skip
