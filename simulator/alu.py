"""What eBPF arithmetic, byte order and branch conditions compute, over any domain of words.

Each function takes the operation and its width, which are known when a program is prepared, and returns its meaning
as a function of 64-bit words. A 32-bit operation sees the low halves and zero-extends its result (RFC 9669 section
4.1); nothing else may look at a high half. Trusts `simulator.words`; establishes the preconditions of its divisions
and shifts. Trusted by the reference semantics and theorem isa.refines.

Source: RFC 9669 sections 4.1 (arithmetic), 4.2 (byte swap), 4.3 (jumps).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from simulator.words import Truth, W, Words
from validator.isa import Operation


def arithmetic(words: Words[W], operation: Operation, bits: int) -> Callable[[W, W], W]:
    """(dst, operand) -> the new dst, for `Kind.ALU`."""
    return on_low_half(words, bits, _binary(words, operation, bits))


def _binary(words: Words[W], operation: Operation, bits: int) -> Callable[[W, W], W]:
    """The operation on words of `bits` bits."""
    match operation:
        case Operation.ADD:
            return partial(words.add, bits)
        case Operation.SUB:
            return partial(words.sub, bits)
        case Operation.MUL:
            return partial(words.mul, bits)
        case Operation.DIV:
            return lambda a, b: unsigned_quotient(words, bits, a, b)
        case Operation.SDIV:
            return lambda a, b: signed_quotient(words, bits, a, b)
        case Operation.MOD:
            return lambda a, b: unsigned_remainder(words, bits, a, b)
        case Operation.SMOD:
            return lambda a, b: signed_remainder(words, bits, a, b)
        case Operation.OR:
            return partial(words.bit_or, bits)
        case Operation.AND:
            return partial(words.bit_and, bits)
        case Operation.XOR:
            return partial(words.bit_xor, bits)
        case Operation.LSH:
            return lambda a, count: words.shift_left(bits, a, masked_count(words, bits, count))
        case Operation.RSH:
            return lambda a, count: words.shift_right(bits, a, masked_count(words, bits, count))
        case Operation.ARSH:
            return lambda a, count: words.shift_right_signed(bits, a, masked_count(words, bits, count))
        case Operation.MOV:
            return lambda a, b: b
        case _:
            raise AssertionError(f"{operation} is not arithmetic")


def on_low_half(words: Words[W], bits: int, operate: Callable[[W, W], W]) -> Callable[[W, W], W]:
    """`operate` itself at 64 bits; at 32 bits: applied to the low halves, its result zero-extended."""
    if bits == 64:
        return operate

    def narrow(a: W, b: W) -> W:
        return words.zero_extend(32, 64, operate(words.truncate(64, 32, a), words.truncate(64, 32, b)))

    return narrow


def unsigned_quotient(words: Words[W], bits: int, a: W, b: W) -> W:
    """a / b, and 0 if b is 0."""
    zero = words.constant(bits, 0)
    if words.equal(bits, b, zero):
        return zero
    return words.unsigned_div(bits, a, b)


def unsigned_remainder(words: Words[W], bits: int, a: W, b: W) -> W:
    """a mod b, and a if b is 0."""
    if words.equal(bits, b, words.constant(bits, 0)):
        return a
    return words.unsigned_rem(bits, a, b)


def signed_quotient(words: Words[W], bits: int, a: W, b: W) -> W:
    """a / b rounded towards zero, 0 if b is 0, and a if b is -1 and -a does not exist."""
    zero = words.constant(bits, 0)
    if words.equal(bits, b, zero):
        return zero
    if words.equal(bits, b, words.constant(bits, -1)):
        return words.sub(bits, zero, a)  # INT_MIN / -1 wraps to INT_MIN, and every other a / -1 is -a
    return words.signed_div(bits, a, b)


def signed_remainder(words: Words[W], bits: int, a: W, b: W) -> W:
    """a - b * (a / b) with that quotient, so it has the sign of a; a if b is 0, and 0 if b is -1."""
    zero = words.constant(bits, 0)
    if words.equal(bits, b, zero):
        return a
    if words.equal(bits, b, words.constant(bits, -1)):
        return zero
    return words.signed_rem(bits, a, b)


def masked_count(words: Words[W], bits: int, count: W) -> W:
    """A shift count uses its low 5 bits (32-bit shifts) or 6 bits (64-bit shifts)."""
    return words.bit_and(bits, count, words.constant(bits, bits - 1))


def negation(words: Words[W], bits: int) -> Callable[[W], W]:
    """dst -> -dst."""
    subtract = on_low_half(words, bits, partial(words.sub, bits))
    zero = words.constant(64, 0)
    return lambda a: subtract(zero, a)


def sign_extension(words: Words[W], from_bits: int, to_bits: int) -> Callable[[W], W]:
    """src -> its low `from_bits` bits, sign-extended to `to_bits`, then zero-extended to 64."""

    def extend(a: W) -> W:
        low = words.truncate(64, from_bits, a)
        return words.zero_extend(to_bits, 64, words.sign_extend(from_bits, to_bits, low))

    return extend


def byte_order(words: Words[W], operation: Operation, bits: int) -> Callable[[W], W]:
    """dst -> its low `bits` bits in the byte order asked for, zero-extended. The guest is little-endian."""

    def keep(a: W) -> W:
        return words.zero_extend(bits, 64, words.truncate(64, bits, a))

    def swap(a: W) -> W:
        return words.zero_extend(bits, 64, words.reverse_bytes(bits, words.truncate(64, bits, a)))

    return keep if operation is Operation.TO_LITTLE else swap


def condition(words: Words[W], operation: Operation, bits: int) -> Callable[[W, W], Truth]:
    """(dst, operand) -> whether the branch is taken. A 32-bit branch compares the low halves."""
    compare = _comparison(words, operation, bits)
    if bits == 64:
        return compare
    return lambda a, b: compare(words.truncate(64, 32, a), words.truncate(64, 32, b))


def _comparison(words: Words[W], operation: Operation, bits: int) -> Callable[[W, W], Truth]:
    """The condition on words of `bits` bits."""
    match operation:
        case Operation.JEQ:
            return partial(words.equal, bits)
        case Operation.JNE:
            return lambda a, b: not words.equal(bits, a, b)
        case Operation.JGT:
            return lambda a, b: words.unsigned_less(bits, b, a)
        case Operation.JGE:
            return lambda a, b: not words.unsigned_less(bits, a, b)
        case Operation.JLT:
            return partial(words.unsigned_less, bits)
        case Operation.JLE:
            return lambda a, b: not words.unsigned_less(bits, b, a)
        case Operation.JSGT:
            return lambda a, b: words.signed_less(bits, b, a)
        case Operation.JSGE:
            return lambda a, b: not words.signed_less(bits, a, b)
        case Operation.JSLT:
            return partial(words.signed_less, bits)
        case Operation.JSLE:
            return lambda a, b: not words.signed_less(bits, b, a)
        case Operation.JSET:
            return lambda a, b: not words.equal(bits, words.bit_and(bits, a, b), words.constant(bits, 0))
        case _:
            raise AssertionError(f"{operation} is not a branch condition")
