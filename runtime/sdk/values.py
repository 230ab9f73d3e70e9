"""JSON values: decoding, encoding, limits, and containers that know their measures.

A value may be 16 KiB encoded, 4096 nodes, 32 deep. Guests build values member by member, and each step has to be
refused if it leads beyond a limit, with nothing changed. Measuring the whole value at each step would make building
quadratic, so a container that a guest has changed (`Array`, `Object`) carries its measures: exactly what its encoding
has, at any time.

Copies are made when they are written to. A container that more than one place refers to is `frozen`: it never changes
again, and who wants to change it gets a shallow copy. So reading a member, setting and pushing take constant time, or
that of a shallow copy.

    plain list, dict     from outside; never changed, measured when it becomes part of something
    Array, Object        what a guest builds; containers inside are frozen, or plain
"""

from __future__ import annotations

import json
import math
from enum import Enum
from json.encoder import encode_basestring
from typing import Any, NoReturn, TypeAlias, TypeVar

from runtime.sdk.codes import MAX_VALUE_BYTES, MAX_VALUE_DEPTH, MAX_VALUE_NODES

Value: TypeAlias = Any  # None | bool | int | float | str | list[Value] | dict[str, Value]

# A number may get longer by being read and written again, at most like this: 9e15, 9000000000000000.0.
_GROWTH = 5


class RefusalKind(Enum):
    """Why a value is refused."""

    MALFORMED = "not JSON"
    LIMIT = "beyond the limits of a value"


class ValueRefused(Exception):
    """`kind` says which of the two it is, `detail` what exactly."""

    def __init__(self, kind: RefusalKind, detail: str) -> None:
        self.kind, self.detail = kind, detail
        super().__init__(f"{kind.value}: {detail}")


class Array(list[Value]):
    """A list that knows its measures: bytes encoded, values in it and itself, containers around the innermost value."""

    __slots__ = ("depth", "frozen", "nodes", "size")

    def __init__(self, items: list[Value], size: int, nodes: int, depth: int) -> None:
        super().__init__(items)
        self.size, self.nodes, self.depth, self.frozen = size, nodes, depth, False


class Object(dict[str, Value]):
    """A dict that knows its measures, as an `Array` does."""

    __slots__ = ("depth", "frozen", "nodes", "size")

    def __init__(self, members: dict[str, Value], size: int, nodes: int, depth: int) -> None:
        super().__init__(members)
        self.size, self.nodes, self.depth, self.frozen = size, nodes, depth, False


ContainerT = TypeVar("ContainerT", Array, Object)


# ---------------------------------------------------------------- text


def decode(data: bytes) -> Value:
    """The value that `data` encodes, in UTF-8, of plain lists and dicts. Of equal keys the last one counts.

    Raises ValueRefused. Malformed is also: NaN, infinity and numbers that round to it, a lone surrogate, an integer of
    thousands of digits. Text that is nested too deeply may be refused for that before its syntax is looked at.
    """
    if len(data) > MAX_VALUE_BYTES:
        raise ValueRefused(RefusalKind.LIMIT, f"{len(data)} bytes of text, {MAX_VALUE_BYTES} are allowed")
    try:
        value = _DECODER.decode(data.decode())
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:  # JSONDecodeError, UnicodeDecodeError, the interpreter's limit on digits
        raise ValueRefused(RefusalKind.MALFORMED, str(error)) from None
    if _GROWTH * len(data) > MAX_VALUE_BYTES or b"\\u" in data or not _surely_small(data):
        check(value)
    return value


def encode(value: Value) -> bytes:
    """Compact JSON in UTF-8. Raises ValueRefused if `value` is none, in whatever part; there are no limits here."""
    try:
        return _ENCODER.encode(value).encode()
    except RecursionError:
        raise _too_deep() from None
    except (ValueError, TypeError) as error:  # NaN, a lone surrogate, a cycle; a type that JSON does not have
        raise ValueRefused(RefusalKind.MALFORMED, str(error)) from None


def check(value: Value) -> bytes:
    """The encoding of `value`, which is within the limits. Raises ValueRefused if it is not, or if it is no value."""
    data = encode(value)
    if len(data) > MAX_VALUE_BYTES:
        raise ValueRefused(RefusalKind.LIMIT, f"{len(data)} bytes encoded, {MAX_VALUE_BYTES} are allowed")
    if not _surely_small(data):
        nodes, depth = _nodes_and_depth(value)
        if depth > MAX_VALUE_DEPTH:
            raise _too_deep()
        if nodes > MAX_VALUE_NODES:
            raise ValueRefused(RefusalKind.LIMIT, f"{nodes} values in it, {MAX_VALUE_NODES} are allowed")
    return data


