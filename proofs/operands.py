"""Every macro with every choice of its finite operands and symbolic numbers, from the fields of its class.

A field's type says what it ranges over; a number's name says in which unit it is (`_NUMBERS`). A class with a field
of another name or type has no case and fails the run, so a new macro is covered from its first commit, or loudly not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain, permutations, product
from typing import Any, get_type_hints

import z3

from jit.layout import ADDRESS_LIMIT, Region, flat_regions
from jit.macros import Macro
from jit.macros.memory import AtChecked, InFrame, Place
from jit.registers import Reg
from jit.x86 import Alu, Cond, Shift
from proofs.symbolic import Int


@dataclass(slots=True)
class Unknowns:
    """Symbolic numbers by name, with their ranges."""

    assumptions: list[z3.BoolRef] = field(default_factory=list)
    shown: list[tuple[str, z3.ExprRef]] = field(default_factory=list)

    def between(self, name: str, low: int, high: int) -> Any:  # noqa: ANN401 - stands for an int
        value, within = Int.fresh(name, low, high)
        self.assumptions.append(within)
        self.shown.append((name, value.bits))
        return value


_ANY = 1 << 48  # wider than anything that the gate admits, or the encoder takes
_ANY_WORD = 1 << 70  # the same of 64 bits
# where the gate's approval counts from: an approved place is any number, as a distance from this one
APPROVED_LOW, _ = Int.fresh("approved low", 0, ADDRESS_LIMIT)

# field -> its values; a symbolic one stands for all of a range
_NUMBERS: dict[str, Callable[[Unknowns], tuple[Any, ...]]] = {
    "bits": lambda u: (32, 64),
    "imm": lambda u: (u.between("imm", -_ANY, _ANY),),
    "value": lambda u: (u.between("value", -_ANY_WORD, _ANY_WORD),),
    "divisor": lambda u: (u.between("divisor", -_ANY_WORD, _ANY_WORD),),
    "offset": lambda u: (u.between("offset", -_ANY, _ANY),),
    "low": lambda u: (u.between("low", -_ANY, _ANY),),
    "disp": lambda u: (u.between("disp", -_ANY, _ANY),),
    "distance": lambda u: (u.between("distance", -_ANY, _ANY),),
    "count": lambda u: (u.between("count", -256, 256),),
    "scale": lambda u: (0, 1, 2, 3),
    "source_bits": lambda u: (8, 16, 32),
    "size": lambda u: (1, 2, 4, 8),
}
_SPECIAL: dict[tuple[str, str], Callable[[Unknowns], tuple[Any, ...]]] = {
    ("ByteOrder", "bits"): lambda u: (16, 32, 64),
    ("CheckFlat", "size"): lambda u: (u.between("size", -_ANY, _ANY),),
    ("CheckStack", "size"): lambda u: (u.between("size", -_ANY, _ANY),),
    ("CheckAny", "size"): lambda u: (u.between("size", -_ANY, _ANY),),
}


# every choice that the gate admits: it refuses a region that occurs twice, so longer tuples are refused
def _regions() -> tuple[tuple[Region, ...], ...]:
    return tuple(chain.from_iterable(permutations(Region, n) for n in range(len(flat_regions(False)) + 1)))


_TYPES: dict[object, Callable[[Unknowns], tuple[Any, ...]]] = {
    Reg: lambda u: tuple(Reg),
    Alu: lambda u: tuple(Alu),
    Shift: lambda u: tuple(Shift),
    Cond: lambda u: tuple(Cond),
    bool: lambda u: (False, True),
    Region: lambda u: tuple(Region),
    Place: lambda u: (InFrame(*_NUMBERS["disp"](u)), AtChecked(APPROVED_LOW + u.between("distance", -_ANY, _ANY))),
    tuple[Region, ...]: lambda u: _regions(),
}


def fields_of(macro: type) -> tuple[str, ...]:
    """The operands of a macro class, in order."""
    names: tuple[str, ...] = macro._fields  # type: ignore[attr-defined]
    return names[:-1]  # the last is the tag that `jit.tagged` adds


def macros_of(macro: type) -> Iterator[tuple[Macro, Unknowns]]:
    """Every macro of this class, with the symbolic numbers that occur in it."""
    hints = get_type_hints(macro)
    unknowns = Unknowns()
    choices = []
    for name in fields_of(macro):
        special = _SPECIAL.get((macro.__name__, name))
        kind = hints[name]
        values = special or (_NUMBERS[name] if kind is int else _TYPES[kind])
        choices.append(values(unknowns))
    for operands in product(*choices):
        yield macro(*operands), unknowns


def roles(macro: Macro) -> dict[Reg, str]:
    """Registers that are operands, by the name of the field: cases that differ in a register look alike."""
    found: dict[Reg, str] = {}
    for name in fields_of(type(macro)):
        value = getattr(macro, name)
        if isinstance(value, Reg):
            found.setdefault(value, name)
    return found
