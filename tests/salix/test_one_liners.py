"""Programs of a line or two, each of which returns 3: forms that C's users write and that compilers forget.

`one_liners.txt` has them one after the other; a program ends with the line that has `main`. `wrong_one_liners.txt` has
programs that break a constraint of C11, their lines divided by ¶, and behind `//` words of the message. gcc judges all
of them, too.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime import Exited, UnknownHelpers, load
from salix.compiler import Built, Failed, build

TEXT = Path(__file__).with_name("one_liners.txt").read_text()
WRONG = Path(__file__).with_name("wrong_one_liners.txt").read_text().splitlines()
LINE_END = "¶"
RESULT = 3
_GCC = ["gcc", "-std=gnu11", "-w", "-x", "c", "-"]


def programs() -> Iterator[str]:
    lines: list[str] = []
    for line in TEXT.splitlines():
        lines.append(line)
        if "main" in line:
            yield "\n".join([*lines, ""])
            lines = []


def test_there_are_many() -> None:
    assert len(list(programs())) > 80


@pytest.mark.parametrize("source", list(programs()))
def test_it_returns_what_it_should(source: str) -> None:
    result = build({"main.c": source}, "main.c")
    assert isinstance(result, Built), result.diagnostics
    try:
        program = load(result.elf)
    except UnknownHelpers as error:  # abort, which is not called
        program = load(result.elf, {name: lambda *_: 0 for name in error.names})
    with program.instantiate() as guest:
        assert guest.run(entry="main", limit_ms=10_000) == Exited(RESULT)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc: the programs are not judged")
def test_the_hosts_compiler_agrees(tmp_path: Path) -> None:
    made = tmp_path / "program"
    for source in programs():
        subprocess.run([*_GCC, "-o", str(made)], input=source, text=True, check=True)
        assert subprocess.run([str(made)], check=False, timeout=10).returncode == RESULT, source


@pytest.mark.parametrize("line", WRONG)
def test_wrong_ones_are_refused(line: str) -> None:
    source, _, words = line.replace(LINE_END, "\n").rpartition(" // ")
    result = build({"main.c": source}, "main.c")
    assert isinstance(result, Failed)
    assert words in result.diagnostics.split("error: ")[1]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc: the programs are not judged")
def test_the_hosts_compiler_refuses_the_wrong_ones() -> None:
    for line in WRONG:
        source = line.replace(LINE_END, "\n")
        judged = subprocess.run([*_GCC, "-fsyntax-only"], input=source, text=True, check=False, capture_output=True)
        assert judged.returncode != 0, line
