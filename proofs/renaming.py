"""Macros that differ in the names of their registers only: one of them speaks for all.

`Shape` is what a macro is to the gate and to the model: on each path of its own code the contract, whether any state
admits it, and the instructions. If a renaming of registers takes the shape of one macro to that of another, then it
takes every run of the one to a run of the other, and every claim about the one to the claim about the other. For that
the renaming must be a permutation that leaves alone what code treats by name:

- rbp, rsp, r9, the scratch registers and r10's: the gate, the contracts' meaning and the claims name them;
- the registers that an instruction uses without naming them (`IMPLICIT`);
- r6 to r9, where a frame is pushed or popped: records hold them in order.

All others are guest registers, which the gate and the model look up by number and never compare with anything.
Trusted by the gate theorems. Checked: tests/proofs/test_renaming.py runs every form on watched registers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

import z3

from jit.check import local_refusal
from jit.layout import Layout
from jit.macros import Contract, Macro
from jit.macros.contract import ContextBytes, FrameEffect
from jit.registers import CAGE, FRAME, GUEST, SCRATCH, Reg
from jit.x86 import X86, Div, Idiv, LockCmpxchg, Pop, Push, Ret, ShiftCl, SignToRdx
from proofs.executor import explore
from proofs.operands import Unknowns, fields_of, macros_of
from proofs.symbolic import Int

# registers that a form uses and does not name
IMPLICIT: dict[type, tuple[Reg, ...]] = {
    Div: (Reg.rax, Reg.rdx),
    Idiv: (Reg.rax, Reg.rdx),
    SignToRdx: (Reg.rax, Reg.rdx),
    LockCmpxchg: (Reg.rax,),
    ShiftCl: (Reg.rcx,),
    Push: (Reg.rsp,),
    Pop: (Reg.rsp,),
    Ret: (Reg.rsp,),
}
FIXED = (CAGE, FRAME, *SCRATCH, *(reg for reg in Reg if reg not in GUEST))


@dataclass(frozen=True, slots=True)
class Part:
    """One path through a macro's own code; without instructions if no state admits it there."""

    conditions: tuple[z3.BoolRef, ...]
    contract: Contract
    instructions: tuple[X86, ...] | None


@dataclass(frozen=True, slots=True)
class Shape:
    """See the module."""

    parts: tuple[Part, ...]
    looked: bool  # at the layout

    @property
    def admitted(self) -> bool:
        """Whether the gate admits the macro for some of its numbers, as far as it looks at the macro alone."""
        return any(part.instructions is not None for part in self.parts)

    @property
    def checks(self) -> bool:
        """Whether the macro looks where an address lies."""
        return any(part.contract.probes for part in self.parts)

    @property
    def ignores_layout(self) -> bool:
        """Whether nothing that the gate or an expansion does with the macro, or a claim says, depends on the layout.

        Then its obligations under one layout are those under every other.
        """
        return not self.looked and not any(_concerns_layout(part.contract) for part in self.parts)


def _concerns_layout(contract: Contract) -> bool:
    memory = any(not isinstance(touch, ContextBytes) for touch in contract.touches)
    approval = contract.probes or contract.establishes is not None or contract.aligns > 1
    return memory or bool(approval) or contract.frame is not FrameEffect.SAME


class WatchedLayout:
    """A layout that notes whether anybody looked at it."""

    def __init__(self, layout: Layout) -> None:
        self.layout, self.looked = layout, False

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a layout has
        self.looked = True
        return getattr(self.layout, name)


def shape_of(macro: Macro, unknowns: Unknowns, layout: Layout) -> Shape:
    """What the macro is under this layout. No solver is asked, so impossible paths are parts, too."""
    watched = WatchedLayout(layout)
    seen: Layout = watched  # type: ignore[assignment]  # has what a layout has

    def parts() -> tuple[Contract, tuple[X86, ...] | None]:
        contract = macro.contract()
        if local_refusal(contract, seen) is not None:
            return contract, None
        return contract, macro.expand(seen)

    paths = explore(parts, assuming=tuple(unknowns.assumptions), ask_about=1, what=str(macro))
    found = tuple(Part(path.conditions, *path.returned) for path in paths)
    return Shape(found, watched.looked)


def representatives(macro: type, layout: Layout) -> Iterator[tuple[Macro, Unknowns, Shape]]:
    """Macros of this class that the gate may admit: of those that differ in names of registers only, the first."""
    found: dict[tuple[int | None, ...], list[Shape]] = {}
    for instance, unknowns in macros_of(macro):
        shape = shape_of(instance, unknowns, layout)
        if not shape.admitted:
            continue
        operands = (getattr(instance, name) for name in fields_of(macro))
        others = found.setdefault(tuple(None if isinstance(value, Reg) else id(value) for value in operands), [])
        if not any(renamed(other, shape) for other in others):
            others.append(shape)
            yield instance, unknowns, shape


def renamed(one: Shape, other: Shape) -> bool:
    """Whether a renaming as the module describes takes `one` to `other`."""
    if len(one.parts) != len(other.parts):
        return False
    names = {reg: reg for reg in FIXED}
    for mine, theirs in zip(one.parts, other.parts, strict=True):
        if [c.get_id() for c in mine.conditions] != [c.get_id() for c in theirs.conditions]:
            return False
        for instruction in mine.instructions or ():
            if not fix(names, IMPLICIT.get(type(instruction), ())):
                return False
        if mine.contract.frame is not FrameEffect.SAME and not fix(names, GUEST):
            return False
        ours, others = (mine.contract, mine.instructions), (theirs.contract, theirs.instructions)
        if not match(ours, others, names):
            return False
    return len(set(names.values())) == len(names)


def fix(names: dict[Reg, Reg], registers: tuple[Reg, ...]) -> bool:
    """Let the renaming leave `registers` alone, if it may still do so."""
    return all(names.setdefault(reg, reg) is reg for reg in registers)


def match(mine: object, theirs: object, names: dict[Reg, Reg]) -> bool:
    """Whether the two are the same but for registers, which `names` takes from one to the other. Extends `names`."""
    if type(mine) is not type(theirs):
        return False
    if isinstance(mine, Reg) and isinstance(theirs, Reg):
        return names.setdefault(mine, theirs) is theirs
    if isinstance(mine, Int) and isinstance(theirs, Int):
        return bool(mine.bits.eq(theirs.bits))
    if isinstance(mine, tuple) and isinstance(theirs, tuple):
        return len(mine) == len(theirs) and all(match(a, b, names) for a, b in zip(mine, theirs, strict=True))
    assert mine is None or isinstance(mine, int | str | Enum), f"{mine!r} of an unknown sort"
    return bool(mine == theirs)
