"""What each method does: parameters in, the result as JSON out. All of it is the node's work but for the translation.

Methods whose work is done when they return are answered at once; those of the node's coroutines return a coroutine.
"""

from __future__ import annotations

import importlib.metadata
import platform
import sys
from collections.abc import Callable, Coroutine
from typing import Any, Final

from runtime.node import Node, Page
from runtime.node.mailbox import MAX_ENTRIES, MAX_MAILBOX_BYTES
from runtime.node.node import DEFAULT_PAGE
from runtime.sdk.codes import MAX_HANDLES, MAX_VALUE_BYTES
from runtime.server import parameters
from runtime.server.builds import SDK_VERSION, Builder, built, check_sources
from runtime.server.calls import HostCalls, status_json
from runtime.server.errors import RequestRefused, invalid_params
from runtime.server.frames import MAX_FRAME_BYTES, encode
from runtime.server.outbox import Outbox

PROTOCOL_VERSION: Final = 1
SHUTDOWN: Final = "sf.shutdown"
BUILD: Final = "sf.build.compile"  # takes no request slot
_INITIALIZE: Final = "sf.initialize"
_ADMITTED: Final = b'{"accepted":true,"duplicate":false}'
_DUPLICATE: Final = b'{"accepted":true,"duplicate":true}'

Answer = bytes | Coroutine[Any, Any, bytes]


def revision() -> str:
    """The installed version of this package; "unknown" in a checkout that is not installed."""
    try:
        return importlib.metadata.version("salix-jit")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


class Methods:
    """See the module."""

    def __init__(self, node: Node, outbox: Outbox, calls: HostCalls, builder: Builder | None = None) -> None:
        self._node, self._outbox, self._calls, self._builder = node, outbox, calls, builder
        self._initialized = False
        self._table: dict[str, Callable[[object], Answer]] = {
            "sf.object.load": self._load,
            "sf.object.start": self._start,
            "sf.object.get": self._get,
            "sf.object.stop": self._stop,
            "sf.object.unload": self._unload,
            "sf.object.list": self._list,
            "sf.event.deliver": self._deliver,
            BUILD: self._build,
            "sf.stats": self._stats,
            "sf.metrics": self._metrics,
            SHUTDOWN: self._shutdown,
        }

    def call(self, method: str, params: object) -> Answer:
        """The result, or what will have it. Raises RequestRefused, NodeError."""
        if not self._initialized:
            if method != _INITIALIZE:
                raise RequestRefused("NOT_INITIALIZED", "call sf.initialize first")
            return self._initialize(params)
        function = self._table.get(method)
        if function is not None:
            return function(params)
        if method == _INITIALIZE:
            self._check_version(params)
            raise RequestRefused("BUSY", "already initialized")
        raise RequestRefused("METHOD_NOT_FOUND", f"there is no method {method[:64]!r}")

    # ---------------------------------------------------------------- the session

    def _check_version(self, params: object) -> None:
        given = parameters.members(params, ("protocol_version",))
        if parameters.integer(given, "protocol_version") != PROTOCOL_VERSION:
            raise invalid_params(f"protocol_version must be {PROTOCOL_VERSION}")

    def _initialize(self, params: object) -> bytes:
        self._check_version(params)
        self._initialized = True
        return encode(
            {
                "protocol_version": PROTOCOL_VERSION,
                "sdk_version": SDK_VERSION,
                "session_id": self._node.session_id,
                "target": f"{sys.platform}-{platform.machine()}",
                "runtime_revision": revision(),
                "compiler": {"available": True, "fingerprint": self._builder.toolchain}
                if self._builder is not None
                else {"available": False},
                "limits": {
                    "frame_bytes": MAX_FRAME_BYTES,
                    "value_bytes": MAX_VALUE_BYTES,
                    "mailbox_entries": MAX_ENTRIES,
                    "mailbox_bytes": MAX_MAILBOX_BYTES,
                    "handles": MAX_HANDLES,
                },
                "memory_target_bytes": 1_000_000,
                "memory_target_enforced": False,
            }
        )

    def _stats(self, params: object) -> bytes:
        parameters.members(params)
        stats, outbox = self._node.stats(), self._outbox
        return encode(
            {
                "objects": stats["objects"],
                "host": {
                    "pending_host_calls": stats["pending_host_calls"],
                    "ignored_host_responses": stats["ignored_host_responses"],
                },
                "output": {
                    "queued_control_frames": outbox.control_frames,
                    "queued_object_bytes": outbox.data_bytes,
                    "dropped_data_notifications": self._calls.dropped,
                },
                "uptime_ms": stats["uptime_ms"],
                "execution_threads": 1,
            }
        )

    def _metrics(self, params: object) -> bytes:
        parameters.members(params)
        return encode({"text": self._node.metrics()})

    def _shutdown(self, params: object) -> bytes:
        parameters.members(params)
        return b'{"shutdown":true}'

    # ---------------------------------------------------------------- objects

    def _load(self, params: object) -> bytes:
        given = parameters.members(params, ("elf",), ("config", "capabilities"))
        elf = parameters.binary(given, "elf")
        return status_json(self._node.load(elf, given.get("config"), parameters.capabilities(given)))

    def _start(self, params: object) -> bytes:
        return status_json(self._node.start(parameters.object_id(params)))

    def _get(self, params: object) -> bytes:
        return status_json(self._node.get(parameters.object_id(params)))

    def _stop(self, params: object) -> Answer:
        object_id = parameters.object_id(params)

        async def stop() -> bytes:
            return status_json(await self._node.stop(object_id))

        return stop()

    def _unload(self, params: object) -> Answer:
        object_id = parameters.object_id(params)

        async def unload() -> bytes:
            await self._node.unload(object_id)
            return b'{"unloaded":true}'

        return unload()

    def _list(self, params: object) -> bytes:
        given = parameters.members(params, (), ("after", "limit"))
        after = parameters.text(given, "after") if given.get("after") is not None else None
        limit = parameters.integer(given, "limit") if "limit" in given else DEFAULT_PAGE
        return page_json(self._node.list(after, limit))

    def _deliver(self, params: object) -> bytes:
        given = parameters.members(params, ("object_id", "event_id", "topic", "payload"))
        delivery = self._node.deliver(
            parameters.text(given, "object_id"),
            parameters.text(given, "event_id"),
            parameters.text(given, "topic"),
            given["payload"],
        )
        return _DUPLICATE if delivery.duplicate else _ADMITTED

    def _build(self, params: object) -> Answer:
        given = parameters.members(params, ("sdk_version", "entry", "files"))
        version = parameters.integer(given, "sdk_version")
        entry, files = parameters.text(given, "entry"), parameters.texts(given, "files")
        check_sources(version, entry, files)
        if self._builder is not None:
            return built(self._builder, entry, files)
        raise RequestRefused("SANDBOX_UNAVAILABLE", "this runtime has no compiler; load ELF objects")


def page_json(page: Page) -> bytes:
    """A page of objects, and where the next one begins."""
    return b'{"objects":[%s],"next":%s}' % (b",".join(map(status_json, page.objects)), encode(page.next))
