"""C programs at a command line: `python -m salix build`, then `python -m runtime run`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runtime.__main__ import main
from salix.compiler import Built, build

Output = pytest.CaptureFixture[str]


def program(folder: Path, body: str) -> str:
    """An object whose main has that body."""
    source = f"#include <stdio.h>\n#include <stdlib.h>\nint main(void) {{ {body} return 0; }}\n"
    result = build({"a.c": source}, "a.c")
    assert isinstance(result, Built), result.diagnostics
    (folder / "a.o").write_bytes(result.elf)
    return str(folder / "a.o")


@pytest.mark.parametrize(
    ("body", "status", "printed"),
    [
        (r'puts("a"); putchar(98); printf("%s=%d\n", "c", -4); return 5;', 0, "a\nbc=-4\nexited, r0 = 0x5 (5)\n"),
        (r'fputs("x\ty", stdout); fwrite("12345", 2, 2, stderr);', 0, "x\ty1234exited, r0 = 0x0 (0)\n"),
        (r'printf("%d%d%d%d%d%c", 1, 2, 3, 4, 5, 10); exit(259);', 0, "12345\nexited, r0 = 0x3 (3)\n"),
        (r'printf("\033[2J"); abort();', 1, "\\x1b[2Jaborted: the program called abort\n"),
    ],
)
def test_what_a_program_prints_and_how_it_ends(
    body: str, status: int, printed: str, tmp_path: Path, capsys: Output
) -> None:
    assert main(["run", program(tmp_path, body)]) == status
    assert capsys.readouterr() == (printed, "")


def test_json_is_apart_from_what_the_program_prints(tmp_path: Path, capsys: Output) -> None:
    assert main(["run", program(tmp_path, 'printf("%05x|", 255); abort();'), "--json"]) == 1
    out, err = capsys.readouterr()
    assert (json.loads(out)["outcome"], err) == ("aborted", "000ff|")


def test_a_bad_pointer_is_a_fault_and_a_format_that_is_not_known_an_error(tmp_path: Path, capsys: Output) -> None:
    assert main(["run", program(tmp_path, 'printf("%s", (char *)8);')]) == 1
    assert capsys.readouterr().out.startswith("fault: bad pointer passed to a helper")
    assert main(["run", program(tmp_path, 'static char s[] = "%n"; printf(s, 1);')]) == 2
    assert capsys.readouterr().err == "Unformattable: %n in a format\n"
