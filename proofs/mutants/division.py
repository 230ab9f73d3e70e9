"""Divisions that fault, or lose what they borrowed."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _division(name: str, old: str, new: str, case: str = "DivideImm", by: str = "gate.contract") -> Mutant:
    return Mutant(f"division.{name}", "jit.macros.division", old, new, (by,), case)


def _refined(name: str, old: str, new: str, case: str) -> Mutant:
    return Mutant(f"division.{name}", "jit.macros.division", old, new, ("isa.refines",), case)


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
    _refined("no-zero-test", "            JumpIf(Cond.E, _ZERO),\n", "", "0x3f offset=0"),
    _refined("no-minus-one-test", "alu_imm(Alu.CMP, bits, COUNT, -1)", "alu_imm(Alu.CMP, bits, COUNT, -2)",
            "0x3f offset=1"),
    _refined("sign", "(SignToRdx(bits), Idiv(bits, COUNT))",
            "(AluReg(Alu.XOR, 32, Reg.rdx, Reg.rdx), Idiv(bits, COUNT))", "0x3f offset=1"),
    _refined("remainder-by-zero", "return MovReg(bits, Reg.rdx, Reg.rax)", "return MovReg(32, Reg.rdx, Reg.rax)",
            "0x9f offset=0"),
    _refined("by-minus-one", "else Neg(bits, Reg.rax)", "else Neg(32, Reg.rax)", "0x3f offset=1"),
    _refined("rax-is-lost", "        delivered.append(Load(8, Reg.rax, _SAVED_RAX))", "        pass", "0x3f offset=0"),
    _refined("rdx-is-lost", "        delivered.append(MovReg(64, Reg.rdx, CHECKED))", "        pass", "0x3f offset=0"),
    _refined("late-divisor", "            MovReg(bits, COUNT, self.src),\n            *_save(self.dst),\n",
            "            *_save(self.dst),\n            MovReg(bits, COUNT, self.src),\n", "0x3f offset=0"),
    _refined("quotient", "*_deliver(self.bits, self.dst, Reg.rdx if self.remainder else Reg.rax)",
            "*_deliver(self.bits, self.dst, Reg.rax)", "0x97 offset=0"),
)  # fmt: skip
