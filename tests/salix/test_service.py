"""A served node compiles: `sf.build.compile` with the compiler that is a guest."""

from __future__ import annotations

import asyncio
from base64 import b64decode
from hashlib import sha256

import pytest

from runtime import Event, Exited, Preempted
from runtime.server.builds import Builder, BuildOutcome, built
from salix.compiler.guest import build, compilation
from salix.compiler.service import SERVICE
from tests.runtime.server.client import Client, serving

LOOP = '#include "spinfoam.h"\nSF_MAIN sf_i64 hello(void) { sf_log("hello"); return 0; }\n'


def result(files: dict[str, str]) -> BuildOutcome:
    return asyncio.run(SERVICE.build("main.c", files))


def test_it_is_a_builder_whose_name_changes_with_its_bytes() -> None:
    builder: Builder = SERVICE
    assert builder.toolchain.startswith("salix-cc ")


def test_a_loop_is_built_and_the_reply_carries_its_object() -> None:
    reply = asyncio.run(built(SERVICE, "main.c", {"main.c": LOOP})).decode()
    outcome = result({"main.c": LOOP})
    assert outcome.elf is not None
    assert f'"sha256":"{sha256(outcome.elf).hexdigest()}"' in reply
    assert b64decode(reply.split('"elf":"')[1].split('"')[0]) == outcome.elf


def test_a_failure_says_why() -> None:
    outcome = result({"main.c": "int main(void) { return 1.5; }"})
    assert outcome.elf is None
    assert outcome.error == "main.c:1:25: error: there is no floating point here"
    assert "hint:" in outcome.diagnostics


def test_what_a_server_builds_it_runs() -> None:
    source = '#include "spinfoam.h"\nSF_MAIN sf_i64 f(void) { return sf_json_read_i64(sf_config(), "n", 0) + 1; }\n'

    async def scenario(client: Client) -> None:
        build = await client.call("sf.build.compile", sdk_version=1, entry="a.c", files={"a.c": source})
        assert build["state"] == "succeeded", build
        status = await client.call("sf.object.load", elf=build["result"]["elf"], config={"n": 41})
        assert status["sha256"] == build["result"]["sha256"]
        await client.call("sf.object.start", object_id=status["object_id"])
        assert await client.outcome(status["object_id"]) == {"exit_code": 42}

    serving(scenario, builder=SERVICE)


def test_a_build_is_run_in_slices_by_whoever_holds_it() -> None:
    under_way, slices = compilation({"main.c": LOOP}, "main.c"), 0
    event: Event = Preempted(0)
    while isinstance(event, Preempted):
        event, slices = under_way.guest.advance(fuel=1000), slices + 1
    assert slices > 3
    assert isinstance(event, Exited)
    assert under_way.result(event) == build({"main.c": LOOP}, "main.c")
    under_way.guest.close()


def test_a_build_that_is_cancelled_is_over_and_its_memory_is_back() -> None:
    async def scenario() -> None:
        under_way = compilation({"main.c": LOOP}, "main.c", engine="interpreter")  # seconds
        task = asyncio.ensure_future(under_way.run_async())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert under_way.guest.closed

    asyncio.run(scenario())
