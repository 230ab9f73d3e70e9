"""What an idle guest holds: resident bytes and memory mappings, from /proc/self, for a thousand that wait in a helper.

The guests run the demo up to its first `print`, so that each has touched its data, two stack frames and its input.
Measured in a process of its own, where nothing has been freed that could be used again. Linux only.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

import runtime
from runtime.node.parking import resident_bytes
from tests.bench.programs import REPOSITORY

GUESTS = 1000
TARGET_KIB, TARGET_MAPPINGS = 24, 4
_LOG = b"INFO started\nERROR lost the disk\n"


@dataclass(frozen=True, slots=True)
class Held:
    """Per guest. The `after` figures are what is left when all guests are closed and collected."""

    resident_kib: float
    mappings: float
    resident_kib_after: float
    mappings_after: float


def _mappings() -> int:
    return Path("/proc/self/maps").read_bytes().count(b"\n")


def measure(guests: int = GUESTS) -> Held:
    """In this process."""
    elf = (REPOSITORY / "runtime/guest_code/demo.o").read_bytes()
    program = runtime.load(elf, {"print": lambda *_: 0}, engine="jit", calldata_bytes=4096)
    first = _waiting(program)  # compiles, and reserves the address space
    gc.collect()
    resident, mappings = resident_bytes(), _mappings()
    waiting = [_waiting(program) for _ in range(guests)]
    gc.collect()
    held, mapped = resident_bytes() - resident, _mappings() - mappings
    for guest in waiting:
        guest.close()
    del waiting, guest
    gc.collect()
    held_after, mapped_after = resident_bytes() - resident, _mappings() - mappings
    first.close()
    return Held(held / 1024 / guests, mapped / guests, held_after / 1024 / guests, mapped_after / guests)


def _waiting(program: runtime.Program) -> runtime.Guest:
    guest = program.instantiate()
    guest.begin(_LOG)
    event = guest.advance()
    assert isinstance(event, runtime.Waiting), event
    return guest


def run(console: Console) -> Held:
    """Measure in a new process and print."""
    script = "import json; from dataclasses import asdict; from tests.bench import memory; "
    script += "print(json.dumps(asdict(memory.measure())))"
    done = subprocess.run([sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    held = Held(**json.loads(done.stdout))
    shown = Table(title=f"per idle guest, {GUESTS} guests waiting in a helper", title_justify="left")
    for column in ("what", "held", "target", "after closing"):
        shown.add_column(column, justify="left" if column == "what" else "right")
    kib, left = f"{held.resident_kib:.1f}", f"{held.resident_kib_after:.1f}"
    shown.add_row("resident KiB", kib, f"< {TARGET_KIB}", left)
    shown.add_row("mappings", f"{held.mappings:.2f}", f"<= {TARGET_MAPPINGS}", f"{held.mappings_after:.2f}")
    console.print(shown)
    return held
