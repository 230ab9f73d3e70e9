"""The example Loops on a session of the server, from loading to what becomes of them, on a clock that jumps."""

from __future__ import annotations

import asyncio
import base64

import pytest

from runtime.node import Node
from runtime.sdk.codes import DENIED
from runtime.sdk.texts import example
from tests.clang import LOOP_OPTIONS, compiled
from tests.runtime.server.client import Client, Json, Scenario
from tests.runtime.server.jumping import run_jumping

PATIENCE_SECONDS = 3600  # on the clock that jumps
NOTIFY = {"name": "agent.notify"}


def served(scenario: Scenario, engine: str) -> None:
    """Run `scenario` with a client of a new session."""

    async def play() -> None:
        client = Client(lambda calls: Node(calls, engine=engine))
        try:
            await client.initialize()
            await asyncio.wait_for(scenario(client), PATIENCE_SECONDS)
        finally:
            await client.close()

    run_jumping(play())


async def started(client: Client, name: str, config: Json, *capabilities: Json) -> str:
    elf = base64.b64encode(compiled(example(name), *LOOP_OPTIONS, "-mcpu=v4")).decode()
    status = await client.call("sf.object.load", elf=elf, config=config, capabilities=list(capabilities))
    await client.call("sf.object.start", object_id=status["object_id"])
    return str(status["object_id"])


async def call(client: Client, capability: str) -> Json:
    """The next host call, which must be this one."""
    made = await client.host_call()
    assert made["params"]["capability"] == capability
    return made


async def answer(client: Client, capability: str, result: object) -> Json:
    """Answer the next host call; its arguments."""
    made = await call(client, capability)
    await client.send({"jsonrpc": "2.0", "id": made["id"], "result": result})
    arguments: Json = made["params"]["arguments"]
    return arguments


async def fail(client: Client, capability: str) -> Json:
    """Answer the next host call with an error; its arguments."""
    made = await call(client, capability)
    await client.send({"jsonrpc": "2.0", "id": made["id"], "error": {"code": -32000, "message": "not now"}})
    arguments: Json = made["params"]["arguments"]
    return arguments


async def deliver(client: Client, object_id: str, event_id: str, payload: object) -> Json:
    return await client.call("sf.event.deliver", object_id=object_id, event_id=event_id, topic="test", payload=payload)


both_engines = pytest.mark.parametrize("engine", ["jit", "interpreter"])


@both_engines
def test_a_ci_run_is_watched_to_its_end(engine: str) -> None:
    config = {"repository": "owner/name", "run_id": 123, "dedup_key": "run:123"}

    async def scenario(client: Client) -> None:
        object_id = await started(
            client, "ci_run", config, {"name": "ci.run.read", "arguments": {"run_id": 123}}, NOTIFY
        )
        assert await answer(client, "ci.run.read", {"status": "running"}) == config
        await fail(client, "ci.run.read")
        await answer(client, "ci.run.read", {"status": "completed", "conclusion": "success"})
        unanswered = await call(client, "agent.notify")
        assert await client.notification("host.cancel") == {"id": unanswered["id"]}  # after ten seconds
        assert await answer(client, "agent.notify", {"accepted": True}) == {"content": "success", **config}
        assert await client.outcome(object_id) == {"exit_code": 0}
        await client.send({"jsonrpc": "2.0", "id": unanswered["id"], "result": {}})
        assert await client.host_stats() == {"pending_host_calls": 0, "ignored_host_responses": 1}

    served(scenario, engine)


@both_engines
def test_a_ci_run_that_was_not_granted_is_not_asked_for(engine: str) -> None:
    async def scenario(client: Client) -> None:
        pinned = {"name": "ci.run.read", "arguments": {"run_id": 123}}
        object_id = await started(client, "ci_run", {"run_id": 124}, pinned, NOTIFY)
        assert await client.outcome(object_id) == {"exit_code": DENIED}

    served(scenario, engine)


@both_engines
def test_a_device_is_told_of_when_its_state_changes(engine: str) -> None:
    async def scenario(client: Client) -> None:
        object_id = await started(client, "device_states", {"state": "open"}, NOTIFY)
        states = ["closed", "open", "open", "closed"]
        for number, state in enumerate(states):
            assert await deliver(client, object_id, f"e{number}", {"device": "door", "state": state}) == {
                "accepted": True,
                "duplicate": False,
            }
        assert await answer(client, "agent.notify", {}) == {
            "content": "entered", "device": "door", "state": "open", "dedup_key": "e1",
        }  # fmt: skip
        assert (await answer(client, "agent.notify", {}))["dedup_key"] == "e3"
        await client.waiting(object_id, "event")
        assert (await client.host_stats())["pending_host_calls"] == 0
        await asyncio.sleep(PATIENCE_SECONDS / 2)  # by now its memory has been given back
        await deliver(client, object_id, "later", {"device": "door", "state": "open"})
        assert (await answer(client, "agent.notify", {}))["dedup_key"] == "later"

    served(scenario, engine)


@both_engines
def test_a_keyword_is_found_across_two_chunks(engine: str) -> None:
    config = {"url": "https://example.invalid", "keyword": "needle", "dedup_key": "page:1"}

    async def scenario(client: Client) -> None:
        object_id = await started(client, "page_keyword", config, {"name": "web.read_chunk"}, NOTIFY)
        whole = {"data": "nothing here", "next_offset": 12, "done": True, "snapshot": "v0"}
        await answer(client, "web.read_chunk", whole)
        await fail(client, "web.read_chunk")
        first = {"data": "haystack nee", "next_offset": 12, "done": False, "snapshot": "v1"}
        assert await answer(client, "web.read_chunk", first) == {"url": config["url"], "max_bytes": 2048, "offset": 0}
        second = {"data": "dle more", "next_offset": 20, "done": True, "snapshot": "v1"}
        assert await answer(client, "web.read_chunk", second) == {
            "url": config["url"], "max_bytes": 2048, "offset": 12, "snapshot": "v1",
        }  # fmt: skip
        await fail(client, "agent.notify")
        assert (await answer(client, "agent.notify", {}))["dedup_key"] == "page:1"
        assert await client.outcome(object_id) == {"exit_code": 0}

    served(scenario, engine)


@both_engines
def test_webhooks_are_passed_on_and_acknowledged_and_retrying_is_the_loops_own_business(engine: str) -> None:
    async def scenario(client: Client) -> None:
        given = ({"kinds": ["deploy"]}, NOTIFY, {"name": "loop.ack"})
        object_id = await started(client, "webhook_filter", *given)
        await deliver(client, object_id, "d0", {"kind": "chat"})
        assert await answer(client, "loop.ack", {}) == {"event_id": "d0"}

        await deliver(client, object_id, "d1", {"kind": "deploy", "nested": [1, True, None]})
        for _ in range(6):
            assert await fail(client, "agent.notify") == {
                "content": {"kind": "deploy", "nested": [1, True, None]}, "dedup_key": "d1",
            }  # fmt: skip
        assert (await client.notification("sf.log"))["message"] == "an event is left pending"

        # admission is not completion: this object does not take d1 again, its successor does
        assert (await deliver(client, object_id, "d1", {"kind": "deploy"}))["duplicate"] is True
        await client.waiting(object_id, "event")
        await client.call("sf.object.unload", object_id=object_id)
        successor = await started(client, "webhook_filter", *given)
        assert (await deliver(client, successor, "d1", {"kind": "deploy"}))["duplicate"] is False
        assert (await answer(client, "agent.notify", {}))["dedup_key"] == "d1"
        assert await answer(client, "loop.ack", {}) == {"event_id": "d1"}

    served(scenario, engine)
