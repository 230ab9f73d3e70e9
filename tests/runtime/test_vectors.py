"""Vectors: each verdict next to its nearest other one, malformed files, and the public collections where they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runtime.guest_code import MEMORY_FUNCTIONS
from runtime.program import INTERPRETER, JIT
from runtime.vectors import Result, VectorError, Verdict, read_vectors, run_vector

EXIT = "9500000000000000"
MOV_R0_7 = "b700000007000000"
MOV_R0_ALL_ONES = "b7000000ffffffff"
MOV_R0_R2 = "bf20000000000000"
LOAD_R0_FROM_R1 = "7110000000000000"  # ldxb r0, [r1]
LOOP = "0500ffff00000000"  # ja to itself
CALL_5 = "8500000005000000"
CALLX_R1 = "8d01000000000000"
UNDEFINED = "8c01000000000000"  # the opcode before callx

SHARED = Path(__file__).parents[3] / "shared"
ENGINES = pytest.mark.parametrize("engine", [JIT, INTERPRETER])


def verdict(engine: str, entry: dict[str, Any]) -> Verdict:
    (vector,) = read_vectors(json.dumps([{"name": "case", **entry}]).encode())
    return run_vector(vector, engine).verdict


@ENGINES
@pytest.mark.parametrize(
    ("code", "expectation", "expected"),
    [
        (MOV_R0_7 + EXIT, {"result": 7}, Verdict.PASSED),
        (MOV_R0_7 + EXIT, {"result": 8}, Verdict.FAILED),
        (MOV_R0_7 + EXIT, {"expect": {"r0": 7}}, Verdict.PASSED),
        (MOV_R0_7 + EXIT, {"expect": {"r0": 7 + 2**32}}, Verdict.FAILED),
        (MOV_R0_7 + EXIT, {"expect": "fault"}, Verdict.FAILED),
        (MOV_R0_7 + EXIT, {"expect": "reject"}, Verdict.FAILED),
        (MOV_R0_7 + EXIT, {"expect": "reject", "alt": [{"r0": 7}]}, Verdict.PASSED),
        (MOV_R0_7 + EXIT, {"expect": "reject", "alt": [{"r0": 8}, "fault"]}, Verdict.FAILED),
        (MOV_R0_ALL_ONES + EXIT, {"result": 2**64 - 1}, Verdict.PASSED),
        (MOV_R0_ALL_ONES + EXIT, {"result": -1}, Verdict.PASSED),
        (MOV_R0_ALL_ONES + EXIT, {"result": 2**32 - 1}, Verdict.FAILED),
        (MOV_R0_7, {"expect": "reject"}, Verdict.PASSED),
        (MOV_R0_7, {"expect": "fault"}, Verdict.FAILED),
        (MOV_R0_7, {"result": 7}, Verdict.FAILED),
        (LOAD_R0_FROM_R1 + EXIT, {"expect": "fault"}, Verdict.PASSED),  # no input: r1 is a null pointer
        (LOAD_R0_FROM_R1 + EXIT, {"result": 0}, Verdict.FAILED),
    ],
)
def test_judges_the_outcome(engine: str, code: str, expectation: dict[str, Any], expected: Verdict) -> None:
    assert verdict(engine, {"code": code, **expectation}) is expected


@ENGINES
def test_r1_is_the_input_and_r2_its_length(engine: str) -> None:
    assert verdict(engine, {"code": LOAD_R0_FROM_R1 + EXIT, "mem": "a5", "result": 0xA5}) is Verdict.PASSED
    assert verdict(engine, {"code": MOV_R0_R2 + EXIT, "mem": "a5a5a5", "result": 3}) is Verdict.PASSED
    assert verdict(engine, {"code": MOV_R0_R2 + EXIT, "result": 0}) is Verdict.PASSED


@ENGINES
def test_helper_5_returns_its_first_argument(engine: str) -> None:
    code = "b7010000f9ffffff" + CALL_5 + EXIT  # r1 = -7
    assert verdict(engine, {"code": code, "result": -7}) is Verdict.PASSED


@ENGINES
@pytest.mark.parametrize(
    ("code", "expectation", "expected"),
    [
        (LOOP, {"expect": "fault"}, Verdict.PASSED),
        (LOOP, {"result": 0}, Verdict.PASSED),  # being stopped is right whatever else is
        (LOOP, {"expect": "reject"}, Verdict.PASSED),
        (LOAD_R0_FROM_R1 + EXIT, {"expect": "fault"}, Verdict.FAILED),  # "fault" means being stopped
        (MOV_R0_7 + EXIT, {"expect": "fault"}, Verdict.FAILED),
        (MOV_R0_7, {"expect": "fault", "alt": ["reject"]}, Verdict.PASSED),
    ],
)
def test_being_stopped_is_right_where_a_budget_is_needed(
    engine: str, code: str, expectation: dict[str, Any], expected: Verdict
) -> None:
    assert verdict(engine, {"code": code, "needs": "budget", **expectation}) is expected


@ENGINES
def test_a_budget_is_counted_in_polls(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop of 1000 rounds, which takes no time worth measuring, ends within the budget or does not."""
    code = "b7000000e8030000" + "07000000ffffffff" + "5500feff00000000" + EXIT  # r0 = 1000; while (--r0 != 0);
    case = {"code": code, "needs": "budget", "result": 1}
    assert verdict(engine, case) is Verdict.FAILED  # exits with r0 = 0
    monkeypatch.setattr("runtime.vectors.BUDGET_POLLS", 500)
    assert verdict(engine, case) is Verdict.PASSED


