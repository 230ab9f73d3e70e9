"""A served node can be watched from outside: by Prometheus, by `top`, by nobody else, and without being disturbed."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import subprocess
import sys
from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path

import pytest
from rich.console import Console

from runtime.server.observe import MAX_LINE_BYTES, Observer
from runtime.server.top import drawn, read_counters
from tests.runtime.server.client import FOREVER_MS, TIMEOUT_SECONDS, Client, Json, serving
from tests.runtime.server.test_serve import read, server, started, write

REPOSITORY = Path(__file__).parents[3]


def watching(path: Path, requests: bytes, prepare: Callable[[Client], Awaitable[None]] | None = None) -> bytes:
    """All that a node says to `requests` on its socket, after `prepare(client)`."""
    replies: list[bytes] = []

    async def scenario(client: Client) -> None:
        if prepare is not None:
            await prepare(client)
        observer = Observer(client.session.node)
        await observer.open(path)
        try:
            reader, writer = await asyncio.open_unix_connection(path)
            writer.write(requests)
            writer.write_eof()
            replies.append(await reader.read())
            writer.close()
        finally:
            await observer.close()
        assert not path.exists()

    serving(scenario)
    return replies[0]


async def three_objects(client: Client) -> None:
    await client.load("exit", code=0)
    await client.start("ask", ms=FOREVER_MS)
    await client.host_call()
    object_id = await client.start("spin")
    while client.session.node.usage(object_id) < 0.002:
        await asyncio.sleep(0)


def test_prometheus_gets_its_text(tmp_path: Path) -> None:
    reply = watching(tmp_path / "s", b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", three_objects)
    head, _, body = reply.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert f"\r\nContent-Length: {len(body)}\r\n".encode() in head
    assert b"\nsalix_node_loads_total 3\n" in body


@pytest.mark.parametrize("target", [b"/", b"/metricsx", b"", b"/objects"])
def test_other_pages_do_not_exist(tmp_path: Path, target: bytes) -> None:
    reply = watching(tmp_path / "s", b"GET " + target + b" HTTP/1.0\r\n\r\n")
    assert reply.startswith(b"HTTP/1.1 404 ")


def test_objects_that_ran_most_come_first_and_then_those_that_ran_since(tmp_path: Path) -> None:
    lines = watching(tmp_path / "s", b'{"objects":2}\n{"objects":9}\n{"objects":0}\n', three_objects).splitlines()
    first, second, third = map(json.loads, lines)
    assert [each["status"]["object_id"] for each in first["objects"]] == ["o3", "o2"]
    assert first["objects"][0]["seconds"] == first["objects"][0]["since"] >= 0.002
    assert first["stats"]["objects"] == 3
    assert len(second["objects"]) == 3
    assert all(each["since"] <= each["seconds"] for each in second["objects"])
    waiting = next(each for each in second["objects"] if each["status"]["object_id"] == "o2")
    assert waiting["seconds"] > waiting["since"] == 0  # it ran before the first look, and not since
    assert third["objects"] == []


@pytest.mark.parametrize(
    "request_",
    [b"\n", b"x\n", b"[]\n", b'{"objects":-1}\n', b'{"objects":"1"}\n', b"{}\n", b"x" * (2 * MAX_LINE_BYTES) + b"\n"],
)
def test_anything_else_ends_the_connection_and_nothing_else(tmp_path: Path, request_: bytes) -> None:
    assert watching(tmp_path / "s", request_ + b'{"objects":0}\n') == b""


def test_only_its_user_may_connect(tmp_path: Path) -> None:
    async def scenario(client: Client) -> None:
        observer = Observer(client.session.node)
        await observer.open(tmp_path / "s")
        mode = (tmp_path / "s").stat().st_mode
        await observer.close()
        assert stat.S_ISSOCK(mode)
        assert stat.S_IMODE(mode) == 0o600

    serving(scenario)


def test_watchers_that_stay_do_not_keep_it_open(tmp_path: Path) -> None:
    async def scenario(client: Client) -> None:
        observer = Observer(client.session.node)
        await observer.open(tmp_path / "s")
        reader, writer = await asyncio.open_unix_connection(tmp_path / "s")
        writer.write(b'{"objects":0}\n')
        await reader.readline()
        await observer.close()
        assert await reader.read() == b""
        writer.close()

    serving(scenario)


# ---------------------------------------------------------------- top


def test_counters_are_read_from_prometheus_text() -> None:
    text = "# HELP salix_node_loads_total x\n# TYPE y counter\nsalix_node_loads_total 3\nsalix_node_parked 0.5\n"
    assert read_counters(text) == {"loads": 3.0, "parked": 0.5}


def shown(reply: Json, counters: dict[str, float], before: dict[str, float], seconds: float) -> str:
    console = Console(width=160, record=True, file=open(os.devnull, "w"))  # noqa: SIM115
    console.print(drawn(reply, counters, before, seconds))
    return console.export_text()


def test_top_shows_shares_rates_and_outcomes_and_is_not_led_by_guests() -> None:
    names = ("events", "host_calls", "activations", "slices", "log_lines", "faults")
    status = {
        "object_id": "o7",
        "sha256": "",
        "state": "failed",
        "wait": "none",
        "mailbox_entries": 4,
        "outcome": {"kind": "PROGRAM_FAULT", "error": "[bold]bad[/]"},
    }
    reply = {
        "stats": {
            "uptime_ms": 61_000,
            "objects": 10_000,
            "waiting": 1,
            "parked": 2,
            "waiting_to_run": 3,
            "pending_host_calls": 5,
        },
        "objects": [{"status": status, "seconds": 1.25, "since": 0.5}],
    }
    text = shown(reply, dict.fromkeys(names, 30.0), {**dict.fromkeys(names, 30.0), "events": 10.0}, 2.0)
    assert "up 61 s" in text
    assert "objects 10,000" in text
    assert "events 10.0/s" in text
    assert "host calls 0.0/s" in text
    assert "o7" in text
    assert "25.0%" in text
    assert "1.250" in text
    assert "PROGRAM_FAULT: [bold]bad[/]" in text


def test_top_of_a_server(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with server("--socket", str(path)) as process:
        write(process, started("wait"))
        read(process.stdout, "start")
        command = [sys.executable, "-m", "runtime", "top", str(path), "--once"]
        done = subprocess.run(
            command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS
        )
        assert done.returncode == 0, done.stderr
        assert "objects 1 " in done.stdout
        assert "o1" in done.stdout
        process.communicate(timeout=TIMEOUT_SECONDS)
        assert process.returncode == 0
    assert not path.exists()
    gone = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS)
    assert gone.returncode == 2
    assert gone.stderr.startswith("FileNotFoundError: ")


def test_top_ends_when_the_server_goes(tmp_path: Path) -> None:
    async def scenario(client: Client) -> None:
        observer = Observer(client.session.node)
        await observer.open(tmp_path / "s")
        command = [sys.executable, "-m", "runtime", "top", str(tmp_path / "s"), "--every", "0.01"]
        top = await asyncio.create_subprocess_exec(
            *command, cwd=REPOSITORY, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        while not observer.watchers:
            await asyncio.sleep(0)
        await observer.close()
        out, err = await top.communicate()
        assert (top.returncode, err) == (0, b"")
        assert b"the server has gone" in out

    serving(scenario)


def test_a_socket_that_cannot_be_made_is_said_before_anything_is_served(tmp_path: Path) -> None:
    with server("--socket", str(tmp_path / "no" / "such" / "folder")) as process:
        out, err = process.communicate(timeout=TIMEOUT_SECONDS)
    assert (process.returncode, out) == (2, b"")
    assert b"FileNotFoundError" in err


# ---------------------------------------------------------------- perf


def test_the_perf_map_names_stubs_and_functions() -> None:
    with server("--perf-map", "--engine", "jit") as process:
        write(process, started("exit", code=0))
        read(process.stdout, "start")
        assert process.stdout is not None
        assert b'"exit_code":0' in process.stdout.readline()  # so all that it needs has been compiled
        path = Path(f"/tmp/perf-{process.pid}.map")
        try:
            process.communicate(timeout=TIMEOUT_SECONDS)
            lines = path.read_text().splitlines()
        finally:
            path.unlink()
    pieces = sorted((int(address, 16), int(size, 16), name) for address, size, name in (x.split(" ", 2) for x in lines))
    assert all(low + size <= after for (low, size, _), (after, _, _) in pairwise(pieces))
    names = [name for _, _, name in pieces]
    assert "enter: start" in names
    assert any(name.startswith("main at pc ") for name in names)
