"""The example Loops do what their first lines say, over scripted services."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from runtime import Exited, load
from runtime.sdk.codes import CLOSED, DENIED, HOST_ERROR, TIMEOUT
from runtime.sdk.texts import example, example_names
from runtime.sdk.values import Value
from tests.clang import LOOP_OPTIONS, compiled
from tests.runtime.sdk.scripted import Answer, ScriptedServices, helpers

ENGINES = pytest.mark.parametrize("engine", ["jit", "interpreter"])


def exits(name: str, services: ScriptedServices, engine: str) -> int:
    elf = compiled(example(name), *LOOP_OPTIONS, "-mcpu=v4")
    with load(elf, helpers(services), engine=engine).instantiate() as guest:
        outcome = guest.run(limit_ms=60_000)
    assert isinstance(outcome, Exited)
    return outcome.value - ((outcome.value >> 63) << 64)


def in_turn(answers: Iterable[Value]) -> Answer:
    """Each of them once."""
    left: Iterator[Value] = iter(answers)
    return lambda *_: next(left)


def calls(services: ScriptedServices, capability: str) -> list[Value]:
    return [entry[2] for entry in services.trace if entry[:2] == ["call", capability]]


def test_there_are_four() -> None:
    assert example_names() == ("ci_run", "device_states", "page_keyword", "webhook_filter")


# ---------------------------------------------------------------- ci_run

RUN = {"repository": "owner/name", "run_id": 123, "dedup_key": "run:123"}


@ENGINES
def test_a_run_is_asked_for_until_it_is_over_and_told_until_that_is_accepted(engine: str) -> None:
    runs = [
        {"status": "queued"},
        HOST_ERROR,
        TIMEOUT,
        {"status": "running"},
        {"status": "completed", "conclusion": "red"},
    ]
    services = ScriptedServices(
        answers={"ci.run.read": in_turn(runs), "agent.notify": in_turn([TIMEOUT, HOST_ERROR, {}])},
        config=RUN,
        sleeps=99,
    )
    assert exits("ci_run", services, engine) == 0
    assert calls(services, "ci.run.read") == [RUN] * 5
    assert calls(services, "agent.notify") == [{"content": "red", **RUN}] * 3
    assert services.waits == [  # each call's timeout, and the pause behind it
        *(10_000, 15_000, 10_000, 30_000, 10_000, 60_000, 10_000, 15_000, 10_000),
        *(10_000, 1_000, 10_000, 2_000, 10_000),
    ]


@ENGINES
@pytest.mark.parametrize("denied", ["ci.run.read", "agent.notify"])
def test_a_run_that_may_not_be_watched_or_told_is_given_up(engine: str, denied: str) -> None:
    answers: dict[str, Answer] = {"ci.run.read": {"status": "completed"}, denied: DENIED}
    services = ScriptedServices(answers=answers, config=RUN, sleeps=99)
    assert exits("ci_run", services, engine) == DENIED


# ---------------------------------------------------------------- device_states


def device_event(number: int, device: Value, state: Value) -> tuple[int, Value]:
    return 10, {"event_id": f"e{number}", "topic": "device", "payload": {"device": device, "state": state}}


@ENGINES
def test_a_device_is_told_of_when_it_enters_or_leaves_the_state(engine: str) -> None:
    states = [
        ("door", "closed"), ("door", "open"), ("door", "open"), ("window", "open"), ("door", "ajar"),
        ("door", "closed"), ("door", 7), (None, "open"), ("d" * 100, "open"), ("d" * 100, "open"),
    ]  # fmt: skip
    services = ScriptedServices(
        [device_event(n, *state) for n, state in enumerate(states)], config={"state": "open"}, sleeps=99
    )
    assert exits("device_states", services, engine) == CLOSED
    told = [(m["content"], m["device"], m["state"], m["dedup_key"]) for m in calls(services, "agent.notify")]
    assert told == [
        ("entered", "door", "open", "e1"),
        ("entered", "window", "open", "e3"),
        ("left", "door", "ajar", "e4"),
        ("entered", "d" * 39, "open", "e8"),
    ]


@ENGINES
def test_what_could_not_be_told_is_told_at_the_next_event_of_the_device(engine: str) -> None:
    services = ScriptedServices(
        [device_event(n, "door", "open") for n in range(3)],
        answers={"agent.notify": in_turn([HOST_ERROR] * 5 + [{}])},
        config={"state": "open"},
        sleeps=99,
    )
    assert exits("device_states", services, engine) == CLOSED
    assert [m["dedup_key"] for m in calls(services, "agent.notify")] == ["e0"] * 5 + ["e1"]


@ENGINES
def test_more_devices_than_there_is_room_for_and_more_events_than_handles_do_no_harm(engine: str) -> None:
    events = [device_event(n, f"device {n % 20}", "open") for n in range(400)]
    services = ScriptedServices(events, config={"state": "open"}, sleeps=99)
    assert exits("device_states", services, engine) == CLOSED
    assert len(calls(services, "agent.notify")) == 16
    assert len(services.trace) == 16 + 20 * 4
    assert len(services.handles) == 0


# ---------------------------------------------------------------- page_keyword

PAGE = {"url": "https://example.invalid", "keyword": "needle", "dedup_key": "page:1"}


def page(text: str, size: int) -> Answer:
    """The page in chunks of up to `size` characters, whatever was asked for."""

    def read(request: Value, _: ScriptedServices) -> Value:
        start = request["offset"]
        end = min(start + size, len(text))
        return {"data": text[start:end], "next_offset": end, "done": end == len(text), "snapshot": "v1"}

    return read


@ENGINES
@pytest.mark.parametrize("size", [1, 5, 6, 7, 2048, 9000])
def test_a_keyword_is_found_wherever_the_borders_of_chunks_are(engine: str, size: int) -> None:
    text = "nee needl" * 20 + "needle" + "more" if size < 100 else "x" * 4094 + "needle"
    services = ScriptedServices(answers={"web.read_chunk": page(text, size)}, config=PAGE)
    assert exits("page_keyword", services, engine) == 0
    reads = calls(services, "web.read_chunk")
    assert reads[0] == {"url": PAGE["url"], "max_bytes": 2048, "offset": 0}
    assert all(read["snapshot"] == "v1" for read in reads[1:])
    (told,) = calls(services, "agent.notify")
    assert told == {"content": "the keyword is on the page", "url": PAGE["url"], "dedup_key": "page:1"}
    assert services.sleeps == 0


@ENGINES
def test_a_page_without_it_is_read_again_and_errors_are_borne(engine: str) -> None:
    chunks = [
        {"data": "need", "next_offset": 4, "done": True},
        HOST_ERROR,
        {"data": 5},
        {"data": "le"},
        {"data": "needle"},
    ]
    services = ScriptedServices(answers={"web.read_chunk": in_turn(chunks)}, config=PAGE, sleeps=99)
    assert exits("page_keyword", services, engine) == 0
    assert [wait for wait in services.waits if wait == 60_000] == [60_000] * 4
    assert [read["offset"] for read in calls(services, "web.read_chunk")] == [0] * 5


# ---------------------------------------------------------------- webhook_filter


def webhook(number: int, payload: Value) -> tuple[int, Value]:
    return 10, {"event_id": f"d{number}", "topic": "webhook", "payload": payload}


@ENGINES
def test_events_that_matter_are_passed_on_and_all_are_acknowledged(engine: str) -> None:
    payloads = [{"kind": "deploy", "n": [1]}, {"kind": "chat"}, {"kind": "deploy2"}, {"kind": "alert"}, {}, None]
    services = ScriptedServices(
        [webhook(n, payload) for n, payload in enumerate(payloads)], config={"kinds": ["alert", 5, "deploy"]}, sleeps=99
    )
    assert exits("webhook_filter", services, engine) == CLOSED
    assert calls(services, "agent.notify") == [
        {"content": {"kind": "deploy", "n": [1]}, "dedup_key": "d0"},
        {"content": {"kind": "alert"}, "dedup_key": "d3"},
    ]
    assert calls(services, "loop.ack") == [{"event_id": f"d{n}"} for n in range(6)]


@ENGINES
def test_an_event_that_could_not_be_passed_on_is_not_acknowledged(engine: str) -> None:
    services = ScriptedServices(
        [webhook(1, {"kind": "deploy"}), webhook(2, {"kind": "deploy"})],
        answers={"agent.notify": in_turn([HOST_ERROR] * 6 + [TIMEOUT, {}])},
        config={"kinds": ["deploy"]},
        sleeps=99,
    )
    assert exits("webhook_filter", services, engine) == CLOSED
    assert len(calls(services, "agent.notify")) == 8
    assert calls(services, "loop.ack") == [{"event_id": "d2"}]
    assert ["log", "an event is left pending"] in services.trace


@ENGINES
def test_thousands_of_events_leave_no_handles(engine: str) -> None:
    services = ScriptedServices([webhook(n, {"kind": "deploy"}) for n in range(1000)], config={"kinds": ["deploy"]})
    assert exits("webhook_filter", services, engine) == CLOSED
    assert len(calls(services, "loop.ack")) == 1000
    assert len(services.handles) == 1
