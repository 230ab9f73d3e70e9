"""A guest goes on from a snapshot as if nothing had happened: at every suspension point, on either engine, anywhere."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import zlib
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from differential.hostile.elf_writer import NOBITS, WIDE_64, A, Rel, Sec, Sym, W, X, write
from jit.layout import PAGE, Profile
from runtime import (
    Exited,
    Faulted,
    Guest,
    GuestMemory,
    Phase,
    Preempted,
    Snapshot,
    SnapshotRefused,
    Waiting,
    load,
    load_bytecode,
)
from runtime.errors import WrongState
from runtime.helpers import HelperFunction
from runtime.snapshot import _MAGIC
from simulator.ebpf import CallRecord
from tests.corpus.assembly import EXIT, call_helper, lddw, mov, mov_reg
from tests.corpus.assembly import load as load_from
from tests.runtime.snapshots import (
    BSS_BYTES,
    DATA,
    HELPERS,
    INPUT,
    RODATA,
    TICK,
    WANDERER,
    finished,
    memory_of,
    program,
    state_of,
    step,
    suspensions,
    tick,
    undisturbed,
    wanderer,
)

ENGINES = ("jit", "interpreter")
DIRECTIONS = list(product(ENGINES, ENGINES))
REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


# ---------------------------------------------------------------- every suspension point


@pytest.mark.parametrize(("origin", "target"), DIRECTIONS)
def test_restored_at_any_suspension_point_a_guest_ends_as_if_undisturbed(origin: str, target: str) -> None:
    expected, there = undisturbed(), program(target)
    met = set()
    with program(origin).instantiate() as guest:
        for _ in suspensions(guest):
            met.add((guest.phase, guest.context.depth))
            snapshot = guest.snapshot()
            before = memory_of(guest)
            assert finished(Snapshot.from_bytes(snapshot.to_bytes()), there) == expected
            assert guest.snapshot() == snapshot
            assert memory_of(guest) == before
        assert state_of(guest, Exited(guest.context.register(0))) == expected
    deep = {(phase, depth) for phase in (Phase.PREEMPTED, Phase.WAITING, Phase.ANSWERED) for depth in (0, 2)}
    assert met == {(Phase.READY, 0), (Phase.PREEMPTED, 1)} | deep


@pytest.mark.parametrize("first", ENGINES)
def test_a_guest_may_change_engines_at_every_single_suspension(first: str) -> None:
    turns = [program(first), program(ENGINES[1 - ENGINES.index(first)])]
    guest = turns[0].instantiate()
    guest.begin(INPUT)
    moves = 0
    while True:
        moves += 1
        with guest:
            moved = turns[moves % 2].restore(guest.snapshot())
        guest = moved
        event = step(guest)
        if event is not None and not isinstance(event, Preempted | Waiting):
            break
    with guest:
        assert isinstance(event, Exited)
        assert state_of(guest, event) == undisturbed()
    assert moves == 62


def test_both_engines_take_the_same_snapshots() -> None:
    """So neither leaves more, or less, in it than the guest's state."""
    taken: dict[str, list[Snapshot]] = {}
    for engine in ENGINES:
        with program(engine).instantiate() as guest:
            taken[engine] = [guest.snapshot() for _ in suspensions(guest)]
    assert taken["jit"] == taken["interpreter"]


@pytest.mark.parametrize(("origin", "target"), DIRECTIONS)
def test_between_runs_the_data_is_kept(origin: str, target: str) -> None:
    with program(origin).instantiate() as guest:
        guest.run(INPUT)
        snapshot = guest.snapshot()
        assert snapshot.phase is Phase.IDLE
        with program(target).restore(snapshot) as restored:
            assert memory_of(restored) == memory_of(guest)
            again = [(g.run(INPUT), memory_of(g)) for g in (guest, restored)]
            assert again[0] == again[1] != undisturbed()
            with pytest.raises(WrongState):
                program(target).restore(snapshot).advance()


