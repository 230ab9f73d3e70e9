"""A server that is killed again and again under load: `python -m tests.salix.crash --kills 50`.

Each round starts a server on the same data, sends it events from several clients, and kills it (SIGKILL) at a random
moment, some of them while it starts. Clients repeat what they got no answer to, as senders do. At the end a server is
left alone until nothing is pending, and the store is read:

    no committed event lost      each id that was answered with 202 is there, and acknowledged
    none acknowledged twice      the audit log, written in the acknowledging transaction, has each id once
    no wake delivered twice      each event that is to wake the agent is one message, no other is any
    no Loop lost                 all are active, and each has been loaded by every server that lived long enough
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from sqlalchemy import select

from salix.http.client import Connection
from salix.http.serving import Client
from salix.store import Store, schema
from tests.salix.databases import new_database, postgresql
from tests.salix.services import ACKNOWLEDGER

_WAKES_OF_A_LOOP = 5  # below the limit of six in ten minutes
_LOOPS = 10
_SENDERS = 3
_LONGEST_SECONDS = 1.2  # that a server lives once it serves
_KILLED_STARTING = 0.15  # this part of all


@dataclass
class Sent:
    """What the clients know. `accepted`: answered with 202. `unsure`: asked, and never answered."""

    accepted: set[tuple[str, str]] = field(default_factory=set)
    unsure: set[tuple[str, str]] = field(default_factory=set)
    wakes: Counter[str] = field(default_factory=Counter)
    payloads: dict[tuple[str, str], dict[str, object]] = field(default_factory=dict)
    requests: int = 0
    duplicates: int = 0


@dataclass(frozen=True)
class Findings:
    """What a campaign counted, and what it found wrong."""

    kills: int
    requests: int
    events: int
    wakes: int
    duplicates: int
    loads: int
    wrong: tuple[str, ...]


class Server:
    """A server process on a data folder. module: what is run; another than `salix` has a planted defect."""

    def __init__(self, folder: Path, database: str | None, module: tuple[str, ...] = ("salix",)) -> None:
        arguments = ["serve", "--data", str(folder), "--port", "0"]
        if database is not None:
            arguments += ["--database", database]
        self._folder = folder
        self.process = subprocess.Popen([sys.executable, "-m", *module, *arguments], stdout=subprocess.PIPE)

    async def ready(self) -> Client:
        """Where it is, once it serves."""
        assert self.process.stdout is not None
        line = await asyncio.to_thread(self.process.stdout.readline)
        assert line, "the server did not start"
        return Client.load(self._folder)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


async def _send(http: httpx.AsyncClient, loop_id: str, event_id: str, sent: Sent) -> bool:
    """One delivery; False if nobody is there any more."""
    key = (loop_id, event_id)
    body = {"event_id": event_id, "topic": "load", "payload": sent.payloads[key]}
    sent.requests += 1
    if key not in sent.accepted:
        sent.unsure.add(key)
    try:
        reply = await http.post(f"/v1/agent-groups/default/loops/{loop_id}/events", json=body)
    except httpx.TransportError:
        return False
    if reply.status_code == 202:
        sent.accepted.add(key)
        sent.duplicates += reply.json()["duplicate"]
    else:
        assert reply.status_code == 429, reply.text
    sent.unsure.discard(key)
    return True


async def _load(client: Client, loops: list[str], sent: Sent, rng: random.Random) -> None:
    """Send new events, repeat what is unsure and, now and then, what was accepted; until the server is gone."""
    headers = {"Authorization": f"Bearer {client.key}"}
    async with httpx.AsyncClient(base_url=client.url, headers=headers, timeout=60, trust_env=False) as http:
        while True:
            choice = rng.random()
            if sent.unsure and choice < 0.3:
                loop_id, event_id = rng.choice(sorted(sent.unsure))
            elif sent.accepted and choice < 0.4:
                loop_id, event_id = rng.choice(sorted(sent.accepted))
            else:
                loop_id, event_id = rng.choice(loops), f"e{len(sent.payloads)}"
                wakes = sent.wakes[loop_id] < _WAKES_OF_A_LOOP and rng.random() < 0.1
                sent.wakes[loop_id] += wakes
                sent.payloads[loop_id, event_id] = {"kind": "wake" if wakes else "quiet", "id": event_id}
            if not await _send(http, loop_id, event_id, sent):
                return


async def _round(server: Server, loops: list[str], sent: Sent, rng: random.Random) -> None:
    """Let a server live for a while, and kill it."""
    if rng.random() < _KILLED_STARTING:
        await asyncio.sleep(rng.uniform(0.2, 1.5))
        server.kill()
        return
    client = await server.ready()
    senders = [asyncio.create_task(_load(client, loops, sent, rng)) for _ in range(_SENDERS)]
    await asyncio.sleep(rng.uniform(0, _LONGEST_SECONDS))
    server.kill()
    await asyncio.gather(*senders)


async def _finish(server: Server, loops: list[str], sent: Sent) -> bool:
    """Send what is unsure again and wait until all is acknowledged; False if it does not come to that."""
    client = await server.ready()
    headers = {"Authorization": f"Bearer {client.key}"}
    async with httpx.AsyncClient(base_url=client.url, headers=headers, timeout=60, trust_env=False) as http:
        for loop_id, event_id in sorted(sent.unsure):
            await _send(http, loop_id, event_id, sent)
    with Connection(client) as connection:
        for _ in range(400):
            await asyncio.sleep(0.1)
            found = connection.tool("loop.list")["loops"]
            if sum(each["pending_events"] for each in found) == 0 and not sent.unsure:
                return True
    return False


def _create(client: Client) -> list[str]:
    with Connection(client) as connection:
        built = connection.tool("loop.build", files={"loop.c": ACKNOWLEDGER}, entry="loop.c")
        program = {"path": built["path"], "sha256": built["sha256"]}
        return [str(connection.tool("loop.create", **program)["loop_id"]) for _ in range(_LOOPS)]


async def _judge(database: str, loops: list[str], sent: Sent, kills: int) -> Findings:
    """Read the store."""
    wrong: list[str] = []
    async with await Store.open(database) as store, store.read() as tx:
        columns = (schema.events.c.loop_id, schema.events.c.event_id, schema.events.c.state)
        stored = {(row[0], row[1]): row[2] for row in await tx.execute(select(*columns))}
        ours = schema.audit.c.action == "loop.ack", schema.audit.c.outcome == "acknowledged"
        acknowledged = Counter(
            (row[0], row[1])
            for row in await tx.execute(select(schema.audit.c.loop_id, schema.audit.c.detail).where(*ours))
        )
        messages = [row[0] for row in await tx.execute(select(schema.messages.c.content))]
        rows = {row.id: row for row in await tx.execute(select(schema.loops))}
    wrong += [f"{key} was answered with 202 and is not there" for key in sent.accepted - stored.keys()]
    wrong += [f"{key} is {state}" for key, state in stored.items() if state != "acknowledged"]
    wrong += [f"{key} was acknowledged {acknowledged[key]} times" for key in stored if acknowledged[key] != 1]
    told = Counter(json.loads(content)["id"] if content.startswith("{") else content for content in messages)
    wanted = {event_id for (loop, event_id) in stored if sent.payloads[loop, event_id]["kind"] == "wake"}
    wrong += [f"{event_id} woke the agent {told[event_id]} times" for event_id in wanted if told[event_id] != 1]
    wrong += [f"the agent was told {text}" for text in told.keys() - wanted]
    wrong += [f"Loop {loop_id} is lost" for loop_id in loops if loop_id not in rows or rows[loop_id].state != "active"]
    loads = min((row.incarnation for row in rows.values()), default=0)
    return Findings(kills, sent.requests, len(stored), len(messages), sent.duplicates, loads, tuple(wrong))


async def campaign(
    folder: Path, kills: int, seed: int, database: str | None = None, module: tuple[str, ...] = ("salix",)
) -> Findings:
    """Kill a server so many times. database: a URL, by default SQLite in `folder`; module: as for `Server`."""
    rng, sent = random.Random(seed), Sent()
    server = Server(folder, database, module)
    try:
        loops = await asyncio.to_thread(_create, await server.ready())
        for _ in range(kills):
            await _round(server, loops, sent, rng)
            server = Server(folder, database, module)
        for _ in range(3):  # a call that timed out on a busy machine leaves its event to the next load
            if await _finish(server, loops, sent):
                break
            server.kill()
            server = Server(folder, database, module)
    finally:
        server.kill()
    return await _judge(database or f"sqlite:///{folder / 'salix.db'}", loops, sent, kills)


@contextmanager
def database(wanted: str) -> Iterator[str | None]:
    """The URL for a campaign, None for SQLite in its folder; empty where there is no PostgreSQL."""
    if wanted != "postgresql":
        yield None if wanted == "sqlite" else wanted
        return
    with postgresql() as server:
        yield "" if server is None else new_database(server)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.salix.crash", description="Kill a server under load.")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument(
        "--database", metavar="URL", default="sqlite",
        help="sqlite (the default), postgresql (a server of its own, if it is installed), or an empty database's URL",
    )  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was counted")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="salix-crash-") as folder, database(options.database) as url:
        if url == "":
            print("PostgreSQL is not installed: nothing was killed")
            return 0
        found = asyncio.run(campaign(Path(folder), options.kills, options.seed, url))
    print(f"seed {options.seed}, {options.database}: {found}")
    if options.json is not None:
        counted = {"seed": options.seed, "database": options.database, **vars(found)}
        options.json.write_text(json.dumps(counted, indent=1))
    return 1 if found.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
