"""Bytes of which neither the number nor any value is known, and `struct` on them: for code that patches sections.

A `Buffer` answers reads with unknowns and notes writes. A `Format` does with it what the `struct.Struct` that it is
made of does with a bytearray: it reads and writes the same fields, and refuses what does not fit, a place or a value.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any, NamedTuple

import z3

from proofs.executor import NotExplored
from proofs.symbolic import Int, as_int, spelling


class Write(NamedTuple):
    """`size` bytes at `at` became `value`."""

    at: Any
    size: int
    value: Any


class _Field(NamedTuple):
    """A number in a `struct` format: its distance from the start, its size, whether it has a sign."""

    offset: int
    size: int
    signed: bool


@dataclass(slots=True)
class Buffer:
    """See the module. `visited` is the slot at which `find` finds something, if it does."""

    name: str
    length: Any
    visited: Any = None
    stride: int = 1
    first: int = 0
    written: list[Write] = field(default_factory=list)

    def copied(self) -> Buffer:
        return replace(self, written=[])

    def read(self, at: Any, size: int, signed: bool = False) -> Any:  # noqa: ANN401
        """The number there, as code reads it: before it has written any."""
        self.check(at, size)
        if self.written:
            raise NotExplored(f"{self.name} is read after it was written")
        return self.number(at, size, signed)

    def number(self, at: Any, size: int, signed: bool = False) -> Any:  # noqa: ANN401
        """The number that is there at first. Equal places are spelt alike, up to simplification."""
        term = z3.simplify(as_int(at).bits)
        name = f"{self.name}[{spelling(term)}:{size}]"
        return Int.of_word(z3.BitVec(name, 8 * size), signed=signed)

    def write(self, at: Any, size: int, value: Any) -> None:  # noqa: ANN401
        self.check(at, size)
        self.written.append(Write(at, size, value))

    def check(self, at: Any, size: int) -> None:  # noqa: ANN401
        if at < 0 or at + size > self.length:
            raise IndexError(f"{size} bytes at {at} of {self.name}")

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401
        if not isinstance(place, slice):
            return self.read(place * self.stride + self.first, 1)
        if self.stride != 1 or place.stop is not None or place.step is None:
            raise NotExplored(f"bytes {place}")
        return replace(self, stride=place.step, first=place.start or 0)

    def __setitem__(self, place: Any, value: Any) -> None:  # noqa: ANN401
        if isinstance(place, slice) or self.stride != 1:
            raise NotExplored(f"bytes {place}")
        if not 0 <= value < 256:
            raise ValueError("byte must be in range(0, 256)")
        self.write(place, 1, value)

    def count(self) -> Any:  # noqa: ANN401
        return (self.length - self.first + self.stride - 1) // self.stride

    def find(self, value: int, start: Any = 0) -> Any:  # noqa: ANN401
        """The element that is looked at, if it is at or behind `start` and has that value."""
        visited = self.visited
        if visited is None or not start <= visited < self.count() or self[visited] != value:
            return -1
        return visited


@dataclass(slots=True)
class Image:
    """A bytearray that is only appended to: its length, and where each piece that is no padding begins."""

    length: Any = 0
    pieces: list[tuple[Any, Any]] = field(default_factory=list)

    def __iadd__(self, other: Padding | Piece) -> Image:
        if isinstance(other, Piece):
            self.pieces.append((self.length, other.of))
        self.length = self.length + other.length
        return self


class Padding(NamedTuple):
    """Zeros."""

    length: Any


class Piece(NamedTuple):
    """`length` bytes that come of something."""

    length: Any
    of: Any


class Format:
    """A `struct.Struct` for buffers, from its own format."""

    def __init__(self, known: struct.Struct) -> None:
        self.size, self._known = known.size, known
        self._fields = tuple(_fields(known.format))

    def unpack_from(self, buffer: Buffer, at: Any) -> tuple[Any, ...]:  # noqa: ANN401
        buffer.check(at, self.size)
        return tuple(buffer.read(at + f.offset, f.size, f.signed) for f in self._fields)

    def pack_into(self, buffer: Buffer, at: Any, *values: Any) -> None:  # noqa: ANN401
        if len(self._fields) != 1 or self._fields[0].size != self.size:
            raise NotExplored(f"writing {self._known.format}")  # it clears padding
        (value,) = values
        bits = 8 * self.size
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if self._fields[0].signed else (0, (1 << bits) - 1)
        if not low <= value <= high:
            raise struct.error(f"{value} in a field {self._known.format}")
        buffer.write(at, self.size, value)


def _fields(text: str) -> list[_Field]:
    """The numbers of a format of little-endian fields and padding."""
    found, offset, count = [], 0, ""
    if not text.startswith("<"):
        raise NotExplored(f"the format {text}")
    for letter in text[1:]:
        if letter.isdigit():
            count += letter
            continue
        size = struct.calcsize(f"<{letter}")
        for _ in range(int(count or 1)):
            if letter != "x":
                found.append(_Field(offset, size, letter.islower()))
            offset += size
        count = ""
    return found


def names_of(module: ModuleType) -> dict[str, Any]:
    """For `proofs.programs.modelled`: builtins that know buffers, and the formats of `module`, also those in tables."""
    names: dict[str, Any] = {"len": _length, "bytearray": _bytearray, "bytes": _bytes}
    for name, value in vars(module).items():
        if isinstance(value, struct.Struct):
            names[name] = Format(value)
        elif isinstance(value, dict) and value and all(isinstance(v, struct.Struct) for v in value.values()):
            names[name] = {key: Format(known) for key, known in value.items()}
    return names


def _length(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, Image):
        return value.length
    return value.count() if isinstance(value, Buffer) else len(value)


def _bytearray(value: Any = None) -> Any:  # noqa: ANN401
    return Image() if value is None else value.copied()


def _bytes(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, int | Int):
        if value < 0:
            raise ValueError("negative count")
        return Padding(value)
    return value
