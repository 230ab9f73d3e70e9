"""Benchmarks: `python -m tests.bench [speed|compiler|passes|overhead|memory|fairness|parking|objects|all]`.

    speed     the code that the JIT makes, against gcc -O2 (and wasmtime, where it is installed)
    compiler  our C compiler's code against clang -O2's, and how long builds take
    passes    microseconds per eBPF instruction of every pass
    overhead  what it costs to go into guest code and out again, to call a helper, to start a guest
    memory    what an idle guest holds: resident bytes, mappings
    fairness  how long an event waits for its guest while others spin
    parking   what a parked guest holds, and how long it takes to wake up (a hundred thousand of them; a minute)
    objects   ten thousand objects on a served node, beside the peer's figures

Numbers are for a reader, not for a test: machines differ and are shared, so every figure that can be a ratio is one,
taken within the run. Times are thread CPU time. The smoke test looks at results only, not at times.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from tests.bench import compiler, machine, memory, node, objects, overhead, passes, speed
from tests.bench.programs import SHARED, named

_ALL = ("speed", "compiler", "passes", "overhead", "memory", "fairness", "parking", "objects")


def main() -> None:
    """Measure what was asked for, print tables, write JSON."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Benchmarks of the runtime.")
    parser.add_argument("what", nargs="?", default="all", choices=(*_ALL, "all"))
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all numbers to FILE")
    parser.add_argument("--only", action="append", default=[], metavar="KERNEL", help="this kernel; may be repeated")
    parser.add_argument("--pairs", type=int, default=7, metavar="N", help="runs of each engine for `speed`")
    parser.add_argument(
        "--count",
        type=int,
        action="append",
        metavar="N",
        help="objects for `objects`, 10,000 if not given; may be repeated",
    )
    arguments = parser.parse_args()
    console = Console()
    facts = machine.facts()
    console.print("  ".join(f"[bold]{name}[/] {value}" for name, value in facts.items()))
    if not SHARED.is_dir():
        console.print(f"[yellow]no {SHARED}: only the repository's own kernels")
    found: dict[str, object] = {"machine": facts}
    wanted = _ALL if arguments.what == "all" else (arguments.what,)
    try:
        kernels = named(tuple(arguments.only))
    except ValueError as error:
        parser.error(str(error))
    if "compiler" in wanted:
        found["compiler"] = compiler.run(kernels, arguments.pairs, console)
    if "speed" in wanted:
        results = speed.run(kernels, arguments.pairs, console)
        means = {name: speed.means(group) for name, group in speed.groups(results).items()}
        found["speed"] = {"kernels": [asdict(result) for result in results], "geometric means": means}
    if "passes" in wanted:
        found["passes"] = passes.run(console)
    if "overhead" in wanted:
        found["overhead"] = {cost.what: cost.microseconds for cost in overhead.run(console)}
    if "memory" in wanted:
        found["memory"] = asdict(memory.run(console))
    if "fairness" in wanted:
        found["fairness"] = asdict(node.fairness(console))
    if "parking" in wanted:
        found["parking"] = asdict(node.parking(console))
    if "objects" in wanted:
        found["objects"] = [asdict(each) for each in objects.run(console, arguments.count or (objects.COUNT,))]
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
