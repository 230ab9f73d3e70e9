"""The queues of the outbox: bounded to the byte, fair, in order, and forgetful of nothing."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.server.outbox import CONTROL_BURST, CONTROL_FRAMES, DATA_BYTES, OBJECT_BYTES, Outbox


def drained(outbox: Outbox) -> list[bytes]:
    return list(iter(outbox.next, None))


def test_control_holds_64_frames() -> None:
    outbox = Outbox()
    assert all(outbox.add_control(b"%d" % n) for n in range(CONTROL_FRAMES))
    assert not outbox.add_control(b"one more")
    assert outbox.next() == b"0"
    assert outbox.add_control(b"one more")
    assert drained(outbox)[-1] == b"one more"


@pytest.mark.parametrize(
    ("sizes", "fits"), [((OBJECT_BYTES,), True), ((OBJECT_BYTES + 1,), False), ((1, OBJECT_BYTES), False)]
)
def test_an_object_has_64_kib(sizes: tuple[int, ...], fits: bool) -> None:
    outbox = Outbox()
    assert [outbox.add_data("o1", bytes(size)) for size in sizes][-1] is fits
    assert outbox.add_data("o2", b"another object has its own")


def test_an_object_has_room_again_when_some_of_its_frames_have_gone() -> None:
    outbox = Outbox()
    third = bytes(OBJECT_BYTES // 3)
    for _ in range(2):
        assert [outbox.add_data("o1", third) for _ in range(3)] == [True, True, True]
        assert not outbox.add_data("o1", third)
        assert outbox.next() == third
        assert outbox.add_data("o1", third, "id")
        assert not outbox.add_data("o1", third)
        assert outbox.withdraw("id")
        assert outbox.add_data("o1", third)
        drained(outbox)


def test_all_objects_have_4_mib() -> None:
    outbox = Outbox()
    count = DATA_BYTES // OBJECT_BYTES
    assert all(outbox.add_data(f"o{n}", bytes(OBJECT_BYTES)) for n in range(count))
    assert not outbox.add_data("o", b"x")
    outbox.next()
    assert outbox.add_data("o", b"x")


def test_objects_take_turns() -> None:
    outbox = Outbox()
    for frame in (b"a1", b"a2", b"a3", b"b1", b"c1", b"c2"):
        outbox.add_data(frame[:1].decode(), frame)
    assert drained(outbox) == [b"a1", b"b1", b"c1", b"a2", b"c2", b"a3"]


def test_control_goes_first_and_lets_an_object_through_after_eight() -> None:
    outbox = Outbox()
    for n in range(20):
        outbox.add_control(b"c%d" % n)
    for n in range(3):
        outbox.add_data("o", b"d%d" % n)
    order = [frame[:1] for frame in drained(outbox)]
    assert b"".join(order) == b"c" * CONTROL_BURST + b"d" + b"c" * CONTROL_BURST + b"d" + b"cccc" + b"d"


def test_a_call_can_be_withdrawn_until_it_is_taken() -> None:
    outbox = Outbox()
    outbox.add_data("o1", b"log")
    outbox.add_data("o1", b"call", "id1")
    outbox.add_data("o2", b"call of another", "id2")
    assert outbox.withdraw("id1")
    assert not outbox.withdraw("id1")
    assert drained(outbox) == [b"log", b"call of another"]
    assert not outbox.withdraw("id2")
    assert outbox.data_bytes == 0


STEPS = st.lists(
    st.tuples(st.just("control"), st.integers(0, 3))
    | st.tuples(st.just("data"), st.sampled_from("abc"))
    | st.tuples(st.just("call"), st.sampled_from("abc"))
    | st.tuples(st.just("withdraw"), st.integers(0, 30))
    | st.tuples(st.just("next"), st.just(0)),
    max_size=60,
)


@given(STEPS)
def test_every_frame_comes_out_once_and_in_order_unless_it_was_withdrawn(steps: list[tuple[str, object]]) -> None:
    outbox = Outbox()
    expected: defaultdict[str, list[bytes]] = defaultdict(list)
    got: defaultdict[str, list[bytes]] = defaultdict(list)
    calls: dict[int, tuple[str, bytes]] = {}

    def take(frame: bytes | None) -> None:
        if frame is not None:
            got[frame[:1].decode()].append(frame)

    for serial, (what, argument) in enumerate(steps):
        name = argument if isinstance(argument, str) else "#"
        frame = f"{name}{serial}".encode()
        if what == "control":
            assert outbox.add_control(frame)
            expected["#"].append(frame)
        elif what == "next":
            take(outbox.next())
        elif what == "withdraw":
            assert isinstance(argument, int)
            if outbox.withdraw(str(argument)):
                owner, withdrawn = calls[argument]
                expected[owner].remove(withdrawn)
        else:
            assert outbox.add_data(name, frame, str(serial) if what == "call" else None)
            calls[serial] = (name, frame)
            expected[name].append(frame)
    for frame in drained(outbox):
        take(frame)
    assert dict(got) == {name: frames for name, frames in expected.items() if frames}
    assert (outbox.data_bytes, outbox.control_frames, bool(outbox)) == (0, 0, False)
