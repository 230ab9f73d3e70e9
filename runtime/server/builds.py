"""What `sf.build.compile` is given: a bundle of C sources, whose sizes and paths are judged here.

Paths are relative, of ASCII letters, digits and `_.-/`; none leads out of its folder, is a folder of another, or
stands in for the SDK's own header.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from runtime.server.errors import invalid_params

SDK_VERSION: Final = 1
MAX_FILES: Final = 32
MAX_SOURCE_BYTES: Final = 128 * 1024  # of all files
MAX_PATH_BYTES: Final = 200
_COMPONENT = re.compile(r"[A-Za-z0-9_.-]+", re.ASCII)
_RESERVED = {".", "..", "spinfoam.h"}


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
