"""Facts that imply too much, and macros that count as harmless."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _contract(name: str, old: str, new: str, case: str, by: str = "gate.memory") -> Mutant:
    return Mutant(f"contract.{name}", "jit.macros.contract", old, new, (by,), case)


MUTANTS = (
    _contract("covers-low", "self.low <= needed.low", "self.low <= needed.low + 1", "StoreImmTo"),
    _contract("covers-end", "needed.low + needed.size <= self.low", "needed.low <= self.low", "StoreImmTo"),
    _contract("covers-end-guessed", "needed.low + needed.size <= self.low", "needed.size <= self.low", "StoreImmTo",
              "gate.speculative"),
    _contract("covers-write", "and (self.write or not needed.write)", "and (self.write or needed.write)",
              "StoreImmTo"),
    _contract("covers-alignment", "and self.aligned % needed.aligned == 0", "", "AtomicExchange"),
    _contract("covers-distance", "and (needed.low - self.low) % needed.aligned == 0", "", "AtomicExchange"),
    _contract("quiet-jump", "self.leaves or self[_LEAVES:] != _FALLS_THROUGH or CHECKED", "CHECKED", "Goto",
              "gate.contract"),
    _contract("quiet-scratch", "!= _FALLS_THROUGH or CHECKED in self.writes:", "!= _FALLS_THROUGH:", "DivideImm",
              "gate.contract"),
    _contract("quiet-use", "if isinstance(touch, ApprovedBytes):", "if isinstance(touch, TableSlot):", "StoreImmTo",
              "gate.contract"),
)  # fmt: skip
