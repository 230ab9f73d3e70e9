"""The compiler's own object, from its sources: what `tools/build_compiler.py` writes and a test compares.

stage 1   clang's, of the PyPI package ziglang
stage 2   what stage 1, as a guest, makes of the same sources
stage 3   what stage 2 makes of them: the same bytes, which are shipped, and depend on no other compiler
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path

from salix.compiler.guest import Built, Failed, build
from salix.compiler.sources import Limits

ENTRY = "cc.c"
LIMITS = Limits(files=64, source_bytes=1 << 20, object_bytes=2 << 20, time_ms=300_000)
_CLANG = (
    *("-m", "ziglang", "cc", "-target", "bpfel-freestanding", "-mcpu=v4", "-O2", "-ffreestanding", "-c"),
    *("-mllvm", "-bpf-stack-size=4096", "-fno-jump-tables", "-fno-sanitize=undefined", "-Wno-everything"),
)


@cache
def compiler_sources() -> Mapping[str, str]:
    """The compiler's C files by name."""
    folder = resources.files("salix.compiler").joinpath("source")
    return {each.name: each.read_text() for each in folder.iterdir() if each.name.endswith(".c")}


def stage1() -> bytes:
    """Raises CalledProcessError; needs ziglang."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in compiler_sources().items():
            Path(folder, name).write_text(text)
        subprocess.run([sys.executable, *_CLANG, ENTRY, "-o", "stage1.o"], cwd=folder, check=True)
        return Path(folder, "stage1.o").read_bytes()


def next_stage(compiler: bytes, engine: str | None = None) -> bytes:
    """What the compiler in the object `compiler` makes of the compiler's sources. Raises ValueError if it fails."""
    match build(compiler_sources(), ENTRY, limits=LIMITS, engine=engine, compiler=compiler, lines=False):
        case Built(elf):
            return elf
        case Failed(text):
            raise ValueError(f"the compiler does not compile itself:\n{text}")
