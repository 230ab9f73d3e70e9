"""Frames of every kind: which are requests, what is said to those that are none, and that the session goes on.

The kinds are those of bug reports about other JSON-RPC servers: reflected ids, ids in flight, replies that nobody
waits for, frames of every wrong shape, bad text, slots that are not given back.
"""

from __future__ import annotations

from typing import Any, NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.server.session import REQUEST_SLOTS
from tests.runtime.server.client import FOREVER_MS, Client, request, result, serving

PARSE_ERROR = (-32700, "PARSE_ERROR")
INVALID_REQUEST = (-32600, "INVALID_REQUEST")
DUPLICATE_ID = (-32600, "DUPLICATE_ID")
BUSY = (-32001, "BUSY")
STATS = {"jsonrpc": "2.0", "id": "1", "method": "sf.stats"}


async def error(client: Client, request_id: str | None) -> tuple[int, str]:
    """Code and kind of the error with which a request is answered, in the form that all errors have."""
    reply = await client.reply(request_id)
    assert reply.keys() == {"jsonrpc", "id", "error"}
    assert reply["jsonrpc"] == "2.0"
    found = reply["error"]
    assert found.keys() == {"code", "message", "data"}
    assert found["message"]
    assert found["data"].keys() == {"kind"}
    return found["code"], found["data"]["kind"]


async def goes_on(client: Client) -> None:
    """The session answers, and has said nothing else."""
    assert client.frames == []
    assert (await client.call("sf.stats"))["host"]["pending_host_calls"] == 0


# ---------------------------------------------------------------- shapes


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"{",
        b"{'id': 1}",
        b'{"jsonrpc":"2.0","id":"1","method":"sf.stats",}',
        b'{"jsonrpc":"2.0","id":"1","id":"2","method":"sf.stats"}',
        b'{"jsonrpc":"2.0","id":"1","method":"sf.stats","params":{"a":1,"a":2}}',
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"jsonrpc":"2.0","id":"1","method":"sf.stats","params":' + b"9" * 200_000 + b"}",
        b'{"jsonrpc":"2.0","id":"1","method":"sf.stats","params":1e400}',
        b'{"jsonrpc":"2.0","id":"1","method":"sf.stats","params":NaN}',
        rb'{"jsonrpc":"2.0","id":"\ud800","method":"sf.stats"}',
        rb'{"jsonrpc":"2.0","id":"1","method":"\udfff"}',
        b'{"jsonrpc":"2.0","id":"\xff","method":"sf.stats"}',
        b'{"jsonrpc":"2.0","id":"a\x00b","method":"sf.stats"}',
        b'\xef\xbb\xbf{"jsonrpc":"2.0","id":"1","method":"sf.stats"}',
    ],
    ids=lambda frame: repr(frame[:60]),
)
def test_what_is_no_json_is_a_parse_error(frame: bytes) -> None:
    async def scenario(client: Client) -> None:
        await client.write(frame + b"\n")
        assert await error(client, None) == PARSE_ERROR
        await goes_on(client)

    serving(scenario)


@pytest.mark.parametrize(
    "frame",
    [
        *(None, 1, "x", True, [], [STATS], {}),
        {"id": "1", "method": "sf.stats"},
        *({**STATS, "jsonrpc": version} for version in ("1.0", "2", 2, 2.0, None, ["2.0"])),
        *({**STATS, "method": method} for method in (None, 1, ["sf.stats"], {"sf": "stats"})),
        {"jsonrpc": "2.0", "id": "1"},
        {"jsonrpc": "2.0", "method": None, "id": "1", "result": 1},
        {"jsonrpc": "2.0", "result": 1},
        {"jsonrpc": "2.0", "error": {}},
        *({**STATS, "id": each} for each in (None, True, 0, 1.5, [], {}, [[["1"]]], {"id": "1"})),
        {**STATS, "id": "x" * 129},
        {**STATS, "id": "\u00e9" * 65},
    ],
    ids=lambda frame: repr(frame)[:60],
)
def test_what_is_no_request_is_an_invalid_request(frame: object) -> None:
    async def scenario(client: Client) -> None:
        await client.send(frame)
        assert await error(client, None) == INVALID_REQUEST
        await goes_on(client)

    serving(scenario)


def test_an_id_that_is_nested_deeply_is_not_reflected() -> None:
    async def scenario(client: Client) -> None:
        for depth in (1, 30, 500, 5000, 50_000):
            nested = b"[" * depth + b"]" * depth
            await client.write(b'{"jsonrpc":"2.0","id":' + nested + b',"method":"x"}\n')
            assert await error(client, None) == INVALID_REQUEST
        await goes_on(client)

    serving(scenario)


