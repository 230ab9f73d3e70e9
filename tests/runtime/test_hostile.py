"""A thousand hostile programs in one process: each harms itself at most, and both engines see the same.

A canary guest runs on in the middle of it, a slice now and then; nobody may touch its memory or its result.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from runtime import Exited, Faulted, Guest, GuestMemory, Host, Outcome, Preempted, load_bytecode
from runtime.helpers import HelperFunction
from tests.corpus.assembly import EXIT, alu_imm, alu_reg, branch_imm, call_local, load, mov, mov_reg, store
from tests.runtime.hostile import ECHO, KINDS, PROFILE, READ, TEXT, WRITE, Hostile, programs
from validator.errors import LoadError

COUNT, SEED, FUEL = 1000, 20261129, 150  # the fuel ends what does not end by itself


def read(memory: GuestMemory, pointer: int, length: int, *_: int) -> int:
    return sum(memory.read(pointer, length))


def write(memory: GuestMemory, pointer: int, length: int, *_: int) -> int:
    memory.check_writable(pointer, length)
    memory.write(pointer, b"\xa5" * length)
    return length


def text(memory: GuestMemory, pointer: int, *_: int) -> int:
    return len(memory.read_text(pointer, 100))


def echo(memory: GuestMemory, value: int, *_: int) -> int:
    return value


HELPERS: dict[int | str, HelperFunction] = {READ: read, WRITE: write, TEXT: text, ECHO: echo}

# 2,000 rounds over a value in the frame, one in calldata, and a callee's frame
CANARY = b"".join(
    [
        mov_reg(6, 1),
        mov(7, 2000),
        store(8, 10, -8, 7),
        # round:
        load(8, 1, 10, -8),
        call_local(6),
        store(8, 10, -8, 0),
        store(8, 6, 0, 0),
        alu_imm("sub", 64, 7, 1),
        branch_imm("jne", 64, 7, 0, -6),
        load(8, 0, 6, 0),
        EXIT,
        # function: r0 := 5 * r1 + 3, by way of its frame
        store(8, 10, -4096, 1),
        load(8, 0, 10, -4096),
        alu_imm("mul", 64, 0, 5),
        alu_imm("add", 64, 0, 3),
        alu_reg("mov", 64, 1, 0),
        EXIT,
    ]
)


def canary_result() -> int:
    value = 2000
    for _ in range(2000):
        value = (5 * value + 3) % 2**64
    return value


def memory_of(guest: Guest) -> bytes:
    layout, memory = guest.layout, guest.slot_memory
    tops = [layout.frame_top(depth) for depth in range(layout.frames)]
    calldata = memory[layout.calldata.low : layout.calldata.low + layout.calldata.size]
    return b"".join([calldata, *(memory[top - layout.frame_bytes : top] for top in tops)])


Seen = tuple[object, ...]
Way = Callable[[Guest, bytes], Outcome]


def counted(guest: Guest, mem: bytes) -> Outcome:
    return guest.run(mem, fuel=FUEL)


def uncounted(slices: int) -> Way:
    """In the code for long activations: an advance without fuel is one if the guest was preempted before it."""

    def way(guest: Guest, mem: bytes) -> Outcome:
        outcome = guest.run(mem, fuel=0)
        for _ in range(slices):
            if not isinstance(outcome, Preempted):
                break
            outcome = guest.resume(limit_ms=0.05)
        return outcome

    return way


def run(program: Hostile, engine: str, host: Host, way: Way = counted) -> Seen:
    """All that can be seen of a run: outcome with its particulars, registers where it stopped, memory."""
    try:
        loaded = load_bytecode(program.code, HELPERS, engine=engine, profile=PROFILE, host=host)
    except LoadError as error:
        return type(error).__name__, str(error)
    with loaded.instantiate() as guest:
        outcome = way(guest, program.mem)
        registers = guest.context.registers() if isinstance(outcome, Faulted | Preempted) else []
        return outcome, registers, memory_of(guest)


@pytest.fixture
def host() -> Iterator[Host]:
    """One whose guests have all been given back: slots, code and table slots, without the collector's help."""
    gc.collect()
    gc.disable()
    try:
        made = Host()
        yield made
        assert made.arena is not None
        assert (made.cage.in_use, made.arena.code_bytes, made.arena.table_slots) == (0, 0, 0)
    finally:
        gc.enable()


def test_a_thousand_hostile_programs(host: Host) -> None:
    kinds: Counter[str] = Counter()
    with load_bytecode(CANARY, HELPERS, profile=PROFILE, host=host).instantiate() as canary:
        canary.begin(bytes(8))
        slices = 0
        for number, program in enumerate(programs(SEED, COUNT)):
            before = memory_of(canary)
            native, reference = run(program, "jit", host), run(program, "interpreter", host)
            assert native == reference, f"program {number} of seed {SEED}: {program}"
            endless = isinstance(reference[0], Preempted)
            in_slices = run(program, "jit", host, uncounted(2 if endless else 10_000))
            if not endless:  # nobody knows where that would be
                assert in_slices == reference, f"program {number} of seed {SEED}: {program}"
            assert memory_of(canary) == before, f"program {number} of seed {SEED}"
            kinds[_sort(native)] += 1
            if number % 2 == 0:
                assert isinstance(canary.advance(fuel=7), Preempted)
                slices += 1
        assert slices == COUNT // 2
        assert canary.resume() == Exited(canary_result())
        assert canary.read(canary.layout.calldata.low, 8) == canary_result().to_bytes(8, "little")
    assert all(kinds[kind] >= 20 for kind in SORTS), kinds  # the generator reaches every way to end
    assert sum(kinds.values()) == COUNT


SORTS = ("rejected", "Exited", "Preempted", "OUT_OF_BOUNDS", "UNALIGNED_ATOMIC", "STACK_EXHAUSTED", "HELPER_POINTER")


def _sort(seen: Seen) -> str:
    outcome = seen[0]
    if isinstance(outcome, Faulted):
        return outcome.kind.name
    return "rejected" if isinstance(outcome, str) else type(outcome).__name__


def test_every_kind_of_program_gets_to_run() -> None:
    host = Host()
    ran: Counter[str] = Counter()
    for program in programs(SEED + 1, 300):
        ran[program.kind] += not isinstance(run(program, "interpreter", host)[0], str)
    assert all(ran[kind] >= 10 for kind in KINDS if kind not in ("bytes", "slots")), ran


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("bytes", "slots")])
def test_hostile_programs_agree_when_preempted_at_every_poll(kind: str, host: Host) -> None:
    chosen = [program for program in programs(SEED + 2, 300) if program.kind == kind]
    assert len(chosen) >= 20
    for program in chosen:
        assert run(program, "jit", host, in_pieces) == run(program, "interpreter", host), program


def in_pieces(guest: Guest, mem: bytes) -> Outcome:
    outcome = guest.run(mem, fuel=0)
    for _ in range(FUEL):
        if not isinstance(outcome, Preempted):
            break
        outcome = guest.resume(fuel=1)
    return outcome
