"""Arithmetic that writes or reads what its contract does not say."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _arithmetic(name: str, old: str, new: str, case: str) -> Mutant:
    return Mutant(f"arithmetic.{name}", "jit.macros.arithmetic", old, new, ("gate.contract",), case)


def _refined(name: str, old: str, new: str, case: str) -> Mutant:
    return Mutant(f"arithmetic.{name}", "jit.macros.arithmetic", old, new, ("isa.refines",), case)


MUTANTS = (
    _arithmetic("count-unsaid", "writes=(self.dst, COUNT))", "writes=(self.dst,))", "ShiftByReg"),
    _arithmetic("base-unsaid", "reads=(self.base,), writes=(self.dst,), fields=(self.imm,)",
                "reads=(), writes=(self.dst,), fields=(self.imm,)", "AddressOffset"),
    _arithmetic("wrong-destination", "rotate = _shift_imm(Shift.ROL, self.bits, self.dst,",
                "rotate = _shift_imm(Shift.ROL, self.bits, self.src,", "Rotate"),
    _refined("constant-negative", "return MovImmSigned(dst, value - (1 << 64))",
             "return MovImm32(dst, value & 0xFFFFFFFF)", "0x18"),
    _refined("zero", "(_alu_reg(Alu.XOR, 32, self.dst, self.dst),)",
             "(_alu_reg(Alu.OR, 32, self.dst, self.dst),)", "0x18"),
    _refined("count-register", "MovReg(32, COUNT, self.src), ShiftCl", "MovReg(32, COUNT, self.dst), ShiftCl", "0x6f"),
    _refined("rotates-nothing", "(_mov_reg(self.bits, self.dst, self.src), rotate)", "(rotate,)", "runs from alu mov"),
    _refined("rotates-right", "Shift.ROL, self.bits", "Shift.ROR, self.bits", "runs from alu mov"),
    _refined("scale", "self.base, self.index, self.scale, 0)", "self.base, self.index, 0, 0)", "runs from alu lsh"),
    _refined("half-a-swap", "(Rotate16(self.dst, 8),)", "(Rotate16(self.dst, 7),)", "0xdc"),
    _refined("keeps-the-upper-half", "(*swap, MovZeroExtend16(self.dst, self.dst))", "swap", "0xdc"),
    _refined("product-of-64-bits", "Imul(self.bits, self.dst, self.src)", "Imul(64, self.dst, self.src)", "0x2c"),
)  # fmt: skip
