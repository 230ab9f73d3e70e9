"""A few rounds of the crash campaign on each database, and that it notices a server that answers before it commits."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.salix.crash import campaign

KILLS = 4


def test_a_server_that_is_killed_under_load_loses_nothing_and_repeats_nothing(database: str, tmp_path: Path) -> None:
    found = asyncio.run(campaign(tmp_path, KILLS, seed=1, database=database))
    assert found.wrong == ()
    assert found.kills == KILLS
    assert found.events > 0
    assert found.loads > 1


def test_202_before_the_commit_is_noticed(tmp_path: Path) -> None:
    module = ("tests.salix.broken_server", "accept-before-commit")
    found = asyncio.run(campaign(tmp_path, KILLS, seed=1, module=module))
    assert any("is not there" in text for text in found.wrong)
