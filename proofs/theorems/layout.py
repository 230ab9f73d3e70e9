"""layout.*: where memory lies. What the runtime checks before an invocation is all that the code's proofs assume.

The frame stride is enumerated, it is a power of two; with it every product is a shift. Case "strides" proves that the
enumeration leaves none out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import z3

from jit.layout import (
    ADDRESS_LIMIT,
    CLAMP_ROOM,
    PAGE,
    REACH,
    LayoutRefused,
    Placement,
    Profile,
    hypothesis_violation,
    plan,
    power_of_two,
)
from proofs.executor import NotExplored, explore
from proofs.placements import ASSUMPTIONS, LAYOUT_RANGE, Assumption, accepted, every, is_window, live, some, unknown
from proofs.symbolic import Int, as_int, same
from proofs.theorem import Case, Obligation, Theorem, register

STRIDES = tuple(1 << k for k in range(16, 33))
POSSIBLE = tuple(stride for stride in STRIDES if 2 * stride <= ADDRESS_LIMIT // 2)  # the stack begins at twice its size


class _Unmultiplied(Int):
    """A stride that ends a run where it is multiplied: behind the tests of the stride itself."""

    __slots__ = ()

    def __rmul__(self, other: int | Int) -> Int:
        raise NotExplored("a product with the unknown stride")


def _strides() -> Iterator[Obligation]:
    """No other stride passes; a run that gets as far as the first product with the stride counts as one that passes."""
    u = unknown()
    stride = u.between("frame_stride", -LAYOUT_RANGE, LAYOUT_RANGE)
    layout, placement = u.layout(_Unmultiplied(stride.bits, stride.low, stride.high)), u.placement()
    judged = partial(hypothesis_violation, layout, placement)
    for path in explore(judged, assuming=tuple(u.given), allowed=(NotExplored,)):
        if path.raised is not None or path.returned is None:
            claim = some(*(layout.frame_stride == stride for stride in STRIDES))
            yield Obligation("the stride is enumerated", path.conditions, claim, tuple(u.shown))


def _assumed(stride: int, named: Iterable[tuple[str, Assumption]] = tuple(ASSUMPTIONS.items())) -> Iterator[Obligation]:
    u = unknown()
    layout, placement, depth = u.layout(stride), u.placement(), u.depth()
    given = (accepted(partial(hypothesis_violation, layout, placement), u.given),)
    for statement, assumption in named:
        claim = every(*assumption(layout, placement, depth))
        yield Obligation(f"{statement}: stride {stride:#x}", given, claim, tuple(u.shown))


def _refused(stride: int) -> Iterator[Obligation]:
    """With this stride no layout passes: there is no room for the stack."""
    u = unknown()
    layout, placement = u.layout(stride), u.placement()
    passes = accepted(partial(hypothesis_violation, layout, placement), u.given)
    yield Obligation(f"refused: stride {stride:#x}", tuple(u.given), z3.Not(passes), tuple(u.shown))


def _planned(stride: int) -> Iterator[Obligation]:
    """Profiles whose frames need this stride: `plan` refuses, or the runtime's predicate accepts what it returns."""
    u = unknown()
    low, high = (stride // 2 - REACH + 1 if stride > STRIDES[0] else -LAYOUT_RANGE), stride - REACH
    frames = u.between("profile.frames", -LAYOUT_RANGE, LAYOUT_RANGE)
    profile = Profile(u.between("profile.frame_bytes", low, high), frames)
    read_only, writable, calldata = (u.between(n, -LAYOUT_RANGE, LAYOUT_RANGE) for n in ("ro", "rw", "calldata"))
    page, depth = u.between("base / PAGE", 1 << 20, 1 << 34), u.depth()
    plans = partial(plan, read_only, writable, calldata, profile)
    out = unknown()
    layout, placement = out.layout(stride), out.placement()  # stand for what comes out: see `same` below
    accepts = accepted(partial(hypothesis_violation, layout, placement), out.given)
    for path in explore(plans, assuming=tuple(u.given), allowed=(LayoutRefused,), prune=False):
        if path.raised is None and stride not in POSSIBLE:
            yield Obligation(f"refused: stride {stride:#x}", tuple(u.given), z3.Not(z3.And(*path.conditions)))
        elif path.raised is None:
            planned, base = path.returned, page * PAGE
            yield Obligation("the stride is the profile's", path.conditions, every(planned.frame_stride == stride))
            low, high = base - planned.context_bytes, base + planned.slot_bytes + CLAMP_ROOM
            placed = Placement(base, low, high, 0, 0, planned.frame_top(depth))
            given = (*path.conditions, live(planned, depth), same(layout, planned), same(placement, placed))
            sizes = every(planned.read_only.size == read_only, planned.writable.size == writable)
            kept = every(sizes, planned.calldata.size == calldata)
            yield Obligation(f"stride {stride:#x}", given, every(accepts, kept), tuple(u.shown))


def _windows() -> Iterator[Obligation]:
    """`is_window`, by which assumptions speak of windows, is what the code computes."""
    u = unknown()
    size = u.between("size", 0, LAYOUT_RANGE)
    for path in explore(partial(power_of_two, size), assuming=tuple(u.given)):
        claim = is_window(as_int(path.returned), size)
        yield Obligation("power_of_two", path.conditions, claim, tuple(u.shown))


def _hypothesis_cases() -> Iterator[Case]:
    yield Case("strides", _strides)
    yield Case("windows", _windows)
    for stride in STRIDES:
        yield Case(f"stride {stride:#x}", partial(_assumed if stride in POSSIBLE else _refused, stride))


def _satisfiable() -> Iterator[tuple[str, tuple[z3.BoolRef, ...]]]:
    u = unknown()
    layout, placement = u.layout(STRIDES[0]), u.placement()
    yield "accepted by the predicate", (accepted(partial(hypothesis_violation, layout, placement), u.given),)


register(
    Theorem(
        id="layout.hypothesis",
        statement="what the runtime checks before every invocation implies every assumption of the gate's theorems",
        ranges_over="all layouts, placements and depths; the assumptions are proofs.placements.ASSUMPTIONS",
        assumes=("layout fields lie between -2^32 and 2^32, placement fields between -2^64 and 2^64",),
        depends=("jit.layout", "jit.context"),
        cases=_hypothesis_cases,
        assumptions=_satisfiable,
    )
)
register(
    Theorem(
        id="layout.plan",
        statement="a planned layout keeps the sizes asked for and satisfies the hypothesis wherever it is placed",
        ranges_over="all sizes and profiles; all page-aligned bases in user space, every depth",
        assumes=("sizes and the numbers of a profile lie between -2^32 and 2^32",),
        depends=("jit.layout", "jit.context"),
        cases=lambda: (Case(f"stride {stride:#x}", partial(_planned, stride)) for stride in STRIDES),
    )
)
