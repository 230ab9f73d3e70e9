"""JSON values: what is decoded and what is refused, limits to the byte, and measures that are always exact."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.sdk.codes import MAX_VALUE_BYTES, MAX_VALUE_DEPTH, MAX_VALUE_NODES
from runtime.sdk.values import (
    Array,
    Object,
    RefusalKind,
    Value,
    ValueRefused,
    adopt,
    check,
    decode,
    empty_array,
    empty_object,
    encode,
    measures,
    same,
    with_item,
    with_member,
)

SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
)  # fmt: skip
KEYS = st.text(max_size=5)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=30)


def refusal(data: bytes) -> RefusalKind:
    with pytest.raises(ValueRefused) as refused:
        decode(data)
    return refused.value.kind


def nested(brackets: int, inside: str = "") -> bytes:
    return ("[" * brackets + inside + "]" * brackets).encode()


def by_hand(value: Value) -> tuple[int, int, int]:
    """Size, nodes and depth, by the standard library and a recursion."""

    def nodes(inner: Value) -> int:
        members = inner.values() if isinstance(inner, dict) else inner if isinstance(inner, list) else ()
        return 1 + sum(map(nodes, members))

    def depth(inner: Value) -> int:
        members = inner.values() if isinstance(inner, dict) else inner if isinstance(inner, list) else ()
        return 1 + max(map(depth, members)) if members else 0

    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()), nodes(value), depth(value)


# ---------------------------------------------------------------- text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("null", None), ("true", True), ("false", False), ("0", 0), ("-7", -7), ("1.5", 1.5), ("1e3", 1000.0),
        ("[]", []), ("{}", {}), (' [ 1 , "a" ] ', [1, "a"]), ('{"a":1,"a":2}', {"a": 2}),
        ("18446744073709551616", 2**64), ('""', ""), ('"é"', "é"), ('"\\u00e9\\n"', "é\n"), ('"\\ud83d\\ude00"', "😀"),
    ],
)  # fmt: skip
def test_json_is_decoded(text: str, value: Value) -> None:
    assert same(decode(text.encode()), value)


@pytest.mark.parametrize(
    "data",
    [
        b"", b" ", b"nul", b"[1,]", b"{1:2}", b"'a'", b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-1e999", b"01",
        b"+1", b"[1]x", b'"\xff"', b'"\xc3"', b'"\xed\xa0\x80"', b'"\\ud800"', b'"\\udc00\\ud800"', b'{"\\ud800":1}',
        b'"\n"', b'"\\x"', b"\xef\xbb\xbf1", b"9" * 5000, b"1" * 400 + b".5", "1".encode("utf-16"),
    ],
)  # fmt: skip
def test_what_is_no_json_is_malformed(data: bytes) -> None:
    assert refusal(data) is RefusalKind.MALFORMED


@pytest.mark.parametrize(
    ("inside", "beyond"),
    [
        (b'"' + b"a" * (MAX_VALUE_BYTES - 2) + b'"', b'"' + b"a" * (MAX_VALUE_BYTES - 1) + b'"'),
        (nested(MAX_VALUE_DEPTH + 1), nested(MAX_VALUE_DEPTH + 2)),
        (nested(MAX_VALUE_DEPTH, "1"), nested(MAX_VALUE_DEPTH + 1, "1")),
        (b"[" + b"1," * (MAX_VALUE_NODES - 2) + b"1]", b"[" + b"1," * (MAX_VALUE_NODES - 1) + b"1]"),
        (b"[" + b"[]," * (MAX_VALUE_NODES - 2) + b"1]", b"[" + b"[]," * (MAX_VALUE_NODES - 1) + b"1]"),
        (b"[" + b"1e9," * 1260 + b"0]", b"[" + b"1e9," * 1261 + b"0]"),  # 13 bytes each when encoded again
        (b'"' + b"[" * 9000 + b'"', b"[" * 9000),
    ],
)
def test_limits_are_exact(inside: bytes, beyond: bytes) -> None:
    assert check(decode(inside)) == encode(decode(inside))
    assert refusal(beyond) is RefusalKind.LIMIT


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], "\ud800", {"a": {1, 2}}, object(), b"bytes", [b""]])
def test_what_json_cannot_say_is_not_encoded(value: Value) -> None:
    for use in (encode, check):
        with pytest.raises(ValueRefused) as refused:
            use(value)
        assert refused.value.kind is RefusalKind.MALFORMED


def test_a_value_that_contains_itself_is_refused() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    with pytest.raises(ValueRefused):
        check(cycle)


@given(VALUES)
def test_decoding_is_the_inverse_of_encoding(value: Value) -> None:
    assert same(decode(encode(value)), value)
    assert check(value) == encode(value)


@given(st.text(alphabet='[]{}",:01e.-\\u d8truefalsn', max_size=60))
def test_no_text_leads_to_anything_but_a_value_or_a_refusal(text: str) -> None:
    try:
        value = decode(text.encode())
    except ValueRefused:
        return
    check(value)


@pytest.mark.parametrize(
    ("left", "right"),
    [(1, True), (0, False), (1, 1.0), ([1], [1.0]), ({"a": 1}, {"a": True}), ([], {}), ("1", 1), (None, False)],
)
def test_unlike_json_is_not_the_same(left: Value, right: Value) -> None:
    assert same(left, left)
    assert same(right, right)
    assert not same(left, right)


def test_the_order_of_keys_does_not_matter_and_that_of_items_does() -> None:
    assert same({"a": 1, "b": [2]}, {"b": [2], "a": 1})
    assert not same([1, 2], [2, 1])


# ---------------------------------------------------------------- building


@given(VALUES)
def test_measures_are_those_of_the_encoding(value: Value) -> None:
    assert measures(value) == by_hand(value)
    assert measures(adopt(value)) == by_hand(value)


@given(st.data())
@settings(max_examples=60)
def test_whatever_is_built_measures_are_exact_and_copies_stay_as_they_were(data: st.DataObject) -> None:
    """A few handles, to which random items and members go, also they themselves, and replace each other."""
    live: list[Any] = [empty_object(), empty_array(), adopt(data.draw(VALUES)), adopt({"deep": [[[0]]], "b": {}})]
    models: list[Any] = json.loads(json.dumps(live))
    for _ in range(data.draw(st.integers(1, 25))):
        to = data.draw(st.integers(0, len(live) - 1))
        source = data.draw(st.integers(0, len(live) - 1) | st.tuples(SCALARS | VALUES))
        part, model = (live[source], models[source]) if isinstance(source, int) else (source[0], source[0])
        name = data.draw(st.sampled_from(["deep", "b", "c", "é"]))
        if isinstance(live[to], Object):
            changed: Any = with_member(live[to], name, part)
        elif isinstance(live[to], Array):
            changed = with_item(live[to], part)
        else:
            continue
        model = json.loads(json.dumps(model))
        if changed is not None:
            if isinstance(models[to], dict):
                models[to][name] = model
            else:
                models[to].append(model)
            live[to] = changed
        for value, expected in zip(live, models, strict=True):
            assert same(value, expected)
            assert measures(value) == by_hand(value)


def test_a_part_is_frozen_and_copied_when_it_is_changed() -> None:
    parent, child = empty_object(), empty_array()
    assert with_item(child, 1) is child
    assert with_member(parent, "child", child) is parent
    changed = with_item(child, 2)
    assert changed is not None
    assert changed is not child
    assert (parent, changed) == ({"child": [1]}, [1, 2])


def full_array() -> Array:
    array: Any = empty_array()
    for _ in range(MAX_VALUE_NODES - 1):
        array = with_item(array, 1)
    return array  # type: ignore[no-any-return]


def text_of(size: int) -> str:
    return "x" * (size - 2)


@pytest.mark.parametrize(
    ("target", "inside", "beyond"),
    [
        (full_array, None, 1),
        (empty_array, text_of(MAX_VALUE_BYTES - 2), text_of(MAX_VALUE_BYTES - 1)),
        (empty_array, json.loads(nested(MAX_VALUE_DEPTH)), json.loads(nested(MAX_VALUE_DEPTH + 1))),
    ],
)
def test_what_would_exceed_a_limit_is_not_added(target: Value, inside: Value, beyond: Value) -> None:
    array = target()
    before = encode(array)
    assert with_item(array, beyond) is None
    assert encode(array) == before
    if inside is not None:
        assert with_item(array, inside) is array
        check(array)


@pytest.mark.parametrize(
    ("name", "inside", "beyond"),
    [
        ("a", text_of(MAX_VALUE_BYTES - 6), text_of(MAX_VALUE_BYTES - 5)),
        ("\n", text_of(MAX_VALUE_BYTES - 7), text_of(MAX_VALUE_BYTES - 6)),
        ("é", text_of(MAX_VALUE_BYTES - 7), text_of(MAX_VALUE_BYTES - 6)),
        ("a", json.loads(nested(MAX_VALUE_DEPTH)), json.loads(nested(MAX_VALUE_DEPTH + 1))),
    ],
)
def test_what_would_exceed_a_limit_is_not_set(name: str, inside: Value, beyond: Value) -> None:
    target = empty_object()
    assert with_member(target, name, beyond) is None
    assert target == {}
    assert with_member(target, name, inside) is target
    assert len(check(target)) <= MAX_VALUE_BYTES
    assert with_member(target, name, beyond) is None
    assert target == {name: inside}


def test_a_member_that_was_the_deepest_makes_room_when_it_is_replaced() -> None:
    target = empty_object()
    deep = json.loads(nested(MAX_VALUE_DEPTH))
    assert with_member(target, "a", deep) is target
    outer = empty_array()
    assert with_item(outer, target) is None
    assert with_member(target, "a", 0) is target
    assert measures(target) == (7, 2, 1)
    assert with_item(outer, target) is outer
