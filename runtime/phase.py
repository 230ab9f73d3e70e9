"""Where a guest is between two calls of its methods."""

from enum import Enum


class Phase(Enum):
    """The states of `runtime.guest`."""

    IDLE = "idle"
    READY = "ready"  # begun, nothing executed
    PREEMPTED = "preempted"
    WAITING = "waiting"  # at a helper call without an answer
    ANSWERED = "answered"  # behind a helper call, r0 set
    CLOSED = "closed"
