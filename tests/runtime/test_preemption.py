"""A guest runs no longer than it may, can be ended at any moment, and never notices that it was interrupted.

What "soon" means is never measured: a test that would hang if a guest could not be stopped is stopped by the runner.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runtime.guest
from jit.layout import Region
from runtime import Exited, Faulted, Guest, GuestMemory, Host, Phase, Preempted, Stopped, Waiting, load_bytecode
from runtime.helpers import HelperFunction
from tests.corpus.assembly import (
    EXIT,
    alu_imm,
    alu_reg,
    branch_imm,
    call_helper,
    call_local,
    ja,
    load,
    mov,
    mov_reg,
    store,
)
from tests.simulator.programs import programs

ENGINES = ("jit", "interpreter")
SPIN = ja(-1) + EXIT
TICK, ASLEEP = 5, 6

# 40 rounds that change registers, memory and the call stack; calls a helper and a function in each
BUSY = b"".join(
    [
        mov_reg(6, 1),
        mov(7, 40),
        mov(8, 1),
        # round:
        mov_reg(1, 8),
        call_helper(TICK),
        alu_reg("add", 64, 8, 0),
        mov_reg(1, 8),
        call_local(5),
        store(8, 6, 0, 0),
        alu_imm("sub", 64, 7, 1),
        branch_imm("jne", 64, 7, 0, -8),
        mov_reg(0, 8),
        EXIT,
        # function: r0 := 3 * r1 + 1, by way of the stack and a loop of three rounds
        mov(6, 3),
        mov(0, 1),
        store(8, 10, -8, 1),
        load(8, 2, 10, -8),
        alu_reg("add", 64, 0, 2),
        alu_imm("sub", 64, 6, 1),
        branch_imm("jne", 64, 6, 0, -4),
        EXIT,
    ]
)
BUSY_POLLS = 1 + 40 * (1 + 1 + 3)  # entry; each round: its own edge, the function's start, and its three edges


def tick(memory: GuestMemory, a: int, *_: int) -> int:
    return a % 97


HELPERS: dict[int | str, HelperFunction] = {TICK: tick}


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def spinning(engine: str) -> Iterator[Guest]:
    with load_bytecode(SPIN, engine=engine).instantiate() as guest:
        yield guest


def undisturbed(code: bytes, mem: bytes) -> tuple[object, bytes]:
    """Of the reference semantics, in one go."""
    with load_bytecode(code, HELPERS, engine="interpreter").instantiate() as guest:
        outcome = guest.run(mem, fuel=1 << 20)
        return outcome, memory_of(guest)


def memory_of(guest: Guest) -> bytes:
    """Calldata and all frames, dead or alive."""
    layout, memory = guest.layout, guest.slot_memory
    spans = [layout.calldata, layout.writable]
    tops = [layout.frame_top(depth) for depth in range(layout.frames)]
    parts = [memory[span.low : span.low + span.size] for span in spans]
    return b"".join([*parts, *(memory[top - layout.frame_bytes : top] for top in tops)])


# ---------------------------------------------------------------- ends


def test_an_endless_loop_loses_its_slice(spinning: Guest) -> None:
    spinning.begin()
    for _ in range(3):
        assert spinning.advance(slice_ms=0.2) == Preempted(0)
    assert spinning.phase is Phase.PREEMPTED


def test_an_endless_loop_ends_when_its_time_is_up(spinning: Guest) -> None:
    assert spinning.run(limit_ms=3) == Preempted(0)
    assert spinning.resume(limit_ms=1) == Preempted(0)  # and can go on


@pytest.mark.parametrize("fuel", [None, 1 << 40], ids=["slices", "fuel"])
def test_stop_from_another_thread_ends_an_endless_loop(spinning: Guest, fuel: int | None) -> None:
    started = threading.Event()
    outcomes: list[object] = []

    def run() -> None:
        spinning.begin()
        started.set()
        outcomes.append(spinning.resume(fuel=fuel))

    thread = threading.Thread(target=run)
    thread.start()
    started.wait()
    spinning.stop()
    thread.join(30)
    assert outcomes == [Stopped(0)]
    assert spinning.phase is Phase.IDLE
    assert spinning.run(fuel=3) == Preempted(0)  # the request is over


def test_stop_repeatedly_hits_a_guest_that_has_long_been_running(engine: str) -> None:
    """The store that asks for it may fall into a refill of the guest's, and must not be needed twice."""
    with load_bytecode(SPIN, engine=engine).instantiate() as guest:
        for _ in range(20):
            guest.begin()
            assert isinstance(guest.advance(fuel=2000), Preempted)
            outcomes: list[object] = []
            thread = threading.Thread(target=lambda into=outcomes: into.append(guest.resume(fuel=1 << 40)))
            thread.start()
            guest.stop()
            thread.join(30)
            assert outcomes == [Stopped(0)]


