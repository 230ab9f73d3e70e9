"""A short soak holds; and what is planted in the runtime, a leak or a wrong state, breaks it."""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

import runtime.text
from differential import soak_command
from differential.soak.programs import PROGRAMS, canary_code, canary_result
from differential.soak.resources import AVAILABLE
from differential.soak.run import ACTIONS, EPOCH, WARM_UP, soak
from jit.layout import PAGE
from runtime import Event, Exited, Faulted, Guest, Host, Preempted, load_bytecode
from runtime.cage import Cage, Slot
from runtime.kernel import Reservation

GUESTS = EPOCH * (WARM_UP + 2)  # an epoch after the warm-up that can grow
Plant = Callable[[pytest.MonkeyPatch], None]


def test_a_soak_holds_and_everything_happens_in_it() -> None:
    report = soak(2, GUESTS, None)
    assert report.broken == ""
    assert report.guests >= GUESTS
    assert report.epochs > WARM_UP
    wanted = {action.__name__ for actions in ACTIONS.values() for action in actions}
    assert {name for name in wanted if report.happened[name] < 10} == set()
    assert min(report.happened[event] for event in ("Exited", "Faulted", "Stopped", "Preempted", "Waiting")) > 20


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_end_as_they_say(name: str) -> None:
    kind = PROGRAMS[name]
    with kind.load(Host(), "interpreter").instantiate() as guest:
        outcome = guest.run(bytes(range(24)), fuel=2000)
    assert isinstance(outcome, Exited | Faulted) is kind.ends
    assert isinstance(outcome, Preempted) is not kind.ends


def test_the_programs_compute_what_they_should() -> None:
    """By hand: the sum of the bytes; 3 * (1 + .. + 6); a scan of zeros, and of the one that it left."""
    host = Host()

    def ran(name: str, runs: int = 1) -> list[Event]:
        with PROGRAMS[name].load(host, "interpreter").instantiate() as guest:
            return [guest.run(bytes(range(24))) for _ in range(runs)]

    assert ran("calldata") == [Exited(sum(range(24)))]
    assert ran("recursion") == [Exited(3 * sum(range(7)))]
    assert ran("scan", 2) == [Exited(0), Exited(1)]
    assert ran("data", 2) == [Exited((7 << 40) + 1001), Exited((7 << 40) + 1002)]
    with load_bytecode(canary_code(), engine="interpreter", host=host).instantiate() as guest:
        assert guest.run(bytes(8)) == Exited(canary_result())


# ---------------------------------------------------------------- planted


def leak_slots(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Cage, "give_back", lambda _cage, _slot: None)


