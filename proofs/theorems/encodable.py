"""Whether the bytes of an instruction are known to be its own: what ties the theorems about expansions to bytes.*.

The instructions that bytes.roundtrip ranges over are a table here, made from that theorem's own enumeration: finite
operands as they are, and the range of each number. An instruction beside the table must be one that the encoder
refuses. Trusted by gate.contract.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TypeAlias

import z3

from jit.encode import EncodingRefused, encode
from jit.x86 import X86, Label, Native, PcPlus
from proofs.executor import explore
from proofs.symbolic import Int, as_int, condition_of
from proofs.theorems import bytes as roundtrip

Shape: TypeAlias = tuple[object, ...]  # operands; None for a number or a label
Range: TypeAlias = tuple[int, int]


def own_bytes(instructions: tuple[X86, ...]) -> z3.BoolRef:
    """That each instruction is one which bytes.roundtrip is about, or is refused by the encoder."""
    claims = [z3.BoolVal(True)]
    for instruction in instructions:
        if not isinstance(instruction, Label):
            known = z3.simplify(_known(instruction))
            if not z3.is_true(known):
                claims.append(z3.Implies(_encoded(instruction), known))
    return z3.And(*claims)


def emitted(instructions: tuple[X86, ...]) -> bool:
    """False if the encoder refuses one of them whatever its numbers are: then there is nothing to say of them."""
    beside = (i for i in instructions if not isinstance(i, Label) and z3.is_false(z3.simplify(_known(i))))
    return not any(z3.is_false(z3.simplify(_encoded(instruction))) for instruction in beside)


def _known(instruction: X86) -> z3.BoolRef:
    """Whether the table has the instruction."""
    form: type = type(instruction)
    numbers: list[int | Int] = []
    ranges = _table(form).get(_shape(instruction, _example(form), numbers))
    if ranges is None:
        return z3.BoolVal(False)
    pairs = list(zip(numbers, ranges, strict=False))  # a pc in place of a number is patched later, in four bytes
    return z3.And(*(_inside(number, *limits) for number, limits in pairs), z3.BoolVal(True))


def _inside(number: int | Int, low: int, high: int) -> z3.BoolRef:
    value = as_int(number)
    if low <= value.low and value.high <= high:
        return z3.BoolVal(True)
    return z3.And(condition_of(value >= low), condition_of(value <= high))


_ENCODED: dict[object, tuple[list[int | Int], z3.BoolRef]] = {}  # the numbers are held, so that ids stay theirs


def _encoded(instruction: X86) -> z3.BoolRef:
    """`_encodes`, asked once of instructions that are the same."""
    form: type = type(instruction)
    numbers: list[int | Int] = []
    shape = _shape(instruction, _example(form), numbers)
    key = form, shape, tuple(as_int(number).bits.get_id() for number in numbers)
    if key not in _ENCODED:
        _ENCODED[key] = [as_int(number) for number in numbers], _encodes(instruction)
    return _ENCODED[key][1]


def _encodes(instruction: X86) -> z3.BoolRef:
    """Whether the encoder makes bytes of it: it refuses, or a table of it has no such width."""

    def encodes() -> bool:
        try:
            encode(instruction)
        except (EncodingRefused, KeyError):
            return False
        return True

    paths = explore(encodes, prune=False)
    return z3.Or(*(z3.And(*path.conditions, z3.BoolVal(True)) for path in paths if path.returned), z3.BoolVal(False))


# ---------------------------------------------------------------- the table


@cache
def _example(form: type) -> X86:
    return next(_enumerated(form))


@cache
def _table(form: type) -> dict[Shape, tuple[Range, ...]]:
    """By finite operands: the ranges of the numbers."""
    found: dict[Shape, tuple[Range, ...]] = {}
    for instruction in _enumerated(form):
        numbers: list[int | Int] = []
        shape = _shape(instruction, _example(form), numbers)
        found[shape] = tuple((as_int(number).low, as_int(number).high) for number in numbers)
    return found


def _enumerated(form: type) -> Iterator[X86]:
    yield from roundtrip.FORMS[form](roundtrip._Unknowns())


def _shape(value: tuple[object, ...], example: tuple[object, ...], numbers: list[int | Int]) -> Shape:
    """The operands where `example` has finite ones. Its numbers go to `numbers`; labels and pcs are patched later."""
    shape: list[object] = []
    for mine, theirs in zip(value, example, strict=True):
        if isinstance(theirs, Native) or isinstance(mine, PcPlus):
            shape.append(None)
        elif isinstance(theirs, Int):
            assert isinstance(mine, int | Int), f"{mine!r} where a number is expected"
            numbers.append(mine)
            shape.append(None)
        elif isinstance(theirs, tuple) and isinstance(mine, tuple):
            shape.append(_shape(mine, theirs, numbers))
        else:
            shape.append(mine)
    return tuple(shape)
