"""Copies of the reference semantics with one text replaced, each a mistake that some runtime has made.

A mutant names the slices of the corpus that must notice it. `broken_engine` compiles a copy of the modules, so the
real ones stay as they are; classes of a copy are not those of the original, which `machine` allows for.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import ModuleType

import pytest

import simulator
from simulator import alu, ebpf, integers, memory
from tests.simulator.machine import Engine

COPIED = (integers, alu, memory, ebpf)  # in the order of their imports


@dataclass(frozen=True)
class Mutant:
    """`old` occurs once in `module` and becomes `new`; a slice that starts with `seen_by` must notice."""

    name: str
    module: ModuleType
    old: str
    new: str
    seen_by: str


def broken_engine(mutant: Mutant | None, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """An engine of copied modules, one of them broken if there is a mutant."""
    copies = {}
    for original in COPIED:
        assert original.__file__ is not None
        with open(original.__file__) as file:
            source = file.read()
        if mutant is not None and mutant.module is original:
            assert source.count(mutant.old) == 1, f"{mutant.name}: {source.count(mutant.old)} places"
            source = source.replace(mutant.old, mutant.new)
        copy = copies[original] = ModuleType(original.__name__)
        monkeypatch.setitem(sys.modules, original.__name__, copy)
        monkeypatch.setattr(simulator, original.__name__.removeprefix("simulator."), copy)
        exec(compile(source, original.__file__, "exec"), copy.__dict__)
    return Engine(copies[ebpf], copies[integers].INTEGERS)
