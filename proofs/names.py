"""Registers that a pass may only compare and look up in `GUEST`: what it does for one choice it does for all.

`Name` stands for a register of which nothing is known but which others it equals, and whether it is r10. Whatever else
is asked of it fails. So a pass that ran on names did what it does for every choice of registers that coincide in the
same way, renamed. Trusted by isa.refines.
"""

from __future__ import annotations

from typing import Any

from proofs.executor import NotExplored
from validator.isa import FRAME_POINTER


class Unnamed(Exception):
    """A register was looked at that has not been chosen; `what` is what its name was made with."""

    def __init__(self, what: object) -> None:
        super().__init__(what)
        self.what = what


class Name:
    """One choice of a register. Without a `number` it is not chosen yet, and `Unnamed` says that it has to be."""

    __slots__ = ("_number", "_what")

    def __init__(self, number: int | None, what: object) -> None:
        self._number, self._what = number, what

    def __eq__(self, other: object) -> bool:
        if other is None:
            return False
        if isinstance(other, Name):
            return self._chosen() == other._chosen()
        if other != FRAME_POINTER:
            raise NotExplored(f"a register is compared with {other!r}")
        return self._chosen() == FRAME_POINTER

    def __index__(self) -> int:
        return self._chosen()

    def _chosen(self) -> int:
        if self._number is None:
            raise Unnamed(self._what)
        return self._number

    def __repr__(self) -> str:
        return f"r{self._number}"

    def __hash__(self) -> int:
        raise NotExplored("a register was used as a key")


def name(number: int | None, what: object = None) -> Any:  # noqa: ANN401 - stands for an int
    return Name(number, what)
