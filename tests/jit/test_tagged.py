"""No two classes of instructions, macros, labels, places or touches have equal instances, whatever their fields."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from typing import NamedTuple

import pytest

from jit.macros import MACROS, Move
from jit.macros.contract import Approved, Touch
from jit.macros.memory import Place
from jit.registers import Reg
from jit.tagged import maker, operands, tagged
from jit.x86 import FORMS, Label, Mem, MovReg, PcPlus, Target

CLASSES = (*FORMS, *MACROS, *Target.__args__, *Touch.__args__, *Place.__args__, PcPlus, Mem, Approved)


def test_the_classes_are_distinct_and_their_names_too() -> None:
    assert len(set(CLASSES)) == len({(cls.__module__, cls.__qualname__) for cls in CLASSES}) == len(CLASSES) > 90


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: f"{cls.__module__}.{cls.__name__}")
def test_the_last_item_is_the_name_of_the_class(cls: type[tuple[object, ...]]) -> None:
    filled = filled_with(0, cls)
    assert filled[-1] == f"{cls.__module__}.{cls.__qualname__}"
    assert filled == filled_with(0, cls)
    assert hash(filled) == hash(filled_with(0, cls))
    assert filled  # also if it has no fields


@pytest.mark.parametrize("operand", [0, 1, 64, Reg.rax, None])
def test_equal_operands_in_two_classes_are_not_equal(operand: object) -> None:
    for a, b in combinations(CLASSES, 2):
        assert filled_with(operand, a) != filled_with(operand, b)
    assert len({filled_with(operand, cls) for cls in CLASSES}) == len(CLASSES)


def filled_with(operand: object, cls: type[tuple[object, ...]]) -> tuple[object, ...]:
    fields: tuple[str, ...] = cls._fields  # type: ignore[attr-defined]
    make: Callable[..., tuple[object, ...]] = cls
    return make(*[operand] * (len(fields) - 1))


class Plain(NamedTuple):
    """Has a docstring."""

    bits: int
    dst: Reg = Reg.rax

    def doubled(self) -> int:
        return 2 * self.bits


Tagged = tagged(Plain)


def test_what_a_named_tuple_has_stays() -> None:
    made = Tagged(32)
    assert (made, made.bits, made.dst, made.doubled()) == (Tagged(bits=32, dst=Reg.rax), 32, Reg.rax, 64)
    assert (Tagged.__doc__, Tagged.__module__) == ("Has a docstring.", __name__)
    assert made._replace(dst=Reg.rcx) == Tagged(32, Reg.rcx)
    match made:
        case Tagged(bits, dst):
            assert (bits, dst) == (32, Reg.rax)
        case _:
            raise AssertionError("no match")


def test_the_tag_is_not_shown() -> None:
    assert operands(Tagged(32)) == (("bits", 32), ("dst", Reg.rax))
    assert repr(Tagged(32)) == "Plain(bits=32, dst=<Reg.rax: 0>)"
    assert repr(Label(1)) == "Label(number=1, cold=False)"


def test_nothing_is_equal_to_a_tuple_of_its_operands() -> None:
    plain, moves = (64, Reg.rax, Reg.rcx), (MovReg(64, Reg.rax, Reg.rcx), Move(64, Reg.rax, Reg.rcx))
    assert all(a != b for a, b in product((plain,), moves))


def test_what_is_made_by_the_maker_is_what_the_class_makes() -> None:
    make = maker(Tagged)
    for made in (make(32), make(bits=32), make(32, Reg.rax), make(32, dst=Reg.rax)):
        assert (type(made), made, repr(made)) == (Tagged, Tagged(32), repr(Tagged(32)))
    with pytest.raises(TypeError):
        make()  # type: ignore[call-arg]