@pytest.mark.parametrize("name", ["", "x" * 128, "\u00e9" * 64, 'quotes " and \\', "a\x00b\n", "\U0001f600", "null"])
def test_any_text_of_128_bytes_is_an_id_and_comes_back_as_it_was(name: str) -> None:
    async def scenario(client: Client) -> None:
        await client.send({**STATS, "id": name})
        assert "objects" in result(await client.reply(name))

    serving(scenario)


@pytest.mark.parametrize("params", [None, [], [1], 1, "x", True])
def test_params_are_an_object(params: object) -> None:
    async def scenario(client: Client) -> None:
        await client.send({**STATS, "params": params})
        assert await error(client, "1") == (-32602, "INVALID_PARAMS")

    serving(scenario)


@pytest.mark.parametrize("method", ["", "sf", "sf.Stats", "sf.stats ", "host.call", "rpc.discover", "x" * 100_000])
def test_unknown_methods(method: str) -> None:
    async def scenario(client: Client) -> None:
        await client.send({**STATS, "method": method})
        assert await error(client, "1") == (-32601, "METHOD_NOT_FOUND")
        await goes_on(client)

    serving(scenario)


def test_a_request_without_an_id_does_nothing_and_gets_no_reply() -> None:
    async def scenario(client: Client) -> None:
        object_id = await client.load("exit", code=0)
        for method in ("sf.object.start", "sf.object.unload", "sf.object.load", "no.such.method"):
            await client.send({"jsonrpc": "2.0", "method": method, "params": {"object_id": object_id}})
        await client.send({"jsonrpc": "2.0", "method": "sf.shutdown"})
        assert (await client.call("sf.object.get", object_id=object_id))["state"] == "loaded"
        await goes_on(client)

    serving(scenario)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
METHODS = st.sampled_from(
    ["sf.stats", "sf.object.load", "sf.object.get", "sf.object.stop", "sf.object.list", "sf.event.deliver", "x"]
)
FRAMES = JSON | st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | JSON,
        "id": st.text(max_size=4) | JSON,
        "method": METHODS | JSON,
        "params": JSON | st.fixed_dictionaries({}, optional={"object_id": JSON, "limit": JSON, "elf": JSON}),
        "result": JSON,
        "error": JSON,
    },
)


@settings(max_examples=60)
@given(st.lists(FRAMES, max_size=8))
def test_every_frame_is_answered_once_or_is_a_reply_or_has_no_id(frames: list[Any]) -> None:
    def answers(frame: object) -> int:
        if not isinstance(frame, dict) or frame.get("jsonrpc") != "2.0":
            return 1
        if "method" not in frame and "id" in frame and ("result" in frame or "error" in frame):
            return 0
        return int("id" in frame or not isinstance(frame.get("method"), str))

    async def scenario(client: Client) -> None:
        for frame in frames:
            await client.send(frame)
            await client.send(request("last", "sf.stats"))
            assert "objects" in result(await client.reply("last"))
            for _ in range(answers(frame)):
                await client.take(lambda reply: "method" not in reply)
            assert client.frames == []

    serving(scenario)


