"""What ran: the versions that a report names, so that somebody else can say whether theirs is the same."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def processor() -> str:
    """The name of this processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def versions(*distributions: str) -> dict[str, str]:
    """Of this machine, and of those of these distributions that are installed; by name."""
    found = {"python": platform.python_version(), "processor": processor(), "kernel": platform.release()}
    for name in distributions:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # what lacks is in the report's `missing`
            continue
    return found


def named(found: dict[str, str]) -> str:
    """In one line."""
    return ", ".join(f"{name} {number}" for name, number in found.items())
