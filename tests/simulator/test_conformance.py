"""Public conformance vectors and cases from bug reports, on the reference semantics.

Both collections lie beside the repository, not in it; without them the tests are skipped.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from simulator.ebpf import Fault, Finished, Preempted
from tests.simulator.machine import execute_on, result
from validator.errors import LoadError

SHARED = Path(__file__).parents[3] / "shared"
BUDGET = 100_000  # polls


def _read(relative: str) -> list[Any]:
    path = SHARED / relative
    if not path.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"{path} is absent"), id="absent")]
    return [pytest.param(entry, id=entry["name"]) for entry in json.loads(path.read_text())]


@pytest.mark.parametrize("vector", _read("conformance/rfc9669_vectors.json"))
def test_vector_returns_its_result(vector: dict[str, Any]) -> None:
    if vector["name"] == "callx":
        with pytest.raises(LoadError, match="call through a register is not an instruction of RFC 9669"):
            execute_on(bytes.fromhex(vector["code"]))
        return
    assert result(execute_on(bytes.fromhex(vector["code"]), bytes.fromhex(vector["mem"]))) == vector["result"]


@pytest.mark.parametrize("case", _read("cases/bytecode_cases.json"))
def test_case_ends_in_an_acceptable_way(case: dict[str, Any]) -> None:
    outcome = _outcome(bytes.fromhex(case["code"]), bytes.fromhex(case["mem"]))
    acceptable = [case["expect"], *case.get("alt", [])]
    if case.get("needs") == "budget":
        acceptable.append("budget")
    assert outcome in acceptable


def _outcome(code: bytes, mem: bytes) -> str | dict[str, int]:
    """In the words of the collection: reject, fault, budget or {"r0": n}."""
    try:
        event = execute_on(code, mem, fuel=BUDGET).event
    except LoadError:
        return "reject"
    match event:
        case Finished(value):
            return {"r0": value}
        case Fault():
            return "fault"
        case Preempted():
            return "budget"
        case _:
            raise AssertionError(event)
