"""Nothing of a tenant is left for the next one, and no page can be written and executed at any time.

Also how many mappings a guest costs. These tests read /proc/self/maps.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from jit.layout import Layout, Profile
from runtime import Exited, Faulted, Guest, GuestMemory, Host, Preempted, Stopped, load_bytecode
from runtime.helpers import HelperFunction
from tests.corpus.assembly import (
    EXIT,
    alu_imm,
    alu_reg,
    branch_imm,
    call_helper,
    call_local,
    ja,
    lddw,
    load,
    mov,
    mov_reg,
    store,
)
from tests.programs import with_data

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/maps")
HELPER = 5
FILL = 0xA5A5_A5A5_A5A5_A5A5
FRAME, FRAMES = 4096, 8

# Every register, all of calldata (r1, r2 bytes), all of .data (r3 is set below) and all frames, then r5 says how to end
GREEDY = b"".join(
    [
        lddw(0, FILL),
        mov_reg(9, 2),
        mov_reg(8, 1),
        store(8, 8, 0, 0),  # calldata, eight bytes at a time
        alu_imm("add", 64, 8, 8),
        alu_imm("sub", 64, 9, 8),
        branch_imm("jsgt", 64, 9, 0, -4),
        lddw(8, 0x20000),
        mov(9, 512),
        store(8, 8, 0, 0),  # .data
        alu_imm("add", 64, 8, 8),
        alu_imm("sub", 64, 9, 8),
        branch_imm("jsgt", 64, 9, 0, -4),
        mov(3, 1),
        call_local(1),
        EXIT,
        # fill the frame, then call on until the eighth
        mov_reg(8, 10),
        mov(9, FRAME // 8),
        alu_imm("sub", 64, 8, 8),
        store(8, 8, 0, 0),
        alu_imm("sub", 64, 9, 1),
        branch_imm("jne", 64, 9, 0, -4),
        alu_imm("add", 64, 3, 1),
        branch_imm("jge", 64, 3, FRAMES, 2),
        call_local(-9),
        EXIT,
        lddw(6, FILL),
        lddw(7, FILL),
        lddw(9, FILL),
        call_helper(HELPER),
        branch_imm("jeq", 64, 0, 1, 2),
        branch_imm("jeq", 64, 0, 2, 2),
        EXIT,  # 0: home
        load(8, 0, 0, 0),  # 1: a fault
        ja(-1),  # 2: for ever
        EXIT,
    ]
)


def nosy(layout: Layout) -> Iterator[tuple[int, int]]:
    """All (address, size) that a guest could read, and the context."""
    yield layout.calldata.low, layout.calldata.size
    yield layout.writable.low, layout.writable.size
    for depth in range(layout.frames):
        yield layout.frame_top(depth) - layout.frame_bytes, layout.frame_bytes


def all_bytes(guest: Guest) -> bytes:
    memory = guest.slot_memory
    return b"".join(bytes(memory[low : low + size]) for low, size in nosy(guest.layout))


OUTCOMES = {"fault": Faulted, "stop in the helper": Stopped, "stop spinning": Preempted}


@pytest.mark.parametrize(
    "ending", ["exit", "fault", "stop in the helper", "stop spinning", "close while waiting", "drop"]
)
def test_the_next_tenant_of_a_slot_sees_zeros(ending: str) -> None:
    """H11, 60 rounds per ending: tenants of the same and of other sizes, always in the same slot."""
    host, random = Host(), Random(11)
    answer = {"fault": 1, "stop spinning": 2}.get(ending, 0)
    tenants: list[Guest] = []

    def helper(memory: GuestMemory, *_: int) -> int:
        if ending == "stop in the helper":
            tenants[-1].stop()
        return answer

    greedy = with_data(GREEDY, {HELPER: helper}, writable=bytes(512), host=host)
    curious = with_data(EXIT, writable=bytes(512), host=host)
    for _ in range(60):
        size = 8 * random.randrange(1, 1500)
        tenant = greedy.instantiate()
        tenants[:] = [tenant]
        tenant.begin(bytes(size))
        if ending == "close while waiting":
            tenant.advance(fuel=1 << 20)
        else:
            outcome = tenant.resume(fuel=1 << 16)
            assert isinstance(outcome, OUTCOMES.get(ending, Exited))
        assert all_bytes(tenant).count(0xA5) >= len(all_bytes(tenant)) - FRAME  # all but the entry frame
        slot = tenant._slot
        if ending == "stop spinning":
            tenant.stop()
            assert isinstance(tenant.resume(), Stopped)
        if ending != "drop":
            tenant.close()
        del tenant
        tenants.clear()
        with curious.instantiate() as next_tenant:
            assert next_tenant._slot is slot
            assert bytes(slot.context) == bytes(len(slot.context))
            next_tenant.begin(bytes(8 * random.randrange(1, 1500)))
            assert not any(all_bytes(next_tenant))
            next_tenant.begin(bytes(4096 * 3))  # more than this tenant had, where the one before had some
            assert not any(all_bytes(next_tenant))
    assert host.cage.in_use == 0


def test_a_guest_that_shrinks_and_grows_sees_its_own_input_only() -> None:
    code = b"".join(
        [
            mov(0, 0),
            load(1, 3, 1, 0),
            alu_reg("or", 64, 0, 3),
            alu_imm("add", 64, 1, 1),
            alu_imm("sub", 64, 2, 1),
            branch_imm("jne", 64, 2, 0, -5),
            EXIT,
        ]
    )
    with load_bytecode(code).instantiate() as guest:
        for size in (9000, 1, 9000, 4096, 4097, 20_000, 3):
            assert guest.run(bytes(size)) == Exited(0)
            assert guest.run(b"\xff" * size) == Exited(0xFF)


def test_memory_that_a_smaller_input_does_not_need_is_given_back() -> None:
    with load_bytecode(EXIT).instantiate() as guest:
        guest.run(b"\xff" * 20_000)
        low = guest.layout.calldata.low
        guest.run(b"\xff")
        guest.run(b"\xff" * 4097)
        assert bytes(guest.slot_memory[low : low + 8192]) == b"\xff" * 4097 + bytes(4095)


# ---------------------------------------------------------------- mappings

_LINE = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) (....) ")


def mappings() -> list[tuple[int, int, str]]:
    lines = Path("/proc/self/maps").read_text().splitlines()
    return [(int(m[1], 16), int(m[2], 16), m[3]) for line in lines if (m := _LINE.match(line))]


def writable_and_executable() -> list[tuple[int, int, str]]:
    found = [mapping for mapping in mappings() if "w" in mapping[2] and "x" in mapping[2]]
    return [mapping for mapping in found if mapping not in FOREIGN]


FOREIGN: set[tuple[int, int, str]] = set()  # what solvers and emulators mapped that other tests of this process loaded


@pytest.fixture(autouse=True)
def leave_out_what_others_mapped() -> None:
    FOREIGN.clear()
    FOREIGN.update(writable_and_executable())


def echo(memory: GuestMemory, a: int, *_: int) -> int:
    assert writable_and_executable() == []
    return a


HELPERS: dict[int | str, HelperFunction] = {HELPER: echo}
CALLS = mov(6, 3) + call_helper(HELPER) + call_local(1) + EXIT + call_local(1) + EXIT + mov(0, 7) + EXIT


def test_no_mapping_is_writable_and_executable_at_any_time() -> None:
    """H13: after each load, compile and run, and from another thread all the while."""
    host = Host()
    caught: list[object] = []
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            caught.extend(writable_and_executable())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        for size in range(12):
            program = load_bytecode(mov(9, size) + CALLS, HELPERS, host=host)
            assert writable_and_executable() == []
            with program.instantiate() as guest:
                assert writable_and_executable() == []
                guest.begin(bytes(size))
                assert guest.resume() == Exited(7)
                assert writable_and_executable() == []
    finally:
        done.set()
        watcher.join()
    assert caught == []
    assert host.arena is not None
    executable = [m for m in mappings() if "x" in m[2] and host.arena.low <= m[0] < host.arena.high]
    assert executable, "the arena is where code lies"


def test_a_guest_costs_at_most_four_mappings() -> None:
    host = Host()
    program = load_bytecode(CALLS, HELPERS, host=host, profile=Profile(FRAME, FRAMES))
    with program.instantiate() as first:
        first.run(bytes(5000))
        before = len(mappings())
        guests = [program.instantiate() for _ in range(100)]
        for guest in guests:
            assert guest.run(bytes(5000)) == Exited(7)
        assert len(mappings()) - before <= 4 * 100
        for guest in guests:
            guest.close()


def test_slots_do_not_touch() -> None:
    """Between two guests there is always a gap that nobody can access, of random size."""
    host = Host()
    program = load_bytecode(EXIT, host=host)
    guests = [program.instantiate() for _ in range(50)]
    slots = sorted((guest._slot.reserved_low, guest._slot.reserved_high) for guest in guests)
    gaps = [low - high for (_, high), (low, _) in pairwise(slots)]
    assert min(gaps) >= 16 * 4096
    assert len(set(gaps)) > 10
    accessible = [(low, end) for low, end, rights in mappings() if rights[:2] != "--"]
    for (_, high), (low, _) in pairwise(slots):
        assert not any(a < low and high < b for a, b in accessible)
    for guest in guests:
        guest.close()
