"""All tools by name, and how one is called by name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from salix.service import Refusal, Refused, Service
from salix.store import identities
from salix.tools import building, files, loops, scripts, watching
from salix.tools.caller import Arguments, Caller


class Tool(NamedTuple):
    """One tool. `arguments` is the model of its arguments; what it returns is a JSON object."""

    name: str
    description: str
    arguments: type[BaseModel]
    run: Callable[[Service, Caller, Any], Awaitable[dict[str, Any]]]

    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return self.arguments.model_json_schema()


def _tool(
    name: str, arguments: type[Arguments], run: Callable[[Service, Caller, Any], Awaitable[dict[str, Any]]]
) -> Tool:
    return Tool(name, " ".join((run.__doc__ or "").split()), arguments, run)


TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        _tool("loop.sdk", building.NoArguments, building.sdk),
        _tool("loop.build", building.Build, building.build_loop),
        _tool("loop.files", files.Files, files.files),
        _tool("loop.create", loops.Create, loops.create),
        _tool("loop.list", building.NoArguments, loops.list_loops),
        _tool("loop.get", loops.OneLoop, loops.get),
        _tool("loop.pause", loops.OneLoop, loops.pause),
        _tool("loop.resume", loops.OneLoop, loops.resume),
        _tool("loop.delete", loops.OneLoop, loops.delete),
        _tool("loop.logs", watching.Logs, watching.logs),
        _tool("loop.audit", watching.Audit, watching.audit_of),
        _tool("loop.events", watching.Events, watching.change_events),
        _tool("loop.webhook", watching.Webhook, watching.webhook),
        _tool("script.run", scripts.Script, scripts.run_script),
    )
}


async def call(service: Service, caller: Caller, name: str, arguments: object) -> dict[str, Any]:
    """What the tool `name` returns. Raises Refused: NOT_FOUND (no such tool), INVALID (arguments), and others."""
    tool = TOOLS.get(name)
    if tool is None:
        raise Refused(Refusal.NOT_FOUND, f"there is no tool {name[:64]!r}; there are {', '.join(TOOLS)}")
    if not isinstance(arguments, dict):
        raise Refused(Refusal.INVALID, "the arguments of a tool are an object")
    try:
        parsed = tool.arguments.model_validate(arguments)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part)[:64] for part in first["loc"]) or "arguments"
        raise Refused(Refusal.INVALID, f"{place}: {first['msg']}") from error
    return await tool.run(service, caller, parsed)


async def caller_of(service: Service, group_id: str, agent_id: str) -> Caller:
    """The agent as a caller of tools. Raises Refused (NOT_FOUND), also for an agent of another group."""
    async with service.store.read() as tx:
        agent = await identities.agent(tx, agent_id)
    if agent is None or agent.group_id != group_id:
        raise Refused(Refusal.NOT_FOUND, f"there is no agent {agent_id[:64]!r} in group {group_id}")
    return Caller(agent.id, agent.group_id)
