"""Machine code is made when a function is first called, shared by all who can share it, and given back by the last."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from runtime import Exited, Guest, GuestMemory, Host, Program, Waiting, load_bytecode
from runtime.arena import Arena
from runtime.errors import MemoryUnavailable
from runtime.helpers import HelperFunction
from runtime.kernel import Reservation
from tests.corpus.assembly import EXIT, alu_imm, branch_imm, call_helper, call_local, load, mov
from tests.programs import with_data

PAGE = 4096
HELPER = 5
# main calls the first function if its input is longer than 1, which calls the second if it is longer than 2
LAZY = b"".join(
    [
        branch_imm("jle", 64, 2, 1, 1),
        call_local(1),
        EXIT,
        branch_imm("jle", 64, 2, 2, 1),
        call_local(1),
        EXIT,
        mov(0, 3),
        EXIT,
    ]
)


def echo(memory: GuestMemory, a: int, *_: int) -> int:
    return a


HELPERS: dict[int | str, HelperFunction] = {HELPER: echo}


@pytest.fixture
def host() -> Iterator[Host]:
    """One whose code is all given back at the end, at once and not when the collector comes."""
    gc.collect()
    gc.disable()
    try:
        made = Host()
        yield made
        assert made.arena is not None
        assert (made.cage.in_use, made.arena.code_bytes, made.arena.table_slots) == (0, 0, 0)
    finally:
        gc.enable()


def arena(host: Host) -> Arena:
    assert host.arena is not None
    return host.arena


def unit_bytes(guest: Guest) -> int:
    assert guest._unit is not None
    return guest._unit.code_bytes


def test_a_function_is_compiled_when_it_is_first_called(host: Host) -> None:
    program = load_bytecode(LAZY, host=host, calldata_bytes=8)
    assert arena(host).code_bytes == 0  # loading compiles nothing
    with program.instantiate() as guest:
        assert unit_bytes(guest) == 0
        guest.begin(b"1")
        assert unit_bytes(guest) == 0
        for length, pages in ((1, 1), (1, 1), (2, 2), (2, 2), (1, 2), (3, 3), (3, 3)):
            guest.run(bytes(length))
            assert unit_bytes(guest) == arena(host).code_bytes == pages * PAGE
        assert arena(host).table_slots == 3


def test_guests_of_one_program_share_its_code(host: Host) -> None:
    program = load_bytecode(LAZY, host=host, calldata_bytes=8)
    with program.instantiate() as first, program.instantiate() as second:
        assert first._unit is second._unit
        first.run(bytes(3))
        assert arena(host).code_bytes == 3 * PAGE
        assert second.run(bytes(3)) == Exited(3)
        assert arena(host).code_bytes == 3 * PAGE


def test_programs_with_the_same_text_share_it_even_if_their_data_differ(host: Host) -> None:
    code = mov(6, 0x20000) + load(1, 0, 6, 0) + EXIT
    programs = [with_data(code, writable=bytes([value]), host=host) for value in (7, 9)]
    guests = [program.instantiate() for program in programs]
    assert [guest.run() for guest in guests] == [Exited(7), Exited(9)]
    assert guests[0]._unit is guests[1]._unit
    assert arena(host).code_bytes == PAGE


def test_code_is_not_shared_between_different_layouts_or_helper_tables(host: Host) -> None:
    code = call_helper(HELPER) + load(1, 0, 1, 0) + EXIT
    texts = [
        with_data(code, HELPERS, host=host),
        with_data(code, HELPERS, writable=bytes(1), host=host),
        with_data(code, {**HELPERS, 6: echo}, host=host),
        with_data(code + EXIT, HELPERS, host=host),
    ]
    units = {id(program.unit_for(program.layout_for(0))) for program in texts}
    assert len(units) == len(texts)
    assert texts[0].unit_for(texts[0].layout_for(1)) is not texts[0].unit_for(texts[0].layout_for(2))


def test_code_that_one_user_lets_go_of_stays_for_the_other(host: Host) -> None:
    first, second = (load_bytecode(LAZY, host=host, calldata_bytes=8) for _ in range(2))
    with first.instantiate() as a, second.instantiate() as b:
        assert a.run(bytes(3)) == Exited(3)
        a.close()
        del first, a
        assert arena(host).code_bytes == 3 * PAGE
        assert b.run(bytes(3)) == Exited(3)


def test_a_suspended_guest_keeps_its_code(host: Host) -> None:
    def suspended() -> Guest:
        guest = load_bytecode(call_local(1) + EXIT + call_helper(HELPER) + EXIT, HELPERS, host=host).instantiate()
        guest.begin()
        assert isinstance(guest.advance(), Waiting)
        return guest

    with suspended() as guest:
        for _ in range(20):  # others come and go, and would get its pages
            with load_bytecode(LAZY, host=host).instantiate() as other:
                other.run(bytes(3))
        guest.answer(5)
        assert guest.advance() == Exited(5)


def test_code_pages_and_table_slots_are_used_again(host: Host) -> None:
    low = set()
    for value in range(50):
        with load_bytecode(mov(0, value) + EXIT, host=host).instantiate() as guest:
            assert guest.run() == Exited(value)
            assert guest._unit is not None
            low.add(guest._unit.native_address(0))
    assert len(low) == 1


class NoRoom:
    """A kernel that refuses to split mappings, as it does at vm.max_map_count."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.refuses = False
        protect = Reservation.protect

        def protect_or_refuse(reservation: Reservation, offset: int, size: int, protection: int) -> None:
            if self.refuses:
                raise MemoryUnavailable("no room for another mapping")
            protect(reservation, offset, size, protection)

        monkeypatch.setattr(Reservation, "protect", protect_or_refuse)


