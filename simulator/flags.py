"""The flags that an instruction leaves, and the conditions that read them (SDM 1, 3.4.3.1; SDM 2, Jcc).

A flag is a word of one bit, not a truth: a condition combines flags, and truths of a symbolic domain are for `if`.
"""

from __future__ import annotations

from typing import assert_never

from jit.x86 import Alu, Cond
from simulator.machine import Flags, UndefinedRead
from simulator.words import Truth, W, Words


def bit(words: Words[W], truth: Truth) -> W:
    return words.select(1, truth, words.constant(1, 1), words.constant(1, 0))


def top(words: Words[W], bits: int, value: W) -> W:
    """The sign bit."""
    return words.truncate(bits, 1, words.shift_right(bits, value, words.constant(bits, bits - 1)))


def is_zero(words: Words[W], bits: int, value: W) -> W:
    return bit(words, words.equal(bits, value, words.constant(bits, 0)))


def after_add(words: Words[W], bits: int, a: W, b: W, total: W) -> Flags[W]:
    """total = a + b carried out if it is smaller than a; it overflowed if a and b have the sign that it lacks."""
    overflow = words.bit_and(bits, words.bit_xor(bits, a, total), words.bit_xor(bits, b, total))
    return Flags(
        cf=bit(words, words.unsigned_less(bits, total, a)),
        zf=is_zero(words, bits, total),
        sf=top(words, bits, total),
        of=top(words, bits, overflow),
    )


def after_sub(words: Words[W], bits: int, a: W, b: W, difference: W) -> Flags[W]:
    """difference = a - b borrowed if a < b; it overflowed if a has neither the sign of b nor that of the difference."""
    overflow = words.bit_and(bits, words.bit_xor(bits, a, b), words.bit_xor(bits, a, difference))
    return Flags(
        cf=bit(words, words.unsigned_less(bits, a, b)),
        zf=is_zero(words, bits, difference),
        sf=top(words, bits, difference),
        of=top(words, bits, overflow),
    )


def after_logic(words: Words[W], bits: int, value: W) -> Flags[W]:
    """AND, OR, XOR and TEST clear CF and OF."""
    zero = words.constant(1, 0)
    return Flags(cf=zero, zf=is_zero(words, bits, value), sf=top(words, bits, value), of=zero)


def arithmetic(words: Words[W], op: Alu, bits: int, a: W, b: W) -> tuple[W, Flags[W]]:
    """a op b and the flags. For CMP the result is the difference, which nothing stores."""
    match op:
        case Alu.ADD:
            value = words.add(bits, a, b)
            return value, after_add(words, bits, a, b, value)
        case Alu.SUB | Alu.CMP:
            value = words.sub(bits, a, b)
            return value, after_sub(words, bits, a, b, value)
        case Alu.OR:
            value = words.bit_or(bits, a, b)
        case Alu.AND:
            value = words.bit_and(bits, a, b)
        case Alu.XOR:
            value = words.bit_xor(bits, a, b)
        case _:
            assert_never(op)
    return value, after_logic(words, bits, value)


def holds(words: Words[W], cond: Cond, flags: Flags[W]) -> Truth:
    """Whether the condition is met. Raises UndefinedRead."""
    match cond:
        case Cond.B | Cond.AE:
            value = defined("CF", flags.cf)
        case Cond.E | Cond.NE:
            value = defined("ZF", flags.zf)
        case Cond.BE | Cond.A:
            value = words.bit_or(1, defined("CF", flags.cf), defined("ZF", flags.zf))
        case Cond.S | Cond.NS:
            value = defined("SF", flags.sf)
        case Cond.L | Cond.GE:
            value = words.bit_xor(1, defined("SF", flags.sf), defined("OF", flags.of))
        case Cond.LE | Cond.G:
            less = words.bit_xor(1, defined("SF", flags.sf), defined("OF", flags.of))
            value = words.bit_or(1, defined("ZF", flags.zf), less)
        case _:
            assert_never(cond)
    negated = cond.value & 1  # the odd condition codes (SDM 1, appendix B)
    return words.equal(1, value, words.constant(1, 1 - negated))


def defined(name: str, flag: W | None) -> W:
    if flag is None:
        raise UndefinedRead(name)
    return flag
