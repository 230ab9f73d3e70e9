"""The C compiler: how fast its output is beside clang -O2's, and how long a build takes.

Output: both objects of each kernel run in turn on the JIT, on fresh images; what counts is the median of the ratio
within a pair. Builds: the time that this thread spends, of the first one in the process (the compiler is loaded and
translated) and of later ones, each in a guest of its own; and how much of its arena the compiler used.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from salix.compiler import Built, build
from tests.bench.programs import REPOSITORY, Kernel
from tests.bench.speed import Runner, guest_runner

LOOPS = REPOSITORY.parent / "shared" / "loops"
BUILDS = 5  # of each Loop on a warm node


@dataclass(frozen=True, slots=True)
class Output:
    """One kernel: milliseconds of clang's code, and ours as a multiple of it."""

    kernel: str
    clang_ms: float
    ratio: float


@dataclass(frozen=True, slots=True)
class Builds:
    """Milliseconds; bytes of the arena."""

    programs: int
    cold_ms: float
    warm_ms: float  # median over programs
    slowest_ms: float
    memory_bytes: int  # the most


def compiled(source: Path) -> bytes:
    """Our object of a C file and the headers beside it."""
    files = {path.name: path.read_bytes() for path in (source, *source.parent.glob("*.h")) if path.name != "spinfoam.h"}
    result = build(files, source.name)
    if not isinstance(result, Built):
        raise ValueError(result.diagnostics)
    return result.elf


def _timed(runner: Runner, kernel: Kernel) -> int:
    run = runner(kernel.image(kernel.full_repeats))
    before = time.thread_time_ns()
    value = run()
    elapsed = time.thread_time_ns() - before
    assert value == kernel.expected(kernel.full_repeats), kernel.name
    return elapsed


def measure(kernel: Kernel, folder: Path, pairs: int) -> Output:
    """The ratio for one kernel."""
    elf = folder / f"{kernel.name}.o"
    elf.write_bytes(compiled(kernel.source))
    size = len(kernel.image(1))
    clang, ours = guest_runner(kernel, size), guest_runner(replace(kernel, elf=elf), size)
    for runner in (clang, ours):
        assert runner(kernel.image(1))() == kernel.expected(1), kernel.name
    times = [(_timed(clang, kernel), _timed(ours, kernel)) for _ in range(pairs)]
    return Output(kernel.name, median(a for a, _ in times) / 1e6, median(b / a for a, b in times))


def builds() -> Builds | None:
    """How long Loops take to build; None if there are none."""
    programs = sorted(LOOPS.glob("*.c"))
    if not programs:
        return None
    times: list[list[float]] = []
    memory = 0
    for round_number in range(BUILDS + 1):
        times.append([])
        for path in programs:
            before = time.thread_time()
            result = build({path.name: path.read_bytes()}, path.name)
            times[round_number].append((time.thread_time() - before) * 1000)
            assert isinstance(result, Built), result.diagnostics
            memory = max(memory, result.memory_bytes)
    warm = [median(column) for column in zip(*times[1:], strict=True)]
    return Builds(len(programs), times[0][0], median(warm), max(warm), memory)


def run(kernels: Sequence[Kernel], pairs: int, console: Console) -> dict[str, Any]:
    """Measure, and print tables."""
    made = builds()  # first, while the process is cold
    if made is not None:
        table = Table("builds of Loops", "", title=f"C compiler, {made.programs} programs")
        table.add_row("first in the process", f"{made.cold_ms:.0f} ms")
        table.add_row("later ones, median", f"{made.warm_ms:.1f} ms")
        table.add_row("later ones, slowest", f"{made.slowest_ms:.1f} ms")
        table.add_row("arena used, most", f"{made.memory_bytes / 1024:.0f} KiB")
        console.print(table)
    with tempfile.TemporaryDirectory() as folder:
        progress = track(kernels, "compiler", console=console, transient=True)
        outputs = [measure(kernel, Path(folder), pairs) for kernel in progress]
    table = Table("kernel", "clang -O2, ms", "ours, as a multiple", title=f"compiled code, median of {pairs} pairs")
    for output in outputs:
        table.add_row(output.kernel, f"{output.clang_ms:.1f}", f"{output.ratio:.2f}")
    mean = geometric_mean(output.ratio for output in outputs)
    table.add_row("geometric mean", "", f"{mean:.2f}")
    console.print(table)
    return {
        "builds": asdict(made) if made is not None else None,
        "kernels": [asdict(output) for output in outputs],
        "geometric mean": mean,
    }
