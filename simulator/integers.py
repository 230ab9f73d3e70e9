"""The domain of concrete words: a word of b bits is a Python int in 0 .. 2^b - 1, a truth is a bool.

Trusts that its arguments are in range, as the results of its own operations are. Trusted by the engines that run
guests, and compared with the symbolic domain by theorem model.domains.
"""

from __future__ import annotations

from simulator.words import Truth, Words

MASK = tuple((1 << bits) - 1 for bits in range(129))  # MASK[b]: the word of b bits with every bit set


def signed(bits: int, a: int) -> int:
    """The value of word `a` read as two's complement."""
    return a - (1 << bits) if a >> (bits - 1) else a


class Integers:
    """`Words[int]`. Stateless: `INTEGERS` is the one instance anybody needs."""

    __slots__ = ()

    def constant(self, bits: int, value: int) -> int:
        return value & MASK[bits]

    def add(self, bits: int, a: int, b: int) -> int:
        return a + b & MASK[bits]

    def sub(self, bits: int, a: int, b: int) -> int:
        return a - b & MASK[bits]

    def mul(self, bits: int, a: int, b: int) -> int:
        return a * b & MASK[bits]

    def unsigned_div(self, bits: int, a: int, b: int) -> int:
        return a // b

    def unsigned_rem(self, bits: int, a: int, b: int) -> int:
        return a % b

    def signed_div(self, bits: int, a: int, b: int) -> int:
        dividend, divisor = signed(bits, a), signed(bits, b)
        quotient = abs(dividend) // abs(divisor)  # of absolute values: Python's // rounds down, not towards zero
        assert divisor != -1 or dividend != -1 << bits - 1, "precondition: not INT_MIN / -1"
        return (quotient if (dividend < 0) == (divisor < 0) else -quotient) & MASK[bits]

    def signed_rem(self, bits: int, a: int, b: int) -> int:
        dividend, divisor = signed(bits, a), signed(bits, b)
        assert divisor != -1 or dividend != -1 << bits - 1, "precondition: not INT_MIN % -1"
        remainder = abs(dividend) % abs(divisor)
        return (-remainder if dividend < 0 else remainder) & MASK[bits]

    def bit_and(self, bits: int, a: int, b: int) -> int:
        return a & b

    def bit_or(self, bits: int, a: int, b: int) -> int:
        return a | b

    def bit_xor(self, bits: int, a: int, b: int) -> int:
        return a ^ b

    def shift_left(self, bits: int, a: int, count: int) -> int:
        assert count < bits, "precondition: the count is masked"
        return a << count & MASK[bits]

    def shift_right(self, bits: int, a: int, count: int) -> int:
        assert count < bits, "precondition: the count is masked"
        return a >> count

    def shift_right_signed(self, bits: int, a: int, count: int) -> int:
        assert count < bits, "precondition: the count is masked"
        return signed(bits, a) >> count & MASK[bits]

    def zero_extend(self, bits: int, to_bits: int, a: int) -> int:
        return a

    def sign_extend(self, bits: int, to_bits: int, a: int) -> int:
        return signed(bits, a) & MASK[to_bits]

    def truncate(self, bits: int, to_bits: int, a: int) -> int:
        return a & MASK[to_bits]

    def reverse_bytes(self, bits: int, a: int) -> int:
        reversed_bytes = 0
        for low in range(0, bits, 8):
            reversed_bytes |= (a >> low & 0xFF) << bits - 8 - low
        return reversed_bytes

    def equal(self, bits: int, a: int, b: int) -> bool:
        return a == b

    def unsigned_less(self, bits: int, a: int, b: int) -> bool:
        return a < b

    def signed_less(self, bits: int, a: int, b: int) -> bool:
        return signed(bits, a) < signed(bits, b)

    def select(self, bits: int, condition: Truth, then: int, otherwise: int) -> int:
        return then if condition else otherwise


INTEGERS: Words[int] = Integers()
