"""The shipped compiler is what its sources make of themselves."""

from __future__ import annotations

import importlib.util
from functools import cache
from importlib import resources

import pytest

from salix.compiler.bootstrap import next_stage, stage1


@cache
def shipped() -> bytes:
    return resources.files("salix.compiler").joinpath("compiler.o").read_bytes()


def test_the_shipped_compiler_makes_itself_of_its_sources() -> None:
    assert next_stage(shipped()) == shipped()


def test_another_compiler_leads_to_the_same_bytes() -> None:
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("ziglang is not installed: there is no other compiler to begin with")
    second = next_stage(stage1())
    assert second == shipped()
    assert next_stage(second) == shipped()
