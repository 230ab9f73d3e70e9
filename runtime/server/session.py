"""One client's session: which frames are requests and which are answers, what is outstanding, and when it all ends.

A request is outstanding from when it is accepted until its reply has found room in the outbox, whatever becomes of it.
So long its id is taken, and one of 48 slots, or one of 16 for builds. Most requests are answered before the next frame
is looked at. If the client does not read, replies wait in their slots; once there are neither slots nor room to say so,
the session ends.

The session ends with `sf.shutdown`, the end of the input, a broken output, or `end`, which signals call; then objects
are stopped, and what is queued is written for at most two seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import traceback
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, Final

from runtime.node import Node, NodeError
from runtime.server.builds import Builder
from runtime.server.calls import HostCalls
from runtime.server.errors import CODES, RequestRefused, SessionEnded, shortened
from runtime.server.frames import MAX_FRAME_BYTES, FrameSplitter, NoJson, decode, encode
from runtime.server.methods import BUILD, SHUTDOWN, Methods
from runtime.server.outbox import Outbox
from runtime.server.pipes import Input, Output

REQUEST_SLOTS: Final = 48
BUILD_SLOTS: Final = 16
MAX_ID_BYTES: Final = 128
DRAIN_SECONDS: Final = 2.0


class _Slots:
    """How many requests of a sort may be outstanding, and how many more now."""

    def __init__(self, what: str, count: int) -> None:
        self.what, self.count, self.free = what, count, count


class Session:
    """See the module. `make_node(embedder)` makes the node that is served, which the session closes."""

    def __init__(
        self,
        input_fd: int,
        output_fd: int,
        make_node: Callable[[HostCalls], Node],
        builder: Builder | None = None,
    ) -> None:
        loop = self._loop = asyncio.get_running_loop()
        self._outbox = Outbox()
        self._output = Output(loop, output_fd, self._outbox, self._has_room, self.end)
        self._calls = HostCalls(self._outbox, self._send, self._output.flush_soon)
        self.node = make_node(self._calls)
        self._methods = Methods(self.node, self._outbox, self._calls, builder)
        self._splitter = FrameSplitter()
        self._outstanding: dict[str, _Slots] = {}  # by request id
        self._request_slots, self._build_slots = _Slots("requests", REQUEST_SLOTS), _Slots("builds", BUILD_SLOTS)
        self._unsent: deque[tuple[str, bytes]] = deque()  # replies that found no room, by request id
        self._tasks: set[asyncio.Task[None]] = set()
        self._ended: asyncio.Future[str | None] = loop.create_future()
        self._input = Input(loop, input_fd, self._received)

    def end(self, complaint: str | None = None) -> None:
        """End the session soon; `complaint` says what the client did wrong, if that is why."""
        if not self._ended.done():
            self._ended.set_result(complaint)

    async def run(self) -> str | None:
        """Serve until the end; the complaint, if the client is to blame for it."""
        try:
            return await self._ended
        finally:
            self._input.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await self.node.close()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._output.drain(), DRAIN_SECONDS)
            self._output.close()

    # ---------------------------------------------------------------- frames in

    def _received(self, data: bytes) -> None:
        try:
            if not data:
                self._splitter.end()
                self.end()
            for frame in self._splitter.feed(data):
                self._frame(frame)
                if self._ended.done():
                    break
        except SessionEnded as ended:
            self.end(str(ended))
        self._output.flush()

    def _frame(self, frame: bytes) -> None:
        try:
            message = decode(frame)
        except NoJson as error:
            return self._refuse("null", error.kind, str(error))
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return self._refuse("null", "INVALID_REQUEST", "a frame must be a JSON-RPC 2.0 object")
        if "method" not in message and "id" in message and ("result" in message or "error" in message):
            return self._answered(message)
        method = message.get("method")
        if not isinstance(method, str):
            return self._refuse("null", "INVALID_REQUEST", "method must be a string")
        if "id" not in message:
            return None  # nobody could be told what became of it, so nothing is done
        request_id = message["id"]
        if not isinstance(request_id, str) or len(request_id.encode()) > MAX_ID_BYTES:
            return self._refuse("null", "INVALID_REQUEST", f"an id must be a string of at most {MAX_ID_BYTES} bytes")
        return self._request(request_id, method, message.get("params", {}))

    def _answered(self, message: dict[str, Any]) -> None:
        call_id = message["id"]
        if not isinstance(call_id, str):
            call_id = ""  # nobody's: counted, and ignored
        if "error" in message:
            self.node.answer_error(call_id)
        else:
            self.node.answer(call_id, message["result"])

    # ---------------------------------------------------------------- requests

    def _request(self, request_id: str, method: str, params: object) -> None:
        quoted = encode(request_id).decode()
        if request_id in self._outstanding:
            return self._refuse(quoted, "DUPLICATE_ID", "a request with this id is outstanding")
        slots = self._build_slots if method == BUILD else self._request_slots
        if not slots.free:
            return self._refuse(quoted, "BUSY", f"{slots.count} {slots.what} are outstanding")
        self._outstanding[request_id] = slots
        slots.free -= 1
        try:
            answer = self._methods.call(method, params)
        except Exception as error:
            return self._reply(request_id, self._failed(quoted, error))
        if isinstance(answer, bytes):
            self._reply(request_id, result_frame(quoted, answer))
            if method == SHUTDOWN:
                self.end()
        else:
            task = self._loop.create_task(self._finish(request_id, quoted, answer))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return None

    async def _finish(self, request_id: str, quoted: str, answer: Coroutine[Any, Any, bytes]) -> None:
        try:
            frame = result_frame(quoted, await answer)
        except Exception as error:
            frame = self._failed(quoted, error)
        self._reply(request_id, frame)

    def _failed(self, quoted: str, error: Exception) -> bytes:
        """The reply for a request that could not be done."""
        if isinstance(error, RequestRefused):
            return _error_frame(quoted, error.kind, error.message)
        if isinstance(error, NodeError):
            return _error_frame(quoted, error.kind.value, str(error))
        traceback.print_exception(error, file=sys.stderr)  # a defect of ours: other requests are served all the same
        return _error_frame(quoted, "INTERNAL_ERROR", type(error).__name__)

    # ---------------------------------------------------------------- frames out

    def _send(self, frame: bytes) -> bool:
        """Queue a control frame, making room by writing if need be; False if there is none."""
        if self._outbox.add_control(frame):
            self._output.flush_soon()
            return True
        self._output.flush()
        return self._outbox.add_control(frame)

    def _reply(self, request_id: str, frame: bytes) -> None:
        if self._send(frame):  # not while older ones wait: they are the first to get room
            self._settled(request_id)
        else:
            self._unsent.append((request_id, frame))

    def _settled(self, request_id: str) -> None:
        self._outstanding.pop(request_id).free += 1

    def _refuse(self, quoted: str, kind: str, message: str) -> None:
        """Reply with an error, for which there is no slot. Raises SessionEnded if there is no room for it."""
        if not self._send(_error_frame(quoted, kind, message)):
            raise SessionEnded("requests come in, but replies are not read")

    def _has_room(self) -> None:
        while self._unsent and self._outbox.add_control(self._unsent[0][1]):
            self._settled(self._unsent.popleft()[0])
        self._calls.room()


def result_frame(quoted: str, result: bytes) -> bytes:
    """The reply with `result`, to the request whose id as JSON is `quoted`; an error, if it would be too large."""
    frame = b'{"jsonrpc":"2.0","id":%s,"result":%s}\n' % (quoted.encode(), result)
    if len(frame) > MAX_FRAME_BYTES:
        return _error_frame(quoted, "RESPONSE_TOO_LARGE", f"the result does not fit a frame of {MAX_FRAME_BYTES} bytes")
    return frame


def _error_frame(quoted: str, kind: str, message: str) -> bytes:
    error = encode({"code": CODES[kind], "message": shortened(message), "data": {"kind": kind}})
    return b'{"jsonrpc":"2.0","id":%s,"error":%s}\n' % (quoted.encode(), error)
