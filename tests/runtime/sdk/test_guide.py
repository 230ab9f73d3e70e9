"""The guide is complete, says nothing that the header does not have, and its programs compile and do what they say."""

from __future__ import annotations

import re

import pytest

from runtime.__main__ import main
from runtime.sdk import codes
from runtime.sdk.calls import SDK_CALLS
from runtime.sdk.texts import example, example_names, guide, header
from tests.clang import LOOP_OPTIONS, compiled
from tests.runtime.sdk.header import HEADER, HELPERS, WRAPPERS

STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
TYPES = {"sf_u64", "sf_i64", "sf_handle"}


def blocks() -> list[str]:
    return re.findall(r"```c\n(.*?)```", guide(), re.S)


def program(block: str) -> str:
    """A block that is no program gets the names that the guide's first program has."""
    if "#include" in block:
        return block
    start = "sf_handle event = sf_event_next(0), config = sf_config();\n"
    return f'#include "spinfoam.h"\nSF_MAIN sf_i64 part(void) {{\n{start}{block}\nreturn event + config;\n}}\n'


def test_every_call_is_in_the_guide_and_no_other() -> None:
    named = set(re.findall(r"\bsf_\w+", guide()))
    assert named == set(HELPERS) | set(WRAPPERS) | (named & TYPES)
    assert set(SDK_CALLS) <= named


def test_every_call_has_a_row_with_its_parameters() -> None:
    """Wrappers in place of what they wrap; and the row has a column for codes."""
    rows = re.findall(r"^\| (`sf_.*?) \| .* \| (.*) \|$", guide(), re.M)
    described = {name for calls, _ in rows for name in re.findall(r"(sf_\w+)\(", calls)}
    assert described == {name for name in HELPERS if not name.endswith("_raw")} | (set(WRAPPERS) - {"sf_strlen"})
    for calls, answered in rows:
        assert answered == "none" or "`SF_" in answered, calls
        for name, arguments in re.findall(r"(sf_\w+)\((.*?)\)", calls):
            parameters = WRAPPERS.get(name, HELPERS.get(name))
            assert len(arguments.split(",")) * bool(arguments) == len(parameters or ())


def test_every_code_kind_and_macro_is_in_the_guide() -> None:
    defined = set(re.findall(r"#define (SF_\w+)", HEADER)) - {"SF_SDK_VERSION", "SF_INLINE"}
    assert set(re.findall(r"\bSF_\w+", guide())) == defined


def test_numbers_are_those_of_the_code() -> None:
    text = guide()
    for name, number in re.findall(r"`SF_(\w+)` \(?(-?\d)\b", text):
        assert getattr(codes, name) == int(number)
    assert codes.MAX_VALUE_BYTES == 16 * 1024
    for claim in (
        f"| live handles | {codes.MAX_HANDLES} |",
        f"16 KiB as compact text, {codes.MAX_VALUE_DEPTH} levels below the outermost, {codes.MAX_VALUE_NODES} values",
        f"| a log line | {codes.MAX_LOG_BYTES} bytes",
    ):
        assert claim in text


def test_there_are_three_complete_programs_besides_the_first() -> None:
    assert sum("#include" in block for block in blocks()) == 4
    assert "{{" not in guide()


@pytest.mark.parametrize("cpu", ["-mcpu=v3", "-mcpu=v4"])
@pytest.mark.parametrize("block", blocks(), ids=lambda block: block.strip().split("\n")[0][:40])
def test_what_the_guide_shows_compiles_without_a_warning(block: str, cpu: str) -> None:
    compiled(program(block), *LOOP_OPTIONS, *STRICT, cpu)


@pytest.mark.parametrize("options", [("-mcpu=v3",), ("-mcpu=v4",), ("-O0", "-mcpu=v4")], ids=" ".join)
@pytest.mark.parametrize("name", example_names())
def test_the_examples_compile_without_a_warning(name: str, options: tuple[str, ...]) -> None:
    compiled(example(name), *LOOP_OPTIONS, *STRICT, "-Wconversion", "-Wno-sign-conversion", *options)


def test_the_header_is_plain_text() -> None:
    assert header() == HEADER
    assert HEADER.isascii()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [((), header()), (("--guide",), guide()), *((("--example", name), example(name)) for name in example_names())],
)
def test_the_command_prints_them_as_they_are(
    arguments: tuple[str, ...], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sdk", *arguments]) == 0
    assert capsys.readouterr().out == text


@pytest.mark.parametrize("arguments", [("--example", "none"), ("--guide", "--example", "ci_run"), ("--guide=1",)])
def test_the_command_refuses_what_there_is_not(arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as refused:
        main(["sdk", *arguments])
    assert refused.value.code == 2
