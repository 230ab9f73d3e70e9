"""Where memory lies: `plan` keeps the hypothesis, every part of the hypothesis can fail, and edges are byte-exact."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jit.layout import (
    Layout,
    LayoutRefused,
    Placement,
    Profile,
    Region,
    Span,
    data_lows,
    host_span,
    host_spans,
    hypothesis_violation,
    may_access,
    plan,
)

PAGE, KIB64, MIB = 0x1000, 0x10000, 0x100000
CLAMP_ROOM = 0x11000  # the last of two accesses off one base, 65,535 apart, has 8 bytes
PROFILE = Profile(frame_bytes=PAGE, frames=8)
LAYOUT = plan(read_only_size=100, writable_size=200, calldata_size=24, profile=PROFILE)
BASE = 0x7F00_0000_0000
PLACEMENT = Placement(
    base=BASE,
    reserved_low=BASE - LAYOUT.context_bytes,
    reserved_high=BASE + LAYOUT.slot_bytes + CLAMP_ROOM,
    code_low=0x7E00_0000_0000,
    code_high=0x7E00_4000_0000,
    frame_top=LAYOUT.frame_top(0),
)


def test_the_drawing() -> None:
    """The addresses of DESIGN.md section 3, by hand for this layout."""
    assert LAYOUT.read_only == Span(KIB64, 100)
    assert LAYOUT.writable == Span(2 * KIB64, 200)
    assert (LAYOUT.frame_bytes, LAYOUT.frame_stride, LAYOUT.frames) == (PAGE, KIB64, 8)
    assert LAYOUT.stack_low == MIB  # aligned to twice the 512 KiB of eight islands
    assert LAYOUT.calldata == Span(MIB + 9 * KIB64, 24)
    assert LAYOUT.slot_bytes == 2 * MIB
    assert LAYOUT.context_bytes == PAGE
    assert [LAYOUT.frame_top(k) for k in (0, 1, 7)] == [MIB + PAGE, MIB + KIB64 + PAGE, MIB + 7 * KIB64 + PAGE]
    assert [LAYOUT.depth(LAYOUT.frame_top(k)) for k in range(8)] == list(range(8))


# ---------------------------------------------------------------- plan

SIZES = st.one_of(st.integers(0, 70), st.integers(0, 3 * PAGE), st.integers(0, 64 * MIB))
PROFILES = st.builds(
    Profile, st.integers(1, 20).map(lambda pages: PAGE * pages), st.integers(0, 8).map(lambda power: 1 << power)
)


@given(SIZES, SIZES, SIZES, PROFILES, st.data())
def test_plan_keeps_the_hypothesis(ro: int, rw: int, calldata: int, profile: Profile, data: st.DataObject) -> None:
    layout = plan(ro, rw, calldata, profile)
    depth = data.draw(st.integers(0, profile.frames - 1))
    placement = replace(
        PLACEMENT,
        reserved_low=BASE - layout.context_bytes,
        reserved_high=BASE + layout.slot_bytes + CLAMP_ROOM,
        frame_top=layout.frame_top(depth),
    )
    assert hypothesis_violation(layout, placement) is None
    assert (layout.read_only.size, layout.writable.size, layout.calldata.size) == (ro, rw, calldata)
    assert (layout.read_only.low, layout.writable.low) == data_lows(ro)
    assert layout.frames == profile.frames


@given(SIZES, SIZES, SIZES, PROFILES)
def test_no_two_regions_share_a_page(ro: int, rw: int, calldata: int, profile: Profile) -> None:
    layout = plan(ro, rw, calldata, profile)
    stack = [Span(layout.frame_top(k) - layout.frame_bytes, layout.frame_bytes) for k in range(profile.frames)]
    spans = sorted([layout.read_only, layout.writable, layout.calldata, *stack], key=lambda span: span.low)
    assert spans[0].low >= KIB64
    for a, b in pairwise(spans):
        assert (a.low + a.size - 1) // PAGE < b.low // PAGE
    for span in stack:
        for other in (layout.calldata, layout.writable):
            # no 16-bit displacement off r10 reaches another region
            nearest = min(abs(other.low - span.low - span.size), abs(span.low + span.size - other.low - other.size))
            assert nearest > 32768 + 8


@pytest.mark.parametrize(
    ("sizes", "profile"),
    [
        ((0, 0, 0), Profile(PAGE, 0)),
        ((0, 0, 0), Profile(PAGE, 3)),
        ((0, 0, 0), Profile(PAGE, -4)),
        ((0, 0, 0), Profile(0, 8)),
        ((0, 0, 0), Profile(PAGE - 1, 8)),
        ((0, 0, 0), Profile(PAGE + 1, 8)),
        ((0, 0, 0), Profile(-PAGE, 8)),
        ((-1, 0, 0), PROFILE),
        ((0, -1, 0), PROFILE),
        ((0, 0, -1), PROFILE),
        ((0, 0, 1 << 30), PROFILE),
        ((0, 1 << 30, 0), PROFILE),
        ((1 << 30, 0, 0), PROFILE),
        ((0, 0, 0), Profile(PAGE, 1 << 14)),
        ((1 << 80, 0, 0), PROFILE),
    ],
)
def test_plan_refuses(sizes: tuple[int, int, int], profile: Profile) -> None:
    plan(0, 0, 0, PROFILE)
    with pytest.raises(LayoutRefused):
        plan(*sizes, profile)


def test_plan_refuses_exactly_beyond_the_address_limit() -> None:
    largest = 1 << 29  # calldata lies behind the stack: a window of 2^29 fits below 2^30, one of 2^30 does not
    assert plan(calldata_size=largest).slot_bytes == 1 << 30
    with pytest.raises(LayoutRefused, match="the limit is 0x40000000"):
        plan(calldata_size=largest + 1)


# ---------------------------------------------------------------- the hypothesis

STACK_END = LAYOUT.stack_low + 8 * KIB64


@pytest.mark.parametrize(
    ("changes", "violation"),
    [
        ({"base": BASE + 1}, "the cage base is not page-aligned"),
        ({"base": BASE - PAGE}, "the context lies outside"),
        ({"base": BASE + PAGE}, "the slot is larger"),
        ({"reserved_low": PLACEMENT.reserved_low + 1}, "the context lies outside"),
        ({"reserved_high": PLACEMENT.reserved_high - 1}, "the slot is larger"),
        ({"reserved_low": 0}, "not in user space"),
        ({"reserved_high": (1 << 47) + 1}, "not in user space"),
        ({"code_high": 1 << 60}, "overlaps the code arena"),
        ({"code_low": PLACEMENT.reserved_low, "code_high": PLACEMENT.reserved_low + 1}, "overlaps the code arena"),
        ({"code_low": PLACEMENT.reserved_high - 1, "code_high": PLACEMENT.reserved_high}, "overlaps the code arena"),
        ({"code_low": PLACEMENT.code_high - (1 << 31)}, "larger than a 32-bit displacement"),
        ({"code_low": PLACEMENT.code_high + 1}, "larger than a 32-bit displacement"),
        ({"frame_top": LAYOUT.frame_top(0) + 1}, "r10 is not the end of a frame"),
        ({"frame_top": LAYOUT.frame_top(0) - KIB64}, "r10 lies outside the stack"),
        ({"frame_top": LAYOUT.frame_top(7) + KIB64}, "r10 lies outside the stack"),
        ({"frame_top": 0}, "r10 is not the end of a frame"),
    ],
)
def test_one_wrong_number_of_a_placement_is_found(changes: dict[str, int], violation: str) -> None:
    assert hypothesis_violation(LAYOUT, PLACEMENT) is None
    assert violation in (hypothesis_violation(LAYOUT, replace(PLACEMENT, **changes)) or "nothing")


@pytest.mark.parametrize(
    "changes",
    [
        {"reserved_low": PLACEMENT.reserved_low - 1},
        {"reserved_high": PLACEMENT.reserved_high + 1},
        {"code_low": PLACEMENT.reserved_high, "code_high": PLACEMENT.reserved_high + 1},
        {"code_low": PLACEMENT.reserved_low - 1, "code_high": PLACEMENT.reserved_low},
        {"code_low": PLACEMENT.code_high - (1 << 31) + 1},
        {"code_low": 0, "code_high": 0},  # no native engine
        {"frame_top": LAYOUT.frame_top(7)},
    ],
)
def test_its_nearest_right_neighbours_are_accepted(changes: dict[str, int]) -> None:
    assert hypothesis_violation(LAYOUT, replace(PLACEMENT, **changes)) is None


@pytest.mark.parametrize(
    ("changes", "violation"),
    [
        ({"slot_bytes": 2 * MIB - PAGE}, "slot size is not a power of two"),
        ({"slot_bytes": 0}, "calldata overlaps the stack or the end of the slot"),
        ({"slot_bytes": 1 << 31}, "the slot is larger"),
        ({"slot_bytes": MIB}, "calldata overlaps the stack or the end of the slot"),
        ({"frames": 7}, "number of frames is not a power of two"),
        ({"frames": 0}, "number of frames is not a power of two"),
        ({"frames": 16}, "not aligned to twice its size"),
        ({"frame_stride": 48 * 1024}, "stride is not a power of two"),
        ({"frame_stride": 32768}, "stride is not a power of two that no displacement crosses"),
        ({"frame_bytes": PAGE + 8}, "not a whole number of pages"),
        ({"frame_bytes": 0}, "not a whole number of pages"),
        ({"frame_bytes": 8 * PAGE}, "no displacement crosses"),
        ({"stack_low": MIB + 8 * KIB64}, "not aligned to twice its size"),
        ({"context_bytes": 8 * 64 + 127}, "no room for the shadow call stack"),
        ({"read_only": Span(KIB64 - 1, 100)}, "overlaps the null page or the writable region"),
        ({"read_only": Span(0, 100)}, "overlaps the null page or the writable region"),
        ({"read_only": Span(KIB64, KIB64 + 1)}, "overlaps the null page or the writable region"),
        ({"read_only": Span(KIB64 + 1, 100)}, "does not start on a page"),
        ({"read_only": Span(KIB64, -1)}, "negative size"),
        ({"writable": Span(2 * KIB64, MIB - 2 * KIB64 + 1)}, "writable region overlaps the stack"),
        ({"writable": Span(2 * KIB64 + 8, 200)}, "does not start on a page"),
        ({"writable": Span(2 * KIB64, -1)}, "negative size"),
        ({"calldata": Span(STACK_END - KIB64, 24)}, "within reach of a frame-relative displacement"),
        ({"calldata": Span(STACK_END - PAGE, 24)}, "calldata overlaps the stack"),
        ({"calldata": Span(LAYOUT.calldata.low, 2 * MIB - LAYOUT.calldata.low + 1)}, "end of the slot"),
        ({"calldata": Span(LAYOUT.calldata.low + 8, 24)}, "does not start on a page"),
        ({"calldata": Span(LAYOUT.calldata.low, -1)}, "negative size"),
    ],
)
def test_one_wrong_number_of_a_layout_is_found(changes: dict[str, int], violation: str) -> None:
    assert violation in (hypothesis_violation(replace(LAYOUT, **changes), PLACEMENT) or "nothing")  # type: ignore[arg-type]


def test_a_context_that_no_displacement_reaches_is_found() -> None:
    """Found by layout.hypothesis: a reservation of gigabytes let a record lie where its 32-bit field cannot reach."""
    placement = replace(PLACEMENT, reserved_low=BASE - (1 << 32))
    assert hypothesis_violation(replace(LAYOUT, context_bytes=1 << 30), placement) is None
    violation = hypothesis_violation(replace(LAYOUT, context_bytes=(1 << 30) + 1), placement)
    assert violation == "the context is larger than a 32-bit displacement reaches"


def test_the_window_of_a_clamped_access_stays_inside_the_slot() -> None:
    """A mis-speculated access lies anywhere in the region's power of two, which must belong to this guest."""
    base = plan(calldata_size=PAGE)
    low = base.slot_bytes - 2 * PAGE
    placement = replace(PLACEMENT, frame_top=base.frame_top(0))
    assert hypothesis_violation(replace(base, calldata=Span(low, 2 * PAGE)), placement) is None
    beyond = replace(base, calldata=Span(low - PAGE, 2 * PAGE + 1))  # its window of four pages ends a page too late
    assert "window" in (hypothesis_violation(beyond, placement) or "nothing")


