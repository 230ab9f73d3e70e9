"""The runner of foreign programs: what it calls right, refused by rule and wrong; and what its printf prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.formatting import Unformattable, formatted, words_needed
from tests.salix.suite.__main__ import main
from tests.salix.suite.programs import Sort, Verdict, judge

PRINTS = """
#include <stdio.h>
int main(int argc, char **argv)
{
    fprintf(stderr, "%d%%%c", argc, ' ');
    printf("%s %5.1s|%-4d|%04x|%+d %u %ld %lld\\n", "text", "cut", -1, 255, 7, -1, -2L, 1LL << 40);
    puts("end");
    return 3;
}
"""
PRINTED = b"1% text     c|-1  |00ff|+7 4294967295 -2 1099511627776\nend\n"
SUM = """
#include "sum.h"
extern void abort(void);
extern void exit(int);
main() { if (sum(100) != 5050) abort(); exit(0); }
"""
HEADER = "static int sum(int n) { return n ? n + sum(n - 1) : 0; }\n"


def judged(folder: Path, source: str, expected: bytes | None = None) -> Verdict:
    (folder / "program.c").write_text(source)
    (folder / "sum.h").write_text(HEADER)
    return judge(folder / "program.c", expected)


def test_a_program_is_right_if_it_prints_what_is_expected(tmp_path: Path) -> None:
    assert judged(tmp_path, PRINTS, PRINTED) == Verdict(Sort.RIGHT)
    assert judged(tmp_path, PRINTS, PRINTED + b"more\n") == Verdict(Sort.WRONG, "line 3 is missing, not 'more'")
    assert judged(tmp_path, PRINTS, PRINTED.replace(b"+7", b"7")).sort is Sort.WRONG


def test_a_program_is_right_if_its_status_is_zero(tmp_path: Path) -> None:
    assert judged(tmp_path, SUM) == Verdict(Sort.RIGHT)
    assert judged(tmp_path, SUM.replace("5050", "5051")) == Verdict(Sort.WRONG, "the program called abort")
    assert judged(tmp_path, SUM.replace("exit(0)", "exit(256 + 4)")) == Verdict(Sort.WRONG, "ended with status 4")
    assert judged(tmp_path, "int main(void) { return *(int *)0; }").why.startswith("access out of bounds")
    assert judged(tmp_path, "int main(void) { return other(); }").sort is Sort.WRONG


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("int main(void) { double x = 1; return x; }", "floating point"),
        ("#include <math.h>\nint main(void) { return 0; }", "floating point"),
        ("int main(int n, char **v) { int a[n]; return a[0]; }", "arrays of computed length"),
        ("#include <stdarg.h>\nint main(void) { return 0; }", "variadic functions of its own"),
        ("int f(int n, ...) { return n; } int main(void) { return f(0); }", "variadic functions of its own"),
        ("int main(void) { return scanf(0); }", "calls scanf, which neither the program nor its host has"),
    ],
)
def test_what_the_language_does_not_have_is_refused_by_rule(tmp_path: Path, source: str, rule: str) -> None:
    assert judged(tmp_path, source) == Verdict(Sort.REFUSED, rule)


def test_every_other_refusal_is_wrong(tmp_path: Path) -> None:
    assert judged(tmp_path, "int main(void) { return x; }") == Verdict(Sort.WRONG, "refused: `x` is not declared")


def test_the_command_says_whether_any_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "good.c").write_text("int main(void) { return 0; }")
    (tmp_path / "float.c").write_text("float x; int main(void) { return 0; }")
    assert main([str(tmp_path), "--json", str(tmp_path / "out.json")]) == 0
    assert '"why": "floating point"' in (tmp_path / "out.json").read_text()
    (tmp_path / "bad.c").write_text("int main(void) { return 1; }")
    assert main([str(tmp_path)]) == 1
    assert "bad: ended with status 1" in capsys.readouterr().out


TEXTS = {1: b"hello", 2: b""}


@pytest.mark.parametrize(
    ("template", "words", "text"),
    [
        (b"plain %%", (), b"plain %"),
        (b"%d %i %u", (-1 & 2**64 - 1, 2**32 + 5, 2**64 - 1), b"-1 5 4294967295"),
        (b"%hhd %hu %ld %zu %jd", (0x1FF, 0x12345, 2**63, 7, 8), b"-1 9029 -9223372036854775808 7 8"),
        (b"%x %X %#x %#x %o %#o %p", (255, 255, 255, 0, 8, 8, 16), b"ff FF 0xff 0 10 010 0x10"),
        (b"[%5d][%-5d][%05d][%+d][% d]", (42, 42, -42, 42, 42), b"[   42][42   ][-0042][+42][ 42]"),
        (b"[%.3d][%6.3d][%06.3d][%.0d]", (7, 7, 7, 0), b"[007][   007][   007][]"),
        (b"[%*d][%-*d][%.*s][%*d]", (4, 1, 4, 1, 2, 1, -3 & 2**64 - 1, 1), b"[   1][1   ][he][1  ]"),
        (b"%s|%7s|%-7s|%.9s|%s", (1, 1, 1, 1, 2), b"hello|  hello|hello  |hello|"),
        (b"%c%3c", (65, 66), b"A  B"),
    ],
)
def test_printf_prints_what_c_says(template: bytes, words: tuple[int, ...], text: bytes) -> None:
    assert words_needed(template) == len(words)
    assert formatted(template, iter(words), lambda at, most: TEXTS[at][:most]) == text


@pytest.mark.parametrize("template", [b"%f", b"%n", b"%5.2e"])
def test_what_printf_cannot_print_is_said(template: bytes) -> None:
    with pytest.raises(Unformattable):
        words_needed(template)
