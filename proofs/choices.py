"""One choice of registers speaks for those that it can be renamed to, on both sides of isa.refines.

As in `proofs.renaming`, for the instructions of a `Step`: if a permutation of registers takes the macros and expansions
of one step to those of another, and the registers that the one instruction names to those of the other, then whatever
was claimed of the one holds of the other. It leaves alone what code uses without naming it; of the reference semantics
that is what its own register file saw (r0 of a compare-exchange, r10 of an access). What `simulator.ebpf` does with a
register that is named depends, as in the machine model, on nothing but the word in it. Trusted by isa.refines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jit.layout import Layout
from jit.macros import Macro
from jit.registers import Reg
from jit.x86 import X86
from proofs.executor import explore
from proofs.refinement import Conditions, Step
from proofs.renaming import FIXED, IMPLICIT, WatchedLayout, fix, match


def alike(one: object, other: object) -> bool:
    """Whether the two are the same, registers included. Numbers that are not known have to be the same term."""
    names: dict[Reg, Reg] = {}
    return match(one, other, names) and all(old is new for old, new in names.items())


def with_names(value: Any, names: dict[Reg, Reg]) -> Any:  # noqa: ANN401 - of one type
    """An instruction or macro, or a tuple of them, with other registers for its operands."""
    if isinstance(value, Reg):
        return names.get(value, value)
    if not isinstance(value, tuple):
        return value
    parts = [with_names(part, names) for part in value]
    return tuple(parts) if type(value) is tuple else type(value)(*parts)


@dataclass(frozen=True, slots=True)
class _Traced:
    """What the macros and expansions of a path are, and its conditions."""

    conditions: Conditions
    macros: tuple[Macro, ...]
    expansions: tuple[tuple[X86, ...], ...]


@dataclass(frozen=True, slots=True)
class _Known:
    """A step that was explored, and the registers that it uses without naming them."""

    operands: tuple[Reg, ...]
    traces: tuple[_Traced, ...]
    held: tuple[Reg, ...]


class Explored:
    """Steps that were explored, and whether another one is one of them with other registers.

    Explore a choice first whose registers nothing uses without naming them: it shows what the reference uses so.
    """

    def __init__(self, layouts: Sequence[Layout]) -> None:
        self._layouts = layouts
        self._known: list[_Known] = []
        self._held: frozenset[Reg] = frozenset()  # by the reference, whatever the choice
        self._traced: tuple[_Traced, ...] = ()

    def covers(self, step: Step) -> bool:
        """Whether `step` is an explored one, renamed. If not, explore it and say so to `add`."""
        self._traced = tuple(
            _Traced(path.conditions, *path.returned)
            for path in explore(lambda: self._expanded(step), assuming=step.assumptions, what=str(step))
        )
        return any(self._renames(known, step.operands) for known in self._known)

    def _expanded(self, step: Step) -> tuple[tuple[Macro, ...], tuple[tuple[X86, ...], ...]]:
        first, *others = self._layouts
        macros = step.macros(first)
        for layout in others:
            assert alike(macros, step.macros(layout)), "the lowering depends on the layout"
        expansions: list[tuple[X86, ...]] = []
        for macro in macros:
            watched: Any = WatchedLayout(first)
            expansions.append(macro.expand(watched))
            expansions += [macro.expand(layout) for layout in others if watched.looked]
        return macros, tuple(expansions)

    def add(self, step: Step, touched: frozenset[Reg]) -> None:
        """`step`, about which `covers` was asked just now, was explored; the reference looks at `touched`."""
        self._held |= touched - set(step.operands)
        used = {
            reg
            for trace in self._traced
            for sequence in trace.expansions
            for instruction in sequence
            for reg in IMPLICIT.get(type(instruction), ())
        }
        self._known.append(_Known(step.operands, self._traced, (*FIXED, *used)))

    def _renames(self, known: _Known, operands: tuple[Reg, ...]) -> bool:
        names: dict[Reg, Reg] = {}
        if not fix(names, known.held) or not fix(names, tuple(self._held)):
            return False
        if len(known.traces) != len(self._traced) or not match(known.operands, operands, names):
            return False
        for mine, theirs in zip(known.traces, self._traced, strict=True):
            if [c.get_id() for c in mine.conditions] != [c.get_id() for c in theirs.conditions]:
                return False
            if not match((mine.macros, mine.expansions), (theirs.macros, theirs.expansions), names):
                return False
        return len(set(names.values())) == len(names)
