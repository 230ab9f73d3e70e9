"""A local socket on which a served node can be watched: counters for Prometheus, objects for `python -m runtime top`.

    GET /metrics HTTP/1.x     the node's counters and gauges, as text; the connection is closed
    {"objects": N}            one line of JSON: `stats`, `metrics`, and the N objects that ran most since the last line

Nothing can be changed through it. Only the user who started the server may connect, as the socket's mode is 0600.
"""

from __future__ import annotations

import asyncio
import heapq
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from runtime.node import Node
from runtime.server.calls import status_json
from runtime.server.frames import NoJson, decode, encode

MAX_LINE_BYTES: Final = 4096
MAX_OBJECTS: Final = 1000
_MODE: Final = 0o600


class Observer:
    """Serves `node` on a socket. `close` ends all of its connections."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._path: Path | None = None
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def watchers(self) -> int:
        """How many connections there are."""
        return len(self._connections)

    async def open(self, path: Path) -> None:
        """Listen at `path`; a socket that lies there is taken away. Raises OSError."""
        before = os.umask(0o777 ^ _MODE)  # from the first moment on
        try:
            self._server = await asyncio.start_unix_server(self._connected, path, limit=MAX_LINE_BYTES)
        finally:
            os.umask(before)
        self._path = path

    async def close(self) -> None:
        """Listen no more. Does nothing if it was not opened."""
        if self._server is not None and self._path is not None:
            self._server.close()
            self._path.unlink(missing_ok=True)
            for task in self._connections:
                task.cancel()
            await asyncio.gather(*self._connections, return_exceptions=True)
            self._server = None

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            await self._converse(reader, writer)
        except (ConnectionError, ValueError):  # it has gone, or sends a line that is too long
            pass
        finally:
            self._connections.discard(task)
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        usages: Mapping[str, float] = {}
        while line := await reader.readline():
            if line.startswith(b"GET "):
                while (await reader.readline()).strip():  # its headers
                    pass
                writer.write(self._http(line))
                await writer.drain()
                return
            count = _count(line)
            if count is None:
                return
            now = self._node.usages()
            writer.write(self._objects(count, now, usages))
            await writer.drain()
            usages = now

    def _http(self, line: bytes) -> bytes:
        found = line.split()[1:2] == [b"/metrics"]
        body = self._node.metrics().encode() if found else b"there is /metrics\n"
        head = b"HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n" % (
            b"200 OK" if found else b"404 Not Found"
        )
        return head + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body

    def _objects(self, count: int, now: Mapping[str, float], before: Mapping[str, float]) -> bytes:
        """The reply: objects that ran most come first, those that did not in the order of their loads."""
        node = self._node
        ran = {object_id: seconds - before.get(object_id, 0.0) for object_id, seconds in now.items()}
        shown = [
            b'{"status":%s,"seconds":%.6f,"since":%.6f}' % (status_json(node.get(each)), now[each], ran[each])
            for each in heapq.nlargest(count, ran, key=ran.__getitem__)
        ]
        return b'{"stats":%s,"metrics":%s,"objects":[%s]}\n' % (
            encode(node.stats()),
            encode(node.metrics()),
            b",".join(shown),
        )


def _count(line: bytes) -> int | None:
    """How many objects a line asks for; None if it is no such line."""
    try:
        asked = decode(line)
    except NoJson:
        return None
    count = asked.get("objects") if isinstance(asked, dict) else None
    return min(count, MAX_OBJECTS) if type(count) is int and count >= 0 else None
