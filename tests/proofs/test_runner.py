"""What a run says of planted theorems: nothing that is not proved is green, and the exit status tells."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import z3

from proofs import __main__ as command
from proofs.cache import Cache, closure, closure_of, key_of, replay_key, source_of, stated_in
from proofs.executor import explore
from proofs.report import Display
from proofs.runner import Options, decide_theorems
from proofs.solver import Status
from proofs.symbolic import Int
from proofs.theorem import Case, Obligation, Theorem
from proofs.workers import Done, Lost, News, Say, forked

X = z3.BitVec("x", 64)
Obligations = Callable[[], Iterator[Obligation]]


def theorem(obligations: Obligations, *conditions: z3.BoolRef, name: str = "planted.one") -> Theorem:
    return Theorem(
        id=name,
        statement="a planted one",
        ranges_over="x",
        assumes=(),
        depends=("jit.assemble",),
        cases=lambda: (Case("first", obligations),),
        assumptions=lambda: (("planted", conditions),) if conditions else (),
    )


def true() -> Iterator[Obligation]:
    yield Obligation("x is below eleven", (z3.ULT(X, 10),), z3.ULT(X, 11), (("x", X),))


def false() -> Iterator[Obligation]:
    yield from true()
    yield Obligation("x is below nine", (z3.ULT(X, 10),), z3.ULT(X, 9), (("x", X),))


def hard() -> Iterator[Obligation]:
    y = z3.BitVec("y", 64)
    factors = (z3.UGT(X, 1), z3.UGT(y, 1), z3.ULT(X, 1 << 32), z3.ULT(y, 1 << 32))
    yield Obligation("2^61 - 1 is prime", factors, X * y != 2**61 - 1)


def endless() -> Iterator[Obligation]:
    x, given = Int.fresh("x", 0, 255)
    for path in explore(lambda: next(k for k in range(256) if x == k), assuming=(given,), budget=5):
        yield Obligation("found", path.conditions, z3.BoolVal(True))


def too_wide() -> Iterator[Obligation]:
    x, given = Int.fresh("x", 0, 1 << 60)
    list(explore(lambda: x * x, assuming=(given,)))
    yield from true()


def raises() -> Iterator[Obligation]:
    x, given = Int.fresh("x", 0, 255)
    yield from true()
    list(explore(lambda: 1 // 0 if x == 200 else 1, assuming=(given,), what="dividing"))


def contradictory() -> Iterator[Obligation]:
    yield Obligation("anything", (z3.ULT(X, 1), z3.UGT(X, 1)), z3.BoolVal(False))


def silent() -> Iterator[Obligation]:
    yield from ()


def crashes() -> Iterator[Obligation]:
    yield from true()
    os._exit(3)


def mistaken() -> Iterator[Obligation]:
    yield from true()
    raise KeyError("the theorem's own bug")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., tuple[int, dict[str, object]]]:
    def run(*theorems: Theorem, options: tuple[str, ...] = ()) -> tuple[int, dict[str, object]]:
        monkeypatch.setattr(command, "THEOREMS", {t.id: t for t in theorems})
        status = command.main(["--no-cache", "--json", str(tmp_path / "out.json"), *options])
        return status, json.loads((tmp_path / "out.json").read_text())

    return run


@pytest.mark.parametrize(
    ("planted", "status", "says"),
    [
        (theorem(true, X == 3), "proved", "proved"),
        (theorem(false), "refuted", "x is below nine"),
        (theorem(raises), "refuted", "dividing raises ZeroDivisionError"),
        (theorem(endless), "unknown", "OutOfPaths: more than 5 paths"),
        (theorem(too_wide), "unknown", "TooWide"),
        (theorem(true, X == 3, X == 4), "unknown", "it is vacuous"),
        (theorem(contradictory), "unknown", "it is vacuous"),
        (theorem(silent), "unknown", "no obligations"),
        (theorem(crashes), "unknown", "ended with status 3"),
        (theorem(mistaken), "unknown", "the theorem's own bug"),
        (Theorem("planted.none", "", "", (), (), lambda: ()), "unknown", "no cases"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_status_and_exit_status(
    run: Callable[..., tuple[int, dict[str, list[dict[str, object]]]]],
    planted: Theorem, status: str, says: str, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    exit_status, report = run(planted)
    assert report["theorems"][0]["status"] == status
    assert exit_status == (0 if status == "proved" else 1)
    assert says in capsys.readouterr().out


def test_what_a_solver_cannot_decide_in_time_is_not_green(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs.cases.judge.__defaults__", (100,))  # ms
    (result,) = decide([theorem(hard)])
    assert result is Status.UNKNOWN


def decide(theorems: list[Theorem], cache: Cache | None = None, options: Options | None = None) -> list[Status]:
    from rich.console import Console

    with Display(Console(quiet=True)) as display:
        results = decide_theorems(theorems, options or Options(), cache or Cache(None), display)
    return [result.status for result in results]


def test_a_counterexample_is_shown_as_name_and_hex(
    run: Callable[..., tuple[int, object]], capsys: pytest.CaptureFixture[str]
) -> None:
    run(theorem(false))
    assert "planted.one first: refuted: x is below nine\n    x = 0x9\n" in capsys.readouterr().out
    run(theorem(raises))
    assert "    x = 0xc8 (200)\n" in capsys.readouterr().out


def test_one_bad_theorem_does_not_hide_the_others(run: Callable[..., tuple[int, object]]) -> None:
    status, report = run(theorem(true, name="a.x"), theorem(crashes, name="a.y"), theorem(true, name="b.x"))
    assert status == 1
    assert isinstance(report, dict)
    assert [t["status"] for t in report["theorems"]] == ["proved", "unknown", "proved"]


def test_json_has_exactly_these_keys(run: Callable[..., tuple[int, object]]) -> None:
    _, report = run(theorem(true), options=("--second-solver",))
    assert isinstance(report, dict)
    (entry,) = report.pop("theorems")
    assert list(entry) == ["id", "status", "obligations", "seconds"]
    assert (entry["id"], entry["obligations"]) == ("planted.one", 1)
    assert report == {
        "mutants": {"total": 0, "killed": 0, "survivors": []},
        "second_solver": {"agreed": 1, "disagreed": 0},
    }


def test_disagreement_of_the_solvers_fails(
    run: Callable[..., tuple[int, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proofs.second_solver.second_answer", lambda script: Status.REFUTED)
    status, report = run(theorem(true), options=("--second-solver",))
    assert status == 1
    assert isinstance(report, dict)
    assert report["second_solver"] == {"agreed": 0, "disagreed": 1}


def test_only_chooses_a_theorem_or_a_family_and_refuses_what_is_neither(
    run: Callable[..., tuple[int, object]], capsys: pytest.CaptureFixture[str]
) -> None:
    planted = [theorem(true, name=name) for name in ("a.x", "a.y", "ab.x")]
    for only, expected in (("a.x", ["a.x"]), ("a", ["a.x", "a.y"]), ("a.", ["a.x", "a.y"])):
        _, report = run(*planted, options=("--only", only))
        assert isinstance(report, dict)
        assert [t["id"] for t in report["theorems"]] == expected
    with pytest.raises(SystemExit) as left:
        run(*planted, options=("--only", "b"))
    assert left.value.code == 2
    assert "a.x, a.y, ab.x" in capsys.readouterr().err


def test_verbose_shows_each_obligation(
    run: Callable[..., tuple[int, object]], capsys: pytest.CaptureFixture[str]
) -> None:
    run(theorem(false), options=("-v",))
    out = capsys.readouterr().out
    assert "planted.one first: proved   x is below eleven\n" in out
    assert "planted.one first: refuted  x is below nine\n" in out


def test_scripts_are_written_once_per_distinct_obligation(
    run: Callable[..., tuple[int, object]], tmp_path: Path
) -> None:
    def twice() -> Iterator[Obligation]:
        yield from true()
        yield from false()

    run(theorem(twice), options=("--smt2", str(tmp_path / "scripts")))
    texts = sorted(path.read_text() for path in (tmp_path / "scripts").iterdir())
    assert [text.partition("\n")[0] for text in texts] == ["; x is below eleven", "; x is below nine"]


# ---------------------------------------------------------------- the cache


def test_a_proof_is_remembered_and_a_failure_is_not(tmp_path: Path) -> None:
    ran = tmp_path / "ran"

    def counted() -> Iterator[Obligation]:
        ran.write_text("x" + (ran.read_text() if ran.exists() else ""))
        yield from true()

    cache = Cache(tmp_path / "cache")
    for _ in range(2):
        assert decide([theorem(counted)], cache) == [Status.PROVED]
    assert len(ran.read_text()) == 1
    assert decide([theorem(counted)], Cache(None)) == [Status.PROVED]
    assert decide([theorem(counted)], cache, Options(second=True)) == [Status.PROVED]  # asks more: not the same result
    assert decide([theorem(counted)], cache, Options(verbose=True)) == [Status.PROVED]
    assert len(ran.read_text()) == 4
    for _ in range(2):
        assert decide([theorem(false, name="planted.two")], cache) == [Status.REFUTED]


def test_a_damaged_entry_counts_as_absent(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    assert cache.load("key") is None
    cache.store("key", {"a": 1})
    assert cache.load("key") == {"a": 1}
    (tmp_path / "key.json").write_text('{"a"')
    assert cache.load("key") is None


def test_what_is_imported_counts_transitively_and_from_inside_functions() -> None:
    texts = {
        "jit": "",
        "jit.a": "from jit import b\nimport struct",
        "jit.b": "def f():\n    import validator.c",
        "validator": "",
        "validator.c": "X = 1",
        "jit.d": "import jit.a",
    }
    assert set(closure(["jit.a"], texts.get)) == {"jit", "jit.a", "jit.b", "validator", "validator.c"}


def test_the_key_changes_with_a_dependency_and_with_nothing_else() -> None:
    def edited(module: str) -> str:
        return key_of(theorem(true), lambda name: (source_of(name) or "") + "#" if name == module else source_of(name))

    key = key_of(theorem(true))
    assert key == key_of(theorem(true))
    for module in ("jit.assemble", "jit.encode", "jit.registers", "jit", "proofs.executor", "proofs.runner"):
        assert edited(module) != key, module
    others = ("jit.trampolines", "jit.lower", "validator.elf", "proofs.theorems.bytes", "proofs.mutants.encode")
    for module in (*others, "proofs.gate", "proofs.replay", "proofs.concrete"):
        assert edited(module) == key, module


def test_every_theorem_depends_on_its_own_module_but_not_on_all_of_the_core() -> None:
    import proofs.theorems  # noqa: F401 - registers them
    from proofs.theorem import THEOREMS

    for one in THEOREMS.values():
        own, texts = stated_in(one), closure_of(one)
        assert own.startswith("proofs.theorems."), one.id
        assert own in texts, one.id
        assert {"jit.lower", "jit.encode", "validator.link"} - set(texts), one.id
        edited = key_of(one, lambda name: (source_of(name) or "") + "#" if name == own else source_of(name))  # noqa: B023
        assert edited != key_of(one), one.id


@pytest.mark.parametrize(
    ("module", "proved_again", "remembered"),
    [
        ("jit.decode", {"bytes.roundtrip", "gate.contract"}, {"layout.plan", "host.range", "validator.sound"}),
        ("jit.lower", {"isa.refines", "gate.memory"}, {"bytes.fixup", "layout.hypothesis", "host.trampoline"}),
        ("validator.link", {"linker.inside"}, {"validator.sound", "gate.memory", "isa.refines", "bytes.prefix"}),
    ],
)
def test_after_an_edit_only_what_depends_on_it_is_proved_again(
    module: str, proved_again: set[str], remembered: set[str]
) -> None:
    import proofs.theorems  # noqa: F401 - registers them
    from proofs.theorem import THEOREMS

    def edited(name: str) -> str | None:
        return (source_of(name) or "") + "#" if name == module else source_of(name)

    changed = {one.id for one in THEOREMS.values() if key_of(one, edited) != key_of(one)}
    assert proved_again <= changed
    assert not remembered & changed


def test_a_changed_replay_judges_mutants_anew() -> None:
    def edited(module: str) -> str:
        return replay_key(lambda name: (source_of(name) or "") + "#" if name == module else source_of(name))

    assert edited("proofs.replay") != replay_key()
    assert edited("proofs.mutants.encode") == replay_key()


# ---------------------------------------------------------------- processes


def test_tasks_report_and_return_and_losses_are_told() -> None:
    def fine(say: Say) -> int:
        say("half")
        return 1

    def dies(say: Say) -> int:
        os._exit(7)

    def fails(say: Say) -> int:
        raise ValueError("no")

    def hangs(say: Say) -> int:
        while True:
            pass

    said = list(forked([fine, dies, fails, hangs, fine], 2, 1.0))
    assert [value for index, value in said if index == 0] == [News("half"), Done(1)]
    assert [value for index, value in said if index == 4] == [News("half"), Done(1)]
    assert (1, Lost("its process ended with status 7")) in said
    assert (2, Lost("ValueError: no")) in said
    assert (3, Lost("it took more than 1 s")) in said
