"""Which waiting guests are parked: kept as the bytes of a snapshot, their memory and address space returned.

A parked guest is restored when its timer, event or answer arrives; it cannot tell. Two reasons to park: a guest has
waited for `idle_seconds`; or memory is short, and this one has waited longest. Memory is short when more than
`resident` guests wait, which keeps tens of thousands of objects under the kernel's limit on mappings, of which a guest
takes four; or when the process has more than `memory_bytes`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from jit.layout import PAGE

_MAPS_PER_GUEST = 4
# For the interpreter, its libraries, the code arena: at the kernel's limit nothing that wants a mapping works.
_MAPS_KEPT = 4000
_MAX_MAP_COUNT = Path("/proc/sys/vm/max_map_count")
_USUAL_MAX_MAP_COUNT = 65530
_STATM = Path("/proc/self/statm")


def _resident_limit() -> int:
    try:
        maps = int(_MAX_MAP_COUNT.read_text())
    except (OSError, ValueError):  # not Linux: no such limit is known
        maps = _USUAL_MAX_MAP_COUNT
    return max((maps - _MAPS_KEPT) // _MAPS_PER_GUEST, 1)


def resident_bytes() -> int:
    """Memory that this process has, by the kernel's account; 0 where it gives none."""
    try:
        return int(_STATM.read_text().split()[1]) * PAGE
    except (OSError, ValueError):
        return 0


@dataclass(frozen=True, slots=True)
class Parking:
    """When to park. None: never for this reason.

    idle_seconds: a guest that has waited this long. resident: how many waiting guests may keep their memory; by
    default as many as the kernel's vm.max_map_count allows. memory_bytes: resident memory of the whole process.
    """

    idle_seconds: float | None = 60.0
    resident: int | None = None
    memory_bytes: int | None = None

    @property
    def sweeps(self) -> bool:
        """Whether to look for guests to park from time to time."""
        return self.idle_seconds is not None or self.memory_bytes is not None

    def resident_limit(self) -> int:
        """How many guests may have memory before waiting ones are parked."""
        return self.resident if self.resident is not None else _resident_limit()


NEVER = Parking(idle_seconds=None, resident=1 << 62)

ItemT = TypeVar("ItemT")


class Idle(Generic[ItemT]):
    """Waiting guests that have their memory, longest waiting first. `park(item)` gives it back."""

    def __init__(
        self,
        policy: Parking,
        now: Callable[[], float],
        park: Callable[[ItemT], None],
        resident_bytes: Callable[[], int] = resident_bytes,
    ) -> None:
        self.policy = policy
        self._resident_bytes = resident_bytes
        self.limit = policy.resident_limit()
        self._now, self._park = now, park
        self._since: dict[ItemT, float] = {}

    def __len__(self) -> int:
        return len(self._since)

    def add(self, item: ItemT) -> None:
        """`item` waits from now on."""
        self._since[item] = self._now()
        if len(self._since) > self.limit:
            self.park_longest()

    def discard(self, item: ItemT) -> None:
        """`item` waits no more, or has ended."""
        self._since.pop(item, None)

    def park_longest(self) -> bool:
        """Park the guest that has waited longest; False if none waits."""
        for item in self._since:
            del self._since[item]
            self._park(item)
            return True
        return False

    def sweep(self, at_most: int) -> bool:
        """Park up to `at_most` guests for the policy's sake; whether there may be more."""
        idle_seconds = self.policy.idle_seconds
        before = -math.inf if idle_seconds is None else self._now() - idle_seconds
        for _ in range(at_most):
            item = next(iter(self._since), None)
            if item is None or (self._since[item] > before and not self._short_of_memory()):
                return False
            del self._since[item]
            self._park(item)
        return True

    def _short_of_memory(self) -> bool:
        limit = self.policy.memory_bytes
        return limit is not None and self._resident_bytes() > limit
