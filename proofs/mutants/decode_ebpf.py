"""A decoder of eBPF that loses track of slots or fields."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _mutant(name: str, old: str, new: str, case: str = "decode") -> Mutant:
    return Mutant(f"decode-ebpf.{name}", "validator.decode", old, new, ("validator.sound",), case)


MUTANTS = (
    _mutant("dst", "registers & 15", "registers & 7"),
    _mutant("src", "registers >> 4", "registers >> 5"),
    _mutant("partial", "if len(code) % SLOT_BYTES:", "if len(code) % 4:"),
    _mutant("any-second", "if second[:4] != (0, 0, 0, 0):", "if second[1:4] != (0, 0, 0):"),
    _mutant("truncated", "if pc + 1 == len(decoded):", "if pc == len(decoded):"),
    _mutant("second-stays", "program[pc + 1] = None", "program[pc + 1] = decoded[pc]"),
    _mutant("first-goes", "program[pc + 1] = None", "program[pc] = None"),
    _mutant("halves", "(second.imm & 0xFFFFFFFF) << 32", "(second.imm & 0xFFFFFFFF) << 31"),
    _mutant("sign", "(lower.imm & 0xFFFFFFFF) |", "lower.imm |"),
)  # fmt: skip
