"""Unknown sequences behave as Python's do, and loops over them see each slot that is looked at, and no other."""

from __future__ import annotations

import ast
import inspect
from types import ModuleType
from typing import Any

import pytest
import z3

from proofs.executor import NotExplored, PathFailed, explore
from proofs.placements import every, unknown
from proofs.programs import UNREAD, SecondSlots, Unknowns, builtins_of, modelled
from proofs.solver import Status, decided
from proofs.symbolic import Int, condition_of, unknown_keys
from proofs.theorem import Obligation
from validator import decode, validate


def source(text: str) -> Any:  # noqa: ANN401 - a module
    module = ModuleType("planted")
    exec(text, vars(module))
    return module


def sequence(visits: int = 1) -> tuple[Any, Any, Unknowns[Any]]:
    """Unknowns, an index at which loops look, and a sequence whose elements are ten times their index."""
    u = unknown()
    length = u.between("length", 0, 1000)
    visited = tuple(u.between(f"index {n}", -1000, 1000) for n in range(visits))
    return u, visited, Unknowns(length, lambda index: index * 10, visited)


def proved(claim: z3.BoolRef, given: tuple[z3.BoolRef, ...]) -> bool:
    return decided(Obligation("", given, claim)).status is Status.PROVED


LOOPS = source("""
def through(elements):
    return [(index, element) for index, element in enumerate(elements)]

def between(start, end):
    return [index for index in range(start, end)]

def size(elements):
    return len(elements), len([1, 2, 3])
""")


def test_a_loop_visits_the_index_that_is_looked_at_if_there_is_such_an_element() -> None:
    u, (index,), elements = sequence()

    def run() -> Any:  # noqa: ANN401
        with modelled(LOOPS, builtins_of(elements)):
            return LOOPS.through(elements)

    paths = list(explore(run, assuming=tuple(u.given)))
    inside = every(index >= 0, index < elements.length)
    assert sorted(len(path.returned) for path in paths)[-1] == 1
    for path in paths:
        assert proved(inside if path.returned else z3.Not(inside), path.conditions)
        for found, element in path.returned:
            assert proved(every(found == index, element == 10 * index), path.conditions)


def test_a_range_with_a_known_end_is_pythons() -> None:
    _, _, elements = sequence()
    with modelled(LOOPS, builtins_of(elements)):
        assert LOOPS.between(2, 5) == [2, 3, 4]
        assert LOOPS.size(elements) == (elements.length, 3)
    assert LOOPS.between(2, 5) == [2, 3, 4]
    assert "len" not in vars(LOOPS)


def test_an_index_outside_is_an_error_and_a_negative_one_counts_from_the_end() -> None:
    u, (index,), elements = sequence()
    with pytest.raises(PathFailed, match="IndexError"):
        list(explore(lambda: elements[index], assuming=tuple(u.given)))
    u.given.append(every(index >= -elements.length, index < elements.length))
    for path in explore(lambda: elements[index], assuming=tuple(u.given)):
        place = z3.If(condition_of(index < 0), (index + elements.length).bits, index.bits)
        assert proved(path.returned.bits == place * 10, path.conditions)


def test_names_of_a_module_come_back_after_an_error() -> None:
    module = source("def judge():\n    return 1\n\ndef call():\n    return judge()")

    def broken() -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), modelled(module, {"judge": broken}):
        module.call()
    assert module.call() == 1


def test_an_element_that_is_not_looked_at_cannot_be_read() -> None:
    with pytest.raises(NotExplored):
        _ = UNREAD.kind
    assert UNREAD is not None


def test_unknown_ints_are_keys_only_where_it_is_said_and_then_equal_ones_are_one() -> None:
    a, some_a = Int.fresh("a", 0, 9)
    b, some_b = Int.fresh("b", 0, 9)

    def members() -> int:
        with unknown_keys():
            return len({0, a, b, a + 0})

    paths = {path.returned: path.conditions for path in explore(members, assuming=(some_a, some_b))}
    assert set(paths) == {1, 2, 3}
    assert proved(every(a == 0, b == 0), paths[1])
    assert proved(every(a != b, a != 0, b != 0), paths[3])
    with pytest.raises(NotExplored):
        list(explore(lambda: len({a, b}), assuming=(some_a, some_b)))


def test_equal_pcs_are_second_slots_alike() -> None:
    pc, _ = Int.fresh("pc", 0, 99)
    other, _ = Int.fresh("other", 0, 99)
    second = SecondSlots()
    assert second(pc + 1).eq(second(1 + pc))
    claim = second(pc) == second(other)
    assert proved(z3.Implies(condition_of(pc == other), claim), (second.consistent(),))
    assert not proved(claim, (second.consistent(),))


@pytest.mark.parametrize("module", [decode, validate])
def test_what_runs_on_one_slot_carries_nothing_from_one_element_to_the_next(module: ModuleType) -> None:
    """Loops are comprehensions, but for two that the theorems know: over constants, and `_joined`, which writes a list.

    A name that a comprehension binds is bound before it is read, in the first condition.
    """
    tree = ast.parse(inspect.getsource(module))
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For | ast.While | ast.AsyncFor)]
    shown = {ast.unparse(loop).split("\n")[0] for loop in loops}
    assert shown <= {
        "for field in row.reserved:",
        "for pc in [pc for pc, instruction in enumerate(decoded) if instruction.opcode == WIDE_OPCODE]:",
        "for instruction in program:",  # encode, which is for tests
    }
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Nonlocal | ast.Global)]
    bound = [node for node in ast.walk(tree) if isinstance(node, ast.NamedExpr)]
    first = [
        part
        for node in ast.walk(tree)
        if isinstance(node, ast.comprehension) and node.ifs
        for part in ast.walk(node.ifs[0].values[0] if isinstance(node.ifs[0], ast.BoolOp) else node.ifs[0])
    ]
    assert all(node in first for node in bound)
