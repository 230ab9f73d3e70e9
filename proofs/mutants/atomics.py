"""Atomics that are not where they should be, or do not restore what they borrowed."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _atomics(name: str, old: str, new: str, case: str, by: str = "gate.contract") -> Mutant:
    return Mutant(f"atomics.{name}", "jit.macros.atomics", old, new, (by,), case)


def _refined(name: str, old: str, new: str, case: str) -> Mutant:
    return Mutant(f"atomics.{name}", "jit.macros.atomics", old, new, ("isa.refines",), case)


MUTANTS = (
    _atomics("unaligned", "touches=(place.touch(size, True, size),)", "touches=(place.touch(size, True),)",
             "AtomicExchange", "gate.memory"),
    _atomics("only-loads", "touches=(place.touch(size, True, size),)", "touches=(place.touch(size, False, size),)",
             "AtomicExchange", "gate.memory"),
    _atomics("saves-unsaid", "touches=(*contract.touches, saves)", "touches=contract.touches", "AtomicFetchLogic",
             "gate.memory"),
    _atomics("rax-lost", "            Load(8, Reg.rax, _SAVED_RAX),\n            Jump(", "            Jump(",
             "AtomicFetchLogic"),
    _atomics("src-unsaid", "(self.src,), (self.src, COUNT))", "(self.src,), (COUNT,))", "AtomicFetchLogic"),
    _refined("upper-half", "return (exchange, MovReg(32, Reg.rax, Reg.rax))", "return (exchange,)", "0xc3 imm=241"),
    _refined("rax-is-lost", "deliver = (MovReg(bits, self.src, Reg.rax), Load(8, Reg.rax, _SAVED_RAX))",
            "deliver = (MovReg(bits, self.src, Reg.rax),)", "0xdb imm=65"),
    _refined("width", "(LockXadd(self.size, self.place.mem(), self.src),)",
             "(LockXadd(8, self.place.mem(), self.src),)", "0xc3 imm=1"),
)  # fmt: skip
