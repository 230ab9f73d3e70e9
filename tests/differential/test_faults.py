"""H07: every fault case of the collection, by the interpreter, on the simulated processor and on this one."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from differential.hostile.inputs import CASES
from differential.programs.simulated import simulated_host
from runtime import Faulted, GuestMemory, Host, Snapshot, load_bytecode
from runtime.arena import native_unavailable
from runtime.helpers import HelperFunction

PROGRAMS = Path(CASES).parent / "bytecode_cases.json"
FUEL = 300

pytestmark = [
    pytest.mark.skipif(not PROGRAMS.exists(), reason=f"{PROGRAMS} is not there: its faults are not compared"),
    pytest.mark.skipif(native_unavailable() is not None, reason=f"{native_unavailable()}: engines NOT compared"),
]


def first_argument(memory: GuestMemory, value: int, *_: int) -> int:
    return value


HELPERS: dict[int | str, HelperFunction] = {5: first_argument}


@cache
def simulated() -> Host:
    return simulated_host()


def faults() -> list[dict[str, str]]:
    cases = json.loads(PROGRAMS.read_text()) if PROGRAMS.exists() else []
    return [case for case in cases if case["expect"] == "fault" and case.get("needs") != "budget"]


@pytest.mark.parametrize("case", faults(), ids=lambda case: case["name"])
def test_a_fault_is_the_same_on_every_engine(case: dict[str, str]) -> None:
    """Kind, pc, address, size and direction; and all of the guest's memory afterwards, with its registers."""

    def ran(engine: str, host: Host | None) -> tuple[object, Snapshot]:
        with load_bytecode(bytes.fromhex(case["code"]), HELPERS, engine=engine, host=host).instantiate() as guest:
            return guest.run(bytes.fromhex(case["mem"]), fuel=FUEL), guest.snapshot()

    expected = ran("interpreter", None)
    assert isinstance(expected[0], Faulted)
    assert ran("jit", simulated()) == expected
    assert ran("jit", None) == expected


def test_there_are_many() -> None:
    assert len(faults()) > 40
