"""eBPF programs on every engine: with Hypothesis as the one who draws, and what the campaign around them promises."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from differential import __main__ as command
from differential import programs_command
from differential.programs import engines
from differential.programs.campaign import Campaign, forms_reached, mismatch, run_part
from differential.programs.engines import ENGINES, HAPPENINGS, run_everywhere
from differential.programs.outcome import OUT_OF_FUEL, Outcome, differences
from differential.programs.program import (
    GuestProgram,
    Line,
    Mark,
    assembled,
    encoded,
    form_name,
    listing,
    named_rows,
    with_row,
)
from differential.programs.reference import BUDGET, run_reference
from differential.programs.shrink import shrunk
from differential.programs.writer import draw_program, write_program
from runtime.arena import native_unavailable
from validator.decode import decode
from validator.isa import ROWS, Kind

NATIVE = pytest.mark.skipif(native_unavailable() is not None, reason=f"{native_unavailable()}: engines NOT compared")


@NATIVE
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.randoms(use_true_random=False))
def test_engines_agree_on_what_hypothesis_draws(random: Random) -> None:
    program = draw_program(random)
    _, outcomes = run_everywhere(program)
    assert mismatch(0, outcomes) is None, "\n".join(listing(program))


def test_a_program_depends_on_its_seed_and_index_alone() -> None:
    assert write_program(3, 7) == write_program(3, 7)
    assert write_program(3, 7).lines not in (write_program(3, 8).lines, write_program(4, 7).lines)


def test_names_tell_all_forms_apart() -> None:
    assert len(named_rows()) == sum(len(rows) for rows in ROWS.values())
    for name, (opcode, row) in named_rows().items():
        assert form_name(with_row(opcode, row, 3, 4, 0, 0)) == name


@pytest.mark.parametrize("name", named_rows())
def test_what_is_encoded_is_what_the_decoder_reads(name: str) -> None:
    instruction = with_row(*named_rows()[name], 3, 4, -5, -6)
    read = decode(encoded(instruction))[0]
    wide = named_rows()[name][1].form.kind is Kind.WIDE_IMMEDIATE
    assert read == (instruction._replace(imm=2**64 - 6) if wide else instruction)


def test_distances_are_in_slots_and_in_the_field_of_the_form() -> None:
    rows = named_rows()
    wide = Line(with_row(*rows["lddw r1, 0x0"], 1))
    fields = {"ja +0": "offset", "ja32 +0": "imm", "call local +0": "imm", "jeq r1, r2, +0": "offset"}
    for name, field in fields.items():
        lines = (Mark(1), Line(with_row(*rows[name]), 2), wide, Mark(2), Line(with_row(*rows[name]), 1))
        there, _, _, back = decode(assembled(lines))
        assert there is not None and back is not None
        assert (getattr(there, field), getattr(back, field)) == (2, -4)


@NATIVE
def test_each_engine_has_its_turn_and_what_is_counted_was_reached() -> None:
    result = run_part(Campaign(1, 0, 12))
    assert result.mismatches == []
    assert result.happened["interrupted"] > 0 and set(result.happened) <= set(HAPPENINGS)
    assert result.engines["turns"] == result.engines["reference"] == result.programs == 12
    reached = run_reference(write_program(1, 0))
    pcs = [pc for pc, form in enumerate(reached.validated.forms) if form is not None]
    assert 5 < len(list(forms_reached(reached))) == len(reached.pcs) <= len(pcs)


def program_of(*names: str) -> GuestProgram:
    lines = tuple(Line(with_row(*named_rows()[name], 1, 2)) for name in names)
    return replace(write_program(1, 0), lines=lines, calldata=b"12345678")


def test_accesses_are_counted_by_place() -> None:
    """A function that stores into its own frame and its caller's; then a load of each region, and one of none."""
    rows, layout = named_rows(), write_program(1, 0).layout()

    def line(name: str, dst: int = 1, src: int = 1, offset: int = 0, imm: int = 0, target: int | None = None) -> Line:
        return Line(with_row(*rows[name], dst, src, offset, imm), target)

    lines: list[Line | Mark] = [line("mov r1, r2", 1, 10), line("call local +0", target=1)]
    with_data = replace(program_of("exit"), read_only=bytes(8), writable=bytes(8), calldata=bytes(8))
    layout = with_data.layout()
    for span in (layout.read_only, layout.writable, layout.calldata):
        lines += [line("lddw r1, 0x0", imm=span.low), line("ldxb r1, [r2]", 2, 1, 7)]
    lines += [line("lock add [r1], r2", 10, 1, -8), line("ldxdw r1, [r2]", 2, 1, 1), line("exit")]
    lines += [Mark(1), line("stxdw [r1], r2", 1, 1, -8), line("stxb [r1], r2", 10, 1, -1), line("exit")]
    reached = run_reference(replace(with_data, lines=tuple(lines)))
    assert sorted(what for _, what in reached.accesses) == [
        "atomic: own frame",
        "load: calldata",
        "load: data",
        "load: nowhere",
        "load: read-only data",
        "store: a caller's frame",
        "store: own frame",
    ]


