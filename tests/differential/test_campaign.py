"""The campaign itself: it draws every form, can be repeated, agrees today, and outlives what it runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from differential import __main__ as command
from differential.campaign import Campaign, bench, run_campaign, run_part
from differential.chunk import Chunk
from differential.engines import ENGINES
from differential.engines import hardware as hardware_module
from differential.engines.hardware import HOST_RSP, Hardware
from differential.engines.missing import EngineMissing
from differential.operands import variants
from differential.outcome import ASTRAY, DIVIDE_ERROR, ENDLESS, FINISHED, MEMORY_FAULT, Outcome, differences
from differential.placement import CELLS, Placement
from differential.snippet import PAGE, STARTING_FLAGS, Snippet, operation_for
from differential.values import EDGES
from differential.writer import write_piece, write_snippet
from jit.context import Exit
from jit.registers import Reg
from jit.x86 import (
    FORMS,
    X86,
    Alu,
    AluImm8,
    Cond,
    Div,
    Idiv,
    Jump,
    JumpIf,
    JumpReg,
    Label,
    Load,
    Local,
    Mem,
    MovImm32,
    MovImm64,
    Native,
    Neg,
    Ret,
    Shift,
    ShiftImm,
    Store,
)
from runtime.arena import native_unavailable
from runtime.errors import EngineUnavailable
from simulator.machine import Flags

WRITTEN = [form for form in FORMS if form is not Label]


def available() -> list[str]:
    return list(command.available(tuple(ENGINES))[0])


def snippet(*instructions: X86, index: int = 0, **registers: int) -> Snippet:
    values = tuple(registers.get(reg.name, 0) % 2**64 for reg in Reg)
    return Snippet(index, instructions, values, STARTING_FLAGS[0][0], bytes(PAGE))


# ---------------------------------------------------------------- drawing


@pytest.mark.parametrize("form", WRITTEN, ids=lambda form: form.__name__)
def test_every_form_has_a_piece(form: type) -> None:
    for index in range(20):
        drawn = write_piece(form, "test", index, Placement().scratch)
        assert form in {type(instruction) for instruction in drawn.instructions}


def test_a_snippet_depends_on_the_seed_and_its_index_only() -> None:
    scratch = Placement().scratch
    assert write_snippet(1, 7, scratch) == write_snippet(1, 7, scratch)
    assert write_snippet(1, 7, scratch) != write_snippet(1, 8, scratch)
    assert write_snippet(1, 7, scratch).instructions != write_snippet(2, 7, scratch).instructions


def test_edges_are_over_represented() -> None:
    values = [value for index in range(200) for value in write_snippet(1, index, 0).registers]
    assert sum(value in EDGES for value in values) > len(values) / 5


def test_operations_leave_the_flags_that_the_table_says() -> None:
    for flags, op, a, b in STARTING_FLAGS:
        wide = a - b if op is Alu.CMP else a + b
        result = wide % 2**64
        sign_a, sign_b, sign = a >> 63, (b >> 63) ^ (op is Alu.CMP), result >> 63
        assert (flags.cf, flags.zf) == (not 0 <= wide < 2**64, result == 0)
        assert (flags.sf, flags.of) == (sign, sign_a == sign_b != sign)
        assert operation_for(flags) == (op, a, b)


def test_a_part_of_a_campaign_fits_a_chunk() -> None:
    parts = Campaign(1, 100, 600, ("simulator",)).parts()
    assert [(part.first, part.count) for part in parts] == [(100, 156), (256, 256), (512, 188)]
    assert all(part.first // CELLS == (part.first + part.count - 1) // CELLS for part in parts)


# ---------------------------------------------------------------- agreement


def test_engines_agree_and_every_form_occurs_often_enough() -> None:
    names = tuple(available())
    result = run_campaign(Campaign(command.SEED, 0, 512, names), 1, lambda _: None)
    assert result.mismatches == []
    assert result.missing_forms() == []
    assert sum(result.ended.values()) == result.sequences == 512


def test_a_campaign_in_two_processes_is_the_one_in_one() -> None:
    there = Campaign(3, 0, 300, ("simulator",))
    one, two = (run_campaign(there, jobs, lambda _: None) for jobs in (1, 2))
    assert one == two


def test_too_few_of_a_form_or_of_one_of_its_operations_fail_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    names = ",".join(available())
    assert command.main(["--sequences", "10", "--engines", names]) == 1
    assert command.main(["--sequences", "512", "--engines", names]) == 1  # 50 of each form, not 5 of each condition
    assert "fewer than 5 times: " in capsys.readouterr().out
    assert command.main(["--sequences", "1", "--first", "4711", "--engines", names]) == 0


def test_json_has_the_counts(tmp_path: Path) -> None:
    names = available()
    file = tmp_path / "report.json"
    assert command.main(["--sequences", "2048", "--engines", ",".join(names), "--json", str(file)]) == 0
    report = json.loads(file.read_text())
    assert (report["sequences"], report["mismatches"], report["engines"]) == (2048, 0, names)
    assert report["forms"].keys() == {form.__name__ for form in FORMS}
    assert min(report["forms"].values()) >= 50
    assert report["variants"].keys() == set(variants()) and min(report["variants"].values()) >= 5
    assert report["versions"].keys() == set(names)


@pytest.mark.parametrize(
    "arguments", [["--engines", "bochs"], ["--sequences", "0"], ["--first", "-1"], ["--engines", "simulator"]]
)
def test_wrong_arguments_are_refused(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        command.main(arguments)
    assert refused.value.code == 2


# ---------------------------------------------------------------- mismatches


def test_a_mismatch_is_shown_with_a_command_that_replays_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = available()
    other = names[-1]

    class Wrong:
        version = "wrong about NEG"

        def __init__(self, placement: Placement) -> None:
            self.right = ENGINES["simulator"](placement)

        def run(self, chunk: Chunk) -> list[Outcome]:
            found = self.right.run(chunk)
            for number, drawn in enumerate(chunk.snippets):
                if any(type(i).__name__ == "Neg" for i in drawn.instructions):
                    registers = (found[number].registers or (0,) * 16)[1:]
                    found[number] = replace(found[number], registers=(1234, *registers))
            return found

    monkeypatch.setitem(ENGINES, "wrong", Wrong)
    bench.cache_clear()
    assert command.main(["--sequences", "64", "--jobs", "1", "--engines", f"{other},wrong"]) == 1
    shown = capsys.readouterr().out
    bench.cache_clear()
    (first, *_) = [line for line in shown.splitlines() if line.startswith("replay: ")]
    listed = shown[shown.index("shrunk to\n") :].splitlines()[1]
    assert listed.split()[0] == "neg"
    words = first.split()
    assert words[1:4] == ["python", "-m", "differential"]
    index = int(words[words.index("--first") + 1])
    scratch = Placement().scratch
    assert "Neg" in {type(i).__name__ for i in write_snippet(command.SEED, index, scratch).instructions}


def negates_32_bits(drawn: Snippet) -> bool:
    return any(isinstance(i, Neg) and i.bits == 32 for i in drawn.instructions)


class Fragile:
    """Right about everything, until it comes to NEG of a 32-bit register."""

    version = "fragile"
    harm: Callable[[], object]

    def __init__(self, placement: Placement) -> None:
        self.right = ENGINES["simulator"](placement)

    def run(self, chunk: Chunk) -> list[Outcome]:
        if any(map(negates_32_bits, chunk.snippets)):
            type(self).harm()
        return self.right.run(chunk)


def raise_something() -> None:
    raise KeyError("planted")


HARMS: dict[Callable[[], object], str] = {
    os.abort: "the process died of SIGABRT",
    raise_something: "KeyError was raised: 'planted'",
}


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_an_engine_that_ends_its_process_is_that_sequences_failure(
    harm: Callable[[], object],
    jobs: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    """Whatever the engine: an emulator is native code, too."""
    monkeypatch.setattr(Fragile, "harm", staticmethod(harm), raising=False)
    monkeypatch.setitem(ENGINES, "fragile", Fragile)
    bench.cache_clear()
    file = tmp_path / "report.json"
    arguments = ["--sequences", "40", "--first", "0", "--jobs", jobs, "--engines", "simulator,fragile"]
    assert command.main([*arguments, "--json", str(file)]) == 1
    shown = capsys.readouterr().out
    report = json.loads(file.read_text())
    bench.cache_clear()
    scratch = Placement().scratch
    bad = [index for index in range(40) if negates_32_bits(write_snippet(command.SEED, index, scratch))]
    assert [found["index"] for found in report["found"]] == bad and bad
    assert {found["differences"][0] for found in report["found"]} == {f"ended: finished | {HARMS[harm]}"}
    assert report["sequences"] == 40 - len(bad)
    (listed, nothing_more) = shown[shown.index("shrunk to\n") :].splitlines()[1:3]
    assert listed.split()[0] == "neg" and nothing_more.startswith("from ")
    assert f"fragile: {HARMS[harm]}" in shown
    assert f"--seed 1 --first {bad[0]} --sequences 1 --engines simulator,fragile" in shown


def test_sequences_that_only_together_end_a_process_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Overfull(Fragile):
        def run(self, chunk: Chunk) -> list[Outcome]:
            if len(chunk.snippets) > 20:
                os.abort()
            return self.right.run(chunk)

    monkeypatch.setitem(ENGINES, "overfull", Overfull)
    bench.cache_clear()
    assert command.main(["--sequences", "40", "--first", "0", "--engines", "simulator,overfull"]) == 1
    bench.cache_clear()
    shown = capsys.readouterr().out
    assert "sequences 0 to 39, one after the other: the process died of SIGABRT; alone, none does that" in shown
    assert "replay: python -m differential --seed 1 --first 0 --sequences 40 --engines simulator,overfull" in shown


SHIFTED = (ShiftImm(Shift.SHL, 64, Reg.rax, 1),)
COMPARED = (AluImm8(Alu.CMP, 64, Reg.rax, 1),)


def left(*bits: int | None, judges: bool = False) -> Outcome:
    return Outcome(FINISHED, (0,) * 16, Flags(*bits), bytes(PAGE), judges)


@pytest.mark.parametrize(
    ("instructions", "one", "other", "count"),
    [
        (COMPARED, left(1, 0, 1, 0, judges=True), left(1, 0, 1, 0), 0),
        (COMPARED, left(1, 0, 1, 0, judges=True), left(0, 1, 0, 1), 4),
        (COMPARED, left(None, 0, 1, 0, judges=True), left(1, 0, 1, 0), 1),  # the manual defines it
        ((), left(1, None, 1, 0, judges=True), left(1, 0, 1, 0), 1),  # so it is at the beginning
        (SHIFTED, left(None, None, None, None, judges=True), left(1, 0, 1, 0), 0),
        (SHIFTED, left(0, 0, 0, 0), left(1, 0, 1, 0), 0),  # two processors may differ
        (SHIFTED, left(0, None, None, None, judges=True), left(1, 0, 1, 0), 1),  # the model says that it knows
        ((*SHIFTED, *COMPARED), left(0, 0, 0, 0), left(1, 0, 0, 0), 1),
        ((*COMPARED, Label(0)), left(0, 0, 0, 0), left(1, 0, 0, 0), 1),
        ((*SHIFTED, *COMPARED, Label(0)), left(0, 0, 0, 0), left(1, 0, 0, 0), 0),  # control may come from the shift
    ],
)
def test_flags_count_where_they_are_defined(
    instructions: tuple[X86, ...], one: Outcome, other: Outcome, count: int
) -> None:
    assert len(differences(snippet(*instructions), one, other)) == count


def test_two_processors_agree_without_the_model() -> None:
    names = tuple(name for name in available() if name != "simulator")
    if len(names) < 2:
        pytest.skip("only one processor here")
    assert run_part(Campaign(command.SEED, 0, 256, names)).mismatches == []


# ---------------------------------------------------------------- code that does not end as it should

TO_THE_IMMEDIATE = (Jump(Native(2)), MovImm64(Reg.rax, 0x0B0F))  # UD2
ENDINGS = [
    ("finished", snippet(MovImm32(Reg.rax, 1)), FINISHED),
    ("a quotient that fits", snippet(Idiv(32, Reg.rcx), rax=1 << 31, rdx=0xFFFF_FFFF, rcx=1), FINISHED),
    ("a 32-bit quotient that does not", snippet(Idiv(32, Reg.rcx), rax=1 << 31, rdx=-1, rcx=-1), DIVIDE_ERROR),
    ("a 64-bit quotient that does not", snippet(Idiv(64, Reg.rcx), rax=1 << 63, rdx=-1, rcx=-1), DIVIDE_ERROR),
    ("unsigned division by zero", snippet(Div(64, Reg.rcx)), DIVIDE_ERROR),
    ("unsigned division by zero in the low half", snippet(Div(32, Reg.rcx), rcx=1 << 32), DIVIDE_ERROR),
    ("signed division by zero", snippet(Idiv(64, Reg.rcx)), DIVIDE_ERROR),
    ("store to address 0", snippet(Store(8, Mem(0), Reg.rax)), MEMORY_FAULT),
    ("load from no address", snippet(Load(8, Reg.rax, Mem(0)), rbp=1 << 63), MEMORY_FAULT),
    ("empty stack", snippet(Ret(), rsp=16), MEMORY_FAULT),
    ("into the padding", snippet(Jump(Native(100))), ASTRAY),
    ("for ever", snippet(Label(0), Jump(Local(0))), ENDLESS),
    ("for ever if zero", snippet(Label(0), AluImm8(Alu.CMP, 64, Reg.rax, 0), JumpIf(Cond.E, Local(0))), ENDLESS),
]


@pytest.mark.parametrize("name", list(ENGINES))
@pytest.mark.parametrize(("what", "case", "ended"), ENDINGS, ids=[what for what, _, _ in ENDINGS])
def test_what_ends_otherwise_is_that_sequences_outcome(name: str, what: str, case: Snippet, ended: str) -> None:
    if name not in available():
        pytest.skip(f"{name} is not here")
    before, behind = snippet(MovImm32(Reg.rbx, 7), index=1), snippet(MovImm32(Reg.rbx, 9), index=2)
    outcomes = bench((name,)).outcomes([before, case, behind])[name]
    assert [outcome.ended for outcome in outcomes] == [FINISHED, ended, FINISHED]
    assert [outcomes[0].registers[Reg.rbx], outcomes[2].registers[Reg.rbx]] == [7, 9]


def test_an_instruction_that_the_processor_does_not_have_is_that_sequences_outcome() -> None:
    if "hardware" not in available():
        pytest.skip("no native code here")
    cases = [snippet(*TO_THE_IMMEDIATE), snippet(JumpReg(Reg.rax), index=1, rax=1 << 47)]
    outcomes = bench(("hardware",)).outcomes(cases)["hardware"]
    assert [outcome.ended for outcome in outcomes] == ["SIGILL", MEMORY_FAULT]


def test_a_way_back_that_is_not_the_harness_is_that_sequences_outcome() -> None:
    """Into the exit stub for a preempted guest, with the host's stack pointer where the harness has put it."""
    if "hardware" not in available():
        pytest.skip("no native code here")
    there = bench(("hardware",))
    engine = there.engines["hardware"]
    assert isinstance(engine, Hardware)
    base = engine.placement.base
    to_the_stub = (MovImm64(Reg.rbp, base), Load(8, Reg.rsp, Mem(HOST_RSP)), JumpReg(Reg.rax))
    case = snippet(*to_the_stub, rax=engine.stub(Exit.PREEMPTED))
    outcomes = there.outcomes([case, snippet(index=1)])["hardware"]
    assert [outcome.ended for outcome in outcomes] == [ASTRAY, FINISHED]


