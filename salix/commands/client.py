"""`create`, `list`, `logs`, `events`, `send`, ...: what an operator asks a server that runs, over HTTP.

Each command asks for a JSON object and shows it to people; with `--json` the object itself is printed, and what is
wrong is {"error": {"kind", "message"}} on stderr, as HTTP has it.
"""

from __future__ import annotations

import argparse
import json
import sys
import uuid
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from salix.commands import showing
from salix.commands.building import source_files

if TYPE_CHECKING:
    from salix.http.client import Connection

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

Found = dict[str, Any]


class NotTried(Exception):
    """There is nothing to ask a server for: the message says why."""


class NotBuilt(Exception):
    """The sources are at fault; `found` has what the compiler says."""

    def __init__(self, found: Found) -> None:
        self.found = found
        super().__init__(found["diagnostics"])


def add_client_commands(commands: Commands) -> None:
    """Add them to the commands of a command line."""
    command = _command(
        commands, "create", "build a C program in the server's sandbox and start it as a Loop", create, showing.created
    )
    command.add_argument("file", type=Path, metavar="FILE.c")
    command.add_argument("--name", help="for people (default: the file's)")
    command.add_argument("--config", type=json_argument, metavar="JSON", help="what sf_config() gives")
    _command(commands, "list", "all Loops, and how they are", list_loops, showing.loops)
    text = "how the server is; of a Loop, all that is known of it"
    command = _command(commands, "status", text, status, showing.status)
    command.add_argument("loop", nargs="?")
    command = _command(commands, "logs", "the last lines that a Loop logged", logs, showing.lines)
    command.add_argument("loop")
    text = "what a Loop asked of its host, denied calls too, and who did what to it"
    command = _command(commands, "audit", text, audit, showing.entries)
    command.add_argument("loop")
    text = "the events that wait for a Loop's acknowledgement"
    command = _command(commands, "events", text, events, showing.events)
    command.add_argument("loop")
    which = command.add_mutually_exclusive_group()
    which.add_argument("--retry", action="store_true", help="let the Loop try all of them again")
    which.add_argument("--discard", metavar="EVENT", help="drop one of them for good")
    _command(commands, "messages", "what Loops woke the agent with", messages, showing.messages)
    command = _command(commands, "files", "the agent's objects, and whose programs they are", files, showing.files)
    command.add_argument("--delete", metavar="PATH", help="drop one that no Loop needs")
    for name, text in (
        ("pause", "stop a Loop; checkpoint and events stay"),
        ("resume", "start a paused, failed or finished Loop from its checkpoint"),
        ("delete", "end a Loop for good, with its events"),
    ):
        command = _command(commands, name, text, change, showing.changed)
        command.add_argument("loop")
        command.set_defaults(tool=f"loop.{name}")
    command = _command(commands, "send", "send an event to a Loop", send, showing.sent)
    command.add_argument("loop")
    command.add_argument("payload", type=json_argument, metavar="JSON")
    command.add_argument("--id", metavar="TEXT", help="the event's id; the same id is the same event")
    command.add_argument("--topic", default="cli")
    text = "the tools on stdin and stdout, for a client of the Model Context Protocol"
    command = commands.add_parser("mcp", help=text)
    _add_data(command)
    command.set_defaults(command=mcp_command)


def _command(
    commands: Commands,
    name: str,
    text: str,
    run: Callable[[Connection, argparse.Namespace], Found],
    show: Callable[[Found], None],
) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=text)
    _add_data(command)
    command.add_argument("--json", action="store_true", help="print it as JSON, for programs")
    command.set_defaults(command=client_command, run=run, show=show)
    return command


def _add_data(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--data", type=Path, default=Path("salix-data"), metavar="FOLDER", help="the server's data folder"
    )