def test_stop_before_the_first_instruction(spinning: Guest) -> None:
    spinning.begin()
    spinning.stop()
    assert spinning.advance() == Stopped(0)
    spinning.begin()
    spinning.stop()
    assert spinning.advance(fuel=5) == Stopped(0)


def test_stop_between_slices(spinning: Guest) -> None:
    spinning.begin()
    spinning.advance(fuel=5)
    spinning.stop()
    assert spinning.advance() == Stopped(0)


def test_stop_while_a_helper_is_awaited_by_hand(engine: str) -> None:
    with load_bytecode(call_helper(TICK) + SPIN, HELPERS, engine=engine).instantiate() as guest:
        guest.begin()
        assert isinstance(guest.advance(), Waiting)
        guest.stop()
        guest.answer(1)
        assert guest.advance() == Stopped(0)  # it never got behind the call


def test_stop_from_within_a_helper(engine: str) -> None:
    guest: Guest

    def stop(memory: GuestMemory, *_: int) -> int:
        guest.stop()
        return 0

    code = call_helper(TICK) + SPIN
    guest = load_bytecode(code, {TICK: stop}, engine=engine).instantiate()
    with guest:
        assert guest.run() == Stopped(0)


def test_cheap_helper_calls_in_a_loop_can_be_stopped(engine: str) -> None:
    """H05: no cap on calls, and the stop takes effect inside the loop."""
    calls = 0
    when = (1 << 20) + 1000 if engine == "jit" else 150_000  # interpreted, each takes much longer
    stopper: Callable[[], None] = lambda: None  # noqa: E731

    def count(memory: GuestMemory, *_: int) -> int:
        nonlocal calls
        calls += 1
        if calls == when:
            thread = threading.Thread(target=stopper)
            thread.start()
            thread.join()
        return 0

    loop = [mov(6, 2_000_000), call_helper(TICK), alu_imm("sub", 64, 6, 1), branch_imm("jne", 64, 6, 0, -3), EXIT]
    with load_bytecode(b"".join(loop), {TICK: count}, engine=engine).instantiate() as guest:
        stopper = guest.stop
        assert guest.run() == Stopped(1)
        assert calls == when


# ---------------------------------------------------------------- neighbours


def test_a_spinning_guest_in_one_thread_does_not_stall_a_guest_in_another(spinning: Guest, engine: str) -> None:
    thread = threading.Thread(target=spinning.run)
    thread.start()
    try:
        with load_bytecode(BUSY, HELPERS, engine=engine).instantiate() as guest:
            assert (guest.run(bytes(8), fuel=1 << 20), memory_of(guest)) == undisturbed(BUSY, bytes(8))
    finally:
        while thread.is_alive():  # it may not have begun
            spinning.stop()
            thread.join(0.01)


def test_a_spinning_guest_in_one_event_loop_does_not_stall_its_neighbours(spinning: Guest, engine: str) -> None:
    async def wait(memory: GuestMemory, a: int, *_: int) -> int:
        await asyncio.sleep(0)
        return tick(memory, a)

    async def both() -> tuple[object, object, bytes]:
        forever = asyncio.create_task(spinning.run_async())
        with load_bytecode(BUSY, {TICK: wait}, engine=engine).instantiate() as guest:
            outcome = await guest.run_async(bytes(8))
            spinning.stop()
            return await forever, outcome, memory_of(guest)

    ended, *result = asyncio.run(both())
    assert isinstance(ended, Stopped)
    assert tuple(result) == undisturbed(BUSY, bytes(8))