def test_code_that_cannot_be_placed_takes_no_pages_and_can_be_placed_later(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = NoRoom(monkeypatch)
    program = load_bytecode(LAZY, host=host, calldata_bytes=8)
    with program.instantiate() as guest:
        guest.begin(bytes(3))
        kernel.refuses = True
        with pytest.raises(MemoryUnavailable):
            guest.advance()
        assert arena(host).code_bytes == 0
        kernel.refuses = False
        guest.begin(bytes(3))
        assert guest.advance() == Exited(3)


def test_code_pages_are_given_back_without_room_for_another_mapping(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = NoRoom(monkeypatch)
    for _ in range(3):
        program = load_bytecode(LAZY, host=host, calldata_bytes=8)
        with program.instantiate() as guest:
            assert guest.run(bytes(3)) == Exited(3)
            first = arena(host).code_low
            kernel.refuses = True
        del program, guest
        assert arena(host).code_bytes == 0
        assert bytes(arena(host)._reservation.view[first - arena(host).low :][: 3 * PAGE]) == bytes(3 * PAGE)
        kernel.refuses = False


def test_code_for_many_input_sizes_is_bounded(host: Host) -> None:
    """A program whose inputs all differ in length keeps the code for a few lengths, not for all."""
    program = load_bytecode(load(1, 0, 1, 0) + EXIT, host=host)
    with program.instantiate() as guest:
        for size in range(1, 60):
            assert guest.run(bytes([size] * size)) == Exited(size)
        assert arena(host).code_bytes <= 16 * PAGE


def test_a_function_of_several_pages_is_placed_whole(host: Host) -> None:
    code = b"".join(alu_imm("add", 64, 0, 1000) for _ in range(5000)) + EXIT
    with load_bytecode(code, host=host).instantiate() as guest:
        assert guest.run() == Exited(5_000_000)
        assert unit_bytes(guest) >= 5000 * 6


def test_recursion_calls_the_code_that_is_just_running(host: Host) -> None:
    code = [alu_imm("add", 64, 0, 1), alu_imm("sub", 64, 2, 1), branch_imm("jeq", 64, 2, 0, 1), call_local(-4), EXIT]
    program: Program = load_bytecode(b"".join(code), host=host)
    with program.instantiate() as guest:
        assert guest.run(bytes(8)) == Exited(8)
        assert unit_bytes(guest) == PAGE
