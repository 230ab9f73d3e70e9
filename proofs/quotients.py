"""Division of unknown words as an unknown function: equal operands have equal results, nothing more is known.

Two circuits of a 64-bit division are beyond a solver, and whoever only passes operands and results about does not need
them. Sound, because the real division is one such function; an obligation that needs more of it fails. A division by a
constant stays what it is, so that one by a power of two is a shift.
"""

from __future__ import annotations

from dataclasses import dataclass

import z3

from proofs.symbolic import SymbolicWords


@dataclass(frozen=True, slots=True)
class _Division:
    """`result` is what `operation` makes of the operands."""

    operation: str
    dividend: z3.BitVecRef
    divisor: z3.BitVecRef
    result: z3.BitVecRef


class AbstractDivision(SymbolicWords):
    """`SymbolicWords`; `facts` hold of the results of its divisions."""

    def __init__(self) -> None:
        super().__init__()
        self.facts: list[z3.BoolRef] = []
        self._divisions: list[_Division] = []

    def unsigned_div(self, bits: int, a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
        return self._abstract("unsigned quotient", a, b, super().unsigned_div(bits, a, b))

    def unsigned_rem(self, bits: int, a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
        return self._abstract("unsigned remainder", a, b, super().unsigned_rem(bits, a, b))

    def signed_div(self, bits: int, a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
        return self._abstract("signed quotient", a, b, super().signed_div(bits, a, b))

    def signed_rem(self, bits: int, a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
        return self._abstract("signed remainder", a, b, super().signed_rem(bits, a, b))

    def _abstract(self, operation: str, a: z3.BitVecRef, b: z3.BitVecRef, real: z3.BitVecRef) -> z3.BitVecRef:
        a, b = z3.simplify(a), z3.simplify(b)
        if z3.is_bv_value(b):
            return real
        alike = [d for d in self._divisions if d.operation == operation and d.dividend.size() == a.size()]
        for division in alike:
            if division.dividend.eq(a) and division.divisor.eq(b):
                return division.result
        result = z3.BitVec(f"{operation} {len(self._divisions)}", a.size())
        for division in alike:
            same = z3.And(division.dividend == a, division.divisor == b)
            self.facts.append(z3.Implies(same, division.result == result))
        self._divisions.append(_Division(operation, a, b, result))
        return result
