"""The C compiler: sources in, an object or messages out. It runs as a guest, so that no C touches the host.

`source/` holds the compiler, in the C that it compiles; `compiler.o` is what it makes of itself, and is what runs.
`include/` holds the headers that it supplies, beside `runtime/sdk/spinfoam.h`. docs/compiler.md describes the language.
"""

from __future__ import annotations

from salix.compiler.guest import Built, Compilation, CompilerFault, Failed, build, compilation
from salix.compiler.sources import Limits, SourcesRefused

__all__ = ["Built", "Compilation", "CompilerFault", "Failed", "Limits", "SourcesRefused", "build", "compilation"]
