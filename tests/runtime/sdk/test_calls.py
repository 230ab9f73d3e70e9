"""What each call answers and does: by the guide, with its nearest refusals. Bad pointers are in `test_pointers`."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from typing import NoReturn

import pytest

from runtime import GuestPointerFault
from runtime.sdk import values
from runtime.sdk.codes import (
    CLOSED,
    DENIED,
    INVALID,
    LIMIT,
    MAX_HANDLES,
    MAX_TIMEOUT_MS,
    MAX_VALUE_BYTES,
    MAX_VALUE_NODES,
    TIMEOUT,
)
from runtime.sdk.values import Value, encode, same
from tests.runtime.sdk.calling import DATA_LOW, RODATA_LOW, Caller, caller
from tests.runtime.sdk.header import HELPERS, MAKERS
from tests.runtime.sdk.scripted import ScriptedServices

I64_MIN, I64_MAX = -(2**63), 2**63 - 1
FOREVER = 2**64 - 1


@pytest.fixture
def made() -> Iterator[Caller]:
    with caller() as caller_:
        yield caller_


def added(made: Caller, value: Value | bytes) -> int:
    return made.services.handles.add(value)


def value_of(made: Caller, handle: int) -> Value | bytes:
    return made.services.handles.entries[handle]


def full(made: Caller) -> None:
    while not made.services.handles.full:
        added(made, None)


# ---------------------------------------------------------------- all of them


HANDLES = [
    (name, at)
    for name, parameters in HELPERS.items()
    for at, parameter in enumerate(parameters)
    if parameter.type == "sf_handle"
]


@pytest.mark.parametrize(("name", "at"), HANDLES)
@pytest.mark.parametrize("handle", [INVALID, LIMIT, CLOSED, 0, I64_MIN, I64_MAX, "stale", "another's", "mark"])
def test_what_is_no_handle_is_invalid_and_nothing_has_changed(
    made: Caller, name: str, at: int, handle: int | str
) -> None:
    other = ScriptedServices().handles
    stale = added(made, {})
    made.services.handles.drop(stale)
    bad = {"stale": stale, "another's": other.add({}), "mark": made.services.handles.mark()}.get(str(handle), handle)
    assert isinstance(bad, int)
    good = {"object": added(made, {"a": 1}), "array": added(made, [1]), "value": added(made, 1), "parameters": bad}
    before = {handle: encode(value) for handle, value in made.services.handles.entries.items()}
    arguments = [
        bad if index == at else Caller.OUT if p.is_pointer else good.get(p.name, 3) if p.type == "sf_handle" else 3
        for index, p in enumerate(HELPERS[name])
    ]
    assert made.call(name, *arguments) == (3 if name == "sf_json_read_i64_raw" else INVALID)
    assert {handle: encode(value) for handle, value in made.services.handles.entries.items()} == before
    assert made.services.trace == []


MAKES_A_HANDLE = {
    "sf_config": (),
    "sf_event_next": (10,),
    "sf_host_call_raw": ("a.b", "object", 10),
    "sf_json_parse": ("[1]",),
    "sf_json_get_raw": ("object", "key"),
    "sf_json_at": ("array", 0),
    "sf_json_object": (),
    "sf_json_array": (),
    "sf_json_null": (),
    "sf_json_string_raw": ("text",),
    "sf_json_number": (7,),
    "sf_json_boolean": (1,),
    "sf_json_dump": ("object",),
    "sf_bytes": ("bytes",),
}


def made_with(made: Caller, name: str) -> int:
    objects = {"object": added(made, {"key": 1}), "array": added(made, [1])}
    return made.call(name, *(objects.get(str(argument), argument) for argument in MAKES_A_HANDLE[name]))


@pytest.mark.parametrize("name", MAKES_A_HANDLE)
def test_what_makes_a_handle_makes_one_that_is_its_own(name: str) -> None:
    with caller(ScriptedServices(events=[(0, {})], config={})) as made:
        handle = made_with(made, name)
        assert handle > 0
        assert made.call("sf_drop", handle) == 0
        assert made.call("sf_drop", handle) == INVALID


@pytest.mark.parametrize("name", MAKES_A_HANDLE)
def test_the_129th_handle_is_a_limit_and_nothing_is_lost_or_done(name: str) -> None:
    with caller(ScriptedServices(events=[(0, {})])) as made:
        while len(made.services.handles) < MAX_HANDLES - 2:
            added(made, None)
        assert made_with(made, name) == LIMIT
        assert len(made.services.handles) == MAX_HANDLES
        assert (made.services.trace, made.services.waits) == ([], [])


def test_the_header_says_which_calls_make_handles() -> None:
    assert set(MAKES_A_HANDLE) == MAKERS


TEXTS = [
    (name, at)
    for name, parameters in HELPERS.items()
    for at, parameter in enumerate(parameters)
    if parameter.is_pointer and not parameter.is_written
]


@pytest.mark.parametrize(("name", "at"), TEXTS)
@pytest.mark.parametrize("length", [MAX_VALUE_BYTES + 1, FOREVER, 2**64 + INVALID, 2**63])
@pytest.mark.parametrize("pointer", [DATA_LOW, 0], ids=["good", "null"])
def test_a_text_that_is_too_long_is_a_limit_whatever_the_pointer(
    made: Caller, name: str, at: int, length: int, pointer: int
) -> None:
    target = added(made, [] if "push" in name else {})
    before = len(made.services.handles)
    arguments = [
        target if p.type == "sf_handle" else pointer if index == at else length if index == at + 1
        else Caller.OUT if p.is_written else RODATA_LOW if p.is_pointer else 3
        for index, p in enumerate(HELPERS[name])
    ]  # fmt: skip
    assert made.call(name, *arguments) == (3 if name == "sf_json_read_i64_raw" else LIMIT)
    assert len(made.services.handles) == before
    assert made.services.trace == []


# ---------------------------------------------------------------- time, events, calls, log


@pytest.mark.parametrize("name", ["sf_sleep_ms", "sf_event_next"])
@pytest.mark.parametrize(
    ("asked", "waited"),
    [(0, 0), (5, 5), (MAX_TIMEOUT_MS, MAX_TIMEOUT_MS), (MAX_TIMEOUT_MS + 1, MAX_TIMEOUT_MS), (-1, MAX_TIMEOUT_MS),
     (-5000, MAX_TIMEOUT_MS), (FOREVER, MAX_TIMEOUT_MS)],
)  # fmt: skip
def test_negative_and_very_long_waits_are_the_longest(made: Caller, name: str, asked: int, waited: int) -> None:
    made.call(name, asked)
    assert made.services.waits == [waited]


def test_a_host_call_takes_its_timeout_likewise(made: Caller) -> None:
    made.call("sf_host_call_raw", "a.b", added(made, {}), -1)
    assert made.services.waits == [MAX_TIMEOUT_MS]


def test_the_clocks(made: Caller) -> None:
    made.services.mono_ms = 1234
    assert made.call("sf_now_mono_ms") == 1234
    assert made.call("sf_now_unix_ms") == 1_700_000_000_234
    assert made.call("sf_yield") == 0


def test_events_come_in_order_and_then_no_more() -> None:
    events: list[tuple[int, Value]] = [(5, {"event_id": "e1"}), (500, {"event_id": "e2"})]
    with caller(ScriptedServices(events)) as made:
        assert value_of(made, made.call("sf_event_next", 100)) == {"event_id": "e1"}
        assert made.call("sf_event_next", 100) == TIMEOUT
        assert value_of(made, made.call("sf_event_next", 400)) == {"event_id": "e2"}
        assert made.call("sf_event_next", 400) == CLOSED


def test_a_host_call_passes_name_and_arguments_and_answers_a_handle_or_a_status() -> None:
    with caller(ScriptedServices(answers={"feed.fetch": {"items": []}, "denied": DENIED})) as made:
        arguments = added(made, {"url": "u"})
        assert value_of(made, made.call("sf_host_call_raw", "feed.fetch", arguments, 10)) == {"items": []}
        assert made.call("sf_host_call_raw", "denied", arguments, 10) == DENIED
        assert made.services.trace == [["call", "feed.fetch", {"url": "u"}], ["call", "denied", {"url": "u"}]]


def test_the_arguments_of_a_call_stay_as_they_were_when_it_was_made(made: Caller) -> None:
    arguments = made.call("sf_json_object")
    made.call("sf_json_set_number_raw", arguments, "n", 1)
    made.call("sf_host_call_raw", "a", arguments, 10)
    made.call("sf_json_set_number_raw", arguments, "n", 2)
    made.call("sf_host_call_raw", "a", arguments, 10)
    assert made.services.trace == [["call", "a", {"n": 1}], ["call", "a", {"n": 2}]]


@pytest.mark.parametrize("name", [b"\xff", b"feed\xc3", "\ud800".encode(errors="surrogatepass")])
def test_a_capability_that_is_not_utf8_is_invalid(made: Caller, name: bytes) -> None:
    assert made.call("sf_host_call_raw", name, added(made, {}), 10) == INVALID
    assert made.services.trace == []


def test_bytes_are_no_arguments(made: Caller) -> None:
    assert made.call("sf_host_call_raw", "a", added(made, b""), 10) == INVALID


@pytest.mark.parametrize(
    ("message", "logged"),
    [
        (b"", ""),
        (b"line", "line"),
        ("é" * 512, "é" * 512),
        (b"cut \xc3", "cut \ufffd"),
        (b"\xff" * 1024, "\ufffd" * 341),  # three bytes each: as many as there is room for
        (b"a\0b", "a\0b"),
    ],
)
def test_a_log_line_is_up_to_1024_bytes_of_text_whatever_the_bytes(
    made: Caller, message: bytes | str, logged: str
) -> None:
    assert made.call("sf_log_raw", message) == 0
    assert made.services.trace == [["log", logged]]


def test_a_longer_line_is_a_limit(made: Caller) -> None:
    assert made.call("sf_log_raw", b"x" * 1025) == LIMIT
    assert made.services.trace == []


# ---------------------------------------------------------------- reading


@pytest.mark.parametrize(
    ("text", "value"), [(b'{"a":[1,2.5,null]}', {"a": [1, 2.5, None]}), (b" 7 ", 7), (b'"\xc3\xa9"', "é")]
)
def test_json_text_becomes_a_value(made: Caller, text: bytes, value: Value) -> None:
    assert same(value_of(made, made.call("sf_json_parse", text)), value)


@pytest.mark.parametrize("text", [b"", b"{", b"\xff", b"NaN", b'"\\ud800"', b"[1]\0"])
def test_text_that_is_no_json_is_invalid(made: Caller, text: bytes) -> None:
    assert made.call("sf_json_parse", text) == INVALID
    assert len(made.services.handles) == 0


@pytest.mark.parametrize("text", [b"[" * 34 + b"]" * 34, b"[" + b"1," * MAX_VALUE_NODES + b"1]", b"[" * 16384])
def test_text_beyond_the_limits_is_a_limit(made: Caller, text: bytes) -> None:
    assert made.call("sf_json_parse", text) == LIMIT


@pytest.mark.parametrize(
    ("value", "kind"), [(None, 0), (True, 1), (0, 2), (1.5, 2), ("", 3), ([], 4), ({}, 5), (b"", INVALID)]
)
def test_kinds(made: Caller, value: Value | bytes, kind: int) -> None:
    assert made.call("sf_json_kind", added(made, value)) == kind


def test_what_the_guest_made_has_the_same_kinds(made: Caller) -> None:
    assert made.call("sf_json_kind", made.call("sf_json_array")) == 4
    assert made.call("sf_json_kind", made.call("sf_json_object")) == 5


@pytest.mark.parametrize(
    ("value", "key", "member"),
    [({"a": [1]}, "a", [1]), ({"": None}, "", None), ({"é": 1}, "é", 1), ({"a\0b": 1}, "a\0b", 1)],
)
def test_a_member_is_found(made: Caller, value: Value, key: str, member: Value) -> None:
    assert same(value_of(made, made.call("sf_json_get_raw", added(made, value), key)), member)


@pytest.mark.parametrize(("value", "key"), [({"a": 1}, "b"), ({"a": 1}, b"\xff"), ([1], "0"), ("a", "a"), (b"a", "a")])
def test_a_member_that_is_not_there_is_invalid(made: Caller, value: Value | bytes, key: str | bytes) -> None:
    handle = added(made, value)
    assert made.call("sf_json_get_raw", handle, key) == INVALID
    assert made.call("sf_json_read_i64_raw", handle, key, 5) == 5


def test_items_are_found_by_index_and_there_are_no_others(made: Caller) -> None:
    array = added(made, ["a", None])
    assert value_of(made, made.call("sf_json_at", array, 0)) == "a"
    assert value_of(made, made.call("sf_json_at", array, 1)) is None
    for index in (2, -1, 2**63):
        assert made.call("sf_json_at", array, index) == INVALID
    assert made.call("sf_json_at", added(made, {"0": 1}), 0) == INVALID


@pytest.mark.parametrize("value", [0, 1, -1, I64_MAX, I64_MIN])
def test_an_integer_is_read_from_a_value_and_from_a_member(made: Caller, value: int) -> None:
    assert made.call("sf_json_i64", added(made, value), Caller.OUT) == 0
    assert made.out(9) == value.to_bytes(8, "little", signed=True) + b"\xa5"
    assert made.call("sf_json_read_i64_raw", added(made, {"n": value}), "n", 5) == value


@pytest.mark.parametrize("value", [I64_MAX + 1, I64_MIN - 1, 1.0, True, None, "1", [1], b"1"])
def test_what_is_no_64_bit_integer_is_not_read_as_one(made: Caller, value: Value | bytes) -> None:
    assert made.call("sf_json_i64", added(made, value), Caller.OUT) == INVALID
    assert made.out(8) == b"\xa5" * 8
    if not isinstance(value, bytes):
        assert made.call("sf_json_read_i64_raw", added(made, {"n": value}), "n", -5) == -5


@pytest.mark.parametrize(("value", "answer"), [(True, 1), (False, 0), (1, INVALID), (None, INVALID), ("true", INVALID)])
def test_truth(made: Caller, value: Value, answer: int) -> None:
    assert made.call("sf_json_bool", added(made, value)) == answer


@pytest.mark.parametrize(
    ("capacity", "written"),
    [
        (0, b""),
        (3, b"na\xc3"),  # cut inside a character, and no room for a NUL
        (6, b"na\xc3\xafve"),
        (7, b"na\xc3\xafve\0"),
        (64, b"na\xc3\xafve\0"),
        (20_000, b"na\xc3\xafve\0"),  # larger than any value
    ],
)
def test_a_string_is_cut_at_the_capacity_and_ends_with_a_nul_if_there_is_room(capacity: int, written: bytes) -> None:
    with caller() as made:
        out = DATA_LOW if capacity > 64 else Caller.OUT
        made.guest.memory.write(out, b"\xa5" * 8)
        assert made.call("sf_json_read_string", added(made, "naïve"), out, capacity) == 6
        assert made.guest.read(out, 8) == written.ljust(8, b"\xa5")


@pytest.mark.parametrize("value", [None, 1, ["a"], b"a"])
def test_what_is_no_string_is_not_read_as_one(made: Caller, value: Value | bytes) -> None:
    assert made.call("sf_json_read_string", added(made, value), Caller.OUT, 8) == INVALID
    assert made.out(8) == b"\xa5" * 8


@pytest.mark.parametrize(
    ("capacity", "written"),
    [
        (0, b""),
        (1, b"\0"),
        (3, b"na\0"),
        (4, b"na\0"),  # the next character does not fit
        (5, b"na\xc3\xaf\0"),
        (6, b"na\xc3\xafv\0"),
        (7, b"na\xc3\xafve\0"),
        (64, b"na\xc3\xafve\0"),
    ],
)
def test_a_text_always_ends_with_a_nul_and_holds_whole_characters(made: Caller, capacity: int, written: bytes) -> None:
    handle = added(made, {"key": "naïve"})
    assert made.call("sf_json_read_text_raw", handle, "key", Caller.OUT, capacity) == 6
    assert made.out(8) == written.ljust(8, b"\xa5")


@pytest.mark.parametrize(
    ("value", "key"), [({}, "key"), ({"key": 1}, "key"), ({"key": None}, "key"), ([], "key"), ({}, b"\xff")]
)
def test_a_text_that_is_not_there_is_empty(made: Caller, value: Value, key: str | bytes) -> None:
    handle = added(made, value)
    assert made.call("sf_json_read_text_raw", handle, key, Caller.OUT, 8) == INVALID
    assert made.out(2) == b"\0\xa5"


@pytest.mark.parametrize("capacity", [-1, 2**63, 0x9001])
def test_a_buffer_that_is_not_there_is_a_fault_whatever_would_be_written(made: Caller, capacity: int) -> None:
    for name, arguments in (("sf_json_read_string", ()), ("sf_json_read_text_raw", ("key",)), ("sf_bytes_read", (0,))):
        with pytest.raises(GuestPointerFault):
            made.call(name, added(made, {"key": ""}), *arguments, DATA_LOW, capacity)


@pytest.mark.parametrize(
    ("value", "key", "text", "answer"),
    [
        ({"kind": "deploy"}, "kind", "deploy", 1),
        ({"kind": "deploy"}, "kind", "deplo", 0),
        ({"kind": "deploy"}, "kind", "deploy\0", 0),
        ({"kind": ""}, "kind", "", 1),
        ({"kind": "é"}, "kind", "é", 1),
        ({"kind": 1}, "kind", "1", 0),  # no string
        ({}, "kind", "deploy", 0),  # no such member
        ({"kind": "deploy"}, b"\xff", "deploy", INVALID),
        (["kind"], "kind", "kind", INVALID),
        ("kind", "kind", "kind", INVALID),
    ],
)
def test_strings_are_equal_or_not(made: Caller, value: Value, key: str | bytes, text: str, answer: int) -> None:
    assert made.call("sf_json_string_equals_raw", added(made, value), key, text) == answer


# ---------------------------------------------------------------- making


def test_scalars_are_made(made: Caller) -> None:
    cases: list[tuple[int, Value]] = [
        (made.call("sf_json_null"), None),
        (made.call("sf_json_boolean", 0), False),
        (made.call("sf_json_boolean", 2**63), True),
        (made.call("sf_json_number", -7), -7),
        (made.call("sf_json_number", I64_MIN), I64_MIN),
        (made.call("sf_json_string_raw", ""), ""),
        (made.call("sf_json_string_raw", "é"), "é"),
        (made.call("sf_json_string_raw", b"cut \xe2\x82"), "cut \ufffd"),
    ]
    for handle, value in cases:
        assert same(value_of(made, handle), value)


@pytest.mark.parametrize(("character", "fits"), [(b"x", 16382), (b'"', 8191), (b"\x01", 2730), (b"\xff", 5460)])
def test_a_string_may_have_16_kib_encoded(made: Caller, character: bytes, fits: int) -> None:
    assert made.call("sf_json_string_raw", character * fits) > 0
    assert made.call("sf_json_string_raw", character * (fits + 1)) == LIMIT


def built(made: Caller) -> int:
    made_object = made.call("sf_json_object")
    for answer in (
        made.call("sf_json_set_raw", made_object, "n", made.call("sf_json_null")),
        made.call("sf_json_set_string_raw", made_object, "s", "text"),
        made.call("sf_json_set_number_raw", made_object, "i", -1),
        made.call("sf_json_set_boolean_raw", made_object, "b", 5),
        made.call("sf_json_set_string_raw", made_object, "s", b"other \xff"),
    ):
        assert answer == 0
    return made_object


def test_members_are_set_and_replaced(made: Caller) -> None:
    assert same(value_of(made, built(made)), {"n": None, "s": "other \ufffd", "i": -1, "b": True})


def test_items_are_pushed(made: Caller) -> None:
    array = made.call("sf_json_array")
    assert made.call("sf_json_push", array, built(made)) == 0
    assert made.call("sf_json_push_string_raw", array, "s") == 0
    assert made.call("sf_json_push_number", array, I64_MIN) == 0
    assert same(value_of(made, array), [{"n": None, "s": "other \ufffd", "i": -1, "b": True}, "s", I64_MIN])


@pytest.mark.parametrize("key", [b"\xff", b"\xc3"])
def test_a_key_that_is_not_utf8_is_not_set(made: Caller, key: bytes) -> None:
    target, value = made.call("sf_json_object"), added(made, 1)
    assert made.call("sf_json_set_raw", target, key, value) == INVALID
    assert made.call("sf_json_set_number_raw", target, key, 1) == INVALID
    assert made.call("sf_json_set_string_raw", target, key, "s") == INVALID
    assert value_of(made, target) == {}


@pytest.mark.parametrize(
    ("name", "targets", "arguments"),
    [
        ("sf_json_set_raw", ([], "s", None, b"b"), ("k", "value")),
        ("sf_json_set_string_raw", ([], "s", None, b"b"), ("k", "t")),
        ("sf_json_set_number_raw", ([], "s", None, b"b"), ("k", 1)),
        ("sf_json_set_boolean_raw", ([], "s", None, b"b"), ("k", 1)),
        ("sf_json_push", ({}, "s", None, b"b"), ("value",)),
        ("sf_json_push_string_raw", ({}, "s", None, b"b"), ("t",)),
        ("sf_json_push_number", ({}, "s", None, b"b"), (1,)),
    ],
)
def test_only_objects_have_members_and_only_arrays_items(
    made: Caller, name: str, targets: tuple[Value, ...], arguments: tuple[str | int, ...]
) -> None:
    value = added(made, 1)
    for target in targets:
        handle = added(made, target)
        given = (value if argument == "value" else argument for argument in arguments)
        assert made.call(name, handle, *given) == INVALID
        assert value_of(made, handle) == target


def test_bytes_are_no_part_of_a_value(made: Caller) -> None:
    assert made.call("sf_json_set_raw", made.call("sf_json_object"), "k", added(made, b"")) == INVALID
    assert made.call("sf_json_push", made.call("sf_json_array"), added(made, b"")) == INVALID


def test_values_are_copied_in_and_out(made: Caller) -> None:
    """Whatever is changed afterwards, and whoever else has it."""
    config = {"list": [1]}
    made.services = ScriptedServices(config=config)
    one, other = made.call("sf_config"), made.call("sf_config")
    items = made.call("sf_json_get_raw", one, "list")
    assert made.call("sf_json_push_number", items, 2) == 0
    assert made.call("sf_json_set_raw", one, "more", items) == 0
    assert made.call("sf_json_push_number", items, 3) == 0
    taken = made.call("sf_json_get_raw", one, "more")
    assert made.call("sf_json_push_number", taken, 4) == 0
    assert made.call("sf_json_set_raw", one, "itself", one) == 0
    assert value_of(made, one) == {"list": [1], "more": [1, 2], "itself": {"list": [1], "more": [1, 2]}}
    assert value_of(made, items) == [1, 2, 3]
    assert value_of(made, taken) == [1, 2, 4]
    assert value_of(made, other) == config == {"list": [1]}


def test_what_would_exceed_a_limit_leaves_the_target_as_it_was(made: Caller) -> None:
    target, array = made.call("sf_json_object"), made.call("sf_json_array")
    half = "x" * (MAX_VALUE_BYTES // 2)
    assert made.call("sf_json_set_string_raw", target, "a", half) == 0
    assert made.call("sf_json_push_string_raw", array, half) == 0
    before = [encode(value_of(made, handle)) for handle in (target, array)]
    for answer in (
        made.call("sf_json_set_string_raw", target, "b", half),
        made.call("sf_json_set_raw", target, "b", array),
        made.call("sf_json_set_number_raw", target, half, 1),
        made.call("sf_json_push_string_raw", array, half),
        made.call("sf_json_push", array, target),
        made.call("sf_json_push", array, array),
    ):
        assert answer == LIMIT
    assert [encode(value_of(made, handle)) for handle in (target, array)] == before
    assert made.call("sf_json_set_string_raw", target, "a", "short") == 0
    assert made.call("sf_json_set_string_raw", target, "b", half) == 0


def test_an_array_takes_4095_items_and_no_more(made: Caller) -> None:
    array = made.call("sf_json_array")
    for _ in range(MAX_VALUE_NODES - 1):
        assert made.call("sf_json_push_number", array, 1) == 0
    assert made.call("sf_json_push_number", array, 1) == LIMIT
    assert made.call("sf_bytes_len", array) == MAX_VALUE_NODES - 1


# ---------------------------------------------------------------- bytes


def test_a_value_is_dumped_as_compact_text(made: Caller) -> None:
    dumped = made.call("sf_json_dump", added(made, {"é": [1, "\n"]}))
    assert value_of(made, dumped) == '{"é":[1,"\\n"]}'.encode()
    assert made.call("sf_json_dump", dumped) == INVALID


@pytest.mark.parametrize(
    ("value", "length"),
    [(b"abc", 3), (b"", 0), ("é", 2), ([1, 2], 2), ({"a": 1}, 1), (None, INVALID), (7, INVALID), (True, INVALID)],
)
def test_lengths(made: Caller, value: Value | bytes, length: int) -> None:
    assert made.call("sf_bytes_len", added(made, value)) == length


@pytest.mark.parametrize("value", [b"0123456789", "0123456789"], ids=["bytes", "string"])
@pytest.mark.parametrize(
    ("offset", "capacity", "read"),
    [(0, 4, b"0123"), (8, 4, b"89"), (10, 4, b""), (0, 64, b"0123456789"), (3, 0, b"")],
)
def test_parts_are_read(made: Caller, value: Value | bytes, offset: int, capacity: int, read: bytes) -> None:
    assert made.call("sf_bytes_read", added(made, value), offset, Caller.OUT, capacity) == len(read)
    assert made.out(11) == read.ljust(11, b"\xa5")


@pytest.mark.parametrize(("value", "offset"), [(b"abc", 4), ("abc", 4), (b"abc", -1), ([1], 0), (None, 0)])
def test_what_is_not_there_is_not_read(made: Caller, value: Value | bytes, offset: int) -> None:
    assert made.call("sf_bytes_read", added(made, value), offset, Caller.OUT, 8) == INVALID
    assert made.out(8) == b"\xa5" * 8


def test_bytes_are_copied(made: Caller) -> None:
    handle = made.call("sf_bytes", b"\0\xff")
    made.guest.memory.write(DATA_LOW, b"xx")
    assert value_of(made, handle) == b"\0\xff"


# ---------------------------------------------------------------- marks


def test_release_drops_what_was_made_since_the_mark(made: Caller) -> None:
    kept = made.call("sf_json_object")
    mark = made.call("sf_mark")
    for _ in range(3):
        made.call("sf_json_set_raw", kept, "a", made.call("sf_json_string_raw", "temporary"))
        made.call("sf_json_null")
        assert made.call("sf_release", mark) == 2
    assert value_of(made, kept) == {"a": "temporary"}
    assert made.call("sf_release", mark) == 0
    for wrong in (0, INVALID, I64_MIN):
        assert made.call("sf_release", wrong) == INVALID


# ---------------------------------------------------------------- cost


def test_building_step_by_step_never_measures_what_is_there(made: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else 4,000 steps would take as long as millions."""

    def measured(_: Value) -> NoReturn:
        raise AssertionError("a container was measured as a whole")

    monkeypatch.setattr(values, "encode", measured)
    monkeypatch.setattr(values, "_nodes_and_depth", measured)
    array, parent = made.call("sf_json_array"), made.call("sf_json_object")
    for n in range(4000):
        mark = made.call("sf_mark")
        assert made.call("sf_json_push_number", array, n % 100) == 0
        assert made.call("sf_json_set_raw", parent, "items", array) == 0
        assert made.call("sf_json_set_number_raw", parent, "n", n) == 0
        assert made.call("sf_json_at", made.call("sf_json_get_raw", parent, "items"), n) > 0
        made.call("sf_release", mark)


def test_what_an_object_can_make_the_process_hold_is_bounded(made: Caller) -> None:
    """The worst values that were found: thirty times as large as their text."""
    worst = b"[" + b",".join([b'{"a":1}'] * 2047) + b"]"
    assert len(worst) <= MAX_VALUE_BYTES
    tracemalloc.start()
    try:
        while made.call("sf_json_parse", worst) != LIMIT:
            pass
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(made.services.handles) == MAX_HANDLES
    assert held < 80 << 20
