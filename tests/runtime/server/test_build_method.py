"""sf.build.compile with a builder: results in their form, slots of their own, and nobody else waits for them."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import Mapping
from typing import Any

import pytest

from runtime.server.builds import BuildOutcome
from runtime.server.session import BUILD_SLOTS, REQUEST_SLOTS
from tests.runtime.server.client import Client, ErrorReply, request, result, serving


class Scripted:
    """A builder that does what the entry's text says, when it is let."""

    toolchain = "scripted:1"

    def __init__(self, lets: bool = True) -> None:
        self.let = asyncio.Event()
        if lets:
            self.let.set()
        self.started: list[str] = []
        self.cancelled: list[str] = []

    async def build(self, entry: str, files: Mapping[str, str]) -> BuildOutcome:
        self.started.append(entry)
        try:
            await self.let.wait()
        except asyncio.CancelledError:
            self.cancelled.append(entry)
            raise
        match files[entry]:
            case "good":
                return BuildOutcome(b"\x7fELF" + bytes(70), "", "a warning\n", True)
            case "bad":
                return BuildOutcome(None, "one sentence", "many lines\n")
            case _:
                raise ZeroDivisionError


def bundle(text: str = "good", name: str = "a.c") -> dict[str, Any]:
    return {"sdk_version": 1, "entry": name, "files": {name: text, "b.h": "unused"}}


def test_a_build_that_succeeds() -> None:
    elf = b"\x7fELF" + bytes(70)

    async def scenario(client: Client) -> None:
        assert await client.call("sf.build.compile", **bundle()) == {
            "state": "succeeded",
            "result": {
                "elf": base64.b64encode(elf).decode(),
                "sha256": hashlib.sha256(elf).hexdigest(),
                "sdk_version": 1,
                "toolchain": "scripted:1",
                "diagnostics": "a warning\n",
                "diagnostics_truncated": True,
            },
        }

    serving(scenario, builder=Scripted())


def test_a_build_that_fails_is_no_error_of_the_request() -> None:
    async def scenario(client: Client) -> None:
        assert await client.call("sf.build.compile", **bundle("bad")) == {
            "state": "failed",
            "result": {
                "kind": "BUILD_FAILED",
                "error": "one sentence",
                "diagnostics": "many lines\n",
                "diagnostics_truncated": False,
            },
        }

    serving(scenario, builder=Scripted())


def test_a_builder_that_breaks_is_an_internal_error_and_builds_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    async def scenario(client: Client) -> None:
        with pytest.raises(ErrorReply) as error:
            await client.call("sf.build.compile", **bundle("broken"))
        assert (error.value.kind, error.value.code) == ("INTERNAL_ERROR", -32603)
        assert (await client.call("sf.build.compile", **bundle()))["state"] == "succeeded"

    serving(scenario, builder=Scripted())
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_clients_are_told_that_there_is_a_compiler() -> None:
    async def scenario(client: Client) -> None:
        assert (await client.initialize())["compiler"] == {"available": True, "fingerprint": "scripted:1"}

    serving(scenario, builder=Scripted(), initialize=False)


def test_sources_are_judged_before_the_builder_sees_them() -> None:
    builder = Scripted()

    async def scenario(client: Client) -> None:
        for change in ({"entry": "../a.c"}, {"files": {"a.c": "x" * (129 << 10)}}, {"sdk_version": 2}):
            with pytest.raises(ErrorReply) as error:
                await client.call("sf.build.compile", **{**bundle(), **change})
            assert error.value.kind == "INVALID_PARAMS"

    serving(scenario, builder=builder)
    assert builder.started == []


def test_sixteen_builds_may_be_outstanding_and_take_none_of_the_others_slots() -> None:
    async def scenario(client: Client) -> None:
        builds = [request(f"build {n}", "sf.build.compile", **bundle(name=f"{n}.c")) for n in range(BUILD_SLOTS + 1)]
        await client.send(*builds)
        reply = await client.reply(f"build {BUILD_SLOTS}")
        assert reply["error"]["data"]["kind"] == "BUSY"
        for _ in range(REQUEST_SLOTS + 1):  # all of this while builds are outstanding
            await client.call("sf.stats")
        await client.send(request("build 3", "sf.stats"))
        assert (await client.reply("build 3"))["error"]["data"]["kind"] == "DUPLICATE_ID"
        builder.let.set()
        for n in range(BUILD_SLOTS):
            assert result(await client.reply(f"build {n}"))["state"] == "succeeded"
        assert builder.started == [f"{n}.c" for n in range(BUILD_SLOTS)]
        assert (await client.call("sf.build.compile", **bundle()))["state"] == "succeeded"

    builder = Scripted(lets=False)
    serving(scenario, builder=builder)


def test_the_end_of_the_session_ends_builds() -> None:
    builder = Scripted(lets=False)

    async def scenario(client: Client) -> None:
        await client.send(*(request(str(n), "sf.build.compile", **bundle()) for n in range(3)))
        await client.call("sf.shutdown")
        assert await client.ended is None
        assert client.frames == []

    serving(scenario, builder=builder)
    assert builder.cancelled == builder.started == ["a.c"] * 3
