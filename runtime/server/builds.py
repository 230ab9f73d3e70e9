"""What `sf.build.compile` is given, a bundle of C sources, whose sizes and paths are judged here, and what it gives.

Paths are relative, of ASCII letters, digits and `_.-/`; none leads out of its folder, is a folder of another, or
stands in for the SDK's own header. Whoever compiles is a `Builder`; the package that has one says so in its metadata.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import entry_points
from typing import Final, Protocol

from runtime.server.errors import invalid_params
from runtime.server.frames import encode

SDK_VERSION: Final = 1
MAX_FILES: Final = 32
MAX_SOURCE_BYTES: Final = 128 * 1024  # of all files
MAX_PATH_BYTES: Final = 200
BUILDERS: Final = "salix_jit.builders"  # the entry points among which `installed_builder` looks
_COMPONENT = re.compile(r"[A-Za-z0-9_.-]+", re.ASCII)
_RESERVED = {".", "..", "spinfoam.h"}


@dataclass(frozen=True, slots=True)
class BuildOutcome:
    """An object, or the reason why there is none. `diagnostics` are the compiler's messages, as it prints them."""

    elf: bytes | None
    error: str = ""
    diagnostics: str = ""
    diagnostics_truncated: bool = False


class Builder(Protocol):
    """Who compiles. Each build is on its own; cancelling it ends it at once."""

    @property
    def toolchain(self) -> str:
        """What it is, for people and for caches of results."""

    async def build(self, entry: str, files: Mapping[str, str]) -> BuildOutcome:
        """The object of `entry`, one of `files`, which `check_sources` has admitted."""


def installed_builder() -> Builder | None:
    """The builder of the first package that has one."""
    for point in sorted(entry_points(group=BUILDERS), key=lambda point: point.name):
        builder: Builder = point.load()
        return builder
    return None


async def built(builder: Builder, entry: str, files: Mapping[str, str]) -> bytes:
    """The result of `sf.build.compile`, as JSON."""
    outcome = await builder.build(entry, files)
    common = {"diagnostics": outcome.diagnostics, "diagnostics_truncated": outcome.diagnostics_truncated}
    if outcome.elf is None:
        return encode({"state": "failed", "result": {"kind": "BUILD_FAILED", "error": outcome.error, **common}})
    result = {
        "elf": b64encode(outcome.elf).decode(),
        "sha256": sha256(outcome.elf).hexdigest(),
        "sdk_version": SDK_VERSION,
        "toolchain": builder.toolchain,
        **common,
    }
    return encode({"state": "succeeded", "result": result})


def check_sources(sdk_version: int, entry: str, files: Mapping[str, str]) -> None:
    """Raise RequestRefused (INVALID_PARAMS) for a bundle that no compiler would be given."""
    if sdk_version != SDK_VERSION:
        raise invalid_params(f"sdk_version must be {SDK_VERSION}")
    if not 1 <= len(files) <= MAX_FILES:
        raise invalid_params(f"{len(files)} files: at least one, at most {MAX_FILES}")
    size = sum(len(text.encode()) for text in files.values())
    if size > MAX_SOURCE_BYTES:
        raise invalid_params(f"{size} bytes of sources, at most {MAX_SOURCE_BYTES} are allowed")
    for path in files:
        _check_path(path, files)
    if entry not in files:
        raise invalid_params("entry is none of the files")


def _check_path(path: str, files: Mapping[str, str]) -> None:
    if len(path) > MAX_PATH_BYTES:
        raise invalid_params(f"a path of {len(path)} characters, at most {MAX_PATH_BYTES} are allowed")
    components = path.split("/")
    if any(_COMPONENT.fullmatch(part) is None or part in _RESERVED for part in components):
        raise invalid_params(f"{path!r} is no relative path of letters, digits and _.-, or names the SDK's header")
    for length in range(1, len(components)):
        if "/".join(components[:length]) in files:
            raise invalid_params(f"{'/'.join(components[:length])!r} is a file and a folder")
