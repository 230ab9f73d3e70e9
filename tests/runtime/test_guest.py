"""A guest's life: what it starts with, what a helper call does to it, and what cannot be done to it in which phase."""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable

import pytest

from jit.layout import LayoutRefused
from runtime import (
    Exited,
    Faulted,
    FaultKind,
    Guest,
    GuestMemory,
    HelperMisuse,
    Phase,
    Preempted,
    Stopped,
    Waiting,
    load_bytecode,
)
from runtime.activation import Context
from runtime.errors import ArenaExhausted, LayoutHypothesis, WrongState
from runtime.extents import Extents
from runtime.helpers import HelperFunction
from runtime.host import Host
from tests.corpus.assembly import (
    EXIT,
    alu_imm,
    branch_imm,
    call_helper,
    call_local,
    ja,
    lddw,
    load,
    mov,
    mov_reg,
    store,
    store_imm,
)
from tests.programs import with_data
from validator.errors import LinkError

ENGINES = ("jit", "interpreter")
HELPER = 5
SPIN = ja(-1) + EXIT
CALL = call_helper(HELPER) + EXIT


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def echo(memory: GuestMemory, a: int, *_: int) -> int:
    return a


def guest_of(code: bytes, engine: str, function: HelperFunction = echo, calldata_bytes: int | None = None) -> Guest:
    return load_bytecode(code, {HELPER: function}, engine=engine, calldata_bytes=calldata_bytes).instantiate()


# ---------------------------------------------------------------- what a guest starts with

SHOW = b"".join(store(8, 1, 8 * register, register) for register in range(10)) + mov_reg(0, 10) + EXIT
DIRTY = b"".join(lddw(register, 0xDEAD_0000_0000_0000 + register) for register in range(10)) + EXIT


def test_all_registers_but_three_are_zero_at_entry(engine: str) -> None:
    with guest_of(SHOW, engine) as guest:
        mem = bytes(80)
        outcome = guest.run(mem)
        layout = guest.layout
        shown = struct.unpack("<10Q", guest.read(layout.calldata.low, 80))
        assert shown == (0, layout.calldata.low, 80, 0, 0, 0, 0, 0, 0, 0)
        assert outcome == Exited(layout.frame_top(0))


