"""The shared Loop programs, compiled by our compiler, give the traces that native builds of them gave."""

from __future__ import annotations

import pytest

from salix.compiler import Built, build
from tests.runtime.sdk.test_loops import LOOPS, PROGRAMS, of_host, recorded, runs, scripted_host

pytestmark = pytest.mark.skipif(not PROGRAMS, reason="../shared/loops is not there: its programs are not run")


def program(name: str, registers: int = 0) -> bytes:
    match build({f"{name}.c": (LOOPS / f"{name}.c").read_text()}, f"{name}.c", registers=registers):
        case Built(elf, diagnostics):
            warnings = [line for line in diagnostics.splitlines() if ": warning: " in line]
            assert all("the handle that" in line for line in warnings), diagnostics  # which they leak, as agents do
            return elf
        case failed:
            raise AssertionError(failed.diagnostics)


@pytest.mark.parametrize(("engine", "registers"), [("jit", 0), ("interpreter", 0), ("jit", 1), ("jit", 4)])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_programs_do_what_native_builds_do(name: str, engine: str, registers: int) -> None:
    module = scripted_host()
    host = module.Host(**module.SCENARIOS[name]())
    expected = recorded(name)
    assert runs(program(name, registers), of_host(host), engine) == expected["ret"]
    assert host.trace == expected["trace"]
    assert len(host.h) == expected["live_handles_at_end"]
