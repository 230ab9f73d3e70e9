"""The input of a build as the compiler reads it: what is admitted, and how it lies in the guest's memory.

    0    header: counts, limits; then the results, which the compiler leaves here
    96   one row per file: where its path and its bytes lie, how many they are, whether it comes with the compiler
    ...  paths and bytes, each followed by at least one NUL

Decides: which files may be built. Trusts nothing. The structs are `Build` and `GivenFile` in `source/cc.c`.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

_HEADER = struct.Struct("<6I9Q")
_ROW = struct.Struct("<5I")
_SDK_HEADER = "spinfoam.h"
_PART = re.compile(r"[A-Za-z0-9_.-]+", re.ASCII)
MAX_PATH_BYTES = 200
RUNNING, SUCCEEDED, FAILED = range(3)


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one build. Time is what the guest computes, and what it takes to translate the compiler the first time."""

    files: int = 32
    source_bytes: int = 128 << 10
    object_bytes: int = 64 << 10
    time_ms: float = 15_000


class SourcesRefused(ValueError):
    """The files of a build are none that the compiler is given; the message says what is wrong with them."""


@dataclass(frozen=True, slots=True)
class Results:
    """What the compiler left in the header."""

    state: int
    object_address: int
    object_bytes: int
    messages_address: int
    messages_bytes: int
    messages_lost: bool
    errors: int
    warnings: int
    memory_bytes: int


def check(files: Mapping[str, bytes], entry: str, limits: Limits) -> None:
    """Raise SourcesRefused for files that are too many, too long or strangely named."""
    if not files or len(files) > limits.files:
        raise SourcesRefused(f"{len(files)} files: at least one, at most {limits.files}")
    size = sum(map(len, files.values()))
    if size > limits.source_bytes:
        raise SourcesRefused(f"{size} bytes of sources, at most {limits.source_bytes}")
    for path in files:
        parts = path.split("/")
        if len(path) > MAX_PATH_BYTES or any(_PART.fullmatch(p) is None or p in (".", "..") for p in parts):
            raise SourcesRefused(f"{path!r} is no relative path of letters, digits and _.-")
        if path == _SDK_HEADER:
            raise SourcesRefused(f"{path!r} comes with the compiler and cannot be submitted")
    if entry not in files:
        raise SourcesRefused(f"{entry!r} is none of the files")


@cache
def supplied() -> Mapping[str, bytes]:
    """The headers that every build may include."""
    folder = resources.files("salix.compiler").joinpath("include")
    headers = {each.name: each.read_bytes() for each in folder.iterdir() if each.name.endswith(".h")}
    headers |= {f"sys/{each.name}": each.read_bytes() for each in folder.joinpath("sys").iterdir()}
    headers[_SDK_HEADER] = resources.files("runtime.sdk").joinpath(_SDK_HEADER).read_bytes()
    return dict(sorted(headers.items()))


def image(files: Mapping[str, bytes], entry: str, limits: Limits, *, lines: bool, registers: int) -> bytes:
    """The guest's input. Submitted files come before supplied ones; the order of `files` does not matter."""
    given = [(path, files[path], 0) for path in sorted(files)]
    given += [(path, text, 1) for path, text in supplied().items()]
    at = _HEADER.size + len(given) * _ROW.size
    rows, contents = [], []
    for path, text, is_supplied in given:
        rows.append(_ROW.pack(at, len(path), at + len(path) + 1, len(text), is_supplied))
        contents.append(path.encode() + b"\0" + text + bytes(8))
        at += len(contents[-1])
    entry_index = sorted(files).index(entry)
    header = _HEADER.pack(len(given), entry_index, 0 if lines else 1, limits.object_bytes, registers, 0, *[0] * 9)
    return header + b"".join(rows) + b"".join(contents)


def image_bytes(limits: Limits) -> int:
    """At least as much as any admitted `image` takes, the same for all, so that the compiler is translated once."""
    headers = sum(len(path) + len(text) + 64 for path, text in supplied().items())
    return _HEADER.size + limits.files * (_ROW.size + MAX_PATH_BYTES + 16) + limits.source_bytes + headers


def results(header: bytes) -> Results:
    """What the first bytes of the guest's input say after a build."""
    _, _, _, _, _, _, state, address, size, messages, length, lost, errors, warnings, memory = _HEADER.unpack(header)
    return Results(state, address, size, messages, length, bool(lost), errors, warnings, memory)


HEADER_BYTES = _HEADER.size
