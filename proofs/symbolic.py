"""Symbolic values for both kinds of core code: machine words, and Python's unbounded integers.

`SymbolicWords` is the domain of `simulator.words` over z3 bit-vectors. `Int` stands for a Python int in `jit/` and
`validator/`: a bit-vector of `INT_BITS` bits with the interval in which its value surely lies. Every operation
computes the interval of its result; one that might not fit raises `TooWide`, so that a wrap is never silent. Python's
own semantics of negative numbers (floor division, arithmetic shift, infinite sign extension) is that of two's
complement within such a range.

Trusted: by the theorems. Checked: by model.domains, which compares each operation with the integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import reduce
from typing import Any

import z3

from proofs.executor import Fork, NotExplored, certainly
from simulator.words import Truth

INT_BITS = 80  # a 64-bit word and two bytes: sums of words and scaled words fit
PRODUCT_BITS = 144  # two 64-bit words and two bytes: see `integers_of`


class TooWide(NotExplored):
    """An integer operation might leave the range that `Int` models: a bound is missing, or the code is wrong."""


@contextmanager
def integers_of(bits: int) -> Iterator[None]:
    """Model ints by bit-vectors of another width, where products of words are formed. Ints of two widths never mix."""
    global INT_BITS  # noqa: PLW0603 - the width is one for all ints of an exploration
    before, INT_BITS = INT_BITS, bits
    try:
        yield
    finally:
        INT_BITS = before


_KEYS = False


@contextmanager
def unknown_keys() -> Iterator[None]:
    """Let unknown ints be members of sets and keys of dictionaries: a look-up compares with each, and forks.

    Sound if the known ints in the same places in the same table are 0 or equal among themselves: others have another
    hash, and are taken for different without a comparison.
    """
    global _KEYS  # noqa: PLW0603 - hash() has no other argument
    before, _KEYS = _KEYS, True
    try:
        yield
    finally:
        _KEYS = before


class Int:
    """A Python int that is not known. Construct with `fresh` or `of_word`.

    `quotient` = (a, d, negated) says that this is a // d, or -(a // d), for a power of two d: `__mul__` uses it.
    """

    __slots__ = ("bits", "high", "low", "quotient")

    def __init__(
        self, bits: z3.BitVecRef, low: int, high: int, quotient: tuple[Int, Int, bool] | None = None
    ) -> None:
        if max(-low, high) > 1 << INT_BITS - 2:
            raise TooWide(f"an integer between {low:#x} and {high:#x}")
        self.bits, self.low, self.high, self.quotient = bits, low, high, quotient

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
        o = as_int(other)
        return Int(self.bits + o.bits, self.low + o.low, self.high + o.high)

    __radd__ = __add__

    def __neg__(self) -> Int:
        quotient = None if self.quotient is None else (*self.quotient[:2], not self.quotient[2])
        return Int(-self.bits, -self.high, -self.low, quotient)

    def __abs__(self) -> Int:
        if self.low >= 0:
            return self
        return Int(z3.If(self.bits < 0, -self.bits, self.bits), 0, max(-self.low, self.high))

    def __sub__(self, other: int | Int) -> Int:
        return self + -as_int(other)

    def __rsub__(self, other: int | Int) -> Int:
        return as_int(other) + -self

    def __mul__(self, other: int | Int) -> Int:
        o = as_int(other)
        if self.quotient is not None and o.bits.eq(self.quotient[1].bits):
            return _multiple_below(*self.quotient)
        corners = [a * b for a in (self.low, self.high) for b in (o.low, o.high)]
        return Int(self.bits * o.bits, min(corners), max(corners))

    __rmul__ = __mul__

    def __floordiv__(self, other: int | Int) -> Int:
        if not isinstance(other, Int):
            return self >> _power(other)
        if _certain_power(other):
            quotient = z3.BitVecVal(0, INT_BITS)
            for k in range(other.high.bit_length()):
                quotient = z3.If(other.bits == 1 << k, self.bits >> k, quotient)
            return Int(quotient, min(self.low, 0), max(self.high, 0), (self, other, False))
        size = _natural_division(self, other)
        return _widened(z3.UDiv(self.word(size), other.word(size)), self.high)

    def __rfloordiv__(self, other: int) -> Int:
        return as_int(other) // self

    def __mod__(self, other: int | Int) -> Int:
        if not isinstance(other, Int):
            return self & (1 << _power(other)) - 1
        if _certain_power(other):
            return Int(self.bits & other.bits - 1, 0, max(other.high - 1, 0))
        size = _natural_division(self, other)
        return _widened(z3.URem(self.word(size), other.word(size)), self.high)

    def __rmod__(self, other: int) -> Int:
        return as_int(other) % self

    def __lshift__(self, count: int | Int) -> Int:
        if not isinstance(count, Int):
            return self * (1 << count)
        corners = [value << n for value in (self.low, self.high) for n in _counts(count)]
        return Int(self.bits << count.bits, min(corners), max(corners))

    def __rlshift__(self, other: int) -> Int:
        return as_int(other) << self

    def __rshift__(self, count: int | Int) -> Int:
        if not isinstance(count, Int):
            return Int(self.bits >> count, self.low >> count, self.high >> count)
        corners = [value >> n for value in (self.low, self.high) for n in _counts(count)]
        return Int(self.bits >> count.bits, min(corners), max(corners))

    def to_bytes(self, length: int, byteorder: str) -> Bytes:
        """The lowest byte first, of what surely fits."""
        fits = 0 <= self.low <= self.high < 1 << 8 * length
        if byteorder != "little" or not (fits or certainly(z3.And(self.bits >= 0, self.bits < 1 << 8 * length))):
            raise NotExplored(f"{length} bytes, {byteorder}, of an integer between {self.low:#x} and {self.high:#x}")
        return Bytes(self >> 8 * k & 0xFF for k in range(length))

    def bit_length(self) -> int | Int:
        """As of a Python int; a plain int if the interval decides it."""
        size = abs(self)
        shortest, longest = size.low.bit_length(), size.high.bit_length()
        if shortest == longest:
            return longest
        length = z3.BitVecVal(shortest, INT_BITS)
        for k in range(shortest, longest):
            length = z3.If(size.bits >= 1 << k, z3.BitVecVal(k + 1, INT_BITS), length)
        return Int(length, shortest, longest)

    # ---------------------------------------------------------------- bits

    def __and__(self, other: int | Int) -> Int:
        o = as_int(other)
        if o.low >= 0:
            return Int(self.bits & o.bits, 0, min(o.high, self.high) if self.low >= 0 else o.high)
        if self.low >= 0:
            return Int(self.bits & o.bits, 0, self.high)
        return Int(self.bits & o.bits, *_bitwise_range(self, o))

    __rand__ = __and__

    def __or__(self, other: int | Int) -> Int:
        o = as_int(other)
        return Int(self.bits | o.bits, *_bitwise_range(self, o))

    __ror__ = __or__

    def __xor__(self, other: int | Int) -> Int:
        o = as_int(other)
        return Int(self.bits ^ o.bits, *_bitwise_range(self, o))

    __rxor__ = __xor__

    def __invert__(self) -> Int:
        return Int(~self.bits, ~self.high, ~self.low)

    # ---------------------------------------------------------------- comparisons

    def __eq__(self, other: object) -> bool | Fork:  # type: ignore[override]
        if not isinstance(other, int | Int):
            return False
        o = as_int(other)
        if self.high < o.low or o.high < self.low:
            return False
        return Fork(self.bits == o.bits)

    def __ne__(self, other: object) -> bool | Fork:  # type: ignore[override]
        equal = self == other
        return Fork(z3.Not(equal.condition)) if isinstance(equal, Fork) else not equal

    def __lt__(self, other: int | Int) -> bool | Fork:
        o = as_int(other)
        if self.high < o.low or self.low >= o.high:
            return self.high < o.low
        return Fork(_positive(o.bits, self.bits, strictly=True))

    def __le__(self, other: int | Int) -> bool | Fork:
        o = as_int(other)
        if self.high <= o.low or self.low > o.high:
            return self.high <= o.low
        return Fork(_positive(o.bits, self.bits, strictly=False))

    def __gt__(self, other: int | Int) -> bool | Fork:
        return Int.__lt__(as_int(other), self)

    def __ge__(self, other: int | Int) -> bool | Fork:
        return Int.__le__(as_int(other), self)

    def __bool__(self) -> bool:
        return bool(self != 0)

    # ---------------------------------------------------------------- what a symbolic value cannot do

    def __hash__(self) -> int:
        if _KEYS:
            return 0
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


class Bytes(tuple[int | Int, ...]):
    """What `bytes` is to the code, with unknown bytes among them."""

    __slots__ = ()

    def __add__(self, other: Iterable[int | Int]) -> Bytes:  # type: ignore[override]  # more than a tuple takes
        return Bytes((*self, *other))

    def __radd__(self, other: Iterable[int | Int]) -> Bytes:
        return Bytes((*other, *self))


def _positive(a: z3.BitVecRef, b: z3.BitVecRef, *, strictly: bool) -> z3.BoolRef:
    """a > b or a >= b. If terms cancel, as a - b against 0: neither side is near the ends of the range."""
    if a.num_args() > 1 and b.num_args() > 0:
        difference = z3.simplify(a - b)
        if _summands(difference) < _summands(a) + _summands(b) - 1:
            a, b = difference, z3.BitVecVal(0, INT_BITS)
    return a > b if strictly else a >= b


def _summands(term: z3.BitVecRef) -> int:
    return int(term.num_args()) if term.decl().kind() == z3.Z3_OP_BADD else 1


_LOW_BITS_DEPEND_ON_LOW_BITS = frozenset(
    (z3.Z3_OP_BADD, z3.Z3_OP_BSUB, z3.Z3_OP_BNEG, z3.Z3_OP_BMUL, z3.Z3_OP_BAND)
)


def _low_bits(term: z3.BitVecRef, size: int) -> z3.BitVecRef:
    """The low bits, of sums and products as sums and products of low bits: so terms of different widths cancel."""
    kind = term.decl().kind()
    if kind in (z3.Z3_OP_ZERO_EXT, z3.Z3_OP_SIGN_EXT) and term.arg(0).size() >= size:
        return _low_bits(term.arg(0), size)
    if kind == z3.Z3_OP_ZERO_EXT:
        return z3.ZeroExt(size - term.arg(0).size(), term.arg(0))
    if kind == z3.Z3_OP_SIGN_EXT:
        return z3.SignExt(size - term.arg(0).size(), term.arg(0))
    if kind == z3.Z3_OP_ITE:
        return z3.If(term.arg(0), _low_bits(term.arg(1), size), _low_bits(term.arg(2), size))
    if kind in _LOW_BITS_DEPEND_ON_LOW_BITS:
        operands = [_low_bits(operand, size) for operand in term.children()]
        match kind:
            case z3.Z3_OP_BNEG:
                return -operands[0]
            case z3.Z3_OP_BADD:
                return reduce(lambda a, b: a + b, operands)
            case z3.Z3_OP_BSUB:
                return reduce(lambda a, b: a - b, operands)
            case z3.Z3_OP_BAND:
                return reduce(lambda a, b: a & b, operands)
            case _:
                return reduce(lambda a, b: a * b, operands)
    return z3.Extract(size - 1, 0, term) if term.size() > size else term


def as_int(value: int | Int) -> Int:
    """`value` as an `Int`."""
    if isinstance(value, Int):
        return value
    return Int(z3.BitVecVal(value, INT_BITS), value, value)


def spelling(term: z3.ExprRef) -> str:
    """`term` as a part of a name: of an unknown that depends on it. SMT-LIB's names may not contain `|`."""
    return " ".join(term.sexpr().split()).replace("|", "")


