"""Ways in and out that leak, forget or mix up registers."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _mutant(name: str, old: str, new: str, case: str = "START") -> Mutant:
    return Mutant(f"trampolines.{name}", "jit.trampolines", old, new, ("host.trampoline",), case)


MUTANTS = (
    _mutant("leak", "if number in restored else AluReg(Alu.XOR, 32, reg, reg)",
            "if number in restored else MovReg(64, reg, _TARGET)"),
    _mutant("start", "_enter((1, 2, 10))", "_enter((1, 10))"),
    _mutant("called", "_enter((0, 6, 7, 8, 9, 10))", "_enter((0, 1, 6, 7, 8, 9, 10))", "RESUME_CALLED"),
    _mutant("pop-order", "for reg in reversed(HOST_SAVED)", "for reg in HOST_SAVED"),
    _mutant("base", "MovReg(64, CAGE, _BASE)", "MovReg(64, CAGE, _TARGET)"),
    _mutant("reason", "MovImm32(Reg.rax, reason)", "MovImm32(Reg.rcx, reason)"),
)  # fmt: skip
