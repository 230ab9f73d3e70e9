"""`demo`: the whole way, from C source to a woken agent, through a server that is killed on the way.

Everything is real: a server of its own in a temporary folder, sources that are compiled in its sandbox, events over
HTTP, SIGKILL. What it prints is what the server says.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

    from salix.http.client import Connection

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

MAILS = (
    ("m1", "Weekly newsletter", "Ten links and an offer"),
    ("m2", "Your receipt", "Thank you for your order"),
    ("m3", "Contract for signature", "Please sign before the deadline tonight"),
    ("m4", "Spring offer", "A digest of what is new"),
)
MAILS_BEFORE_THE_KILL = (
    ("m5", "Outage of the database", "It needs the owner now"),
    ("m6", "Another newsletter", "And a receipt"),
)
_MORE_LOOPS = 16
_STEPS = 7


def add_demo(commands: Commands) -> None:
    """Add `demo` to the commands of a command line."""
    command = commands.add_parser("demo", help="build a Loop, send it events, kill the server, lose nothing")
    command.set_defaults(command=demo_command)


def demo_command(options: argparse.Namespace) -> int:
    """0 if all went as it should, else 1."""
    with tempfile.TemporaryDirectory(prefix="salix-demo-") as folder:
        return _demo(Path(folder))


@contextmanager
def server(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], Connection]]:
    """A server on `folder`, which is killed at the end, and a connection to it."""
    from salix.http.client import Connection
    from salix.http.serving import Client

    arguments = [sys.executable, "-m", "salix", "serve", "--data", str(folder), "--port", "0"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            if not process.stdout.readline():
                raise RuntimeError("the server did not start")
            with Connection(Client.load(folder)) as connection:
                yield process, connection
        finally:
            process.kill()


def _demo(folder: Path) -> int:
    """With its progress, where there is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn

    console = Console()
    with Progress(
        SpinnerColumn(), "{task.description}", BarColumn(), MofNCompleteColumn(),
        console=console, transient=True, disable=not console.is_terminal,
    ) as progress:  # fmt: skip
        return _steps(folder, progress)


def _steps(folder: Path, progress: Progress) -> int:
    from salix.commands.showing import table_of

    console = progress.console
    task = progress.add_task("", total=_STEPS)

    def step(text: str) -> None:
        progress.update(task, description=text, advance=1)

    source = resources.files("salix.examples").joinpath("mail_watch.c").read_text()
    step("starting a server")
    with server(folder) as (process, connection):
        step("building mail_watch.c in the sandbox")
        connection.tool("loop.build", files={"mail_watch.c": source}, entry="mail_watch.c")  # the compiler's first run
        begun = time.perf_counter()
        built = connection.tool("loop.build", files={"mail_watch.c": source}, entry="mail_watch.c")
        build_ms = (time.perf_counter() - begun) * 1000
        console.print(f"built mail_watch.c in the sandbox: {built['bytes']} bytes, SHA-256 {built['sha256'][:16]}...")
        program = {"path": built["path"], "sha256": built["sha256"]}
        loop_id = connection.tool("loop.create", name="mail_watch", **program)["loop_id"]
        console.print(f"created Loop {loop_id}; sending mails over HTTP")
        step("sending mails, waiting until the Loop has dealt with them")
        for event_id, subject, body in MAILS:
            connection.send(loop_id, event_id, "mail", {"subject": subject, "body": body})
        connection.send(loop_id, "m3", "mail", {"subject": "Contract for signature"})  # its sender was not sure
        _wait_for(connection, loop_id)
        step(f"weighing {_MORE_LOOPS} Loops more")
        loop_kib = _loop_kib(process.pid, connection, program)
        step("two mails, and kill -9")
        for event_id, subject, body in MAILS_BEFORE_THE_KILL:
            connection.send(loop_id, event_id, "mail", {"subject": subject, "body": body})
    console.print("two more mails, and kill -9 the server; starting it again")
    step("starting the server again")
    with server(folder) as (_, connection):
        step("waiting until the Loop has dealt with the rest")
        _wait_for(connection, loop_id)
        found = connection.tool("loop.get", loop_id=loop_id)
        console.print(table_of([found]))
        for each in connection.tool("loop.logs", loop_id=loop_id)["lines"]:
            console.print(f"  decided  {each['line']}", highlight=False, markup=False)
        messages = connection.messages()["messages"]
        for each in messages:
            console.print(f"  sent     {each['id']}: {each['content']}", highlight=False, markup=False)
    quiet = len(MAILS) + len(MAILS_BEFORE_THE_KILL) - len(messages)
    console.print(
        f"build {build_ms:.0f} ms; {loop_kib:.0f} KiB of memory for a Loop; {quiet} quiet events took"
        f" {found['input_tokens']} tokens; woken {len(messages)} times, load {found['incarnation']}, nothing lost"
    )
    woken = [each["id"] for each in messages]
    return 0 if woken == [f"loop:{loop_id}:m3", f"loop:{loop_id}:m5"] and found["pending_events"] == 0 else 1


def _wait_for(connection: Connection, loop_id: str) -> None:
    """Return when the Loop has dealt with all its events."""
    for _ in range(600):
        if connection.tool("loop.get", loop_id=loop_id)["pending_events"] == 0:
            return
        time.sleep(0.05)
    raise TimeoutError("the Loop does not acknowledge its events")


def _loop_kib(pid: int, connection: Connection, program: dict[str, str]) -> float:
    """How much resident memory the server needs for one more Loop, rows and all."""
    names = [f"idle{n}" for n in range(_MORE_LOOPS)]
    connection.tool("loop.create", name="first of its kind", **program)
    before = _resident_kib(pid)
    for name in names:
        connection.tool("loop.create", name=name, **program)
    return max(0.0, (_resident_kib(pid) - before) / _MORE_LOOPS)


def _resident_kib(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1024
