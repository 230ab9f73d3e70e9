"""What the commands of `client` print for people. What came from guests and senders is text, and nothing else."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

_LOOP_ID_CHARACTERS = 17


def plain(text: str) -> str:
    """`text` on one line, with what a terminal would obey, and not show, as escapes."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def created(found: dict[str, Any]) -> None:
    print(found["diagnostics"], end="", file=sys.stderr)
    print(found["loop_id"])


def loops(found: dict[str, Any]) -> None:
    from rich.console import Console

    Console().print(table_of(found["loops"]))


def table_of(found: list[dict[str, Any]]) -> Table:
    """Loops as a table that fits into 80 columns."""
    from rich.box import SIMPLE
    from rich.markup import escape
    from rich.table import Column, Table

    loop = Column("Loop", no_wrap=True, min_width=_LOOP_ID_CHARACTERS)  # whole: it is what the other commands ask for
    texts = (Column("name", overflow="fold"), Column("state", overflow="fold", min_width=len("finished")), "waits for")
    numbers = (Column(name, overflow="fold") for name in ("pending", "wakes left", "load", "tokens", "USD"))
    table = Table(loop, *texts, *numbers, box=SIMPLE, padding=(0, 1, 0, 0))
    for each in found:
        state = each["state"] if each["reason"] is None else f"{each['state']}: {each['reason']}"
        counts = (each["pending_events"], each["wakes_left"], each["incarnation"], each["input_tokens"])
        table.add_row(
            each["loop_id"], escape(each["name"]), state, each["waits_for"] or "", *map(str, counts), each["cost_usd"]
        )
    return table


def status(found: dict[str, Any]) -> None:
    """Names and values, one pair to a line, however long."""
    width = max(map(len, found))
    for name, value in found.items():
        print(f"{name:<{width}}  {plain(value) if isinstance(value, str) else json.dumps(value)}")


def lines(found: dict[str, Any]) -> None:
    for each in found["lines"]:
        print(plain(each["line"]))


def entries(found: dict[str, Any]) -> None:
    for each in found["entries"]:
        at = time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(each["at_ms"] / 1000))
        print(at, each["principal"], each["action"], each["outcome"], plain(each["detail"]), sep="\t")


def events(found: dict[str, Any]) -> None:
    for each in found["events"]:
        print(plain(each["event_id"]), plain(each["topic"]), json.dumps(each["payload"]), sep="\t")


def messages(found: dict[str, Any]) -> None:
    for each in found["messages"]:
        print(plain(each["id"]), plain(each["content"]), sep="\t")


def files(found: dict[str, Any]) -> None:
    for each in found["files"]:
        print(each["path"], each["bytes"], " ".join(each["loops"]), sep="\t")
    most = f"{found['most_files']} and {found['most_bytes']} bytes are the most"
    print(f"{len(found['files'])} files, {found['bytes']} bytes; {most}", file=sys.stderr)


def changed(found: dict[str, Any]) -> None:
    print(f"{found['loop_id']}: {found['state']}")


def sent(found: dict[str, Any]) -> None:
    print(f"{plain(found['event_id'])}: {'a duplicate' if found['duplicate'] else 'accepted'}")
