"""Symbolic values for both kinds of core code: machine words, and Python's unbounded integers.

`SymbolicWords` is the domain of `simulator.words` over z3 bit-vectors. `Int` stands for a Python int in `jit/` and
`validator/`: a bit-vector of `INT_BITS` bits with the interval in which its value surely lies. Every operation
computes the interval of its result; one that might not fit raises `TooWide`, so that a wrap is never silent. Python's
own semantics of negative numbers (floor division, arithmetic shift, infinite sign extension) is that of two's
complement within such a range.

Trusted: by the theorems. Checked: by model.domains, which compares each operation with the integers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import z3

from proofs.executor import Fork, NotExplored
from simulator.words import Truth

INT_BITS = 80  # a 64-bit word and two bytes: sums of words and scaled words fit
_LIMIT = 1 << INT_BITS - 2


class TooWide(NotExplored):
    """An integer operation might leave the range that `Int` models: a bound is missing, or the code is wrong."""


class Int:
    """A Python int that is not known. Construct with `fresh` or `of_word`."""

    __slots__ = ("bits", "high", "low")

    def __init__(self, bits: z3.BitVecRef, low: int, high: int) -> None:
        if low < -_LIMIT or high > _LIMIT:
            raise TooWide(f"an integer between {low:#x} and {high:#x}")
        self.bits, self.low, self.high = bits, low, high

    @staticmethod
    def fresh(name: str, low: int, high: int) -> tuple[Int, z3.BoolRef]:
        """An unknown int with low <= value <= high, and the assumption that says so."""
        length = max(low.bit_length(), high.bit_length(), 1)  # no longer than needed: the solver thanks for known bits
        if low >= 0:
            bits = z3.ZeroExt(INT_BITS - length, z3.BitVec(name, length))
        else:
            bits = z3.SignExt(INT_BITS - length - 1, z3.BitVec(name, length + 1))
        return Int(bits, low, high), z3.And(bits >= low, bits <= high)

    @staticmethod
    def of_word(word: z3.BitVecRef, *, signed: bool = False) -> Int:
        """The int that a machine word stands for."""
        size = word.size()
        if signed:
            return Int(z3.SignExt(INT_BITS - size, word), -(1 << size - 1), (1 << size - 1) - 1)
        return Int(z3.ZeroExt(INT_BITS - size, word), 0, (1 << size) - 1)

    def word(self, size: int) -> z3.BitVecRef:
        """The value modulo 2^size, as a machine word."""
        return _low_bits(self.bits, size)

    # ---------------------------------------------------------------- arithmetic

    def __add__(self, other: int | Int) -> Int:
        o = _int(other)
        return Int(self.bits + o.bits, self.low + o.low, self.high + o.high)

    __radd__ = __add__

    def __neg__(self) -> Int:
        return Int(-self.bits, -self.high, -self.low)

    def __sub__(self, other: int | Int) -> Int:
        return self + -_int(other)

    def __rsub__(self, other: int | Int) -> Int:
        return _int(other) + -self

    def __mul__(self, other: int | Int) -> Int:
        o = _int(other)
        corners = [a * b for a in (self.low, self.high) for b in (o.low, o.high)]
        return Int(self.bits * o.bits, min(corners), max(corners))

    __rmul__ = __mul__

    def __floordiv__(self, other: int | Int) -> Int:
        return self >> _power(other)

    def __mod__(self, other: int | Int) -> Int:
        return self & (1 << _power(other)) - 1

    def __lshift__(self, count: int | Int) -> Int:
        return self * (1 << _concrete(count))

    def __rshift__(self, count: int | Int) -> Int:
        n = _int(count)
        if not n.low >= 0:
            raise TooWide(f"a shift by {n.low} to {n.high}")
        ends = [value >> shift for value in (self.low, self.high) for shift in (n.low, n.high)]
        return Int(self.bits >> n.bits, min(ends), max(ends))

    # ---------------------------------------------------------------- bits

    def __and__(self, other: int | Int) -> Int:
        o = _int(other)
        if o.low >= 0:
            return Int(self.bits & o.bits, 0, min(o.high, self.high) if self.low >= 0 else o.high)
        if self.low >= 0:
            return Int(self.bits & o.bits, 0, self.high)
        return Int(self.bits & o.bits, *_bitwise_range(self, o))

    __rand__ = __and__

    def __or__(self, other: int | Int) -> Int:
        o = _int(other)
        return Int(self.bits | o.bits, *_bitwise_range(self, o))

    __ror__ = __or__

    def __xor__(self, other: int | Int) -> Int:
        o = _int(other)
        return Int(self.bits ^ o.bits, *_bitwise_range(self, o))

    __rxor__ = __xor__

    def __invert__(self) -> Int:
        return Int(~self.bits, ~self.high, ~self.low)

    # ---------------------------------------------------------------- comparisons

    def __eq__(self, other: object) -> bool | Fork:  # type: ignore[override]
        if not isinstance(other, int | Int):
            return False
        o = _int(other)
        if self.high < o.low or o.high < self.low:
            return False
        return Fork(self.bits == o.bits)

    def __ne__(self, other: object) -> bool | Fork:  # type: ignore[override]
        equal = self == other
        return Fork(z3.Not(equal.condition)) if isinstance(equal, Fork) else not equal

    def __lt__(self, other: int | Int) -> bool | Fork:
        o = _int(other)
        if self.high < o.low or self.low >= o.high:
            return self.high < o.low
        return Fork(_positive(o.bits, self.bits, strictly=True))

    def __le__(self, other: int | Int) -> bool | Fork:
        o = _int(other)
        if self.high <= o.low or self.low > o.high:
            return self.high <= o.low
        return Fork(_positive(o.bits, self.bits, strictly=False))

    def __gt__(self, other: int | Int) -> bool | Fork:
        return Int.__lt__(_int(other), self)

    def __ge__(self, other: int | Int) -> bool | Fork:
        return Int.__le__(_int(other), self)

    def __bool__(self) -> bool:
        return bool(self != 0)

    # ---------------------------------------------------------------- what a symbolic value cannot do

    def __hash__(self) -> int:
        raise NotExplored("an unknown int was used as a key: decide on it by comparisons instead")

    def __index__(self) -> int:
        raise NotExplored("an unknown int was used where Python needs its value")

    def __format__(self, specification: str) -> str:
        return repr(self)  # in the messages of refusals, which nobody reads here

    def __repr__(self) -> str:
        term = self.bits
        while term.num_args() == 1:
            term = term.arg(0)  # an extension of a variable
        return f"<{term.decl().name()}>" if term.num_args() == 0 else "<..>"


def _positive(a: z3.BitVecRef, b: z3.BitVecRef, *, strictly: bool) -> z3.BoolRef:
    """a > b or a >= b. If terms cancel, as a - b against 0: neither side is near the ends of the range."""
    if a.num_args() > 1 and b.num_args() > 0:
        difference = z3.simplify(a - b)
        if difference.num_args() < a.num_args() + b.num_args() - 1:
            a, b = difference, z3.BitVecVal(0, INT_BITS)
    return a > b if strictly else a >= b


_LOW_BITS_DEPEND_ON_LOW_BITS = frozenset((z3.Z3_OP_BADD, z3.Z3_OP_BSUB, z3.Z3_OP_BNEG, z3.Z3_OP_BMUL))


def _low_bits(term: z3.BitVecRef, size: int) -> z3.BitVecRef:
    """The low bits, of sums and products as sums and products of low bits: so terms of different widths cancel."""
    kind = term.decl().kind()
    if kind in (z3.Z3_OP_ZERO_EXT, z3.Z3_OP_SIGN_EXT) and term.arg(0).size() >= size:
        return _low_bits(term.arg(0), size)
    if kind == z3.Z3_OP_ZERO_EXT:
        return z3.ZeroExt(size - term.arg(0).size(), term.arg(0))
    if kind == z3.Z3_OP_SIGN_EXT:
        return z3.SignExt(size - term.arg(0).size(), term.arg(0))
    if kind in _LOW_BITS_DEPEND_ON_LOW_BITS:
        operands = [_low_bits(operand, size) for operand in term.children()]
        match kind:
            case z3.Z3_OP_BNEG:
                return -operands[0]
            case z3.Z3_OP_BADD:
                return reduce(lambda a, b: a + b, operands)
            case z3.Z3_OP_BSUB:
                return reduce(lambda a, b: a - b, operands)
            case _:
                return reduce(lambda a, b: a * b, operands)
    return z3.Extract(size - 1, 0, term) if term.size() > size else term


def _int(value: int | Int) -> Int:
    if isinstance(value, Int):
        return value
    return Int(z3.BitVecVal(value, INT_BITS), value, value)


def _concrete(value: int | Int) -> int:
    if isinstance(value, Int):
        raise NotExplored("an unknown shift count")
    return value


def _power(value: int | Int) -> int:
    divisor = _concrete(value)
    if divisor <= 0 or divisor & (divisor - 1):
        raise NotExplored(f"division of an unknown int by {divisor}, which is not a power of two")
    return divisor.bit_length() - 1


def _bitwise_range(a: Int, b: Int) -> tuple[int, int]:
    """A range that holds a | b, a ^ b, a & b: as many bits as the longer of the two has."""
    length = max(x.bit_length() for x in (a.low, a.high, b.low, b.high))
    return (0 if a.low >= 0 and b.low >= 0 else -(1 << length)), (1 << length) - 1


class SymbolicWords:
    """`simulator.words.Words` over bit-vectors. Preconditions become entries of `obligations`."""

    def __init__(self) -> None:
        self.obligations: list[z3.BoolRef] = []

    def _need(self, condition: z3.BoolRef) -> None:
        if not z3.is_true(z3.simplify(condition)):
            self.obligations.append(condition)

    def constant(self, bits: int, value: int | Int) -> z3.BitVecRef:
        return value.word(bits) if isinstance(value, Int) else z3.BitVecVal(value, bits)

    def add(self, bits: int, a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
        return a + b

    def sub(self, bits: int, a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
        return a - b

    def mul(self, bits: int, a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
        return a * b

    def unsigned_div(self, bits: int, a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
        self._need(b != 0)
        return z3.UDiv(a, b)

    def unsigned_rem(self, bits: int, a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
        self._need(b != 0)
        return z3.URem(a, b)

    def _need_signed(self, bits: int, a: z3.BitVecRef, b: z3.BitVecRef) -> None:
        self._need(b != 0)
        self._need(z3.Not(z3.And(a == 1 << bits - 1, b == (1 << bits) - 1)))

    def signed_div(self, bits: int, a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
        self._need_signed(bits, a, b)
        return a / b

    def signed_rem(self, bits: int, a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
        self._need_signed(bits, a, b)
        return z3.SRem(a, b)

    def bit_and(self, bits: int, a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
        return a & b

    def bit_or(self, bits: int, a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
        return a | b

    def bit_xor(self, bits: int, a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
        return a ^ b

    def shift_left(self, bits: int, a: z3.BitVecRef, count: z3.BitVecRef) -> z3.BitVecRef:
        self._need(z3.ULT(count, bits))
        return a << count

    def shift_right(self, bits: int, a: z3.BitVecRef, count: z3.BitVecRef) -> z3.BitVecRef:
        self._need(z3.ULT(count, bits))
        return z3.LShR(a, count)

    def shift_right_signed(self, bits: int, a: z3.BitVecRef, count: z3.BitVecRef) -> z3.BitVecRef:
        self._need(z3.ULT(count, bits))
        return a >> count

    def zero_extend(self, bits: int, to_bits: int, a: z3.BitVecRef) -> z3.BitVecRef:
        return z3.ZeroExt(to_bits - bits, a) if to_bits > bits else a

    def sign_extend(self, bits: int, to_bits: int, a: z3.BitVecRef) -> z3.BitVecRef:
        return z3.SignExt(to_bits - bits, a) if to_bits > bits else a

    def truncate(self, bits: int, to_bits: int, a: z3.BitVecRef) -> z3.BitVecRef:
        return z3.Extract(to_bits - 1, 0, a) if to_bits < bits else a

    def reverse_bytes(self, bits: int, a: z3.BitVecRef) -> z3.BitVecRef:
        parts = [z3.Extract(low + 7, low, a) for low in range(0, bits, 8)]
        return z3.Concat(*parts) if len(parts) > 1 else a

    def equal(self, bits: int, a: z3.BitVecRef, b: z3.BitVecRef) -> Fork:
        return Fork(a == b)

    def unsigned_less(self, bits: int, a: z3.BitVecRef, b: z3.BitVecRef) -> Fork:
        return Fork(z3.ULT(a, b))

    def signed_less(self, bits: int, a: z3.BitVecRef, b: z3.BitVecRef) -> Fork:
        return Fork(a < b)

    def select(self, bits: int, condition: Truth, then: z3.BitVecRef, otherwise: z3.BitVecRef) -> z3.BitVecRef:
        if isinstance(condition, Fork):
            return z3.If(condition.condition, then, otherwise)
        return then if condition else otherwise


def condition_of(truth: object) -> z3.BoolRef:
    """A truth as a formula, without deciding it."""
    return truth.condition if isinstance(truth, Fork) else z3.BoolVal(bool(truth))


def same(a: object, b: object) -> z3.BoolRef:
    """The formula that two values of core code are equal: ints, symbolic or not, and tuples and classes of them."""
    if isinstance(a, Int | int) and isinstance(b, Int | int):
        return condition_of(_int(a) == _int(b))
    if type(a) is not type(b):
        return z3.BoolVal(False)
    fields: Callable[[Any], tuple[object, ...]] | None = _fields_of(a)
    if fields is None:
        return z3.BoolVal(a == b)
    mine, theirs = fields(a), fields(b)
    if len(mine) != len(theirs):
        return z3.BoolVal(False)
    return z3.And(*(same(x, y) for x, y in zip(mine, theirs, strict=True)), z3.BoolVal(True))


def _fields_of(value: object) -> Callable[[Any], tuple[object, ...]] | None:
    if isinstance(value, tuple):
        return tuple
    names = getattr(type(value), "__match_args__", None)
    if names is None or not hasattr(type(value), "__dataclass_fields__"):
        return None
    return lambda v: tuple(getattr(v, name) for name in type(v).__dataclass_fields__)
