"""What is to be written, in bounded queues: which frame is next, and what has no room.

    control   replies and what must not wait: at most 64 frames
    objects   host calls and logs: at most 4 MiB, 64 KiB for each object; objects take turns, a frame each

Control frames go first, but after eight of them in a row an object's frame has its turn. A frame that was taken counts
as sent: it may have reached the client. No I/O here.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import Final

CONTROL_FRAMES: Final = 64
CONTROL_BURST: Final = 8
DATA_BYTES: Final = 4 * 1024 * 1024
OBJECT_BYTES: Final = 64 * 1024


class _ObjectQueue:
    __slots__ = ("frames", "size")

    def __init__(self) -> None:
        self.frames: deque[tuple[bytes, str | None]] = deque()  # with the id of the call, if it is one
        self.size = 0


class Outbox:
    """See the module. `control_frames` and `data_bytes` are what is queued now."""

    def __init__(self) -> None:
        self._control: deque[bytes] = deque()
        self._objects: OrderedDict[str, _ObjectQueue] = OrderedDict()  # none is empty; the first has the next turn
        self._calls: dict[str, str] = {}  # queued host calls: call id to object id
        self._burst = 0
        self.data_bytes = 0

    @property
    def control_frames(self) -> int:
        return len(self._control)

    def __bool__(self) -> bool:
        return bool(self._control or self._objects)

    def add_control(self, frame: bytes) -> bool:
        """Queue a control frame; False if there is no room."""
        if len(self._control) >= CONTROL_FRAMES:
            return False
        self._control.append(frame)
        return True

    def add_data(self, object_id: str, frame: bytes, call_id: str | None = None) -> bool:
        """Queue a frame of an object, which may be a host call; False if there is no room."""
        queue = self._objects.get(object_id)
        size = len(frame)
        if (queue.size if queue else 0) + size > OBJECT_BYTES or self.data_bytes + size > DATA_BYTES:
            return False
        if queue is None:
            queue = self._objects[object_id] = _ObjectQueue()
        queue.frames.append((frame, call_id))
        queue.size += size
        self.data_bytes += size
        if call_id is not None:
            self._calls[call_id] = object_id
        return True

    def withdraw(self, call_id: str) -> bool:
        """Take back the frame of a host call; False if it is not queued (any more)."""
        object_id = self._calls.pop(call_id, None)
        if object_id is None:
            return False
        queue = self._objects[object_id]
        taken = next(entry for entry in queue.frames if entry[1] == call_id)
        queue.frames.remove(taken)
        self._shrink(object_id, queue, len(taken[0]))
        return True

    def next(self) -> bytes | None:
        """The frame to be written next, which leaves the queues; None if they are empty."""
        if self._control and (self._burst < CONTROL_BURST or not self._objects):
            self._burst += 1
            return self._control.popleft()
        if not self._objects:
            return None
        self._burst = 0
        object_id, queue = next(iter(self._objects.items()))
        frame, call_id = queue.frames.popleft()
        if call_id is not None:
            del self._calls[call_id]
        self._objects.move_to_end(object_id)
        self._shrink(object_id, queue, len(frame))
        return frame

    def _shrink(self, object_id: str, queue: _ObjectQueue, size: int) -> None:
        queue.size -= size
        self.data_bytes -= size
        if not queue.frames:
            del self._objects[object_id]
