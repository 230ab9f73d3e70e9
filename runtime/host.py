"""What all guests of a process share: the cage, the code arena, compiled texts, the watcher.

One host is enough for a process (`shared_host`); tests make their own to see that everything is given back.
"""

from __future__ import annotations

import functools
import threading

from runtime.arena import Arena, native_unavailable
from runtime.cage import Cage
from runtime.links import Links
from runtime.preemption import Watcher
from runtime.text import Texts, Units


class Host:
    """The services. `arena` and `units` are None where there is no native engine."""

    def __init__(self) -> None:
        self.cage = Cage()
        self.slots_change = threading.RLock()  # reentrant: a signal handler may stop a guest that is being closed
        self.links = Links()
        self.texts = Texts()
        self.watcher = Watcher()
        self.native_unavailable = native_unavailable()
        self.arena = Arena() if self.native_unavailable is None else None
        self.units = Units(self.arena) if self.arena is not None else None


@functools.cache
def shared_host() -> Host:
    """The process's host, made at first use."""
    return Host()
