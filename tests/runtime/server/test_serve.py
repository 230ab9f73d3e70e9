"""`python -m runtime serve` as a process: what ends it, its exit status, and what it can be connected to."""

from __future__ import annotations

import json
import os
import pty
import signal
import socket
import subprocess
import sys
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

from runtime.server.frames import MAX_FRAME_BYTES
from tests.runtime.server.client import FOREVER_MS, elf_text, request, result

REPOSITORY = Path(__file__).parents[3]
COMMAND = (sys.executable, "-m", "runtime", "serve")
INITIALIZE = request("init", "sf.initialize", protocol_version=1)
TIMEOUT_SECONDS = 60


def lines(*frames: object) -> bytes:
    return b"".join(json.dumps(frame).encode() + b"\n" for frame in frames)


def started(do: str, **config: object) -> bytes:
    """The requests that make an object and let it run, after those that begin a session."""
    load = request(
        "load", "sf.object.load", elf=elf_text(), config={"do": do, **config}, capabilities=[{"name": "ask"}]
    )
    return lines(INITIALIZE, load, request("start", "sf.object.start", object_id="o1"))


@contextmanager
def server(
    *options: str, stdin: int = subprocess.PIPE, stdout: int = subprocess.PIPE, command: tuple[str, ...] = COMMAND
) -> Iterator[subprocess.Popen[bytes]]:
    """A server, with pipes for streams that are not given; killed if the test leaves it running."""
    with subprocess.Popen(
        (*command, *options), cwd=REPOSITORY, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def read(stream: IO[bytes] | None, name: str) -> dict[str, Any]:
    """The reply to a request, skipping what comes before."""
    assert stream is not None
    for line in stream:
        frame: dict[str, Any] = json.loads(line)
        if frame.get("id") == name:
            return frame
    raise AssertionError(f"no reply to {name}")


def write(process: subprocess.Popen[bytes], data: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(data)
    process.stdin.flush()


def test_the_end_of_the_input_ends_it_with_status_0_whatever_spins() -> None:
    with server() as process:
        out, err = process.communicate(started("spin"), TIMEOUT_SECONDS)
    assert [json.loads(line).get("id") for line in out.splitlines()][:3] == ["init", "load", "start"]
    assert json.loads(out.splitlines()[-1])["params"]["state"] == "stopped"
    assert (process.returncode, err) == (0, b"")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("do", ["spin", "wait"])
def test_signals_end_it_with_status_0(number: signal.Signals, do: str) -> None:
    with server() as process:
        write(process, started(do))
        read(process.stdout, "start")
        process.send_signal(number)
        out, err = process.communicate(timeout=TIMEOUT_SECONDS)
    assert b'"state":"stopped"' in out
    assert (process.returncode, err) == (0, b"")


def test_shutdown_ends_it_with_status_0_while_its_input_is_open() -> None:
    with server() as process:
        write(process, started("spin") + lines(request("bye", "sf.shutdown")))
        assert result(read(process.stdout, "bye")) == {"shutdown": True}
        assert process.wait(TIMEOUT_SECONDS) == 0


def test_a_broken_output_ends_it_with_status_0() -> None:
    with server() as process:
        write(process, started("spin"))
        read(process.stdout, "start")
        assert process.stdout is not None
        process.stdout.close()
        write(process, lines(request("1", "sf.stats")))
        assert process.wait(TIMEOUT_SECONDS) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""


@pytest.mark.parametrize(
    "data",
    [b" " * (MAX_FRAME_BYTES + 1), b'{"jsonrpc":"2.0"', lines(INITIALIZE) + b"{"],
    ids=["too large", "cut off", "cut off later"],
)
def test_a_frame_beyond_the_bounds_ends_it_with_status_1_and_one_line(data: bytes) -> None:
    with server() as process:
        _, err = process.communicate(data, TIMEOUT_SECONDS)
    assert process.returncode == 1
    assert err.startswith(b"the session was ended: ")
    assert err.count(b"\n") == 1


def test_a_client_that_goes_without_reading_leaves_nothing_behind() -> None:
    with server() as process:
        write(process, started("ask", ms=FOREVER_MS))
        assert process.stdout is not None
        process.stdout.close()
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(TIMEOUT_SECONDS) == 0


def test_it_works_on_a_socket() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, server(stdin=theirs.fileno(), stdout=theirs.fileno()) as process:
        theirs.close()
        ours.sendall(started("exit", code=1))
        with ours.makefile("rb") as stream:
            assert result(read(stream, "start"))["state"] == "starting"
        ours.shutdown(socket.SHUT_WR)
        assert process.wait(TIMEOUT_SECONDS) == 0


def test_it_works_on_files(tmp_path: Path) -> None:
    """Requests from a file, replies to another: neither can be waited for."""
    requests, replies = tmp_path / "requests", tmp_path / "replies"
    requests.write_bytes(started("exit", code=1) + lines(request("last", "sf.stats")))
    with (
        requests.open("rb") as stdin,
        replies.open("wb") as stdout,
        server(stdin=stdin.fileno(), stdout=stdout.fileno()) as process,
    ):
        assert process.wait(TIMEOUT_SECONDS) == 0
    with replies.open("rb") as stream:
        assert result(read(stream, "last"))["objects"] == 1


def test_it_works_on_a_terminal() -> None:
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    try:
        with server(stdin=theirs, stdout=theirs) as process:
            os.write(ours, lines(INITIALIZE, request("bye", "sf.shutdown")))
            with open(ours, "rb", closefd=False) as stream:
                assert result(read(stream, "bye")) == {"shutdown": True}
            assert process.wait(TIMEOUT_SECONDS) == 0
        assert os.get_blocking(theirs)
    finally:
        os.close(ours)
        os.close(theirs)


PRINTS = """
from runtime.node import Node
from runtime.server.serve import serve

def make_node(embedder):
    print("printed")
    return Node(embedder)

serve(make_node)
"""


def test_what_is_printed_does_not_get_between_the_frames() -> None:
    with server(command=(sys.executable, "-c", PRINTS)) as process:
        out, err = process.communicate(lines(INITIALIZE), TIMEOUT_SECONDS)
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["init"]
    assert err == b"printed\n"


def test_no_input_at_all() -> None:
    with server(stdin=subprocess.DEVNULL) as process:
        out, err = process.communicate(timeout=TIMEOUT_SECONDS)
    assert (process.returncode, out, err) == (0, b"", b"")


def test_descriptors_block_again_when_it_has_gone() -> None:
    """They are shared with whoever started it: a shell would not like to find its terminal changed."""
    requests, stdin = socket.socketpair()
    stdout, replies = socket.socketpair()
    with requests, stdin, stdout, replies:
        with server(stdin=stdin.fileno(), stdout=stdout.fileno()) as process:
            requests.shutdown(socket.SHUT_WR)
            assert process.wait(TIMEOUT_SECONDS) == 0
        assert os.get_blocking(stdin.fileno())
        assert os.get_blocking(stdout.fileno())


def test_the_interpreter_serves_too() -> None:
    with server("--engine", "interpreter") as process:
        write(process, started("exit", code=42))
        read(process.stdout, "start")
        assert process.stdout is not None
        state = json.loads(process.stdout.readline())
        assert state["params"]["outcome"] == {"exit_code": 42}
        process.communicate(timeout=TIMEOUT_SECONDS)
    assert process.returncode == 0
