"""A mutant is killed by a counterexample and by nothing less; the catalogue fits the code."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import pytest

import proofs.theorems  # noqa: F401 - registers them
from proofs import __main__ as command
from proofs.cache import Cache, source_of
from proofs.mutants import MUTANTS, Mutant
from proofs.mutation import BadMutant, Outcome, Watcher, changed_source, run_mutants
from proofs.theorem import THEOREMS

DISTANCE = "signed_field(target - end, FIELD)"


def outcome(old: str, new: str, by: tuple[str, ...] = ("bytes.fixup",), module: str = "jit.assemble") -> Outcome:
    (result,) = run_mutants([Mutant("planted", module, old, new, by)], THEOREMS, 1, Cache(None), Watcher(), THEOREMS)
    return result


def test_a_wrong_distance_is_killed_with_a_counterexample() -> None:
    result = outcome(DISTANCE, "signed_field(target - end + 1, FIELD)")
    assert result.killed
    assert (result.theorem, result.case, result.what) == ("bytes.fixup", "distance", "patched")
    assert {name for name, _ in result.counterexample} == {"target", "end"}


def test_an_unexpected_exception_is_killed_with_the_inputs_of_its_path() -> None:
    result = outcome(DISTANCE, "signed_field((target - end) // (0 if target - end == 77 else 1), FIELD)")
    assert not result.killed  # division by 0: the domain refuses any divisor that is no power of two
    assert "NotExplored" in result.reason
    result = outcome(DISTANCE, "{1: signed_field(target - end, FIELD)}[0 if target - end == 77 else 1]")
    assert result.killed
    assert "KeyError: 0" in result.what
    found = dict(result.counterexample)
    assert found["target"] - found["end"] == 77


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        ("signed_field(-(end - target), FIELD)", "everything is proved"),
        ("signed_field((target - end) ** 1, FIELD)", "undecided: bytes.fixup distance: TypeError"),
        ("signed_field(target - end, FIELD) +", "cannot be imported: SyntaxError"),
    ],
)
def test_what_is_not_refuted_survives(new: str, reason: str) -> None:
    result = outcome(DISTANCE, new)
    assert not result.killed
    assert result.reason.startswith(reason)


def test_neither_the_files_nor_the_modules_of_this_process_change() -> None:
    module, text = sys.modules["jit.assemble"], source_of("jit.assemble")
    assert outcome(DISTANCE, "signed_field(end - target, FIELD)").killed
    assert sys.modules["jit.assemble"] is module
    assert source_of("jit.assemble") == text


@pytest.mark.parametrize(
    ("mutant", "reason"),
    [
        (Mutant("m", "jit.assemble", "no such text", "", ("bytes.fixup",)), "occurs 0 times"),
        (Mutant("m", "jit.assemble", "FIELD", "", ("bytes.fixup",)), "times in jit.assemble"),
        (Mutant("m", "jit.nothing", "x", "", ("bytes.fixup",)), "no module"),
        (Mutant("m", "jit.assemble", DISTANCE, "", ("no.theorem",)), "no.theorem"),
        (Mutant("m", "jit.assemble", DISTANCE, "", ()), "none is named"),
    ],
)
def test_a_catalogue_that_is_out_of_date_is_refused(mutant: Mutant, reason: str) -> None:
    with pytest.raises(BadMutant, match=reason):
        run_mutants([mutant], THEOREMS, 1, Cache(None), Watcher(), THEOREMS)


def test_one_mutant_is_run_with_the_theorems_that_it_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    to = tmp_path / "out.json"
    assert command.main(["--no-cache", "-v", "--json", str(to), "--mutant", "assemble.distance-one-off"]) == 0
    report = json.loads(to.read_text())
    assert [theorem["id"] for theorem in report["theorems"]] == ["bytes.fixup"]
    assert report["mutants"] == {"total": 1, "killed": 1, "survivors": []}
    shown = "assemble.distance-one-off: killed by bytes.fixup distance: patched\n    target = "
    assert shown in capsys.readouterr().out
    with pytest.raises(SystemExit) as left:
        command.main(["--mutant", "no.such"])
    assert left.value.code == 2
    assert "no.such" in capsys.readouterr().err


def test_a_theorem_that_is_not_proved_of_the_code_kills_nothing() -> None:
    mutant = Mutant("m", "jit.assemble", DISTANCE, "signed_field(end - target, FIELD)", ("bytes.fixup",))
    (result,) = run_mutants([mutant], THEOREMS, 1, Cache(None), Watcher(), {"bytes.roundtrip"})
    assert not result.killed
    assert "not proved" in result.reason


def test_only_a_kill_is_remembered(tmp_path: Path) -> None:
    class Counting(Watcher):
        ran = 0

        def started(self, mutants: int) -> None:
            self.ran += mutants

    for new, runs in (("signed_field(end - target, FIELD)", 1), ("signed_field(-(end - target), FIELD)", 2)):
        mutant, watcher = Mutant("m", "jit.assemble", DISTANCE, new, ("bytes.fixup",)), Counting()
        first, second = (run_mutants([mutant], THEOREMS, 1, Cache(tmp_path), watcher, THEOREMS) for _ in range(2))
        assert first == second
        assert watcher.ran == runs


def test_the_catalogue_fits_the_code() -> None:
    for mutant in MUTANTS:
        text = changed_source(mutant)
        compile(text, mutant.module, "exec")
        assert set(mutant.killed_by) <= set(THEOREMS), mutant.id
    assert len(MUTANTS) >= 50
    assert min(Counter(mutant.module for mutant in MUTANTS).values()) >= 3
