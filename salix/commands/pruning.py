"""`prune`: forget what is old and no promise needs. Works on the database itself, with a server on it or without."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_DAY_MS = 24 * 60 * 60 * 1000
PRINCIPAL = "operator"


def add_prune(commands: Commands) -> None:
    """Add `prune` to the commands of a command line."""
    command = commands.add_parser("prune", help="forget old rows of deleted Loops, old faults, old audit entries")
    command.add_argument("--older-than", type=days, required=True, metavar="DAYS", help="at least 1")
    command.add_argument("--data", type=Path, default=Path("salix-data"), metavar="FOLDER", help="as `serve` has it")
    command.add_argument("--database", metavar="URL", help="as `serve` has it")
    command.set_defaults(command=prune_command)


def days(text: str) -> int:
    """A day is the least: faults count for an hour, bodies without an id for a day."""
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 36_500):
        raise argparse.ArgumentTypeError("a whole number of days, at least 1")
    return int(text)


def prune_command(options: argparse.Namespace) -> int:
    """0 if it was done, 2 if there is no such database."""
    from salix.store import StoreUnavailable
    from salix.store.migrations import NewerSchema

    file = options.data.absolute() / "salix.db"
    if options.database is None and not file.is_file():
        print(f"there is no {file}", file=sys.stderr)
        return 2
    try:
        dropped = asyncio.run(_prune(options.database or f"sqlite:///{file}", options.older_than))
    except (StoreUnavailable, NewerSchema, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print(", ".join(f"{table}: {count}" for table, count in dropped.items()))
    return 0


async def _prune(database: str, older_than_days: int) -> dict[str, int]:
    from salix.store import Store, audit
    from salix.store.retention import prune

    now_ms = time.time_ns() // 1_000_000
    async with await Store.open(database) as store:
        dropped = await prune(store, now_ms - older_than_days * _DAY_MS)
        entry = audit.Entry(PRINCIPAL, "prune", None, f"older than {older_than_days} days", json.dumps(dropped), now_ms)
        async with store.write() as tx:
            await audit.add(tx, entry)
    return dropped
