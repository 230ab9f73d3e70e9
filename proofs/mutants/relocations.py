"""A linker that lets an address slip out of its section."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _mutant(name: str, old: str, new: str) -> Mutant:
    return Mutant(f"relocations.{name}", "validator.relocations", old, new, ("linker.inside",))


MUTANTS = (
    _mutant("addend", "if not 0 <= value + addend <= size:", "if not value + addend <= size:"),
    _mutant("end", "if not 0 <= value + addend <= size:", "if not 0 <= value + addend <= size + 1:"),
    _mutant("value", "if not 0 <= value <= size:", "if not value <= size:"),
    _mutant("half", "if value % SLOT_BYTES or not 0 <= value < size", "if not 0 <= value < size"),
    _mutant("slot", "or not 0 <= offset < size:", "or not offset < size:"),
)  # fmt: skip
