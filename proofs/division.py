"""Divisions out of claims: a claim that holds of any function like a division holds of the division.

No solver proves that two circuits for the quotient of 64-bit words are one; that they are given the same operands it
proves at once. Signed division is written by means of unsigned division first, as SMT-LIB defines it. Sound: each
division becomes an unknown word of which two things are assumed that are true of it: equal operands give equal
results, and division by one is known. Not complete: a counterexample may rest on a function that is no division, so
that claims about narrow words, where divisions can stay, should come first.
"""

from __future__ import annotations

from collections.abc import Callable

import z3

Operation = Callable[[z3.BitVecRef, z3.BitVecRef], z3.BitVecRef]


def quotient(a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
    """bvsdiv of SMT-LIB: of the absolute values, with the sign of the product."""
    return z3.If((a < 0) == (b < 0), z3.UDiv(_size(a), _size(b)), -z3.UDiv(_size(a), _size(b)))


def remainder(a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
    """bvsrem of SMT-LIB: of the absolute values, with the sign of the dividend."""
    return z3.If(a < 0, -z3.URem(_size(a), _size(b)), z3.URem(_size(a), _size(b)))


def _size(a: z3.BitVecRef) -> z3.BitVecRef:
    return z3.If(a < 0, -a, a)


_BY_UNSIGNED: dict[int, Operation] = {z3.Z3_OP_BSDIV: quotient, z3.Z3_OP_BSREM: remainder}
_UNSIGNED = frozenset((z3.Z3_OP_BUDIV, z3.Z3_OP_BUREM))


def without_divisions(term: z3.BoolRef) -> tuple[z3.BoolRef, z3.BoolRef]:
    """`term` with an unknown for each unsigned division, and what may be assumed of the unknowns."""
    term = _replaced(term, lambda t: _BY_UNSIGNED[t.decl().kind()](*t.children()), frozenset(_BY_UNSIGNED))
    unknowns: list[tuple[z3.BitVecRef, z3.BitVecRef]] = []  # the division, with its operands rewritten; its unknown

    def unknown(division: z3.BitVecRef) -> z3.BitVecRef:
        unknowns.append((division, z3.BitVec(f"division {len(unknowns)}", division.size())))
        return unknowns[-1][1]

    term = _replaced(term, unknown, _UNSIGNED)
    alike = [_alike(a, b) for i, a in enumerate(unknowns) for b in unknowns[:i]]
    return term, z3.And(*map(_by_one, unknowns), *alike, z3.BoolVal(True))


def _by_one(unknown: tuple[z3.BitVecRef, z3.BitVecRef]) -> z3.BoolRef:
    division, result = unknown
    known = division.arg(0) if division.decl().kind() == z3.Z3_OP_BUDIV else 0
    return z3.Implies(division.arg(1) == 1, result == known)


def _alike(one: tuple[z3.BitVecRef, z3.BitVecRef], other: tuple[z3.BitVecRef, z3.BitVecRef]) -> z3.BoolRef:
    """Equal numbers give equal results, whatever the widths; SMT-LIB's quotient by zero depends on the width."""
    (mine, its), (theirs, others) = one, other
    if mine.decl().kind() != theirs.decl().kind():
        return z3.BoolVal(True)
    operands = [_equal(a, b) for a, b in zip(mine.children(), theirs.children(), strict=True)]
    defined = z3.Or(mine.arg(1) != 0, mine.size() == theirs.size())
    return z3.Implies(z3.And(*operands, defined), _equal(its, others))


def _equal(a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BoolRef:
    size = max(a.size(), b.size())
    return z3.ZeroExt(size - a.size(), a) == z3.ZeroExt(size - b.size(), b)


def _replaced(
    term: z3.BoolRef, replacement: Callable[[z3.BitVecRef], z3.BitVecRef], kinds: frozenset[int]
) -> z3.BoolRef:
    """`term` with `replacement` of each operation of `kinds`, innermost first."""
    known: dict[int, z3.ExprRef] = {}

    def rebuilt(part: z3.ExprRef) -> z3.ExprRef:
        if part.get_id() not in known:
            children = [rebuilt(child) for child in part.children()]
            same = all(a.eq(b) for a, b in zip(children, part.children(), strict=True))
            whole = part if same else part.decl()(*children)
            known[part.get_id()] = replacement(whole) if whole.decl().kind() in kinds else whole
        return known[part.get_id()]

    return rebuilt(term)
