"""Rebuild every object that lies beside its C source in the repository's folders of guest code.

The compiler is clang in the PyPI package ziglang, pinned in pyproject.toml, so that everybody gets the same bytes:
paths in debug information are relative to the repository, and objects carry no times.
Usage: python tools/build_guest_code.py
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
FOLDERS = ("runtime/guest_code", "tests/bench/kernels", "tests/runtime/server/guests")
COMPILE = (
    *("-m", "ziglang", "cc", "-target", "bpfel-freestanding", "-mcpu=v4", "-O2", "-ffreestanding", "-g", "-c"),
    *("-Wall", "-Wextra", "-Werror", "-ffile-prefix-map=.=", "-fdebug-compilation-dir=.", "-Iruntime/sdk"),
)
# What is said of a fault in a library is the line of the call; and these lines would be nine tenths of the object.
WITHOUT_LINES = tuple(Path(f"runtime/guest_code/{name}_functions.c") for name in ("text", "format"))


def sources() -> tuple[Path, ...]:
    """The C files, relative to the repository."""
    return tuple(sorted(c.relative_to(REPOSITORY) for folder in FOLDERS for c in (REPOSITORY / folder).glob("*.c")))


def build(source: Path, out: Path) -> None:
    """Compile `source`, relative to the repository, to the object `out`. Raises CalledProcessError."""
    debug = ("-g0",) if source in WITHOUT_LINES else ()
    subprocess.run([sys.executable, *COMPILE, *debug, str(source), "-o", str(out)], cwd=REPOSITORY, check=True)


if __name__ == "__main__":
    for source in sources():
        build(source, REPOSITORY / source.with_suffix(".o"))
        print(source.with_suffix(".o"))
