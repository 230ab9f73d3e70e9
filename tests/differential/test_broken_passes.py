"""That the campaign of programs can fail: it finds each planted error within a fraction of the default one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import pytest

from differential.programs.campaign import Mismatch, mismatch
from differential.programs.engines import REFERENCE, SIMULATOR, hosts, run_everywhere, simulate
from differential.programs.program import listing
from differential.programs.reference import run_reference
from differential.programs.writer import write_program
from differential.programs_command import PROGRAMS, SEED, smallest
from runtime.arena import native_unavailable
from tests.differential.planted_in_passes import PLANTED
from tests.simulator.broken import Mutant

ENOUGH = 400  # programs of the default campaign
SHRUNK = "less-or-equal is less"

pytestmark = pytest.mark.skipif(
    native_unavailable() is not None, reason=f"{native_unavailable()}: planted errors were NOT looked for"
)


def functions(module: ModuleType) -> Iterator[tuple[str, FunctionType]]:
    """All functions and methods that the module defines, by their qualified names."""
    for value in vars(module).values():
        if isinstance(value, FunctionType) and value.__module__ == module.__name__:
            yield value.__qualname__, value
        elif isinstance(value, type) and value.__module__ == module.__name__:
            for member in vars(value).values():
                if isinstance(member, FunctionType):
                    yield member.__qualname__, member


def plant(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the functions of the real module, whoever holds them, the code that they have in the broken text."""
    module = mutant.module
    assert module.__file__ is not None
    text = Path(module.__file__).read_text()
    assert text.count(mutant.old) == 1, f"{mutant.name}: {text.count(mutant.old)} places"
    broken = ModuleType(module.__name__)
    exec(compile(text.replace(mutant.old, mutant.new), module.__file__, "exec"), broken.__dict__)
    code: dict[str, CodeType] = {name: function.__code__ for name, function in functions(broken)}
    changed = [(name, function) for name, function in functions(module) if function.__code__ != code[name]]
    assert changed, f"{mutant.name}: no function is another"
    for name, function in changed:
        monkeypatch.setattr(function, "__code__", code[name])


@pytest.fixture
def fresh_hosts() -> Iterator[None]:
    """Hosts that remember nothing of what other code compiled."""
    hosts.cache_clear()
    yield
    hosts.cache_clear()


def first_mismatch(engine: str) -> Mismatch | None:
    """Of this engine, if it is the simulator; the others need more time."""
    for index in range(ENOUGH):
        program = write_program(SEED, index)
        if engine == SIMULATOR:
            outcomes = {REFERENCE: run_reference(program).outcome, SIMULATOR: simulate(program)}
        else:
            outcomes = run_everywhere(program)[1]
        found = mismatch(index, outcomes)
        if found is not None:
            return found
    return None


def test_there_are_enough_and_the_default_campaign_is_much_longer() -> None:
    assert len({mutant.name for mutant in PLANTED}) == len(PLANTED) >= 25
    assert 5 * ENOUGH <= PROGRAMS


@pytest.mark.usefixtures("fresh_hosts")
@pytest.mark.parametrize("mutant", PLANTED, ids=lambda mutant: mutant.name)
def test_is_found(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(mutant, monkeypatch)
    found = first_mismatch(mutant.seen_by)
    assert found is not None, "the campaign does not notice"
    assert mutant.seen_by == found.engine, found
    if mutant.name == SHRUNK:
        lines = listing(smallest(write_program(SEED, found.index)))
        assert len(lines) <= 8, lines
        assert any("jle" in line or "jge" in line for line in lines), lines