@pytest.mark.parametrize(("origin", "target"), DIRECTIONS)
def test_a_guest_that_never_ran_is_restored_with_its_initial_data(origin: str, target: str) -> None:
    with program(origin).instantiate() as guest, program(target).restore(guest.snapshot()) as restored:
        assert memory_of(restored) == memory_of(guest)
        assert state_of(restored, restored.run(INPUT)) == undisturbed()


def test_initial_data_that_became_zero_stays_zero(engine: str) -> None:
    with program(engine).instantiate() as guest:
        low = guest.layout.writable.low
        guest.memory.write(low, bytes(BSS_BYTES))
        with program(engine).restore(guest.snapshot()) as restored:
            assert restored.read(low, len(DATA)) == bytes(len(DATA))


def test_a_closed_guest_is_not_taken_and_not_restored(engine: str) -> None:
    guest = program(engine).instantiate()
    snapshot = guest.snapshot()
    guest.close()
    with pytest.raises(WrongState):
        guest.snapshot()
    closed = Snapshot(snapshot.program, 0, Phase.CLOSED, 0, (0,) * 11, (), ())
    with pytest.raises(SnapshotRefused, match="closed"):
        program(engine).restore(Snapshot.from_bytes(closed.to_bytes()))


def test_an_input_shorter_than_the_one_before_leaves_nothing_behind_its_end(engine: str) -> None:
    """It did: the page was kept, and the snapshot refused for the bytes of the longer input."""
    with load_bytecode(mov(0, 1) + EXIT, engine=engine).instantiate() as guest:
        guest.run(b"\xff" * 100)
        guest.begin(b"\xee" * 60)
        with guest.program.restore(guest.snapshot()) as restored:
            assert restored.resume() == Exited(1)
            assert restored.read(restored.layout.calldata.low, 60) == b"\xee" * 60


# ---------------------------------------------------------------- helpers


@pytest.mark.parametrize(("origin", "target"), DIRECTIONS)
def test_a_snapshot_taken_while_a_coroutine_is_awaited_makes_the_call_again(origin: str, target: str) -> None:
    calls: list[int] = []
    snapshots: list[Snapshot] = []

    async def patient(memory: GuestMemory, a: int, *_: int) -> int:
        calls.append(a)
        if len(calls) == 8:
            await asyncio.Event().wait()
        await asyncio.sleep(0)
        return tick(memory, a)

    async def scenario(helpers: dict[int | str, HelperFunction]) -> object:
        with load(WANDERER, helpers, engine=origin).instantiate() as guest:
            task = asyncio.create_task(guest.run_async(INPUT))
            while len(calls) < 8:
                await asyncio.sleep(0)
            snapshots.append(guest.snapshot())
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            assert guest.snapshot() == snapshots[0]
        with load(WANDERER, helpers, engine=target).restore(Snapshot.from_bytes(snapshots[0].to_bytes())) as restored:
            outcome = await restored.resume_async()
            assert state_of(restored, outcome) == undisturbed()
            return outcome

    assert isinstance(asyncio.run(scenario({TICK: patient})), Exited)
    assert snapshots[0].phase is Phase.WAITING
    assert len(calls) == 16  # 15 of the program, and one twice
    assert calls[7] == calls[8]


def test_a_snapshot_taken_inside_a_helper_waits_for_that_call(engine: str) -> None:
    taken: list[Snapshot] = []

    def take(memory: GuestMemory, *arguments: int) -> int:
        if not taken:
            taken.append(guest.snapshot())
        return sum(arguments)

    code = b"".join([*(mov(register, 3 * register) for register in range(1, 6)), call_helper(TICK), EXIT])
    guest: Guest = load_bytecode(code, {TICK: take}, engine=engine).instantiate()
    with guest:
        assert guest.run() == Exited(45)
    with guest.program.restore(taken[0]) as restored:
        assert restored.call() == Waiting(5, TICK, (3, 6, 9, 12, 15))
        restored.answer(-1)
        assert restored.advance() == Exited(2**64 - 1)


