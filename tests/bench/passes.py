"""Microseconds per eBPF instruction of every pass, from an object's bytes to placed machine code.

Cold: every program with memos of its own, so that nothing is known of any instruction. Warm: the memos have seen the
program before, as when an object's code is compiled again for another table. First: cold, and nothing of this
process has run before (the interpreter specialises code that runs often), in a process of its own.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from rich.console import Console
from rich.table import Table

from jit.assemble import join, place
from jit.check import check
from jit.compile import Memos
from jit.context import Exit
from jit.expand import templates
from jit.layout import Layout, data_lows, plan
from jit.lower import lower
from jit.regions import guess
from runtime.guest_code import MEMORY_FUNCTIONS
from runtime.helpers import Helpers
from tests.bench.programs import QUICK_REPEATS, REPOSITORY, own, shared
from validator.decode import decode
from validator.isa import Instruction
from validator.link import Limits, link
from validator.validate import Validated, validate

ROUNDS = 9
TARGET_US = 10.0
LINKING = "read and link the object"
_STUBS = {reason: 0x1000 + 64 * reason for reason in Exit}
_ADDRESS, _TABLE = 0x10000, 0x8000


@dataclass(frozen=True, slots=True)
class Subject:
    """One object, and the number of bytes of its calldata."""

    name: str
    elf: bytes
    calldata_bytes: int


class Stopwatch:
    """Nanoseconds of CPU time by pass: `lap(name)` charges what has passed since the last lap."""

    def __init__(self) -> None:
        self.spent: dict[str, int] = {}
        self._started = time.thread_time_ns()

    def start(self) -> None:
        """Charge nobody for what has passed."""
        self._started = time.thread_time_ns()

    def lap(self, name: str) -> None:
        now = time.thread_time_ns()
        self.spent[name] = self.spent.get(name, 0) + now - self._started
        self._started = time.thread_time_ns()


@dataclass(slots=True)
class Kept:
    """What a host keeps between compilations under one layout."""

    decoded: dict[bytes, Instruction] = field(default_factory=dict)
    memos: Memos = field(default_factory=Memos)


def subjects() -> tuple[Subject, ...]:
    """The demo and all kernels."""
    demo = Subject("demo", (REPOSITORY / "runtime/guest_code/demo.o").read_bytes(), 4096)
    kernels = (*own(), *shared())
    return (demo, *(Subject(k.name, k.elf.read_bytes(), len(k.image(QUICK_REPEATS))) for k in kernels))


def translate_all(subject: Subject, kept: Kept, stopwatch: Stopwatch) -> int:
    """Every function of the program through every pass. How many instructions that were."""
    helpers = Helpers({"print": lambda *_: 0})
    stopwatch.start()
    linked = link(subject.elf, helpers.by_name, _lows, libraries=(MEMORY_FUNCTIONS,), limits=Limits())
    stopwatch.lap(LINKING)
    layout = plan(len(linked.read_only), linked.writable_size, subject.calldata_bytes)
    entries = tuple(sorted(set(linked.entries.values())))
    stopwatch.start()
    program = decode(linked.code, kept.decoded)
    stopwatch.lap("decode")
    validated = validate(program, entries, helpers.numbers, linked.starts)
    stopwatch.lap("validate")
    _compile(validated, layout, kept.memos, stopwatch)
    return sum(instruction is not None for instruction in program)


def _lows(read_only_size: int, writable_size: int) -> tuple[int, int]:
    return data_lows(read_only_size)


def _compile(validated: Validated, layout: Layout, memos: Memos, stopwatch: Stopwatch) -> None:
    """As `jit.compile.compile_function` and the arena do, pass by pass."""
    starts = frozenset(function.start for function in validated.functions)
    table = {start: _TABLE + 8 * i for i, start in enumerate(sorted(starts))}
    stopwatch.start()
    hints = guess(validated, layout)
    stopwatch.lap("region analysis")
    for function in validated.functions:
        blocks = lower(validated, function, layout, hints, memos.lowered)
        stopwatch.lap("lower")
        admitted = check(blocks, function, starts, layout, memos.judged)
        stopwatch.lap("check")
        parts = templates(admitted, memos.templates)
        stopwatch.lap("expand, encode")
        code = join(parts)
        stopwatch.lap("join")
        place(code, _ADDRESS, _STUBS, table)
        stopwatch.lap("place")


def cold_round(wanted: Sequence[Subject]) -> tuple[dict[str, float], dict[str, float]]:
    """Microseconds per instruction by pass, cold and warm, over all subjects."""
    cold, warm, instructions = Stopwatch(), Stopwatch(), 0
    for subject in wanted:
        kept = Kept()
        instructions += translate_all(subject, kept, cold)
        translate_all(subject, kept, warm)
    return _per_instruction(cold, instructions), _per_instruction(warm, instructions)


def _per_instruction(stopwatch: Stopwatch, instructions: int) -> dict[str, float]:
    return {name: spent / 1000 / instructions for name, spent in stopwatch.spent.items()}


def first_round() -> dict[str, float]:
    """The cold figures of a process that has just started."""
    program = "import json; from tests.bench import passes as p; print(json.dumps(p.cold_round(p.subjects())[0]))"
    done = subprocess.run([sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def run(console: Console) -> dict[str, dict[str, float]]:
    """Measure and print. The result has the columns cold, warm and first; `total` is without linking."""
    wanted = subjects()
    rounds: list[tuple[dict[str, float], dict[str, float]]] = []
    gc.collect()
    gc.disable()
    try:
        for _ in range(ROUNDS):
            rounds.append(cold_round(wanted))
    finally:
        gc.enable()
    firsts = [first_round() for _ in range(3)]
    columns = {
        "cold": _medians([cold for cold, _ in rounds]),
        "warm": _medians([warm for _, warm in rounds]),
        "first": _medians(firsts),
    }
    for figures in columns.values():
        figures["total"] = sum(figures[name] for name in figures if name != LINKING)
    instructions = sum(translate_all(subject, Kept(), Stopwatch()) for subject in wanted)
    console.print(_table(columns, instructions, len(wanted)))
    return columns


def _medians(rounds: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: median(figures[name] for figures in rounds) for name in rounds[0]}


def _table(columns: dict[str, dict[str, float]], instructions: int, programs: int) -> Table:
    title = f"microseconds per eBPF instruction; {instructions} instructions in {programs} programs"
    shown = Table(title=title, title_justify="left")
    shown.add_column("pass")
    for name in columns:
        shown.add_column(name, justify="right")
    for name in columns["cold"]:
        row = [f"{figures[name]:.2f}" for figures in columns.values()]
        if name == "total":
            shown.add_section()
            label = f"[bold]total, decode to place (target: cold <= {TARGET_US:.0f})"
            shown.add_row(label, *(f"[bold]{cell}" for cell in row))
        elif name == LINKING:
            shown.add_row(f"({name})", *(f"({c})" for c in row), end_section=True)
        else:
            shown.add_row(name, *row)
    return shown
