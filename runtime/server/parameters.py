"""Named parameters of requests: which there may be, and of which types. All raise RequestRefused (INVALID_PARAMS).

Sizes and meanings are judged by whoever uses a parameter; here only what Python cannot leave to it.
"""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Mapping
from typing import Any

from runtime.node import Capability
from runtime.server.errors import invalid_params


def members(params: object, required: tuple[str, ...] = (), optional: tuple[str, ...] = ()) -> dict[str, Any]:
    """`params`, if it is an object with all of `required` and nothing that is neither required nor optional."""
    if not isinstance(params, dict):
        raise invalid_params("params must be an object")
    for name in required:
        if name not in params:
            raise invalid_params(f"{name} is missing")
    if len(params) > len(required):
        for name in params:
            if name not in required and name not in optional:
                raise invalid_params(f"there is no parameter {name[:64]!r}")
    return params


def text(given: Mapping[str, Any], name: str) -> str:
    """The string `name`."""
    value = given[name]
    if not isinstance(value, str):
        raise invalid_params(f"{name} must be a string")
    return value


def integer(given: Mapping[str, Any], name: str) -> int:
    """The integer `name`; true and 1.0 are none."""
    value = given[name]
    if type(value) is not int:
        raise invalid_params(f"{name} must be an integer")
    return value


def binary(given: Mapping[str, Any], name: str) -> bytes:
    """The bytes of `name`, which is standard base64 with padding (RFC 4648 4)."""
    encoded = text(given, name)
    if len(encoded) % 4 or "=" in encoded[:-2]:  # a2b_base64 lets some padding pass that is too much
        raise invalid_params(f"{name} is no base64: wrong padding")
    try:
        return a2b_base64(encoded, strict_mode=True)
    except ValueError as error:
        raise invalid_params(f"{name} is no base64: {error}") from error


def texts(given: Mapping[str, Any], name: str) -> dict[str, str]:
    """The object `name`, whose values are all strings."""
    value = given[name]
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise invalid_params(f"{name} must be an object of strings")
    return value


def object_id(params: object) -> str:
    """The only parameter, object_id."""
    if type(params) is dict and len(params) == 1:
        value = params.get("object_id")
        if type(value) is str:
            return value
    return text(members(params, ("object_id",)), "object_id")


def capabilities(given: Mapping[str, Any]) -> tuple[Capability, ...]:
    """The list `capabilities`, empty if there is none."""
    value = given.get("capabilities", [])
    if not isinstance(value, list):
        raise invalid_params("capabilities must be a list")
    return tuple(map(_capability, value))


def _capability(value: object) -> Capability:
    given = members(value, ("name",), ("arguments",))
    arguments = given.get("arguments", {})
    if not isinstance(arguments, dict):
        raise invalid_params("the arguments of a capability must be an object")
    return Capability(text(given, "name"), arguments)