def test_stop_ends_an_awaited_helper_at_once(engine: str) -> None:
    cancelled: list[bool] = []

    async def never(memory: GuestMemory, *_: int) -> int:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(True)
            raise
        return 0

    async def scenario(guest: Guest) -> object:
        task = asyncio.create_task(guest.run_async())
        while guest.phase is not Phase.WAITING:
            await asyncio.sleep(0)
        await asyncio.to_thread(guest.stop)
        return await task

    with load_bytecode(call_helper(ASLEEP) + EXIT, {ASLEEP: never}, engine=engine).instantiate() as guest:
        for _ in range(3):
            assert asyncio.run(scenario(guest)) == Stopped(0)
        assert cancelled == [True] * 3


def test_a_cancelled_task_leaves_its_guest_waiting_and_answerable(engine: str) -> None:
    async def never(memory: GuestMemory, *_: int) -> int:
        await asyncio.Event().wait()
        return 0

    async def scenario(guest: Guest) -> None:
        task = asyncio.create_task(guest.run_async())
        while guest.phase is not Phase.WAITING:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with load_bytecode(call_helper(ASLEEP) + EXIT, {ASLEEP: never}, engine=engine).instantiate() as guest:
        asyncio.run(scenario(guest))
        assert guest.phase is Phase.WAITING
        guest.answer(77)
        assert guest.advance() == Exited(77)


# ---------------------------------------------------------------- fuel


@pytest.mark.parametrize("fuel", [0, 1, 63, 64, 65, 1023, 1024, 1025, (1 << 20) - 1, 1 << 20, (1 << 20) + 1])
def test_fuel_preempts_after_exactly_that_many_polls(fuel: int) -> None:
    """Counted by the guest: the first poll is the function's start, then one before each edge back."""
    code = mov(6, 0) + alu_imm("add", 64, 6, 1) + ja(-2)
    engines = ENGINES if fuel < 2000 else ("jit",)
    for engine in engines:
        with load_bytecode(code, engine=engine).instantiate() as guest:
            guest.begin()
            assert guest.advance(fuel=fuel) == Preempted(0 if fuel == 0 else 2)
            assert guest.context.register(6) == fuel
            assert guest.fuel_left == 0


def test_fuel_that_is_left_is_counted(engine: str) -> None:
    with load_bytecode(BUSY, HELPERS, engine=engine).instantiate() as guest:
        assert isinstance(guest.run(bytes(8), fuel=BUSY_POLLS), Exited)
        assert guest.run(bytes(8), fuel=BUSY_POLLS - 1) == Preempted(10)
        guest.begin(bytes(8))
        assert isinstance(guest.advance(fuel=100), Waiting)
        assert guest.fuel_left == 99
        guest.begin(bytes(8))
        assert isinstance(guest.advance(fuel=1 << 50), Waiting)
        assert guest.fuel_left == (1 << 50) - 1


def test_negative_fuel_is_no_fuel(spinning: Guest) -> None:
    spinning.begin()
    assert spinning.advance(fuel=-5) == Preempted(0)
    assert spinning.run(fuel=-(1 << 40)) == Preempted(0)


def test_a_time_limit_counts_beside_fuel(spinning: Guest) -> None:
    assert spinning.run(fuel=1 << 50, limit_ms=2) == Preempted(0)


def test_both_engines_preempt_at_the_same_instants() -> None:
    """Every pc and register, at every single poll of a program."""
    traces = [list(_trace(engine)) for engine in ENGINES]
    assert len(traces[0]) == BUSY_POLLS + 40
    assert traces[0] == traces[1]


def _trace(engine: str) -> Iterator[tuple[int, list[int], bytes]]:
    with load_bytecode(BUSY, HELPERS, engine=engine).instantiate() as guest:
        guest.begin(bytes(8))
        fuel = 0
        while True:
            event = guest.advance(fuel=fuel)
            fuel = 1
            if isinstance(event, Waiting):
                guest.answer(tick(guest.memory, *event.arguments))
                fuel = 0
            elif not isinstance(event, Preempted):
                assert isinstance(event, Exited)
                return
            yield guest.context.pc, guest.context.registers(), memory_of(guest)


@pytest.mark.parametrize("fuel", [1, 2, 3, 7, 64, 65])
def test_slices_of_any_fuel_lead_to_the_same_end(engine: str, fuel: int) -> None:
    with load_bytecode(BUSY, HELPERS, engine=engine).instantiate() as guest:
        assert (in_slices(guest, bytes(8), iter(lambda: fuel, 0)), memory_of(guest)) == undisturbed(BUSY, bytes(8))


