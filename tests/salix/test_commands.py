"""The command line against a server that it started: what the README and `make run` show, and what goes wrong."""

from __future__ import annotations

import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

from salix.commands.demo import server

REPOSITORY = Path(__file__).parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "salix", *arguments], check=False, cwd=REPOSITORY, capture_output=True, text=True
    )


def test_the_demo_ends_as_it_should() -> None:
    done = run("demo")
    assert (done.returncode, done.stderr) == (0, "")
    assert "nothing lost" in done.stdout.replace("\n", " ")


def test_an_operators_commands(tmp_path: Path) -> None:
    watch = tmp_path / "watch.c"
    watch.write_text(resources.files("salix.examples").joinpath("mail_watch.c").read_text())
    where = ("--data", str(tmp_path))
    with server(tmp_path):
        created = run("create", str(watch), *where)
        assert (created.returncode, created.stderr) == (0, "")
        loop_id = created.stdout.strip()
        assert run("send", loop_id, '{"subject": "x"}', "--id", "e1", *where).stdout == "e1: accepted\n"
        assert run("send", loop_id, '{"subject": "x"}', "--id", "e1", *where).stdout == "e1: a duplicate\n"
        assert "active" in run("list", *where).stdout
        pending = run("events", loop_id, *where)
        assert (pending.returncode, pending.stdout) == (0, 'e1\tcli\t{"subject": "x"}\n')
        assert run("events", loop_id, "--discard", "e1", *where).stdout == ""
        assert "defer: x" in run("logs", loop_id, *where).stdout
        refused = run("logs", "nobody", *where)
        assert (refused.returncode, refused.stderr) == (1, "not_found: there is no Loop 'nobody'\n")
        watch.write_text("int x = ;")
        broken = run("create", str(watch), *where)
        assert (broken.returncode, "watch.c:1" in broken.stderr) == (1, True)


@pytest.mark.parametrize("arguments", [("list",), ("send", "l", "1")])
def test_without_a_server_it_says_where_it_looked(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = run(*arguments, "--data", str(tmp_path))
    assert done.returncode == 2
    assert str(tmp_path / "client.json") in done.stderr


def test_a_database_that_cannot_be_opened_is_one_line(tmp_path: Path) -> None:
    done = run("serve", "--data", str(tmp_path), "--port", "0", "--database", "mysql://x/y")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_the_key_is_for_its_owner_only(tmp_path: Path) -> None:
    with server(tmp_path):
        assert (tmp_path / "client.json").stat().st_mode & 0o077 == 0


def test_a_server_that_is_told_to_stop_ends_well_and_its_loops_go_on_with_the_next(tmp_path: Path) -> None:
    watch = tmp_path / "watch.c"
    watch.write_text(resources.files("salix.examples").joinpath("mail_watch.c").read_text())
    with server(tmp_path) as (process, _):
        assert run("create", str(watch), "--data", str(tmp_path)).returncode == 0
        process.terminate()
        assert process.wait(timeout=60) == 0
    with server(tmp_path) as (_, connection):
        (found,) = connection.tool("loop.list")["loops"]
        assert (found["state"], found["incarnation"], found["waits_for"] is not None) == ("active", 2, True)


@pytest.mark.parametrize("module", ["httpx", "sqlalchemy", "uvicorn"])
def test_build_needs_no_extra_and_the_others_say_which_is_missing(tmp_path: Path, module: str) -> None:
    source = tmp_path / "a.c"
    source.write_text("int f(void) { return 1; }")
    without = (
        f"import sys; sys.modules[{module!r}] = None; from salix.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    for arguments, status in ((("build", str(source)), 0), (("serve", "--data", str(tmp_path)), 2)):
        done = subprocess.run(
            [sys.executable, "-c", without, *arguments], check=False, cwd=REPOSITORY, capture_output=True, text=True
        )
        assert done.returncode == status, done.stderr
        if status:
            assert done.stderr == f"{module} is missing: pip install 'salix-jit[salix]'\n"
