"""JSON from outside, read strictly: what readers disagree about is no JSON here."""

from __future__ import annotations

import json

from runtime.sdk.values import Value


def strict_json(text: bytes) -> Value:
    """The value. Raises ValueError: no JSON, a key twice in one object, NaN or infinity, nested beyond reading."""
    try:
        return json.loads(text, object_pairs_hook=_members, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _members(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key comes twice in one object")
    return found


def _refuse(name: str) -> Value:
    raise ValueError(f"{name} is no JSON")
