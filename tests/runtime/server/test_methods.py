"""Every method as its client sees it: results field by field, and each refusal next to what is accepted."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.server.client import FOREVER_MS, OBEYS, Client, ErrorReply, elf_text, request, result, serving

KIB = 1024
REPOSITORY = Path(__file__).parents[3]


async def refused(client: Client, kind: str, code: int, method: str, **params: object) -> str:
    """The message with which a request is refused."""
    with pytest.raises(ErrorReply) as error:
        await client.call(method, **params)
    assert (error.value.kind, error.value.code) == (kind, code), error.value.message
    return error.value.message


async def invalid(client: Client, method: str, **params: object) -> str:
    return await refused(client, "INVALID_PARAMS", -32602, method, **params)


# ---------------------------------------------------------------- the session


def test_nothing_is_done_before_initialize() -> None:
    async def scenario(client: Client) -> None:
        for method in ("sf.stats", "sf.object.list", "sf.shutdown", "no.such.method", "sf.build.compile"):
            await refused(client, "NOT_INITIALIZED", -32000, method)
        await invalid(client, "sf.initialize", protocol_version=2)
        await invalid(client, "sf.initialize", protocol_version="1")
        await invalid(client, "sf.initialize", protocol_version=True)
        await invalid(client, "sf.initialize")
        await invalid(client, "sf.initialize", protocol_version=1, more=1)
        await refused(client, "NOT_INITIALIZED", -32000, "sf.stats")
        await client.initialize()
        await refused(client, "BUSY", -32001, "sf.initialize", protocol_version=1)
        await invalid(client, "sf.initialize", protocol_version=2)

    serving(scenario, initialize=False)


def test_initialize_says_what_the_client_has_to_know() -> None:
    async def scenario(client: Client) -> None:
        found = await client.initialize()
        assert re.fullmatch("[0-9a-f]{32}", found.pop("session_id"))
        assert isinstance(found.pop("runtime_revision"), str)
        assert found == {
            "protocol_version": 1,
            "sdk_version": 1,
            "target": "linux-x86_64",
            "compiler": {"available": False},
            "limits": {
                "frame_bytes": 256 * KIB,
                "value_bytes": 16 * KIB,
                "mailbox_entries": 32,
                "mailbox_bytes": 32 * KIB,
                "handles": 128,
            },
            "memory_target_bytes": 1_000_000,
            "memory_target_enforced": False,
        }

    serving(scenario, initialize=False)


def test_stats() -> None:
    async def scenario(client: Client) -> None:
        await client.start("ask", ms=FOREVER_MS)
        await client.load("exit", code=0)
        await client.host_call()
        stats = await client.call("sf.stats")
        assert isinstance(stats.pop("uptime_ms"), int)
        assert stats == {
            "objects": 2,
            "host": {"pending_host_calls": 1, "ignored_host_responses": 0},
            "output": {"queued_control_frames": 0, "queued_object_bytes": 0, "dropped_data_notifications": 0},
            "execution_threads": 1,
        }
        await invalid(client, "sf.stats", object_id="o1")

    serving(scenario)


def test_metrics_are_prometheus_text() -> None:
    async def scenario(client: Client) -> None:
        await client.load("exit", code=0)
        text = (await client.call("sf.metrics"))["text"]
        assert "\nsalix_node_loads_total 1\n" in text
        await invalid(client, "sf.metrics", verbose=True)

    serving(scenario)


def test_shutdown_is_acknowledged_and_ends_the_session() -> None:
    async def scenario(client: Client) -> None:
        await client.start("spin")
        await invalid(client, "sf.shutdown", now=True)
        await client.send(request("bye", "sf.shutdown"), request("too late", "sf.stats"))
        assert result(await client.reply("bye")) == {"shutdown": True}
        assert await client.ended is None
        assert (await client.notification("sf.object.state"))["state"] == "stopped"
        assert client.frames == []

    serving(scenario)


# ---------------------------------------------------------------- objects


def test_an_object_from_its_load_to_its_exit() -> None:
    async def scenario(client: Client) -> None:
        expected = {
            "object_id": "o1",
            "sha256": hashlib.sha256(OBEYS.read_bytes()).hexdigest(),
            "state": "loaded",
            "wait": "none",
            "mailbox_entries": 0,
            "outcome": None,
        }
        assert await client.call("sf.object.load", elf=elf_text(), config={"do": "exit", "code": -7}) == expected
        assert await client.call("sf.object.get", object_id="o1") == expected
        started = await client.call("sf.object.start", object_id="o1")
        assert started == {**expected, "state": "starting"}
        expected |= {"state": "exited", "outcome": {"exit_code": -7}}
        assert await client.notification("sf.object.state") == expected
        assert await client.call("sf.object.get", object_id="o1") == expected
        assert await client.call("sf.object.stop", object_id="o1") == expected
        assert await client.call("sf.object.unload", object_id="o1") == {"unloaded": True}
        await refused(client, "OBJECT_NOT_FOUND", -32004, "sf.object.get", object_id="o1")

    serving(scenario)


def test_a_fault_is_an_outcome() -> None:
    async def scenario(client: Client) -> None:
        object_id = await client.start("fault")
        outcome = await client.outcome(object_id)
        assert outcome["kind"] == "PROGRAM_FAULT"
        assert "guest address 0x8" in outcome["error"]
        assert (await client.call("sf.object.get", object_id=object_id))["state"] == "failed"

    serving(scenario)


@pytest.mark.parametrize(
    ("do", "wait"),
    [({"do": "sleep", "ms": FOREVER_MS}, "timer"), ({"do": "wait"}, "event"), ({"do": "ask", "ms": 9999}, "host_rpc")],
)
def test_status_says_what_an_object_waits_for(do: dict[str, Any], wait: str) -> None:
    async def scenario(client: Client) -> None:
        object_id = await client.start(**do)
        await client.waiting(object_id, wait)
        status = await client.call("sf.object.stop", object_id=object_id)
        assert (status["state"], status["wait"], status["outcome"]) == ("stopped", "none", None)

    serving(scenario)


def test_start_stop_and_unload_again_and_of_nothing() -> None:
    async def scenario(client: Client) -> None:
        object_id = await client.start("spin")
        await refused(client, "BUSY", -32001, "sf.object.start", object_id=object_id)
        for _ in range(2):
            assert (await client.call("sf.object.stop", object_id=object_id))["state"] == "stopped"
        await refused(client, "BUSY", -32001, "sf.object.start", object_id=object_id)
        for _ in range(2):
            assert await client.call("sf.object.unload", object_id=object_id) == {"unloaded": True}
        for method in ("start", "get", "stop"):
            await refused(client, "OBJECT_NOT_FOUND", -32004, f"sf.object.{method}", object_id=object_id)
            await invalid(client, f"sf.object.{method}", object_id=1)
            await invalid(client, f"sf.object.{method}", object_id=object_id, force=True)
        await invalid(client, "sf.object.unload")

    serving(scenario)


def test_stop_before_start() -> None:
    async def scenario(client: Client) -> None:
        object_id = await client.load("spin")
        assert (await client.call("sf.object.stop", object_id=object_id))["state"] == "stopped"
        await refused(client, "BUSY", -32001, "sf.object.start", object_id=object_id)

    serving(scenario)


GOOD_CAPABILITIES: list[Any] = [
    [],
    [{"name": "a"}],
    [{"name": "n" * 128}],
    [{"name": "a", "arguments": {}}, {"name": "a", "arguments": {"run": 1, "deep": {"x": [None]}}}],
]
BAD_CAPABILITIES: list[Any] = [
    None,
    {},
    ["a"],
    [{}],
    [{"name": 1}],
    [{"name": ""}],
    [{"name": "n" * 129}],
    [{"name": "a", "arguments": []}],
    [{"name": "a", "arguments": None}],
    [{"name": "a", "more": 1}],
    [{"name": "a", "arguments": {"x": "y" * 17 * KIB}}],
]


def test_what_can_be_loaded() -> None:
    async def scenario(client: Client) -> None:
        elf = elf_text()
        for capabilities in GOOD_CAPABILITIES:
            await client.call("sf.object.load", elf=elf, capabilities=capabilities)
        configs: tuple[Any, ...] = (None, 0, "x", [1, 2.5], {"a": {}}, "x" * (16 * KIB - 2))
        for config in configs:
            await client.call("sf.object.load", elf=elf, config=config)
        loaded = len(GOOD_CAPABILITIES) + len(configs)
        for capabilities in BAD_CAPABILITIES:
            await invalid(client, "sf.object.load", elf=elf, capabilities=capabilities)
        for config in ("x" * (16 * KIB - 1), deep(33), [0] * 4096):
            await invalid(client, "sf.object.load", elf=elf, config=config)
        for bad in (None, 1, "!", elf[:-1], elf + "=", elf[:-4] + "====", elf.replace(elf[8], "_"), elf + "\n"):
            await invalid(client, "sf.object.load", elf=bad)
        await invalid(client, "sf.object.load")
        await invalid(client, "sf.object.load", elf=elf, name="x")
        await invalid(client, "sf.object.load", artifact_id="a1")
        no_entry = (REPOSITORY / "runtime/guest_code/memory_functions.o").read_bytes()
        for bytes_ in (b"", b"\x7fELF", OBEYS.read_bytes()[:-1], bytes(1000), no_entry):
            text = base64.b64encode(bytes_).decode()
            message = await refused(client, "INVALID_OBJECT", -32010, "sf.object.load", elf=text)
            assert message
        assert (await client.call("sf.stats"))["objects"] == loaded

    serving(scenario)


def test_pages_neither_skip_nor_repeat() -> None:
    async def scenario(client: Client) -> None:
        for _ in range(12):
            await client.load("exit", code=0)
        listed: list[str] = []
        sizes: list[int] = []
        after: str | None = None
        while True:
            page = await client.call("sf.object.list", limit=5, **({"after": after} if after else {}))
            listed += [status["object_id"] for status in page["objects"]]
            sizes.append(len(page["objects"]))
            after = page["next"]
            if after is None:
                break
            assert after == listed[-1]
            await client.call("sf.object.unload", object_id=after)  # the next page begins after it all the same
        assert listed == sorted(f"o{n}" for n in range(1, 13))
        assert listed[:4] == ["o1", "o10", "o11", "o12"]
        assert sizes == [5, 5, 2]
        assert await client.call("sf.object.list", after="o9") == {"objects": [], "next": None}
        assert len((await client.call("sf.object.list", after=None))["objects"]) == 10

    serving(scenario)


def test_a_page_that_is_exactly_full_is_the_last() -> None:
    async def scenario(client: Client) -> None:
        for _ in range(3):
            await client.load("exit", code=0)
        assert (await client.call("sf.object.list", limit=3))["next"] is None
        assert (await client.call("sf.object.list", limit=2))["next"] == "o2"
        assert len((await client.call("sf.object.list", limit=256))["objects"]) == 3
        for limit in (0, -1, 257, "3", 3.0, True, None, 10**30):
            await invalid(client, "sf.object.list", limit=limit)
        for after in (1, ["o1"], {"id": "o1"}):
            await invalid(client, "sf.object.list", after=after)

    serving(scenario)


# ---------------------------------------------------------------- events


def test_an_event_reaches_the_guest_as_it_was_delivered() -> None:
    async def scenario(client: Client) -> None:
        object_id = await client.start("answer")
        payload = {"a": [1, -2.5, None, True, "na\u00efve \U0001f600"], "b": {}}
        event = {"event_id": "e1", "topic": "webhook", "payload": payload}
        assert await client.call("sf.event.deliver", object_id=object_id, **event) == {
            "accepted": True,
            "duplicate": False,
        }
        assert (await client.host_call())["params"]["arguments"] == event
        again = await client.call("sf.event.deliver", object_id=object_id, **{**event, "payload": None})
        assert again == {"accepted": True, "duplicate": True}

    serving(scenario)


def test_events_wait_for_the_start_and_come_in_order() -> None:
    async def scenario(client: Client) -> None:
        object_id = await client.load("answer")
        for n in range(3):
            await client.call("sf.event.deliver", object_id=object_id, event_id=str(n), topic="t", payload=n)
        assert (await client.call("sf.object.get", object_id=object_id))["mailbox_entries"] == 3
        await client.call("sf.object.start", object_id=object_id)
        for n in range(3):
            call = await client.host_call()
            assert call["params"]["arguments"]["payload"] == n
            await client.send({"jsonrpc": "2.0", "id": call["id"], "result": None})

    serving(scenario)


def test_a_mailbox_takes_32_events() -> None:
    async def scenario(client: Client) -> None:
        object_id = await client.load("answer")
        for n in range(32):
            await client.call("sf.event.deliver", object_id=object_id, event_id=str(n), topic="t", payload=None)
        event: dict[str, Any] = {"object_id": object_id, "event_id": "32", "topic": "t", "payload": None}
        await refused(client, "MAILBOX_FULL", -32002, "sf.event.deliver", **event)
        again = await client.call("sf.event.deliver", **{**event, "event_id": "0"})
        assert again["duplicate"]
        await client.call("sf.object.start", object_id=object_id)
        await client.host_call()  # one event has been taken
        assert await client.call("sf.event.deliver", **event) == {"accepted": True, "duplicate": False}

    serving(scenario)


def test_a_mailbox_takes_32_kib() -> None:
    async def scenario(client: Client) -> None:
        object_id = await client.load("answer")
        around = len('{"event_id":"1","topic":"t","payload":""}')
        event: dict[str, Any] = {"object_id": object_id, "topic": "t"}
        await invalid(client, "sf.event.deliver", **event, event_id="0", payload="x" * (16 * KIB - around + 1))
        await client.call("sf.event.deliver", **event, event_id="1", payload="x" * (16 * KIB - around))
        await client.call("sf.event.deliver", **event, event_id="2", payload="x" * (16 * KIB - around - 50))
        await refused(
            client, "MAILBOX_FULL", -32002, "sf.event.deliver", **event, event_id="3", payload="x" * (51 - around)
        )
        await client.call("sf.event.deliver", **event, event_id="4", payload="x" * (50 - around))

    serving(scenario)


def test_names_of_events_have_128_bytes_and_history_belongs_to_the_object() -> None:
    async def scenario(client: Client) -> None:
        first, second = await client.load("answer"), await client.load("answer")
        for object_id in (first, second):  # the same id is no duplicate for another object
            for name in ("x" * 128, "\u00e9" * 64, ""):
                delivery = await client.call(
                    "sf.event.deliver", object_id=object_id, event_id=name, topic=name, payload=None
                )
                assert delivery == {"accepted": True, "duplicate": False}
        for name in ("x" * 129, "\u00e9" * 64 + "x"):
            await invalid(client, "sf.event.deliver", object_id=first, event_id=name, topic="t", payload=None)
            await invalid(client, "sf.event.deliver", object_id=first, event_id="e", topic=name, payload=None)
        for missing in ("object_id", "event_id", "topic", "payload"):
            event = {"object_id": first, "event_id": "e", "topic": "t", "payload": None}
            del event[missing]
            await invalid(client, "sf.event.deliver", **event)
        await invalid(client, "sf.event.deliver", object_id=first, event_id=1, topic="t", payload=None)
        await invalid(client, "sf.event.deliver", object_id=first, event_id="e", topic=None, payload=None)
        await refused(
            client, "OBJECT_NOT_FOUND", -32004, "sf.event.deliver",
            object_id="o99", event_id="e", topic="t", payload=None,
        )  # fmt: skip

    serving(scenario)


def test_what_has_ended_takes_no_events() -> None:
    async def scenario(client: Client) -> None:
        object_id = await client.load("answer")
        await client.call("sf.object.stop", object_id=object_id)
        await refused(
            client, "BUSY", -32001, "sf.event.deliver", object_id=object_id, event_id="e", topic="t", payload=None
        )

    serving(scenario)


# ---------------------------------------------------------------- host calls


def test_a_host_call_says_all_that_the_embedder_needs() -> None:
    async def scenario(client: Client) -> None:
        session_id = (await client.initialize())["session_id"]
        object_id = await client.start("ask", ms=12345)
        call = await client.host_call()
        deadline = call["params"].pop("deadline_unix_ms")
        assert isinstance(deadline, int)
        assert call == {
            "jsonrpc": "2.0",
            "id": f"sf:{session_id}:1",
            "method": "host.call",
            "params": {
                "object_id": object_id,
                "capability": "ask",
                "arguments": {"do": "ask", "ms": 12345},
                "timeout_ms": 12345,
                "max_result_bytes": 16 * KIB,
            },
        }

    serving(scenario, initialize=False)


SF_HOST_ERROR, SF_LIMIT, SF_TIMEOUT, SF_DENIED = -5, -2, -3, -4
KINDS = {"null": 0, "bool": 1, "number": 2, "string": 3, "array": 4, "object": 5}


def deep(levels: int) -> object:
    value: object = 0
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ({"result": None}, KINDS["null"]),
        ({"result": False}, KINDS["bool"]),
        ({"result": 0}, KINDS["number"]),
        ({"result": ""}, KINDS["string"]),
        ({"result": []}, KINDS["array"]),
        ({"result": {}}, KINDS["object"]),
        ({"result": "x" * (16 * KIB - 2)}, KINDS["string"]),
        ({"result": "x" * (16 * KIB - 1)}, SF_LIMIT),
        ({"result": deep(32)}, KINDS["array"]),
        ({"result": deep(33)}, SF_LIMIT),
        ({"result": [0] * 4095}, KINDS["array"]),
        ({"result": [0] * 4096}, SF_LIMIT),
        ({"error": {"code": 1, "message": "no"}}, SF_HOST_ERROR),
        ({"error": {}}, SF_HOST_ERROR),
        ({"error": None}, SF_HOST_ERROR),
        ({"result": 1, "error": {"code": 1, "message": "no"}}, SF_HOST_ERROR),
        ({"result": 1, "error": None}, SF_HOST_ERROR),
        ({"result": 1, "more": 2}, KINDS["number"]),
    ],
    ids=lambda case: repr(case)[:40],
)
def test_what_the_embedder_answers_is_what_the_guest_gets(reply: dict[str, Any], code: int) -> None:
    async def scenario(client: Client) -> None:
        object_id = await client.start("ask", ms=FOREVER_MS)
        call = await client.host_call()
        await client.send({"jsonrpc": "2.0", "id": call["id"], **reply})
        assert await client.outcome(object_id) == {"exit_code": code}
        assert await client.host_stats() == {"pending_host_calls": 0, "ignored_host_responses": 0}

    serving(scenario)


def test_a_call_that_nobody_answers_times_out_and_is_cancelled() -> None:
    async def scenario(client: Client) -> None:
        object_id = await client.start("ask", ms=1)
        call = await client.host_call()
        assert await client.notification("host.cancel") == {"id": call["id"]}
        assert await client.outcome(object_id) == {"exit_code": SF_TIMEOUT}

    serving(scenario)


def test_what_is_not_granted_is_denied_without_asking() -> None:
    async def scenario(client: Client) -> None:
        config = {"do": "ask", "ms": 1000, "run": 1}
        outcomes = []
        for capabilities in ([], [{"name": "other"}], [{"name": "ask", "arguments": {"run": 2}}]):
            status = await client.call("sf.object.load", elf=elf_text(), config=config, capabilities=capabilities)
            await client.call("sf.object.start", object_id=status["object_id"])
            outcomes.append(await client.outcome(status["object_id"]))
        assert outcomes == [{"exit_code": SF_DENIED}] * 3
        assert client.frames == []
        pinned = [{"name": "ask", "arguments": {"run": 1}}]
        status = await client.call("sf.object.load", elf=elf_text(), config=config, capabilities=pinned)
        await client.call("sf.object.start", object_id=status["object_id"])
        assert (await client.host_call())["params"]["arguments"] == config

    serving(scenario)


def test_logs_are_notifications_ten_a_second() -> None:
    async def scenario(client: Client) -> None:
        object_id = await client.start("log")
        for _ in range(10):
            assert await client.notification("sf.log") == {"object_id": object_id, "message": "a line"}
        outcome = await client.outcome(object_id)
        assert outcome["exit_code"] in (0, SF_LIMIT)  # 0, if a second began between the lines

    serving(scenario)


# ---------------------------------------------------------------- builds


def test_a_build_is_judged_and_then_refused_for_want_of_a_compiler() -> None:
    async def scenario(client: Client) -> None:
        bundle: dict[str, Any] = {"sdk_version": 1, "entry": "main.c", "files": {"main.c": "", "sub/a.h": ""}}
        await refused(client, "SANDBOX_UNAVAILABLE", -32020, "sf.build.compile", **bundle)
        changes: tuple[dict[str, Any], ...] = (
            {"sdk_version": 2},
            {"sdk_version": "1"},
            {"sdk_version": 1.0},
            {"entry": "other.c"},
            {"entry": None},
            {"files": {}},
            {"files": ["main.c"]},
            {"files": {"main.c": 1}},
            {"files": {"main.c": "", "../a": ""}},
            {"flags": "-O3"},
        )
        for change in changes:
            await invalid(client, "sf.build.compile", **{**bundle, **change})
        for name in bundle:
            await invalid(client, "sf.build.compile", **{key: bundle[key] for key in bundle if key != name})

    serving(scenario)
