"""What goes wrong on either side of the pipes, and who must not notice: guests that spin, clients that do not read."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from runtime.node import HostCall
from runtime.node.parking import resident_bytes
from runtime.server import session
from runtime.server.calls import HostCalls
from runtime.server.frames import MAX_FRAME_BYTES
from runtime.server.outbox import CONTROL_FRAMES, DATA_BYTES, Outbox
from runtime.server.session import result_frame
from tests.runtime.server.client import FOREVER_MS, TIMEOUT_SECONDS, Client, Json, request, result, serving

KIB = 1024
SF_TIMEOUT = -3
HANDLE = 5  # what the kind of an object is


# ---------------------------------------------------------------- guests


def test_guests_that_spin_do_not_keep_others_from_working() -> None:
    async def scenario(client: Client) -> None:
        spinning = [await client.start("spin") for _ in range(5)]
        working = await client.start("answer")
        for n in range(20):
            await client.call("sf.event.deliver", object_id=working, event_id=str(n), topic="t", payload=n)
            call = await client.host_call()
            assert call["params"]["arguments"]["payload"] == n
            await client.send({"jsonrpc": "2.0", "id": call["id"], "result": None})
        for object_id in spinning:
            assert (await client.call("sf.object.get", object_id=object_id))["state"] == "running"
            assert (await client.call("sf.object.stop", object_id=object_id))["state"] == "stopped"

    serving(scenario)


def test_the_end_of_the_input_stops_guests_that_spin() -> None:
    async def scenario(client: Client) -> None:
        for _ in range(3):
            await client.start("spin")
        client.end_input()
        assert await client.ended is None
        for _ in range(3):
            assert (await client.notification("sf.object.state"))["state"] == "stopped"

    serving(scenario)


@pytest.mark.parametrize("do", ["spin", "sleep", "wait", "ask", "answer"])
def test_eight_stops_at_once_are_all_answered(do: str) -> None:
    async def scenario(client: Client) -> None:
        object_id = await client.start(do, ms=FOREVER_MS)
        await client.send(*(request(f"stop {n}", "sf.object.stop", object_id=object_id) for n in range(8)))
        for n in range(8):
            assert result(await client.reply(f"stop {n}"))["state"] == "stopped"
        assert (await client.notification("sf.object.state"))["object_id"] == object_id

    serving(scenario)


@pytest.mark.parametrize("method", ["sf.object.stop", "sf.object.unload"])
def test_a_stop_during_a_host_call_cancels_it_and_a_late_reply_is_counted(method: str) -> None:
    async def scenario(client: Client) -> None:
        other = await client.start("ask", ms=FOREVER_MS)
        others_call = await client.host_call()
        object_id = await client.start("ask", ms=FOREVER_MS)
        call = await client.host_call()
        await client.call(method, object_id=object_id)
        assert await client.notification("host.cancel") == {"id": call["id"]}
        await client.call("sf.object.unload", object_id=object_id)
        await client.send({"jsonrpc": "2.0", "id": call["id"], "result": {"late": True}})
        assert await client.host_stats() == {"pending_host_calls": 1, "ignored_host_responses": 1}
        await client.send({"jsonrpc": "2.0", "id": others_call["id"], "result": {}})
        assert await client.outcome(other) == {"exit_code": HANDLE}

    serving(scenario)


def test_a_host_call_outlives_nothing_that_is_shut_down() -> None:
    async def scenario(client: Client) -> None:
        await client.start("ask", ms=FOREVER_MS)
        call = await client.host_call()
        await client.call("sf.shutdown")
        assert await client.notification("host.cancel") == {"id": call["id"]}
        assert await client.ended is None

    serving(scenario)


# ---------------------------------------------------------------- clients


def test_a_client_that_does_not_read_stalls_nothing_but_itself() -> None:
    """Five MiB of host calls, of which four find room: all time out, and what was queued for nobody is gone."""
    objects = 360
    filler = "x" * 14 * KIB

    async def scenario(client: Client) -> None:
        calls = []
        started = [await client.start("ask twice", ms=FOREVER_MS, then_ms=20, filler=filler) for _ in range(objects)]
        for _ in range(objects):
            calls.append((await client.host_call())["id"])
        client.stop_reading()
        for call_id in calls:  # a reply gets no reply, so nothing but the second calls has to be written
            await client.send({"jsonrpc": "2.0", "id": call_id, "result": None})
        while client.session.node.stats()["pending_host_calls"] or client.session.node.stats()["waiting_to_run"]:
            await asyncio.sleep(0)
        client.read()
        stats = await client.call("sf.stats")
        assert stats["host"] == {"pending_host_calls": 0, "ignored_host_responses": 0}
        assert stats["output"]["queued_object_bytes"] == 0
        for object_id in started:
            status = await client.call("sf.object.get", object_id=object_id)
            assert status["outcome"] == {"exit_code": SF_TIMEOUT}
        sent = {frame["id"] for frame in client.frames if frame.get("method") == "host.call"}
        cancelled = {frame["params"]["id"] for frame in client.frames if frame.get("method") == "host.cancel"}
        assert len(sent) < 20  # what a pipe and a write hold
        assert cancelled <= sent

    serving(scenario)


def test_all_calls_arrive_when_the_client_reads_again() -> None:
    objects = 360

    async def scenario(client: Client) -> None:
        filler = "x" * 14 * KIB
        started = [
            await client.start("ask twice", ms=FOREVER_MS, then_ms=FOREVER_MS, filler=filler) for _ in range(objects)
        ]
        calls = [await client.host_call() for _ in range(objects)]
        client.stop_reading()
        for call in calls:
            await client.send({"jsonrpc": "2.0", "id": call["id"], "result": None})
        while client.session.node.stats()["pending_host_calls"] < objects:
            await asyncio.sleep(0)
        client.read()
        for _ in range(objects):
            call = await client.host_call()
            await client.send({"jsonrpc": "2.0", "id": call["id"], "result": None})
        for object_id in started:
            assert (await client.outcome(object_id))["exit_code"] > 0  # the handle of the answer

    serving(scenario)


def test_more_ends_at_once_than_control_frames_are_all_told_to_a_client_that_reads() -> None:
    objects = 3 * CONTROL_FRAMES

    async def scenario(client: Client) -> None:
        started = [await client.start("sleep", ms=FOREVER_MS) for _ in range(objects)]
        await client.send(request("bye", "sf.shutdown"))
        for _ in started:
            assert (await client.notification("sf.object.state"))["state"] == "stopped"

    serving(scenario)


def test_calls_wait_for_room_in_order_and_leave_without_a_trace() -> None:
    outbox = Outbox()
    sent: list[bytes] = []

    def send(frame: bytes) -> bool:
        sent.append(frame)
        return True

    calls = HostCalls(outbox, send, lambda: None)
    for n in range(400):
        calls.host_call(HostCall(str(n), f"o{n}", "ask", "x" * 16_000, 1, 2))
    calls.host_call(HostCall("400", "o400", "ask", "small enough, but its turn is last", 1, 2))
    assert outbox.data_bytes <= DATA_BYTES
    queued = outbox.data_bytes // 16_000
    assert 0 < queued < 300
    calls.host_cancel("399")  # waits
    calls.host_cancel("0")  # queued
    assert sent == []
    frame = outbox.next()
    assert frame is not None
    assert b'"id":"1"' in frame
    calls.host_cancel("1")  # may have been written
    assert sent == [b'{"jsonrpc":"2.0","method":"host.cancel","params":{"id":"1"}}\n']
    seen = []
    while frame := outbox.next():
        seen.append(int(frame.split(b'"', 8)[7]))
        calls.room()
    assert seen == [*range(2, 399), 400]


def test_log_lines_without_room_are_dropped_counted_and_said_to_be() -> None:
    outbox = Outbox()
    calls = HostCalls(outbox, lambda _frame: True, lambda: None)
    took = [calls.log("o1", "x" * KIB) for _ in range(70)]
    dropped = took.count(False)
    assert took == [True] * (70 - dropped) + [False] * dropped
    assert calls.dropped == dropped > 0
    assert calls.log("o2", "another object has room of its own")
    outbox.next()
    assert calls.log("o1", "x" * KIB)


def test_a_client_that_writes_and_does_not_read_is_told_goodbye() -> None:
    async def scenario(client: Client) -> None:
        client.stop_reading()
        sent = 0
        while not client.ended.done():
            await client.send(request(str(sent), "sf.object.list"))
            sent += 1
        assert await client.ended == "requests come in, but replies are not read"

    serving(scenario)


def test_what_fits_slots_and_queue_waits_for_the_client_to_read() -> None:
    async def scenario(client: Client) -> None:
        for _ in range(200):
            await client.load("exit", code=0)
        client.stop_reading()
        pages = [request(str(n), "sf.object.list", limit=200) for n in range(CONTROL_FRAMES + 40)]  # 30 KiB each
        await client.send(*pages)
        client.read()
        for page in pages:
            assert len(result(await client.reply(page["id"]))["objects"]) == 200

    serving(scenario)


async def a_megabyte_of_replies_and_a_shutdown(client: Client) -> list[Json]:
    """The requests; the client has not read a reply yet."""
    for _ in range(200):
        await client.load("exit", code=0)
    client.stop_reading()
    requests = [request(str(n), "sf.object.list", limit=200) for n in range(40)]
    await client.send(*requests, request("bye", "sf.shutdown"))
    return requests


def test_what_is_queued_at_the_end_is_written_to_a_client_that_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "DRAIN_SECONDS", 1000 * TIMEOUT_SECONDS)

    async def scenario(client: Client) -> None:
        requests = await a_megabyte_of_replies_and_a_shutdown(client)
        client.read()
        assert await client.ended is None
        for each in requests:
            assert len(result(await client.reply(each["id"]))["objects"]) == 200
        assert result(await client.reply("bye")) == {"shutdown": True}

    serving(scenario)


def test_a_client_that_does_not_read_is_not_waited_for_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "DRAIN_SECONDS", 0.01)

    async def scenario(client: Client) -> None:
        await a_megabyte_of_replies_and_a_shutdown(client)
        assert await client.ended is None

    serving(scenario)


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b" " * (MAX_FRAME_BYTES + 1), "larger than 262144 bytes"),
        (b'{"jsonrpc":"2.0","id":"' + b"x" * MAX_FRAME_BYTES + b'"}\n', "larger than 262144 bytes"),
    ],
)
def test_a_frame_that_is_too_large_ends_the_session(data: bytes, complaint: str) -> None:
    async def scenario(client: Client) -> None:
        await client.start("spin")
        await client.send(request("before", "sf.stats"))
        await client.write(data)
        assert complaint in str(await client.ended)
        assert "objects" in result(await client.reply("before"))

    serving(scenario)


def test_a_frame_that_is_just_not_too_large_is_answered() -> None:
    async def scenario(client: Client) -> None:
        frame = b'{"jsonrpc":"2.0","id":"1","method":"sf.stats"'
        await client.write(frame + b" " * (MAX_FRAME_BYTES - len(frame) - 2) + b"}\n")
        assert "objects" in result(await client.reply("1"))

    serving(scenario)


def test_an_input_that_ends_within_a_frame_is_a_complaint() -> None:
    async def scenario(client: Client) -> None:
        await client.write(b'{"jsonrpc":')
        client.end_input()
        assert "within a frame" in str(await client.ended)

    serving(scenario)


def test_requests_before_the_end_of_the_input_are_answered() -> None:
    async def scenario(client: Client) -> None:
        object_id = await client.start("sleep", ms=FOREVER_MS)
        await client.send(request("stop", "sf.object.stop", object_id=object_id), request("stats", "sf.stats"))
        client.end_input()
        assert await client.ended is None
        assert result(await client.reply("stop"))["state"] == "stopped"
        assert "objects" in result(await client.reply("stats"))

    serving(scenario)


def test_a_broken_output_ends_the_session() -> None:
    async def scenario(client: Client) -> None:
        await client.start("spin")
        client.end_output()
        await client.send(request("1", "sf.stats"))
        assert await client.ended is None

    serving(scenario)


@pytest.mark.parametrize(("more", "fits"), [(0, True), (1, False)])
def test_a_result_that_does_not_fit_a_frame_is_an_error(more: int, fits: bool) -> None:
    around = len(b'{"jsonrpc":"2.0","id":"a","result":""}\n')
    frame = result_frame('"a"', b'"' + b"x" * (MAX_FRAME_BYTES - around + more) + b'"')
    assert len(frame) <= MAX_FRAME_BYTES
    assert (b'"RESPONSE_TOO_LARGE"' in frame) is not fits


# ---------------------------------------------------------------- time


ENDS = (
    "wait",
    "ask",
    "exit",
    "fault",
    "wait",
    "ask",
    "exit",
    "sleep",
    "log",
    "spin",
)  # what they do when they are ended


def held() -> tuple[int, int, int]:
    """Open descriptors, mappings and resident bytes of this process."""
    return len(os.listdir("/proc/self/fd")), Path("/proc/self/maps").read_bytes().count(b"\n"), resident_bytes()


def test_nothing_grows_over_a_thousand_objects() -> None:
    async def scenario(client: Client) -> None:
        await client.start("wait")  # keeps the machine code that all share

        async def rounds(count: int) -> None:
            for n in range(count):
                object_id = await client.start(ENDS[n % len(ENDS)], ms=FOREVER_MS, code=0)
                await client.call("sf.object.get", object_id=object_id)
                assert await client.call("sf.object.unload", object_id=object_id) == {"unloaded": True}
            client.frames.clear()  # what objects said when they ended

        await rounds(200)  # caches fill, and the allocator's first arenas
        descriptors, mappings, resident = held()
        await rounds(1000)
        after = held()
        assert after[0] == descriptors
        assert after[1] <= mappings + 20
        assert after[2] <= resident + 4 * KIB * KIB
        stats = await client.call("sf.stats")
        assert (stats["objects"], stats["host"]["pending_host_calls"]) == (1, 0)

    serving(scenario)
