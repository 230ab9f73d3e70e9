"""What a formula comes to on numbers, in Python's arithmetic.

Replaying a counterexample must not believe the solver that found it: here each operation of the formulas that the
symbolic domains make is computed with Python ints (SMT-LIB, theories Core and FixedSizeBitVectors). A word is an int in
0 .. 2^bits - 1, a truth a bool. Trusted by `proofs.replay`; compared with z3's own evaluation by a test.
"""

from __future__ import annotations

from collections.abc import Callable

import z3

Number = int  # a truth is one of its two
_Operation = Callable[[z3.ExprRef, list[Number]], Number]


def evaluate(term: z3.ExprRef, unknown: Callable[[z3.ExprRef], Number]) -> Number:
    """The value of `term`, where each unknown has the value that `unknown` says."""
    values: dict[int, Number] = {}
    pending = [term]
    while pending:
        current = pending[-1]
        if current.get_id() in values:
            pending.pop()
            continue
        operands = current.children()
        missing = [operand for operand in operands if operand.get_id() not in values]
        if missing:
            pending += missing
            continue
        kind = current.decl().kind()
        known = [values[operand.get_id()] for operand in operands]
        if kind == z3.Z3_OP_UNINTERPRETED:
            values[current.get_id()] = unknown(_applied(current, known))
        else:
            values[current.get_id()] = _OPERATIONS[kind](current, known)
        pending.pop()
    return values[term.get_id()]


def _applied(term: z3.ExprRef, values: list[Number]) -> z3.ExprRef:
    """The unknown itself, or the unknown function of these numbers."""
    sorts = (operand.sort() for operand in term.children())
    constants = [
        z3.BoolVal(value) if sort == z3.BoolSort() else z3.BitVecVal(value, sort)
        for value, sort in zip(values, sorts, strict=True)
    ]
    return term.decl()(*constants) if constants else term


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> bits - 1 else value


def _word(operate: Callable[[int, int], int]) -> _Operation:
    """An operation of two words (or, from left to right, of more), modulo 2^bits."""

    def result(term: z3.ExprRef, values: list[Number]) -> int:
        found = values[0]
        for value in values[1:]:
            found = operate(found, value) & (1 << _bits(term)) - 1
        return found

    return result


def _signed_word(operate: Callable[[int, int], int]) -> _Operation:
    def result(term: z3.ExprRef, values: list[Number]) -> int:
        bits = _bits(term)
        return operate(signed(values[0], bits), signed(values[1], bits)) & (1 << bits) - 1

    return result


def _shift(operate: Callable[[int, int], int]) -> _Operation:
    """A count of the width or more shifts every bit out."""

    def result(term: z3.ExprRef, values: list[Number]) -> int:
        bits = _bits(term)
        return operate(values[0], min(values[1], bits)) & (1 << bits) - 1

    return result


def _order(holds: Callable[[int, int], bool], *, of_signed: bool) -> _Operation:
    def result(term: z3.ExprRef, values: list[Number]) -> bool:
        bits = _bits(term.arg(0))
        a, b = values
        return holds(signed(a, bits), signed(b, bits)) if of_signed else holds(a, b)

    return result


def _concatenated(term: z3.ExprRef, values: list[Number]) -> int:
    found = 0
    for operand, value in zip(term.children(), values, strict=True):
        found = found << _bits(operand) | value
    return found


def _extracted(term: z3.ExprRef, values: list[Number]) -> int:
    high, low = term.params()
    found: int = values[0] >> low & (1 << high - low + 1) - 1
    return found


def _arithmetic_shift(term: z3.ExprRef, values: list[Number]) -> int:
    bits = _bits(term)
    return signed(values[0], bits) >> min(values[1], bits) & (1 << bits) - 1


def _truncating(a: int, b: int) -> int:
    """The quotient rounded towards zero; SMT-LIB says what division by zero gives."""
    if b == 0:
        return 1 if a < 0 else -1
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(a: int, b: int) -> int:
    return a if b == 0 else a - b * _truncating(a, b)