# ---------------------------------------------------------------- who may touch which byte


def allowed(layout: Layout, depth: int, address: int, size: int, write: bool) -> bool:
    """By hand: some region, or one live frame, holds every byte. Written with sets, not with comparisons."""
    bytes_wanted = range(address, address + size)
    flat = [layout.writable, layout.calldata, *([] if write else [layout.read_only])]
    frames = [Span(layout.stack_low + k * layout.frame_stride, layout.frame_bytes) for k in range(depth + 1)]
    return any(all(byte in range(s.low, s.low + s.size) for byte in bytes_wanted) for s in (*flat, *frames))


def edges(layout: Layout) -> list[int]:
    ends = [0, KIB64, 1 << 32, 1 << 63, (1 << 64) - 9, layout.slot_bytes]
    for span in (layout.read_only, layout.writable, layout.calldata):
        ends += [span.low, span.low + span.size]
    for depth in range(layout.frames + 1):
        ends += [layout.frame_top(depth) - layout.frame_bytes, layout.frame_top(depth)]
    return sorted({address for end in ends for address in range(end - 9, end + 10) if 0 <= address < 1 << 64})


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize("size", [1, 2, 4, 8])
@pytest.mark.parametrize("sizes", [(100, 200, 24), (0, 0, 0), (7, 1, 3), (PAGE, PAGE, PAGE)], ids=str)
def test_access_is_allowed_exactly_inside_one_region(sizes: tuple[int, int, int], size: int, write: bool) -> None:
    layout = plan(*sizes, profile=Profile(PAGE, 4))
    for depth in (0, 2, 3):
        for address in edges(layout):
            answer = may_access(layout, layout.frame_top(depth), address, size, write)
            assert answer is allowed(layout, depth, address, size, write), hex(address)


