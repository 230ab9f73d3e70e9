"""Who calls a tool, and what all models of arguments share."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from salix.service import Service
from salix.service.errors import not_found
from salix.store import loops
from salix.store.loops import Loop


class Caller(NamedTuple):
    """An agent that was authenticated by its group's key."""

    agent_id: str
    group_id: str

    @property
    def principal(self) -> str:
        return f"agent:{self.agent_id}"


class Arguments(BaseModel):
    """Arguments of a tool: what is not described is refused, and nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class NoArguments(Arguments):
    """Of tools that need nothing."""


async def own_loop(service: Service, caller: Caller, loop_id: str) -> Loop:
    """The caller's Loop. Raises Refused (NOT_FOUND), also for another agent's: ids do not tell."""
    async with service.store.read() as tx:
        loop = await loops.get(tx, loop_id)
    if loop is None or loop.agent_id != caller.agent_id:
        raise not_found("Loop", loop_id)
    return loop
