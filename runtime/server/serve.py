"""`python -m runtime serve`: one session on stdin and stdout, from the first byte to the exit status.

Standard output belongs to the protocol: descriptor 1 is duplicated for it, and what else is written to descriptor 1
goes to stderr. SIGINT and SIGTERM end the session as the end of the input does. Exit status 0, or 1 if the client broke
a bound of the transport, with one line on stderr.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from runtime.node import Embedder, Node, tune_collector
from runtime.server.builds import installed_builder
from runtime.server.observe import Observer
from runtime.server.session import Session

STDIN, STDOUT, STDERR = 0, 1, 2


def serve(make_node: Callable[[Embedder], Node], socket: Path | None = None) -> int:
    """Serve one session; the exit status. The node can be watched at `socket`. Raises OSError if it cannot."""
    tune_collector()
    output_fd = os.dup(STDOUT)
    os.dup2(STDERR, STDOUT)
    try:
        complaint = asyncio.run(_session(STDIN, output_fd, make_node, socket))
    finally:
        os.close(output_fd)
    if complaint is None:
        return 0
    print(f"the session was ended: {complaint}", file=sys.stderr)
    return 1


async def _session(
    input_fd: int, output_fd: int, make_node: Callable[[Embedder], Node], socket: Path | None
) -> str | None:
    session = Session(input_fd, output_fd, make_node, installed_builder())
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, session.end)
    observer = Observer(session.node)
    try:
        if socket is not None:
            await observer.open(socket)
    except OSError:
        session.end()
        await session.run()
        raise
    try:
        return await session.run()
    finally:
        await observer.close()