def test_an_access_never_wraps_around_to_low_addresses() -> None:
    for size in (1, 2, 4, 8):
        for address in range((1 << 64) - 16, 1 << 64):
            assert not may_access(LAYOUT, LAYOUT.frame_top(7), address, size, False)


@pytest.mark.parametrize("write", [False, True])
def test_helpers_may_touch_what_the_guest_may(write: bool) -> None:
    layout = plan(100, 200, 24, Profile(PAGE, 4))
    for depth in (0, 2):
        spans = host_spans(layout, layout.frame_top(depth), write)
        for address in edges(layout):
            for size in (1, 5, 8):
                held = host_span(layout, layout.frame_top(depth), address, size, write)
                assert (held is not None) is allowed(layout, depth, address, size, write), hex(address)
                assert held is None or held in spans


def test_a_range_that_starts_in_one_region_and_ends_in_the_next_is_held_by_none() -> None:
    near = replace(LAYOUT, read_only=Span(100, 10), writable=Span(110, 10), calldata=Span(130, 0))
    top = near.frame_top(0)
    assert host_span(near, top, 100, 10, write=False) == near.read_only
    assert host_span(near, top, 110, 10, write=False) == near.writable
    for pointer, length in ((109, 2), (100, 11), (99, 1), (120, 1), (105, 10), (0, 1 << 64), ((1 << 64) - 1, 200)):
        assert host_span(near, top, pointer, length, write=False) is None


def test_the_stack_region_spans_all_islands() -> None:
    assert LAYOUT.span(Region.STACK) == Span(MIB, 8 * KIB64)