@NATIVE
def test_a_program_that_runs_on_is_ended_by_its_fuel_everywhere_at_once() -> None:
    rows = named_rows()
    add = Line(with_row(*rows["add r1, 0"], 3, imm=1))
    lines = (add, Mark(1), add, Line(with_row(*rows["ja +0"]), 1))
    reached, outcomes = run_everywhere(replace(program_of("exit"), lines=lines))
    assert reached.outcome.ended == OUT_OF_FUEL and reached.outcome.polls == BUDGET
    assert reached.outcome.registers[3] == BUDGET + 1  # the first poll is the function's, and the last finds no fuel
    assert set(outcomes) == set(ENGINES) - {"uncounted"} and mismatch(0, outcomes) is None


@pytest.mark.parametrize(
    "other",
    [
        Outcome("exited", (2,), (1,), (), 3, {0x10000: b"a" * 4096}),
        Outcome("faulted", (1,), (1,), (), 3, {0x10000: b"a" * 4096}),
        Outcome("exited", (1,), (2,), (), 3, {0x10000: b"a" * 4096}),
        Outcome("exited", (1,), (1,), (), 4, {0x10000: b"a" * 4096}),
        Outcome("exited", (1,), (1,), (), 3, {0x10000: b"a" * 4095 + b"b"}),
        Outcome("exited", (1,), (1,), (), 3, {}),
    ],
)
def test_every_part_of_an_outcome_counts(other: Outcome) -> None:
    one = Outcome("exited", (1,), (1,), (), 3, {0x10000: b"a" * 4096})
    assert differences(one, one) == [] and differences(one, replace(one, polls=None)) == []
    assert differences(one, other) and differences(other, one)


def test_shrinking_leaves_what_differs() -> None:
    """An engine that is wrong wherever control reaches a 16-bit byte swap."""

    def run(program: GuestProgram) -> dict[str, Outcome]:
        reached = run_reference(program)
        wrong = "be16 r1" in set(forms_reached(reached))
        return {"reference": Outcome("exited"), "other": Outcome("exited", (1,) if wrong else ())}

    def differing(outcomes: dict[str, Outcome]) -> str | None:
        found = mismatch(0, outcomes)
        return found.engine if found else None

    original = next(program for k in range(100) if differing(run(program := write_program(1, k))))
    smallest = shrunk(original, run, differing)
    names = [form_name(line.instruction) for line in smallest.lines if isinstance(line, Line)]
    assert names == ["be16 r1", "exit"]
    assert (smallest.read_only, smallest.writable, smallest.calldata) == (b"", b"", b"")


