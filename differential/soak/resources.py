"""What a process has of things that guests could leak, from /proc; and how much more of each is too much."""

from __future__ import annotations

import mmap
import os
import re
import sys
from pathlib import Path
from typing import NamedTuple

from runtime import Host

RESIDENT_SLACK = 8 << 20  # bytes, after the warm-up: the allocator's own ups and downs; 1.4 MiB in 120,000 guests
BLOCKS_SLACK = 8000  # of Python's allocator: the canary is at another place each time, 3,000 up and down
MAPS_SLACK = 48  # mappings, beside those of slots
MAPS_OF_A_SLOT = 4  # at most; a slot that was carved stays, for the next guest
CARVED_SLACK = 400  # slots, of all sizes: at some time there are more guests at once than ever before
_MAPPING = re.compile(r"^\S+ (....) ", re.M)


class Resources(NamedTuple):
    """How many there are, of the process and of the host."""

    resident_bytes: int
    blocks: int  # that Python's allocator gave to objects
    maps: int
    writable_and_executable: int
    threads: int
    files: int
    slots: int
    code_bytes: int
    table_slots: int
    texts: int
    carved: int  # slots that there ever were at once


AVAILABLE = Path("/proc/self/statm").exists()


def resources(host: Host) -> Resources:
    """Now. Without /proc, what only it can tell is 0."""
    arena = host.arena
    rights: list[str] = []
    resident = threads = files = 0
    if AVAILABLE:
        resident = int(Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE
        rights = _MAPPING.findall(Path("/proc/self/maps").read_text())
        threads, files = len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))
    return Resources(
        resident,
        sys.getallocatedblocks(),
        len(rights),
        sum("w" in right and "x" in right for right in rights),
        threads,
        files,
        host.cage.in_use,
        arena.code_bytes if arena is not None else 0,
        arena.table_slots if arena is not None else 0,
        len(host.texts._texts),
        host.cage._carved,
    )


def grown(before: Resources, now: Resources) -> list[str]:
    """What there is too much of, at a moment at which the same guests live as before."""
    maps = MAPS_SLACK + MAPS_OF_A_SLOT * (now.carved - before.carved)
    exactly = Resources(*[0] * len(Resources._fields))
    slack = exactly._replace(resident_bytes=RESIDENT_SLACK, blocks=BLOCKS_SLACK, maps=maps, carved=CARVED_SLACK)
    found = []
    for name, old, new, more in zip(Resources._fields, before, now, slack, strict=True):
        if new > old + more:
            found.append(f"{name.replace('_', ' ')}: {old} before, {new} now")
    return found