def _surely_small(data: bytes) -> bool:
    """Whether text has too few brackets and commas to hold too many nodes or levels. Some of them may be in strings."""
    containers = data.count(b"[") + data.count(b"{")
    return containers <= MAX_VALUE_DEPTH and containers + data.count(b",") < MAX_VALUE_NODES


def _nodes_and_depth(value: Value) -> tuple[int, int]:
    """Level by level, which is several times as fast as a recursive function."""
    level, nodes, depth = [value], 1, 0
    while True:
        members: list[Value] = []
        for container in level:
            if isinstance(container, dict):
                members.extend(container.values())
            elif isinstance(container, list | tuple):
                members.extend(container)
        if not members:
            return nodes, depth
        level, nodes, depth = members, nodes + len(members), depth + 1


def _too_deep() -> ValueRefused:
    return ValueRefused(RefusalKind.LIMIT, f"nested more than {MAX_VALUE_DEPTH} deep")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} is too large a number")
    return number


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_no_constant)
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


# ---------------------------------------------------------------- building


def empty_array() -> Array:
    return Array([], 2, 1, 0)


def empty_object() -> Object:
    return Object({}, 2, 1, 0)


def adopt(value: Value) -> Value:
    """`value` as something that can grow: a plain list or dict becomes an `Array` or `Object`, all else is returned."""
    if type(value) is dict:
        return Object(value, *measures(value))
    if type(value) is list:
        return Array(value, *measures(value))
    return value


def measures(value: Value) -> tuple[int, int, int]:
    """Bytes encoded, nodes and depth of `value`. Takes time only for plain containers and long strings."""
    kind = type(value)
    if kind is str:
        return text_size(value), 1, 0
    if kind is int or kind is float:
        return len(repr(value)), 1, 0
    if kind is Array or kind is Object:
        return value.size, value.nodes, value.depth
    if kind is dict or kind is list:
        return len(encode(value)), *_nodes_and_depth(value)
    return (5 if value is False else 4), 1, 0  # false; true and null


def text_size(text: str) -> int:
    """Bytes of a string, encoded, with its quotes and escapes."""
    quoted = encode_basestring(text)
    return len(quoted) if text.isascii() else len(quoted.encode())


def with_item(array: Array, item: Value) -> Array | None:
    """`array` with `item` at its end: `array` itself, changed, unless it is frozen. None: it would exceed a limit.

    An `Array` or `Object` that becomes part of another is frozen from then on.
    """
    size, nodes, depth = measures(item)
    size += array.size + (1 if array else 0)
    grown = _grown(array, item, size, array.nodes + nodes, max(array.depth, depth + 1))
    if grown is not None:
        grown.append(item)
    return grown


def with_member(target: Object, name: str, member: Value) -> Object | None:
    """`target` with `member` called `name`: `target` itself, changed, unless it is frozen. None: as for `with_item`."""
    size, nodes, inner_depth = measures(member)
    size += target.size
    nodes += target.nodes
    depth = max(target.depth, inner_depth + 1)
    if name in target:
        old_size, old_nodes, old_depth = measures(target[name])
        size -= old_size
        nodes -= old_nodes
        if old_depth + 1 == depth > inner_depth + 1:  # what is replaced may have been the only one that is so deep
            others = (other for key, other in target.items() if key != name)
            depth = max(inner_depth, max((measures(other)[2] for other in others), default=0)) + 1
    else:
        size += text_size(name) + 1 + (1 if target else 0)
    grown = _grown(target, member, size, nodes, depth)
    if grown is not None:
        grown[name] = member
    return grown


def _grown(container: ContainerT, part: Value, size: int, nodes: int, depth: int) -> ContainerT | None:
    """`container`, or a copy if it is frozen, about to hold `part`, with the measures that it will have then."""
    if size > MAX_VALUE_BYTES or nodes > MAX_VALUE_NODES or depth > MAX_VALUE_DEPTH:
        return None
    if isinstance(part, Array | Object):
        part.frozen = True
    if container.frozen:
        return type(container)(container, size, nodes, depth)
    container.size, container.nodes, container.depth = size, nodes, depth
    return container


def same(left: Value, right: Value) -> bool:
    """Whether two values are the same JSON: unlike in Python, 1, 1.0 and true are three values; keys have no order."""
    if isinstance(left, dict):
        return (
            isinstance(right, dict)
            and left.keys() == right.keys()
            and all(same(member, right[name]) for name, member in left.items())
        )
    if isinstance(left, list):
        return isinstance(right, list) and len(left) == len(right) and all(map(same, left, right))
    return type(left) is type(right) and left == right
