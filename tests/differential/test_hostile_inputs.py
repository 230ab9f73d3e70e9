"""Hostile inputs: none does harm; and each of these harms, planted in the runtime, is found, named and shrunk.

Workers are forked, so what a test plants here is planted in them.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

import runtime.guest
import runtime.program
import runtime.text
import validator.elf
import validator.reach
from differential import hostile_command
from differential.hostile import judge as judging
from differential.hostile import second_reader, workers
from differential.hostile.damage import DAMAGES, damaged
from differential.hostile.elf_writer import with_section
from differential.hostile.inputs import CASES, Given, draw, own_objects, shared_objects
from differential.hostile.judge import Judged, cpu_limit, judge, memory_limit, resident_limit
from differential.hostile.kinds import kinds
from differential.hostile.kinds_of_code import far
from differential.hostile.shrink import differences, shrunk
from differential.hostile.workers import judged
from runtime import Event, Exited, Host
from runtime.cage import Cage
from validator.elf import Symbol, relocations
from validator.errors import LoadError
from validator.link import link
from validator.reach import reach

COUNT = 160  # inputs: 20 of each eighth
NOISE = next(index for index in range(7, 9999, 8) if draw(1, index).kind == "object: noise")
Plant = Callable[[pytest.MonkeyPatch], None]


def test_no_input_does_any_harm() -> None:
    assert [record for record in judged(1, 0, 4 * COUNT, 1) if record[3].problem] == []


# ---------------------------------------------------------------- kinds


@pytest.mark.parametrize("name", kinds())
def test_a_kind_ends_as_it_should_whatever_is_drawn(name: str) -> None:
    host = Host()
    for sample in range(25):
        case = kinds()[name].make(Random(f"{name} {sample}"))
        given = Given(sample, name, case.data, case.is_elf, case.mem, case.entry, case.expected)
        result = judge(given, host)
        assert not result.problem, (sample, result)


@pytest.mark.parametrize("name", kinds())
def test_a_kind_is_more_than_one_input(name: str) -> None:
    assert len({kinds()[name].make(Random(sample)) for sample in range(40)}) > 4


@pytest.mark.parametrize("shape", range(4), ids=["forwards", "backwards", "by 32 bits", "to a function"])
def test_far_jumps_arrive(shape: int) -> None:
    case = far(Random(shape), shape)
    assert len(case.data) > 8 << 15
    result = judge(Given(0, "far", case.data, case.is_elf, case.mem, case.entry, case.expected), Host())
    assert not result.problem, result


# ---------------------------------------------------------------- damage and drawing


def test_an_input_depends_on_its_seed_and_index_alone() -> None:
    backwards = [draw(3, index) for index in reversed(range(64))]
    assert backwards[::-1] == [draw(3, index) for index in range(64)]
    assert len({given.data for given in backwards}) > 55
    assert [draw(4, index).data for index in range(8)] != [draw(3, index).data for index in range(8)]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_each_way_of_damage_changes_objects(damage: Callable[..., bytes]) -> None:
    random = Random(5)
    changed = sum(damage(random, whole, whole.data) != whole.data for whole in own_objects())
    assert changed > len(own_objects()) // 20


def test_damage_is_neither_always_fatal_nor_always_harmless() -> None:
    random, accepted, refused = Random(6), 0, 0
    for whole in own_objects() * 3:
        try:
            reach(damaged(random, whole)[1])
            accepted += 1
        except LoadError:
            refused += 1
    assert min(accepted, refused) > (accepted + refused) // 5


@pytest.mark.skipif(not CASES.exists(), reason=f"{CASES} is not there: none of its objects is damaged")
def test_objects_of_others_are_damaged_too() -> None:
    assert len(shared_objects()) > 10
    assert draw(1, 3).origin in {whole.data for whole in shared_objects()}


# ---------------------------------------------------------------- planted


def raise_an_untyped_error(patch: pytest.MonkeyPatch) -> None:
    """A name that is not UTF-8."""

    def name(table: bytes, start: int, what: str) -> str:
        return table[start:].split(b"\0")[0].decode()

    patch.setattr(validator.elf, "_name", name)


def accept_overlaps(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(validator.reach, "check_claims", lambda _claims, _elf: None)


def keep_slots(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Cage, "give_back", lambda _cage, _slot: None)


def keep_code(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(runtime.text, "_return_to_arena", lambda *_: None)


def keep_programs(patch: pytest.MonkeyPatch) -> None:
    kept: list[object] = []
    right = runtime.text.Texts.get

    def get(texts: runtime.text.Texts, *key: object) -> runtime.text.Text:
        kept.append(right(texts, *key))  # type: ignore[arg-type]
        return right(texts, *key)  # type: ignore[arg-type]

    patch.setattr(runtime.text.Texts, "get", get)


def _before_linking(patch: pytest.MonkeyPatch, harm: Callable[[bytes], object]) -> None:
    patch.setattr(runtime.program, "link", lambda data, *rest, **more: (harm(data), link(data, *rest, **more))[1])


def keep_files(patch: pytest.MonkeyPatch) -> None:
    _before_linking(patch, lambda _data: os.open(os.devnull, os.O_RDONLY))


def allocate_what_is_claimed(patch: pytest.MonkeyPatch) -> None:
    _before_linking(patch, lambda _data: bytes(64 << 20))


def allocate_while_it_runs(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(judging, "_entries", lambda given, program: b"\xa5" * (128 << 20) and [None])


def crash(patch: pytest.MonkeyPatch) -> None:
    _before_linking(patch, lambda data: os.kill(os.getpid(), signal.SIGSEGV) if len(data) % 3 == 0 else None)


def hang(patch: pytest.MonkeyPatch) -> None:
    def spin(data: bytes) -> None:
        while data == draw(1, NOISE).data:
            pass

    patch.setattr(workers, "cpu_limit", lambda _size: 0.5)
    _before_linking(patch, spin)


def end_otherwise_when_interpreted(patch: pytest.MonkeyPatch) -> None:
    right = runtime.guest.Guest._advance_interpreted

    def advance(self: runtime.guest.Guest, fuel: int | None, slice_ms: float) -> Event:
        event = right(self, fuel, slice_ms)
        return Exited(event.value ^ 1) if isinstance(event, Exited) else event

    patch.setattr(runtime.guest.Guest, "_advance_interpreted", advance)


def misread_relocations(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(second_reader, "relocations", lambda elf, index: relocations(elf, index)[::-1])


PLANTED: dict[Plant, str] = {
    raise_an_untyped_error: "UnicodeDecodeError was raised",
    accept_overlaps: "unexpected outcome",
    keep_slots: "leak of slots",
    keep_code: "leak of bytes of code",
    keep_programs: "leak of texts",
    keep_files: "leak of file descriptors",
    allocate_what_is_claimed: "too much memory",
    allocate_while_it_runs: "too much resident memory",
    crash: "the process died of SIGSEGV",
    hang: "too much processor time",
    end_otherwise_when_interpreted: "engines differ",
    misread_relocations: "pyelftools differs",
}


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_a_planted_error_is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    if plant is misread_relocations and not second_reader.AVAILABLE:
        pytest.skip("pyelftools is not installed: there is no second reader")
    assert own_objects() and shared_objects() is not None  # read before anything is planted
    plant(monkeypatch)
    found = set()
    first, count = (NOISE, 1) if plant is hang else (0, 6 * COUNT)  # some need an input of a rare sort
    for *_, result in judged(1, first, count, 1):
        found.add(result.problem)
        if result.problem == PLANTED[plant]:
            return
    pytest.fail(f"not found; only {found}")


MISREAD: dict[str, Callable[..., object]] = {
    "section_name": lambda name: name + "x",
    "contents": lambda data: data[1:],
    "symbol_name": lambda name: name[:-1],
    "relocations": lambda rows: rows[1:],
}
FIELDS = {f"symbol {field}": field for field in ("name_offset", "info", "other", "section", "value", "size")}


@pytest.mark.skipif(not second_reader.AVAILABLE, reason="pyelftools is not installed: there is no second reader")
@pytest.mark.parametrize("what", [*MISREAD, *FIELDS])
def test_the_second_reader_sees_whatever_the_first_misreads(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def one_more(row: Symbol) -> Symbol:
        return row._replace(**{FIELDS[what]: getattr(row, FIELDS[what]) + 1})

    name, spoil = (what, MISREAD[what]) if what in MISREAD else ("symbol", one_more)
    right = getattr(validator.elf, name)
    monkeypatch.setattr(second_reader, name, lambda *arguments: spoil(right(*arguments)))
    assert second_reader.disagreements(own_objects()[0].data) != []


def test_what_our_reader_refuses_is_not_asked_for() -> None:
    """pyelftools would decompress this, and raise what zlib does; we refuse compressed sections, if they are needed."""
    data = own_objects()[0].data
    assert second_reader.disagreements(with_section(data, ".text", sh_flags=0x806)) == []


def test_what_our_reader_raises_beside_its_own_error_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("planted")

    monkeypatch.setattr(second_reader, "relocations", broken)
    with pytest.raises(KeyError):
        second_reader.disagreements(own_objects()[0].data)


def test_inputs_after_one_that_ends_the_process_are_judged() -> None:
    def fragile(given: Given, host: Host) -> Judged:
        if given.number in (3, 4, 9):
            os._exit(7)
        return Judged("fine", "", "", 0.0, 0, 0)

    records = sorted(judged(1, 0, 10, 1, fragile))
    assert [index for index, *_ in records] == list(range(10))
    died = [index for index, _, _, result in records if result.problem == "the process ended with status 7"]
    assert died == [3, 4, 9]


# ---------------------------------------------------------------- the command


def needs_ab(given: Given, host: Host) -> Judged:
    """Harm of two bytes anywhere in the noise."""
    bad = not given.is_elf and b"\xab" in given.data and given.kind == "code: noise"
    return Judged("fine", "bytes harm" if bad else "", "0xab is there", 0.0, 0, 0)


def test_a_problem_is_shrunk_and_printed_with_its_replay(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    arguments = ["--inputs", "160", "--first", "0", "--jobs", "1", "--json", str(path)]
    assert hostile_command.main(arguments, needs_ab) == 1
    report = json.loads(path.read_text())
    assert report["inputs"] == 160
    assert {"python", "processor"} <= report["versions"].keys()
    assert report["problems"] == len(report["found"]) > 0
    shown = capsys.readouterr().out
    replay = report["found"][0]["replay"]
    assert f"replay: {replay}" in shown
    assert "shrunk to 1 bytes" in shown
    assert hostile_command.main(replay.split()[4:], needs_ab) == 1
    assert hostile_command.main(replay.split()[4:]) == 0


def test_damage_that_is_beside_the_point_is_undone() -> None:
    whole = own_objects()[0]
    spoilt = bytearray(whole.data)
    for at in Random(3).sample(range(64, len(spoilt)), 40):
        spoilt[at] ^= 0x55
    spoilt[18:20] = b"\x3e\0"  # e_machine: x86-64
    given = Given(0, "damage", bytes(spoilt), True, b"", origin=whole.data)
    smallest = shrunk(given, lambda tried: len(tried.data) > 9000 and tried.data[18:20] == b"\x3e\0")
    assert len(smallest.data) <= len(whole.data)
    kept = shrunk(given, lambda tried: len(tried.data) == len(whole.data) and tried.data[18:20] == b"\x3e\0")
    assert differences(kept) == ["byte 0x12: 0xf7 -> 0x3e"]


def test_a_run_that_misses_a_kind_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    harmless = Judged("fine", "", "", 0.0, 0, 0)
    assert hostile_command.main(["--inputs", "16", "--jobs", "1"], lambda _given, _host: harmless) == 1
    assert "too few inputs for these kinds" in capsys.readouterr().out
    assert hostile_command.main(["--inputs", "400", "--jobs", "1"], lambda _given, _host: harmless) == 0


@pytest.mark.parametrize("arguments", [["--inputs", "0"], ["--jobs", "0"], ["--first", "-1"], ["--nonsense"]])
def test_wrong_arguments_end_with_status_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        hostile_command.main(arguments)
    assert ended.value.code == 2


def test_limits_grow_with_the_input() -> None:
    assert cpu_limit(0) < cpu_limit(1 << 20)
    assert memory_limit(0) < memory_limit(1 << 20) < 1 << 28
    assert resident_limit(0) < resident_limit(1 << 10) < 1 << 26
