"""Grants: exact names, exact pinned arguments, nothing else."""

from __future__ import annotations

import pytest

from runtime.node.capabilities import Capability, granted
from runtime.node.errors import Kind, NodeError
from runtime.sdk.values import Value


def test_only_the_very_name_is_granted() -> None:
    grants = granted([Capability("agent.notify")])
    assert grants.allows("agent.notify", {})
    for name in ("agent.notif", "agent.notify2", "AGENT.NOTIFY", "", "agent.notify\0"):
        assert not grants.allows(name, {})


def test_nothing_is_granted_by_default() -> None:
    assert not granted([]).allows("agent.notify", {})


@pytest.mark.parametrize("arguments", [{}, None, [], 1, {"x": 1}, "text"])
def test_without_pins_any_arguments_do(arguments: Value) -> None:
    assert granted([Capability("c")]).allows("c", arguments)


@pytest.mark.parametrize(
    ("arguments", "right"),
    [
        ({"run_id": 7, "repository": "o/r"}, True),
        ({"run_id": 7, "repository": "o/r", "more": [1]}, True),
        ({"run_id": 7}, False),
        ({"run_id": 8, "repository": "o/r"}, False),
        ({"run_id": "7", "repository": "o/r"}, False),
        ({"run_id": 7.0, "repository": "o/r"}, False),
        ({"nested": {"run_id": 7, "repository": "o/r"}}, False),
        (["run_id", 7, "repository", "o/r"], False),
        (None, False),
    ],
)
def test_pinned_arguments_are_compared_at_the_top_level_and_exactly(arguments: Value, right: bool) -> None:
    grants = granted([Capability("read", {"run_id": 7, "repository": "o/r"})])
    assert grants.allows("read", arguments) is right


def test_one_is_not_true_and_null_is_not_absence() -> None:
    grants = granted([Capability("c", {"flag": True, "nothing": None, "deep": {"a": [1, {"b": False}]}})])
    right: dict[str, Value] = {"flag": True, "nothing": None, "deep": {"a": [1, {"b": False}]}}
    assert grants.allows("c", right)
    assert not grants.allows("c", {**right, "flag": 1})
    assert not grants.allows("c", {"flag": True, "deep": right["deep"]})
    assert not grants.allows("c", {**right, "deep": {"a": [True, {"b": False}]}})
    assert not grants.allows("c", {**right, "deep": {"a": [1, {"b": 0}]}})


def test_each_of_several_grants_of_one_name_suffices() -> None:
    grants = granted([Capability("c", {"id": 1}), Capability("c", {"id": 2})])
    assert [grants.allows("c", {"id": number}) for number in (1, 2, 3)] == [True, True, False]


@pytest.mark.parametrize(
    "capability",
    [Capability(""), Capability("x" * 129), Capability("c", {"a": float("nan")}), Capability("c", {"a": "x" * 17_000})],
)
def test_what_no_call_could_have_is_refused(capability: Capability) -> None:
    with pytest.raises(NodeError) as caught:
        granted([capability])
    assert caught.value.kind is Kind.INVALID_PARAMS


def test_pins_are_copies() -> None:
    arguments: dict[str, Value] = {"ids": [1]}
    grants = granted([Capability("c", arguments)])
    arguments["ids"].append(2)
    assert grants.allows("c", {"ids": [1]})
    assert not grants.allows("c", {"ids": [1, 2]})


def test_objects_that_may_do_the_same_share_their_grants() -> None:
    assert granted([Capability("a"), Capability("b")]) is granted([Capability("a"), Capability("b")])
    assert granted([Capability("a")]) is not granted([Capability("b")])
