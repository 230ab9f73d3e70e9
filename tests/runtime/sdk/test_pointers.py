"""Bad pointers to every helper that takes one, computed from the header: a fault, and nothing has changed (H09)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jit.layout import Layout
from runtime import Faulted, FaultKind, GuestPointerFault
from runtime.sdk.calls import SDK_CALLS
from runtime.sdk.values import encode
from tests.corpus.assembly import EXIT, call_helper, lddw
from tests.programs import with_data
from tests.runtime.sdk.calling import DATA_LOW, DATA_SIZE, RODATA, RODATA_LOW, Caller, caller
from tests.runtime.sdk.header import HELPERS, Parameter
from tests.runtime.sdk.scripted import ScriptedServices, helpers

POINTERS = [(name, at) for name, parameters in HELPERS.items() for at, p in enumerate(parameters) if p.is_pointer]
LENGTH = 8  # of every range here, as sf_json_i64 has it


def scripted() -> ScriptedServices:
    return ScriptedServices(events=[(0, {})], config={})


def arguments(name: str, at: int, pointer: int, handles: dict[str, int]) -> list[int]:
    """Good ones, but for the range at `at`."""
    given = []
    for index, parameter in enumerate(HELPERS[name]):
        if parameter.is_pointer:
            given.append(pointer if index == at else Caller.OUT if parameter.is_written else RODATA_LOW)
        elif _follows_a_pointer(HELPERS[name], index):
            given.append(LENGTH if index == at + 1 else 3)
        else:
            given.append(handles.get(parameter.name, 0))
    return given


def _follows_a_pointer(parameters: tuple[Parameter, ...], index: int) -> bool:
    return index > 0 and parameters[index - 1].is_pointer and parameters[index].type == "sf_u64"


def live_handles(services: ScriptedServices, name: str) -> dict[str, int]:
    """By the names of parameters: handles with which the call would succeed."""
    value = {"sf_json_i64": 7, "sf_json_read_string": "text", "sf_bytes_read": b"bytes"}.get(name, {"a": 1})
    add = services.handles.add
    return {"object": add({"key": "text"}), "array": add([1]), "value": add(value), "parameters": add({})}


def bad_ranges(layout: Layout, top: int, write: bool) -> Iterator[int]:
    """Pointers at which 8 bytes are not all the guest's, near every edge that there is."""
    read_only_end, data_end = RODATA_LOW + len(RODATA), DATA_LOW + DATA_SIZE
    yield from (0, 1, RODATA_LOW - 4, read_only_end - 7, read_only_end, DATA_LOW - 1, DATA_LOW - 4)
    yield from (data_end - 7, data_end - 4, data_end, data_end + 4096)
    yield from (top - 7, top - 4, top, top - 4097)  # the frame it is in
    yield from (top + layout.frame_stride - 8, top + layout.frame_stride - 4096)  # a frame that is not alive
    yield from (2**64 - 8, 2**64 - 4, 2**64 - 1, 2**63, 2**32 + DATA_LOW)
    if write:
        yield from (RODATA_LOW, read_only_end - 8)


def good_ranges(layout: Layout, top: int, write: bool) -> Iterator[int]:
    yield from (DATA_LOW, DATA_LOW + DATA_SIZE - 8, top - 8, top - 4096, top - layout.frame_stride - 8)
    if not write:
        yield from (RODATA_LOW, RODATA_LOW + len(RODATA) - 8)


def state(made: Caller) -> object:
    services = made.services
    values = {
        handle: value if isinstance(value, bytes) else encode(value)
        for handle, value in services.handles.entries.items()
    }
    return values, made.memory(), list(services.trace), list(services.waits)


def test_most_helpers_take_a_pointer() -> None:
    assert len(POINTERS) >= 20
    assert {name for name, _ in POINTERS} < set(SDK_CALLS)


@pytest.mark.parametrize(("name", "at"), POINTERS)
@pytest.mark.parametrize("stale", [False, True], ids=["live", "stale"])
def test_a_bad_pointer_is_a_fault_and_nothing_has_changed(name: str, at: int, stale: bool) -> None:
    write = HELPERS[name][at].is_written
    with caller(scripted()) as made:
        handles = live_handles(made.services, name)
        if stale:
            handles = dict.fromkeys(handles, 0)
        before = state(made)
        for pointer in bad_ranges(made.guest.layout, made.guest.frame_top, write):
            with pytest.raises(GuestPointerFault) as fault:
                made.call(name, *arguments(name, at, pointer, handles))
            assert (fault.value.address, fault.value.size, fault.value.write) == (pointer, LENGTH, write)
            assert state(made) == before


@pytest.mark.parametrize(("name", "at"), POINTERS)
def test_a_range_that_touches_the_edges_from_inside_is_no_fault(name: str, at: int) -> None:
    with caller(scripted()) as made:
        for pointer in good_ranges(made.guest.layout, made.guest.frame_top, HELPERS[name][at].is_written):
            made.call(name, *arguments(name, at, pointer, live_handles(made.services, name)))


@pytest.mark.parametrize("engine", ["jit", "interpreter"])
@pytest.mark.parametrize(("name", "at"), POINTERS)
def test_the_fault_ends_the_guest_and_names_the_call(name: str, at: int, engine: str) -> None:
    services = scripted()
    pointer = RODATA_LOW + len(RODATA) - 4
    given = arguments(name, at, pointer, live_handles(services, name))
    code = b"".join(lddw(register, value) for register, value in enumerate(given, 1)) + call_helper(5) + EXIT
    call = helpers(services)[name]
    program = with_data(code, {5: call}, read_only=RODATA, writable=bytes(DATA_SIZE), engine=engine)
    with program.instantiate() as guest:
        outcome = guest.run()
    assert isinstance(outcome, Faulted)
    assert (outcome.kind, outcome.address, outcome.size) == (FaultKind.HELPER_POINTER, pointer, LENGTH)
