"""The commands of the server, for `python -m runtime`: what their options mean for the node and the session."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from runtime.node import Embedder, Node, Parking
from runtime.node.running import SLICE_MS, THROTTLE_AFTER_MS
from runtime.program import INTERPRETER, JIT
from runtime.server.serve import serve

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_PARK_AFTER_SECONDS = Parking().idle_seconds
_NEVER = "never"


def add_serve(commands: Commands) -> None:
    """Add `serve` to the commands of a command line."""
    parser = commands.add_parser(
        "serve", help="hold objects for a client", description="Serve a client on stdin and stdout."
    )
    parser.set_defaults(command=serve_command)
    parser.add_argument("--engine", choices=(JIT, INTERPRETER), help="default: jit where there is one")
    parser.add_argument(
        "--slice-ms",
        type=_positive,
        default=SLICE_MS,
        metavar="N",
        help="how long a guest may run while others wait (default: %(default)g)",
    )
    parser.add_argument(
        "--throttle-after-ms",
        type=_positive,
        default=THROTTLE_AFTER_MS,
        metavar="N",
        help="a guest that has run so long without a wait pauses (default: %(default)g)",
    )
    parser.add_argument(
        "--park-after",
        type=_idle_seconds,
        default=_PARK_AFTER_SECONDS,
        metavar="SECONDS",
        help="keep guests that have waited so long as bytes; `never`: only for want of room (default: %(default)g)",
    )
    parser.add_argument(
        "--resident",
        type=int,
        metavar="N",
        help="how many waiting guests keep their memory (default: as many as the kernel has mappings for)",
    )


def _positive(text: str) -> float:
    try:
        number = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from error
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not positive")
    return number


def _idle_seconds(text: str) -> float | None:
    return None if text == _NEVER else _positive(text)


def serve_command(options: argparse.Namespace) -> int:
    """`serve`: status 1 if the client broke a bound of the transport."""
    parking = Parking(options.park_after, options.resident)

    def make_node(embedder: Embedder) -> Node:
        return Node(
            embedder,
            engine=options.engine,
            slice_ms=options.slice_ms,
            throttle_after_ms=options.throttle_after_ms,
            parking=parking,
        )

    return serve(make_node)
