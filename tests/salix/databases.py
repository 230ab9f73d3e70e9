"""Databases for tests: SQLite always, PostgreSQL on loopback where it is installed."""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg


def _programs() -> Path | None:
    """The folder that has initdb, pg_ctl and psql."""
    candidates = [found.parent.resolve() for name in ("initdb", "postgres") if (found := _which(name)) is not None]
    candidates += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in candidates if (folder / "initdb").exists()), None)


def _which(name: str) -> Path | None:
    found = shutil.which(name)
    return None if found is None else Path(found).resolve()


def _drop_root() -> dict[str, object]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    return {}


@contextmanager
def postgresql() -> Iterator[str | None]:
    """The URL of a server that runs for as long as the block; None where there is no PostgreSQL."""
    programs = _programs()
    if programs is None:
        yield None
        return
    identity = _drop_root()
    folder = Path(tempfile.mkdtemp(prefix="salix-postgresql-"))
    try:
        if identity:
            os.chown(folder, int(str(identity["user"])), int(str(identity["group"])))
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        cluster = folder / "cluster"
        quiet = {"stdout": subprocess.DEVNULL, "cwd": folder, **identity}
        initdb = [programs / "initdb", "-D", cluster, "-U", "salix", "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run([*initdb, "--locale=C"], check=True, **quiet)  # type: ignore[call-overload]
        settings = ["-p", str(port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-F"]
        command = [programs / "postgres", "-D", cluster, *settings]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL, **quiet) as server:  # type: ignore[call-overload]
            try:
                _wait_for(port)
                yield f"postgresql://salix@127.0.0.1:{port}/postgres"
            finally:
                server.send_signal(signal.SIGQUIT)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(port: int) -> None:
    """Return when somebody listens there."""
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError("PostgreSQL does not start")


def new_database(server: str) -> str:
    """A fresh database of a PostgreSQL server; its URL."""
    name = f"t{uuid.uuid4().hex}"

    async def make() -> None:
        connection = await asyncpg.connect(server)
        await connection.execute(f"CREATE DATABASE {name}")
        await connection.close()

    asyncio.run(make())
    return server.rsplit("/", 1)[0] + "/" + name
