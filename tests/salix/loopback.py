"""An HTTP server on loopback that answers what a test wants it to, and notes what it was asked."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from types import TracebackType
from typing import NamedTuple


class Answer(NamedTuple):
    """What is answered to a path."""

    status: int
    body: bytes
    headers: Mapping[str, str] = {}


class Asked(NamedTuple):
    """One request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Loopback:
    """HTTP/1.1: as little as is needed to be a real server.

    tls: serves HTTPS with it. keep_alive: takes more than one request of a connection, if there come any.
    """

    def __init__(self, tls: ssl.SSLContext | None = None, *, keep_alive: bool = False) -> None:
        self.answers: Mapping[str, Answer] = {}
        self.requests: list[Asked] = []
        self.connections = 0
        self._tls, self._keep_alive = tls, keep_alive

    async def __aenter__(self) -> Loopback:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]
        self.url = f"http{'' if self._tls is None else 's'}://127.0.0.1:{self.port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            await self._answer(reader, writer)
            while self._keep_alive:
                await self._answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # whoever asked has seen enough
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, *rest = (await reader.readuntil(b"\r\n\r\n")).decode().rstrip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        method, path, _ = first.split(" ")
        self.requests.append(Asked(method, path, headers, body))
        answer = self.answers.get(path, Answer(404, b""))
        lines = [f"HTTP/1.1 {answer.status} x", f"content-length: {len(answer.body)}"]
        lines += [] if self._keep_alive else ["connection: close"]
        lines += [f"{name}: {value}" for name, value in answer.headers.items()]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + answer.body)
        await writer.drain()
