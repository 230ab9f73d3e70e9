"""The command `sdk`, for `python -m runtime`: prints texts as they are, to be redirected to a file."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from runtime.sdk.texts import example, example_names, guide, header

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add_sdk(commands: Commands) -> None:
    """Add `sdk` to the commands of a command line."""
    parser = commands.add_parser(
        "sdk", help="print spinfoam.h, the guide, an example", description="Print what one needs to write a Loop."
    )
    parser.set_defaults(command=sdk_command)
    text = parser.add_mutually_exclusive_group()
    text.add_argument("--guide", action="store_true", help="the programming guide, instead of the header")
    text.add_argument("--example", choices=example_names(), help="a complete program, instead of the header")


def sdk_command(options: argparse.Namespace) -> int:
    """`sdk`."""
    if options.guide:
        text = guide()
    elif options.example is not None:
        text = example(options.example)
    else:
        text = header()
    print(text, end="")
    return 0