def test_a_defect_of_ours_is_an_error_reply_and_a_trace_for_us(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def scenario(client: Client) -> None:
        def broken(*_: object) -> NoReturn:
            raise KeyError("secret")

        monkeypatch.setattr(client.session.node, "get", broken)
        monkeypatch.setattr(client.session.node, "stop", broken)
        for method in ("sf.object.get", "sf.object.stop"):
            await client.send(request("1", method, object_id="o1"))
            reply = await client.reply("1")
            assert reply["error"] == {"code": -32603, "message": "KeyError", "data": {"kind": "INTERNAL_ERROR"}}
        await goes_on(client)

    serving(scenario)
    assert capsys.readouterr().err.count("KeyError: 'secret'") == 2


# ---------------------------------------------------------------- ids and slots


def test_an_id_in_flight_is_refused_and_its_first_request_answered() -> None:
    async def scenario(client: Client) -> None:
        object_id = await client.start("spin")
        await client.send(request("x", "sf.object.stop", object_id=object_id), request("x", "sf.stats"))
        replies = [await client.reply("x"), await client.reply("x")]
        errors = [reply["error"] for reply in replies if "error" in reply]
        results = [reply["result"] for reply in replies if "result" in reply]
        assert [(found["code"], found["data"]["kind"]) for found in errors] == [DUPLICATE_ID]
        assert [found["state"] for found in results] == ["stopped"]
        await client.send(request("x", "sf.stats"))  # it has been answered: the id is free
        assert "objects" in result(await client.reply("x"))

    serving(scenario)


def test_the_49th_request_is_busy_and_builds_take_no_slot() -> None:
    async def scenario(client: Client) -> None:
        object_id = await client.start("spin")
        stops = [request(f"stop {n}", "sf.object.stop", object_id=object_id) for n in range(REQUEST_SLOTS)]
        build = request("build", "sf.build.compile", sdk_version=1, entry="a", files={"a": ""})
        more = [request("one more", "sf.object.stop", object_id=object_id), request("and another", "sf.stats")]
        for _ in range(3):  # every way of being answered gives the slot back
            await client.send(*stops, build, *more)
            assert await error(client, "one more") == BUSY
            assert await error(client, "and another") == BUSY
            assert (await error(client, "build"))[1] == "SANDBOX_UNAVAILABLE"
            for stop in stops:
                assert result(await client.reply(stop["id"]))["state"] == "stopped"
            assert client.frames == [] or client.frames[0]["method"] == "sf.object.state"

    serving(scenario)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("sf.stats", {}),
        ("sf.stats", {"bad": 1}),
        ("sf.object.get", {"object_id": "none"}),
        ("sf.object.stop", {"object_id": "none"}),
        ("sf.object.stop", {"object_id": 1}),
        ("sf.object.unload", {"object_id": "none"}),
        ("sf.object.load", {"elf": "!"}),
        ("no.such.method", {}),
        ("sf.build.compile", {}),
    ],
)
def test_slots_come_back_however_a_request_ends(method: str, params: dict[str, Any]) -> None:
    async def scenario(client: Client) -> None:
        for round_ in range(3):
            for n in range(REQUEST_SLOTS):
                await client.send(request(f"{round_} {n}", method, **params))
                reply = await client.reply(f"{round_} {n}")
                assert "result" in reply or reply["error"]["data"]["kind"] != "BUSY"

    serving(scenario)


# ---------------------------------------------------------------- replies


def test_replies_that_nobody_waits_for_are_counted_and_nothing_else() -> None:
    async def scenario(client: Client) -> None:
        replies: list[Any] = [
            {"jsonrpc": "2.0", "id": "nobody's", "result": 1},
            {"jsonrpc": "2.0", "id": "nobody's", "error": {"code": 1, "message": ""}},
            {"jsonrpc": "2.0", "id": "nobody's", "result": 1, "error": {}},
            {"jsonrpc": "2.0", "id": "nobody's", "error": {}},
            {"jsonrpc": "2.0", "id": None, "result": 1},
            {"jsonrpc": "2.0", "id": 7, "result": 1},
            {"jsonrpc": "2.0", "id": ["sf:1"], "error": None},
            {"jsonrpc": "2.0", "id": "x" * 1000, "result": None},
        ]
        await client.send(*replies)
        assert await client.host_stats() == {"pending_host_calls": 0, "ignored_host_responses": len(replies)}
        await goes_on(client)

    serving(scenario)


def test_a_call_is_answered_once() -> None:
    async def scenario(client: Client) -> None:
        object_id = await client.start("ask", ms=FOREVER_MS)
        call = await client.host_call()
        reply = {"jsonrpc": "2.0", "id": call["id"], "result": [1]}
        await client.send(reply, {**reply, "result": "x" * 17_000}, reply)
        assert await client.outcome(object_id) == {"exit_code": 4}
        assert (await client.host_stats())["ignored_host_responses"] == 2

    serving(scenario)


def test_a_reply_to_a_call_needs_the_same_id() -> None:
    async def scenario(client: Client) -> None:
        object_id = await client.start("ask", ms=FOREVER_MS)
        call_id = (await client.host_call())["id"]
        for other in (call_id[:-1], call_id + "1", call_id.upper(), call_id.split(":")[2], f"sf:{'0' * 32}:1"):
            await client.send({"jsonrpc": "2.0", "id": other, "result": None})
        assert await client.host_stats() == {"pending_host_calls": 1, "ignored_host_responses": 5}
        await client.send({"jsonrpc": "2.0", "id": call_id, "result": None})
        assert await client.outcome(object_id) == {"exit_code": 0}

    serving(scenario)
