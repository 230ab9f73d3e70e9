"""The host of a foreign C program: that of `runtime run`, and what stands for functions that nobody has."""

from __future__ import annotations

from runtime import GuestMemory
from runtime.helpers import HelperFunction


class Missing(Exception):
    """The program called a function that this host does not have; its name."""


def missing(name: str) -> HelperFunction:
    """Stands for a function that the host does not have: a program may name it and never call it."""

    def function(_memory: GuestMemory, *_: int) -> int:
        raise Missing(name)

    return function
