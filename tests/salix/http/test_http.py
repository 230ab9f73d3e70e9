"""HTTP: who may do what, what is refused and how, and that every tool is there with its schema."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import jsonschema
import pytest
from sqlalchemy.exc import IntegrityError, OperationalError

from salix.commands.demo import server
from salix.http.app import application
from salix.http.errors import STATUS
from salix.http.serving import Client
from salix.service import Refusal
from salix.store import identities
from salix.tools import TOOLS
from tests.salix.services import ACKNOWLEDGER, KEY, World, world

HEADERS = {"Authorization": f"Bearer {KEY}", "Salix-Agent": "agent"}


@asynccontextmanager
async def served(folder: Path, per_minute: int = 6000) -> AsyncIterator[tuple[World, httpx.AsyncClient]]:
    async with world(f"sqlite:///{folder}/x.db", folder) as w:
        transport = httpx.ASGITransport(application(w.service, requests_per_minute=per_minute))
        async with httpx.AsyncClient(transport=transport, base_url="http://salix", headers=HEADERS) as client:
            yield w, client


def test_events_are_accepted_with_202_and_so_are_duplicates(tmp_path: Path) -> None:
    async def run() -> None:
        async with served(tmp_path) as (w, client):
            loop_id = await w.loop(ACKNOWLEDGER)
            url = f"/v1/agent-groups/group/loops/{loop_id}/events"
            for duplicate in (False, True):
                reply = await client.post(url, json={"event_id": "e1", "payload": {"kind": "wake"}})
                assert (reply.status_code, reply.json()) == (202, {"event_id": "e1", "duplicate": duplicate})
            await w.quiet(loop_id)
            told = (await client.get("/v1/sessions/main/messages")).json()
            assert [message["id"] for message in told["messages"]] == [f"loop:{loop_id}:e1"]
            assert (await client.get(f"/v1/sessions/main/messages?after={told['next']}")).json()["messages"] == []

    asyncio.run(run())


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", 400),
        (b"[]", 400),
        (b'{"event_id": "e", "payload": 1, "more": 1}', 400),
        (b'{"event_id": "e"}', 400),
        (b'{"event_id": "e", "event_id": "f", "payload": 1}', 400),
        (b'{"event_id": "e", "payload": NaN}', 400),
        (b'{"event_id": 1, "payload": 1}', 400),
        (b'{"event_id": "\\ud800", "payload": 1}', 400),
        (b"[" * 60_000, 400),
        (b"\xff", 400),
        (b'{"event_id": "e", "payload": "' + b"x" * 17_000 + b'"}', 413),
        (b'{"event_id": "e", "payload": "' + b"x" * 70_000 + b'"}', 413),
        (b'{"event_id": "e", "payload": 1}', 202),
    ],
)
def test_bodies_that_are_no_events_get_a_typed_error(tmp_path: Path, content: bytes, status: int) -> None:
    async def run() -> None:
        async with served(tmp_path) as (w, client):
            loop_id = await w.loop(ACKNOWLEDGER)
            reply = await client.post(f"/v1/agent-groups/group/loops/{loop_id}/events", content=content)
            assert reply.status_code == status
            if status != 202:
                assert reply.json()["error"]["kind"] == ("invalid" if status == 400 else "too_large")

    asyncio.run(run())


WRONG: list[tuple[str, str, dict[str, str], bytes, int, str]] = [
    ("GET", "/nothing", {}, b"", 404, "not_found"),
    ("POST", "/v1/tools/", {}, b"{}", 404, "not_found"),
    ("GET", "/v1/agent-groups/group/loops", {}, b"", 404, "not_found"),
    ("POST", "/v1/tools/loop.lits", {}, b"{}", 404, "not_found"),
    ("GET", "/v1/sessions/main/messages", {"Salix-Agent": "nobody"}, b"", 404, "not_found"),
    ("DELETE", "/v1/tools", {}, b"", 405, "method_not_allowed"),
    ("GET", "/v1/tools/loop.list", {}, b"", 405, "method_not_allowed"),
    ("POST", "/", {}, b"", 405, "method_not_allowed"),
    ("GET", "/mcp", {}, b"", 405, "method_not_allowed"),
    ("OPTIONS", "/healthz", {}, b"", 405, "method_not_allowed"),
    ("POST", "/v1/tools/loop.list", {}, b"{", 400, "invalid"),
    ("POST", "/v1/tools/loop.list", {}, b"[]", 400, "invalid"),
    ("POST", "/v1/tools/loop.list", {}, b"\xff", 400, "invalid"),
    ("POST", "/v1/tools/loop.list", {"Salix-Agent": ""}, b"{}", 400, "invalid"),
    ("POST", "/v1/agents", {}, b"", 400, "invalid"),
    ("GET", "/v1/sessions/main/messages?after=-1", {}, b"", 400, "invalid"),
    ("POST", "/v1/tools/loop.list", {"Content-Type": "text/plain"}, b"{}", 415, "unsupported_media_type"),
    ("POST", "/v1/agents", {"Content-Type": "multipart/form-data; boundary=x"}, b"", 415, "unsupported_media_type"),
    ("POST", "/v1/tools/loop.list", {}, b" " * 300_000, 413, "too_large"),
    ("POST", "/v1/tools/loop.list", {"Authorization": "Bearer x"}, b"{", 401, "unauthenticated"),
    ("GET", "/", {"Authorization": ""}, b"", 401, "unauthenticated"),
    ("POST", "/mcp", {"Authorization": ""}, b"{}", 401, "unauthenticated"),
    ("POST", "/mcp", {"Salix-Agent": ""}, b"{}", 400, "invalid"),
    ("POST", "/mcp", {"Salix-Agent": "nobody"}, b"{}", 404, "not_found"),
]


@pytest.mark.parametrize("kind", [None, "Application/JSON; charset=utf-8", "application/x-www-form-urlencoded"])
def test_json_is_taken_under_the_names_that_clients_give_it(tmp_path: Path, kind: str | None) -> None:
    async def run() -> None:
        async with served(tmp_path) as (_, client):
            headers = {} if kind is None else {"Content-Type": kind}
            reply = await client.post("/v1/tools/loop.list", headers=headers, content=b"{}")
            assert (reply.status_code, reply.json()) == (200, {"loops": []})

    asyncio.run(run())


@pytest.mark.parametrize(("method", "path", "headers", "body", "status", "kind"), WRONG)
def test_whatever_is_wrong_is_an_error_of_one_shape(
    tmp_path: Path, method: str, path: str, headers: dict[str, str], body: bytes, status: int, kind: str
) -> None:
    async def run() -> None:
        async with served(tmp_path) as (_, client):
            reply = await client.request(method, path, headers=headers, content=body)
            assert (reply.status_code, reply.headers["content-type"]) == (status, "application/json")
            assert list(reply.json()) == ["error"]
            assert list(reply.json()["error"]) == ["kind", "message"]
            assert reply.json()["error"]["kind"] == kind
            if status == 401:
                scheme = "Basic" if path == "/" else "Bearer"
                assert reply.headers["www-authenticate"].startswith(f'{scheme} realm="salix"')
            if status == 405:
                assert reply.headers["allow"] in reply.json()["error"]["message"]

    asyncio.run(run())


def test_an_unknown_path_and_an_unknown_tool_say_what_there_is(tmp_path: Path) -> None:
    async def run() -> None:
        async with served(tmp_path) as (_, client):
            message = (await client.get("/v2/tools")).json()["error"]["message"]
            routes = client._transport.app.routes  # type: ignore[attr-defined]
            assert all(f" {route.path}" in message for route in routes)
            message = (await client.post("/v1/tools/loop", json={})).json()["error"]["message"]
            assert all(name in message for name in TOOLS)

    asyncio.run(run())


def test_what_a_browser_sends_by_itself_opens_the_page_only(tmp_path: Path) -> None:
    """Another site's page can have a browser repeat the key that it has for this one, also with a form's POST."""

    async def run() -> None:
        async with served(tmp_path) as (w, client):
            loop_id = await w.loop(ACKNOWLEDGER)
            basic = {"Authorization": httpx.BasicAuth("x", KEY)._auth_header}
            assert (await client.get("/", headers=basic)).status_code == 200
            assert (await client.get("/")).status_code == 200, "with the key as a token, for programs"
            event = {"event_id": "e1", "payload": 1}
            for path in (f"/v1/agent-groups/group/loops/{loop_id}/events", "/v1/agents", "/v1/tools/loop.list", "/mcp"):
                assert (await client.post(path, json=event, headers=basic)).status_code == 401
            assert (await w.get(loop_id))["pending_events"] == 0

    asyncio.run(run())


def test_a_tool_without_arguments_wants_no_body(tmp_path: Path) -> None:
    async def run() -> None:
        async with served(tmp_path) as (_, client):
            assert (await client.post("/v1/tools/loop.list")).json() == {"loops": []}
            for kind in ("application/json; charset=utf-8", "application/vnd.api+json"):
                reply = await client.post("/v1/tools/loop.list", content=b"{}", headers={"Content-Type": kind})
                assert reply.json() == {"loops": []}

    asyncio.run(run())


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [
        (OperationalError("SELECT", {}, Exception("gone")), 503, "unavailable"),
        (ConnectionRefusedError("gone"), 503, "unavailable"),
        (IntegrityError("INSERT", {}, Exception("ours")), 500, "internal"),
        (ZeroDivisionError(), 500, "internal"),
    ],
)
def test_a_database_that_is_away_and_a_defect_are_errors_of_that_shape_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, kind: str
) -> None:
    async def fails(*_: object) -> None:
        raise error

    async def run() -> None:
        async with world(f"sqlite:///{tmp_path}/x.db", tmp_path) as w:
            transport = httpx.ASGITransport(application(w.service), raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://salix", headers=HEADERS) as client:
                monkeypatch.setattr(identities, "group_of_key", fails)
                for path in ("/healthz", "/v1/tools", "/"):
                    reply = await client.get(path)
                    assert (reply.status_code, reply.json()["error"]["kind"]) == (status, kind)
                    assert ("retry-after" in reply.headers) == (status == 503)
                    assert "gone" not in reply.text
                monkeypatch.undo()
                assert (await client.get("/healthz")).text == "ok\n"
                assert (await client.head("/healthz")).status_code == 200

    asyncio.run(run())


def test_a_body_that_is_said_to_be_too_large_is_not_waited_for(tmp_path: Path) -> None:
    """Over a socket: the answer comes while nothing of the body has been sent."""
    with server(tmp_path):
        known = Client.load(tmp_path)
        for path in ("v1/tools/loop.list", "v1/agent-groups/default/loops/x/events", "v1/webhooks/x"):
            with socket.create_connection(("127.0.0.1", int(known.url.rpartition(":")[2])), timeout=60) as connection:
                head = f"POST /{path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {known.key}\r\n"
                connection.sendall(f"{head}Salix-Agent: agent\r\nContent-Length: 99999999999\r\n\r\n".encode())
                assert connection.recv(1000).startswith(b"HTTP/1.1 413 ")


def test_without_the_groups_key_nothing_is_told(tmp_path: Path) -> None:
    async def run() -> None:
        async with served(tmp_path) as (w, client):
            loop_id = await w.loop(ACKNOWLEDGER)
            paths = ["/v1/tools/loop.list", f"/v1/agent-groups/group/loops/{loop_id}/events", "/v1/agents"]
            for authorization in ("", "Bearer ", "Bearer wrong", "Basic eDp5", "Basic ???", KEY):
                for path in paths:
                    reply = await client.post(path, json={}, headers={"Authorization": authorization})
                    assert (reply.status_code, reply.json()["error"]["kind"]) == (401, "unauthenticated")
            assert (await client.post("/v1/agent-groups/other/loops/x/events", json={})).status_code == 404
            assert (await client.post("/v1/tools/loop.list", json={}, headers={"Salix-Agent": "x"})).status_code == 404

    asyncio.run(run())


def test_an_agent_sees_its_own_loops_only(tmp_path: Path) -> None:
    async def run() -> None:
        async with served(tmp_path) as (w, client):
            loop_id = await w.loop(ACKNOWLEDGER)
            assert (await client.post("/v1/agents", json={"agent_id": "other"})).status_code == 201
            assert (await client.post("/v1/agents", json={"agent_id": "other"})).status_code == 409
            assert (await client.post("/v1/agents", json={"agent_id": "../x"})).status_code == 400
            for name in ("get", "pause", "resume", "delete", "logs", "events"):
                arguments, headers = {"loop_id": loop_id}, {"Salix-Agent": "other"}
                reply = await client.post(f"/v1/tools/loop.{name}", json=arguments, headers=headers)
                assert (reply.status_code, reply.json()["error"]["kind"]) == (404, "not_found"), name
            reply = await client.post("/v1/tools/loop.list", json={}, headers={"Salix-Agent": "other"})
            assert reply.json() == {"loops": []}

    asyncio.run(run())


def test_a_loop_from_source_to_deletion(tmp_path: Path) -> None:
    async def run() -> None:
        async with served(tmp_path) as (_, client):

            async def tool(name: str, /, **arguments: object) -> httpx.Response:
                return await client.post(f"/v1/tools/{name}", json=arguments)

            sdk = (await tool("loop.sdk")).json()
            assert "sf_event_next" in sdk["header"]
            assert "agent.notify" in sdk["capabilities"]
            broken = (await tool("loop.build", files={"a.c": "int x = ;"}, entry="a.c")).json()
            assert (broken["built"], "a.c:1:" in broken["diagnostics"]) == (False, True)
            for source, words in (
                ("int f(void);\nSF_MAIN int main(void) { return f(); }", "nobody has the function `f`"),
                ("int f(void) { return 1; }", "this is no Loop: "),
            ):
                files = {"a.c": f'#include "spinfoam.h"\n{source}\n'}
                useless = (await tool("loop.build", files=files, entry="a.c")).json()
                assert (useless["built"], words in useless["diagnostics"]) == (False, True), useless
            built = (await tool("loop.build", files={"a.c": ACKNOWLEDGER}, entry="a.c", out="b/watch.o")).json()
            assert built["path"] == "b/watch.o"
            assert (await tool("loop.create", path="b/watch.o", sha256="0" * 64)).status_code == 409
            assert (await tool("loop.create", path="nowhere.o", sha256="0" * 64)).status_code == 404
            assert (await tool("loop.create", path="../x", sha256="0" * 64)).status_code == 400
            program = {"path": "b/watch.o", "sha256": built["sha256"]}
            assert (await tool("loop.create", **program, capabilities=["salix.call"])).status_code == 400
            loop_id = (await tool("loop.create", **program, name="watch")).json()["loop_id"]
            assert (await tool("loop.pause", loop_id=loop_id)).json()["state"] == "paused"
            assert (await tool("loop.pause", loop_id=loop_id)).status_code == 409
            resumed = (await tool("loop.resume", loop_id=loop_id)).json()
            assert (resumed["state"], resumed["incarnation"]) == ("active", 2)
            assert (await tool("loop.delete", loop_id=loop_id)).json() == {"deleted": True}
            assert (await tool("loop.get", loop_id=loop_id)).status_code == 404
            assert (await tool("loop.none")).status_code == 404
            assert (await tool("loop.get", loop_id=loop_id, more=1)).status_code == 400
            assert (await tool("loop.get", loop_id=7)).status_code == 400

    asyncio.run(run())


def test_a_program_that_changed_is_not_run(tmp_path: Path) -> None:
    async def run() -> None:
        async with served(tmp_path) as (w, _):
            loop_id = await w.loop(ACKNOWLEDGER)
            w.service.files.write("agent", "loop.o", b"another")
            await w.restart()
            found = await w.get(loop_id)
            assert (found["state"], found["reason"]) == ("failed", "program")
            assert len(await w.messages()) == 1

    asyncio.run(run())


def test_quotas(tmp_path: Path) -> None:
    async def run() -> None:
        async with served(tmp_path) as (w, client):
            created = [await w.loop(ACKNOWLEDGER) for _ in range(20)]
            program = {"path": "loop.o", "sha256": (await w.get(created[0]))["sha256"]}
            reply = await client.post("/v1/tools/loop.create", json=program)
            assert (reply.status_code, reply.json()["error"]["kind"]) == (403, "quota")
            await w.tool("loop.pause", loop_id=created[3])
            assert (await client.post("/v1/tools/loop.create", json=program)).status_code == 200
            reply = await client.post("/v1/tools/loop.resume", json={"loop_id": created[3]})
            assert reply.json()["error"]["kind"] == "quota"

    asyncio.run(run())


def test_webhooks(tmp_path: Path) -> None:
    async def run() -> None:
        async with served(tmp_path) as (w, client):
            loop_id = await w.loop(ACKNOWLEDGER)
            path = (await w.tool("loop.webhook", loop_id=loop_id, action="enable"))["url"]
            nobody = {"Authorization": ""}
            for body, duplicate in ((b'{"kind": "wake"}', False), (b'{"kind": "wake"}', True), (b"no JSON", False)):
                reply = await client.post(path, content=body, headers=nobody)
                assert (reply.status_code, reply.json()["duplicate"]) == (202, duplicate)
            reply = await client.post(path, content=b"{}", headers={**nobody, "webhook-id": "x"})
            assert reply.status_code == 401
            assert (await client.post("/v1/webhooks/guessed", content=b"{}")).status_code == 404
            await w.tool("loop.webhook", loop_id=loop_id, action="revoke")
            assert (await client.post(path, content=b"{}", headers=nobody)).status_code == 404

    asyncio.run(run())


def test_more_than_the_rate_is_429_and_says_when_to_come_back(tmp_path: Path) -> None:
    async def run() -> None:
        async with served(tmp_path, per_minute=3) as (w, client):
            for _ in range(3):
                assert (await client.get("/v1/tools")).status_code == 200
            reply = await client.get("/v1/tools")
            assert (reply.status_code, reply.headers["retry-after"]) == (429, "60")
            w.clock.advance(seconds=20)
            assert (await client.get("/v1/tools")).status_code == 200

    asyncio.run(run())


def test_every_tool_is_listed_with_a_schema_and_a_description(tmp_path: Path) -> None:
    async def run() -> None:
        async with served(tmp_path) as (_, client):
            listed = (await client.get("/v1/tools")).json()["tools"]
            assert [tool["name"] for tool in listed] == list(TOOLS)
            for tool in listed:
                jsonschema.Draft202012Validator.check_schema(tool["arguments"])
                assert tool["arguments"]["additionalProperties"] is False
                assert len(tool["description"]) > 40

    asyncio.run(run())


def test_every_refusal_has_a_status() -> None:
    assert set(STATUS) == set(Refusal)


SCRIPT = """
#include "spinfoam.h"
SF_MAIN sf_i64 script(void)
{
    sf_handle call = sf_json_object();
    sf_json_set_string(call, "tool", "TOOL");
    sf_handle found = sf_host_call("salix.call", call, 10000);
    sf_log("asked");
    if (sf_host_call("agent.notify", call, 1000) != SF_DENIED) return 99;
    return found < 0 ? found : sf_bytes_len(sf_json_get(found, "loops"));
}
"""


@pytest.mark.parametrize(
    ("tool", "exit_code"), [("loop.list", 2), ("script.run", -4), ("loop.none", -4), ("loop.get", -5)]
)
def test_a_script_runs_once_with_its_callers_tools(tmp_path: Path, tool: str, exit_code: int) -> None:
    async def run() -> None:
        async with served(tmp_path) as (w, client):
            await w.loop(ACKNOWLEDGER)
            await w.loop(ACKNOWLEDGER)
            arguments = {"files": {"s.c": SCRIPT.replace("TOOL", tool)}, "entry": "s.c"}
            found = (await client.post("/v1/tools/script.run", json=arguments)).json()
            assert (found["exit_code"], found["calls"]) == (exit_code, 1), json.dumps(found)
            assert found["lines"][-1] == "asked"
            assert len((await w.tool("loop.list"))["loops"]) == 2, "no row is left"

    asyncio.run(run())
