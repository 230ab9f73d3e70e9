"""Pruning: what `salix.store.retention` forgets of the rows, and of the agents' files the objects that nobody runs.

An object goes when it is old and no Loop that may run again was created from it: whoever has the source can build it
again.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

from salix.service.files import AgentFiles
from salix.service.settings import DAY_MS
from salix.store import Store, audit, loops
from salix.store.retention import prune as prune_rows


async def prune(
    store: Store,
    files: AgentFiles,
    older_than_days: int,
    now_ms: int,
    principal: str,
    said: Callable[[str, int], None] = lambda table, count: None,
) -> dict[str, int]:
    """Drop what is old and not needed; how many rows of each table, and how many files. The audit log has it.

    said: is told how many rows of a table went so far.
    """
    before_ms = now_ms - older_than_days * DAY_MS
    dropped = await prune_rows(store, before_ms, said=said)
    async with store.read() as tx:
        kept = await loops.programs(tx)
    said("files", 0)
    dropped["files"] = await asyncio.to_thread(files.prune, before_ms, now_ms, kept)
    if any(dropped.values()):
        outcome = f"older than {older_than_days} days"
        async with store.write() as tx:
            await audit.add(tx, audit.Entry(principal, "prune", None, outcome, json.dumps(dropped), now_ms))
    return dropped
