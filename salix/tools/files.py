"""loop.files: what an agent has in its files, of which there is only so much room."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from salix.service import Refusal, Refused, Service
from salix.store import audit, loops
from salix.store.audit import Entry
from salix.tools.caller import Arguments, Caller


class Files(Arguments):
    """What to do with them."""

    action: Literal["list", "delete"] = "list"
    path: str | None = Field(None, description="the file to delete")


async def files(service: Service, caller: Caller, arguments: Files) -> dict[str, Any]:
    """List the files in which loop.build put objects for you, or delete one that no Loop of yours needs:
    {files: [{path, bytes, modified_ms, loops}], bytes, most_files, most_bytes}."""
    async with service.store.read() as tx:
        running = await loops.of_agent(tx, caller.agent_id)
    if arguments.action == "delete":
        if arguments.path is None:
            raise Refused(Refusal.INVALID, "path: which file is to be deleted?")
        needed = [loop.id for loop in running if loop.path == arguments.path]
        if needed:
            raise Refused(Refusal.CONFLICT, f"{arguments.path} is the program of {needed[0]}: delete the Loop first")
        service.files.delete(caller.agent_id, arguments.path)
        async with service.store.write() as tx:
            now_ms = service.clock.now_ms()
            await audit.add(tx, Entry(caller.principal, "loop.files", None, "deleted", arguments.path, now_ms))
    found, limits = service.files.all(caller.agent_id), service.settings.limits
    return {
        "files": [
            {
                "path": path,
                "bytes": size,
                "modified_ms": modified_ms,
                "loops": [loop.id for loop in running if loop.path == path],
            }
            for path, size, modified_ms in found
        ],
        "bytes": sum(each.size for each in found),
        "most_files": limits.files_of_agent,
        "most_bytes": limits.bytes_of_agent,
    }
