"""`serve`: the service and its HTTP server."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from salix.commands.pruning import days_or_none

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add_serve(commands: Commands) -> None:
    """Add `serve` to the commands of a command line."""
    command = commands.add_parser("serve", help="hold Loops, take events and serve tools over HTTP")
    command.add_argument("--data", type=Path, default=Path("salix-data"), metavar="FOLDER", help="all that it keeps")
    command.add_argument("--host", default="127.0.0.1", help="where to listen (default: this machine only)")
    command.add_argument("--port", type=int, default=8420, help="0: any that is free")
    command.add_argument("--database", metavar="URL", help="postgresql://...; by default SQLite in the data folder")
    command.add_argument("--public-url", metavar="URL", help="how the world reaches this server, for webhook URLs")
    command.add_argument("--decide-url", metavar="URL", help="a model for `decide`; its key is in SALIX_DECIDE_KEY")
    command.add_argument("--decide-model", metavar="NAME", help="which model to ask for")
    command.add_argument("--decide-price", type=Decimal, metavar="USD", help="of a million input tokens")
    command.add_argument(
        "--keep-days", type=days_or_none, metavar="DAYS", help="prune what is older and not needed (0: keep all)"
    )
    command.add_argument("--ca-file", type=Path, metavar="FILE", help="certificates to trust besides the usual ones")
    command.add_argument("--allow-private", action="store_true", help="let Loops fetch from private addresses, too")
    command.set_defaults(command=serve_command)


def serve_command(options: argparse.Namespace) -> int:
    """0 when it was told to stop, 2 if it cannot serve."""
    from dataclasses import replace

    from salix.http.serving import CannotListen, Client, serve
    from salix.service import Settings
    from salix.service.outside import TrustUnreadable
    from salix.service.settings import DecisionSettings, WebSettings
    from salix.store import StoreUnavailable
    from salix.store.migrations import NewerSchema

    decisions = DecisionSettings(url=options.decide_url, key=os.environ.get("SALIX_DECIDE_KEY", ""))
    if options.decide_model is not None:
        decisions = replace(decisions, model=options.decide_model)
    if options.decide_price is not None:
        decisions = replace(decisions, price=options.decide_price)
    folder = options.data.absolute()
    os.umask(0o077)  # what is in it is for its owner: contents of events, signing keys, the group's key
    settings = Settings(
        database=options.database or f"sqlite:///{folder / 'salix.db'}",
        files=folder / "files",
        public_url=options.public_url,
        decisions=decisions,
        web=WebSettings(allow_private=options.allow_private),
        ca_file=options.ca_file,
    )

    if options.keep_days is not None:
        settings = replace(settings, keep_days=options.keep_days)

    def announce(client: Client) -> None:
        decider = options.decide_url or "local rules, no model (--decide-url asks one)"
        print(f"{client.url}\n  data: {folder}\n  key: in {folder / 'client.json'}\n  decide: {decider}", flush=True)

    try:
        asyncio.run(serve(settings, folder, options.host, options.port, announce))
    except CannotListen as error:
        print(f"{error}; --port names another, 0 any that is free", file=sys.stderr)
        return 2
    except (TrustUnreadable, StoreUnavailable, NewerSchema, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0
