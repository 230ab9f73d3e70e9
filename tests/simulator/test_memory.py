"""That `access_check` over words is `jit.layout.may_access`, around every edge of every region."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jit.layout import Layout, Profile, Region, may_access, plan
from simulator.integers import INTEGERS
from simulator.memory import ByteMemory, access_check

LAYOUTS = (
    plan(),
    plan(1, 1, 1),
    plan(7, 8, 9),
    plan(5000, 70000, 24, Profile(frame_bytes=8192, frames=4)),
    plan(0, 3, 0, Profile(frames=1)),
)
SIZES = (1, 2, 4, 8)


def _edges(layout: Layout) -> list[int]:
    spans = [layout.span(region) for region in Region]
    frames = [layout.stack_low + depth * layout.frame_stride for depth in range(layout.frames + 1)]
    tops = [frame + layout.frame_bytes for frame in frames]
    return [0, *frames, *tops, *(s.low for s in spans), *(s.low + s.size for s in spans), 2**31, 2**32, 2**63]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("write", [False, True])
def test_check_is_may_access_around_every_edge(layout: Layout, write: bool) -> None:
    addresses = {(edge + shift) % 2**64 for edge in _edges(layout) for shift in range(-10, 11)}
    for size in SIZES:
        allowed = access_check(INTEGERS, layout, size, write)
        for depth in range(layout.frames):
            frame_top = layout.frame_top(depth)
            for address in addresses:
                assert allowed(frame_top, address) == may_access(layout, frame_top, address, size, write)


@settings(deadline=None)
@given(st.sampled_from(LAYOUTS), st.integers(0, 2**64 - 1), st.sampled_from(SIZES), st.booleans(), st.data())
def test_check_is_may_access_anywhere(
    layout: Layout, anywhere: int, size: int, write: bool, data: st.DataObject
) -> None:
    address = data.draw(st.sampled_from((anywhere, anywhere % layout.slot_bytes)))
    frame_top = layout.frame_top(data.draw(st.integers(0, layout.frames - 1)))
    allowed = access_check(INTEGERS, layout, size, write)
    assert allowed(frame_top, address) == may_access(layout, frame_top, address, size, write)


def test_bytes_are_little_endian_and_neighbours_stay() -> None:
    layout = plan(calldata_size=12)
    memory = ByteMemory(layout, calldata=b"abcdefghijkl")
    low = layout.calldata.low
    assert memory.load(low + 1, 2) == 0x6362
    memory.store(low + 4, 4, 0xFFFF_FFFF_3132_3334)
    assert memory.regions[Region.CALLDATA] == b"abcd4321ijkl"


def test_an_unchecked_access_is_our_bug() -> None:
    memory = ByteMemory(plan(calldata_size=8))
    with pytest.raises(AssertionError, match="not checked"):
        memory.load(0, 1)
    with pytest.raises(AssertionError, match="not checked"):
        memory.store(0, 1, 0)
