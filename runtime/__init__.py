"""Runs guests: loads eBPF objects, gives each guest its own memory, runs it natively, calls the host for it.

Promises to its users: bad input raises a typed error and loses nothing; a guest touches its own memory only,
whatever its code; a fault ends that guest and no other; no guest runs longer than its slice; what was taken
(address space, code, memory) is given back. `load`, `Program` and `Guest` are the interface.
"""

from jit.layout import Profile
from runtime.errors import GuestPointerFault, RuntimeRefused, SnapshotRefused
from runtime.guest import Guest
from runtime.helpers import HelperMisuse
from runtime.host import Host, shared_host
from runtime.memory import GuestMemory
from runtime.outcomes import Event, Exited, Faulted, FaultKind, Outcome, Preempted, Stopped, Waiting
from runtime.phase import Phase
from runtime.program import Program, load, load_bytecode
from runtime.snapshot import Snapshot
from validator.errors import LoadError, UnknownHelpers

__all__ = [
    "Event",
    "Exited",
    "FaultKind",
    "Faulted",
    "Guest",
    "GuestMemory",
    "GuestPointerFault",
    "HelperMisuse",
    "Host",
    "LoadError",
    "Outcome",
    "Phase",
    "Preempted",
    "Profile",
    "Program",
    "RuntimeRefused",
    "Snapshot",
    "SnapshotRefused",
    "Stopped",
    "UnknownHelpers",
    "Waiting",
    "load",
    "load_bytecode",
    "shared_host",
]
