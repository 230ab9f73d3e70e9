"""What Hypothesis finds is kept where `.ci/run` says, on a CI too, and tried again by the next run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
FAILING = """
from hypothesis import given, strategies as st

tried = []

@given(st.integers(0, 2**64))
def test_small(number):
    tried.append(number)
    if number > 2**63:
        print("first", tried[0])
        raise ValueError
"""


def run(folder: Path, test: Path, environment: dict[str, str]) -> str:
    asked = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "--import-mode=importlib", str(test), "-rA"]
    more = {"HYPOTHESIS_STORAGE_DIRECTORY": str(folder), "PYTHONPATH": str(REPOSITORY), **environment}
    done = subprocess.run(
        asked, check=False, cwd=REPOSITORY, env={**os.environ, **more}, capture_output=True, text=True
    )
    assert "1 failed" in done.stdout, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("environment", [{}, {"CI": "true"}], ids=["here", "on a CI"])
def test_an_example_that_failed_is_kept_and_tried_first(environment: dict[str, str], tmp_path: Path) -> None:
    test, folder = tmp_path / "test_failing.py", tmp_path / "kept"
    test.write_text(FAILING)
    run(folder, test, environment)
    assert [path for path in (folder / "examples").rglob("*") if path.is_file()]
    assert f"first {2**63 + 1}\n" in run(folder, test, environment)


def test_a_ci_hands_on_the_folder_and_the_reports_of_all_campaigns() -> None:
    ran = (REPOSITORY / ".ci" / "run").read_text()
    assert 'HYPOTHESIS_STORAGE_DIRECTORY="$ARTEFACTS/hypothesis"' in ran
    make = (REPOSITORY / "Makefile").read_text()
    campaigns = [line for line in make.splitlines() if "-m differential" in line]
    assert len(campaigns) == 5
    assert all("--json $(ARTEFACTS)/" in line for line in campaigns)
