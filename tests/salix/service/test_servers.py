"""Two servers on one database: the later one takes all Loops and keeps them for as long as it lives, and no longer."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sqlalchemy import select

from salix.service import Service
from salix.store import schema
from tests.salix.services import ACKNOWLEDGER, World, world


def holds(service: Service, loop_id: str) -> bool:
    return service.attachments.of_loop(loop_id) is not None


async def quarter_minutes(w: World, count: int, *services: Service) -> None:
    """So many times fifteen seconds, at the end of which each of these servers sweeps."""
    for _ in range(count):
        w.clock.advance(seconds=15)
        for service in services:
            await service.tick()


def test_the_later_one_keeps_what_it_took(database: str, tmp_path: Path) -> None:
    """The earlier one took it back, at its next sweep, and so on in turns: each time a new load."""

    async def run() -> None:
        async with world(database, tmp_path) as w:
            first = w.service
            loop_id, paused = await w.loop(ACKNOWLEDGER), await w.loop(ACKNOWLEDGER)
            await w.tool("loop.pause", loop_id=paused)
            later = await Service.open(w.settings, w.clock, background=False)
            await quarter_minutes(w, 10, first, later)
            assert (holds(first, loop_id), holds(later, loop_id)) == (False, True)
            assert (await w.get(loop_id))["incarnation"] == 2, "one load by each"
            await w.send(loop_id, "e1", {"kind": "wake"})  # which the first server takes in, and the later delivers
            await quarter_minutes(w, 1, first, later)

            async def acknowledged() -> bool:
                return bool((await w.get(loop_id))["pending_events"] == 0)

            await w.until(acknowledged)
            await w.tool("loop.resume", loop_id=paused)  # asked of the first server, which loads it
            await quarter_minutes(w, 10, later, first)
            assert (holds(first, paused), holds(later, paused)) == (True, False), "each leaves the other's to it"
            await later.close()

    asyncio.run(run())


def test_when_it_ends_the_others_take_over_at_once(database: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with world(database, tmp_path) as w:
            loop_id = await w.loop(ACKNOWLEDGER)
            later = await Service.open(w.settings, w.clock, background=False)
            await quarter_minutes(w, 2, w.service, later)
            await later.close()
            await quarter_minutes(w, 1, w.service)
            assert holds(w.service, loop_id)
            assert (await w.get(loop_id))["incarnation"] == 3

    asyncio.run(run())


def test_when_it_is_silent_for_a_minute_the_others_take_over(database: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with world(database, tmp_path) as w:
            loop_id = await w.loop(ACKNOWLEDGER)
            later = await Service.open(w.settings, w.clock, background=False)
            await quarter_minutes(w, 2, w.service, later)
            await quarter_minutes(w, 4, w.service)
            assert not holds(w.service, loop_id), "it may come back"
            await quarter_minutes(w, 1, w.service)
            assert holds(w.service, loop_id)
            await quarter_minutes(w, 8, later, w.service)  # it comes back, and finds what it had taken
            assert (holds(w.service, loop_id), holds(later, loop_id)) == (True, False)
            assert (await w.get(loop_id))["incarnation"] == 3
            await later.close()

    asyncio.run(run())


def test_a_server_that_starts_waits_for_nobody_and_forgets_who_is_gone(database: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with world(database, tmp_path) as w:
            loop_id = await w.loop(ACKNOWLEDGER)
            killed = [await Service.open(w.settings, w.clock, background=False) for _ in range(3)]
            await w.restart()
            assert holds(w.service, loop_id)
            async with w.service.store.read() as tx:
                assert len((await tx.execute(select(schema.servers.c.id))).all()) == 1
            for service in killed:
                await service.close()

    asyncio.run(run())
