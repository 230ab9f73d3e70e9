"""Programs with data but without an object file: what a linker would have made of `code` and its sections."""

from __future__ import annotations

from collections.abc import Mapping

from jit.layout import LOOP_PROFILE, Profile
from runtime import Host, Program, load_bytecode
from runtime.helpers import HelperFunction


def with_data(
    code: bytes,
    helpers: Mapping[int | str, HelperFunction] | None = None,
    *,
    read_only: bytes = b"",
    writable: bytes = b"",
    engine: str | None = None,
    profile: Profile = LOOP_PROFILE,
    host: Host | None = None,
) -> Program:
    """`code` with .rodata and .data, which lie where `jit.layout.data_lows` says."""
    return load_bytecode(
        code, helpers, engine=engine, profile=profile, host=host, read_only=read_only, writable=writable
    )
