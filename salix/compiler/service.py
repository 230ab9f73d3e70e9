"""The compiler as `sf.build.compile` wants it: builds beside whatever else the node does, each a guest of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import cached_property
from hashlib import sha256

from runtime.server.builds import BuildOutcome
from salix.compiler.guest import Built, compilation, prepare, shipped


class Service:
    """A `runtime.server.builds.Builder`. The compiler is loaded for the first build, in a thread of its own."""

    @cached_property
    def toolchain(self) -> str:
        """Two compilers of different bytes have different names."""
        return f"salix-cc {sha256(shipped()).hexdigest()[:16]}"

    async def build(self, entry: str, files: Mapping[str, str]) -> BuildOutcome:
        """Raises SourcesRefused, CompilerFault."""
        await asyncio.to_thread(prepare)
        result = await compilation(files, entry).run_async()
        if isinstance(result, Built):
            return BuildOutcome(result.elf, "", result.diagnostics, result.diagnostics_truncated)
        error = result.diagnostics.partition("\n")[0]
        return BuildOutcome(None, error, result.diagnostics, result.diagnostics_truncated)


SERVICE = Service()
