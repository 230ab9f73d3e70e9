"""What it costs to cross between Python and guest code, and to start a guest.

CPU time of the calling thread, medians over batches. A crossing is measured in the bare form (the trampoline through
ctypes into a guest that is one `exit`) and in the forms that embedders use.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from rich.console import Console
from rich.table import Table

import runtime
from tests.bench.programs import REPOSITORY
from validator.decode import encode
from validator.isa import Instruction

BATCHES = 9
_PLENTY = (1 << 31) - 1  # of fuel
_LOG = b"INFO started\nWARN slow\nERROR lost the disk\nDEBUG bye\n"

EXIT = Instruction(0x95)
_HELPER = 1


@dataclass(frozen=True, slots=True)
class Cost:
    """`microseconds` per `what`; `target_us` is None where there is none."""

    what: str
    microseconds: float
    target_us: float | None = None


def per_run(work: Callable[[], object], runs: int) -> float:
    """Microseconds of one call of `work`: the median of batches of `runs` calls."""
    found: list[float] = []
    for _ in range(BATCHES):
        before = time.thread_time_ns()
        for _ in range(runs):
            work()
        found.append((time.thread_time_ns() - before) / runs / 1000)
    return median(found)


def enter_and_exit(held: bool) -> float:
    """The trampoline alone."""
    guest = runtime.load_bytecode(encode((EXIT,)), engine="jit").instantiate()
    guest.run()  # compiles
    arena, unit = runtime.shared_host().arena, guest.program.unit_for(guest.layout)
    assert arena is not None
    address = unit.native_address(0)
    base = ctypes.addressof(ctypes.c_char.from_buffer(guest.slot_memory))
    assert address is not None
    guest.begin()
    guest.context.fuel = _PLENTY
    start = (arena.held if held else arena.released).start

    def batch() -> None:
        for _ in range(1000):
            start(base, address)

    return per_run(batch, 20) / 1000


def trivial_run() -> float:
    """Guest.run of a program that is one `exit`."""
    return per_run(runtime.load_bytecode(encode((EXIT,)), engine="jit").instantiate().run, 5000)


def helper_call() -> float:
    """A helper call and its return, with the helper itself (it adds two numbers) and the loop around it."""
    calls = 5000
    loop = (
        Instruction(0xB7, 6, imm=calls),  # mov r6, calls
        Instruction(0x85, imm=_HELPER),  # call
        Instruction(0x17, 6, imm=1),  # sub r6, 1
        Instruction(0x55, 6, offset=-3),  # jne r6, 0, the call
        EXIT,
    )
    guest = runtime.load_bytecode(encode(loop), {_HELPER: lambda memory, a, b, *_: a + b}, engine="jit").instantiate()
    return per_run(guest.run, 1) / calls


def instantiate_and_run(program: runtime.Program, mem: bytes, *, recycled: bool) -> float:
    """A new guest, and its first run; `recycled`: in a slot that another guest gave back."""
    runs = 300
    program.instantiate().run(mem)  # compiles
    found: list[float] = []
    guests: list[runtime.Guest] = []
    for _ in range(BATCHES):
        if recycled:
            for guest in [program.instantiate() for _ in range(runs)]:
                guest.close()
        before = time.thread_time_ns()
        for _ in range(runs):
            guest = program.instantiate()
            guest.run(mem)
            guests.append(guest)  # alive to the end: no slot comes back by itself
        found.append((time.thread_time_ns() - before) / runs / 1000)
    for guest in guests:
        guest.close()
    return median(found)


def interpreter_step() -> float:
    """One instruction of the reference semantics, in a loop of a load, arithmetic and a branch."""
    rounds = 20_000
    loop = (
        Instruction(0xB7, 6, imm=rounds),  # mov r6, rounds
        Instruction(0x79, 3, 1),  # ldxdw r3, [r1]
        Instruction(0x0F, 0, 3),  # add r0, r3
        Instruction(0x67, 0, imm=3),  # lsh r0, 3
        Instruction(0x17, 6, imm=1),  # sub r6, 1
        Instruction(0x55, 6, offset=-5),  # jne r6, 0, the load
        EXIT,
    )
    guest = runtime.load_bytecode(encode(loop), engine="interpreter").instantiate()
    return per_run(lambda: guest.run(bytes(8)), 1) / (5 * rounds)


def run(console: Console) -> list[Cost]:
    """Measure and print."""
    trivial = runtime.load_bytecode(encode((EXIT,)), engine="jit")
    demo_elf = (REPOSITORY / "runtime/guest_code/demo.o").read_bytes()
    demo = runtime.load(demo_elf, {"print": lambda *_: 0}, engine="jit", calldata_bytes=4096)
    costs = [
        Cost("enter and exit, interpreter lock held", enter_and_exit(held=True)),
        Cost("enter and exit, interpreter lock released", enter_and_exit(held=False)),
        Cost("Guest.run of one `exit`", trivial_run()),
        Cost("helper call and return", helper_call()),
        Cost("instantiate and run one `exit`, new slot", instantiate_and_run(trivial, b"", recycled=False), 150),
        Cost("instantiate and run one `exit`, recycled slot", instantiate_and_run(trivial, b"", recycled=True), 150),
        Cost("instantiate and run the demo, new slot", instantiate_and_run(demo, _LOG, recycled=False), 150),
        Cost("instantiate and run the demo, recycled slot", instantiate_and_run(demo, _LOG, recycled=True), 150),
        Cost("interpreter, per eBPF instruction", interpreter_step()),
    ]
    shown = Table(title="microseconds of CPU time", title_justify="left")
    shown.add_column("what")
    shown.add_column("us", justify="right")
    shown.add_column("target", justify="right")
    for cost in costs:
        shown.add_row(cost.what, f"{cost.microseconds:.2f}", f"<= {cost.target_us:.0f}" if cost.target_us else "")
    console.print(shown)
    return costs
