"""The routes.

    POST /v1/agent-groups/{group}/loops/{loop}/events   {event_id, topic?, payload} -> 202 {event_id, duplicate}
    POST /v1/webhooks/{secret}                          any body -> 202 {event_id, duplicate}
    GET  /v1/tools                                      name, description and JSON schema of each
    POST /v1/tools/{name}                               arguments -> result; Salix-Agent: who calls
    POST /v1/agents                                     {agent_id} -> 201
    GET  /v1/sessions/{session}/messages?after=N        what an agent was told; Salix-Agent: which
    POST /mcp                                           the tools over the Model Context Protocol; Salix-Agent
    GET  /                                              the status page, for a browser; the password is the key
    GET  /metrics, /healthz                             of the node

All but webhooks, health and metrics want the group's key: as a bearer token, which no browser sends by itself, so that
no other site's page can make one send events. 202 is sent after the commit, never before.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from salix.http.errors import HANDLERS
from salix.http.requests import Rate, agent_of, body_of, group_of, json_of
from salix.http.status import PAGE_HEADERS, status_page
from salix.mcp.server import http_endpoint
from salix.service import Refusal, Refused, Service
from salix.service.signatures import Signed
from salix.store import audit, identities
from salix.store.audit import Entry
from salix.tools.caller import Caller
from salix.tools.registry import TOOLS, call, caller_of

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
_EVENT_BODY_BYTES = 64 * 1024  # escapes may take several times the room of what they stand for
_REQUESTS_PER_MINUTE = 6000


def application(service: Service, *, requests_per_minute: int = _REQUESTS_PER_MINUTE) -> Starlette:
    """The app of one service, which whoever made it opens and closes."""
    rate = Rate(service.clock, requests_per_minute)
    routes, mcp = Routes(service, rate), http_endpoint(service, rate)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with mcp.running():
            yield

    app = Starlette(
        routes=[
            Route("/v1/agent-groups/{group}/loops/{loop}/events", routes.event, methods=["POST"]),
            Route("/v1/webhooks/{secret}", routes.webhook, methods=["POST"]),
            Route("/v1/tools", routes.tools),
            Route("/v1/tools/{name}", routes.tool, methods=["POST"]),
            Route("/v1/agents", routes.add_agent, methods=["POST"]),
            Route("/v1/sessions/{session}/messages", routes.messages),
            Route("/mcp", mcp, methods=["POST"]),  # no sessions are kept, so there is nothing to get
            Route("/", routes.status),
            Route("/metrics", routes.metrics),
            Route("/healthz", routes.health),
        ],
        exception_handlers=HANDLERS,
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False  # a path is what it is: a redirect has no body that says what is wrong
    return app


class Routes:
    """See the module."""

    def __init__(self, service: Service, rate: Rate) -> None:
        self._service, self._rate = service, rate

    async def event(self, request: Request) -> Response:
        group_id = await group_of(request, self._service, self._rate)
        if request.path_params["group"] != group_id:
            raise Refused(Refusal.NOT_FOUND, "this key is another group's")
        given = await json_of(request, _EVENT_BODY_BYTES)
        if not isinstance(given, dict) or not {"event_id", "payload"} <= set(given) <= {"event_id", "topic", "payload"}:
            raise Refused(Refusal.INVALID, "an event is {event_id, topic, payload}; topic may be missing")
        accepted = await self._service.intake.accept(
            group_id, request.path_params["loop"], given["event_id"], given.get("topic", "api"), given["payload"]
        )
        return JSONResponse(accepted._asdict(), status_code=202)

    async def webhook(self, request: Request) -> Response:
        self._rate.take(f"webhook {request.client.host if request.client else ''}")
        headers = request.headers
        names = ("webhook-id", "webhook-timestamp", "webhook-signature")
        signed = Signed(*(headers.getlist(name) for name in names))
        body = await body_of(request, _EVENT_BODY_BYTES)
        accepted = await self._service.intake.webhook(request.path_params["secret"], body, signed)
        return JSONResponse(accepted._asdict(), status_code=202)

    async def tools(self, request: Request) -> Response:
        await group_of(request, self._service, self._rate)
        listed = [
            {"name": tool.name, "description": tool.description, "arguments": tool.schema()} for tool in TOOLS.values()
        ]
        return JSONResponse({"tools": listed})

    async def tool(self, request: Request) -> Response:
        caller = await self._caller(request)
        arguments = await json_of(request, empty={})
        return JSONResponse(await call(self._service, caller, request.path_params["name"], arguments))

    async def add_agent(self, request: Request) -> Response:
        group_id = await group_of(request, self._service, self._rate)
        given = await json_of(request)
        agent_id = given.get("agent_id") if isinstance(given, dict) else None
        if not isinstance(agent_id, str) or not _NAME.fullmatch(agent_id):
            raise Refused(Refusal.INVALID, "agent_id has 1 to 64 letters, digits, - and _")
        now_ms, most = self._service.clock.now_ms(), self._service.settings.limits.agents_of_group
        async with self._service.store.write() as tx:
            await identities.lock_group(tx, group_id)
            if not await identities.add_agent(tx, agent_id, group_id, now_ms):
                raise Refused(Refusal.CONFLICT, f"there is an agent {agent_id} already")
            if await identities.count_agents(tx, group_id) > most:
                raise Refused(Refusal.QUOTA, f"a group has at most {most} agents")
            await audit.add(tx, Entry(f"group:{group_id}", "agent.add", None, "added", agent_id, now_ms))
        return JSONResponse({"agent_id": agent_id}, status_code=201)

    async def messages(self, request: Request) -> Response:
        caller = await self._caller(request)
        after = request.query_params.get("after", "0")
        if not (after.isascii() and after.isdigit() and len(after) < 19):
            raise Refused(Refusal.INVALID, "after is a position, as `next` was")
        session_id = f"{caller.agent_id}/{request.path_params['session']}"
        async with self._service.store.read() as tx:
            found = await identities.messages_after(tx, session_id, int(after), 100)
        listed = [
            {"seq": m.seq, "id": m.message_id, "author": m.author, "content": m.content, "created_ms": m.created_ms}
            for m in found
        ]
        return JSONResponse({"messages": listed, "next": found[-1].seq if found else int(after)})

    async def metrics(self, _: Request) -> Response:
        return PlainTextResponse(self._service.node.metrics(), media_type="text/plain; version=0.0.4")

    async def health(self, _: Request) -> Response:
        """Whether the store answers."""
        async with self._service.store.read() as tx:
            await identities.group_of_key(tx, "")
        return PlainTextResponse("ok\n")

    async def status(self, request: Request) -> Response:
        group_id = await group_of(request, self._service, self._rate, schemes=("basic", "bearer"))
        return HTMLResponse(await status_page(self._service, group_id), headers=PAGE_HEADERS)

    async def _caller(self, request: Request) -> Caller:
        group_id = await group_of(request, self._service, self._rate)
        return await caller_of(self._service, group_id, agent_of(request))
