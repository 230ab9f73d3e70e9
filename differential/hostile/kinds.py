"""Classes of bad input, taken from others' bug reports: for each a generator and what must become of whatever it makes.

A kind is not one input: its generator draws places, sizes and numbers. `covers` names the classes of the collection of
cases (ids of objects, groups of programs, ids and rules of its README) that it stands for; `differential.classes` has
those that no input can show.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

REJECT, FAULT, EXIT, STOP = "reject", "fault", "exit", "stop"
Expected = str | int  # one of these words, or r0


class Case(NamedTuple):
    """An input and what must become of it: an object with `entry`, or bare code."""

    data: bytes
    expected: Expected
    is_elf: bool = True
    mem: bytes = b""
    entry: str | None = ".text"


class CaseKind(NamedTuple):
    """See the module."""

    make: Callable[[Random], Case]
    covers: tuple[str, ...]


def kinds() -> dict[str, CaseKind]:
    """All kinds by name: those of objects, then those of code."""
    from differential.hostile.kinds_of_code import CODE_KINDS
    from differential.hostile.kinds_of_objects import OBJECT_KINDS

    return OBJECT_KINDS | CODE_KINDS
