"""`spinfoam.h`: it names what the runtime has, compiles without a warning, and its wrappers call what they should."""

from __future__ import annotations

import pytest

from runtime import Exited, load
from runtime.sdk import codes
from runtime.sdk.calls import SDK_CALLS
from tests.clang import LOOP_OPTIONS, compiled
from tests.runtime.sdk.header import HELPERS, NUMBERS, WRAPPERS
from tests.runtime.sdk.scripted import ScriptedServices, helpers

STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")

EVERYTHING = """
#include "spinfoam.h"

static sf_i64 failures;
#define IS(what, expected) do { if ((what) != (expected)) failures = failures * 100 + __LINE__; } while (0)

SF_MAIN sf_i64 main(void)
{
    char text[16];
    sf_i64 mark = sf_mark();
    sf_handle object = sf_json_object(), array = sf_json_array(), value;
    IS(sf_json_set_string(object, "s", "text"), 0);
    IS(sf_json_set_number(object, "n", -5), 0);
    IS(sf_json_set_boolean(object, "b", 1), 0);
    IS(sf_json_set(object, "copy", sf_json_string("other")), 0);
    IS(sf_json_push_string(array, "item"), 0);
    IS(sf_json_push_number(array, 7), 0);
    IS(sf_json_set(object, "a", array), 0);
    IS(sf_json_string_equals(object, "s", "text"), 1);
    IS(sf_json_string_equals(object, "copy", "text"), 0);
    IS(sf_json_read_i64(object, "n", 1), -5);
    IS(sf_json_read_i64(object, "none", -1), -1);
    IS(sf_json_read_text(object, "copy", text, sizeof text), 5);
    IS(sf_strlen(text), 5);
    IS(strlen(text), 5);
    IS(memcmp(text, "other", 6), 0);
    value = sf_json_get(object, "b");
    IS(sf_json_bool(value), 1);
    IS(sf_log(text), 0);
    value = sf_host_call("a.b", object, SF_FOREVER);
    IS(sf_json_kind(value), SF_OBJECT);
    IS(sf_release(mark), 5);
    IS(sf_drop(object), SF_INVALID);
    return failures;
}
"""


def test_the_header_declares_exactly_the_calls_that_there_are() -> None:
    assert set(HELPERS) == set(SDK_CALLS)
    assert len(HELPERS) > 30


def test_codes_kinds_and_limits_are_the_same_numbers() -> None:
    names = [name for name in NUMBERS if name != "SDK_VERSION"]
    assert len(names) == 12
    assert {name: NUMBERS[name] for name in names} == {name: getattr(codes, name) for name in names}
    assert NUMBERS["SDK_VERSION"] == 1


def test_a_wrapper_takes_what_its_call_takes_but_for_the_lengths() -> None:
    wrapped = {name for name in HELPERS if name.endswith("_raw")}
    assert {f"{name}_raw" for name in WRAPPERS} - {"sf_strlen_raw"} == wrapped
    for name in wrapped:
        parameters = HELPERS[name]
        lengths = {at + 1 for at, p in enumerate(parameters) if p.type == "const char *"}
        expected = tuple(p.type for at, p in enumerate(parameters) if at not in lengths)
        assert tuple(p.type for p in WRAPPERS[name.removesuffix("_raw")]) == expected


@pytest.mark.parametrize("engine", ["jit", "interpreter"])
@pytest.mark.parametrize("options", [("-mcpu=v3",), ("-mcpu=v4",), ("-mcpu=v4", "-O0"), ("-mcpu=v3", "-std=c99")])
def test_everything_in_it_works_and_compiles_without_a_warning(engine: str, options: tuple[str, ...]) -> None:
    services = ScriptedServices()
    elf = compiled(EVERYTHING, *LOOP_OPTIONS, *STRICT, *options)
    with load(elf, helpers(services), engine=engine).instantiate() as guest:
        assert guest.run() == Exited(0)
    arguments = {"s": "text", "n": -5, "b": True, "copy": "other", "a": ["item", 7]}
    assert services.trace == [["log", "other"], ["call", "a.b", arguments]]
    assert services.waits == [codes.MAX_TIMEOUT_MS]
    assert len(services.handles) == 0
