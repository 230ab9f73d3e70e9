"""The guest programs that are measured: C sources, eBPF objects, inputs, and the right results.

Two sets with one convention, `u64 entry(u8 *mem, u64 len)` with the number of repeats in the first eight bytes: the
repository's own in `kernels/` (inputs and results in `own_kernels`), and, where the checkout has a sibling
`shared/bench`, the fifteen there with `inputs.py` and `expected.json`.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from tests.bench import own_kernels

REPOSITORY = Path(__file__).resolve().parents[2]
OWN = Path(__file__).resolve().parent / "kernels"
SHARED = REPOSITORY.parent / "shared" / "bench"
QUICK_REPEATS = 3


@dataclass(frozen=True, slots=True)
class Kernel:
    """One program. `image(repeats)` is a fresh input, `expected(repeats)` what `entry` returns for it."""

    name: str
    source: Path
    elf: Path
    full_repeats: int  # tens of milliseconds of native code
    image: Callable[[int], bytearray]
    expected: Callable[[int], int]


def own() -> tuple[Kernel, ...]:
    """The repository's kernels."""
    return tuple(
        Kernel(name, OWN / f"{name}.c", OWN / f"{name}.o", model.full_repeats, model.image, model.expected)
        for name, model in own_kernels.MODELS.items()
    )


def shared() -> tuple[Kernel, ...]:
    """The kernels of `shared/bench`; none if there is no such folder."""
    if not SHARED.is_dir():
        return ()
    inputs = _module(SHARED / "inputs.py")
    results: dict[str, dict[str, str]] = json.loads((SHARED / "expected.json").read_text())
    return tuple(_shared(name, full, inputs, results[name]) for name, (_, full) in sorted(inputs.KERNELS.items()))


def _shared(name: str, full_repeats: int, inputs: ModuleType, results: dict[str, str]) -> Kernel:
    def image(repeats: int) -> bytearray:
        made = inputs.image(name, repeats)
        assert isinstance(made, bytearray)
        return made

    def expected(repeats: int) -> int:
        return int(results[str(repeats)], 16)

    objects = SHARED / "objects" / f"{name}.o"
    return Kernel(name, SHARED / "kernels" / f"{name}.c", objects, full_repeats, image, expected)


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("shared_bench_inputs", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def named(only: tuple[str, ...]) -> tuple[Kernel, ...]:
    """The kernels of both sets, or those with one of these names. Raises ValueError for a name that nobody has."""
    kernels = (*own(), *shared())
    unknown = set(only) - {kernel.name for kernel in kernels}
    if unknown:
        raise ValueError(f"no kernel {', '.join(sorted(unknown))}; there are: {', '.join(k.name for k in kernels)}")
    return tuple(kernel for kernel in kernels if not only or kernel.name in only)
