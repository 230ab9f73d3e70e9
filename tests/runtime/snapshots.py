"""A program that has everything a snapshot must keep, and the ways in which the tests run it on.

`WANDERER` calls helpers and functions from loops, two calls deep, and changes .data, both pages of .bss, the input
and its frames in every round; what it computes depends on all of them and on .rodata.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Mapping

from differential.hostile.elf_writer import NOBITS, WIDE_64, A, Rel, Sec, Sym, W, X, write
from jit.layout import LOOP_PROFILE, Profile
from runtime import Event, Exited, Guest, GuestMemory, Host, Outcome, Preempted, Program, Snapshot, Waiting, load
from runtime.helpers import HelperFunction
from tests.corpus.assembly import (
    EXIT,
    alu_imm,
    alu_reg,
    branch_imm,
    call_helper,
    call_local,
    lddw,
    mov,
    mov_reg,
    store,
)
from tests.corpus.assembly import load as load_from

TICK = 5
BSS_BYTES = 5000
INPUT = struct.pack("<3Q", 11, 22, 33)
RODATA = struct.pack("<2Q", 0x1111, 0x0123_4567_89AB_CDEF)
DATA = struct.pack("<2Q", 7, 9)
ROUNDS = 3


def _code() -> tuple[bytes, list[Rel]]:
    slots: list[bytes] = []
    relocations: list[Rel] = []

    def address_of(register: int, symbol: str) -> None:
        relocations.append(Rel(len(b"".join(slots)), WIDE_64, symbol))
        slots.append(lddw(register, 0))

    slots += [mov_reg(6, 1), mov(7, ROUNDS)]
    start = len(b"".join(slots)) // 8
    slots += [mov_reg(1, 7), call_helper(TICK), mov_reg(8, 0)]
    address_of(2, "constants")
    slots += [load_from(8, 3, 2, 8), alu_reg("add", 64, 8, 3)]
    address_of(2, "counter")
    slots += [load_from(8, 3, 2, 8), alu_reg("add", 64, 3, 8), store(8, 2, 8, 3)]
    address_of(2, "buffer")
    slots += [load_from(8, 4, 2, BSS_BYTES - 8), alu_reg("add", 64, 4, 3), store(8, 2, BSS_BYTES - 8, 4)]
    slots += [store(2, 2, 0, 4), mov_reg(1, 8), store(8, 10, -8, 7)]
    call = len(slots)
    slots += [b""]
    slots += [load_from(8, 2, 6, 16), alu_reg("add", 64, 0, 2), store(8, 6, 16, 0), load_from(8, 7, 10, -8)]
    slots += [alu_imm("sub", 64, 7, 1)]
    here = (len(b"".join(slots)) + 8) // 8  # with the call, which is still missing
    slots += [branch_imm("jne", 64, 7, 0, start - here - 1), EXIT]
    outer = [
        *(mov_reg(6, 1), mov(7, 2), store(8, 10, -4096, 1)),
        *(mov_reg(1, 6), call_local(7), alu_reg("add", 64, 6, 0), alu_imm("sub", 64, 7, 1)),
        *(branch_imm("jne", 64, 7, 0, -5), mov_reg(0, 6), load_from(8, 2, 10, -4096), alu_reg("xor", 64, 0, 2), EXIT),
    ]
    inner = [
        *(mov_reg(6, 1), mov(9, 2), store(8, 10, -24, 6), mov_reg(1, 9), call_helper(TICK), alu_reg("add", 64, 6, 0)),
        *(alu_imm("sub", 64, 9, 1), branch_imm("jne", 64, 9, 0, -5), load_from(8, 0, 10, -24)),
        *(alu_reg("add", 64, 0, 6), EXIT),
    ]
    at = len(b"".join(slots[:call])) // 8
    slots[call] = call_local(len(b"".join(slots)) // 8 - at)
    return b"".join([*slots, *outer, *inner]), relocations


def wanderer(rodata: bytes = RODATA, data: bytes = DATA, bss: int = BSS_BYTES, code_suffix: bytes = b"") -> bytes:
    """The object; see the module."""
    code, relocations = _code()
    sections = [
        Sec("main", A | X, code + code_suffix),
        Sec(".rodata", A, rodata),
        Sec(".data", W | A, data),
        Sec(".bss", W | A, bss, NOBITS),
    ]
    symbols = [Sym("main", "main"), Sym("constants", ".rodata"), Sym("counter", ".data"), Sym("buffer", ".bss")]
    return write(sections, symbols, {"main": relocations})


WANDERER = wanderer()


def tick(memory: GuestMemory, a: int, *_: int) -> int:
    """Wants a word of the frame, too: so a restored guest must show helpers its memory."""
    top = memory._guest().frame_top
    return a * 3 + 1 + memory.read(top - 8, 1)[0]


HELPERS: dict[int | str, HelperFunction] = {TICK: tick}


def program(
    engine: str, *, profile: Profile = LOOP_PROFILE, calldata_bytes: int | None = None, host: Host | None = None
) -> Program:
    return load(WANDERER, HELPERS, engine=engine, profile=profile, calldata_bytes=calldata_bytes, host=host)


def memory_of(guest: Guest) -> bytes:
    """All that the guest could have written: data, calldata and all frames, dead or alive."""
    layout, memory = guest.layout, guest.slot_memory
    spans = [layout.calldata, layout.writable]
    tops = [layout.frame_top(depth) for depth in range(layout.frames)]
    parts = [memory[span.low : span.low + span.size] for span in spans]
    return b"".join([*parts, *(memory[top - layout.frame_bytes : top] for top in tops)])


State = tuple[Outcome, bytes]


def state_of(guest: Guest, outcome: Outcome) -> State:
    return outcome, hashlib.sha256(memory_of(guest)).digest()


def undisturbed(helpers: Mapping[int | str, HelperFunction] = HELPERS) -> State:
    """How a run on the reference semantics ends, in one go."""
    with load(WANDERER, helpers, engine="interpreter").instantiate() as guest:
        outcome = guest.run(INPUT, fuel=1 << 20)
        assert isinstance(outcome, Exited)
        return state_of(guest, outcome)


def step(guest: Guest) -> Event | None:
    """To the next suspension point: a poll, a call that waits, or an answer. None for the latter."""
    if guest.phase.value == "waiting":
        call = guest.call()
        guest.answer(tick(guest.memory, *call.arguments))
        return None
    return guest.advance(fuel=0 if guest.phase.value in ("ready", "answered") else 1)


def suspensions(guest: Guest) -> Iterator[None]:
    """Begin, then stop at every suspension point, the first included, until the guest has ended."""
    guest.begin(INPUT)
    while True:
        yield
        event = step(guest)
        if not (event is None or isinstance(event, Preempted | Waiting)):
            return


def finished(snapshot: Snapshot, by: Program) -> State:
    """Restore, run to the end."""
    with by.restore(snapshot) as guest:
        return state_of(guest, guest.resume(fuel=1 << 20))
