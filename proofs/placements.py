"""A layout and a placement that are not known, and what the theorems may assume of them.

`layout.hypothesis` proves each of `ASSUMPTIONS` from the predicate that the runtime evaluates before an invocation;
theorems about code assume them, by name, instead of that predicate. Each is a function of a layout, a placement and a
depth, true at every depth of a frame that exists. They are formulas: nothing in here forks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import combinations
from types import MappingProxyType
from typing import Any

import z3

from jit.context import FUEL, PC, record_displacement, record_offset, record_shift, register_offset
from jit.layout import (
    ADDRESS_LIMIT,
    CLAMP_ROOM,
    CONTEXT_HOT_BYTES,
    NULL_BYTES,
    PAGE,
    REACH,
    RECORD_BYTES,
    Layout,
    Placement,
    Region,
    Span,
)
from proofs.executor import explore
from proofs.symbolic import INT_BITS, Int, condition_of

LAYOUT_RANGE = 1 << 32  # layout fields lie between minus this and this: what `plan` returns lies well inside
PLACEMENT_RANGE = 1 << 64
FLAT = (Region.READ_ONLY, Region.WRITABLE, Region.CALLDATA)


@dataclass(frozen=True, slots=True)
class Limits:
    """The multiples of `unit`, a power of two, from `least` to `most`."""

    least: int = -LAYOUT_RANGE
    most: int = LAYOUT_RANGE
    unit: int = 1


_ANYTHING = Limits()


def limits(stride: int) -> dict[str, Limits]:
    """What the hypothesis leaves of each field of a layout with this frame stride: theorems about code start there."""
    low, size = Limits(NULL_BYTES, ADDRESS_LIMIT, PAGE), Limits(0, ADDRESS_LIMIT)
    return {
        **{f"{name}.low": low for name in ("read_only", "writable", "calldata")},
        **{f"{name}.size": size for name in ("read_only", "writable", "calldata")},
        "stack_low": Limits(2 * stride, ADDRESS_LIMIT, 2 * stride),
        "frame_bytes": Limits(PAGE, stride - REACH, PAGE),
        "frames": Limits(1, ADDRESS_LIMIT // (4 * stride)),
        "slot_bytes": Limits(4 * stride, ADDRESS_LIMIT),
        "context_bytes": Limits(RECORD_BYTES + CONTEXT_HOT_BYTES, ADDRESS_LIMIT),
    }


@dataclass(frozen=True, slots=True)
class Unknown:
    """Symbolic values under construction: their ranges, and what a counterexample shows."""

    given: list[z3.BoolRef]
    shown: list[tuple[str, z3.ExprRef]]

    def between(self, name: str, low: int, high: int) -> Any:  # noqa: ANN401 - stands for an int field
        value, assumption = Int.fresh(name, low, high)
        self.given.append(assumption)
        self.shown.append((name, value.bits))
        return value

    def within(self, name: str, limits: Limits) -> Any:  # noqa: ANN401 - stands for an int field
        """A number that the limits allow."""
        if limits.unit == 1:
            return self.between(name, limits.least, limits.most)
        zeros = limits.unit.bit_length() - 1
        units = z3.BitVec(f"{name} / {limits.unit:#x}", (limits.most >> zeros).bit_length())
        bits = z3.ZeroExt(INT_BITS - units.size() - zeros, z3.Concat(units, z3.BitVecVal(0, zeros)))
        self.given.append(z3.And(bits >= limits.least, bits <= limits.most))
        self.shown.append((name, bits))
        return Int(bits, limits.least, limits.most)

    def layout(self, frame_stride: Any = None, limits: Mapping[str, Limits] = MappingProxyType({})) -> Layout:  # noqa: ANN401
        """A layout with every field unknown, but for the stride if it is given, and within what limits there are."""

        def unknown(name: str) -> Any:  # noqa: ANN401
            return self.within(name, limits.get(name, _ANYTHING))

        def span(name: str) -> Span:
            return Span(unknown(f"{name}.low"), unknown(f"{name}.size"))

        return Layout(
            read_only=span("read_only"),
            writable=span("writable"),
            stack_low=unknown("stack_low"),
            frame_bytes=unknown("frame_bytes"),
            frame_stride=unknown("frame_stride") if frame_stride is None else frame_stride,
            frames=unknown("frames"),
            calldata=span("calldata"),
            slot_bytes=unknown("slot_bytes"),
            context_bytes=unknown("context_bytes"),
        )

    def placement(self) -> Placement:
        return Placement(*(self.between(f.name, -PLACEMENT_RANGE, PLACEMENT_RANGE) for f in fields(Placement)))

    def depth(self, name: str = "depth") -> Any:  # noqa: ANN401
        return self.between(name, 0, LAYOUT_RANGE)


def unknown() -> Unknown:
    return Unknown([], [])


def accepted(judge: Callable[[], object], given: Iterable[z3.BoolRef]) -> z3.BoolRef:
    """The formula that `judge()` returns None: of all its paths, the conditions of those that do."""
    paths = explore(judge, assuming=tuple(given), prune=False)
    return z3.Or(*(z3.And(*path.conditions) for path in paths if path.returned is None))


# ---------------------------------------------------------------- formulas


def every(*truths: object) -> z3.BoolRef:
    return z3.And(*map(condition_of, truths), True) if truths else z3.BoolVal(True)  # SMT-LIB has no `and` of one


def some(*truths: object) -> z3.BoolRef:
    return z3.Or(*map(condition_of, truths), False) if truths else z3.BoolVal(False)


def implies(condition: z3.BoolRef, truth: object) -> z3.BoolRef:
    return z3.Implies(condition, condition_of(truth))


def within(low: Any, size: Any, outer_low: Any, outer_end: Any) -> z3.BoolRef:  # noqa: ANN401
    """[low, low + size) is in [outer_low, outer_end)."""
    return every(outer_low <= low, low + size <= outer_end)


def disjoint(a: Span, b: Span) -> z3.BoolRef:
    return some(a.low + a.size <= b.low, b.low + b.size <= a.low)


def is_power_of_two(value: Any) -> z3.BoolRef:  # noqa: ANN401
    return every(value > 0, (value & value - 1) == 0)


def is_window(window: Any, size: Any) -> z3.BoolRef:  # noqa: ANN401
    """`window` is power_of_two(size), said without computing it."""
    return every(is_power_of_two(window), window >= size, some(window == 1, window < 2 * size))


def live(layout: Layout, depth: Any) -> z3.BoolRef:  # noqa: ANN401
    return every(depth >= 0, depth < layout.frames)


def stack(layout: Layout) -> Span:
    return layout.span(Region.STACK)


def frame(layout: Layout, depth: Any) -> Span:  # noqa: ANN401
    return Span(layout.stack_low + depth * layout.frame_stride, layout.frame_bytes)


# ---------------------------------------------------------------- the assumptions

Assumption = Callable[[Layout, Placement, Any], Iterable[z3.BoolRef]]
ASSUMPTIONS: dict[str, Assumption] = {}


def assumption(statement: str) -> Callable[[Assumption], Assumption]:
    def add(function: Assumption) -> Assumption:
        ASSUMPTIONS[statement] = function
        return function

    return add


@assumption("the numbers of a layout lie within the limits from which theorems about code start")
def numbers_limited(layout: Layout, placement: Placement, depth: Any) -> Iterator[z3.BoolRef]:  # noqa: ANN401
    spans = {name: getattr(layout, name) for name in ("read_only", "writable", "calldata")}
    numbers = {f"{name}.{part}": getattr(span, part) for name, span in spans.items() for part in ("low", "size")}
    numbers |= {f.name: getattr(layout, f.name) for f in fields(Layout) if f.name not in (*spans, "frame_stride")}
    left = limits(layout.frame_stride)
    assert numbers.keys() == left.keys(), "a number without limits"
    for name, value in numbers.items():
        yield every(left[name].least <= value, value <= left[name].most, value % left[name].unit == 0)


@assumption("strides, frame counts and slots are powers of two; frames are whole pages, at least one")
def shapes(layout: Layout, placement: Placement, depth: Any) -> Iterator[z3.BoolRef]:  # noqa: ANN401
    yield every(is_power_of_two(layout.frame_stride), is_power_of_two(layout.frames))
    yield is_power_of_two(layout.slot_bytes)
    yield every(layout.frame_bytes >= PAGE, layout.frame_bytes % PAGE == 0)


@assumption("the slot and the room behind it, where clamped accesses may end, belong to this guest alone")
def slot_inside(layout: Layout, placement: Placement, depth: Any) -> Iterator[z3.BoolRef]:  # noqa: ANN401
    yield within(placement.base, layout.slot_bytes + CLAMP_ROOM, placement.reserved_low, placement.reserved_high)


@assumption("every region has a size >= 0 and lies in the slot, and so does the stack")
def regions_inside(layout: Layout, placement: Placement, depth: Any) -> Iterator[z3.BoolRef]:  # noqa: ANN401
    for region in Region:
        span = layout.span(region)
        yield every(span.size >= 0, within(span.low, span.size, 0, layout.slot_bytes))


@assumption("a region's window, the power of two that clamps its addresses, lies in the slot")
def windows_inside(layout: Layout, placement: Placement, depth: Any) -> Iterator[z3.BoolRef]:  # noqa: ANN401
    for region in FLAT:
        span, window = layout.span(region), Int.fresh(f"{region.name}.window", 0, 2 * LAYOUT_RANGE)[0]
        within_slot = within(span.low, window, 0, layout.slot_bytes)
        yield implies(every(window > 0, is_window(window, span.size)), within_slot)


@assumption("no region touches the null page or another region")
def regions_disjoint(layout: Layout, placement: Placement, depth: Any) -> Iterator[z3.BoolRef]:  # noqa: ANN401
    for region in Region:
        yield condition_of(layout.span(region).low >= NULL_BYTES)
    for a, b in combinations(Region, 2):
        yield disjoint(layout.span(a), layout.span(b))


@assumption("the context lies in this guest's reservation, in front of guest address 0")
def context_inside(layout: Layout, placement: Placement, depth: Any) -> Iterator[z3.BoolRef]:  # noqa: ANN401
    yield condition_of(layout.context_bytes > CONTEXT_HOT_BYTES)
    yield condition_of(placement.base - layout.context_bytes >= placement.reserved_low)


@assumption("the record of every depth lies in the context, and the saved registers, pc and fuel behind all of them")
def records_inside(layout: Layout, placement: Placement, depth: Any) -> Iterator[z3.BoolRef]:  # noqa: ANN401
    record = record_offset(layout, depth)
    yield implies(live(layout, depth), within(record, RECORD_BYTES, -layout.context_bytes, -CONTEXT_HOT_BYTES))
    for low, size in ((register_offset(0), 8 * 11), (PC, 4), (FUEL, 4)):
        yield within(low, size, -CONTEXT_HOT_BYTES, 0)


@assumption("(r10 >> record_shift) + record_displacement is the record of r10's depth")
def records_found(layout: Layout, placement: Placement, depth: Any) -> Iterator[z3.BoolRef]:  # noqa: ANN401
    found = (layout.frame_top(depth) >> record_shift(layout)) + record_displacement(layout)
    yield implies(live(layout, depth), found == record_offset(layout, depth))


@assumption("guest addresses, sizes and context offsets fit signed 32-bit fields")
def fields_fit(layout: Layout, placement: Placement, depth: Any) -> Iterator[z3.BoolRef]:  # noqa: ANN401
    yield condition_of(layout.slot_bytes <= ADDRESS_LIMIT)
    yield condition_of(layout.context_bytes <= 1 << 31)
    displacement = record_displacement(layout)
    yield every(displacement >= -(1 << 31), displacement < 0)


@assumption("no displacement off r10 reaches another frame or calldata")
def frames_apart(layout: Layout, placement: Placement, depth: Any) -> Iterator[z3.BoolRef]:  # noqa: ANN401
    top, own = layout.frame_top(depth), frame(layout, depth)
    near = Span(top - REACH, 2 * REACH)
    other = frame(layout, Int.fresh("other depth", 0, LAYOUT_RANGE)[0])
    elsewhere = every(live(layout, depth), other.low >= layout.stack_low, other.low != own.low)
    yield implies(elsewhere, disjoint(Span(near.low, near.size), other))
    yield implies(live(layout, depth), disjoint(near, layout.calldata))


@assumption("depth and frame_top are inverse, and r10 at entry is the end of a frame that exists")
def frame_at_entry(layout: Layout, placement: Placement, depth: Any) -> Iterator[z3.BoolRef]:  # noqa: ANN401
    yield implies(live(layout, depth), layout.depth(layout.frame_top(depth)) == depth)
    entry = layout.depth(placement.frame_top)
    yield every(live(layout, entry), layout.frame_top(entry) == placement.frame_top)


@assumption("the end of a live frame lies in the stack, and in the slot")
def tops_inside(layout: Layout, placement: Placement, depth: Any) -> Iterator[z3.BoolRef]:  # noqa: ANN401
    yield implies(live(layout, depth), top_inside(layout, layout.frame_top(depth)))


def top_inside(layout: Layout, top: Any) -> z3.BoolRef:  # noqa: ANN401
    end = layout.stack_low + stack(layout).size
    return every(top > layout.stack_low, top <= end, top <= layout.slot_bytes)


@assumption("a call's add and mask give the next frame's end, and the end of some frame at any depth")
def call_masks(layout: Layout, placement: Placement, depth: Any) -> Iterator[z3.BoolRef]:  # noqa: ANN401
    called = layout.frame_top(depth) + layout.frame_stride & ~stack(layout).size
    yield implies(live(layout, depth), some(called == layout.frame_top(depth + 1), called == layout.frame_top(0)))
    yield implies(live(layout, depth + 1), implies(live(layout, depth), called == layout.frame_top(depth + 1)))


@assumption("a return's subtract and masks give the caller's frame end, and the end of some frame at any depth")
def return_masks(layout: Layout, placement: Placement, depth: Any) -> Iterator[z3.BoolRef]:  # noqa: ANN401
    returned = layout.frame_top(depth) - layout.frame_stride & stack(layout).size - 1 | layout.stack_low
    last = layout.frame_top(layout.frames - 1)
    yield implies(live(layout, depth), some(returned == layout.frame_top(depth - 1), returned == last))
    yield implies(live(layout, depth - 1), implies(live(layout, depth), returned == layout.frame_top(depth - 1)))


@assumption("the cage, regions and frames start on pages: an offset in a region is aligned as its native address is")
def aligned(layout: Layout, placement: Placement, depth: Any) -> Iterator[z3.BoolRef]:  # noqa: ANN401
    for low in (placement.base, *(layout.span(region).low for region in Region), layout.frame_top(depth)):
        yield implies(live(layout, depth), low % PAGE == 0)


@assumption("guest and code arena do not overlap; the arena is reached by 32-bit displacements")
def arena_apart(layout: Layout, placement: Placement, depth: Any) -> Iterator[z3.BoolRef]:  # noqa: ANN401
    size = placement.code_high - placement.code_low
    yield every(size >= 0, size < 1 << 31)
    reserved = Span(placement.reserved_low, placement.reserved_high - placement.reserved_low)
    yield disjoint(reserved, Span(placement.code_low, size))


@assumption("native addresses of the guest are positive and below 2^47: none wraps")
def user_space(layout: Layout, placement: Placement, depth: Any) -> Iterator[z3.BoolRef]:  # noqa: ANN401
    lowest, highest = placement.base - layout.context_bytes, placement.base + layout.slot_bytes + CLAMP_ROOM
    yield every(lowest > 0, lowest < placement.base, placement.base < highest, highest <= 1 << 47)
