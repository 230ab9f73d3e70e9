"""The options that campaigns over numbered programs share: how many, of which seed, from which on, how many workers."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

SEED = 1
JOBS = 2


def command_line(name: str, about: str | None, what: str, count: int) -> argparse.ArgumentParser:
    """Options of `python -m tests.salix.NAME`, which draws `count` of `what` unless another number is asked for."""
    parser = argparse.ArgumentParser(prog=f"python -m tests.salix.{name}", description=about)
    parser.add_argument(f"--{what}", dest="count", metavar="N", type=int, default=count, help=f"how many ({count})")
    parser.add_argument("--seed", metavar="S", type=int, default=SEED, help=f"what they are drawn from ({SEED})")
    parser.add_argument("--first", metavar="I", type=int, default=0, help="begin with number I (0)")
    parser.add_argument("--jobs", metavar="N", type=int, default=JOBS, help=f"worker processes ({JOBS})")
    return parser


def parsed(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> argparse.Namespace:
    """What was asked; ends the process with a message if it cannot be."""
    asked = parser.parse_args(arguments)
    if asked.count < 1 or asked.jobs < 1 or asked.first < 0:
        parser.error("the number of programs and --jobs are positive, --first is not below zero")
    return asked
