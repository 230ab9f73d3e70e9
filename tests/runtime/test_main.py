"""The command line: what it prints, writes and returns, run in this process and as one of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import runtime
from runtime.__main__ import main
from runtime.program import INTERPRETER, JIT

GUEST_CODE = Path(runtime.__file__).parent / "guest_code"
DEMO = str(GUEST_CODE / "demo.o")
MEMORY = str(GUEST_CODE / "memory_functions.o")
LOG = b"INFO up\nERROR no disk\nDEBUG x\n"
EXIT = "9500000000000000"
MOV_R0_7 = "b700000007000000"
ENGINES = pytest.mark.parametrize("engine", [JIT, INTERPRETER])
Output = pytest.CaptureFixture[str]


def checksum(log: bytes) -> int:
    """What demo.c returns: FNV-1a of every line, and of the counts of DEBUG, INFO, WARN and ERROR lines."""
    lines = log.decode().splitlines()
    counts = [sum(line.startswith(level + " ") for line in lines) for level in ("DEBUG", "INFO", "WARN", "ERROR")]
    value = 14695981039346656037
    for byte in "".join(lines).encode() + b"".join(count.to_bytes(8, "little") for count in counts):
        value = (value ^ byte) * 1099511628211 % 2**64
    return value


@ENGINES
def test_run_prints_what_the_guest_prints_and_r0(engine: str, capsys: Output) -> None:
    assert main(["run", DEMO, "--mem", LOG.hex(), "--engine", engine]) == 0
    out, err = capsys.readouterr()
    assert out == f"ERROR no disk\nexited, r0 = {checksum(LOG):#x} ({checksum(LOG)})\n"
    assert err == ""


@ENGINES
def test_run_json_is_one_object_and_the_guest_prints_to_stderr(engine: str, capsys: Output) -> None:
    assert main(["run", DEMO, "--mem", LOG.hex(), "--engine", engine, "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out) == {"outcome": "exited", "r0": checksum(LOG), "engine": engine}
    assert err == "ERROR no disk\n"


def test_run_reads_the_input_from_a_file(tmp_path: Path, capsys: Output) -> None:
    (tmp_path / "log").write_bytes(LOG)
    assert main(["run", DEMO, "--mem-file", str(tmp_path / "log")]) == 0
    assert f"{checksum(LOG):#x}" in capsys.readouterr().out


def test_a_guest_cannot_send_control_characters_to_the_terminal(capsys: Output) -> None:
    main(["run", DEMO, "--mem", b"ERROR \x1b[2J\xff\n".hex()])
    assert capsys.readouterr().out.startswith("ERROR \\x1b[2J\\xff\nexited")


@ENGINES
def test_run_tells_where_a_guest_faults(engine: str, capsys: Output) -> None:
    """strlen(0) reads the first byte of the null page."""
    assert main(["run", MEMORY, "--entry", "strlen", "--engine", engine]) == 1
    sentence = capsys.readouterr().out
    assert sentence.startswith("fault: access out of bounds at pc ")
    assert "1-byte load from guest address 0x0" in sentence
    assert "in section '.text' at offset 0x" in sentence
    assert "memory_functions.c:" in sentence
    assert main(["run", MEMORY, "--entry", "strlen", "--engine", engine, "--json"]) == 1
    facts = json.loads(capsys.readouterr().out)
    expected = {"outcome": "faulted", "kind": "OUT_OF_BOUNDS", "address": 0, "size": 1, "write": False}
    assert {key: facts[key] for key in expected} == expected
    assert facts["message"] == sentence.removeprefix("fault: ").rstrip("\n")
    assert facts["offset"] == 8 * facts["pc"]
    assert facts["file"].endswith("memory_functions.c")
    assert facts["engine"] == engine


@ENGINES
def test_run_preempts_a_guest_that_goes_on_for_ever(engine: str, tmp_path: Path, capsys: Output) -> None:
    """The demo, its first instruction made a jump to itself."""
    first, loop = bytes.fromhex("bf26000000000000"), bytes.fromhex("0500ffff00000000")
    code = Path(DEMO).read_bytes()
    assert first in code
    (tmp_path / "loop.o").write_bytes(code.replace(first, loop, 1))
    command = ["run", str(tmp_path / "loop.o"), "--limit-ms", "5", "--engine", engine]
    assert main(command) == 1
    assert capsys.readouterr().out == "preempted at pc 0: the time limit was used up\n"
    assert main([*command, "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {"outcome": "preempted", "pc": 0, "engine": engine}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["run", "absent.o"], "FileNotFoundError: "),
        (["run", __file__], "ElfError: "),
        (["run", "/dev/zero"], "LimitExceeded: "),
        (["explain", "/dev/zero"], "LimitExceeded: "),
        (["run", DEMO, "--entry", "nosuch"], "LinkError: no section or global function 'nosuch'; there are: "),
        (["run", DEMO, "--frames", "3"], "LinkError: the program's memory does not fit: 3 frames: "),
        (["run", DEMO, "--frames", str(1 << 40)], "LinkError: the program's memory does not fit: "),
        (["explain", __file__], "ElfError: "),
        (["explain", DEMO, "--entry", "nosuch"], "LinkError: no section or global function"),
        (["explain", DEMO, "--function", "100000"], "LinkError: no pc 100000: the program has pcs 0 to "),
        (["explain", "--code", EXIT[:-2]], "Rejected: "),
        (["explain", "--code", EXIT, "--entry", "main"], "LinkError: bare code has no section"),
        (["vectors", __file__], "VectorError: not JSON"),
    ],
)
def test_input_that_cannot_be_loaded_is_status_2_and_one_typed_line(
    arguments: list[str], error: str, capsys: Output
) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(error)
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nosuch"],
        ["run"],
        ["run", DEMO, "--mem", "abc"],
        ["run", DEMO, "--mem", "ab", "--mem-file", "x"],
        ["run", DEMO, "--limit-ms", "0"],
        ["run", DEMO, "--limit-ms", "x"],
        ["run", DEMO, "--frames", "0"],
        ["run", DEMO, "--engine", "gpu"],
        ["explain"],
        ["explain", DEMO, "--code", EXIT],
        ["explain", DEMO, "--entry", "entry", "--function", "0"],
    ],
    ids=" ".join,
)
def test_wrong_arguments_are_status_2(arguments: list[str], capsys: Output) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: " in capsys.readouterr().err


@ENGINES
def test_vectors_counts_and_lists(engine: str, tmp_path: Path, capsys: Output) -> None:
    right = {"name": "right", "code": MOV_R0_7 + EXIT, "result": 7}
    wrong = {"name": "wrong", "code": MOV_R0_7 + EXIT, "result": 8}
    callx = {"name": "callx", "code": "8d01000000000000" + EXIT, "result": 8}
    source, target = tmp_path / "in.json", tmp_path / "out.json"
    source.write_text(json.dumps([right, wrong, callx]))
    assert main(["vectors", str(source), "--engine", engine, "--json", str(target)]) == 1
    out = capsys.readouterr().out
    assert "wrong" in out
    assert out.endswith("total 3, passed 1, failed 1, rejected_by_name 1 callx\n")
    assert json.loads(target.read_text()) == {
        "total": 3,
        "passed": 1,
        "failures": [{"name": "wrong", "expected": "r0 = 0x8 (8)", "got": "r0 = 0x7 (7)"}],
        "reported_apart": ["callx"],
    }
    source.write_text(json.dumps([right, callx]))
    assert main(["vectors", str(source), "--engine", engine]) == 0
    assert capsys.readouterr().out == "total 2, passed 1, failed 0, rejected_by_name 1 callx\n"


def as_process(command: list[str], folder: Path, stdout: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "runtime", *command],
        check=False,
        cwd=folder,
        env={"PYTHONPATH": str(GUEST_CODE.parents[1])},
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
    )


def test_works_as_a_process_in_another_folder(tmp_path: Path) -> None:
    done = as_process(["run", DEMO, "--mem", LOG.hex()], tmp_path, subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(f"({checksum(LOG)})\n")


@pytest.mark.parametrize("command", [["run", MEMORY], ["explain", DEMO]], ids=["run", "explain"])
def test_ends_quietly_when_its_reader_has_gone(command: list[str], tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = as_process(command, tmp_path, writer)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")
