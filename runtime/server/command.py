"""The commands of the server, for `python -m runtime`: what their options mean for the node and the session."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from runtime.host import shared_host
from runtime.node import Embedder, Node, Parking
from runtime.node.running import SLICE_MS, THROTTLE_AFTER_MS
from runtime.perf_map import perf_map_path, write_perf_map
from runtime.program import INTERPRETER, JIT
from runtime.server.serve import serve
from runtime.server.top import top

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
    parser.add_argument("--socket", type=Path, metavar="PATH", help="let the node be watched here, with `top`")
    parser.add_argument("--perf-map", action="store_true", help="tell `perf` the names of native code, in /tmp")
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

    arena = shared_host().arena
    if options.perf_map and arena is not None:
        with write_perf_map(arena, perf_map_path(os.getpid())):
            return serve(make_node, options.socket)
    return serve(make_node, options.socket)


def add_top(commands: Commands) -> None:
    """Add `top` to the commands of a command line."""
    parser = commands.add_parser(
        "top", help="watch a served node", description="Show what objects do, again and again."
    )
    parser.set_defaults(command=top_command)
    parser.add_argument("socket", type=Path, metavar="PATH", help="what `serve --socket` was given")
    parser.add_argument("--objects", type=int, default=30, metavar="N", help="how many objects (default: %(default)s)")
    parser.add_argument(
        "--every", type=_positive, default=1.0, metavar="SECONDS", help="how often (default: %(default)g)"
    )
    parser.add_argument("--once", action="store_true", help="show it once, as it is")


def top_command(options: argparse.Namespace) -> int:
    """`top`: status 0."""
    return top(options.socket, options.objects, options.every, options.once)
