"""An eBPF program of unknown length, of which a few slots are looked at; and the builtins that go through programs.

The passes go through a program in comprehensions: each element is judged by itself, and the pass refuses if it refuses
any of them. So what holds of an accepted program at one slot, whichever it is, is what the shipped function does when
its comprehension visits that slot. `modelled` runs a function with `range` and its like visiting only the slots that a
theorem looks at, on an `UnknownProgram` that answers for all others with unknowns. Sound as long as no comprehension
carries something from one element to the next; what does (a table of what was seen, a list that is written) is named
in the theorem, which then looks at two elements, or at what is written.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Generic, TypeVar

import z3

from proofs.executor import Fork, NotExplored
from proofs.placements import every
from proofs.symbolic import Int, as_int, condition_of, spelling, unknown_keys
from validator.decode import WIDE_OPCODE
from validator.isa import Form, Instruction

T = TypeVar("T")


class Unread:
    """An element that nobody looks at but to see that it is there."""

    def __getattr__(self, name: str) -> object:
        raise NotExplored(f"`{name}` of an element that is not looked at")


UNREAD = Unread()


@dataclass(slots=True)
class Unknowns(Generic[T]):
    """A sequence of unknown length. `visited` are the indices at which loops look, in ascending order."""

    length: Any
    element: Callable[[Any], T]
    visited: tuple[Any, ...]
    written: list[tuple[Any, T]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.length != 0)

    def __getitem__(self, index: Any) -> T:  # noqa: ANN401
        if index < 0:  # as Python does
            index = index + self.length
        if not 0 <= index < self.length:
            raise IndexError("index out of range")
        return self.element(index)

    def __setitem__(self, index: Any, value: T) -> None:  # noqa: ANN401
        self.written.append((index, value))  # not read back: `element` answers as before

    def in_range(self, start: Any, end: Any) -> Iterator[Any]:  # noqa: ANN401
        return (index for index in self.visited if start <= index < end)

    def enumerated(self) -> Iterator[tuple[Any, T]]:
        return ((index, self.element(index)) for index in self.in_range(0, self.length))

    def copied(self) -> Unknowns[T]:
        return Unknowns(self.length, self.element, self.visited)


def builtins_of(looked_at: Unknowns[Any]) -> dict[str, Callable[..., Any]]:
    """Builtins that know unknown sequences, for `modelled`; of everything else they are what they always are."""

    def model(known: Callable[..., Any], unknown: Callable[[Unknowns[Any]], Any]) -> Callable[..., Any]:
        return lambda value: unknown(value) if isinstance(value, Unknowns) else known(value)

    def unknown_range(start: Any, end: Any) -> Iterable[Any]:  # noqa: ANN401
        if isinstance(start, Int) or isinstance(end, Int):
            return looked_at.in_range(start, end)
        return range(start, end)

    return {
        "len": model(builtins.len, lambda sequence: sequence.length),
        "enumerate": model(builtins.enumerate, Unknowns.enumerated),
        "list": model(builtins.list, Unknowns.copied),
        "tuple": model(builtins.tuple, lambda sequence: sequence),
        "range": unknown_range,
    }


@contextmanager
def modelled(module: ModuleType, names: dict[str, Any]) -> Iterator[None]:
    """Functions of `module` find `names` in the place of builtins, or of what the module defines itself."""
    before = {name: vars(module)[name] for name in names if name in vars(module)}
    vars(module).update(names)
    try:
        with unknown_keys():
            yield
    finally:
        for name in names:
            del vars(module)[name]
        vars(module).update(before)


class Refused(Exception):
    """In the place of `Rejected`, whose sentence would take the instruction apart once more."""

    def __init__(self, reason: object, pc: object, *_: object, **__: object) -> None:
        self.reason, self.pc = reason, pc


class SecondSlots:
    """Which slots are the second of an lddw. Unknown, one for each pc, and named after it; reads of equal pcs agree."""

    def __init__(self) -> None:
        self._read: list[tuple[Int, z3.BoolRef]] = []

    def __call__(self, pc: Any) -> z3.BoolRef:  # noqa: ANN401
        pc = as_int(pc)
        bits = z3.simplify(pc.bits)
        known = next((second for other, second in self._read if other.bits.eq(bits)), None)
        if known is None:
            known = z3.Bool(f"second slot at {spelling(bits)}")
            self._read.append((Int(bits, pc.low, pc.high), known))
        return known

    def consistent(self) -> z3.BoolRef:
        """To be assumed with every claim, after all reads."""
        pairs = [(a, b) for i, a in enumerate(self._read) for b in self._read[:i]]
        return every(*(z3.Implies(a.bits == b.bits, x == y) for (a, x), (b, y) in pairs))


@dataclass(frozen=True, slots=True)
class OneSlot:
    """A program of `length` slots with `instruction`, of `form`, at `pc`; of all others it is known which are second.

    `forms` are what `validate` makes of it: theorem validator.instruction.
    """

    length: Any
    pc: Any
    instruction: Instruction
    form: Form
    second: SecondSlots

    def program(self) -> Unknowns[Any]:
        return Unknowns(self.length, lambda pc: self._at(pc, self.instruction), (self.pc,))

    def forms(self) -> Unknowns[Any]:
        return Unknowns(self.length, lambda pc: self._at(pc, self.form), (self.pc,))

    def _at(self, pc: Any, here: object) -> object:  # noqa: ANN401
        if Fork(self.second(pc)):
            return None
        return here if as_int(pc).bits.eq(as_int(self.pc).bits) else UNREAD

    def defined(self, pc: Any) -> z3.BoolRef:  # noqa: ANN401
        """`pc` is the place of an instruction."""
        return every(pc >= 0, pc < self.length, z3.Not(self.second(pc)))

    def decoded(self) -> z3.BoolRef:
        """What `second_slots_follow` says of the slots around this one, and of the first."""
        wide = z3.BoolVal(self.instruction.opcode == WIDE_OPCODE)  # as `decode` decides it, whatever `slots` says
        here = z3.And(wide, z3.Not(self.second(self.pc)))
        behind = z3.Bool("the slot behind starts an lddw")
        return z3.And(
            second_slots_follow(self.length, -1, z3.BoolVal(False), self.second(0)),
            second_slots_follow(self.length, self.pc, here, self.second(self.pc + 1)),
            second_slots_follow(self.length, self.pc + 1, behind, self.second(self.pc + 2)),
            z3.Implies(self.second(self.pc + 1), z3.Not(behind)),  # a slot without an instruction starts none
        )


def second_slots_follow(length: Any, pc: Any, wide: z3.BoolRef, second: z3.BoolRef) -> z3.BoolRef:  # noqa: ANN401
    """Of a decoded program: `second`, of the slot behind `pc`, is true exactly if an lddw starts at `pc` (`wide`).

    And an lddw is never the last slot.
    """
    behind = condition_of(pc + 1 < length)
    return z3.And(z3.Implies(behind, second == wide), z3.Implies(wide, behind))

