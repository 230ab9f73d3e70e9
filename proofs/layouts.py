"""All layouts with one frame stride, any placement that the runtime's hypothesis accepts, and any live frame.

The hypothesis is the shipped `hypothesis_violation`, evaluated on symbolic numbers; what may be accessed is said by
the shipped `may_access`. Both become formulas. The stride is known, and everything else of a layout is not: the sizes
and places of its regions, how many frames there are and how large, where the stack lies, the context, the slot. Where
the theorems start from, `proofs.placements.limits`, is no more than the hypothesis leaves (layout.hypothesis). Trusted
by the theorems about generated code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache

import z3

from jit.layout import (
    CLAMP_ROOM,
    PROVED_STRIDES,
    Layout,
    Placement,
    Profile,
    Region,
    hypothesis_violation,
    in_live_frame,
    in_span,
    may_access,
    plan,
)
from proofs.executor import explore
from proofs.placements import limits, records_found, records_inside, regions_inside, top_inside, unknown
from proofs.symbolic import INT_BITS, Int, condition_of
from proofs.symbolic import as_int as number

R10 = z3.BitVec("r10", 64)
# what the hypothesis implies, by theorem layout.hypothesis: the solver need not find it again
IMPLIED = (regions_inside, records_inside, records_found)


@dataclass(frozen=True, slots=True)
class Assumed:
    """A layout and placement, what is assumed of them, and a live frame."""

    layout: Layout
    placement: Placement
    depth: Int
    conditions: tuple[z3.BoolRef, ...]
    shown: tuple[tuple[str, z3.ExprRef], ...]  # of the layout, where it is not known

    @property
    def base(self) -> z3.BitVecRef:
        """The cage base, as a machine word."""
        return as_int(self.placement.base).word(64)

    @property
    def frame_top(self) -> Int:
        """r10 of the frame at `depth`: what the conditions say that `R10` is."""
        return as_int(self.layout.frame_top(_as_int(self.depth)))

    @property
    def r10(self) -> z3.BitVecRef:
        """The same as a machine word."""
        return self.frame_top.word(64)

    def may_access(self, frame_top: Int, address: Int, size: Int | int, write: bool) -> z3.BoolRef:
        """`jit.layout.may_access` as a formula."""
        return _substituted(_access_formula(self, write), frame_top, address, number(size))

    def holds(self, region: Region, frame_top: Int, address: Int, size: Int | int) -> z3.BoolRef:
        """Whether the bytes lie in this region; of the stack, in one live frame."""
        return _substituted(_region_formula(self, region), frame_top, address, number(size))

    def reserved(self, offset: Int, size: Int | int) -> z3.BoolRef:
        """Whether the bytes [rbp + offset, + size) belong to this guest alone, by the hypothesis."""
        low = condition_of(offset >= -self.layout.context_bytes)
        return z3.And(low, condition_of(offset + size <= self.layout.slot_bytes + CLAMP_ROOM))

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other


@dataclass(frozen=True, slots=True, eq=False)
class Unknown(Layout):
    """A layout of which the stride is known. Equal to itself only, so that it can be a key."""

    ranges: tuple[z3.BoolRef, ...]
    shown: tuple[tuple[str, z3.ExprRef], ...]

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other


def layout_with(stride: int) -> Unknown:
    """Every layout with this frame stride."""
    u = unknown()
    layout = u.layout(stride, limits(stride))
    known = {f.name: getattr(layout, f.name) for f in fields(Layout)}
    return Unknown(**known, ranges=tuple(u.given), shown=tuple(u.shown))


LAYOUTS: tuple[Unknown, ...] = tuple(map(layout_with, PROVED_STRIDES))
ORDINARY = plan(5000, 70_000, 100_000)  # where it does not matter which
# Layouts with all numbers known, for isa.refines. They differ in everything that an expansion looks at.
EXAMPLES: tuple[Layout, ...] = (
    ORDINARY,
    plan(0, 0, 0, Profile(frame_bytes=4096, frames=1)),  # regions too small for any access
    plan(7, 65_536, 3, Profile(frame_bytes=65_536, frames=64)),
    plan(1 << 20, 12 << 20, 1 << 22, Profile(frame_bytes=8192, frames=512)),
)


@cache
def assumed(layout: Layout) -> Assumed:
    """Any placement of this layout that the hypothesis accepts, and any live frame."""
    ranges: list[z3.BoolRef] = list(layout.ranges) if isinstance(layout, Unknown) else []
    shown = layout.shown if isinstance(layout, Unknown) else ()

    def between(name: str, low: int, high: int) -> Int:
        value, within = Int.fresh(name, low, high)
        ranges.append(within)
        return value

    names = ("base", "reserved low", "reserved high", "code low", "code high")
    depth = between("depth", 0, number(layout.frames).high - 1)
    base, *places = (_as_int(between(name, 0, 1 << 48)) for name in names)
    top = layout.frame_top(_as_int(depth))
    placement = Placement(base, places[0], places[1], places[2], places[3], top)
    holds = formula(lambda: hypothesis_violation(layout, placement) is None, tuple(ranges))
    named = [part for of in IMPLIED for part in of(layout, placement, depth)]
    named.append(top_inside(layout, Int.of_word(R10)))  # tops_inside, of the word that r10 is
    return Assumed(layout, placement, depth, (*holds, *named, number(top).word(64) == R10), shown)


Unknowns = tuple[z3.BitVecRef, z3.BitVecRef, z3.BitVecRef]


def _substituted(formula: tuple[z3.BoolRef, Unknowns], *values: Int) -> z3.BoolRef:
    return z3.substitute(formula[0], *zip(formula[1], (value.bits for value in values), strict=True))


@cache
def _access_formula(given: Assumed, write: bool) -> tuple[z3.BoolRef, Unknowns]:
    return _predicate(lambda top, address, size: may_access(given.layout, top, address, size, write))


@cache
def _region_formula(given: Assumed, region: Region) -> tuple[z3.BoolRef, Unknowns]:
    if region is Region.STACK:
        return _predicate(lambda top, address, size: in_live_frame(given.layout, top, address, size))
    return _predicate(lambda _, address, size: in_span(given.layout.span(region), address, size))


def _predicate(holds: Callable[[int, int, int], bool]) -> tuple[z3.BoolRef, Unknowns]:
    """Of any r10, address and size."""
    unknowns = tuple(z3.BitVec(f"any {name}", INT_BITS) for name in ("frame top", "address", "size"))
    values = [_as_int(Int(bits, 0, 1 << 64)) for bits in unknowns]
    return z3.And(*formula(lambda: holds(values[0], values[1], values[2])), z3.BoolVal(True)), unknowns


def formula(predicate: Callable[[], bool], assuming: tuple[z3.BoolRef, ...] = ()) -> tuple[z3.BoolRef, ...]:
    """Conditions that hold together exactly where `predicate` does: what all its paths share, and their union."""
    found = explore(lambda: bool(predicate()), assuming=assuming, prune=False)
    paths = [path.conditions for path in found if path.returned]
    if not paths:
        return (z3.BoolVal(False),)
    shared = set.intersection(*({condition.get_id() for condition in path} for path in paths))
    common = tuple(condition for condition in paths[0] if condition.get_id() in shared)
    rest = [z3.And(*(c for c in path if c.get_id() not in shared), z3.BoolVal(True)) for path in paths]
    return (*common, z3.simplify(z3.Or(*rest)))


def _as_int(value: Int) -> int:
    """An `Int` where the core's types say int: it stands for any of them."""
    return value  # type: ignore[return-value]


def as_int(value: int | Int) -> Int:
    assert isinstance(value, Int)
    return value
