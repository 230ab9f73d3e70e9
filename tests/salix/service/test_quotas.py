"""Quotas on active Loops, when many are made at once: counting and adding are one step."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from salix.service import Limits, Refusal, Refused
from salix.service.programs import sha256_of
from salix.store import identities
from salix.tools import call
from salix.tools.caller import Caller
from tests.salix.services import ACKNOWLEDGER, AGENT, object_of, world


@pytest.mark.parametrize(
    ("limits", "created"),
    [
        (Limits(active_loops_of_agent=2, active_loops_of_group=100), 4),
        (Limits(active_loops_of_agent=20, active_loops_of_group=3), 3),
    ],
)
def test_of_loops_that_are_made_at_once_no_more_than_the_quota_are(
    database: str, tmp_path: Path, limits: Limits, created: int
) -> None:
    async def run() -> None:
        async with world(database, tmp_path, limits=limits) as w:
            callers = [AGENT, Caller("second", AGENT.group_id)]
            async with w.service.store.write() as tx:
                await identities.add_agent(tx, "second", AGENT.group_id, 1)
            elf = object_of(ACKNOWLEDGER)
            for caller in callers:
                w.service.files.write(caller.agent_id, "loop.o", elf)
            arguments = {"path": "loop.o", "sha256": sha256_of(elf)}
            results = await asyncio.gather(
                *(call(w.service, caller, "loop.create", arguments) for caller in callers * 5), return_exceptions=True
            )
            refused = [each for each in results if isinstance(each, Refused)]
            assert len(results) - len(refused) == created
            assert {each.kind for each in refused} == {Refusal.QUOTA}
            assert not [each for each in results if isinstance(each, BaseException) and not isinstance(each, Refused)]
            assert len(w.service.attachments) == created

    asyncio.run(run())
