"""The engines that run snippets: `simulator`, `unicorn`, `hardware`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from differential.chunk import Chunk
from differential.engines.hardware import Hardware
from differential.engines.simulator import Simulator
from differential.engines.unicorn import Unicorn
from differential.outcome import Outcome
from differential.placement import Placement


class Engine(Protocol):
    """Something that runs code."""

    version: str

    def run(self, chunk: Chunk) -> list[Outcome]:
        """One outcome per snippet, in the order of the chunk."""
        ...


# how to make each; EngineMissing says why that cannot be done here
ENGINES: dict[str, Callable[[Placement], Engine]] = {
    "simulator": Simulator,
    "unicorn": Unicorn,
    "hardware": Hardware,
}