def test_registers_of_an_earlier_run_are_gone(engine: str) -> None:
    """The second entry reads what the first left behind in registers and context."""
    code = branch_imm("jne", 64, 2, 80, len(SHOW) // 8) + SHOW + DIRTY
    with guest_of(code, engine) as guest:
        for _ in range(2):
            assert guest.run(b"dirty") == Exited(0xDEAD_0000_0000_0000)
            guest.run(bytes(80))
            shown = struct.unpack("<10Q", guest.read(guest.layout.calldata.low, 80))
            assert (shown[0], shown[3:]) == (0, (0,) * 7)


@pytest.mark.parametrize("size", range(10))
def test_calldata_of_every_small_size(size: int, engine: str) -> None:
    with guest_of(mov_reg(0, 1) + EXIT, engine) as at, guest_of(mov_reg(0, 2) + EXIT, engine) as length:
        mem = bytes(range(1, size + 1))
        assert at.run(mem) == Exited(at.layout.calldata.low if size else 0)
        assert length.run(mem) == Exited(size)
        assert at.layout.calldata.size == size
    with guest_of(mov_reg(6, 1) + load(1, 0, 6, size - 1) + EXIT, engine) as last:
        assert last.run(mem) == (Exited(size) if size else _fault(1, (1 << 64) - 1, last))
    with guest_of(load(1, 0, 1, size) + EXIT, engine) as beyond:
        assert beyond.run(mem) == _fault(0, (beyond.layout.calldata.low if size else 0) + size, beyond)


def _fault(pc: int, address: int, guest: Guest) -> Faulted:
    return guest.program.fault(FaultKind.OUT_OF_BOUNDS, pc, address, 1, False)


def test_calldata_grows_to_megabytes_and_shrinks_again_between_runs(engine: str) -> None:
    last_byte = [mov_reg(6, 1), alu_imm("sub", 64, 2, 1), b"\x0f\x26\0\0\0\0\0\0", load(1, 0, 6, 0), EXIT]  # r6 += r2
    with guest_of(b"".join(last_byte), engine) as guest:
        for size in (1, 4096, 4097, 3 << 20, 5, 16 << 20, 1 << 20, 1):
            assert guest.run(bytes(size - 1) + b"\x07") == Exited(7)
            assert guest.layout.calldata.size == size


def test_data_survives_a_change_of_calldata_size(engine: str) -> None:
    low = 0x20000
    code = lddw(6, low) + load(8, 0, 6, 0) + alu_imm("add", 64, 0, 1) + store(8, 6, 0, 0) + EXIT
    with with_data(code, writable=bytes([40, 0, 0, 0, 0, 0, 0, 0]), engine=engine).instantiate() as guest:
        assert guest.layout.writable.low == low
        assert [guest.run(bytes(size)) for size in (0, 9, 8 << 20, 0)] == [Exited(n) for n in (41, 42, 43, 44)]


def test_fixed_calldata_is_padded_with_zeros(engine: str) -> None:
    with guest_of(load(8, 0, 1, 0) + EXIT, engine, calldata_bytes=8) as guest:
        assert guest.run(b"\xff" * 8) == Exited((1 << 64) - 1)
        assert guest.run(b"\x01") == Exited(1)
        assert isinstance(guest.run(b""), Faulted)  # r1 is 0
        layout = guest.layout
        assert guest.read(layout.calldata.low, 8) == bytes(8)
        with pytest.raises(LayoutRefused, match="input of 9 bytes, the program was loaded for 8"):
            guest.run(bytes(9))
        assert guest.layout is layout


# ---------------------------------------------------------------- helper calls


def test_helper_sees_five_arguments_and_leaves_zeros_in_their_registers(engine: str) -> None:
    seen: list[tuple[int, ...]] = []

    def helper(memory: GuestMemory, a: int, b: int, c: int, d: int, e: int) -> int:
        seen.append((a, b, c, d, e))
        return 9

    values = [0, (1 << 64) - 1, 1 << 63, 5, 1 << 32]
    code = [*(lddw(1 + n, value) for n, value in enumerate(values)), mov(6, 66), mov(9, 99), call_helper(HELPER)]
    sums = [b"\x0f" + bytes([0x10 * register]) + bytes(6) for register in range(1, 6)]  # r0 += r1 .. r5
    kept = [b"\x0f\x60" + bytes(6), b"\x0f\x90" + bytes(6)]
    with guest_of(b"".join([*code, *sums, *kept, EXIT]), engine, helper) as guest:
        assert guest.run() == Exited(9 + 66 + 99)
        assert seen == [tuple(values)]


@pytest.mark.parametrize(
    ("result", "r0"),
    [
        (0, 0),
        (-1, (1 << 64) - 1),
        (-(1 << 63), 1 << 63),
        ((1 << 64) - 1, (1 << 64) - 1),
        (1 << 64, 0),
        ((1 << 200) + 7, 7),
        (-(1 << 64) - 1, (1 << 64) - 1),
        (True, 1),
    ],
)
def test_result_is_taken_modulo_64_bits(result: int, r0: int, engine: str) -> None:
    with guest_of(CALL, engine, lambda *_: result) as guest:
        assert guest.run() == Exited(r0)


@pytest.mark.parametrize("result", [None, 1.0, "1", b"1", [1]], ids=repr)
def test_result_that_is_no_number_is_the_hosts_error(result: object, engine: str) -> None:
    with guest_of(CALL, engine, lambda *_: result) as guest:  # type: ignore[arg-type]
        with pytest.raises(HelperMisuse, match=f"'helper {HELPER}' returned {type(result).__name__}"):
            guest.run()
        assert guest.phase is Phase.WAITING
        guest.answer(3)
        assert guest.resume() == Exited(3)


@pytest.mark.filterwarnings("error")  # "was never awaited"
def test_coroutine_helper_needs_run_async(engine: str) -> None:
    async def later(*_: object) -> int:
        return 3

    with guest_of(CALL, engine, later) as guest:
        with pytest.raises(WrongState, match="is a coroutine: use run_async"):
            guest.run()
        assert guest.phase is Phase.WAITING


def test_helper_that_raises_leaves_the_guest_waiting_and_answerable(engine: str) -> None:
    attempts: list[int] = []

    def failing(memory: GuestMemory, *_: int) -> int:
        attempts.append(1)
        if len(attempts) < 3:
            raise ConnectionError("try again")
        return 11

    with guest_of(CALL, engine, failing) as guest:
        for _ in range(2):
            with pytest.raises(ConnectionError):
                guest.run() if not attempts else guest.resume()
            assert guest.phase is Phase.WAITING
            assert guest.call() == Waiting(0, HELPER, (0, 0, 0, 0, 0))
        assert guest.resume() == Exited(11)  # the call is made again
        assert len(attempts) == 3


# ---------------------------------------------------------------- phases


def _idle(guest: Guest) -> None:
    pass


def _ready(guest: Guest) -> None:
    guest.begin()


def _preempted(guest: Guest) -> None:
    guest.begin()
    assert isinstance(guest.advance(fuel=0), Preempted)


def _waiting(guest: Guest) -> None:
    guest.begin()
    assert isinstance(guest.advance(), Waiting)


def _answered(guest: Guest) -> None:
    _waiting(guest)
    guest.answer(1)


def _exited(guest: Guest) -> None:
    assert guest.run() == Exited(0)


def _stopped(guest: Guest) -> None:
    guest.begin()
    guest.stop()
    assert isinstance(guest.advance(), Stopped)


def _closed(guest: Guest) -> None:
    guest.close()


REACH = {
    "idle": _idle,
    "ready": _ready,
    "preempted": _preempted,
    "waiting": _waiting,
    "answered": _answered,
    "exited": _exited,
    "stopped": _stopped,
    "closed": _closed,
}
ACTS: dict[str, Callable[[Guest], object]] = {
    "begin": lambda guest: guest.begin(),
    "advance": lambda guest: guest.advance(),
    "answer": lambda guest: guest.answer(0),
    "call": lambda guest: guest.call(),
    "read": lambda guest: guest.read(guest.layout.frame_top(0) - 8, 8),
}
ALLOWED = {
    "idle": {"begin", "read"},
    "ready": {"begin", "advance", "read"},
    "preempted": {"begin", "advance", "read"},
    "waiting": {"begin", "answer", "call", "read"},
    "answered": {"begin", "advance", "read"},
    "exited": {"begin", "read"},
    "stopped": {"begin", "read"},
    "closed": set(),
}


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("place", REACH)
def test_what_can_be_done_in_which_phase(place: str, act: str, engine: str) -> None:
    with guest_of(CALL, engine) as guest:
        if place == "idle" and act == "read":
            guest.run()  # r10 of a guest that never ran is 0: it has no frame
        REACH[place](guest)
        phase = guest.phase
        if act in ALLOWED[place]:
            ACTS[act](guest)
            return
        with pytest.raises(WrongState):
            ACTS[act](guest)
        assert guest.phase is phase


def test_close_is_idempotent_and_stop_after_it_harmless(engine: str) -> None:
    guest = guest_of(CALL, engine)
    for _ in range(2):
        guest.close()
        guest.stop()
    assert guest.phase is Phase.CLOSED


def test_a_slot_is_not_given_away_while_a_stop_is_writing_to_it(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next tenant's fuel would be in the same place."""
    guest = guest_of(CALL, engine)
    closer = threading.Thread(target=guest.close)
    expired_while: list[Phase] = []

    def expire(context: Context) -> None:
        closer.start()
        closer.join(0.05)  # a close that waited for nothing would be done
        expired_while.append(guest.phase)

    monkeypatch.setattr(Context, "expire", expire)
    guest.stop()
    closer.join()
    assert expired_while == [Phase.IDLE]
    assert guest.phase is Phase.CLOSED


def test_begin_abandons_the_activation_before(engine: str) -> None:
    with guest_of(CALL, engine) as guest:
        for reach in (_ready, _preempted, _waiting, _answered):
            reach(guest)
            assert guest.run() == Exited(0)


def test_unknown_entries_change_nothing(engine: str) -> None:
    with guest_of(CALL, engine) as guest:
        _waiting(guest)
        for entry in (1, -1, 7, "main"):
            with pytest.raises(LinkError):
                guest.begin(entry=entry)
        assert guest.phase is Phase.WAITING
        guest.answer(5)
        assert guest.advance() == Exited(5)


# ---------------------------------------------------------------- after a fault

RECURSE = b"".join(  # r1 calls deep, then the instruction at pc 5; r6 to r9 and the frame are used on the way
    [
        mov(6, 0x66),
        store_imm(8, 10, -8, 0x77),
        alu_imm("sub", 64, 2, 1),
        branch_imm("jne", 64, 2, 0, 2),
        load(8, 0, 3, 0),  # r3 is 0
        EXIT,
        call_local(-7),
        EXIT,
    ]
)


@pytest.mark.parametrize("depth", range(1, 9))
def test_fault_at_any_depth_and_then_a_clean_start(depth: int, engine: str) -> None:
    """H19: `depth` frames, the entry frame included."""
    with guest_of(RECURSE, engine) as guest:
        for _ in range(2):
            outcome = guest.run(bytes(depth))
            assert outcome == guest.program.fault(FaultKind.OUT_OF_BOUNDS, 4, 0, 8, False)
            assert guest.context.depth == depth - 1
            assert [call.return_pc for call in guest.context.calls()] == [7] * (depth - 1)
        assert guest.phase is Phase.IDLE
        guest.begin(bytes(8))
        assert guest.context.depth == 0


@pytest.mark.parametrize("size", [9, 10, 300])
def test_one_call_too_many_exhausts_the_stack(size: int, engine: str) -> None:
    with guest_of(RECURSE, engine) as guest:
        for _ in range(2):
            assert guest.run(bytes(size)) == guest.program.fault(FaultKind.STACK_EXHAUSTED, 6)
        assert guest.run(bytes(1)) == guest.program.fault(FaultKind.OUT_OF_BOUNDS, 4, 0, 8, False)


def test_fault_in_a_helper_and_right_after_a_resume(engine: str) -> None:
    def peek(memory: GuestMemory, a: int, *_: int) -> int:
        return memory.read(a, 1)[0]

    with guest_of(CALL, engine, peek) as guest:
        for _ in range(2):
            outcome = guest.run()
            assert isinstance(outcome, Faulted)
            assert (outcome.kind, outcome.pc, outcome.address) == (FaultKind.HELPER_POINTER, 0, 0)
            assert guest.phase is Phase.IDLE
    with guest_of(call_helper(HELPER) + load(8, 0, 0, 0) + EXIT, engine) as guest:
        for _ in range(2):
            assert guest.run() == guest.program.fault(FaultKind.OUT_OF_BOUNDS, 1, 0, 8, False)


# ---------------------------------------------------------------- what must hold before guest code runs


@pytest.mark.parametrize(
    ("field", "change", "violation"),
    [
        ("base", 1, "not page-aligned"),
        ("base", -4096, "context lies outside"),
        ("slot_bytes", -4096, "slot is larger"),
        ("reserved", 4096, "context lies outside"),
    ],
)
def test_wrong_placement_is_not_entered(field: str, change: int, violation: str) -> None:
    with guest_of(CALL, "jit") as guest:
        _preempted(guest)
        slot = guest._slot
        setattr(slot, field, getattr(slot, field) + change)
        try:
            with pytest.raises(LayoutHypothesis, match=violation):
                guest.begin()
            assert guest.phase is Phase.IDLE
            with pytest.raises(WrongState):
                guest.advance()
        finally:
            setattr(slot, field, getattr(slot, field) - change)
        assert guest.run() == Exited(0)


def test_full_arena_leaves_the_guest_where_it_was() -> None:
    host = Host()
    assert host.arena is not None
    code = b"".join([load(1, 6, 1, 0), call_local(2), mov_reg(0, 6), EXIT, mov(7, 1), EXIT])
    program = load_bytecode(code, host=host)
    with program.instantiate() as guest:
        assert guest.run(b"\x05") == Exited(5)
        free = host.arena._slots
        host.arena._slots = Extents(1)  # two functions need two slots
        with pytest.raises(ArenaExhausted, match="function table slots"):
            guest.run(b"\x06\x07")  # another size, so other code
        host.arena._slots = free
        assert guest.layout.calldata.size == 1
        assert guest.run(b"\x08") == Exited(8)
        assert guest.run(b"\x09\x07") == Exited(9)


def test_callee_without_room_for_its_code_can_be_tried_again() -> None:
    host = Host()
    assert host.arena is not None
    code = b"".join([mov(6, 6), mov(3, 40), call_local(2), alu_imm("add", 64, 0, 1), EXIT, mov_reg(0, 3), EXIT])
    with load_bytecode(code, host=host).instantiate() as guest:
        free = host.arena._pages
        host.arena._pages = Extents(1)  # of code: enough for the first function
        guest.begin()
        with pytest.raises(ArenaExhausted, match="bytes of code"):
            guest.advance()
        taken = Extents(free.size)
        assert taken.take(1) == 0  # the first function's page
        host.arena._pages = taken
        assert guest.advance(fuel=100) == Exited(41)  # without fuel a slow machine might need more than a slice
