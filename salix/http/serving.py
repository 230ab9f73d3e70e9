"""A service and its HTTP server as one process: opened, announced, served until it is told to stop.

The data folder has everything: salix.db (unless another database is named), files/ of the agents, and client.json,
which says where the server is and how to get in. It has the group's key, so only its owner may read it.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import uvicorn

from runtime.node import tune_collector
from salix.http.app import application
from salix.service import Service, Settings
from salix.store import identities

GROUP, AGENT = "default", "agent"
CLIENT_FILE = "client.json"
_LAST_SECONDS = 5  # for requests that are under way when it is told to stop; a script may take minutes


class CannotListen(Exception):
    """The address is another process's, or none of this machine; the message names it."""


@dataclass(frozen=True, slots=True)
class Client:
    """Where a server is, and as whom to talk to it."""

    url: str
    group: str
    agent: str
    key: str

    @classmethod
    def load(cls, folder: Path) -> Client:
        """Raises OSError, ValueError."""
        file = folder / CLIENT_FILE
        found = json.loads(file.read_text())
        try:
            return cls(**found)
        except TypeError as error:
            raise ValueError(f"{file} is not what a server writes") from error

    def save(self, folder: Path) -> None:
        """Replace the file in one step; nobody else may read it."""
        new = folder / f".{CLIENT_FILE}.{secrets.token_hex(4)}"
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w") as file:
            json.dump({"url": self.url, "group": self.group, "agent": self.agent, "key": self.key}, file)
        os.replace(new, folder / CLIENT_FILE)


def _key(folder: Path) -> tuple[str, bool]:
    """The key of the last time, or a new one; and whether it is new."""
    try:
        return Client.load(folder).key, False
    except (OSError, ValueError):
        return secrets.token_urlsafe(32), True


async def serve(
    settings: Settings, folder: Path, host: str, port: int, announce: Callable[[Client], None] | None = None
) -> None:
    """Serve until SIGINT or SIGTERM. port 0: any that is free.

    Raises StoreUnavailable, NewerSchema, CannotListen, OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            raise CannotListen(f"{host}, port {port}: {error.strerror}") from error
        name = f"[{host}]" if ":" in host else host
        key, is_new = _key(folder)
        client = Client(f"http://{name}:{listener.getsockname()[1]}", GROUP, AGENT, key)
        if settings.public_url is None:
            settings = replace(settings, public_url=client.url)
        client.save(folder)  # before the store knows the key's hash: a crash between leaves a way in
        async with await Service.open(settings) as service:
            now_ms = service.clock.now_ms()
            async with service.store.write() as tx:
                if not await identities.add_group(tx, GROUP, key, now_ms) and is_new:
                    await identities.change_key(tx, GROUP, key)  # whoever has the folder and the database may enter
                await identities.add_agent(tx, AGENT, GROUP, now_ms)
            tune_collector()
            config = uvicorn.Config(
                application(service), log_level="warning", access_log=False, lifespan="on", server_header=False,
                timeout_graceful_shutdown=_LAST_SECONDS,
            )  # fmt: skip
            server = _Server(config)
            for number in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, server.stop)
            listener.listen()  # whoever comes when it is announced waits a moment, and is not turned away
            if announce is not None:
                announce(client)
            await server.serve(sockets=[listener])


class _Server(uvicorn.Server):
    """Whose signals are the caller's: the service is closed after it, and then the process ends with status 0."""

    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]
        return nullcontext()

    def stop(self) -> None:
        self.should_exit = True
