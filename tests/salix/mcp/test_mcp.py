"""The tools over MCP, by the SDK's own client: on HTTP and on stdio they are those of `salix.tools`."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import httpx
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from salix.commands.demo import server
from salix.http.serving import Client as Known
from salix.tools import TOOLS
from tests.salix.services import ACKNOWLEDGER

REPOSITORY = Path(__file__).parents[3]


@asynccontextmanager
async def over_http(folder: Path) -> AsyncIterator[Client]:
    known = Known.load(folder)
    headers = {"Authorization": f"Bearer {known.key}", "Salix-Agent": known.agent}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(known.url + "/mcp", http_client=http)) as client,
    ):
        yield client


@asynccontextmanager
async def over_stdio(folder: Path) -> AsyncIterator[Client]:
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "salix", "mcp", "--data", str(folder)], cwd=REPOSITORY
    )
    async with Client(command) as client:
        yield client


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@pytest.mark.parametrize("connected", [over_http, over_stdio])
def test_an_agent_builds_and_starts_a_loop(
    tmp_path: Path, connected: Callable[[Path], AbstractAsyncContextManager[Client]]
) -> None:
    async def run() -> None:
        async with connected(tmp_path) as client:
            said = client.server_info
            assert said is not None
            assert (said.name, bool(said.version)) == ("salix", True)
            listed = (await client.list_tools()).tools
            assert [tool.name for tool in listed] == list(TOOLS)
            assert [tool.input_schema for tool in listed] == [tool.schema() for tool in TOOLS.values()]
            built = await client.call_tool("loop.build", {"files": {"a.c": ACKNOWLEDGER}, "entry": "a.c"})
            assert not built.is_error
            found = built.structured_content
            assert found is not None
            assert json.loads(text_of(built)) == found
            program = {"path": found["path"], "sha256": found["sha256"]}
            created = await client.call_tool("loop.create", {**program, "name": "watch"})
            assert created.structured_content is not None
            assert created.structured_content["state"] == "active"
            refused = await client.call_tool("loop.get", {"loop_id": "nobody"})
            assert refused.is_error
            assert text_of(refused) == "not_found: there is no Loop 'nobody'"
            wrong = await client.call_tool("loop.get", {"loop": 1})
            assert wrong.is_error
            assert text_of(wrong).startswith("invalid: ")

    with server(tmp_path):
        asyncio.run(run())


def test_without_the_key_there_is_no_protocol(tmp_path: Path) -> None:
    with server(tmp_path):
        known = Known.load(tmp_path)
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        for headers in ({}, {"Authorization": "Bearer wrong", "Salix-Agent": "agent"}):
            reply = httpx.post(known.url + "/mcp", json=request, headers=headers)
            assert (reply.status_code, reply.json()["error"]["kind"]) == (401, "unauthenticated")
        headers = {"Authorization": f"Bearer {known.key}", "Salix-Agent": "nobody"}
        assert httpx.post(known.url + "/mcp", json=request, headers=headers).status_code == 404
