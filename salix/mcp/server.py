"""An MCP server whose tools are those of `salix.tools`; who calls them, and where they run, is given.

A refusal is a result with `is_error`, since it is for the model to read; its text says of which kind it is.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeAlias

from mcp.server import Server, ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from salix.http.errors import refusal
from salix.http.requests import MAX_BODY_BYTES, Rate, agent_of, group_of
from salix.service import Refused, Service
from salix.tools import TOOLS, call
from salix.tools.caller import Caller
from salix.tools.registry import caller_of

Context: TypeAlias = ServerRequestContext[Any, Any]
Run: TypeAlias = Callable[[Context, str, dict[str, Any]], Awaitable[dict[str, Any]]]
_CALLER = "salix.caller"  # where a request's scope has who it is from
_INSTRUCTIONS = "Loops watch for you: loop.sdk says how to write one, loop.build and loop.create make it run."


class ToolRefused(Exception):
    """What is refused by whoever runs the tools; the text is for the model."""


def tool_server(run: Run) -> Server[Any]:
    """A server that lists all tools and has them run by `run`, which raises ToolRefused."""

    async def list_tools(_: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        listed = [
            Tool(name=tool.name, description=tool.description, input_schema=tool.schema()) for tool in TOOLS.values()
        ]
        return ListToolsResult(tools=listed)

    async def call_tool(context: Context, parameters: CallToolRequestParams) -> CallToolResult:
        try:
            result = await run(context, parameters.name, dict(parameters.arguments or {}))
        except ToolRefused as refused:
            return CallToolResult(content=[TextContent(text=str(refused))], is_error=True)
        return CallToolResult(content=[TextContent(text=json.dumps(result))], structured_content=result)

    return Server(
        "salix", version=_version(), instructions=_INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool
    )


def _version() -> str:
    """Of the package, for clients' logs."""
    try:
        return version("salix-jit")
    except PackageNotFoundError:  # run from its sources
        return "unknown"


class http_endpoint:  # noqa: N801 - a factory to its users, a class so that Starlette takes it for an ASGI app
    """An ASGI app for one path: without the group's key there is no protocol at all. `running` must surround its use.

    No sessions are kept: each request says who it is from, as with all other routes.
    """

    def __init__(self, service: Service, rate: Rate) -> None:
        self._service, self._rate = service, rate
        # rebinding a name to this machine gains nothing without the key, and the server may have any name
        security = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        self._manager = StreamableHTTPSessionManager(
            tool_server(self._run),
            json_response=True,
            stateless=True,
            security_settings=security,
            max_request_body_size=MAX_BODY_BYTES,
        )
        self._app = StreamableHTTPASGIApp(self._manager)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with self._manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            group_id = await group_of(request, self._service, self._rate)
            scope[_CALLER] = await caller_of(self._service, group_id, agent_of(request))
        except Refused as refused:
            await refusal(request, refused)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _run(self, context: Context, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        assert context.request is not None
        caller = context.request.scope[_CALLER]
        assert isinstance(caller, Caller)
        try:
            return await call(self._service, caller, name, arguments)
        except Refused as refused:
            raise ToolRefused(f"{refused.kind.value}: {refused}") from refused
