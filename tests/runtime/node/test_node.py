"""The node with real guests: life cycle, events, host calls, deadlines, limits; and that no object harms another."""

from __future__ import annotations

import asyncio
import gc
import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from runtime import residency
from runtime.host import Host
from runtime.node import (
    NEVER,
    Capability,
    Exit,
    Failure,
    HostCall,
    Kind,
    Memory,
    MemoryKind,
    Node,
    NodeError,
    Parking,
    State,
    Wait,
    running,
)
from runtime.node.objects import NodeObject
from runtime.node.scheduler import Scheduler
from runtime.program import INTERPRETER, JIT
from runtime.sdk import codes
from runtime.sdk.values import Value
from tests.runtime.node.nodes import (
    FAULTER,
    GRANTED,
    HELPER_SPINNER,
    RETURNER,
    SLEEPER,
    SPINNER,
    WAITER,
    YIELDER,
    Notes,
    built,
    ended,
    slices,
    started,
    waiting,
)

Story = Callable[[Node, Notes], Awaitable[None]]
ENGINES = [JIT, INTERPRETER]
PARKED_AT_ONCE = Parking(idle_seconds=None, resident=0)


def run(story: Story, engine: str | None = None, parking: Parking = NEVER, **options: float) -> None:
    """Run `story` with a node of its own, and see that the node gives everything back."""

    async def told() -> None:
        notes, host = Notes(), Host()
        async with Node(notes, host=host, engine=engine, parking=parking, **options) as node:
            await story(node, notes)
        assert node.stats()["objects"] == node.stats()["pending_host_calls"] == node.stats()["timers"] == 0
        assert host.cage.in_use == 0

    asyncio.run(told())


def kind_of(action: Callable[[], object]) -> Kind:
    with pytest.raises(NodeError) as caught:
        action()
    return caught.value.kind


# ---------------------------------------------------------------- life cycle


