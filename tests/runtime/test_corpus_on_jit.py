"""The corpus and the public vectors on native code: undisturbed, preempted at every poll, and taking turns.

Two engines take turns on one guest: the context page is shared, so a guest whose `_unit` is None goes on in the
interpreter.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import runtime.activation
from runtime import Exited, Faulted, Guest, GuestMemory, Preempted, Waiting, load_bytecode
from runtime.helpers import HelperFunction
from simulator.ebpf import FaultKind
from tests.corpus import SLICES
from tests.corpus.case import Case, Seen, Stop
from tests.programs import with_data
from validator.errors import LoadError

SHARED = Path(__file__).parents[3] / "shared"
BUDGET = 1 << 14  # polls; no case that ends polls as often


def first_argument(memory: GuestMemory, a: int, *_: int) -> int:
    return a


HELPERS: dict[int | str, HelperFunction] = {5: first_argument}


# ---------------------------------------------------------------- ways to run a guest

Event = Exited | Faulted | Preempted | None


def undisturbed(guest: Guest) -> Event:
    left = BUDGET
    while left >= 0:
        event = guest.advance(fuel=left)
        left = guest.fuel_left
        if isinstance(event, Waiting):
            guest.answer(event.arguments[0])
        elif not isinstance(event, Exited | Faulted):
            return None
        else:
            return event
    return None


def uncounted(guest: Guest) -> Event:
    """In the code for long activations, which is a compilation of its own: its polls look only."""
    event = guest.advance(fuel=0)
    for _ in range(200):
        event = guest.advance(slice_ms=20)
        if isinstance(event, Waiting):
            guest.answer(event.arguments[0])
            event = guest.advance(fuel=0)  # or the next entry would be a counted one
        if isinstance(event, Waiting):
            guest.answer(event.arguments[0])
        elif isinstance(event, Exited | Faulted):
            return event
    return None


def preempted_at_every_poll(guest: Guest) -> Event:
    return _one_by_one(guest, lambda turn: None)


def taking_turns(guest: Guest) -> Event:
    native = guest._unit

    def switch(turn: int) -> None:
        guest._unit = native if turn % 2 else None

    switch(0)
    return _one_by_one(guest, switch)


def _one_by_one(guest: Guest, between: Callable[[int], None]) -> Event:
    for turn in range(1, BUDGET):
        event = guest.advance(fuel=1)
        if isinstance(event, Exited | Faulted):
            return event
        if isinstance(event, Waiting):
            guest.answer(event.arguments[0])
        between(turn)
    return None


WAYS = {
    "jit": ("jit", undisturbed),
    "jit, uncounted": ("jit", uncounted),
    "jit, preempted": ("jit", preempted_at_every_poll),
    "turns": ("jit", taking_turns),
    "interpreter": ("interpreter", undisturbed),
    "interpreter, preempted": ("interpreter", preempted_at_every_poll),
}

# ---------------------------------------------------------------- the corpus


def see(case: Case, run: Callable[[Guest], Event]) -> Seen:
    program = with_data(case.code, HELPERS, read_only=case.read_only, writable=case.writable, engine="jit")
    with program.instantiate() as guest:
        guest.begin(case.mem)
        event = run(guest)
        layout, memory = guest.layout, guest.slot_memory
        regions = [bytes(memory[span.low : span.low + span.size]) for span in (layout.calldata, layout.writable)]
        return Seen(ending(event), *regions)


def ending(event: Event) -> int | Stop | None:
    if isinstance(event, Exited):
        return event.value
    if isinstance(event, Faulted):
        return Stop(FaultKind[event.kind.name], event.pc, event.address, event.size or 0, bool(event.write))
    return None


@pytest.mark.parametrize("name", SLICES)
def test_corpus(name: str) -> None:
    wrong = [mismatch for case in SLICES[name]() if (mismatch := case.mismatch(see(case, undisturbed)))]
    assert not wrong, "\n".join(wrong[:10])


@pytest.mark.parametrize("way", [uncounted, preempted_at_every_poll, taking_turns])
@pytest.mark.parametrize("name", [name for name in SLICES if name.startswith(("branches", "calls", "jump"))])
def test_corpus_in_pieces(name: str, way: Callable[[Guest], Event]) -> None:
    wrong = [mismatch for case in SLICES[name]() if (mismatch := case.mismatch(see(case, way)))]
    assert not wrong, "\n".join(wrong[:10])


def test_what_is_right_runs_natively(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter helps out where native code leaves, so the tests above could pass without any of it."""
    interpreted = 0
    original = runtime.activation.interpret_to_an_entry

    def counted(*arguments: object) -> object:
        nonlocal interpreted
        interpreted += 1
        return original(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(runtime.activation, "interpret_to_an_entry", counted)
    batches = 0
    for produce in SLICES.values():
        case = next(produce())
        if case.labels:  # a batch has dozens of instructions, all of them right
            before = interpreted
            assert case.mismatch(see(case, undisturbed)) is None
            batches += 1
            assert interpreted == before, case.name
    assert batches > 50


# ---------------------------------------------------------------- public vectors, and cases from bug reports


def _read(relative: str) -> list[Any]:
    path = SHARED / relative
    if not path.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"{path} is absent"), id="absent")]
    return [pytest.param(entry, id=entry["name"]) for entry in json.loads(path.read_text())]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("vector", _read("conformance/rfc9669_vectors.json"))
def test_vector_returns_its_result(vector: dict[str, Any], way: str) -> None:
    engine, run = WAYS[way]
    if vector["name"] == "callx":
        with pytest.raises(LoadError, match="call through a register"):
            load_bytecode(bytes.fromhex(vector["code"]), HELPERS, engine=engine)
        return
    with load_bytecode(bytes.fromhex(vector["code"]), HELPERS, engine=engine).instantiate() as guest:
        guest.begin(bytes.fromhex(vector["mem"]))
        assert run(guest) == Exited(vector["result"])


@pytest.mark.parametrize("case", _read("cases/bytecode_cases.json"))
def test_case_ends_in_an_acceptable_way_and_the_same_on_every_way(case: dict[str, Any]) -> None:
    code, mem = bytes.fromhex(case["code"]), bytes.fromhex(case["mem"])
    seen = [_case(code, mem, *way) for way in WAYS.values()]
    acceptable = [case["expect"], *case.get("alt", [])]
    if case.get("needs") == "budget":
        acceptable.append("budget")
    assert seen[0][0] in acceptable
    assert all(other == seen[0] for other in seen), dict(zip(WAYS, seen, strict=True))


def _case(code: bytes, mem: bytes, engine: str, run: Callable[[Guest], Event]) -> tuple[object, object, bytes]:
    """The outcome in the words of the collection, with its particulars, and calldata afterwards."""
    try:
        program = load_bytecode(code, HELPERS, engine=engine)
    except LoadError:
        return "reject", None, b""
    with program.instantiate() as guest:
        guest.begin(mem)
        event = run(guest)
        calldata = guest.layout.calldata
        after = bytes(guest.slot_memory[calldata.low : calldata.low + calldata.size])
        if isinstance(event, Exited):
            return {"r0": event.value}, None, after
        return ("budget", None, b"") if event is None else ("fault", ending(event), after)
