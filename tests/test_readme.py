"""README.md and docs/ are true: their commands print what they say, and nothing that the code has is missing there."""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from differential.__main__ import command_line as differential_command_line
from differential.encodings_command import command_line as encodings_command_line
from differential.hostile_command import command_line as hostile_command_line
from differential.programs_command import command_line as programs_command_line
from differential.soak_command import command_line as soak_command_line
from proofs.__main__ import command_line as proofs_command_line
from proofs.theorem import THEOREMS
from runtime.__main__ import command_line
from runtime.outcomes import FaultKind
from validator.errors import Reason

REPOSITORY = Path(__file__).parents[1]
README = (REPOSITORY / "README.md").read_text()
REFERENCE = (REPOSITORY / "docs" / "reference.md").read_text()
DIFFERENTIAL = {
    "encodings": encodings_command_line,
    "hostile": hostile_command_line,
    "programs": programs_command_line,
    "soak": soak_command_line,
}
PACKAGES = ("validator", "jit", "simulator", "differential", "runtime")


# ---------------------------------------------------------------- what it shows


def transcripts() -> list[tuple[str, str]]:
    """Each command of a console block, and the output that follows it."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", README, re.S):
        for part in block.split("$ ")[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def shown(output: str) -> str:
    """Without the blanks at the ends of lines, and without the values of bytes: distances change with any pass."""
    lines = (re.sub(r"\b[0-9a-f]{2}(?= |$)", "..", line.rstrip()) for line in output.splitlines())
    return "\n".join(lines)


@pytest.mark.parametrize(("command", "output"), transcripts(), ids=[command for command, _ in transcripts()])
def test_commands_print_what_is_shown(command: str, output: str) -> None:
    line = command.replace("python ", f"{sys.executable} ", 1)
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        line, shell=True, check=False, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    assert shown(done.stdout) == shown(output), f"what {command!r} prints now:\n{done.stdout}"


def test_three_commands_are_shown() -> None:
    assert len(transcripts()) == 3
    assert all(output.strip() for _, output in transcripts())


def test_the_tour_of_the_api_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (tour,) = re.findall(r"```python\n(.*?)```", README, re.S)
    monkeypatch.chdir(REPOSITORY)
    exec(compile(tour, "README.md", "exec"), {"__name__": "tour"})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "ERROR no disk"
    assert lines[1].startswith("r0 = 0x")
    assert re.fullmatch(r"\[Exited\(value=(\d+)\), Exited\(value=\1\)\]", lines[2])
    assert lines[3].startswith("Waiting(pc=")
    assert lines[4] == "ERROR no disk"
    assert lines[5].startswith("Exited(value=")
    assert len(lines) == 6


# ---------------------------------------------------------------- what it names


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:\w+/)+[\w.]*)`|\]\(([\w/.]+)\)", README))))
def test_files_and_folders_that_are_named_exist(path: tuple[str, str]) -> None:
    name = path[0] or path[1]
    assert (REPOSITORY / name).exists()


def test_commands_of_the_table_of_claims_exist() -> None:
    commands = re.findall(r"^\| .* \| `(python [^`]*)` \|$", README, re.M)
    assert len(commands) >= 10
    known = subcommands()
    for command in commands:
        words = command.split()
        if words[2] == "pytest":
            assert (REPOSITORY / words[3]).exists(), command
        elif words[2] == "proofs":
            assert options(proofs_command_line()) >= {word for word in words if word.startswith("--")}, command
        elif words[2] == "differential":
            parser = DIFFERENTIAL.get(words[3] if len(words) > 3 else "", differential_command_line)()
            assert options(parser) >= {word for word in words if word.startswith("--")}, command
        elif words[2] == "runtime":
            assert words[3] in known, command
            assert known[words[3]] >= {word for word in words if word.startswith("--")}, command
        else:
            assert importlib.util.find_spec(words[2]) is not None or (REPOSITORY / words[2].replace(".", "/")).exists()


# ---------------------------------------------------------------- what the reference must not miss


def subcommands() -> dict[str, set[str]]:
    """The options of each command of the command line."""
    (commands,) = (a for a in command_line()._actions if isinstance(a, argparse._SubParsersAction))
    return {
        name: {option for action in command._actions for option in action.option_strings} - {"-h", "--help"}
        for name, command in commands.choices.items()
    }


def sections() -> dict[str, str]:
    """The text under each third-level heading, up to the next heading of any level."""
    parts = re.split(r"^### (.*)\n", REFERENCE, flags=re.M)
    return {name: text.partition("\n## ")[0] for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def test_every_command_and_option_is_in_the_reference_and_no_other() -> None:
    described = {
        name: set(re.findall(r"^\| `(--[a-z-]+)", text, re.M)) for name, text in sections().items() if name.islower()
    }
    assert described == subcommands()


def options(parser: argparse.ArgumentParser) -> set[str]:
    """The long options of a command without subcommands."""
    found = {option for action in parser._actions for option in action.option_strings}
    return {option for option in found if option.startswith("--")} - {"--help"}


@pytest.mark.parametrize(
    ("heading", "parser"),
    [
        ("## Proofs", proofs_command_line()),
        ("## Differential campaigns", differential_command_line()),
        ("### Encodings", encodings_command_line()),
        ("### Hostile inputs", hostile_command_line()),
        ("### Soak", soak_command_line()),
        ("### Programs", programs_command_line()),
    ],
    ids=["proofs", "differential", "encodings", "hostile", "soak", "programs"],
)
def test_every_option_of_the_other_commands_is_in_the_reference_and_no_other(
    heading: str, parser: argparse.ArgumentParser
) -> None:
    (text,) = re.findall(rf"^{heading}\n(.*?)^##", REFERENCE, re.M | re.S)
    rows = re.findall(r"^\| `-.*?\|", text, re.M)
    assert {option for row in rows for option in re.findall(r"--[a-z0-9-]+", row)} == options(parser)


def test_the_table_of_theorems_has_each_that_is_registered_and_no_other() -> None:
    rows = dict(re.findall(r"^\| `(\w+\.\w+)` \| (.*) \|$", README, re.M))
    assert rows == {theorem.id: theorem.statement for theorem in THEOREMS.values()}


def test_families_of_the_design_that_are_not_registered_are_said_to_be_missing() -> None:
    families = {"bytes", "gate", "validator", "layout", "host", "isa", "model", "linker"}
    registered = {id.partition(".")[0] for id in THEOREMS}
    named = re.search(r"\*\*Not yet\*\*: the theorem families ([\w, ]*)\.", README)
    assert set(named[1].split(", ") if named else ()) == families - registered


def errors() -> Iterator[type[BaseException]]:
    """Every public exception class."""
    for package in PACKAGES:
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if module.name.endswith("__main__"):
                continue
            for name, value in vars(importlib.import_module(module.name)).items():
                if name.startswith("_") or not isinstance(value, type) or value.__module__ != module.name:
                    continue
                if issubclass(value, BaseException):
                    yield value


@pytest.mark.parametrize("error", list(errors()), ids=lambda error: error.__name__)
def test_every_error_is_in_the_reference(error: type[BaseException]) -> None:
    assert re.search(rf"^\| `{error.__name__}` \|", REFERENCE, re.M)


def test_every_error_in_the_reference_exists() -> None:
    names = {name for name in re.findall(r"^\| `([A-Z]\w+)` \|", REFERENCE, re.M) if not name.isupper()}
    assert names == {error.__name__ for error in errors()}
    assert len(names) > 15


@pytest.mark.parametrize("kind", [*Reason, *FaultKind], ids=lambda kind: kind.name)
def test_every_reason_and_kind_is_in_the_reference_with_its_sentence(kind: Reason | FaultKind) -> None:
    assert f"\n| `{kind.name}` | {kind.value} |\n" in REFERENCE
