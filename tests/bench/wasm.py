"""Kernels under wasmtime: clang from ziglang makes wasm32 of them. Optional: `available()` says whether it can be.

Two ways: as wasmtime runs code by default (guard pages, not interruptible), and with epoch interruption, which is
what compares with a guest of ours.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

COMPILE = (
    *("-m", "ziglang", "cc", "-target", "wasm32-freestanding", "-O2", "-nostdlib", "-w"),
    *("-Wl,--no-entry", "-Wl,--export=entry", "-Wl,--export=__heap_base"),
)
_PAGE = 65536
_FOREVER = 1 << 40  # epochs


def available() -> bool:
    """Whether wasmtime and ziglang are installed."""
    return all(importlib.util.find_spec(name) is not None for name in ("wasmtime", "ziglang"))


def compile_to_wasm(source: Path, folder: Path) -> Path:
    """The module made of `source`. Raises CalledProcessError."""
    module = folder / f"{source.stem}.wasm"
    subprocess.run([sys.executable, *COMPILE, str(source), "-o", str(module)], check=True)
    return module


def build(module: Path, *, interruptible: bool) -> Callable[[bytearray], Callable[[], int]]:
    """A function that makes `() -> r0` for an image."""
    import wasmtime

    config = wasmtime.Config()
    config.epoch_interruption = interruptible
    engine = wasmtime.Engine(config)
    compiled = wasmtime.Module.from_file(engine, str(module))

    def prepare(image: bytearray) -> Callable[[], int]:
        store = wasmtime.Store(engine)
        if interruptible:
            store.set_epoch_deadline(_FOREVER)
        exports = wasmtime.Instance(store, compiled, []).exports(store)
        memory, entry, heap = exports["memory"], exports["entry"], exports["__heap_base"]
        assert isinstance(memory, wasmtime.Memory)
        assert isinstance(entry, wasmtime.Func)
        assert isinstance(heap, wasmtime.Global)
        start = -(-heap.value(store) // 64) * 64
        memory.grow(store, -(-(start + len(image)) // _PAGE))
        memory.write(store, image, start)
        return lambda: int(entry(store, start, len(image))) & (1 << 64) - 1

    return prepare
