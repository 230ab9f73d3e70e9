"""`create`, `list`, `logs`, `events`, `send`, ...: what an operator asks a server that runs, over HTTP."""

from __future__ import annotations

import argparse
import json
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from salix.commands.building import source_files

if TYPE_CHECKING:
    from salix.http.client import Connection

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_LOOP_ID_CHARACTERS = 17


def add_client_commands(commands: Commands) -> None:
    """Add them to the commands of a command line."""
    command = _command(commands, "create", "build a C program in the server's sandbox and start it as a Loop")
    command.add_argument("file", type=Path, metavar="FILE.c")
    command.add_argument("--name", help="for people (default: the file's)")
    command.add_argument("--config", type=json_argument, metavar="JSON", help="what sf_config() gives")
    command.set_defaults(run=create)
    _command(commands, "list", "all Loops, and how they are").set_defaults(run=list_loops)
    command = _command(commands, "logs", "the last lines that a Loop logged")
    command.add_argument("loop")
    command.set_defaults(run=logs)
    command = _command(commands, "audit", "what a Loop asked of its host, denied calls too, and who did what to it")
    command.add_argument("loop")
    command.set_defaults(run=audit)
    command = _command(commands, "events", "the events that wait for a Loop's acknowledgement")
    command.add_argument("loop")
    which = command.add_mutually_exclusive_group()
    which.add_argument("--retry", action="store_true", help="let the Loop try all of them again")
    which.add_argument("--discard", metavar="EVENT", help="drop one of them for good")
    command.set_defaults(run=events)
    _command(commands, "messages", "what Loops woke the agent with").set_defaults(run=messages)
    for name, text in (
        ("pause", "stop a Loop; checkpoint and events stay"),
        ("resume", "start a paused, failed or finished Loop from its checkpoint"),
        ("delete", "end a Loop for good, with its events"),
    ):
        command = _command(commands, name, text)
        command.add_argument("loop")
        command.set_defaults(run=change, tool=f"loop.{name}")
    command = _command(commands, "mcp", "the tools on stdin and stdout, for a client of the Model Context Protocol")
    command.set_defaults(command=mcp_command)
    command = _command(commands, "send", "send an event to a Loop")
    command.add_argument("loop")
    command.add_argument("payload", type=json_argument, metavar="JSON")
    command.add_argument("--id", metavar="TEXT", help="the event's id; the same id is the same event")
    command.add_argument("--topic", default="cli")
    command.set_defaults(run=send)


class SourcesUnreadable(Exception):
    """What `create` is to build is not there, or is no text."""


def _command(commands: Commands, name: str, text: str) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=text)
    command.add_argument(
        "--data", type=Path, default=Path("salix-data"), metavar="FOLDER", help="the server's data folder"
    )
    command.set_defaults(command=client_command)
    return command


def json_argument(text: str) -> Any:  # noqa: ANN401 - any JSON
    """An argument that is JSON; what is wrong with it is said as argparse says such things."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"this is no JSON: {error}; text is in quotes, '\"like this\"'") from error


def client_command(options: argparse.Namespace) -> int:
    """0 if it was done, 1 if the server refused it, 2 if there is no server, or nothing to ask it for."""
    import httpx

    from salix.http.client import Connection, ServerRefused
    from salix.http.serving import Client

    try:
        with Connection(Client.load(options.data)) as connection:
            done: int = options.run(connection, options)
            return done
    except ServerRefused as refused:
        print(refused, file=sys.stderr)
        return 1
    except SourcesUnreadable as error:
        print(error, file=sys.stderr)
        return 2
    except (OSError, ValueError, httpx.HTTPError) as error:
        print(f"no server was reached by {options.data / 'client.json'}: {error}", file=sys.stderr)
        return 2


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


def create(connection: Connection, options: argparse.Namespace) -> int:
    from rich.console import Console

    try:
        files = {path: text.decode() for path, text in source_files(options.file).items()}
    except (OSError, UnicodeDecodeError) as error:
        raise SourcesUnreadable(f"{options.file} cannot be read: {error}") from error
    with Console(stderr=True).status(f"building {options.file.name} in the server's sandbox"):
        built = connection.tool("loop.build", files=files, entry=options.file.name)
    print(built["diagnostics"], end="", file=sys.stderr)
    if not built["built"]:
        return 1
    found = connection.tool(
        "loop.create",
        path=built["path"],
        sha256=built["sha256"],
        name=options.name or options.file.stem,
        config=options.config,
    )
    print(found["loop_id"])
    return 0


def list_loops(connection: Connection, options: argparse.Namespace) -> int:
    from rich.console import Console

    Console().print(table_of(connection.tool("loop.list")["loops"]))
    return 0


def table_of(loops: list[dict[str, Any]]) -> Any:  # noqa: ANN401 - rich is imported where it is used
    """Loops as a table."""
    from rich.box import SIMPLE
    from rich.markup import escape
    from rich.table import Column, Table

    loop = Column("Loop", no_wrap=True, min_width=_LOOP_ID_CHARACTERS)  # whole: it is what the other commands ask for
    texts = (Column("name", overflow="fold"), Column("state", overflow="fold", min_width=len("finished")), "waits for")
    numbers = (Column(name, overflow="fold") for name in ("pending", "wakes left", "load", "tokens", "USD"))
    table = Table(loop, *texts, *numbers, box=SIMPLE, padding=(0, 1, 0, 0))  # fits into 80 columns
    for each in loops:
        state = each["state"] if each["reason"] is None else f"{each['state']}: {each['reason']}"
        counts = (each["pending_events"], each["wakes_left"], each["incarnation"], each["input_tokens"])
        table.add_row(
            each["loop_id"], escape(each["name"]), state, each["waits_for"] or "", *map(str, counts), each["cost_usd"]
        )
    return table


def logs(connection: Connection, options: argparse.Namespace) -> int:
    for each in connection.tool("loop.logs", loop_id=options.loop, limit=200)["lines"]:
        print(each["line"])
    return 0


def audit(connection: Connection, options: argparse.Namespace) -> int:
    for each in connection.tool("loop.audit", loop_id=options.loop, limit=500)["entries"]:
        print(each["at_ms"], each["principal"], each["action"], each["outcome"], each["detail"], sep="\t")
    return 0


def messages(connection: Connection, options: argparse.Namespace) -> int:
    after = -1
    while True:
        found = connection.messages(after=max(after, 0))
        for each in found["messages"]:
            print(each["id"], each["content"], sep="\t")
        if found["next"] == after:
            return 0
        after = found["next"]


def change(connection: Connection, options: argparse.Namespace) -> int:
    """pause, resume, delete: the tool of that name."""
    changed = connection.tool(options.tool, loop_id=options.loop)
    print(f"{options.loop}: {changed.get('state', 'deleted')}")
    return 0


def events(connection: Connection, options: argparse.Namespace) -> int:
    arguments = {"loop_id": options.loop}
    if options.retry:
        arguments["action"] = "retry"
    elif options.discard is not None:
        arguments |= {"action": "discard", "event_id": options.discard}
    for each in connection.tool("loop.events", **arguments)["events"]:
        print(each["event_id"], each["topic"], json.dumps(each["payload"]), sep="\t")
    return 0


def send(connection: Connection, options: argparse.Namespace) -> int:
    event_id = options.id or uuid.uuid4().hex
    accepted = connection.send(options.loop, event_id, options.topic, options.payload)
    print(f"{accepted['event_id']}: {'a duplicate' if accepted['duplicate'] else 'accepted'}")
    return 0
