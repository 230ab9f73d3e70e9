"""What an object may ask its embedder for: names, each with arguments that it may pin. All else is SF_DENIED."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from runtime.node.errors import Kind, NodeError
from runtime.node.mailbox import check_name
from runtime.sdk.values import Value, ValueRefused, check, decode, same


@dataclass(frozen=True, slots=True)
class Capability:
    """Permits `name` with any arguments whose top-level fields equal those in `arguments` exactly."""

    name: str
    arguments: Mapping[str, Value] = field(default_factory=dict)


_Pins = tuple[tuple[str, Value], ...]


class Grants:
    """All capabilities of an object. Values are compared as JSON: 1 is neither true nor 1.0.

    pins: for each name the alternatives, any of which suffices.
    """

    __slots__ = ("_pins",)

    def __init__(self, pins: Mapping[str, Sequence[_Pins]]) -> None:
        self._pins = pins

    def allows(self, name: str, arguments: Value) -> bool:
        """Whether a host call of `name` with `arguments` is granted."""
        alternatives = self._pins.get(name)
        if alternatives is None:
            return False
        for pins in alternatives:
            if not pins:
                return True
            if isinstance(arguments, dict) and all(
                key in arguments and same(arguments[key], value) for key, value in pins
            ):
                return True
        return False


def granted(capabilities: Sequence[Capability]) -> Grants:
    """The grants of an object. Raises NodeError (INVALID_PARAMS) for names and arguments that no call could have."""
    pins: dict[str, list[_Pins]] = {}
    pinned = False
    for capability in capabilities:
        name = capability.name
        if not name:
            raise NodeError(Kind.INVALID_PARAMS, "a capability must have a name")
        check_name("a capability's name", name)
        try:
            arguments = decode(check(dict(capability.arguments)))  # a copy: the caller may change his
        except ValueRefused as refused:
            message = f"the pinned arguments of {name!r} are refused: {refused}"
            raise NodeError(Kind.INVALID_PARAMS, message) from refused
        pinned = pinned or bool(arguments)
        pins.setdefault(name, []).append(tuple(arguments.items()))
    return Grants(pins) if pinned else _unpinned(tuple(pins))


@lru_cache(maxsize=1024)
def _unpinned(names: tuple[str, ...]) -> Grants:
    """Shared by all objects that may do the same."""
    return Grants(dict.fromkeys(names, ((),)))
