"""What a Loop runs as: its ELF, which must be the one that it was created with, its config, and what it may call."""

from __future__ import annotations

import hashlib

from runtime.node import Capability
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
