"""`prune`: forget what is old and no promise needs. Works on the database itself, with a server on it or without."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

PRINCIPAL = "operator"


def add_prune(commands: Commands) -> None:
    """Add `prune` to the commands of a command line."""
    command = commands.add_parser("prune", help="forget what is old and no promise needs")
    command.add_argument("--older-than", type=days, required=True, metavar="DAYS", help="at least 1")
    command.add_argument("--data", type=Path, default=Path("salix-data"), metavar="FOLDER", help="as `serve` has it")
    command.add_argument("--database", metavar="URL", help="as `serve` has it")
    command.add_argument("--json", action="store_true", help="print it as JSON, for programs")
    command.set_defaults(command=prune_command)


def days(text: str, at_least: int = 1) -> int:
    """A day is the least: faults count for an hour, bodies without an id for a day."""
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) >= at_least):
        raise argparse.ArgumentTypeError(f"a whole number of days, at least {at_least}")
    return int(text)


def days_or_none(text: str) -> int:
    """The same, or 0."""
    return days(text, at_least=0)


def prune_command(options: argparse.Namespace) -> int:
    """0 if it was done, 2 if there is no such database."""
    from rich.console import Console

    from salix.store import StoreUnavailable
    from salix.store.migrations import NewerSchema

    file = options.data.absolute() / "salix.db"
    if options.database is None and not file.is_file():
        print(f"there is no {file}", file=sys.stderr)
        return 2
    try:
        with Console(stderr=True).status("pruning") as progress:
            dropped = asyncio.run(
                _prune(
                    options.database or f"sqlite:///{file}", options.data, options.older_than,
                    lambda table, count: progress.update(f"pruning {table}: {count}"),
                )
            )  # fmt: skip
    except (StoreUnavailable, NewerSchema, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(dropped))
    else:
        print(", ".join(f"{table}: {count}" for table, count in dropped.items()))
    return 0


async def _prune(
    database: str, folder: Path, older_than_days: int, said: Callable[[str, int], None]
) -> dict[str, int]:
    from salix.service import Limits
    from salix.service.files import AgentFiles
    from salix.service.retention import prune
    from salix.store import Store

    async with await Store.open(database) as store:
        files = AgentFiles(folder / "files", Limits())
        return await prune(store, files, older_than_days, time.time_ns() // 1_000_000, PRINCIPAL, said)