def _power(divisor: int) -> int:
    if divisor <= 0 or divisor & (divisor - 1):
        raise NotExplored(f"division of an unknown int by {divisor}, which is not a power of two")
    return divisor.bit_length() - 1


def _certain_power(divisor: Int) -> bool:
    """Whether the path so far makes `divisor` a power of two."""
    return certainly(z3.And(divisor.bits > 0, divisor.bits & divisor.bits - 1 == 0))


def _multiple_below(dividend: Int, divisor: Int, negated: bool) -> Int:
    """(dividend // divisor) * divisor for a power of two: the low bits cleared, which no solver has to multiply for."""
    multiple = Int(dividend.bits & -divisor.bits, dividend.low - divisor.high + 1, dividend.high)
    return -multiple if negated else multiple


def _natural_division(dividend: Int, divisor: Int) -> int:
    """The bits in which a division of these two happens. Raises NotExplored unless dividend >= 0 and divisor > 0."""
    if certainly(divisor.bits == 0):
        raise ZeroDivisionError("integer division or modulo by zero")
    if dividend.low < 0 or not certainly(divisor.bits > 0):
        raise NotExplored("division of what may be negative, or by what may not be positive")
    size = max(dividend.high, divisor.high).bit_length()
    limit = 1 << size - 1  # abs() of a word has a bit less than its interval says
    return size - 1 if certainly(z3.And(dividend.bits < limit, divisor.bits < limit)) else size


def _widened(word: z3.BitVecRef, high: int) -> Int:
    return Int(z3.ZeroExt(INT_BITS - word.size(), word), 0, high)


def _counts(count: Int) -> tuple[int, int]:
    """The bounds of a shift count that is not negative."""
    if count.low < 0 and not certainly(count.bits >= 0):
        raise NotExplored("a shift count that may be negative")
    high = count.high
    if high > INT_BITS:  # what it may be on this path
        high = next(((1 << k) - 1 for k in range(INT_BITS.bit_length()) if certainly(count.bits < 1 << k)), high)
    if high > INT_BITS:
        raise TooWide(f"a shift by up to {high:#x}")
    return max(count.low, 0), high


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
    if isinstance(truth, z3.BoolRef):
        return truth
    return truth.condition if isinstance(truth, Fork) else z3.BoolVal(bool(truth))


def same(a: object, b: object) -> z3.BoolRef:
    """The formula that two values of core code are equal: ints, symbolic or not, and tuples and classes of them."""
    if isinstance(a, Int | int) and isinstance(b, Int | int):
        return condition_of(as_int(a) == as_int(b))
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
