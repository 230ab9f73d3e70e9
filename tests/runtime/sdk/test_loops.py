"""The shared Loop programs give the traces that native builds of them gave.

Under the host that comes with them, and with our own SDK over scripted services; on both engines, optimised and not.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runtime import Exited, load
from runtime.helpers import HelperFunction
from runtime.memory import GuestMemory
from runtime.sdk.codes import INVALID
from runtime.sdk.values import same
from tests.clang import LOOP_OPTIONS, compiled
from tests.runtime.sdk.scripted import ScriptedServices, helpers

LOOPS = Path(__file__).parents[4] / "shared" / "loops"
PROGRAMS = sorted(path.stem for path in LOOPS.glob("*.c"))
SIGNED_DIVISION = {"moving_avg", "price_hysteresis"}  # an instruction of -mcpu=v4

pytestmark = pytest.mark.skipif(not PROGRAMS, reason="../shared/loops is not there: its programs are not run")


def program(name: str, *options: str) -> bytes:
    cpu = "-mcpu=v4" if name in SIGNED_DIVISION else "-mcpu=v3"
    return compiled((LOOPS / f"{name}.c").read_text(), *LOOP_OPTIONS, "-Wall", "-Wextra", "-Werror", cpu, *options)


def scripted_host() -> Any:  # noqa: ANN401 - a module that is not ours
    spec = importlib.util.spec_from_file_location("scripted_host", LOOPS / "scripted_host.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def recorded(name: str) -> Any:  # noqa: ANN401
    return json.loads((LOOPS / "traces.json").read_text())[name]


def signed(number: int) -> int:
    return number - ((number >> 63) << 64)


def runs(elf: bytes, functions: dict[int | str, HelperFunction], engine: str) -> int:
    """What the program returned, signed."""
    with load(elf, functions, engine=engine).instantiate() as guest:
        outcome = guest.run(limit_ms=60_000)
    assert isinstance(outcome, Exited), outcome
    return signed(outcome.value)


# ---------------------------------------------------------------- the host that comes with the programs


def of_host(host: Any) -> dict[int | str, HelperFunction]:  # noqa: ANN401
    """Its methods as helpers: they take and give Python values, here these are read from and written to memory."""

    def text(memory: GuestMemory, pointer: int, length: int) -> str:
        return memory.read(pointer, length).decode()

    def i64(memory: GuestMemory, handle: int, out: int, *_: int) -> int:
        value = host.json_i64(handle)
        if value is None:
            return INVALID
        memory.write(out, value.to_bytes(8, "little", signed=True))
        return 0

    def read_string(memory: GuestMemory, handle: int, out: int, capacity: int, *_: int) -> int:
        length, stored = host.read_string(handle, capacity)
        if stored is not None and capacity:
            memory.write(out, stored)
        return int(length)

    def bytes_read(memory: GuestMemory, handle: int, offset: int, out: int, capacity: int, *_: int) -> int:
        part = host.bytes_read(handle, offset, capacity)
        if part is None:
            return INVALID
        memory.write(out, part)
        return len(part)

    def plain(method: Callable[..., int], count: int) -> HelperFunction:
        return lambda _, *arguments: method(*arguments[:count])

    return {
        "sf_sleep_ms": plain(host.sleep_ms, 1),
        "sf_yield": plain(host.yield_, 0),
        "sf_now_mono_ms": plain(host.now_mono_ms, 0),
        "sf_now_unix_ms": plain(host.now_unix_ms, 0),
        "sf_config": plain(host.config_, 0),
        "sf_drop": plain(host.drop, 1),
        "sf_event_next": lambda _, timeout, *rest: host.event_next(signed(timeout)),
        "sf_host_call_raw": lambda memory, p, n, h, timeout, _: host.host_call(text(memory, p, n), h, timeout),
        "sf_log_raw": lambda memory, p, n, *_: host.log(text(memory, p, n)),
        "sf_json_parse": lambda memory, p, n, *_: host.json_parse(memory.read(p, n)),
        "sf_json_get_raw": lambda memory, h, p, n, *_: host.json_get(h, text(memory, p, n)),
        "sf_json_at": plain(host.json_at, 2),
        "sf_json_kind": plain(host.json_kind, 1),
        "sf_json_i64": i64,
        "sf_json_bool": plain(host.json_bool, 1),
        "sf_json_read_string": read_string,
        "sf_json_string_equals_raw": lambda memory, h, k, kn, v, vn: host.json_string_equals(
            h, text(memory, k, kn), text(memory, v, vn)
        ),
        "sf_json_object": plain(host.json_object, 0),
        "sf_json_array": plain(host.json_array, 0),
        "sf_json_null": plain(host.json_null, 0),
        "sf_json_string_raw": lambda memory, p, n, *_: host.json_string(text(memory, p, n)),
        "sf_json_number": lambda _, value, *rest: host.json_number(signed(value)),
        "sf_json_boolean": plain(host.json_boolean, 1),
        "sf_json_set_raw": lambda memory, h, p, n, v, _: host.json_set(h, text(memory, p, n), v),
        "sf_json_push": plain(host.json_push, 2),
        "sf_json_dump": plain(host.json_dump, 1),
        "sf_bytes": lambda memory, p, n, *_: host.bytes_(memory.read(p, n)),
        "sf_bytes_len": plain(host.bytes_len, 1),
        "sf_bytes_read": bytes_read,
    }


@pytest.mark.parametrize("engine", ["jit", "interpreter"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_programs_do_under_the_host_that_comes_with_them_what_native_builds_do(name: str, engine: str) -> None:
    module = scripted_host()
    host = module.Host(**module.SCENARIOS[name]())
    expected = recorded(name)
    assert runs(program(name), of_host(host), engine) == expected["ret"]
    assert host.trace == expected["trace"]
    assert len(host.h) == expected["live_handles_at_end"]


# ---------------------------------------------------------------- our SDK


def plain_json(value: Any) -> Any:  # noqa: ANN401
    return json.loads(json.dumps(value, default=lambda data: "hex:" + data.hex()))


def as_ours(trace: list[list[Any]]) -> list[list[Any]]:
    """The one difference: sf_json_dump is compact. `batch_digest` logs 200 bytes of what it called with before."""
    ours: list[list[Any]] = []
    for entry in trace:
        if entry[0] == "log" and entry[1].startswith("{"):
            entry = ["log", json.dumps(ours[-1][2], separators=(",", ":"))[:200]]
        ours.append(entry)
    return ours


@pytest.mark.parametrize(("engine", "options"), [("jit", ()), ("interpreter", ()), ("jit", ("-O0",))])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_programs_do_with_our_sdk_what_native_builds_do(name: str, engine: str, options: tuple[str, ...]) -> None:
    script = scripted_host().SCENARIOS[name]()
    services = ScriptedServices(
        events=script.get("events", ()),
        answers=script.get("caps"),
        config=script.get("config", {}),
        sleeps=script.get("sleeps", 3),
    )
    expected = recorded(name)
    assert runs(program(name, *options), helpers(services), engine) == expected["ret"]
    assert same(plain_json(services.trace), as_ours(expected["trace"]))
    assert len(services.handles) == expected["live_handles_at_end"]
