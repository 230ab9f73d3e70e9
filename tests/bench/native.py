"""Kernels as native code: gcc -O2 makes a shared library at run time, ctypes calls it."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path

COMPILER = ("gcc", "-O2", "-shared", "-fPIC", "-w")
_ALIGNMENT = 64


def build(source: Path, folder: Path) -> Callable[[bytearray], Callable[[], int]]:
    """A function that makes `() -> r0` for an image. Raises CalledProcessError, FileNotFoundError (no gcc)."""
    library = folder / f"{source.stem}.so"
    subprocess.run([*COMPILER, str(source), "-o", str(library)], check=True)
    entry = ctypes.CDLL(str(library)).entry
    entry.argtypes = (ctypes.c_void_p, ctypes.c_uint64)
    entry.restype = ctypes.c_uint64

    def prepare(image: bytearray) -> Callable[[], int]:
        size = len(image)
        room = (ctypes.c_char * (size + _ALIGNMENT))()
        address = -(-ctypes.addressof(room) // _ALIGNMENT) * _ALIGNMENT
        ctypes.memmove(address, bytes(image), size)

        def run() -> int:
            value = entry(address, size)
            assert room is not None  # keeps the memory
            return int(value)

        return run

    return prepare
