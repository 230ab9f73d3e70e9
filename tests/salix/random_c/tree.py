"""A C program as a tree whose parts can be left out: what the generator writes and what shrinking cuts.

What makes a program well defined (masks of shift counts and indices, divisors that are not zero) stands in the
templates, not in parts of their own: a tree with fewer parts is as well defined as it was.
"""

from __future__ import annotations

from typing import NamedTuple


class Expression(NamedTuple):
    """`template` has a place {0}, {1} ... for each part; braces of C are doubled in it."""

    template: str
    parts: tuple[Expression, ...] = ()

    def __str__(self) -> str:
        return self.template.format(*self.parts) if self.parts else self.template


class Statement(NamedTuple):
    """`heads` stand around `bodies`: one more than these. They have places for the parts as expressions do."""

    heads: tuple[str, ...]
    parts: tuple[Expression, ...] = ()
    bodies: tuple[tuple[Statement, ...], ...] = ()

    def lines(self, indent: int) -> list[str]:
        """The C text."""
        shown = [head.format(*self.parts) for head in self.heads]
        made = [" " * indent + shown[0]]
        for body, head in zip(self.bodies, shown[1:], strict=True):
            for statement in body:
                made += statement.lines(indent + 4)
            made.append(" " * indent + head)
        return made


class Function(NamedTuple):
    """A definition."""

    head: str
    body: tuple[Statement, ...]

    def lines(self) -> list[str]:
        return [self.head, "{", *(line for statement in self.body for line in statement.lines(4)), "}"]


class Source(NamedTuple):
    """A translation unit: `unsigned long long run(void)`, the last function, gives its result."""

    declarations: tuple[str, ...]
    functions: tuple[Function, ...]

    def __str__(self) -> str:
        return (
            "\n".join([*self.declarations, *(line for function in self.functions for line in function.lines())]) + "\n"
        )


def statement(text: str, *parts: Expression) -> Statement:
    """One without bodies."""
    return Statement((text,), parts)