@pytest.mark.parametrize("engine", ENGINES)
def test_an_object_lives_from_load_to_exit(engine: str) -> None:
    elf = built(RETURNER)

    async def story(node: Node, notes: Notes) -> None:
        status = node.load(elf)
        assert status.object_id == "o1"
        assert status.sha256 == hashlib.sha256(elf).hexdigest()
        assert (status.state, status.wait, status.mailbox_entries, status.outcome) == (State.LOADED, Wait.NONE, 0, None)
        assert node.start("o1").state is State.STARTING
        status = await ended(node, "o1")
        assert (status.state, status.outcome) == (State.EXITED, Exit(-7))
        assert notes.states == [status]

    run(story, engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_fault_ends_the_object_and_says_where(engine: str) -> None:
    async def story(node: Node, notes: Notes) -> None:
        other = started(node, built(WAITER))
        status = await ended(node, started(node, built(FAULTER)))
        assert status.state is State.FAILED
        assert isinstance(status.outcome, Failure)
        assert status.outcome.kind == "PROGRAM_FAULT"
        assert "0x8" in status.outcome.error
        assert "null pointer" in status.outcome.error
        await waiting(node, other)

    run(story, engine)


def test_code_is_kept_for_the_next_object_that_has_it() -> None:
    """A Loop that is stopped and loaded again is not translated again, unless many others came between."""
    translated: list[str] = []

    async def again(node: Node, elf: bytes) -> None:
        object_id = started(node, elf)
        await waiting(node, object_id)
        await node.unload(object_id)

    async def story(node: Node, notes: Notes) -> None:
        arena = node._host.arena if node._host is not None else None
        assert arena is not None
        arena.on_code = lambda _address, _size, name: translated.append(name)
        for _ in range(3):
            await again(node, built(WAITER))
        once = len(translated)
        assert once == len(set(translated)) > 0
        other = built("SF_MAIN sf_i64 entry(void) { return sf_event_next(0x11223344); }")
        timeout = (0x11223344).to_bytes(4, "little")
        assert other.count(timeout) == 1
        for number in range(16):
            await again(node, other.replace(timeout, (0x11223344 + number).to_bytes(4, "little")))
        assert len(translated) > once
        before = len(translated)
        await again(node, built(WAITER))
        assert len(translated) == before + once

    run(story, JIT)


def test_an_object_starts_once() -> None:
    async def story(node: Node, notes: Notes) -> None:
        object_id = started(node, built(WAITER))
        assert kind_of(lambda: node.start(object_id)) is Kind.BUSY
        await waiting(node, object_id)
        assert kind_of(lambda: node.start(object_id)) is Kind.BUSY
        await node.stop(object_id)
        assert kind_of(lambda: node.start(object_id)) is Kind.BUSY

    run(story)


def test_stop_ends_objects_in_every_state_and_leaves_those_that_have_ended() -> None:
    async def story(node: Node, notes: Notes) -> None:
        loaded = node.load(built(WAITER)).object_id
        starting = started(node, built(WAITER))
        for object_id in (loaded, starting):
            assert (await node.stop(object_id)).state is State.STOPPED
        running = started(node, built(WAITER))
        await waiting(node, running)
        assert (await node.stop(running)).state is State.STOPPED
        exited = started(node, built(RETURNER))
        await ended(node, exited)
        assert (await node.stop(exited)).state is State.EXITED
        assert (await node.stop(running)).outcome is None

    run(story)


def test_unload_forgets_and_may_be_repeated() -> None:
    async def story(node: Node, notes: Notes) -> None:
        object_id = started(node, built(WAITER))
        await waiting(node, object_id)
        await node.unload(object_id)
        await node.unload(object_id)
        await node.unload("never was")
        for action in (node.get, node.start):
            assert kind_of(lambda action=action: action(object_id)) is Kind.OBJECT_NOT_FOUND  # type: ignore[misc]
        with pytest.raises(NodeError):
            await node.stop(object_id)
        assert node.load(built(WAITER)).object_id == "o2"  # ids are not used again

    run(story)


@pytest.mark.parametrize("elf", [b"", b"\x7fELF", b"x" * 4096])
def test_what_is_no_object_is_refused_and_costs_nothing(elf: bytes) -> None:
    async def story(node: Node, notes: Notes) -> None:
        assert kind_of(lambda: node.load(elf)) is Kind.INVALID_OBJECT
        assert node.stats()["objects"] == 0

    run(story)


def test_an_object_without_the_entry_is_refused() -> None:
    async def story(node: Node, notes: Notes) -> None:
        with pytest.raises(NodeError, match=r"spinfoam\.main"):
            node.load(built("sf_i64 entry(void) { return 0; }"))

    run(story)


def test_helpers_that_the_sdk_lacks_are_named() -> None:
    async def story(node: Node, notes: Notes) -> None:
        with pytest.raises(NodeError, match="sf_open_file") as caught:
            node.load(built("extern sf_i64 sf_open_file(void); SF_MAIN sf_i64 entry(void) { return sf_open_file(); }"))
        assert caught.value.kind is Kind.INVALID_OBJECT

    run(story)


def test_a_config_within_the_limits_reaches_the_guest_and_others_are_refused() -> None:
    source = 'SF_MAIN sf_i64 entry(void) { return sf_json_read_i64(sf_config(), "answer", -1); }'

    async def story(node: Node, notes: Notes) -> None:
        assert (await ended(node, started(node, built(source), {"answer": 42}))).outcome == Exit(42)
        assert (await ended(node, started(node, built(source)))).outcome == Exit(-1)
        for config in ("x" * 16_384, float("nan"), [0] * 4096, "\ud800"):
            assert kind_of(lambda config=config: node.load(built(source), config)) is Kind.INVALID_PARAMS  # type: ignore[misc]

    run(story)


def test_pages_are_lexical_and_skip_nothing_when_objects_go() -> None:
    async def story(node: Node, notes: Notes) -> None:
        elf = built(RETURNER)
        for _ in range(12):
            node.load(elf)
        first = node.list(limit=3)
        assert [status.object_id for status in first.objects] == ["o1", "o10", "o11"]
        assert first.next == "o11"
        await node.unload("o11")
        second = node.list(after=first.next, limit=3)
        assert [status.object_id for status in second.objects] == ["o12", "o2", "o3"]
        rest = node.list(after=second.next)
        assert [status.object_id for status in rest.objects] == ["o4", "o5", "o6", "o7", "o8", "o9"]
        assert rest.next is None
        assert node.list(after="o9").objects == ()
        for limit in (0, 257, -1):
            assert kind_of(lambda limit=limit: node.list(limit=limit)) is Kind.INVALID_PARAMS  # type: ignore[misc]

    run(story)


# ---------------------------------------------------------------- events and host calls


@pytest.mark.parametrize("parking", [NEVER, PARKED_AT_ONCE])
@pytest.mark.parametrize("engine", ENGINES)
def test_an_event_wakes_the_guest_whose_host_call_is_answered(engine: str, parking: Parking) -> None:
    async def story(node: Node, notes: Notes) -> None:
        object_id = started(node, built(WAITER))
        await waiting(node, object_id)
        for number in range(5):
            assert node.deliver(object_id, f"e{number}", "hook", {"n": number}).accepted
            await waiting(node, object_id, Wait.HOST_CALL)
            call = notes.calls[-1]
            assert (call.object_id, call.capability, call.timeout_ms) == (object_id, "ack", 60_000)
            assert call.arguments == {"event_id": f"e{number}", "topic": "hook", "payload": {"n": number}}
            assert node.answer(call.id, {"ok": True})
            await waiting(node, object_id)
        assert len({call.id for call in notes.calls}) == 5
        assert node.get(object_id).mailbox_entries == 0
        assert (node.stats()["parked"] > 0) == (parking is PARKED_AT_ONCE)

    run(story, engine, parking)


def test_events_may_come_before_the_start_and_keep_their_order() -> None:
    async def story(node: Node, notes: Notes) -> None:
        object_id = node.load(built(WAITER), capabilities=GRANTED).object_id
        for number in range(3):
            node.deliver(object_id, str(number), "t", None)
        assert node.get(object_id).mailbox_entries == 3

        def answer_soon(call: HostCall) -> None:
            asyncio.get_running_loop().call_soon(node.answer, call.id, None)

        notes.on_call = answer_soon
        node.start(object_id)
        await notes.until(lambda: len(notes.calls) == 3)
        assert [call.arguments["event_id"] for call in notes.calls] == ["0", "1", "2"]

    run(story)


def test_history_belongs_to_the_object() -> None:
    async def story(node: Node, notes: Notes) -> None:
        one, other = started(node, built(WAITER)), started(node, built(WAITER))
        await waiting(node, one)
        assert not node.deliver(one, "e", "t", None).duplicate
        await waiting(node, one, Wait.HOST_CALL)
        assert node.deliver(one, "e", "t", None).duplicate
        assert not node.deliver(other, "e", "t", None).duplicate
        await node.unload(one)
        assert not node.deliver(started(node, built(WAITER)), "e", "t", None).duplicate

    run(story)


def test_the_embedder_hears_of_what_was_not_granted() -> None:
    source = """
    SF_MAIN sf_i64 entry(void) {
        sf_handle null = sf_json_null();
        return sf_host_call("ack", null, 0) * 10 + sf_host_call("nack", null, 0);
    }
    """

    async def story(node: Node, notes: Notes) -> None:
        object_id = started(node, built(source))
        assert (await ended(node, object_id)).outcome == Exit(codes.TIMEOUT * 10 + codes.DENIED)
        assert (notes.denied, notes.calls) == ([(object_id, "nack")], [])

    run(story)


def test_an_event_that_a_guest_took_can_be_delivered_again_and_withdrawn() -> None:
    async def story(node: Node, notes: Notes) -> None:
        object_id = started(node, built(WAITER))
        await waiting(node, object_id)
        node.deliver(object_id, "e", "t", None)
        assert not node.withdraw(object_id, "e"), "the guest was woken for it"
        await waiting(node, object_id, Wait.HOST_CALL)
        assert not node.deliver_again(object_id, "e", "t", None).duplicate
        assert node.deliver_again(object_id, "e", "t", None).duplicate, "it lies there"
        assert node.withdraw(object_id, "e")
        assert node.get(object_id).mailbox_entries == 0
        assert not node.deliver_again(object_id, "e", "t", None).duplicate
        node.answer(notes.calls[-1].id, None)
        await notes.until(lambda: len(notes.calls) == 2)
        await node.stop(object_id)
        with pytest.raises(NodeError) as error:
            node.deliver_again(object_id, "e", "t", None)
        assert error.value.kind is Kind.BUSY
        assert not node.withdraw(object_id, "e")

    run(story)


def test_an_object_that_has_ended_takes_no_events() -> None:
    async def story(node: Node, notes: Notes) -> None:
        object_id = started(node, built(RETURNER))
        await ended(node, object_id)
        assert kind_of(lambda: node.deliver(object_id, "e", "t", None)) is Kind.BUSY

    run(story)


def outcome_of(source: str, act: Story | None = None, capabilities: tuple[Capability, ...] = GRANTED) -> int:
    """What a guest returned; `act` runs while it does."""
    codes: list[int] = []

    async def story(node: Node, notes: Notes) -> None:
        object_id = started(node, built(source), capabilities=capabilities)
        if act is not None:
            await act(node, notes)
        status = await ended(node, object_id)
        assert isinstance(status.outcome, Exit), status
        codes.append(status.outcome.exit_code)

    run(story)
    return codes[0]


CALL = (
    'SF_MAIN sf_i64 entry(void) { sf_handle h = sf_host_call("ack", sf_json_object(), TIMEOUT); return h > 0 ? 1 : h; }'
)


def call(timeout: str) -> str:
    return CALL.replace("TIMEOUT", timeout)


async def answer_error(node: Node, notes: Notes) -> None:
    await notes.until(lambda: bool(notes.calls))
    assert node.answer_error(notes.calls[0].id)


async def answer_denied(node: Node, notes: Notes) -> None:
    await notes.until(lambda: bool(notes.calls))
    assert node.answer_denied(notes.calls[0].id)
    assert not node.answer_denied(notes.calls[0].id)


async def answer_too_much(node: Node, notes: Notes) -> None:
    await notes.until(lambda: bool(notes.calls))
    assert node.answer(notes.calls[0].id, "x" * 16_384)


def test_what_a_host_call_comes_to() -> None:
    assert outcome_of(call("60000"), answer_error) == -5
    assert outcome_of(call("60000"), answer_denied) == -4
    assert outcome_of(call("60000"), answer_too_much) == -2
    assert outcome_of(call("60000"), capabilities=()) == -4
    assert outcome_of(call("0")) == -3


def test_a_host_call_that_is_not_answered_times_out_and_is_cancelled() -> None:
    async def story(node: Node, notes: Notes) -> None:
        object_id = started(node, built(call("3")))
        status = await ended(node, object_id)
        assert status.outcome == Exit(-3)
        assert notes.cancelled == [notes.calls[0].id]
        assert not node.answer(notes.calls[0].id, 1)
        assert node.stats()["ignored_host_responses"] == 1

    run(story)


def test_an_answer_is_copied_and_tuples_are_arrays() -> None:
    source = """
    SF_MAIN sf_i64 entry(void) {
        sf_handle answer = sf_host_call("ack", sf_json_object(), 60000);
        sf_sleep_ms(1);
        sf_i64 second = 0;
        sf_json_i64(sf_json_at(sf_json_get(answer, "list"), 1), &second);
        return sf_json_kind(sf_json_get(answer, "pair")) * 100 + second;
    }
    """

    async def answer_and_change(node: Node, notes: Notes) -> None:
        await notes.until(lambda: bool(notes.calls))
        value: dict[str, Value] = {"list": [1, 2], "pair": (1, 2)}
        assert node.answer(notes.calls[0].id, value)
        value["list"].clear()

    assert outcome_of(source, answer_and_change) == 402


def test_answers_that_nobody_waits_for_are_counted() -> None:
    async def story(node: Node, notes: Notes) -> None:
        object_id = started(node, built(WAITER))
        await waiting(node, object_id)
        node.deliver(object_id, "e", "t", None)
        await waiting(node, object_id, Wait.HOST_CALL)
        assert node.answer(notes.calls[0].id, None)
        assert not node.answer(notes.calls[0].id, None)
        assert not node.answer_error("sf:other:1")
        assert node.stats()["ignored_host_responses"] == 2
        await waiting(node, object_id)

    run(story)


def test_stop_during_a_host_call_cancels_it_and_a_late_answer_is_dropped() -> None:
    async def story(node: Node, notes: Notes) -> None:
        object_id, other = started(node, built(WAITER)), started(node, built(WAITER))
        await waiting(node, other)
        node.deliver(object_id, "e", "t", None)
        await waiting(node, object_id, Wait.HOST_CALL)
        await node.stop(object_id)
        assert notes.cancelled == [notes.calls[0].id]
        await node.unload(object_id)
        assert not node.answer(notes.calls[0].id, {"late": True})
        assert node.stats()["ignored_host_responses"] == 1
        node.deliver(other, "e", "t", None)
        await waiting(node, other, Wait.HOST_CALL)

    run(story)


def test_an_embedder_may_answer_or_stop_from_inside_of_a_call() -> None:
    async def story(node: Node, notes: Notes) -> None:
        object_id = started(node, built(WAITER))
        await waiting(node, object_id)

        def answer(call: HostCall) -> None:
            node.answer(call.id, 1)

        notes.on_call = answer
        for number in range(3):
            node.deliver(object_id, str(number), "t", None)
        await notes.until(lambda: len(notes.calls) == 3)
        await waiting(node, object_id)

        assert node.get(object_id).state is State.RUNNING  # it was woken for no other reason

        def stop(_: HostCall) -> None:
            with pytest.raises(StopIteration):
                node.stop(object_id).send(None)

        notes.on_call = stop
        node.deliver(object_id, "last", "t", None)
        assert (await ended(node, object_id)).state is State.STOPPED

    run(story)


def test_the_129th_handle_is_refused_before_anything_is_lost() -> None:
    source = """
    SF_MAIN sf_i64 entry(void) {
        sf_handle last = 0;
        for (int i = 0; i < 128; i++) last = sf_json_object();
        if (sf_json_object() != SF_LIMIT) return 1;
        if (sf_event_next(-1) != SF_LIMIT) return 2;
        if (sf_host_call("ack", last, 1000) != SF_LIMIT) return 3;
        if (sf_config() != SF_LIMIT) return 4;
        sf_drop(last);
        if (sf_drop(last) != SF_INVALID) return 5;
        return sf_event_next(-1) > last ? 0 : 6;
    }
    """

    async def story(node: Node, notes: Notes) -> None:
        object_id = node.load(built(source), capabilities=GRANTED).object_id
        node.deliver(object_id, "e", "t", None)
        node.start(object_id)
        assert (await ended(node, object_id)).outcome == Exit(0)
        assert notes.calls == []

    run(story)


def test_logs_are_ten_a_second_and_a_dropped_one_is_told() -> None:
    source = """
    SF_MAIN sf_i64 entry(void) {
        int kept = 0;
        for (int i = 0; i < 40; i++) kept += sf_log("hello") == 0;
        return kept;
    }
    """

    async def story(node: Node, notes: Notes) -> None:
        object_id = started(node, built(source))
        status = await ended(node, object_id)
        assert isinstance(status.outcome, Exit)
        assert status.outcome.exit_code in (10, 20)  # 20: a second ended meanwhile
        assert len(notes.logs) == status.outcome.exit_code
        assert notes.logs[0] == (object_id, "hello")
        notes.takes_logs = False
        assert (await ended(node, started(node, built(source)))).outcome == Exit(0)

    run(story)


def test_time_goes_on_while_a_guest_sleeps() -> None:
    source = """
    SF_MAIN sf_i64 entry(void) {
        sf_u64 before = sf_now_mono_ms(), wall = sf_now_unix_ms();
        if (sf_sleep_ms(20) != 0) return 1;
        if (sf_event_next(20) != SF_TIMEOUT) return 2;
        if (sf_now_mono_ms() - before < 40) return 3;
        if (sf_now_unix_ms() < wall) return 4;
        return sf_event_next(0) == SF_TIMEOUT && sf_sleep_ms(0) == 0 && sf_yield() == 0 ? 0 : 5;
    }
    """
    assert outcome_of(source) == 0


# ---------------------------------------------------------------- fairness


@pytest.mark.parametrize("spinner", [SPINNER, HELPER_SPINNER, YIELDER])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_spinning_guest_holds_up_nobody_and_is_stopped_at_once(engine: str, spinner: str) -> None:
    async def story(node: Node, notes: Notes) -> None:
        spinning = [started(node, built(spinner)) for _ in range(3)]
        object_id = started(node, built(WAITER))
        await waiting(node, object_id)
        for number in range(10):
            node.deliver(object_id, str(number), "t", None)
            await waiting(node, object_id, Wait.HOST_CALL)
            node.answer(notes.calls[-1].id, None)
            await waiting(node, object_id)
        stopped = await asyncio.gather(*(node.stop(each) for each in spinning for _ in range(8)))
        assert {status.state for status in stopped} == {State.STOPPED}

    run(story, engine)


def test_who_runs_on_without_a_wait_is_throttled_and_who_waits_is_not() -> None:
    async def story(node: Node, notes: Notes) -> None:
        started(node, built(SPINNER))
        await notes.until(lambda: "salix_node_throttles_total 0" not in node.metrics())
        sleeper = started(node, built(SLEEPER))
        assert (await ended(node, sleeper)).outcome == Exit(1)

    run(story, throttle_after_ms=2.0, throttle_pause_ms=1.0)


def test_time_in_which_a_guest_waits_is_not_charged() -> None:
    """Twenty answers that take longer than a slice, each followed by a little work: nobody is throttled."""
    source = """
    SF_MAIN sf_i64 entry(void) {
        sf_u64 sum = 0;
        for (int round = 0; round < 20; round++) {
            sf_handle answer = sf_host_call("ack", sf_config(), 60000);
            if (answer < 0) return answer;
            for (volatile int i = 0; i < 1000; i++) sum += i;
        }
        return 1;
    }
    """

    async def story(node: Node, notes: Notes) -> None:
        def answer_late(call: HostCall) -> None:
            asyncio.get_running_loop().call_later(0.003, node.answer, call.id, None)

        notes.on_call = answer_late
        object_id = started(node, built(source))
        assert (await ended(node, object_id)).outcome == Exit(1)
        assert "salix_node_throttles_total 0\n" in node.metrics()

    run(story, throttle_after_ms=5.0)


def test_a_slice_that_ended_early_is_forgiven_and_two_in_a_row_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slice may end for a busy machine's sake. Its guest goes on before those that spin; if it ends again, after."""
    now = [0.0]

    def wall() -> float:  # every look at the clock finds that a slice has passed
        now[0] += 1.0
        return now[0]

    queued_first: list[bool] = []

    async def story(node: Node, notes: Notes) -> None:
        object_id = started(node, built("SF_MAIN sf_i64 entry(void) { sf_now_unix_ms(); sf_now_unix_ms(); return 1; }"))
        monkeypatch.setattr(running, "perf_counter", wall)
        assert (await ended(node, object_id)).outcome == Exit(1)
        assert "salix_node_slices_total 2\n" in node.metrics()

    requeue = Scheduler.requeue

    def noted(self: Scheduler[NodeObject], item: NodeObject, first: bool = False) -> None:
        queued_first.append(first)
        requeue(self, item, first)

    monkeypatch.setattr(Scheduler, "requeue", noted)
    run(story)
    assert queued_first == [True, False]


def test_an_object_starts_with_a_clean_context_where_another_faulted_deep_in_calls() -> None:
    deep = """
    static __attribute__((noinline)) sf_i64 call(int depth) {
        volatile sf_u64 secret[64];
        for (int i = 0; i < 64; i++) secret[i] = 0xA5A5A5A5A5A5A5A5;
        if (depth == 6) return *(volatile sf_i64 *)secret[0];
        return call(depth + 1) + secret[depth];
    }
    SF_MAIN sf_i64 entry(void) { return call(0); }
    """
    looking = """
    SF_MAIN sf_i64 entry(void) {
        volatile unsigned char frame[3000];
        sf_i64 found = 0;
        for (int i = 0; i < 3000; i++) found += frame[i] == 0xA5;
        return found;
    }
    """

    async def story(node: Node, notes: Notes) -> None:
        for _ in range(3):
            status = await ended(node, started(node, built(deep)))
            assert status.state is State.FAILED
            assert (await ended(node, started(node, built(looking)))).outcome == Exit(0)

    run(story)


def test_an_event_is_handled_within_a_bounded_number_of_slices() -> None:
    async def story(node: Node, notes: Notes) -> None:
        for _ in range(30):
            started(node, built(SPINNER))
        waiters = [started(node, built(WAITER)) for _ in range(50)]
        for object_id in waiters:
            await waiting(node, object_id)

        for object_id in waiters:
            before = slices(node)
            node.deliver(object_id, "e", "t", None)
            await waiting(node, object_id, Wait.HOST_CALL)
            assert slices(node) - before <= 3

    run(story)


# ---------------------------------------------------------------- many, parked, given back


def test_parked_guests_go_on_where_they_were() -> None:
    source = """
    static sf_u64 seen[600];
    static sf_i64 deeper(sf_u64 n) { volatile sf_u64 kept = n * 3; sf_sleep_ms(1); return kept; }
    SF_MAIN sf_i64 entry(void) {
        sf_i64 sum = 0;
        sf_handle held = sf_json_number(1000);
        for (sf_u64 i = 0; i < 5; i++) { seen[i * 100] = i; sum += deeper(i); }
        for (sf_u64 i = 0; i < 5; i++) sum += seen[i * 100];
        sf_i64 more = 0;
        sf_json_i64(held, &more);
        return sum + more;
    }
    """

    async def story(node: Node, notes: Notes) -> None:
        object_ids = [started(node, built(source)) for _ in range(20)]
        for object_id in object_ids:
            assert (await ended(node, object_id)).outcome == Exit(30 + 10 + 1000)
        assert "salix_node_restored_total 100\n" in node.metrics()

    run(story, parking=PARKED_AT_ONCE)


def test_a_flood_of_events_gives_no_more_guests_memory_than_may_have_it() -> None:
    """Those that were woken and have not run have memory, too, and cannot be parked: one more than the limit has it."""
    limit, most = 4, []

    async def story(node: Node, notes: Notes) -> None:
        host = node._host
        assert host is not None
        notes.on_call = lambda _call: most.append(host.cage.in_use)
        object_ids = [started(node, built(WAITER)) for _ in range(4 * limit)]
        for object_id in object_ids:
            await waiting(node, object_id)
        assert node.stats()["parked"] == 3 * limit
        for object_id in object_ids:
            node.deliver(object_id, "e", "t", None)
        for object_id in object_ids:
            await waiting(node, object_id, Wait.HOST_CALL)

    run(story, parking=Parking(idle_seconds=None, resident=limit))
    assert len(most) == 4 * limit
    assert max(most) <= limit + 1


def test_a_parked_object_can_be_stopped_and_its_host_call_times_out() -> None:
    async def story(node: Node, notes: Notes) -> None:
        assert (await ended(node, started(node, built(call("3"))))).outcome == Exit(-3)
        object_id = started(node, built(WAITER))
        await waiting(node, object_id)
        assert node.stats()["parked"] == 1
        assert (await node.stop(object_id)).state is State.STOPPED
        assert node.stats()["parked"] == 0

    run(story, parking=PARKED_AT_ONCE)


def test_guests_that_wait_long_enough_are_parked_by_a_sweep() -> None:
    async def story(node: Node, notes: Notes) -> None:
        object_ids = [started(node, built(WAITER)) for _ in range(5)]
        await notes.until(lambda: node.stats()["parked"] == 5)
        node.deliver(object_ids[0], "e", "t", 1)
        await notes.until(lambda: bool(notes.calls))

    run(story, parking=Parking(idle_seconds=0.0))


def test_a_thousand_lives_leave_nothing_behind() -> None:
    elf = built(WAITER)

    async def story(node: Node, notes: Notes) -> None:
        def sizes() -> tuple[int, int]:
            gc.collect()
            return len(gc.get_objects()), len(Path("/proc/self/maps").read_text().splitlines())

        async def lives(count: int) -> None:
            for _ in range(count):
                object_id = started(node, elf)
                await waiting(node, object_id)
                node.deliver(object_id, "e", "t", {"payload": "x" * 1000})
                await waiting(node, object_id, Wait.HOST_CALL)
                await node.unload(object_id)
            notes.calls.clear()
            notes.cancelled.clear()
            notes.states.clear()

        await lives(50)
        before = sizes()
        await lives(1000)
        after = sizes()
        assert after[0] - before[0] < 200
        assert after[1] - before[1] < 50

    run(story)


def test_a_closed_node_takes_nothing() -> None:
    async def told() -> None:
        node = Node(Notes(), host=Host())
        object_id = started(node, built(WAITER))
        await node.close()
        await node.close()
        assert kind_of(lambda: node.load(built(WAITER))) is Kind.BUSY
        assert kind_of(lambda: node.get(object_id)) is Kind.OBJECT_NOT_FOUND

    asyncio.run(told())


def test_metrics_are_prometheus_text() -> None:
    async def story(node: Node, notes: Notes) -> None:
        await ended(node, started(node, built(RETURNER)))
        text = node.metrics()
        assert text.endswith("\n")
        for line in text.splitlines():
            assert line.startswith(("# HELP ", "# TYPE ")) or (len(line.split()) == 2 and float(line.split()[1]) >= 0)
        assert "salix_node_loads_total 1\n" in text
        assert "salix_node_exits_total 1\n" in text
        assert "# TYPE salix_node_objects gauge\nsalix_node_objects 1\n" in text

    run(story)


TOUCHER = """
static unsigned char pages[16 * 4096];
SF_MAIN sf_i64 entry(void) {
    for (;;) {
        sf_handle event = sf_event_next(SF_FOREVER);
        if (event < 0) return 0;
        sf_i64 count = sf_json_read_i64(event, "payload", 0);
        for (sf_i64 n = 0; n < count; n++) *(volatile unsigned char *)(pages + n * 4096) = 1;
        sf_drop(event);
    }
}
"""


def test_memory_is_the_pages_that_a_guest_touched_or_what_is_kept_of_it() -> None:
    async def story(node: Node, notes: Notes) -> None:
        object_id = node.load(built(TOUCHER)).object_id
        assert node.memory(object_id) == Memory(0, MemoryKind.NONE)
        node.deliver(object_id, "first", "t", 0)
        assert node.memory(object_id).bytes == len('{"event_id":"first","topic":"t","payload":0}')
        node.start(object_id)
        await waiting(node, object_id)
        before = node.memory(object_id)
        assert before.kind is MemoryKind.RESIDENT
        assert 2 * 4096 <= before.bytes <= 6 * 4096, "the context, its data, a frame; not the 16 pages"
        for pages in (5, 3, 16):
            node.deliver(object_id, f"e{pages}", "t", pages)
            await waiting(node, object_id)
            touched = max(pages, 5)
            assert touched - 1 <= (node.memory(object_id).bytes - before.bytes) // 4096 <= touched
        node._running.idle.park_longest()
        parked = node.memory(object_id)
        assert (parked.kind, 16 < parked.bytes < 4096) == (MemoryKind.PARKED, True)
        await node.stop(object_id)
        assert node.memory(object_id) == Memory(0, MemoryKind.NONE)

    run(story)


def test_where_the_kernel_does_not_tell_memory_is_a_bound(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async def story(node: Node, notes: Notes) -> None:
        object_id = started(node, built(TOUCHER))
        await waiting(node, object_id)
        for content in (None, b"short"):
            (tmp_path / "pagemap").unlink(missing_ok=True)
            if content is not None:
                (tmp_path / "pagemap").write_bytes(content)
            monkeypatch.setattr(residency, "_PAGEMAP", tmp_path / "pagemap")
            found = node.memory(object_id)
            assert (found.kind, found.bytes > 16 * 4096) == (MemoryKind.AT_MOST, True)

    run(story)
