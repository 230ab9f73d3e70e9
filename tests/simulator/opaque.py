"""A domain whose words can be used by nothing but the domain, and which checks every width.

Semantics that runs on it uses no operator of Python on a word, and never mixes up widths: it will run on solver terms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from simulator.integers import INTEGERS
from simulator.memory import ByteMemory
from simulator.words import WIDTHS, Truth


class Opaque:
    """A word of `bits` bits. Comparing, hashing or testing it is a mistake."""

    __slots__ = ("bits", "value")

    def __init__(self, bits: int, value: int) -> None:
        assert bits in WIDTHS  # all that model.domains compares
        assert 0 <= value < 2**bits
        self.bits, self.value = bits, value

    def _refuse(self, *_: object) -> NoReturn:
        raise TypeError("a word is not a Python value")

    __eq__ = __ne__ = __hash__ = __bool__ = __index__ = __int__ = _refuse


class Decided:
    """A truth that is no bool."""

    def __init__(self, holds: bool) -> None:
        self._holds = holds

    def __bool__(self) -> bool:
        return self._holds


class OpaqueWords:
    """`Words[Opaque]`."""

    def constant(self, bits: int, value: int) -> Opaque:
        return Opaque(bits, value % 2**bits)

    def _two(self, operate: Callable[[int, int, int], int], bits: int, a: Opaque, b: Opaque) -> Opaque:
        return Opaque(bits, operate(bits, *_values(bits, a, b)))

    def add(self, bits: int, a: Opaque, b: Opaque) -> Opaque:
        return self._two(INTEGERS.add, bits, a, b)

    def sub(self, bits: int, a: Opaque, b: Opaque) -> Opaque:
        return self._two(INTEGERS.sub, bits, a, b)

    def mul(self, bits: int, a: Opaque, b: Opaque) -> Opaque:
        return self._two(INTEGERS.mul, bits, a, b)

    def unsigned_div(self, bits: int, a: Opaque, b: Opaque) -> Opaque:
        return self._two(INTEGERS.unsigned_div, bits, a, b)

    def unsigned_rem(self, bits: int, a: Opaque, b: Opaque) -> Opaque:
        return self._two(INTEGERS.unsigned_rem, bits, a, b)

    def signed_div(self, bits: int, a: Opaque, b: Opaque) -> Opaque:
        return self._two(INTEGERS.signed_div, bits, a, b)

    def signed_rem(self, bits: int, a: Opaque, b: Opaque) -> Opaque:
        return self._two(INTEGERS.signed_rem, bits, a, b)

    def bit_and(self, bits: int, a: Opaque, b: Opaque) -> Opaque:
        return self._two(INTEGERS.bit_and, bits, a, b)

    def bit_or(self, bits: int, a: Opaque, b: Opaque) -> Opaque:
        return self._two(INTEGERS.bit_or, bits, a, b)

    def bit_xor(self, bits: int, a: Opaque, b: Opaque) -> Opaque:
        return self._two(INTEGERS.bit_xor, bits, a, b)

    def shift_left(self, bits: int, a: Opaque, count: Opaque) -> Opaque:
        return self._two(INTEGERS.shift_left, bits, a, count)

    def shift_right(self, bits: int, a: Opaque, count: Opaque) -> Opaque:
        return self._two(INTEGERS.shift_right, bits, a, count)

    def shift_right_signed(self, bits: int, a: Opaque, count: Opaque) -> Opaque:
        return self._two(INTEGERS.shift_right_signed, bits, a, count)

    def zero_extend(self, bits: int, to_bits: int, a: Opaque) -> Opaque:
        assert bits <= to_bits
        return Opaque(to_bits, *_values(bits, a))

    def sign_extend(self, bits: int, to_bits: int, a: Opaque) -> Opaque:
        assert bits <= to_bits
        return Opaque(to_bits, INTEGERS.sign_extend(bits, to_bits, *_values(bits, a)))

    def truncate(self, bits: int, to_bits: int, a: Opaque) -> Opaque:
        assert to_bits <= bits
        return Opaque(to_bits, INTEGERS.truncate(bits, to_bits, *_values(bits, a)))

    def reverse_bytes(self, bits: int, a: Opaque) -> Opaque:
        return Opaque(bits, INTEGERS.reverse_bytes(bits, *_values(bits, a)))

    def equal(self, bits: int, a: Opaque, b: Opaque) -> Decided:
        return Decided(bool(INTEGERS.equal(bits, *_values(bits, a, b))))

    def unsigned_less(self, bits: int, a: Opaque, b: Opaque) -> Decided:
        return Decided(bool(INTEGERS.unsigned_less(bits, *_values(bits, a, b))))

    def signed_less(self, bits: int, a: Opaque, b: Opaque) -> Decided:
        return Decided(bool(INTEGERS.signed_less(bits, *_values(bits, a, b))))

    def select(self, bits: int, condition: Truth, then: Opaque, otherwise: Opaque) -> Opaque:
        values = _values(bits, then, otherwise)
        return Opaque(bits, values[0] if condition else values[1])


def _values(bits: int, *words: Opaque) -> tuple[int, ...]:
    assert all(word.bits == bits for word in words), f"widths {[word.bits for word in words]}, not {bits}"
    return tuple(word.value for word in words)


class OpaqueMemory:
    """`Memory[Opaque]` over bytes."""

    def __init__(self, memory: ByteMemory) -> None:
        self._memory = memory

    def load(self, address: Opaque, size: int) -> Opaque:
        (at,) = _values(64, address)
        return Opaque(64, self._memory.load(at, size))

    def store(self, address: Opaque, size: int, value: Opaque) -> None:
        at, stored = _values(64, address, value)
        self._memory.store(at, size, stored)