@NATIVE
def test_the_command_prints_its_seed_and_writes_its_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "results.json"
    status = command.main(["programs", "--programs", "4", "--first", "2", "--jobs", "1", "--json", str(file)])
    assert status == 0
    assert "seed 1" in capsys.readouterr().out
    results = json.loads(file.read_text())
    assert {"python", "processor"} <= results["versions"].keys()
    assert results["programs"] == 4 and results["mismatches"] == 0 and len(results["forms"]) == len(named_rows())


@NATIVE
def test_too_few_programs_are_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["programs", "--programs", "2", "--jobs", "1"]) == 1
    printed = capsys.readouterr().out
    assert "fewer than 10 times: " in printed and "no mismatch" in printed
    rare = printed[printed.index("too few: ") :]
    assert all(part in rare for part in ("faulted HELPER_POINTER (0 of 2)", "atomic: ", "native -> native ("))


@NATIVE
def test_a_mismatch_is_shown_small_and_can_be_replayed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(engines, "pages_of", lambda memory, end: {})  # as if the guest's memory were gone
    status = command.main(["programs", "--programs", "1", "--first", "0", "--jobs", "1"])
    printed = capsys.readouterr().out
    assert status == 1
    assert "they differ in memory 0x" in printed
    assert "exit" in printed and "95 00 00 00 00 00 00 00" in printed
    assert "replay: python -m differential programs --seed 1 --first 0 --programs 1" in printed


SWAP = "be16 r1"


def swaps(program: GuestProgram) -> bool:
    return any(form_name(line.instruction) == SWAP for line in program.lines if isinstance(line, Line))


@NATIVE
@pytest.mark.parametrize(("engine", "jobs"), [("simulator", "1"), ("native", "2"), ("uncounted", "1"), ("turns", "2")])
def test_a_program_that_ends_a_worker_is_named_and_the_others_go_on(
    engine: str, jobs: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """As a processor would end it, if the model were wrong of it."""
    right = engines._ON[engine]

    def fragile(program: GuestProgram) -> Outcome:
        if swaps(program):
            os.kill(os.getpid(), signal.SIGSEGV)
        return right(program)

    monkeypatch.setitem(engines._ON, engine, fragile)
    monkeypatch.setattr(programs_command, "SHOWN_MISMATCHES", 1)
    count, file = 12, tmp_path / "results.json"
    bad = [k for k in range(count) if swaps(write_program(1, k))]
    if engine == "uncounted":
        bad = [k for k in bad if run_reference(write_program(1, k)).outcome.ended != OUT_OF_FUEL]
    assert 0 < len(bad) < count / 2
    arguments = ["programs", "--programs", str(count), "--first", "0", "--jobs", jobs, "--json", str(file)]
    assert command.main(arguments) == 1
    results = json.loads(file.read_text())
    assert [(found["index"], found["engine"]) for found in results["found"]] == [(k, engine) for k in bad]
    assert results["programs"] == count - len(bad)
    printed = capsys.readouterr().out
    assert f"{engine}: the process died of SIGSEGV" in printed
    assert f"replay: python -m differential programs --seed 1 --first {bad[0]} --programs 1" in printed
    listed = [line for line in printed.splitlines() if line.startswith("    ")]
    assert len(listed) <= 3 and any("be16" in line for line in listed), listed


@NATIVE
def test_programs_that_only_together_end_a_worker_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    right, ran = engines._ON["native"], [0]

    def fragile(program: GuestProgram) -> Outcome:
        ran[0] += 1
        if ran[0] == 5:
            os.abort()
        return right(program)

    monkeypatch.setitem(engines._ON, "native", fragile)
    assert command.main(["programs", "--programs", "6", "--first", "3"]) == 1
    printed = capsys.readouterr().out
    assert "programs 3 to 8, one after the other: the process died of SIGABRT; alone, none does that" in printed
    assert "replay: python -m differential programs --seed 1 --first 3 --programs 6" in printed
