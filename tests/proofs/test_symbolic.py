"""`Int` computes what Python's ints do, and refuses what might not fit."""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
import z3

from proofs.executor import Fork, NotExplored, explore
from proofs.symbolic import INT_BITS, Int, TooWide, condition_of, same

SMALL = range(-9, 10)
BINARY: tuple[Callable[[Any, Any], Any], ...] = (
    operator.add, operator.sub, operator.mul, operator.and_, operator.or_, operator.xor,
    operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge,
)  # fmt: skip
BY_NUMBER: tuple[tuple[Callable[[Any, Any], Any], range | tuple[int, ...]], ...] = (
    (operator.lshift, range(6)),
    (operator.rshift, range(6)),
    (operator.floordiv, (1, 2, 4, 8, 16)),
    (operator.mod, (1, 2, 4, 8, 16)),
)
X = z3.BitVec("x", INT_BITS)
Y = z3.BitVec("y", INT_BITS)


def value_of(result: Any, **values: int) -> int | bool:  # noqa: ANN401
    """What `result`, over x and y, is for these values; and that it lies in the range that it claims."""
    known = [({"x": X, "y": Y}[name], z3.BitVecVal(value, INT_BITS)) for name, value in values.items()]
    if isinstance(result, bool | Fork):
        return bool(z3.is_true(z3.simplify(z3.substitute(condition_of(result), *known))))
    found = int(z3.simplify(z3.substitute(result.bits, *known)).as_signed_long())
    assert result.low <= found <= result.high
    return found


@pytest.mark.parametrize("operation", BINARY, ids=lambda operation: operation.__name__)
@pytest.mark.parametrize(("low", "high"), [(-9, 9), (0, 9), (-9, -1)])
def test_operations_on_two_ints(operation: Callable[[Any, Any], Any], low: int, high: int) -> None:
    symbolic = operation(Int(X, low, high), Int(Y, -9, 9))
    for a, b in product(range(low, high + 1, 2), SMALL):
        assert value_of(symbolic, x=a, y=b) == operation(a, b), (a, b)


@pytest.mark.parametrize("operation", BINARY, ids=lambda operation: operation.__name__)
def test_operations_with_a_number_on_either_side(operation: Callable[[Any, Any], Any]) -> None:
    x = Int(X, -9, 9)
    for number in (-9, -1, 0, 1, 6, 9):
        left, right = operation(number, x), operation(x, number)
        for a in SMALL:
            assert value_of(left, x=a) == operation(number, a)
            assert value_of(right, x=a) == operation(a, number)


@pytest.mark.parametrize(("operation", "numbers"), BY_NUMBER, ids=[operation.__name__ for operation, _ in BY_NUMBER])
def test_operations_by_a_number(operation: Callable[[Any, Any], Any], numbers: range | tuple[int, ...]) -> None:
    for number in numbers:
        symbolic = operation(Int(X, -20, 20), number)
        for a in range(-20, 21):
            assert value_of(symbolic, x=a) == operation(a, number), (a, number)


@pytest.mark.parametrize("operation", [operator.neg, operator.invert])
def test_operations_on_one_int(operation: Callable[[Any], Any]) -> None:
    symbolic = operation(Int(X, -9, 9))
    assert [value_of(symbolic, x=a) for a in SMALL] == [operation(a) for a in SMALL]


def test_what_fits_no_longer_is_refused_before_it_can_wrap() -> None:
    limit = 1 << INT_BITS - 2
    x = Int(X, -limit, limit)
    wider: list[Callable[[], Int]] = [lambda: x + 1, lambda: x - 1, lambda: x * 2, lambda: x << 1, lambda: 1 + x]
    for operation in wider:
        with pytest.raises(TooWide):
            operation()
    assert (x >> 1) + (x >> 1) is not None
    word = Int.of_word(z3.BitVec("w", 64))
    assert (word + word).high == 2 * (2**64 - 1)
    with pytest.raises(TooWide):
        word * word


@pytest.mark.parametrize(("signed", "expected"), [(False, 0xFF), (True, -1)])
def test_a_word_is_read_as_it_is_said(signed: bool, expected: int) -> None:
    value = Int.of_word(z3.BitVecVal(0xFF, 8), signed=signed)
    assert z3.simplify(value.bits).as_signed_long() == expected
    assert z3.simplify(value.word(8)).as_long() == 0xFF


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (1, 1, True),
        (1, 2, False),
        ((1, 2), (1, 2), True),
        ((1, 2), (1, 3), False),
        ((1,), (1, 2), False),
        (1, "1", False),
    ],
)
def test_same_of_known_values(a: object, b: object, expected: bool) -> None:
    assert z3.is_true(z3.simplify(same(a, b))) is expected


@pytest.mark.parametrize(
    "operation",
    [
        lambda a, k: (a - 20).bit_length(),
        lambda a, k: 1 << k,
        lambda a, k: (a - 20) << k,
        lambda a, k: (a - 20) >> k,
        lambda a, k: (a - 20) // (1 << k),
        lambda a, k: (a - 20) % (1 << k),
        lambda a, k: -(-(a - 20) // (1 << k)) * (1 << k),
    ],
)
def test_unknown_shifts_lengths_and_divisors_are_those_of_python(operation: Callable[[Any, Any], Any]) -> None:
    a, some_a = Int.fresh("a", 0, 40)
    k, some_k = Int.fresh("k", 0, 5)
    (path,) = explore(lambda: operation(a, k), assuming=(some_a, some_k))
    for x in range(41):
        for n in range(6):
            value = z3.substitute(path.returned.bits, (a.bits, z3.BitVecVal(x, 80)), (k.bits, z3.BitVecVal(n, 80)))
            assert z3.simplify(value).as_signed_long() == operation(x, n)


def test_bytes_are_those_of_the_number_and_join_known_ones() -> None:
    x = Int(X, 0, 0xFFFF_FFFF)
    joined = b"\x48\xb8" + x.to_bytes(4, "little") + b"\xc3"
    assert (joined[:2], joined[-1], len(joined)) == ((0x48, 0xB8), 0xC3, 7)
    for a in (0, 1, 0x80, 0x1234_5678, 0xFFFF_FFFF):
        assert bytes(value_of(byte, x=a) for byte in joined[2:6]) == a.to_bytes(4, "little")


def test_bytes_of_what_might_not_fit_are_refused() -> None:
    for low, high in ((0, 256), (-1, 255)):
        with pytest.raises(NotExplored):
            Int(X, low, high).to_bytes(1, "little")
    with pytest.raises(NotExplored):
        Int(X, 0, 255).to_bytes(2, "big")