@ENGINES
def test_being_stopped_is_wrong_where_no_budget_is_needed(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.vectors.LIMIT_MS", 5.0)
    assert verdict(engine, {"code": LOOP, "expect": "fault"}) is Verdict.FAILED


@ENGINES
@pytest.mark.parametrize(
    ("code", "expectation", "expected"),
    [
        (CALLX_R1 + EXIT, {"result": 2}, Verdict.APART),
        (CALLX_R1 + EXIT, {"expect": "fault"}, Verdict.APART),
        (CALLX_R1 + EXIT, {"expect": "reject"}, Verdict.PASSED),
        (CALLX_R1 + EXIT, {"result": 2, "alt": ["reject"]}, Verdict.PASSED),
        (UNDEFINED + EXIT, {"result": 2}, Verdict.FAILED),
    ],
)
def test_calls_through_a_register_are_reported_apart(
    engine: str, code: str, expectation: dict[str, Any], expected: Verdict
) -> None:
    assert verdict(engine, {"code": code, **expectation}) is expected


@ENGINES
@pytest.mark.parametrize(
    ("entry", "expectation", "expected"),
    [
        ("memset", {"result": 0}, Verdict.PASSED),  # no bytes: returns r1
        ("nosuch", {"result": 0}, Verdict.FAILED),
        ("nosuch", {"expect": "reject"}, Verdict.PASSED),  # an entry that is missing counts as a rejection
    ],
)
def test_runs_an_object_from_its_entry(engine: str, entry: str, expectation: dict[str, Any], expected: Verdict) -> None:
    assert verdict(engine, {"elf": MEMORY_FUNCTIONS.hex(), "entry": entry, **expectation}) is expected


GOOD: dict[str, Any] = {"name": "case", "code": EXIT, "result": 0}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff[]", "not JSON"),
        (b"[", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'[{"name": "case", "code": "", "result": ' + b"9" * 200_000 + b"}]", "not JSON"),
        (b"{}", "must be a JSON list"),
        (b"[7]", "entry 0: must be an object"),
    ],
    ids=["not UTF-8", "unclosed", "too deep", "a number too long", "an object", "a list of numbers"],
)
def test_refuses_what_is_no_list_of_objects(content: bytes, message: str) -> None:
    with pytest.raises(VectorError, match=message):
        read_vectors(content)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": 7}, "`name` must be a text"),
        ({"code": None}, "`code` must be bytes in hex"),
        ({"code": "9"}, "`code` must be bytes in hex"),
        ({"code": "zz"}, "`code` must be bytes in hex"),
        ({"mem": 0}, "`mem` must be bytes in hex"),
        ({"elf": ""}, "either `code` or `elf`"),
        ({"entry": ".text"}, "so it needs `elf`"),
        ({"expect": "fault"}, "either `result` or `expect`"),
        ({"result": "0"}, "`result` must be a 64-bit integer"),
        ({"result": True}, "`result` must be a 64-bit integer"),
        ({"result": 1.0}, "`result` must be a 64-bit integer"),
        ({"result": 2**64}, "`result` must be a 64-bit integer"),
        ({"result": -(2**63) - 1}, "`result` must be a 64-bit integer"),
        ({"alt": "reject"}, "`alt` must be a list"),
        ({"alt": ["crash"]}, '`alt` must be "reject", "fault" or'),
        ({"alt": [{"r0": 1, "r1": 1}]}, '`alt` must be "reject", "fault" or'),
        ({"alt": [{"r0": None}]}, "`alt.r0` must be a 64-bit integer"),
        ({"needs": "time"}, '`needs` must be "budget"'),
        ({"needs": None}, '`needs` must be "budget"'),
    ],
)
def test_names_the_malformed_entry(change: dict[str, Any], message: str) -> None:
    with pytest.raises(VectorError, match=message) as refused:
        read_vectors(json.dumps([GOOD, {**GOOD, **change}]).encode())
    assert refused.value.where is not None
    assert refused.value.where.startswith("entry 1")


@pytest.mark.parametrize("missing", ["name", "code", "result"])
def test_names_the_incomplete_entry(missing: str) -> None:
    with pytest.raises(VectorError, match="entry 0"):
        read_vectors(json.dumps([{key: value for key, value in GOOD.items() if key != missing}]).encode())


def test_reads_integers_at_both_edges_and_ignores_other_keys() -> None:
    edges = [{**GOOD, "result": value, "why": "."} for value in (2**64 - 1, -(2**63))]
    first, second = read_vectors(json.dumps(edges).encode())
    assert first.accepted == (Result(2**64 - 1),)
    assert second.accepted == (Result(2**63),)


@ENGINES
@pytest.mark.parametrize(
    ("file", "count", "apart"),
    [
        ("conformance/rfc9669_vectors.json", 209, ["callx"]),
        ("cases/bytecode_cases.json", 227, []),
        ("cases/elf_cases.json", 52, []),
    ],
)
def test_passes_the_collections(engine: str, file: str, count: int, apart: list[str]) -> None:
    if not (SHARED / file).exists():
        pytest.skip(f"{SHARED / file} is not there: its vectors are not run")
    reports = [run_vector(vector, engine) for vector in read_vectors((SHARED / file).read_bytes())]
    assert len(reports) == count
    assert [report for report in reports if report.verdict is Verdict.FAILED] == []
    assert [report.vector.name for report in reports if report.verdict is Verdict.APART] == apart
