"""What a helper may see of a guest's memory: exactly the ranges inside one region or one live frame (H09)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from jit.layout import Layout, Profile, Span
from runtime import Exited, Faulted, FaultKind, Guest, GuestMemory, GuestPointerFault, Waiting
from runtime.errors import WrongState
from runtime.helpers import HelperFunction
from tests.corpus.assembly import EXIT, call_helper, call_local, lddw, mov
from tests.programs import with_data

HELPER = 5
RODATA, DATA, MEM = b"read-only text\0more", bytes(range(1, 31)), b"calldata without an end"
DEPTHS = 3  # calls deep, of 4 frames, when the helper is called
NESTED = mov(1, 1) + call_local(1) + EXIT + call_local(1) + EXIT + call_helper(HELPER) + EXIT


def nothing(*_: object) -> int:
    return 0


def guest_of(code: bytes, function: HelperFunction = nothing) -> Guest:
    program = with_data(code, {HELPER: function}, read_only=RODATA, writable=DATA, profile=Profile(4096, 4))
    return program.instantiate()


@pytest.fixture
def guest() -> Iterator[Guest]:
    """One that waits for its helper in its third frame; the fourth is dead."""
    with guest_of(NESTED) as made:
        made.begin(MEM)
        assert isinstance(made.advance(), Waiting)
        assert made.frame_top == made.layout.frame_top(2)
        yield made


def spans_of(layout: Layout, write: bool) -> list[Span]:
    """By hand: what may be touched from the third frame."""
    frames = [Span(layout.stack_low + 0x10000 * k, 4096) for k in range(3)]
    flat = [Span(0x20000, 30), Span(layout.calldata.low, 23)]
    return [*flat, *frames] if write else [Span(0x10000, 19), *flat, *frames]


def edges(layout: Layout) -> list[int]:
    ends = [0, 0x10000, 0x20000, layout.slot_bytes, 1 << 63, 1 << 64]
    for span in (*spans_of(layout, False), Span(layout.stack_low + 0x30000, 4096)):
        ends += [span.low, span.low + span.size]
    return sorted({at for end in ends for at in range(end - 5, end + 6) if 0 <= at < 1 << 64})


LENGTHS = (1, 2, 4, 19, 23, 30, 4096, 4097, 0x10000, 1 << 32, (1 << 64) - 1)


def inside(spans: list[Span], pointer: int, length: int) -> bool:
    return any(span.low <= pointer and pointer + length <= span.low + span.size for span in spans)


def memory_of(guest: Guest) -> bytes:
    layout, memory = guest.layout, guest.slot_memory
    return bytes(memory[0x10000 : layout.calldata.low + layout.calldata.size])


def test_a_range_is_read_exactly_if_one_region_or_live_frame_holds_it(guest: Guest) -> None:
    allowed = spans_of(guest.layout, write=False)
    outcomes = set()
    for pointer in edges(guest.layout):
        for length in LENGTHS:
            if inside(allowed, pointer, length):
                assert guest.memory.read(pointer, length) == bytes(guest.slot_memory[pointer : pointer + length])
                outcomes.add(True)
            else:
                with pytest.raises(GuestPointerFault) as refused:
                    guest.memory.read(pointer, length)
                assert (refused.value.address, refused.value.size, refused.value.write) == (pointer, length, False)
                outcomes.add(False)
    assert outcomes == {True, False}


def test_a_range_is_writable_exactly_if_one_writable_region_or_live_frame_holds_it(guest: Guest) -> None:
    allowed = spans_of(guest.layout, write=True)
    for pointer in edges(guest.layout):
        for length in LENGTHS:
            if inside(allowed, pointer, length):
                guest.memory.check_writable(pointer, length)
            else:
                with pytest.raises(GuestPointerFault):
                    guest.memory.check_writable(pointer, length)


def test_what_cannot_be_written_whole_is_not_written_at_all(guest: Guest) -> None:
    before = memory_of(guest)
    allowed = spans_of(guest.layout, write=True)
    for pointer in edges(guest.layout):
        for length in (length for length in LENGTHS if length <= 0x10000):
            if not inside(allowed, pointer, length):
                with pytest.raises(GuestPointerFault):
                    guest.memory.write(pointer, b"\xa5" * length)
    assert memory_of(guest) == before


def test_what_can_be_written_is_written_and_nothing_else(guest: Guest) -> None:
    for span in spans_of(guest.layout, write=True):
        for pointer, length in ((span.low, span.size), (span.low, 1), (span.low + span.size - 2, 2)):
            before = bytearray(memory_of(guest))
            guest.memory.write(pointer, b"\x5a" * length)
            before[pointer - 0x10000 : pointer - 0x10000 + length] = b"\x5a" * length
            assert memory_of(guest) == before


def test_the_contents_are_where_the_guest_finds_them(guest: Guest) -> None:
    assert guest.memory.read(0x10000, 19) == RODATA
    assert guest.memory.read(0x20000, 30) == DATA
    assert guest.memory.read(guest.layout.calldata.low, 23) == MEM


@pytest.mark.parametrize("pointer", [0, 1, 0x10000, (1 << 64) - 1, 1 << 63])
def test_an_empty_range_is_allowed_everywhere(guest: Guest, pointer: int) -> None:
    assert guest.memory.read(pointer, 0) == b""
    guest.memory.write(pointer, b"")
    guest.memory.check_writable(pointer, 0)


@pytest.mark.parametrize("length", [-1, -8, -(1 << 64)])
def test_a_negative_length_is_no_range(guest: Guest, length: int) -> None:
    with pytest.raises(GuestPointerFault):
        guest.memory.read(0x20004, length)
    with pytest.raises(GuestPointerFault):
        guest.memory.check_writable(0x20004, length)


def test_the_message_names_the_range_and_what_is_allowed(guest: Guest) -> None:
    with pytest.raises(
        GuestPointerFault, match=r"^2 bytes at guest address 0x2001d cannot be written; allowed: \[0x20000"
    ):
        guest.memory.write(0x20000 + 29, b"ab")


# ---------------------------------------------------------------- text


@pytest.mark.parametrize(
    ("pointer", "limit", "text"),
    [
        (0x10000, 4096, b"read-only text"),
        (0x10005, 4096, b"only text"),
        (0x1000E, 4096, b""),  # at the NUL
        (0x10000, 14, b"read-only text"),  # the limit ends it just before the NUL
        (0x10000, 4, b"read"),
        (0x1000F, 4, b"more"),  # as far as the region goes, with no NUL, and no further wanted
    ],
)
def test_text_ends_before_its_nul_or_at_the_limit(guest: Guest, pointer: int, limit: int, text: bytes) -> None:
    assert guest.memory.read_text(pointer, limit) == text


@pytest.mark.parametrize("pointer", [0x1000F, 0x10012])
def test_text_that_runs_out_of_its_region_is_a_fault(guest: Guest, pointer: int) -> None:
    with pytest.raises(GuestPointerFault) as refused:
        guest.memory.read_text(pointer)
    assert refused.value.address == pointer
    assert pointer + refused.value.size == 0x10013 + 1  # the first byte that is missing


@pytest.mark.parametrize("pointer", [0, 0xFFFF, 0x10013, 0x2001E, (1 << 64) - 1])
def test_text_begins_inside_a_region(guest: Guest, pointer: int) -> None:
    with pytest.raises(GuestPointerFault):
        guest.memory.read_text(pointer)


def test_text_may_fill_a_frame_up_to_its_end(guest: Guest) -> None:
    top = guest.frame_top
    guest.memory.write(top - 4, b"abc\0")
    assert guest.memory.read_text(top - 4) == b"abc"
    guest.memory.write(top - 4, b"abcd")
    with pytest.raises(GuestPointerFault):
        guest.memory.read_text(top - 4)


# ---------------------------------------------------------------- in the course of a run

Use = Callable[[GuestMemory, int], object]


@pytest.mark.parametrize("engine", ["jit", "interpreter"])
@pytest.mark.parametrize(
    ("use", "size", "write"),
    [
        (lambda memory, at: memory.read(at, 8), 8, False),
        (lambda memory, at: memory.write(at, bytes(8)), 8, True),
        (lambda memory, at: memory.check_writable(at, 3), 3, True),
        (lambda memory, at: memory.read_text(at), 1, False),
    ],
    ids=["read", "write", "check", "text"],
)
def test_a_bad_pointer_is_the_guests_fault(use: Use, size: int, write: bool, engine: str) -> None:
    def helper(memory: GuestMemory, a: int, *_: int) -> int:
        use(memory, a)
        return 0

    code = lddw(1, 0x10013) + call_helper(HELPER) + EXIT
    program = with_data(code, {HELPER: helper}, read_only=RODATA, writable=DATA, engine=engine)
    with program.instantiate() as guest:
        outcome = guest.run()
        assert isinstance(outcome, Faulted)
        assert (outcome.kind, outcome.pc) == (FaultKind.HELPER_POINTER, 2)
        assert (outcome.address, outcome.size, outcome.write) == (0x10013, size, write)
        assert "in an argument of helper 5" in str(outcome)


def test_frames_come_alive_with_calls_and_die_with_returns() -> None:
    seen: list[list[bool]] = []

    def helper(memory: GuestMemory, *_: int) -> int:
        seen.append([_readable(memory, running.layout.frame_top(depth) - 1) for depth in range(4)])
        return 0

    ask = call_helper(HELPER)
    code = ask + call_local(2) + ask + EXIT + ask + call_local(2) + ask + EXIT + ask + EXIT
    with guest_of(code, helper) as running:
        assert running.run() == Exited(0)
    live = [[True] * depth + [False] * (4 - depth) for depth in range(4)]
    assert seen == [live[1], live[2], live[3], live[2], live[1]]


def _readable(memory: GuestMemory, address: int) -> bool:
    try:
        memory.read(address, 1)
    except GuestPointerFault:
        return False
    return True


def test_memory_outlives_its_guest_only_as_an_error(guest: Guest) -> None:
    memory = guest.memory
    guest.close()
    for use in (
        lambda: memory.read(0x10000, 1),
        lambda: memory.write(0x20000, b"1"),
        lambda: memory.read_text(0x10000),
    ):
        with pytest.raises(WrongState, match="closed"):
            use()
