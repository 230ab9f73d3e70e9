"""Layouts, any placement that the runtime's hypothesis accepts, and any live frame.

The hypothesis is the shipped `hypothesis_violation`, evaluated on symbolic addresses; what may be accessed is said by
the shipped `may_access`. Both become formulas. Trusted by the theorems about generated code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache

import z3

from jit.layout import (
    CLAMP_ROOM,
    Layout,
    Placement,
    Profile,
    Span,
    hypothesis_violation,
    may_access,
    plan,
)
from proofs.executor import explore
from proofs.symbolic import INT_BITS, Int, condition_of


@dataclass(frozen=True, slots=True)
class Assumed:
    """A layout and placement, what is assumed of them, and a live frame."""

    layout: Layout
    placement: Placement
    depth: Int
    conditions: tuple[z3.BoolRef, ...]
    sizes: tuple[tuple[str, z3.ExprRef], ...] = ()  # of the regions, where they are not known

    @property
    def base(self) -> z3.BitVecRef:
        """The cage base, as a machine word."""
        return as_int(self.placement.base).word(64)

    @property
    def frame_top(self) -> Int:
        """r10 of the frame at `depth`."""
        return as_int(self.layout.frame_top(_as_int(self.depth)))

    @property
    def r10(self) -> z3.BitVecRef:
        """The same as a machine word."""
        return _word(self)

    def may_access(self, frame_top: Int, address: Int, size: Int | int, write: bool) -> z3.BoolRef:
        """`jit.layout.may_access` as a formula."""
        formula, unknowns = _access_formula(self, write)
        terms = [frame_top.bits, address.bits, size.bits if isinstance(size, Int) else z3.BitVecVal(size, INT_BITS)]
        return z3.substitute(formula, *zip(unknowns, terms, strict=True))

    def reserved(self, offset: Int, size: Int | int) -> z3.BoolRef:
        """Whether the bytes [rbp + offset, + size) belong to this guest alone, by the hypothesis."""
        low = condition_of(offset >= -self.layout.context_bytes)
        return z3.And(low, condition_of(offset + size <= self.layout.slot_bytes + CLAMP_ROOM))

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other


# The constants of these layouts are concrete: a bound that is symbolic on both sides costs the solver seconds for each
# obligation. They differ in everything that an expansion looks at; the first is an ordinary guest's.
LAYOUTS: tuple[Layout, ...] = (
    plan(5000, 70_000, 100_000),
    plan(0, 0, 0, Profile(frame_bytes=4096, frames=1)),  # regions too small for any access
    plan(7, 65_536, 3, Profile(frame_bytes=65_536, frames=64)),
    plan(1 << 20, 12 << 20, 1 << 22, Profile(frame_bytes=8192, frames=512)),
)


@dataclass(frozen=True, slots=True, eq=False)
class Sized(Layout):
    """A layout whose regions have any size up to their window. Equal to itself only, so that it can be a key."""

    ranges: tuple[z3.BoolRef, ...]
    shown: tuple[tuple[str, z3.ExprRef], ...]

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other


@cache
def sized() -> Sized:
    """An ordinary guest's strides, and regions of any size: from nothing to 64, 128 and 128 KiB."""
    largest = plan(1 << 16, 1 << 17, 1 << 17)
    spans, ranges, shown = {}, [], []
    for name in ("read_only", "writable", "calldata"):
        span = getattr(largest, name)
        size, within = Int.fresh(f"{name} size", 0, span.size)
        spans[name] = Span(span.low, _as_int(size))
        ranges.append(within)
        shown.append((f"{name} size", size.bits))
    known = {f.name: getattr(largest, f.name) for f in fields(Layout)}
    return Sized(**{**known, **spans}, ranges=tuple(ranges), shown=tuple(shown))


@cache
def assumed(layout: Layout) -> Assumed:
    """Any placement of this layout that the hypothesis accepts, and any live frame."""
    ranges: list[z3.BoolRef] = list(layout.ranges) if isinstance(layout, Sized) else []
    sizes = layout.shown if isinstance(layout, Sized) else ()

    def unknown(name: str, low: int, high: int) -> Int:
        value, within = Int.fresh(name, low, high)
        ranges.append(within)
        return value

    names = ("base", "reserved low", "reserved high", "code low", "code high")
    depth = unknown("depth", 0, layout.frames - 1)
    base, *limits = (_as_int(unknown(name, 0, 1 << 48)) for name in names)
    placement = Placement(base, limits[0], limits[1], limits[2], limits[3], layout.frame_top(_as_int(depth)))
    holds = formula(lambda: hypothesis_violation(layout, placement) is None)
    return Assumed(layout, placement, depth, (*ranges, *holds), sizes)


@cache
def _word(given: Assumed) -> z3.BitVecRef:
    return given.frame_top.word(64)


@cache
def _access_formula(given: Assumed, write: bool) -> tuple[z3.BoolRef, tuple[z3.BitVecRef, ...]]:
    frame_top = Int(z3.BitVec("any frame top", INT_BITS), 0, 1 << 64)
    address = Int(z3.BitVec("any address", INT_BITS), 0, 1 << 64)
    size = Int(z3.BitVec("any size", INT_BITS), 0, 1 << 64)

    def allowed() -> bool:
        return may_access(given.layout, _as_int(frame_top), _as_int(address), _as_int(size), write)

    return z3.And(*formula(allowed), z3.BoolVal(True)), (frame_top.bits, address.bits, size.bits)


def formula(predicate: Callable[[], bool]) -> tuple[z3.BoolRef, ...]:
    """Conditions that hold together exactly where `predicate` does: what all its paths share, and their union."""
    paths = [path.conditions for path in explore(lambda: bool(predicate()), prune=False) if path.returned]
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