@pytest.mark.parametrize(("origin", "target"), DIRECTIONS)
def test_a_fault_is_the_same_fault_after_restoring(origin: str, target: str) -> None:
    code = b"".join([mov_reg(6, 1), mov(1, 5), call_helper(TICK), load_from(8, 0, 6, 1), EXIT])
    helpers: dict[int | str, HelperFunction] = {TICK: lambda memory, *_: 0}
    with load_bytecode(code, helpers, engine=origin).instantiate() as guest:
        guest.begin(bytes(8))
        assert isinstance(guest.advance(), Waiting)
        with load_bytecode(code, helpers, engine=target).restore(guest.snapshot()) as restored:
            outcome = restored.resume()
            assert isinstance(outcome, Faulted)
            assert outcome.pc == 3
            assert outcome == guest.resume()


# ---------------------------------------------------------------- elsewhere

SCRIPT = """
import sys
from pathlib import Path
from runtime import Snapshot
from tests.runtime.snapshots import finished, program
outcome, memory = finished(Snapshot.from_bytes(Path(sys.argv[1]).read_bytes()), program(sys.argv[2]))
print(outcome.value, memory.hex())
"""


@pytest.mark.parametrize(("origin", "target"), DIRECTIONS)
def test_another_process_finishes_what_this_one_began(origin: str, target: str, tmp_path: Path) -> None:
    with program(origin).instantiate() as guest:
        for _ in suspensions(guest):
            if guest.context.depth == 2 and guest.phase is Phase.PREEMPTED:
                break
        path = tmp_path / "snapshot"
        path.write_bytes(guest.snapshot().to_bytes())
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path), target],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    outcome, memory = undisturbed()
    assert isinstance(outcome, Exited)
    assert run.stdout.split() == [str(outcome.value), memory.hex()]


def test_no_native_address_is_in_the_bytes() -> None:
    """Words at any alignment, and numbers in the header, are compared with the arena and the guest's reservation."""
    with program("jit").instantiate() as guest:
        arena, slot = guest.program.host.arena, guest._slot
        assert arena is not None
        ranges = [(arena.low, arena.high), (slot.reserved_low, slot.reserved_high)]

        def native(numbers: object) -> list[int]:
            assert isinstance(numbers, list)
            return [number for number in numbers if any(low <= number < high for low, high in ranges)]

        found_in_context = 0
        for _ in suspensions(guest):
            snapshot = guest.snapshot()
            body = zlib.decompress(snapshot.to_bytes()[len(_MAGIC) :])
            assert native(_words(body)) == []
            values = [snapshot.pc, *snapshot.registers, *(a for a, _ in snapshot.pages)]
            values += [value for call in snapshot.calls for value in (call.return_pc, *call.saved)]
            assert native(values) == []
            found_in_context += len(native(_words(bytes(slot.context))))
    assert found_in_context > 40  # the search finds them where they are: return addresses beside the slot