def in_slices(guest: Guest, mem: bytes, fuels: Iterator[int]) -> object:
    guest.begin(mem)
    while True:
        event = guest.advance(fuel=next(fuels))
        if isinstance(event, Waiting):
            guest.answer(tick(guest.memory, *event.arguments))
        elif not isinstance(event, Preempted):
            return event


@settings(max_examples=150, deadline=None)
@given(programs(), st.lists(st.integers(1, 9), min_size=1, max_size=5), st.booleans())
def test_a_program_cannot_tell_how_it_was_sliced(code: bytes, fuels: list[int], switching: bool) -> None:
    expected = undisturbed(code, b"")
    with load_bytecode(code, HELPERS).instantiate() as guest:
        guest.begin()
        native, turn = guest._unit, 0
        while True:
            event = guest.advance(fuel=fuels[turn % len(fuels)])
            turn += 1
            if isinstance(event, Waiting):
                guest.answer(tick(guest.memory, *event.arguments))
            elif not isinstance(event, Preempted):
                break
            if switching:  # the context page is one for both engines
                guest._unit = None if turn % 2 else native
        assert (event, memory_of(guest)) == expected


# ---------------------------------------------------------------- whose time it is


class Clock:
    """`time` for runtime.guest: moves when told to, and 0.1 ms whenever a guest has run."""

    def __init__(self) -> None:
        self.now = 1000.0

    def read(self) -> float:
        self.now += 0.00005
        return self.now


def test_waiting_for_a_helper_is_not_charged_to_the_guest(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """H03: 20 helper calls of two seconds each, under a limit of 40 ms."""
    clock = Clock()

    def slow(memory: GuestMemory, *_: int) -> int:
        clock.now += 2.0
        return 0

    code = [mov(6, 20), call_helper(TICK), alu_imm("sub", 64, 6, 1), branch_imm("jne", 64, 6, 0, -3), mov(0, 9), EXIT]
    monkeypatch.setattr(runtime.guest, "time", SimpleNamespace(monotonic=clock.read, thread_time=clock.read))
    with load_bytecode(b"".join(code), {TICK: slow}, engine=engine).instantiate() as guest:
        assert guest.run(limit_ms=40) == Exited(9)
        assert clock.now > 1040


def test_computing_is_charged_to_the_guest(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same clock, with the two seconds inside `advance`: 20 rounds are too many."""
    clock = Clock()
    advance = Guest.advance

    def slow_advance(guest: Guest, *arguments: float) -> object:
        clock.now += 0.003
        return advance(guest, *arguments)  # type: ignore[arg-type]

    loop = [mov(6, 20), call_helper(TICK), alu_imm("sub", 64, 6, 1), branch_imm("jne", 64, 6, 0, -3), SPIN]
    monkeypatch.setattr(runtime.guest, "time", SimpleNamespace(monotonic=clock.read, thread_time=clock.read))
    monkeypatch.setattr(Guest, "advance", slow_advance)
    with load_bytecode(b"".join(loop), HELPERS, engine=engine).instantiate() as guest:
        assert guest.run(limit_ms=40) == Preempted(1)
        assert guest.context.register(6) > 0
        assert guest.phase is Phase.ANSWERED  # it can go on


def test_faults_and_exits_end_a_slice_with_their_own_outcome(engine: str) -> None:
    with load_bytecode(load(8, 0, 1, 0) + EXIT, engine=engine).instantiate() as guest:
        assert isinstance(guest.run(fuel=1), Faulted)
        assert guest.run(bytes(8), fuel=1) == Exited(0)
        assert guest.layout.span(Region.CALLDATA).size == 8


def test_a_host_without_armed_guests_has_an_idle_watcher() -> None:
    host = Host()
    with load_bytecode(SPIN, host=host).instantiate() as guest:
        guest.run(limit_ms=2)
    assert host.watcher._armed == {}


@pytest.mark.parametrize(
    ("slots", "polls"), [(1, 1024), (1024, 1024), (1025, 1023), (65_536, 16), (262_144, 16)], ids=str
)
def test_long_programs_hold_the_interpreter_lock_for_fewer_polls(slots: int, polls: int) -> None:
    assert runtime.guest.held_fuel(slots) == polls
