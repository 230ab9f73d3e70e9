"""A smaller program on which the engines still differ in the same way.

Leaves out functions, declarations and statements, long stretches first; puts a body in the place of a statement that
has one, a part in the place of an expression, and 0 or 1 in the place of any. What no longer compiles differs in
another way and is not taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from differential.shrink import with_fewer
from tests.salix.random_c.tree import Expression, Function, Source, Statement

MOST_TRIES = 2000
Still = Callable[[Source], bool]
_CONSTANTS = (Expression("0"), Expression("1"))


def shrunk(source: Source, differs: Still) -> Source:
    """The smallest found. `differs` must hold of `source`."""
    left = MOST_TRIES

    def still(candidate: Source) -> bool:
        nonlocal left
        left -= 1
        return left >= 0 and all(map(_returns, candidate.functions)) and differs(candidate)

    before = None
    while before != source and left > 0:
        before = source
        source = _with_fewer_functions(source, still)
        source = _with_fewer_declarations(source, still)
        for number in range(len(source.functions)):
            source = _with_smaller_body(source, number, still)
    return source


def _returns(function: Function) -> bool:
    """Whether control cannot reach the end of a function that has a value, which would leave the value undefined."""
    return "void " in function.head or (bool(function.body) and function.body[-1].heads[0].startswith("return"))


def _with_fewer_functions(source: Source, still: Still) -> Source:
    *others, last = source.functions
    fewer = with_fewer(tuple(others), lambda rest: still(source._replace(functions=(*rest, last))))
    return source._replace(functions=(*fewer, last))


def _with_fewer_declarations(source: Source, still: Still) -> Source:
    fewer = with_fewer(source.declarations, lambda rest: still(source._replace(declarations=rest)))
    return source._replace(declarations=fewer)


def _with_smaller_body(source: Source, number: int, still: Still) -> Source:
    def placed(body: tuple[Statement, ...]) -> Source:
        functions = list(source.functions)
        functions[number] = Function(functions[number].head, body)
        return source._replace(functions=tuple(functions))

    body = _smaller(source.functions[number].body, lambda rest: still(placed(rest)))
    return placed(body)


def _smaller(body: tuple[Statement, ...], still: Callable[[tuple[Statement, ...]], bool]) -> tuple[Statement, ...]:
    body = with_fewer(body, still)
    at = 0
    while at < len(body):
        changed = _changed(body, at, still)
        if changed is None:
            at += 1
        else:
            body = changed
    return body


def _changed(
    body: tuple[Statement, ...], at: int, still: Callable[[tuple[Statement, ...]], bool]
) -> tuple[Statement, ...] | None:
    """One statement simpler, if that can be; None if it is as simple as can be."""
    given = body[at]
    for inner in given.bodies:
        unwrapped = (*body[:at], *inner, *body[at + 1 :])
        if still(unwrapped):
            return unwrapped
    for candidate in _simpler_statements(given):
        tried = (*body[:at], candidate, *body[at + 1 :])
        if still(tried):
            return tried
    for number, inner in enumerate(given.bodies):

        def with_inner(rest: tuple[Statement, ...], number: int = number) -> tuple[Statement, ...]:
            bodies = (*given.bodies[:number], rest, *given.bodies[number + 1 :])
            return (*body[:at], given._replace(bodies=bodies), *body[at + 1 :])

        smaller = _smaller(inner, lambda rest: still(with_inner(rest)))
        if smaller != inner:
            return with_inner(smaller)
    return None


def _simpler_statements(given: Statement) -> Iterator[Statement]:
    for number, part in enumerate(given.parts):
        for simpler in _simpler(part):
            yield given._replace(parts=(*given.parts[:number], simpler, *given.parts[number + 1 :]))


def _simpler(given: Expression) -> Iterator[Expression]:
    """Each expression that is one step simpler, the simplest first."""
    if given not in _CONSTANTS:
        yield from _CONSTANTS
    yield from given.parts
    for number, part in enumerate(given.parts):
        for simpler in _simpler(part):
            yield given._replace(parts=(*given.parts[:number], simpler, *given.parts[number + 1 :]))
