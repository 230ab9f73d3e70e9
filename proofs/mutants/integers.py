"""A domain of integers that is not the one of the proofs."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _mutant(name: str, old: str, new: str, case: str) -> Mutant:
    return Mutant(f"integers.{name}", "simulator.integers", old, new, ("model.domains",), case)


MUTANTS = (
    _mutant("carry", "return a + b & MASK[bits]", "return a + b", "add"),
    _mutant("borrow", "return a - b & MASK[bits]", "return a - b", "sub"),
    _mutant("product", "return a * b & MASK[bits]", "return a * b & MASK[bits - 1]", "mul"),
    _mutant("sign", "return a - (1 << bits) if a >> (bits - 1)", "return a - (1 << bits) if a > 1 << bits - 1",
            "signed_less"),
    _mutant("quotient-rounds-down", "-quotient) & MASK[bits]", "-quotient - 1) & MASK[bits]", "signed_div"),
    _mutant("quotient-sign", "(quotient if (dividend < 0) == (divisor < 0) else", "(quotient if dividend < 0 else",
            "signed_div"),
    _mutant("remainder-sign", "(-remainder if dividend < 0 else", "(-remainder if divisor < 0 else", "signed_rem"),
    _mutant("remainder-overflow", "bits - 1, \"precondition: not INT_MIN %", "bits - 2, \"precondition: not INT_MIN %",
            "signed_rem"),
    _mutant("shift-out", "return a << count & MASK[bits]", "return a << count", "shift_left"),
    _mutant("shift-sign", "return signed(bits, a) >> count & MASK[bits]", "return a >> count & MASK[bits]",
            "shift_right_signed"),
    _mutant("extension", "return signed(bits, a) & MASK[to_bits]", "return a & MASK[to_bits]", "sign_extend"),
    _mutant("truncation", "return a & MASK[to_bits]\n", "return a & MASK[bits]\n", "truncate"),
    _mutant("bytes", "<< bits - 8 - low", "<< bits - 8 - low ^ 8", "reverse_bytes"),
    _mutant("unsigned", "return a < b", "return a <= b", "unsigned_less"),
    _mutant("select", "return then if condition else otherwise", "return otherwise if condition else then", "select"),
)  # fmt: skip
