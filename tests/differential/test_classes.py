"""Every class of failure that the collection of others' bug reports names has its place, and every place exists."""

from __future__ import annotations

import importlib
import json
import re
from operator import attrgetter
from pathlib import Path

import pytest

from differential.classes import NOT_HERE, PROGRAMS, SOAK, TESTS, named, without_a_place
from differential.hostile.inputs import CASES
from differential.hostile.kinds import kinds
from differential.soak.run import Soak

REPOSITORY = Path(__file__).parents[2]
PAGE = CASES.parent / "README.md"
HAVE_PAGE = pytest.mark.skipif(not PAGE.exists(), reason=f"{PAGE} is not there: its classes are not compared")


def covered() -> set[str]:
    return {name for kind in kinds().values() for name in kind.covers}


@HAVE_PAGE
def test_every_class_has_a_place() -> None:
    classes = named(PAGE.read_text())
    assert {"rule-1", "rule-17", "H01", "P02", "W01", "A02"} <= classes
    assert len(classes) > 40
    assert without_a_place(classes) == set()
    assert {name for name in (*PROGRAMS, *SOAK, *TESTS) if name not in classes} == set()
    assert {name for name in covered() if name.startswith(("H", "rule"))} <= classes


@pytest.mark.skipif(not CASES.exists(), reason=f"{CASES} is not there: its cases are not compared with the kinds")
def test_every_object_and_every_group_of_programs_has_a_kind() -> None:
    objects = {case["id"] for case in json.loads(CASES.read_text())}
    groups = {case["group"] for case in json.loads((CASES.parent / "bytecode_cases.json").read_text())}
    assert objects | groups <= covered()
    assert {name for name in covered() if re.fullmatch(r"E\d+", name)} <= objects


def test_a_class_without_a_place_is_noticed() -> None:
    page = "1. **Check.** x\n18. **New rule.** y\n| id | source |\n|---|---|\n| H01 | a |\n| H99 | b |\n| P50 | c |\n"
    assert named(page) == {"rule-1", "rule-18", "H01", "H99", "P50"}
    assert without_a_place(named(page)) == {"rule-18", "H99", "P50"}


def test_the_places_exist() -> None:
    assert all(callable(getattr(Soak, name)) for name in SOAK.values())
    for place in PROGRAMS.values():
        module, _, name = place.partition(".")
        assert callable(attrgetter(name)(importlib.import_module(f"differential.programs.{module}"))), place
    for test in TESTS.values():
        path, _, name = test.partition("::")
        assert f"def {name}(" in (REPOSITORY / path).read_text()
    assert all(NOT_HERE.values())
