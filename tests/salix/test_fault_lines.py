"""A fault in a program of our compiler names the line of C that did it, in the file that has it.

The line is the one on which `// here` stands. pyelftools, the second reader, finds the same lines in the objects.
"""

from __future__ import annotations

import io
from itertools import pairwise

import pytest

from runtime import Faulted, load
from runtime.lines import lines_of
from salix.compiler import Built, build
from tests.salix.corpus import RETURNS, CProgram, those_that

elffile = pytest.importorskip("elftools.elf.elffile", reason="pyelftools is not installed: no second reader of lines")

FAULTS = {
    "a load through a null pointer": """
int main(void)
{
    int *p = 0;
    int a = 1;
    a += *p; // here
    return a;
}
""",
    "a store in a function that is called": """
struct node { struct node *next; long value; };
static void set(struct node *n, long value)
{
    long twice = value * 2;

    n->next->value = twice; // here
}
int main(void)
{
    struct node n = {0, 1};
    set(&n, 3);
    return 0;
}
""",
    "in a loop, some rounds on": """
static int table[4];
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 100000; i++) {
        sum ^= i;
        sum += table[i * 1000]; // here
    }
    return sum;
}
""",
    "in one of many lines of an expression": """
int main(void)
{
    long *p = 0, x = 3;
    return x * 5
        + x * 7
        + p[2] // here
        + x;
}
""",
    "in the line that uses a macro of several lines": """
#define LOAD(p) \\
    do { \\
        total += *(p); \\
    } while (0)
int main(void)
{
    int total = 0;
    int *p = (int *)8;
    LOAD(p); // here
    return total;
}
""",
    "in a condition": """
int main(void)
{
    const char *s = 0;
    int n = 0;
    if (n == 0 &&
        *s == 'x') // here
        n = 2;
    return n;
}
""",
    "behind a change of the line's number": """
int main(void)
{
    int *p = 0;
    return *p; // here
}
""",
    "a write to a constant": """
static const int limits[] = {1, 2, 3};
int main(void)
{
    int *p = (int *)limits;

    p[1] = 4; // here
    return 0;
}
""",
    "in a block with its own variables": """
int main(void)
{
    int x = 0;
    {
        int *x = 0;
        {
            int y = 1;
            *x = y; // here
        }
    }
    return x;
}
""",
    "a copy of a struct": """
struct big { long v[4]; };
int main(void)
{
    struct big a = {{1}}, *p = (struct big *)16;
    a.v[3] = 2;
    *p = a; // here
    return 0;
}
""",
    "in memcpy, which a large struct's assignment calls": """
struct big { long v[40]; };
static void copy(struct big *to, const struct big *from)
{
    *to = *from; // here
}
int main(void)
{
    struct big a = {{1}};
    copy((struct big *)16, &a);
    return 0;
}
""",
    "in a memory function that is called": """
void *memset(void *, int, unsigned long);
int main(void)
{
    char a[4];
    memset(a, 0, 4);
    memset(a, 0, 1ul << 40); // here
    return 0;
}
""",
    "a block that is freed twice": """
#include <stdlib.h>
int main(void)
{
    char *p = malloc(10), *q = malloc(10);
    free(p);
    free(q);
    free(p); // here
    return 0;
}
""",
    "a pointer into the middle of a block that is freed": """
#include <stdlib.h>
static void drop(char *p)
{
    free(p + 8); // here
}
int main(void)
{
    drop(malloc(100));
    return 0;
}
""",
    "realloc of what is in no heap": """
#include <stdlib.h>
int main(void)
{
    long numbers[4] = {0};
    return realloc(numbers, 100) == 0; // here
}
""",
    "freeing what was written beyond its end": """
#include <stdlib.h>
int main(void)
{
    char *p = malloc(24);
    int i;
    malloc(24);
    for (i = 0; i < 48; i++) p[i] = 1;
    free(p); // here
    return 0;
}
""",
    "without end": """
static int down(int n)
{
    int local[10];
    local[n % 10] = n;
    return down(n + 1) + local[n % 10]; // here
}
int main(void)
{
    return down(0);
}
""",
}  # fmt: skip


def line_of_mark(text: str) -> int:
    (line,) = [number for number, line in enumerate(text.split("\n"), 1) if "// here" in line]
    return line


def fault(files: dict[str, str], engine: str) -> Faulted:
    result = build(files, "main.c")
    assert isinstance(result, Built), result.diagnostics
    with load(result.elf, {}, engine=engine).instantiate() as guest:
        outcome = guest.run(entry="main", limit_ms=30_000)
    assert isinstance(outcome, Faulted)
    return outcome


@pytest.mark.parametrize("engine", ["jit", "interpreter"])
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_names_its_line(name: str, engine: str) -> None:
    text = FAULTS[name]
    assert str(fault({"main.c": text}, engine).source) == f"main.c:{line_of_mark(text)}"


def test_a_fault_in_an_included_file_names_that_file() -> None:
    header = "static int get(int *p)\n{\n    return p[1]; // here\n}\n"
    text = '#include "parts/get.h"\nint main(void)\n{\n    return get(0);\n}\n'
    found = fault({"main.c": text, "parts/get.h": header}, "jit")
    assert str(found.source) == f"parts/get.h:{line_of_mark(header)}"


def rows_of_second_reader(elf: bytes) -> list[tuple[int, int]]:
    """Byte offsets in .text and their lines, instruction by instruction."""
    file = elffile.ELFFile(io.BytesIO(elf))
    dwarf = file.get_dwarf_info()
    (unit,) = dwarf.iter_CUs()
    program = dwarf.line_program_for_CU(unit)
    rows = [entry.state for entry in program.get_entries() if entry.state is not None]
    found = []
    for row, following in pairwise(rows):
        if not row.end_sequence:
            found += [(offset, row.line) for offset in range(row.address, following.address, 8)]
    return [(offset, line) for offset, line in found if line]  # the heap's code has none


@pytest.mark.parametrize("program", those_that(RETURNS)[::8], ids=lambda program: program.name)
def test_the_second_reader_finds_the_same_lines(program: CProgram) -> None:
    result = build(program.files, program.entry)
    assert isinstance(result, Built)
    theirs = rows_of_second_reader(result.elf)
    ours = lines_of(result.elf, ".text", [offset for offset, _ in theirs])
    assert [(offset, ours[offset].line) for offset, _ in theirs] == theirs
    assert theirs
