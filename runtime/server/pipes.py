"""Bytes from and to file descriptors, by the event loop: `Input` reads, `Output` writes what an outbox holds.

os.read and os.write on descriptors that do not block, not asyncio's streams: a read is followed by the answers to all
of its frames and one write. Pipes, sockets and terminals are waited for; regular files and /dev/null, which epoll
refuses, are always ready. Neither object closes its descriptor; `close` makes it block again if it did before.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Final

from runtime.server.outbox import Outbox

READ_BYTES: Final = 64 * 1024  # what a pipe holds
WRITE_BYTES: Final = 64 * 1024


class Input:
    """Calls `received(data)` with what arrives, and `received(b"")` once, at the end of the stream or an error."""

    def __init__(self, loop: asyncio.AbstractEventLoop, fd: int, received: Callable[[bytes], None]) -> None:
        self._loop, self._fd, self._received = loop, fd, received
        self._blocking = os.get_blocking(fd)
        os.set_blocking(fd, False)
        self._open = True
        try:
            loop.add_reader(fd, self._read)
            self._waited_for = True
        except PermissionError:  # epoll does not take it: always ready
            self._waited_for = False
            loop.call_soon(self._read)

    def _read(self) -> None:
        if not self._open:
            return
        try:
            data = os.read(self._fd, READ_BYTES)
        except BlockingIOError:
            return
        except OSError:  # a socket that was reset: nothing more will come
            data = b""
        if not data:
            self.close()
        elif not self._waited_for:
            self._loop.call_soon(self._read)
        self._received(data)

    def close(self) -> None:
        """Read no more. May be called twice."""
        if self._open:
            self._open = False
            if self._waited_for:
                self._loop.remove_reader(self._fd)
            os.set_blocking(self._fd, self._blocking)


class Output:
    """Writes the frames of `outbox`. Calls `has_room()` when frames have left it, and `broken()` if writing fails.

    What is being written is at most WRITE_BYTES and a frame; all else stays in the outbox, where it can be withdrawn.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        fd: int,
        outbox: Outbox,
        has_room: Callable[[], None],
        broken: Callable[[], None],
    ) -> None:
        self._loop, self._fd, self._outbox = loop, fd, outbox
        self._has_room, self._broken = has_room, broken
        self._blocking = os.get_blocking(fd)
        os.set_blocking(fd, False)
        self._rest: bytes | memoryview = b""
        self._waiting = self._scheduled = False
        self._open = True
        self._drained: asyncio.Future[None] | None = None

    def flush_soon(self) -> None:
        """Write when the callbacks that are due have run: one write for all of their frames."""
        if not self._scheduled and not self._waiting:
            self._scheduled = True
            self._loop.call_soon(self.flush)

    def flush(self) -> None:
        """Write what can be written without waiting; the loop writes the rest."""
        self._scheduled = False
        if self._waiting or not self._open:
            return
        self._write()

    def _writable(self) -> None:
        self._loop.remove_writer(self._fd)
        self._waiting = False
        self._write()

    def _write(self) -> None:
        while self._rest or self._take():
            try:
                written = os.write(self._fd, self._rest)
            except BlockingIOError:
                self._waiting = True
                self._loop.add_writer(self._fd, self._writable)
                return
            except OSError:  # nobody reads it any more
                self.close()
                self._broken()
                return
            self._rest = memoryview(self._rest)[written:]
        if self._drained is not None and not self._drained.done():
            self._drained.set_result(None)

    def _take(self) -> bool:
        frames: list[bytes] = []
        size = 0
        while size < WRITE_BYTES:
            frame = self._outbox.next()
            if frame is None:
                break
            frames.append(frame)
            size += len(frame)
        if not frames:
            return False
        self._rest = b"".join(frames)
        self._has_room()
        return True

    async def drain(self) -> None:
        """All is written, or nothing can be."""
        self.flush()
        if self._open and self._waiting:
            self._drained = self._loop.create_future()
            await self._drained

    def close(self) -> None:
        """Write no more. May be called twice."""
        if self._open:
            self._open = False
            if self._waiting:
                self._loop.remove_writer(self._fd)
                self._waiting = False
            if self._drained is not None and not self._drained.done():
                self._drained.set_result(None)
            os.set_blocking(self._fd, self._blocking)
