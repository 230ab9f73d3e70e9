"""What embedders see of an object: values, made when they are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """loaded -> starting -> running -> exited | failed
    \\-> stopping -> stopped, from any of the first three
    """

    LOADED = "loaded"
    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    EXITED = "exited"
    FAILED = "failed"


class Wait(StrEnum):
    """What a running object waits for."""

    NONE = "none"
    TIMER = "timer"
    EVENT = "event"
    HOST_CALL = "host_rpc"


@dataclass(frozen=True, slots=True)
class Exit:
    """The entry function returned `exit_code` (signed 64 bits)."""

    exit_code: int


@dataclass(frozen=True, slots=True)
class Failure:
    """The object ended by a fault of its own (PROGRAM_FAULT), or because the runtime could not go on with it."""

    kind: str
    error: str


Outcome = Exit | Failure

PROGRAM_FAULT = "PROGRAM_FAULT"
RUNTIME_REFUSED = "RUNTIME_REFUSED"
INTERNAL_ERROR = "INTERNAL_ERROR"


@dataclass(frozen=True, slots=True)
class Status:
    """An object at one moment. `sha256` is of its ELF, in hex."""

    object_id: str
    sha256: str
    state: State
    wait: Wait
    mailbox_entries: int
    outcome: Outcome | None


class MemoryKind(StrEnum):
    """What a number of bytes means."""

    NONE = "none"  # there is no guest, before the start and after the end
    RESIDENT = "resident"  # the pages that its guest has touched
    PARKED = "parked"  # what is kept of it while it waits
    AT_MOST = "at most"  # what its guest may touch: the kernel does not tell what it has


@dataclass(frozen=True, slots=True)
class Memory:
    """What an object takes of the process, in bytes."""

    bytes: int
    kind: MemoryKind


@dataclass(frozen=True, slots=True)
class Page:
    """Some objects in lexical order of their ids; `next` is the `after` of the next page, None at the end."""

    objects: tuple[Status, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class Delivery:
    """An event was admitted to the mailbox, or is one of the last that were: not that anybody has handled it."""

    accepted: bool
    duplicate: bool
