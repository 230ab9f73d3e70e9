"""Mailboxes: order, both bounds, deduplication at admission, and that a refusal changes nothing."""

from __future__ import annotations

import json
from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.node.errors import Kind, NodeError
from runtime.node.mailbox import MAX_ENTRIES, MAX_MAILBOX_BYTES, REMEMBERED_IDS, Mailbox
from runtime.sdk.codes import MAX_VALUE_BYTES


def taken(mailbox: Mailbox) -> object:
    event = mailbox.take()
    return None if event is None else json.loads(event)


def refused(mailbox: Mailbox, event_id: str, topic: str = "t", payload: object = None, *, again: bool = False) -> Kind:
    with pytest.raises(NodeError) as caught:
        (mailbox.deliver_again if again else mailbox.deliver)(event_id, topic, payload)
    return caught.value.kind


def payload_of(size: int, event_id: str) -> str:
    """A payload with which the encoded event has `size` bytes."""
    around = len(json.dumps({"event_id": event_id, "topic": "t", "payload": ""}, separators=(",", ":")))
    return "x" * (size - around)


def test_events_come_out_in_the_order_they_went_in() -> None:
    mailbox = Mailbox()
    for number in range(5):
        assert mailbox.deliver(f"e{number}", "t", number).accepted
    assert [taken(mailbox) for _ in range(5)] == [
        {"event_id": f"e{number}", "topic": "t", "payload": number} for number in range(5)
    ]
    assert mailbox.take() is None


def test_an_id_is_a_duplicate_after_admission_also_when_its_event_was_taken() -> None:
    mailbox = Mailbox()
    assert not mailbox.deliver("e", "t", 1).duplicate
    assert mailbox.deliver("e", "other", 2).duplicate
    assert len(mailbox) == 1
    mailbox.take()
    again = mailbox.deliver("e", "t", 1)
    assert (again.accepted, again.duplicate) == (True, True)
    assert len(mailbox) == 0


def test_the_last_128_ids_are_remembered() -> None:
    mailbox = Mailbox()
    for number in range(REMEMBERED_IDS + 1):
        mailbox.deliver(str(number), "t", None)
        mailbox.take()
    assert mailbox.deliver("1", "t", None).duplicate
    assert not mailbox.deliver("0", "t", None).duplicate


def test_the_bound_on_entries_is_exact_and_a_refused_id_may_come_again() -> None:
    mailbox = Mailbox()
    for number in range(MAX_ENTRIES):
        mailbox.deliver(str(number), "t", None)
    assert refused(mailbox, "one more") is Kind.MAILBOX_FULL
    assert len(mailbox) == MAX_ENTRIES
    mailbox.take()
    assert not mailbox.deliver("one more", "t", None).duplicate


def test_a_duplicate_is_none_too_many() -> None:
    mailbox = Mailbox()
    for number in range(MAX_ENTRIES):
        mailbox.deliver(str(number), "t", None)
    assert mailbox.deliver("3", "t", None).duplicate


def test_the_bound_on_bytes_is_exact() -> None:
    mailbox = Mailbox()
    half = MAX_MAILBOX_BYTES // 2
    mailbox.deliver("a", "t", payload_of(half, "a"))
    assert refused(mailbox, "b", payload=payload_of(half + 1, "b")) is Kind.INVALID_PARAMS  # also more than an event
    mailbox.deliver("b", "t", payload_of(half, "b"))
    assert refused(mailbox, "c", payload=None) is Kind.MAILBOX_FULL
    mailbox.take()
    assert mailbox.deliver("c", "t", None).accepted


def test_the_bound_on_one_event_counts_its_envelope() -> None:
    mailbox = Mailbox()
    assert refused(mailbox, "e", payload=payload_of(MAX_VALUE_BYTES + 1, "e")) is Kind.INVALID_PARAMS
    assert mailbox.deliver("e", "t", payload_of(MAX_VALUE_BYTES, "e")).accepted


@pytest.mark.parametrize(
    ("name", "right"), [("x" * 128, True), ("x" * 129, False), ("é" * 64, True), ("é" * 65, False)]
)
def test_names_are_measured_in_bytes(name: str, right: bool) -> None:
    mailbox = Mailbox()
    if right:
        assert mailbox.deliver(name, name, None).accepted
    else:
        assert refused(mailbox, name) is Kind.INVALID_PARAMS
        assert refused(mailbox, "e", name) is Kind.INVALID_PARAMS