def _bits(term: z3.ExprRef) -> int:
    assert isinstance(term, z3.BitVecRef)
    return int(term.size())


_UNSIGNED_DIVISION = _word(lambda a, b: a // b if b else -1)
_UNSIGNED_REMAINDER = _word(lambda a, b: a % b if b else a)
_OPERATIONS: dict[int, _Operation] = {
    z3.Z3_OP_TRUE: lambda term, values: True,
    z3.Z3_OP_FALSE: lambda term, values: False,
    z3.Z3_OP_AND: lambda term, values: all(values),
    z3.Z3_OP_OR: lambda term, values: any(values),
    z3.Z3_OP_NOT: lambda term, values: not values[0],
    z3.Z3_OP_IMPLIES: lambda term, values: not values[0] or bool(values[1]),
    z3.Z3_OP_XOR: lambda term, values: values[0] != values[1],
    z3.Z3_OP_EQ: lambda term, values: values[0] == values[1],
    z3.Z3_OP_DISTINCT: lambda term, values: len(set(values)) == len(values),
    z3.Z3_OP_ITE: lambda term, values: values[1] if values[0] else values[2],
    z3.Z3_OP_BNUM: lambda term, values: term.as_long(),
    z3.Z3_OP_BADD: _word(lambda a, b: a + b),
    z3.Z3_OP_BSUB: _word(lambda a, b: a - b),
    z3.Z3_OP_BMUL: _word(lambda a, b: a * b),
    z3.Z3_OP_BNEG: lambda term, values: -values[0] & (1 << _bits(term)) - 1,
    z3.Z3_OP_BNOT: lambda term, values: ~values[0] & (1 << _bits(term)) - 1,
    z3.Z3_OP_BAND: _word(lambda a, b: a & b),
    z3.Z3_OP_BOR: _word(lambda a, b: a | b),
    z3.Z3_OP_BXOR: _word(lambda a, b: a ^ b),
    z3.Z3_OP_BUDIV: _UNSIGNED_DIVISION,
    z3.Z3_OP_BUDIV_I: _UNSIGNED_DIVISION,
    z3.Z3_OP_BUREM: _UNSIGNED_REMAINDER,
    z3.Z3_OP_BUREM_I: _UNSIGNED_REMAINDER,
    z3.Z3_OP_BSDIV: _signed_word(_truncating),
    z3.Z3_OP_BSDIV_I: _signed_word(_truncating),
    z3.Z3_OP_BSREM: _signed_word(_remainder),
    z3.Z3_OP_BSREM_I: _signed_word(_remainder),
    z3.Z3_OP_BSHL: _shift(lambda a, count: a << count),
    z3.Z3_OP_BLSHR: _shift(lambda a, count: a >> count),
    z3.Z3_OP_BASHR: _arithmetic_shift,
    z3.Z3_OP_CONCAT: _concatenated,
    z3.Z3_OP_EXTRACT: _extracted,
    z3.Z3_OP_ZERO_EXT: lambda term, values: values[0],
    z3.Z3_OP_SIGN_EXT: lambda term, values: signed(values[0], _bits(term.arg(0))) & (1 << _bits(term)) - 1,
    z3.Z3_OP_ULT: _order(lambda a, b: a < b, of_signed=False),
    z3.Z3_OP_ULEQ: _order(lambda a, b: a <= b, of_signed=False),
    z3.Z3_OP_UGT: _order(lambda a, b: a > b, of_signed=False),
    z3.Z3_OP_UGEQ: _order(lambda a, b: a >= b, of_signed=False),
    z3.Z3_OP_SLT: _order(lambda a, b: a < b, of_signed=True),
    z3.Z3_OP_SLEQ: _order(lambda a, b: a <= b, of_signed=True),
    z3.Z3_OP_SGT: _order(lambda a, b: a > b, of_signed=True),
    z3.Z3_OP_SGEQ: _order(lambda a, b: a >= b, of_signed=True),
}
