"""What an engine raises that this machine does not have."""

from __future__ import annotations


class EngineMissing(Exception):
    """The engine `name` cannot run here, and why. The others still can."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason
