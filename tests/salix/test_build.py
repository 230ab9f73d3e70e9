"""What a build is given and what it gives back: limits, refusals, messages, lines of faults."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from runtime import Exited, Faulted, load
from salix.compiler import Built, Failed, Limits, SourcesRefused, build

SMALL = "int main(void) { return 42; }\n"


def built(source: str, **headers: str) -> Built:
    files = {"main.c": source} | {f"{name}.h": text for name, text in headers.items()}
    result = build(files, "main.c")
    assert isinstance(result, Built), result.diagnostics
    return result


def outcome(source: str, **headers: str) -> object:
    with load(built(source, **headers).elf).instantiate() as guest:
        return guest.run(entry="main", limit_ms=10_000)


def messages(source: str) -> str:
    result = build({"main.c": source}, "main.c")
    assert isinstance(result, Failed)
    return result.diagnostics


def test_a_program_runs() -> None:
    assert outcome(SMALL) == Exited(42)


def test_builds_do_not_depend_on_what_was_built_before_nor_on_the_order_of_files() -> None:
    files = {"main.c": '#include "a.h"\nint main(void) { return A; }\n', "a.h": "#define A 7\n", "b.h": ""}
    first = build(files, "main.c")
    built("int other(void) { return 1; } int main(void) { return other(); }")
    assert build(dict(reversed(files.items())), "main.c") == first


def test_submitted_files_and_headers_that_come_with_the_compiler_are_included() -> None:
    source = '#include "limits_of_mine.h"\n#include <stdint.h>\n#include <stddef.h>\n#include "spinfoam.h"\n'
    source += "struct pair { char a; int64_t b; };\n"
    source += "int main(void) { return MINE + (int)sizeof(uint16_t) + (int)offsetof(struct pair, b) + SF_OBJECT; }\n"
    assert outcome(source, limits_of_mine="#pragma once\n#define MINE 100\n") == Exited(115)


@pytest.mark.parametrize(
    ("files", "entry"),
    [
        ({}, "main.c"),
        ({"main.c": SMALL}, "other.c"),
        ({"main.c": SMALL, "../secret.h": ""}, "main.c"),
        ({"main.c": SMALL, "/etc/passwd": ""}, "main.c"),
        ({"main.c": SMALL, "a//b.h": ""}, "main.c"),
        ({"main.c": SMALL, "spinfoam.h": ""}, "main.c"),
        ({"main.c": SMALL, "a b.h": ""}, "main.c"),
        ({"main.c": SMALL + " " * (128 << 10)}, "main.c"),
        ({"main.c": SMALL} | {f"{i}.h": "" for i in range(32)}, "main.c"),
    ],
)
def test_files_that_no_build_may_have_are_refused(files: Mapping[str, str], entry: str) -> None:
    with pytest.raises(SourcesRefused):
        build(files, entry)


def test_an_object_that_is_too_big_is_an_error() -> None:
    source = "const int table[20000] = {1}; int main(void) { return table[3]; }"
    assert "the program is too big" in messages(source)
    assert isinstance(build({"main.c": source}, "main.c", limits=Limits(object_bytes=1 << 20)), Built)


def test_a_build_that_takes_too_long_is_ended() -> None:
    result = build({"main.c": SMALL}, "main.c", limits=Limits(time_ms=0.01), engine="interpreter")
    assert isinstance(result, Failed)
    assert "longer than" in result.diagnostics


def test_several_errors_are_reported_each_with_its_line_and_a_caret() -> None:
    source = "int main(void) {\n    int a = missing;\n    a = 1 +;\n    return a.b;\n}\n"
    assert messages(source) == (
        "main.c:2:13: error: `missing` is not declared\n"
        "        int a = missing;\n"
        "                ^\n"
        "main.c:3:12: error: an expression should stand here, not `;`\n"
        "        a = 1 +;\n"
        "               ^\n"
        "main.c:4:14: error: this has no member `b`: it is `int`\n"
        "        return a.b;\n"
        "                 ^\n"
    )


def test_a_fault_names_the_line() -> None:
    source = "static int *nowhere;\nint main(void)\n{\n    int a = 3;\n\n    return *nowhere + a;\n}\n"
    fault = outcome(source)
    assert isinstance(fault, Faulted)
    assert str(fault.source) == "main.c:6"


def warnings(source: str) -> list[str]:
    """What is warned of, without places and excerpts."""
    return [
        line.partition(": warning: ")[2] for line in built(source).diagnostics.splitlines() if ": warning: " in line
    ]


@pytest.mark.parametrize(
    ("body", "warning"),
    [
        ("sf_json_object();", "the handle that `sf_json_object` gives is lost, but stays alive; 128 are all there are"),
        (
            "sf_handle a = sf_json_array(); sf_json_push(a, sf_json_null()); sf_drop(a);",
            "the handle that `sf_json_null` gives is lost after this call: `sf_json_push` does not drop it",
        ),
        ("sf_drop(sf_json_object());", ""),
        ("sf_handle a = sf_json_array(); sf_json_push_number(a, 1); sf_drop(a);", ""),
        ("keep(sf_json_object());", ""),
    ],
)
def test_handles_that_leak_are_warned_of(body: str, warning: str) -> None:
    source = '#include "spinfoam.h"\nstatic sf_i64 keep(sf_handle h) { return sf_drop(h); }\n'
    source += f"SF_MAIN sf_i64 run(void) {{ {body} return keep(0); }}\n"
    assert warnings(source) == [warning] * bool(warning)


def test_a_function_that_may_end_without_a_value_is_warned_of() -> None:
    assert warnings("int f(int a) { if (a) return 1; }") == ["the function `f` may end here without returning a value"]
    assert warnings("int f(int a) { for (;;) if (a) return 1; }\nint main(void) { f(1); }") == []


def test_a_call_of_what_is_not_declared_is_warned_of() -> None:
    assert warnings("int main(void) { return elsewhere(); }") == [
        "the function `elsewhere` is not declared before it is called"
    ]


def test_locals_that_do_not_fit_a_frame_are_named_and_the_program_runs_all_the_same() -> None:
    source = "int main(void) { char text[5000]; for (int i = 0; i < 5000; i++) text[i] = 1; return text[4999]; }"
    assert [line.split(",")[0] for line in warnings(source)] == ["`text` takes 5000 bytes"]
    assert outcome(source) == Exited(1)


def test_calls_that_go_deeper_than_a_loop_has_frames_are_warned_of_where_it_is_known() -> None:
    def chain(count: int) -> str:
        functions = "".join(
            f"__attribute__((noinline)) static int f{n}(int a) {{ return f{n + 1}(a) + 1; }}\n"
            for n in reversed(range(1, count))
        )
        last = f"__attribute__((noinline)) static int f{count}(int a) {{ return a; }}\n"
        return f'#include "spinfoam.h"\n{last}{functions}SF_MAIN sf_i64 run(void) {{ return f1(1); }}\n'

    assert warnings(chain(7)) == []
    (found,) = warnings(chain(8))
    assert found.startswith("calls go 9 functions deep, a Loop has 8 frames: `run` > `f1` > `f2`")


def test_only_a_program_that_uses_the_heap_has_one() -> None:
    def built(body: str) -> bytes:
        result = build({"main.c": f"#include <stdlib.h>\nint main(void) {{ {body} }}"}, "main.c", lines=False)
        assert isinstance(result, Built), result.diagnostics
        return result.elf

    without = build({"main.c": "int main(void) { return 0; }"}, "main.c", lines=False)
    assert isinstance(without, Built)
    assert built("return 0;") == without.elf
    assert built("return sizeof malloc(3) - 8;") == without.elf  # named, not called
    sizes = [load(elf).layout_for(0).writable.size for elf in (without.elf, built("return malloc(3) == 0;"))]
    assert (sizes[0], sizes[1] // 1024) == (0, 264)
