"""Guest speed: the time of the JIT's code as a multiple of gcc -O2's, kernel by kernel.

Each pair runs every engine once on a fresh image, gcc first; what counts is the median over the pairs of the ratio
within a pair, so that a machine that is slow for a while is slow for both. Every result is checked.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, median

from rich.console import Console
from rich.progress import track
from rich.table import Table

import runtime
from tests.bench import native, wasm
from tests.bench.programs import Kernel

Runner = Callable[[bytearray], Callable[[], int]]

JIT, WASMTIME, WASMTIME_EPOCH = "jit", "wasmtime", "wasmtime-epoch"

# Of shared/bench/README.md, measured on another day: uBPF checks nothing, async-ebpf checks and can be preempted
PEERS = ("uBPF", "async-ebpf")
PEER_RATIOS = {
    "aes": (3.84, 12.14),
    "bits": (1.88, 2.63),
    "collatz": (1.59, 1.57),
    "crc32_bit": (1.06, 1.06),
    "crc32_tab": (1.50, 2.64),
    "divmod": (2.17, 2.24),
    "heapsort": (1.04, 2.30),
    "json": (1.45, 2.43),
    "linklist": (1.23, 1.87),
    "matmul": (1.68, 4.88),
    "nl_siphash": (1.52, 4.01),
    "quicksort": (1.23, 2.25),
    "sha256": (3.30, 11.74),
    "sieve": (1.58, 3.54),
    "strsearch": (1.30, 3.42),
}


class WrongResult(Exception):
    """An engine returned something else than the kernel's model: the times would mean nothing."""


@dataclass(frozen=True, slots=True)
class Speed:
    """One kernel. `native_ms` is gcc's median time, `ratios` the other engines' median multiples of it."""

    kernel: str
    native_ms: float
    ratios: dict[str, float]


def guest_runner(kernel: Kernel, image_bytes: int) -> Runner:
    """The kernel on the JIT; the code is compiled at the first run."""
    program = runtime.load(kernel.elf.read_bytes(), engine="jit", calldata_bytes=image_bytes)
    guest = program.instantiate()

    def prepare(image: bytearray) -> Callable[[], int]:
        guest.begin(image)

        def run() -> int:
            outcome = guest.resume()
            if not isinstance(outcome, runtime.Exited):
                raise WrongResult(f"{kernel.name}: {outcome}")
            return outcome.value

        return run

    return prepare


def measure(kernel: Kernel, folder: Path, pairs: int) -> Speed:
    """The speed of one kernel. Raises WrongResult."""
    repeats = kernel.full_repeats
    image, expected = kernel.image(repeats), kernel.expected(repeats)
    engines: dict[str, Runner] = {JIT: guest_runner(kernel, len(image))}
    if wasm.available():
        module = wasm.compile_to_wasm(kernel.source, folder)
        engines[WASMTIME] = wasm.build(module, interruptible=False)
        engines[WASMTIME_EPOCH] = wasm.build(module, interruptible=True)
    gcc = native.build(kernel.source, folder)
    for runner in (gcc, *engines.values()):  # compiled, and in the caches
        _timed(kernel, "warm-up", runner(kernel.image(1)), kernel.expected(1))
    native_ns: list[int] = []
    ratios: dict[str, list[float]] = {name: [] for name in engines}
    for _ in range(pairs):
        base = _timed(kernel, "gcc", gcc(kernel.image(repeats)), expected)
        native_ns.append(base)
        for name, runner in engines.items():
            ratios[name].append(_timed(kernel, name, runner(kernel.image(repeats)), expected) / base)
    return Speed(kernel.name, median(native_ns) / 1e6, {name: median(found) for name, found in ratios.items()})


def _timed(kernel: Kernel, engine: str, run: Callable[[], int], expected: int) -> int:
    before = time.thread_time_ns()
    value = run()
    elapsed = time.thread_time_ns() - before
    if value != expected:
        raise WrongResult(f"{kernel.name} on {engine}: r0 = {value:#x}, it must be {expected:#x}")
    return elapsed


def run(kernels: Sequence[Kernel], pairs: int, console: Console) -> list[Speed]:
    """Measure all kernels and print the table."""
    with tempfile.TemporaryDirectory() as folder:
        progress = track(kernels, "speed", console=console, transient=True)
        results = [measure(kernel, Path(folder), pairs) for kernel in progress]
    console.print(table(results, pairs))
    return results


def groups(results: Sequence[Speed]) -> dict[str, list[Speed]]:
    """The kernels that peers were measured with, and the repository's own; a group without kernels is left out."""
    split = {
        "shared": [r for r in results if r.kernel in PEER_RATIOS],
        "own": [r for r in results if r.kernel not in PEER_RATIOS],
    }
    return {name: group for name, group in split.items() if group}


def means(results: Sequence[Speed]) -> dict[str, float]:
    """Geometric means of the ratios, by engine."""
    return {name: geometric_mean([result.ratios[name] for result in results]) for name in results[0].ratios}


def table(results: Sequence[Speed], pairs: int) -> Table:
    """The kernels that peers were measured with first, with their mean, then the others, with theirs."""
    engines = list(results[0].ratios)
    shown = Table(title=f"guest time / gcc -O2 time, median of {pairs} pairs", title_justify="left")
    shown.add_column("kernel")
    for name in ("gcc ms", *engines, *(f"({peer})" for peer in PEERS)):
        shown.add_column(name, justify="right")
    for group in groups(results).values():
        for r in group:
            peers = [f"{ratio:.2f}" for ratio in PEER_RATIOS.get(r.kernel, ())]
            shown.add_row(r.kernel, f"{r.native_ms:.1f}", *(f"{r.ratios[name]:.2f}" for name in engines), *peers)
        averages = [f"[bold]{mean:.2f}" for mean in means(group).values()]
        peers = []
        if group[0].kernel in PEER_RATIOS:
            columns = zip(*(PEER_RATIOS[r.kernel] for r in group), strict=True)
            peers = [f"{geometric_mean(column):.2f}" for column in columns]
        shown.add_row("[bold]geometric mean", "", *averages, *peers, end_section=True)
    return shown
