"""A reference that means something else: the two sides no longer agree."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _mutant(name: str, old: str, new: str, case: str) -> Mutant:
    return Mutant(f"alu.{name}", "simulator.alu", old, new, ("isa.refines",), case)


MUTANTS = (
    _mutant("quotient-by-zero", "        return zero\n    return words.unsigned_div",
            "        return a\n    return words.unsigned_div",
            "0x3f offset=0"),
    _mutant("remainder-by-minus-one", "        return zero\n    return words.signed_rem",
            "        return a\n    return words.signed_rem",
            "0x9f offset=1"),
    _mutant("count", "words.constant(bits, bits - 1))", "words.constant(bits, 31))", "0x6f"),
    _mutant("sign-extends", "return words.zero_extend(32, 64, operate(", "return words.sign_extend(32, 64, operate(",
            "0x04"),
    _mutant("sign-extension", "words.zero_extend(to_bits, 64, words.sign_extend(from_bits, to_bits, low))",
            "words.sign_extend(from_bits, 64, low)", "0xbc offset=8"),
    _mutant("or-equal", "return lambda a, b: not words.unsigned_less(bits, b, a)",
            "return partial(words.unsigned_less, bits)", "0xb5"),
    _mutant("little", "return keep if operation is Operation.TO_LITTLE",
            "return keep if operation is not Operation.SWAP", "0xdc"),
)  # fmt: skip