def test_ids_are_compared_as_they_are() -> None:
    mailbox = Mailbox()
    composed, decomposed = "\u00e9", "e\u0301"
    for event_id in ("A", "a", composed, decomposed, "", " "):
        assert not mailbox.deliver(event_id, "t", None).duplicate


@pytest.mark.parametrize("name", ["\ud800", "x\udfff"])
def test_a_lone_surrogate_is_no_name(name: str) -> None:
    assert refused(Mailbox(), name) is Kind.INVALID_PARAMS


def test_what_no_json_value_is_is_refused() -> None:
    mailbox = Mailbox()
    deep: object = None
    for _ in range(33):
        deep = [deep]
    for payload in (float("nan"), float("inf"), "\ud800", deep, list(range(4096)), {1, 2}):
        assert refused(mailbox, "e", payload=payload) is Kind.INVALID_PARAMS
    assert len(mailbox) == 0
    assert not mailbox.deliver("e", "t", None).duplicate


def test_an_event_that_was_taken_may_be_delivered_again_and_one_that_lies_there_may_not() -> None:
    mailbox = Mailbox()
    for name in ("e", 'e","topic":"t', "ee", "\u00e9", "\\"):
        assert not mailbox.deliver(name, "t", 1).duplicate
        assert mailbox.deliver_again(name, "t", 1).duplicate, "it lies there"
        assert mailbox.take() is not None
        assert mailbox.deliver(name, "t", 1).duplicate, "an ordinary delivery stays one"
        assert not mailbox.deliver_again(name, "t", 1).duplicate
        assert mailbox.take() is not None
        assert len(mailbox) == 0


def test_an_event_is_withdrawn_by_its_whole_id_and_its_room_is_free() -> None:
    mailbox = Mailbox()
    large = "x" * (MAX_MAILBOX_BYTES // 2 - 200)
    for name in ("e", "ee"):
        mailbox.deliver(name, "t", large)
    assert refused(mailbox, "f", payload=large) is Kind.MAILBOX_FULL
    assert not mailbox.withdraw("f")
    assert mailbox.withdraw("e")
    assert not mailbox.withdraw("e")
    assert mailbox.deliver("e", "t", 1).duplicate, "its id was admitted"
    assert not mailbox.deliver("f", "t", large).duplicate
    assert [json.loads(mailbox.take() or b"")["event_id"] for _ in range(2)] == ["ee", "f"]


STEP = st.sampled_from(("take", "deliver", "deliver", "again", "withdraw"))


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 12_000), STEP), max_size=80))
def test_any_history_agrees_with_a_plain_model(steps: list[tuple[int, int, str]]) -> None:
    mailbox = Mailbox()
    queue: deque[tuple[str, bytes]] = deque()
    ids: deque[str] = deque(maxlen=REMEMBERED_IDS)
    for number, size, step in steps:
        event_id, payload = str(number), "x" * size
        event = json.dumps({"event_id": event_id, "topic": "t", "payload": payload}, separators=(",", ":")).encode()
        lies_there = event_id in [each for each, _ in queue]
        room = len(queue) < MAX_ENTRIES and sum(len(each) for _, each in queue) + len(event) <= MAX_MAILBOX_BYTES
        if step == "take":
            assert mailbox.take() == (queue.popleft()[1] if queue else None)
        elif step == "withdraw":
            assert mailbox.withdraw(event_id) == lies_there
            queue = deque(each for each in queue if each[0] != event_id)
        elif event_id in ids if step == "deliver" else lies_there:
            deliver = mailbox.deliver if step == "deliver" else mailbox.deliver_again
            assert deliver(event_id, "t", payload).duplicate
        elif not room:
            assert refused(mailbox, event_id, payload=payload, again=step == "again") is Kind.MAILBOX_FULL
        else:
            deliver = mailbox.deliver if step == "deliver" else mailbox.deliver_again
            assert not deliver(event_id, "t", payload).duplicate
            queue.append((event_id, event))
            if event_id in ids:
                ids.remove(event_id)
            ids.append(event_id)
        assert len(mailbox) == len(queue)
