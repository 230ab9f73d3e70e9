"""loop.sdk and loop.build: what an agent needs to write a Loop, and the object of what it wrote."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from runtime.node import NodeError
from runtime.sdk.texts import guide, header
from salix.compiler import Built, CompilerFault, SourcesRefused, compilation
from salix.service import Refusal, Refused, Service
from salix.service.capabilities import CAPABILITIES
from salix.service.programs import judge, objection, sha256_of
from salix.store import audit
from salix.store.audit import Entry
from salix.tools.caller import Arguments, Caller, NoArguments

__all__ = ["Build", "NoArguments", "build_loop", "sdk"]


class Build(Arguments):
    """Sources by path; the object goes to the agent's files."""

    files: dict[str, str] = Field(description="C sources and headers by relative path; spinfoam.h is supplied")
    entry: str = Field(description="which of the files is compiled; it may include the others")
    out: str | None = Field(None, description="where the object goes in your files; by default ENTRY.o")


async def sdk(service: Service, caller: Caller, arguments: NoArguments) -> dict[str, Any]:
    """The SDK's header and the guide to writing Loops in C, and what a Loop may ask of its host."""
    described = {name: " ".join((run.__doc__ or "").split()) for name, run in CAPABILITIES.items()}
    return {"header": header(), "guide": guide(), "capabilities": described}


async def compiled(service: Service, files: dict[str, str], entry: str) -> Built | str:
    """The object, which the node loads, or the messages that say why there is none. Raises Refused."""
    async with service.builds:
        try:
            result = await compilation(files, entry, engine=service.settings.engine).run_async()
        except (SourcesRefused, UnicodeEncodeError) as error:
            raise Refused(Refusal.INVALID, str(error)) from error
        except CompilerFault as error:
            raise Refused(Refusal.UNAVAILABLE, str(error)) from error
        if not isinstance(result, Built):
            return result.diagnostics
        try:
            await judge(service.node, result.elf)
        except NodeError as refused:
            return result.diagnostics + objection(refused)
        return result


async def build_loop(service: Service, caller: Caller, arguments: Build) -> dict[str, Any]:
    """Compile C to an eBPF object in your files. Returns {built, path, sha256, bytes, diagnostics}; if `built` is
    false, the diagnostics say why, with file and line."""
    result = await compiled(service, arguments.files, arguments.entry)
    if isinstance(result, str):
        return {"built": False, "diagnostics": result}
    sha256 = sha256_of(result.elf)
    path = arguments.out or arguments.entry.removesuffix(".c") + ".o"
    service.files.write(caller.agent_id, path, result.elf)
    async with service.store.write() as tx:
        now_ms = service.clock.now_ms()
        await audit.add(tx, Entry(caller.principal, "loop.build", None, "written", f"{path}: {sha256}", now_ms))
    return {
        "built": True,
        "path": path,
        "sha256": sha256,
        "bytes": len(result.elf),
        "diagnostics": result.diagnostics,
    }
