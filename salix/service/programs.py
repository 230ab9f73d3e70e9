"""What a Loop runs as: its ELF, which must be the one that it was created with, its config, and what it may call."""

from __future__ import annotations

import hashlib

from runtime import UnknownHelpers
from runtime.node import Capability, Node, NodeError
from runtime.sdk.values import Value, decode
from salix.service.errors import Refused
from salix.service.files import AgentFiles
from salix.store.loops import Loop


class ProgramChanged(Exception):
    """The file is not the program any more that the Loop was created with; the message says how."""


def sha256_of(elf: bytes) -> str:
    return hashlib.sha256(elf).hexdigest()


def read_program(files: AgentFiles, loop: Loop) -> bytes:
    """The ELF, read anew. Raises ProgramChanged."""
    try:
        elf = files.read(loop.agent_id, loop.path)
    except Refused as refused:
        raise ProgramChanged(str(refused)) from refused
    found = sha256_of(elf)
    if found != loop.sha256:
        raise ProgramChanged(f"{loop.path} has SHA-256 {found}, the Loop was created with {loop.sha256}")
    return elf


def config_with_state(config: bytes, state: bytes | None) -> Value:
    """What `sf_config` gives: the config, with the checkpoint as `state`. Other configs are put into one."""
    value = decode(config)
    if state is None:
        return value
    return {**(value if isinstance(value, dict) else {"config": value}), "state": decode(state)}


def grants(loop: Loop) -> list[Capability]:
    """The names in the Loop's row."""
    return [Capability(name) for name in decode(loop.capabilities)]


async def judge(node: Node, elf: bytes) -> None:
    """Raises NodeError unless `node` would load that object."""
    status = node.load(elf)
    await node.unload(status.object_id)


def objection(refused: NodeError) -> str:
    """Why a node does not load an object, as a line for who wrote its source."""
    cause = refused.__cause__
    if isinstance(cause, UnknownHelpers):
        names = ", ".join(f"`{name}`" for name in cause.names)
        return f"error: nobody has the function {names}: define it, or use what spinfoam.h declares\n"
    return f"error: this is no Loop: {refused}\n"
