"""A client of a session in this process: the two share an event loop, and two pipes lie between them.

The client reads whenever the loop lets it, unless it is told not to. Whatever a test waits for is a frame; a test that
waits in vain fails after half a minute.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Any

from runtime.node import Node
from runtime.server.builds import Builder
from runtime.server.calls import HostCalls
from runtime.server.session import Session

Json = dict[str, Any]
OBEYS = Path(__file__).parent / "guests" / "obeys.o"
TIMEOUT_SECONDS = 30
FOREVER_MS = 86_400_000


@cache
def elf_text() -> str:
    """The guest that does what its config says, as requests carry it."""
    return base64.b64encode(OBEYS.read_bytes()).decode()


class ErrorReply(Exception):
    """A request was answered with an error."""

    def __init__(self, error: Json) -> None:
        super().__init__(error)
        self.code: int = error["code"]
        self.kind: str = error["data"]["kind"]
        self.message: str = error["message"]


class Client:
    """See the module. `session` is the other side; `ended` becomes its complaint when it is over."""

    def __init__(self, make_node: Callable[[HostCalls], Node], builder: Builder | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        input_fd, self._write_fd = os.pipe()
        self._read_fd, output_fd = os.pipe()
        self._server_fds = input_fd, output_fd
        os.set_blocking(self._write_fd, False)
        os.set_blocking(self._read_fd, False)
        self.session = Session(input_fd, output_fd, make_node, builder)
        self.ended = asyncio.ensure_future(self.session.run())
        self._serial = 0
        self._rest = b""
        self._changed = asyncio.Event()
        self.frames: list[Json] = []  # that came in and that nobody has taken
        self.reading = False
        self.read()

    def read(self) -> None:
        """Go on reading."""
        self._loop.add_reader(self._read_fd, self._received)
        self.reading = True

    def stop_reading(self) -> None:
        """Let the pipe fill."""
        self._loop.remove_reader(self._read_fd)
        self.reading = False

    def _received(self) -> None:
        data = os.read(self._read_fd, 1 << 16)
        if not data:
            self.stop_reading()
        *lines, self._rest = (self._rest + data).split(b"\n")
        self.frames += map(json.loads, lines)
        self._changed.set()

    async def write(self, data: bytes) -> None:
        """Send these bytes, or as many as the session takes before it ends."""
        while data and not self.ended.done():
            try:
                data = data[os.write(self._write_fd, data) :]
            except BlockingIOError:
                await asyncio.sleep(0)

    async def send(self, *frames: object) -> None:
        """Send these frames, in one write if they fit the pipe."""
        await self.write(b"".join(json.dumps(frame).encode() + b"\n" for frame in frames))

    def end_input(self) -> None:
        """Close the session's input."""
        os.close(self._write_fd)
        self._write_fd = -1

    def end_output(self) -> None:
        """Close the session's output: it breaks."""
        self.stop_reading()
        os.close(self._read_fd)
        self._read_fd = -1

    async def take(self, wanted: Callable[[Json], bool]) -> Json:
        """The first frame that is wanted, when it is there."""
        while True:
            for frame in self.frames:
                if wanted(frame):
                    self.frames.remove(frame)
                    return frame
            self._changed.clear()
            await self._changed.wait()

    async def reply(self, request_id: str | None) -> Json:
        """The reply to a request."""
        return await self.take(lambda frame: "method" not in frame and frame["id"] == request_id)

    async def call(self, method: str, **params: object) -> Json:
        """The result of a request. Raises ErrorReply."""
        self._serial += 1
        request_id = f"request {self._serial}"
        await self.send(request(request_id, method, **params))
        return result(await self.reply(request_id))

    async def initialize(self) -> Json:
        return await self.call("sf.initialize", protocol_version=1)

    async def load(self, do: str, **config: object) -> str:
        """The id of a new object that does what `do` says, and may ask."""
        status = await self.call(
            "sf.object.load", elf=elf_text(), config={"do": do, **config}, capabilities=[{"name": "ask"}]
        )
        return str(status["object_id"])

    async def start(self, do: str, **config: object) -> str:
        """The id of a new object that has been started."""
        object_id = await self.load(do, **config)
        await self.call("sf.object.start", object_id=object_id)
        return object_id

    async def waiting(self, object_id: str, wait: str) -> None:
        """`object_id` waits for `wait`."""
        while (status := await self.call("sf.object.get", object_id=object_id))["wait"] != wait:
            assert status["state"] in ("starting", "running"), status

    async def outcome(self, object_id: str) -> Json:
        """What became of an object that ends by itself."""
        frame = await self.take(
            lambda frame: frame.get("method") == "sf.object.state" and frame["params"]["object_id"] == object_id
        )
        outcome: Json = frame["params"]["outcome"]
        return outcome

    async def host_call(self) -> Json:
        return await self.take(lambda frame: frame.get("method") == "host.call")

    async def notification(self, method: str) -> Json:
        params: Json = (await self.take(lambda frame: frame.get("method") == method))["params"]
        return params

    async def host_stats(self) -> Json:
        host: Json = (await self.call("sf.stats"))["host"]
        return host

    async def close(self) -> None:
        """End the session if it has not ended, and give the pipes back."""
        self.session.end()
        await self.ended
        if self.reading:
            self.stop_reading()
        for fd in (self._write_fd, self._read_fd, *self._server_fds):
            if fd >= 0:
                os.close(fd)


def request(request_id: object, method: object, **params: object) -> Json:
    """A request, whatever it is."""
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def result(reply: Json) -> Json:
    """The result in a reply. Raises ErrorReply."""
    if "error" in reply:
        raise ErrorReply(reply["error"])
    found: Json = reply["result"]
    return found


Scenario = Callable[[Client], Awaitable[None]]


def serving(
    scenario: Scenario,
    make_node: Callable[[HostCalls], Node] = Node,
    initialize: bool = True,
    builder: Builder | None = None,
) -> None:
    """Run `scenario` with a client of a new session."""

    async def play() -> None:
        client = Client(make_node, builder)
        try:
            if initialize:
                await client.initialize()
            await asyncio.wait_for(scenario(client), TIMEOUT_SECONDS)
        finally:
            await client.close()

    asyncio.run(play())
