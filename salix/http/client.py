"""A server from outside, over HTTP: what the command line, the demo and tests use."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import httpx

from runtime.sdk.values import Value
from salix.http.serving import Client

_TIMEOUT_SECONDS = 180  # a script may run for two minutes, after its build


class ServerRefused(Exception):
    """The server said no; `kind` is a `salix.service.Refusal`'s."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        self.status, self.kind, self.message = status, kind, message
        super().__init__(f"{kind}: {message}")


class Connection:
    """See the module. Methods raise ServerRefused, and httpx.HTTPError if nobody is there."""

    def __init__(self, client: Client) -> None:
        self._group = client.group
        headers = {"Authorization": f"Bearer {client.key}", "Salix-Agent": client.agent}
        self._http = httpx.Client(base_url=client.url, headers=headers, timeout=_TIMEOUT_SECONDS, trust_env=False)

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def tool(self, name: str, /, **arguments: Value) -> dict[str, Any]:
        """What a tool returns."""
        return self._result(self._http.post(f"/v1/tools/{name}", json=arguments))

    def send(self, loop_id: str, event_id: str, topic: str, payload: Value) -> dict[str, Any]:
        """Send an event: {event_id, duplicate}."""
        body = {"event_id": event_id, "topic": topic, "payload": payload}
        return self._result(self._http.post(f"/v1/agent-groups/{self._group}/loops/{loop_id}/events", json=body))

    def messages(self, session: str = "main", after: int = 0) -> dict[str, Any]:
        """What the agent was told in a session: {messages, next}."""
        return self._result(self._http.get(f"/v1/sessions/{session}/messages", params={"after": after}))

    @property
    def url(self) -> str:
        """Where the server is."""
        return str(self._http.base_url)

    def check_health(self) -> None:
        """Return if the server's database answers."""
        reply = self._http.get("/healthz")
        if not reply.is_success:
            self._result(reply)

    def _result(self, reply: httpx.Response) -> dict[str, Any]:
        found = reply.json() if reply.headers.get("content-type", "").startswith("application/json") else {}
        if reply.is_success and isinstance(found, dict):
            return found
        error = found.get("error", {}) if isinstance(found, dict) else {}
        raise ServerRefused(reply.status_code, error.get("kind", "http"), error.get("message", f"{reply.status_code}"))
