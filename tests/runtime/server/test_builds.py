"""What may be compiled: bounds to the byte, and paths that stay inside."""

from __future__ import annotations

import pytest

from runtime.server.builds import MAX_FILES, MAX_PATH_BYTES, MAX_SOURCE_BYTES, check_sources
from runtime.server.errors import RequestRefused

MAIN = {"main.c": "int x;"}


@pytest.mark.parametrize(
    "files",
    [
        MAIN,
        {"a/b-c/d_e.F9": ""},
        {"a/b": "", "a/c": "", "ab": ""},
        {"a" * MAX_PATH_BYTES: ""},
        {"spinfoam.h.c": "", "a.spinfoam.h": ""},
        {"...": "", ".a": ""},
        {f"{n}.c": "" for n in range(MAX_FILES)},
        {"a": "x" * MAX_SOURCE_BYTES},
        {"a": "\u00e4" * (MAX_SOURCE_BYTES // 2)},
    ],
    ids=lambda files: repr(files)[:40],
)
def test_accepts(files: dict[str, str]) -> None:
    check_sources(1, next(iter(files)), files)


@pytest.mark.parametrize(
    "files",
    [
        {},
        {f"{n}.c": "" for n in range(MAX_FILES + 1)},
        {"a": "x" * (MAX_SOURCE_BYTES + 1)},
        {"a": "x" * MAX_SOURCE_BYTES, "b": "y"},
        {"a": "\u00e4" * (MAX_SOURCE_BYTES // 2) + "x"},
        {"a" * (MAX_PATH_BYTES + 1): ""},
        *({path: ""} for path in ("", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b")),
        *({path: ""} for path in ("a b", "a\\b", "a\n", "\u00e4.c", "a\x00", "c:a", "~", "a\u0661")),
        {"spinfoam.h": ""},
        {"a/spinfoam.h": ""},
        {"spinfoam.h/a": ""},
        {"a": "", "a/b": ""},
        {"a/b/c/d": "", "a/b": ""},
    ],
    ids=lambda files: repr(files)[:40],
)
def test_refuses(files: dict[str, str]) -> None:
    with pytest.raises(RequestRefused) as refused:
        check_sources(1, next(iter(files), "main.c"), files)
    assert refused.value.kind == "INVALID_PARAMS"


@pytest.mark.parametrize(("version", "entry"), [(0, "main.c"), (2, "main.c"), (1, "other.c"), (1, ""), (1, "Main.c")])
def test_refuses_another_sdk_and_an_entry_that_is_not_there(version: int, entry: str) -> None:
    with pytest.raises(RequestRefused):
        check_sources(version, entry, MAIN)
