"""The tools on stdin and stdout, for a client that starts its servers itself: each call goes on to a Salix server.

So that there is one service for all Loops, however many clients come and go.
"""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
from mcp.server.stdio import stdio_server

from salix.http.client import Connection, ServerRefused
from salix.http.serving import Client
from salix.mcp.server import Context, ToolRefused, tool_server


async def serve_stdio(client: Client) -> None:
    """Until stdin ends."""
    with Connection(client) as connection:

        async def run(_: Context, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
            try:
                return await asyncio.to_thread(connection.tool, name, **arguments)
            except ServerRefused as refused:
                raise ToolRefused(str(refused)) from refused
            except httpx.HTTPError as error:
                raise ToolRefused(f"unavailable: the server is not there ({type(error).__name__})") from error

        server = tool_server(run)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
