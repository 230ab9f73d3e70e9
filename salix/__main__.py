"""The command line: `python -m salix build | serve | create | list | logs | events | send | ... | demo`.

Renders what the library and the server return, and decides nothing else. Exit status: 0 done, 1 refused or sources at
fault, 2 it could not be tried; then the reason is on stderr. All but `build` need the extra `salix` of the package.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from salix.commands.building import add_build
from salix.commands.client import add_client_commands
from salix.commands.demo import add_demo
from salix.commands.pruning import add_prune
from salix.commands.serving import add_serve


def command_line() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = argparse.ArgumentParser(prog="python -m salix", description="Loops: C programs on the runtime.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in (add_build, add_serve, add_client_commands, add_prune, add_demo):
        add(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    options = command_line().parse_args(arguments)
    try:
        status: int = options.command(options)
    except ModuleNotFoundError as error:
        package = (error.name or "salix").partition(".")[0]
        if package in ("salix", "runtime"):
            raise
        print(f"{package} is missing: pip install 'salix-jit[salix]'", file=sys.stderr)
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main())
