"""The shared benchmark kernels, compiled by our compiler, compute what they should, however few registers there are."""

from __future__ import annotations

import importlib.util
import json
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from runtime import Exited, Profile, load
from salix.compiler import Built, build

BENCH = Path(__file__).parents[3] / "shared" / "bench"
KERNELS = sorted(path.stem for path in BENCH.glob("kernels/*.c"))

pytestmark = pytest.mark.skipif(not KERNELS, reason="../shared/bench is not there: its kernels are not run")


@cache
def inputs() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kernel_inputs", BENCH / "inputs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("registers", [0, 1, 2, 5])
@pytest.mark.parametrize("name", KERNELS)
def test_kernels_compute_what_they_should(name: str, registers: int) -> None:
    files = {f"{name}.c": (BENCH / "kernels" / f"{name}.c").read_text(), "k.h": (BENCH / "kernels" / "k.h").read_text()}
    built = build(files, f"{name}.c", registers=registers)
    assert isinstance(built, Built), built.diagnostics
    expected = int(json.loads((BENCH / "expected.json").read_text())[name]["1"], 16)
    with load(built.elf, profile=Profile(frames=64)).instantiate() as guest:
        assert guest.run(inputs().image(name, 1), entry="entry", limit_ms=60_000) == Exited(expected)
