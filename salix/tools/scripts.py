"""script.run: a C program once, within one call, with the caller's own tools. It has no row, and wakes nobody."""

from __future__ import annotations

import asyncio
import sys
import traceback
from typing import Any

from pydantic import Field

from runtime.node import Capability, Exit, HostCall, Node, NodeError, Status
from runtime.sdk.values import Value
from salix.service import Refusal, Refused, Service
from salix.service.host import failure_text
from salix.service.programs import sha256_of
from salix.store import audit
from salix.store.audit import Entry
from salix.tools.building import compiled
from salix.tools.caller import Arguments, Caller

_CALL = Capability("salix.call")
_MOST_LINES = 200


class Script(Arguments):
    """A program, and what it starts with."""

    files: dict[str, str] = Field(description="C sources and headers by relative path")
    entry: str
    config: Any = Field(None, description="what sf_config() gives")
    timeout_ms: int = Field(30_000, ge=1, le=120_000)


class _Embedder:
    """What the script's node asks: calls of tools, which it may use as its caller may, but for another script."""

    def __init__(self, service: Service, caller: Caller) -> None:
        self._service, self._caller = service, caller
        self.node: Node | None = None
        self.lines: list[str] = []
        self.calls = 0
        self.end: asyncio.Future[Status] = asyncio.get_running_loop().create_future()
        self._tasks: set[asyncio.Task[None]] = set()

    def host_call(self, call: HostCall) -> None:
        task = asyncio.create_task(self._serve(call))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def host_denied(self, object_id: str, capability: str) -> None:
        """Of what a script does, its tools' calls are written down, by the tools."""

    def host_cancel(self, call_id: str) -> None:
        """The tool's call goes on; nobody hears of it."""

    def object_state(self, status: Status) -> None:
        if not self.end.done():
            self.end.set_result(status)

    def log(self, object_id: str, message: str) -> bool:
        if len(self.lines) >= _MOST_LINES:
            return False
        self.lines.append(message)
        return True

    async def _serve(self, call: HostCall) -> None:
        from salix.tools import registry  # which has this module's tool, too

        assert self.node is not None
        self.calls += 1
        asked: Value = call.arguments
        name = asked.get("tool") if isinstance(asked, dict) else None
        if not isinstance(name, str) or name not in registry.TOOLS or name == "script.run":
            self.node.answer_denied(call.id)
            return
        try:
            result = await registry.call(self._service, self._caller, name, asked.get("arguments", {}))
        except Refused as refused:
            self.log("", f"{name}: {refused}"[:1000])
            self.node.answer_error(call.id)
        except Exception:  # a defect of ours, or a database that is gone
            traceback.print_exc(file=sys.stderr)
            self.node.answer_error(call.id)
        else:
            self.node.answer(call.id, result)


async def run_script(service: Service, caller: Caller, arguments: Script) -> dict[str, Any]:
    """Compile and run a C program once. It calls your tools with salix.call {tool, arguments}. Returns
    {built, diagnostics} and, if it was built, {exit_code or error, lines, calls}."""
    result = await compiled(service, arguments.files, arguments.entry)
    if isinstance(result, str):
        return {"built": False, "diagnostics": result}
    embedder = _Embedder(service, caller)
    async with Node(embedder, engine=service.settings.engine) as node:
        embedder.node = node
        try:
            status = node.load(result.elf, arguments.config, [_CALL])
        except NodeError as error:
            raise Refused(Refusal.INVALID_PROGRAM, str(error)) from error
        try:
            node.start(status.object_id)
        except NodeError as error:  # no memory
            raise Refused(Refusal.UNAVAILABLE, str(error)) from error
        found: dict[str, Any] = {"built": True, "diagnostics": result.diagnostics}
        try:
            async with asyncio.timeout(arguments.timeout_ms / 1000):
                status = await asyncio.shield(embedder.end)
        except TimeoutError:
            found["error"] = f"it took longer than {arguments.timeout_ms} ms"
        else:
            if isinstance(status.outcome, Exit):
                found["exit_code"] = status.outcome.exit_code
            else:
                found["error"] = failure_text(status)
    async with service.store.write() as tx:
        outcome = "failed" if "error" in found else f"returned {found['exit_code']}"
        detail = f"{embedder.calls} calls, SHA-256 {sha256_of(result.elf)}"
        await audit.add(tx, Entry(caller.principal, "script.run", None, outcome, detail, service.clock.now_ms()))
    return {**found, "lines": embedder.lines, "calls": embedder.calls}