def _words(content: bytes) -> list[int]:
    words: list[int] = []
    for shift in range(8):
        part = content[shift : shift + (len(content) - shift) // 8 * 8]
        words += set(memoryview(part).cast("Q"))
    return words


# ---------------------------------------------------------------- independence


@pytest.mark.parametrize("which", ["origin", "restored"])
def test_origin_and_restored_do_not_share_anything(engine: str, which: str) -> None:
    with program(engine).instantiate() as origin:
        for _ in suspensions(origin):
            if origin.context.depth == 2 and origin.phase is Phase.WAITING:
                break
        snapshot = origin.snapshot()
        with program(engine).restore(snapshot) as first, program(engine).restore(snapshot) as second:
            runs, others = (origin, (first, second)) if which == "origin" else (first, (origin, second))
            assert state_of(runs, runs.resume()) == undisturbed()
            assert runs.snapshot() != snapshot
            for other in others:
                assert other.snapshot() == snapshot
            for other in others:
                assert state_of(other, other.resume()) == undisturbed()


# ---------------------------------------------------------------- bytes

_WORDS = st.integers(0, 2**64 - 1)
_CONTENTS = st.binary(max_size=40).map(lambda content: content.ljust(PAGE))
_PAGES = st.tuples(st.integers(0, 2**18 - 1).map(lambda number: number * PAGE), _CONTENTS)
SNAPSHOTS = st.builds(
    Snapshot,
    st.text(max_size=70),
    st.integers(0, 2**40),
    st.sampled_from(Phase),
    st.integers(0, 2**31 - 1),
    st.lists(_WORDS, min_size=11, max_size=11).map(tuple),
    st.lists(st.builds(CallRecord, _WORDS, st.tuples(_WORDS, _WORDS, _WORDS, _WORDS)), max_size=8).map(tuple),
    st.lists(_PAGES, max_size=4, unique_by=lambda page: page[0]).map(tuple),
)


@settings(max_examples=300, deadline=None)
@given(SNAPSHOTS)
def test_bytes_say_all_that_a_snapshot_says(snapshot: Snapshot) -> None:
    assert Snapshot.from_bytes(snapshot.to_bytes()) == snapshot


# ---------------------------------------------------------------- of what

OTHERS = {
    "code": wanderer(code_suffix=mov(0, 1) + EXIT),
    "read-only data": wanderer(rodata=RODATA[:-1] + b"\x02"),
    "more read-only data": wanderer(rodata=RODATA + b"\0"),
    "initial data": wanderer(data=b"\x08" + DATA[1:]),
    "size of .bss": wanderer(bss=BSS_BYTES + 8),
}


@pytest.mark.parametrize("other", OTHERS)
def test_a_snapshot_of_another_program_is_refused(engine: str, other: str) -> None:
    with program(engine).instantiate() as guest:
        guest.begin(INPUT)
        snapshot = guest.snapshot()
    in_use = guest.program.host.cage.in_use
    with pytest.raises(SnapshotRefused, match="another program"):
        load(OTHERS[other], HELPERS, engine=engine).restore(snapshot)
    assert guest.program.host.cage.in_use == in_use
    load(wanderer(), HELPERS, engine=engine).restore(snapshot).close()


def test_a_snapshot_under_other_helpers_profile_or_input_size_is_refused(engine: str) -> None:
    helper = HELPERS[TICK]
    with program(engine).instantiate() as guest:
        guest.begin(INPUT)
        snapshot = guest.snapshot()
    tables: list[dict[int | str, HelperFunction]] = [{TICK: helper, 6: helper}, {TICK: helper, "named": helper}]
    for helpers in tables:
        with pytest.raises(SnapshotRefused, match="another program"):
            load(WANDERER, helpers, engine=engine).restore(snapshot)
    for profile in (Profile(4096, 16), Profile(8192, 8)):
        with pytest.raises(SnapshotRefused, match="another program"):
            program(engine, profile=profile).restore(snapshot)
    with pytest.raises(SnapshotRefused, match="calldata of 24 bytes, here it has 32"):
        program(engine, calldata_bytes=32).restore(snapshot)
    assert finished(snapshot, program(engine, calldata_bytes=24)) == undisturbed()


def test_data_moved_from_one_section_to_the_other_makes_another_program(engine: str) -> None:
    """It did not: a zero at the border of .rodata and .data could belong to either."""

    def divided(rodata: bytes, data: bytes) -> bytes:
        code = lddw(1, 0) + lddw(2, 0) + lddw(3, 0) + EXIT
        sections = [Sec("main", A | X, code), Sec(".rodata", A, rodata, alignment=1)]
        sections += [Sec(".data", W | A, data, alignment=1), Sec(".bss", W | A, 8 - len(data), NOBITS, alignment=1)]
        symbols = [Sym("main", "main"), Sym("a", ".rodata"), Sym("b", ".data"), Sym("c", ".bss", 2 - len(data))]
        return write(sections, symbols, {"main": [Rel(16 * i, WIDE_64, name) for i, name in enumerate("abc")]})

    one, other = (load(divided(*parts), engine=engine) for parts in ((b"\x01\0", b"\x02"), (b"\x01", b"\0\x02")))
    assert (one.text, one.layout_for(0).writable) == (other.text, other.layout_for(0).writable)
    assert one.identity != other.identity
