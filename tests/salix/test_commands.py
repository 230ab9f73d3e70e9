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