def json_argument(text: str) -> Any:  # noqa: ANN401 - any JSON
    """An argument that is JSON; what is wrong with it is said as argparse says such things."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"this is no JSON: {error}; text is in quotes, '\"like this\"'") from error


def client_command(options: argparse.Namespace) -> int:
    """0 if it was done, 1 if the server or its compiler refused it, 2 if it could not be tried."""
    import httpx

    from salix.http.client import Connection, ServerRefused
    from salix.http.serving import Client

    def wrong(kind: str, message: str, text: str) -> None:
        print(json.dumps({"error": {"kind": kind, "message": message}}) if options.json else text, file=sys.stderr)

    try:
        known = Client.load(options.data)
    except (OSError, ValueError) as error:
        wrong("no_server", str(error), f"no server is known: {error}")
        return 2
    try:
        with Connection(known) as connection:
            found = options.run(connection, options)
    except ServerRefused as refused:
        wrong(refused.kind, refused.message, str(refused))
        return 1
    except NotBuilt as error:
        if options.json:
            print(json.dumps(error.found))
        else:
            print(error, end="", file=sys.stderr)
        return 1
    except NotTried as error:
        wrong("not_tried", str(error), str(error))
        return 2
    except httpx.HTTPError as error:
        text = f"no server was reached by {options.data / 'client.json'}: {error}"
        wrong("no_server", text, text)
        return 2
    if options.json:
        print(json.dumps(found))
    else:
        options.show(found)
    return 0


def mcp_command(options: argparse.Namespace) -> int:
    """0 when stdin ended, 2 if nobody wrote where a server is."""
    import asyncio

    from salix.http.serving import Client
    from salix.mcp.stdio import serve_stdio

    try:
        client = Client.load(options.data)
    except (OSError, ValueError) as error:
        print(f"no server is known: {error}", file=sys.stderr)
        return 2
    asyncio.run(serve_stdio(client))
    return 0


def create(connection: Connection, options: argparse.Namespace) -> Found:
    from rich.console import Console
    from rich.markup import escape

    try:
        sources = {path: text.decode() for path, text in source_files(options.file).items()}
    except (OSError, UnicodeDecodeError) as error:
        raise NotTried(f"{options.file} cannot be read: {error}") from error
    with Console(stderr=True).status(f"building {escape(options.file.name)} in the server's sandbox") as progress:
        built = connection.tool("loop.build", files=sources, entry=options.file.name)
        if not built["built"]:
            raise NotBuilt(built)
        name = options.name or options.file.stem
        progress.update(f"starting {escape(name)}")
        program = {"path": built["path"], "sha256": built["sha256"]}
        found = connection.tool("loop.create", name=name, config=options.config, **program)
    return {**found, "diagnostics": built["diagnostics"]}


def list_loops(connection: Connection, options: argparse.Namespace) -> Found:
    return connection.tool("loop.list")


def status(connection: Connection, options: argparse.Namespace) -> Found:
    """Of a Loop what `loop.get` says; else sums over all of the agent's, of a server whose database answers."""
    if options.loop is not None:
        return connection.tool("loop.get", loop_id=options.loop)
    connection.check_health()
    found = connection.tool("loop.list")["loops"]
    return {
        "url": connection.url,
        "loops": dict(sorted(Counter(each["state"] for each in found).items())),
        "memory_bytes": sum(each["memory_bytes"] for each in found),
        "pending_events": sum(each["pending_events"] for each in found),
        "input_tokens": sum(each["input_tokens"] for each in found),
        "cost_usd": f"{sum((Decimal(each['cost_usd']) for each in found), Decimal(0)):f}",
    }


def logs(connection: Connection, options: argparse.Namespace) -> Found:
    return connection.tool("loop.logs", loop_id=options.loop, limit=200)


def audit(connection: Connection, options: argparse.Namespace) -> Found:
    return connection.tool("loop.audit", loop_id=options.loop, limit=500)


def files(connection: Connection, options: argparse.Namespace) -> Found:
    if options.delete is None:
        return connection.tool("loop.files")
    return connection.tool("loop.files", action="delete", path=options.delete)


def messages(connection: Connection, options: argparse.Namespace) -> Found:
    """All of them, in as many answers as it takes."""
    listed: list[Found] = []
    after = -1
    while True:
        found = connection.messages(after=max(after, 0))
        listed += found["messages"]
        if found["next"] == after:
            return {"messages": listed, "next": after}
        after = found["next"]


def change(connection: Connection, options: argparse.Namespace) -> Found:
    """pause, resume, delete: the tool of that name."""
    return {"loop_id": options.loop, "state": "deleted", **connection.tool(options.tool, loop_id=options.loop)}


def events(connection: Connection, options: argparse.Namespace) -> Found:
    arguments = {"loop_id": options.loop}
    if options.retry:
        arguments["action"] = "retry"
    elif options.discard is not None:
        arguments |= {"action": "discard", "event_id": options.discard}
    return connection.tool("loop.events", **arguments)


def send(connection: Connection, options: argparse.Namespace) -> Found:
    event_id = options.id if options.id is not None else uuid.uuid4().hex
    return connection.send(options.loop, event_id, options.topic, options.payload)