def leak_code(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(runtime.text, "_return_to_arena", lambda *_: None)


def _at_begin(patch: pytest.MonkeyPatch, harm: Callable[[Guest], object]) -> None:
    right = Guest.begin

    def begin(guest: Guest, mem: bytes = b"", entry: str | int | None = None) -> None:
        harm(guest)
        right(guest, mem, entry)

    patch.setattr(Guest, "begin", begin)


def leak_memory(patch: pytest.MonkeyPatch) -> None:
    kept: list[bytes] = []
    _at_begin(patch, lambda _guest: kept.append(b"\xa5" * (1 << 17)))


def leak_objects(patch: pytest.MonkeyPatch) -> None:
    """Small ones, that no page shows for long."""
    kept: list[list[list[int]]] = []
    _at_begin(patch, lambda _guest: kept.append([[] for _ in range(40)]))


def leak_mappings(patch: pytest.MonkeyPatch) -> None:
    kept: list[Reservation] = []

    def harm(_guest: Guest) -> None:
        kept.append(Reservation(2 * PAGE))
        kept[-1].protect(PAGE * (len(kept) % 2), PAGE, 3)  # neighbours with equal rights would be one mapping

    _at_begin(patch, harm)


def leak_files(patch: pytest.MonkeyPatch) -> None:
    opened: list[int] = []
    began = itertools.count(1)

    def harm(_guest: Guest) -> None:
        if next(began) % 20 == 0:
            opened.append(os.open(os.devnull, os.O_RDONLY))

    _at_begin(patch, harm)


def leak_threads(patch: pytest.MonkeyPatch) -> None:
    ever = threading.Event()
    started: list[threading.Thread] = []

    def harm(_guest: Guest) -> None:
        thread = threading.Thread(target=ever.wait, daemon=True)
        started.append(thread)
        if len(started) % 50 == 0:
            thread.start()

    _at_begin(patch, harm)


def leave_memory_for_the_next_tenant(patch: pytest.MonkeyPatch) -> None:
    def give_back(cage: Cage, slot: Slot) -> None:
        cage._free.setdefault((slot.context_bytes, slot.slot_bytes), deque()).append(slot)

    patch.setattr(Cage, "give_back", give_back)


def lose_a_register_when_preempted(patch: pytest.MonkeyPatch) -> None:
    right = Guest._preempted

    def preempted(guest: Guest) -> Event:
        guest.context.set_register(0, guest.context.register(0) ^ 1)
        return right(guest)

    patch.setattr(Guest, "_preempted", preempted)


def ignore_stops(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Guest, "_stopped", lambda guest: Exited(guest.context.register(0)))


def touch_a_neighbour(patch: pytest.MonkeyPatch) -> None:
    """The first guest is the canary."""
    first: list[Guest] = []

    def harm(guest: Guest) -> None:
        if not first:
            first.append(guest)
        elif guest is not first[0]:
            first[0].slot_memory[first[0].layout.frame_top(0) - 100] ^= 1

    _at_begin(patch, harm)


def raise_something(patch: pytest.MonkeyPatch) -> None:
    began = itertools.count(1)

    def harm(_guest: Guest) -> None:
        if next(began) == 100:
            raise KeyError("planted")

    _at_begin(patch, harm)


PLANTED: dict[Plant, str] = {
    leak_slots: "slots:",
    leak_code: "code bytes:",
    leak_memory: "resident bytes:",
    leak_objects: "blocks:",
    leak_mappings: "maps:",
    leak_files: "files:",
    leak_threads: "threads:",
    leave_memory_for_the_next_tenant: "is not what|the reference semantics",
    lose_a_register_when_preempted: "is not what|the reference semantics",
    ignore_stops: "stopped, but",
    touch_a_neighbour: "the canary changed",
    raise_something: "KeyError was raised",
}
NEEDS_PROC = {leak_memory, leak_mappings, leak_files, leak_threads}


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_what_is_planted_breaks_the_soak(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    if plant in NEEDS_PROC and not AVAILABLE:
        pytest.skip("no /proc here: nothing tells how many there are")
    plant(monkeypatch)
    report = soak_command.in_a_process(Console(), 5, GUESTS, None)
    assert re.search(PLANTED[plant], report.broken), report


def test_the_death_of_the_process_is_a_result(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = os.getpid()
    _at_begin(monkeypatch, lambda _guest: os.kill(os.getpid(), signal.SIGKILL) if os.getpid() != here else None)
    assert soak_command.main(["--guests", "50"]) == 1
    shown = capsys.readouterr().out
    assert "the process died of SIGKILL, after 0 guests" in shown
    assert "replay: python -m differential soak --seed 1 --guests" in shown


def test_the_command_reports(tmp_path: Path) -> None:
    path = tmp_path / "soak.json"
    assert soak_command.main(["--guests", "60", "--seed", "9", "--json", str(path)]) == 0
    report = json.loads(path.read_text())
    assert report["seed"] == 9
    assert {"python", "processor"} <= report["versions"].keys()
    assert report["guests"] >= 60
    assert report["broken"] == report["replay"] == ""
    assert report["now"]["slots"] == 1


@pytest.mark.parametrize("arguments", [["--minutes", "0"], ["--guests", "0"], ["--minutes", "x"]])
def test_wrong_arguments_end_with_status_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        soak_command.main(arguments)
    assert ended.value.code == 2
