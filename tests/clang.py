"""The compiler that tests use: clang in the PyPI package ziglang. Tests that need it are skipped where it is absent."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest

import runtime.sdk

SDK = Path(runtime.sdk.__file__).parent
# As the guide says; zig would add checks for undefined behaviour to what is not optimised.
LOOP_OPTIONS = ("-ffreestanding", "-mllvm", "-bpf-stack-size=4096", "-fno-sanitize=undefined", f"-I{SDK}")


@cache
def compiled(source: str, *options: str) -> bytes:
    """The object that clang makes of the C text `source`. Skips the test if there is no clang."""
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("ziglang is not installed: nothing to compile C with")
    command = [sys.executable, "-m", "ziglang", "cc", "-target", "bpfel-freestanding", "-O2", *options, "-c"]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "source.c").write_text(source)
        subprocess.run([*command, "source.c", "-o", "object.o"], cwd=folder, check=True)
        return Path(folder, "object.o").read_bytes()
