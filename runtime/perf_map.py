"""/tmp/perf-PID.map: where `perf` finds the names of code that no file holds. A line for each: address, size, name.

Written as code is compiled, and only after `write_perf_map`. Code in pages that were given back and used again is
listed twice; `perf` then shows either name.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO

from runtime.arena import Arena


def perf_map_path(pid: int) -> Path:
    """Where `perf` looks."""
    return Path(f"/tmp/perf-{pid}.map")


def write_perf_map(arena: Arena, path: Path) -> IO[str]:
    """Write the arena's stubs to `path`, and from now on all code that is compiled. Raises OSError.

    The file is the caller's to close, with the arena's `on_code` set back to None before.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW  # anybody may have put a link there
    file = os.fdopen(os.open(path, flags, 0o600), "w", buffering=1)

    def add(address: int, size: int, name: str) -> None:
        file.write(f"{address:x} {size:x} {name}\n")

    stubs = dict(zip(arena.ways_in, ("enter: start", "enter: resume", "enter: resume after a call"), strict=True))
    stubs |= {address: f"leave: {reason.name.lower()}" for reason, address in arena.stubs.items()}
    *addresses, last = sorted(stubs)
    for address, after in zip(addresses, [*addresses[1:], last], strict=True):
        add(address, after - address, stubs[address])
    add(last, arena.code_low - last, stubs[last])
    arena.on_code = add
    return file