# ---------------------------------------------------------------- engines that are not here


def test_without_an_x86_processor_the_others_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("unicorn")

    def refuse(*_: object) -> None:
        raise EngineUnavailable("the code generator is for x86-64, this is riscv64")

    monkeypatch.setattr(hardware_module, "Arena", refuse)
    bench.cache_clear()
    assert command.main(["--sequences", "2048"]) == 0
    bench.cache_clear()
    shown = capsys.readouterr().out
    assert "hardware does not run: the code generator is for x86-64, this is riscv64" in shown
    assert "no mismatch between simulator, unicorn" in shown


def test_without_unicorn_the_others_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(placement: Placement) -> None:
        raise EngineMissing("unicorn", "No module named 'unicorn'")

    monkeypatch.setitem(ENGINES, "unicorn", refuse)
    bench.cache_clear()
    versions, missing = command.available(("simulator", "unicorn"))
    assert (list(versions), missing) == (["simulator"], {"unicorn": "No module named 'unicorn'"})
    bench.cache_clear()


PLACEMENT = """
from differential.__main__ import available
from differential.campaign import bench
from differential.engines import ENGINES
print(bench(tuple(available(tuple(ENGINES))[0])).placement)
"""


@pytest.mark.skipif(native_unavailable() is not None, reason=f"{native_unavailable()}")
def test_addresses_of_a_campaign_are_those_that_were_wished_for() -> None:
    """So a sequence is the same in every run, numbers in registers included. In a process that has no bench yet."""
    repository = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(repository)}
    asked = [sys.executable, "-c", PLACEMENT]
    printed = subprocess.run(asked, check=True, cwd=repository, env=environment, capture_output=True, text=True).stdout
    assert printed.strip() == str(Placement())


def test_addresses_that_were_not_wished_for_do_as_well() -> None:
    if "hardware" not in available():
        pytest.skip("no native code here")
    assert run_part(Campaign(1, 300, 1, ("simulator", "hardware"))).mismatches == []
