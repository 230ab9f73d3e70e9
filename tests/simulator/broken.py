"""Copies of modules with one text replaced, each a mistake that somebody has made.

A mutant says what must notice it: slices of the corpus, or a form of instruction. `broken_copies` compiles a copy of
the modules, so the real ones stay as they are; classes of a copy are not those of the original, which `machine` allows
for.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType

import pytest

from simulator import alu, ebpf, integers, memory
from tests.simulator.machine import Engine

COPIED = (integers, alu, memory, ebpf)  # in the order of their imports


@dataclass(frozen=True)
class Mutant:
    """`old` occurs once in `module` and becomes `new`; `seen_by` must notice."""

    name: str
    module: ModuleType
    old: str
    new: str
    seen_by: str


def broken_engine(mutant: Mutant | None, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """An engine of copied modules of the reference semantics, one of them broken if there is a mutant."""
    copies = broken_copies(COPIED, mutant, monkeypatch)
    return Engine(copies[ebpf], copies[integers].INTEGERS)


def broken_copies(
    modules: Sequence[ModuleType], mutant: Mutant | None, monkeypatch: pytest.MonkeyPatch
) -> dict[ModuleType, ModuleType]:
    """The copy of each module, which import each other; in the order of their imports."""
    copies: dict[ModuleType, ModuleType] = {}
    for original in modules:
        assert original.__file__ is not None
        with open(original.__file__) as file:
            source = file.read()
        if mutant is not None and mutant.module is original:
            assert source.count(mutant.old) == 1, f"{mutant.name}: {source.count(mutant.old)} places"
            source = source.replace(mutant.old, mutant.new)
        copy = copies[original] = ModuleType(original.__name__)
        monkeypatch.setitem(sys.modules, original.__name__, copy)
        package, _, name = original.__name__.rpartition(".")
        monkeypatch.setattr(sys.modules[package], name, copy)
        exec(compile(source, original.__file__, "exec"), copy.__dict__)
    return copies
