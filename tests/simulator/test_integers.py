"""The integer domain against the arithmetic of its docstrings, on every pair of words of a few small widths."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest

from simulator.integers import INTEGERS, signed

SMALL = (1, 4, 5)
PAIRS = [(bits, a, b) for bits in SMALL for a, b in product(range(2**bits), repeat=2)]


def _signed(bits: int, a: int) -> int:
    return (list(range(2 ** (bits - 1))) + list(range(-(2 ** (bits - 1)), 0)))[a]


def test_arithmetic() -> None:
    for bits, a, b in PAIRS:
        modulus = 2**bits
        assert INTEGERS.add(bits, a, b) == (a + b) % modulus
        assert INTEGERS.sub(bits, a, b) == (a - b) % modulus
        assert INTEGERS.mul(bits, a, b) == (a * b) % modulus
        assert INTEGERS.bit_and(bits, a, b) == a & b
        assert INTEGERS.bit_or(bits, a, b) == a | b
        assert INTEGERS.bit_xor(bits, a, b) == a ^ b


def test_division() -> None:
    for bits, a, b in PAIRS:
        if b == 0:
            continue
        assert INTEGERS.unsigned_div(bits, a, b) == math.floor(Fraction(a, b))
        assert INTEGERS.unsigned_rem(bits, a, b) == a - b * math.floor(Fraction(a, b))
        s, t = _signed(bits, a), _signed(bits, b)
        if (s, t) != (-(2 ** (bits - 1)), -1):
            quotient = math.trunc(Fraction(s, t))
            assert INTEGERS.signed_div(bits, a, b) == quotient % 2**bits
            assert INTEGERS.signed_rem(bits, a, b) == (s - t * quotient) % 2**bits


def test_division_that_overflows_is_a_broken_precondition() -> None:
    for bits in (4, 32, 64):
        with pytest.raises(AssertionError, match="precondition"):
            INTEGERS.signed_div(bits, 2 ** (bits - 1), 2**bits - 1)


def test_shifts() -> None:
    for bits, a, count in PAIRS:
        if count >= bits:
            for shift in (INTEGERS.shift_left, INTEGERS.shift_right, INTEGERS.shift_right_signed):
                with pytest.raises(AssertionError, match="precondition"):
                    shift(bits, a, count)
            continue
        assert INTEGERS.shift_left(bits, a, count) == a * 2**count % 2**bits
        assert INTEGERS.shift_right(bits, a, count) == math.floor(Fraction(a, 2**count))
        assert INTEGERS.shift_right_signed(bits, a, count) == math.floor(Fraction(_signed(bits, a), 2**count)) % 2**bits


def test_comparisons_and_select() -> None:
    for bits, a, b in PAIRS:
        assert INTEGERS.equal(bits, a, b) is (a == b)
        assert INTEGERS.unsigned_less(bits, a, b) is (a < b)
        assert INTEGERS.signed_less(bits, a, b) is (_signed(bits, a) < _signed(bits, b))
        assert INTEGERS.select(bits, INTEGERS.equal(bits, a, b), a, b) == b


def test_widths() -> None:
    for bits in SMALL:
        for a in range(2**bits):
            assert signed(bits, a) == _signed(bits, a)
            assert INTEGERS.zero_extend(bits, 8, a) == a
            assert INTEGERS.sign_extend(bits, 8, a) == _signed(bits, a) % 256
            for to_bits in range(1, bits + 1):
                assert INTEGERS.truncate(bits, to_bits, a) == a % 2**to_bits
    assert INTEGERS.constant(8, -1) == 255
    assert INTEGERS.constant(8, 256 + 3) == 3


@pytest.mark.parametrize(("bits", "a", "reversed_bytes"), [(8, 0x12, 0x12), (16, 0x1234, 0x3412), (32, 1, 1 << 24)])
def test_reverse_bytes(bits: int, a: int, reversed_bytes: int) -> None:
    assert INTEGERS.reverse_bytes(bits, a) == reversed_bytes
