"""Small C programs, one idea each, return what they say, or are refused with the words that they name.

The programs judge themselves, so they are judged too: by the host's gcc, which also traps where one of them would do
what C leaves undefined.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from runtime import Exited, Profile, load
from salix.compiler import Built, Failed, build
from tests.salix.corpus import REFUSED, RETURNS, WARNS, CProgram, programs, those_that

_PROFILE = Profile(frames=64)  # some are recursive
_GCC = ("gcc", "-std=gnu11", "-w", "-O1", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error")


def name(program: CProgram) -> str:
    return program.name


def test_there_are_programs_of_each_kind() -> None:
    assert len(programs()) > 250
    assert {program.what for program in programs()} == {RETURNS, REFUSED, WARNS}


@pytest.mark.parametrize(("engine", "registers"), [("jit", 0), ("interpreter", 0), ("jit", 1)])
@pytest.mark.parametrize("program", those_that(RETURNS), ids=name)
def test_programs_return_what_they_say(program: CProgram, engine: str, registers: int) -> None:
    result = build(program.files, program.entry, registers=registers)
    assert isinstance(result, Built), result.diagnostics
    with load(result.elf, {}, engine=engine, profile=_PROFILE).instantiate() as guest:
        assert guest.run(entry="main", limit_ms=60_000) == Exited(program.returns)


@pytest.mark.parametrize("program", those_that(REFUSED), ids=name)
def test_wrong_programs_are_refused_in_their_words(program: CProgram) -> None:
    result = build(program.files, program.entry)
    assert isinstance(result, Failed)
    assert program.words in result.diagnostics
    assert "error: " in result.diagnostics


@pytest.mark.parametrize("program", those_that(WARNS), ids=name)
def test_doubtful_programs_are_compiled_with_a_warning(program: CProgram) -> None:
    result = build(program.files, program.entry)
    assert isinstance(result, Built), result.diagnostics
    assert program.words in result.diagnostics
    assert "error: " not in result.diagnostics


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc: what the programs say is not checked")
@pytest.mark.parametrize("program", those_that(RETURNS), ids=name)
def test_the_hosts_compiler_agrees_with_what_they_say(program: CProgram, tmp_path: Path) -> None:
    made = tmp_path / "program"
    subprocess.run([*_GCC, str(program.path), "-o", str(made)], check=True)
    assert subprocess.run([str(made)], check=False, timeout=60).returncode == program.returns
