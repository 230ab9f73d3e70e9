"""The command line against a server that it started: what the README and `make run` show, and what goes wrong."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from salix.commands.demo import _STEPS, server
from salix.http.client import Connection, ServerRefused
from salix.http.serving import Client
from salix.store import Store, identities

REPOSITORY = Path(__file__).parents[2]


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "salix", *arguments],
        check=False, cwd=REPOSITORY, capture_output=True, text=True, env={**os.environ, **environment},
    )  # fmt: skip


def test_the_demo_ends_as_it_should() -> None:
    done = run("demo")
    assert (done.returncode, done.stderr) == (0, "")
    assert "nothing lost" in done.stdout.replace("\n", " ")
    assert "\x1b" not in done.stdout, "no progress where nobody looks"


def test_on_a_terminal_the_demo_shows_each_of_its_steps() -> None:
    done = run("demo", TTY_COMPATIBLE="1", TERM="xterm", COLUMNS="100")
    assert (done.returncode, done.stderr) == (0, "")
    counts = re.findall(r"(\d)/(\d)", re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", done.stdout))
    assert {total for _, total in counts} == {str(_STEPS)}
    assert max(count for count, _ in counts) == str(_STEPS)


def test_an_operators_commands(tmp_path: Path) -> None:
    watch = tmp_path / "watch.c"
    watch.write_text(resources.files("salix.examples").joinpath("mail_watch.c").read_text())
    where = ("--data", str(tmp_path))
    with server(tmp_path):
        created = run("create", str(watch), "--name", "[/b]", *where)
        assert (created.returncode, created.stderr) == (0, "")
        loop_id = created.stdout.strip()
        assert run("send", loop_id, '{"subject": "x"}', "--id", "e1", *where).stdout == "e1: accepted\n"
        assert run("send", loop_id, '{"subject": "x"}', "--id", "e1", *where).stdout == "e1: a duplicate\n"
        narrow = run("list", *where, COLUMNS="80").stdout
        assert "active" in narrow
        assert loop_id in narrow, "whole, since other commands ask for it"
        assert "[/b]" in narrow, "a name is text, whatever rich would make of it"
        pending = run("events", loop_id, *where)
        assert (pending.returncode, pending.stdout) == (0, 'e1\tcli\t{"subject": "x"}\n')
        assert run("events", loop_id, "--discard", "e1", *where).stdout == ""
        assert "defer: x" in run("logs", loop_id, *where).stdout
        for command, state in (("pause", "paused"), ("resume", "active"), ("delete", "deleted")):
            assert run(command, loop_id, *where).stdout == f"{loop_id}: {state}\n"
        assert run("delete", loop_id, *where).returncode == 1
        refused = run("logs", "nobody", *where)
        assert (refused.returncode, refused.stderr) == (1, "not_found: there is no Loop 'nobody'\n")
        watch.write_text("int x = ;")
        broken = run("create", str(watch), *where)
        assert (broken.returncode, "watch.c:1" in broken.stderr) == (1, True)


def test_every_command_that_shows_something_shows_it_to_programs_too(tmp_path: Path) -> None:
    watch = tmp_path / "watch.c"
    watch.write_text(resources.files("salix.examples").joinpath("mail_watch.c").read_text())
    where = ("--json", "--data", str(tmp_path))

    def object_of(*arguments: str, status: int = 0) -> dict[str, Any]:
        done = run(*arguments, *where)
        assert (done.returncode, done.stderr) == (status, ""), arguments
        assert done.stdout.count("\n") == 1
        found = json.loads(done.stdout)
        assert isinstance(found, dict)
        return found

    def error_of(*arguments: str, status: int) -> str:
        done = run(*arguments, *where)
        assert (done.returncode, done.stdout) == (status, "")
        return str(json.loads(done.stderr)["error"]["kind"])

    with server(tmp_path):
        loop_id = object_of("create", str(watch))["loop_id"]
        assert object_of("send", loop_id, "{}", "--id", "e1") == {"event_id": "e1", "duplicate": False}
        assert object_of("send", loop_id, "{}", "--id", "e1")["duplicate"] is True
        assert error_of("send", loop_id, "{}", "--id", "", status=1) == "invalid"
        (listed,) = object_of("list")["loops"]
        assert listed["loop_id"] == loop_id
        assert object_of("status", loop_id)["loop_id"] == loop_id
        found = object_of("status")
        assert (found["loops"], found["pending_events"]) == ({"active": 1}, 1)
        assert [each["event_id"] for each in object_of("events", loop_id)["events"]] == ["e1"]
        assert object_of("events", loop_id, "--discard", "e1")["events"] == []
        assert object_of("logs", loop_id)["lines"]
        assert {each["action"] for each in object_of("audit", loop_id)["entries"]} >= {"loop.create", "loop.events"}
        assert object_of("messages")["messages"] == []
        assert [each["path"] for each in object_of("files")["files"]] == ["watch.o"]
        assert error_of("files", "--delete", "watch.o", status=1) == "conflict"
        for command, state in (("pause", "paused"), ("resume", "active"), ("delete", "deleted")):
            assert object_of(command, loop_id)["state"] == state
        assert object_of("files", "--delete", "watch.o")["files"] == []
        assert error_of("logs", loop_id, status=1) == "not_found"
        watch.write_text("int x = ;")
        assert object_of("create", str(watch), status=1)["built"] is False
        assert error_of("create", str(tmp_path / "nothing.c"), status=2) == "not_tried"
        done = run("prune", "--older-than", "1", *where)
        assert set(json.loads(done.stdout)) >= {"events", "files"}
    assert error_of("list", status=2) == "no_server"
    (tmp_path / "client.json").write_text("{}")
    assert error_of("list", status=2) == "no_server"
    for text, built in (("int f(void) { return 1; }", True), ("int x = ;", False)):
        watch.write_text(text)
        done = run("build", str(watch), "--json")
        assert (done.returncode, json.loads(done.stdout)["built"]) == (0 if built else 1, built)


def test_what_people_see_of_a_server_a_loop_and_its_files(tmp_path: Path) -> None:
    watch = tmp_path / "watch.c"
    watch.write_text(resources.files("salix.examples").joinpath("mail_watch.c").read_text())
    where = ("--data", str(tmp_path))
    with server(tmp_path):
        loop_id = run("create", str(watch), "--name", "[/b]", *where).stdout.strip()
        shown = run("status", *where).stdout
        assert re.search(r'^loops +\{"active": 1\}$', shown, re.M)
        assert re.search(r"^cost_usd +0$", shown, re.M)
        shown = run("status", loop_id, *where).stdout
        assert re.search(r"^name +\[/b\]$", shown, re.M)
        shown = run("audit", loop_id, *where).stdout
        assert re.fullmatch(r"20\d\d-\S+ \S+Z\tagent:agent\tloop.create\tcreated\t[0-9a-f]{64}\n", shown)
        listed = run("files", *where)
        assert re.fullmatch(rf"watch.o\t\d+\t{loop_id}\n", listed.stdout)
        assert "1 files, " in listed.stderr


TALKER = """
#include "spinfoam.h"
SF_MAIN sf_i64 talk(void)
{
    sf_log("one\\ntwo \\033[2J \\342\\200\\256 na\\303\\257ve");
    for (;;) if (sf_event_next(SF_FOREVER) == SF_CLOSED) return 0;
}
"""


def test_what_a_guest_says_does_nothing_to_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "talk.c").write_text(TALKER)
    where = ("--data", str(tmp_path))
    with server(tmp_path):
        loop_id = run("create", str(tmp_path / "talk.c"), *where).stdout.strip()
        assert run("logs", loop_id, *where).stdout == "one\\ntwo \\x1b[2J \\u202e na\u00efve\n"
        (line,) = json.loads(run("logs", loop_id, "--json", *where).stdout)["lines"]
        assert line["line"] == "one\ntwo \x1b[2J \u202e na\u00efve"


@pytest.mark.parametrize("command", ["create", "build", "prune"])
def test_on_a_terminal_long_commands_say_what_they_are_at(tmp_path: Path, command: str) -> None:
    watch = tmp_path / "watch.c"
    watch.write_text(resources.files("salix.examples").joinpath("mail_watch.c").read_text())
    arguments = {
        "create": ("create", str(watch), "--data", str(tmp_path)),
        "build": ("build", str(watch)),
        "prune": ("prune", "--older-than", "1", "--data", str(tmp_path)),
    }[command]
    with server(tmp_path):
        done = run(*arguments, TTY_COMPATIBLE="1", TERM="xterm")
    assert done.returncode == 0
    assert {"create": "starting watch", "build": "building watch.c", "prune": "pruning files"}[command] in done.stderr


@pytest.mark.parametrize("arguments", [("list",), ("send", "l", "1")])
def test_without_a_server_it_says_where_it_looked(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = run(*arguments, "--data", str(tmp_path))
    assert done.returncode == 2
    assert str(tmp_path / "client.json") in done.stderr


def test_messages_prints_all_of_them_however_many(tmp_path: Path) -> None:
    async def fill() -> None:
        async with await Store.open(f"sqlite:///{tmp_path / 'salix.db'}") as store, store.write() as tx:
            await identities.add_session(tx, "agent/main", "agent", 1)
            for n in range(250):
                await identities.add_message(tx, "agent/main", f"m{n}", "salix", f"text {n}", n)

    with server(tmp_path):
        assert run("messages", "--data", str(tmp_path)).stdout == ""
        asyncio.run(fill())
        printed = run("messages", "--data", str(tmp_path)).stdout
    assert printed == "".join(f"m{n}\ttext {n}\n" for n in range(250))


def test_sources_that_cannot_be_read_are_not_taken_for_a_missing_server(tmp_path: Path) -> None:
    (tmp_path / "latin1.c").write_bytes(b"/* \xe9 */")
    with server(tmp_path):
        for name in ("nothing.c", "latin1.c"):
            done = run("create", str(tmp_path / name), "--data", str(tmp_path))
            assert (done.returncode, done.stderr.count("\n")) == (2, 1)
            assert done.stderr.startswith(f"{tmp_path / name} cannot be read: ")


def test_a_payload_that_is_no_json_is_said_to_be_none(tmp_path: Path) -> None:
    done = run("send", "l", "hello", "--data", str(tmp_path))
    assert done.returncode == 2
    assert "argument JSON: this is no JSON: " in done.stderr


def test_prune_works_beside_a_server_and_keeps_what_promises_need(tmp_path: Path) -> None:
    watch = tmp_path / "watch.c"
    watch.write_text(resources.files("salix.examples").joinpath("mail_watch.c").read_text())
    where = ("--data", str(tmp_path))
    with server(tmp_path):
        loop_id = run("create", str(watch), *where).stdout.strip()
        assert run("send", loop_id, '{"subject": "x"}', "--id", "e1", *where).stdout == "e1: accepted\n"
        done = run("prune", "--older-than", "1", *where)
        assert (done.returncode, done.stderr) == (0, "")
        tables = ("events", "wakes", "checkpoints", "log_lines", "faults", "audit", "messages", "loops", "files")
        assert done.stdout == ", ".join(f"{table}: 0" for table in tables) + "\n"
        assert run("send", loop_id, '{"subject": "x"}', "--id", "e1", *where).stdout == "e1: a duplicate\n"


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "", "week"])
def test_prune_wants_a_day_at_least(text: str) -> None:
    assert run("prune", f"--older-than={text}").returncode == 2


def test_prune_makes_no_database(tmp_path: Path) -> None:
    done = run("prune", "--older-than", "1", "--data", str(tmp_path))
    assert (done.returncode, done.stderr) == (2, f"there is no {tmp_path / 'salix.db'}\n")
    assert not list(tmp_path.iterdir())


def test_a_database_that_cannot_be_opened_is_one_line(tmp_path: Path) -> None:
    done = run("serve", "--data", str(tmp_path), "--port", "0", "--database", "mysql://x/y")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = run("serve", "--data", str(tmp_path), "--port", str(port))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"127.0.0.1, port {port}: " in done.stderr
    assert not (tmp_path / "client.json").exists(), "whoever reads it would look for a server that is not there"


def test_what_the_server_keeps_is_for_its_owner_only(tmp_path: Path) -> None:
    with server(tmp_path):
        for name in ("client.json", "salix.db", "files"):
            assert (tmp_path / name).stat().st_mode & 0o077 == 0, name


def test_a_key_is_changed_by_deleting_the_file_that_has_it(tmp_path: Path) -> None:
    with server(tmp_path):
        old = Client.load(tmp_path)
    (tmp_path / "client.json").unlink()
    with server(tmp_path) as (_, connection):
        assert connection.tool("loop.list") == {"loops": []}
        with (
            Connection(replace(old, url=Client.load(tmp_path).url)) as former,
            pytest.raises(ServerRefused, match="key"),
        ):
            former.tool("loop.list")


def test_a_backup_of_a_server_that_runs_has_its_loops(tmp_path: Path) -> None:
    watch, data, backup = tmp_path / "watch.c", tmp_path / "data", tmp_path / "backup"
    watch.write_text(resources.files("salix.examples").joinpath("mail_watch.c").read_text())
    backup.mkdir()
    with server(data):
        loop_id = run("create", str(watch), "--data", str(data)).stdout.strip()
        run("send", loop_id, '{"subject": "x"}', "--id", "e1", "--data", str(data))
        with closing(sqlite3.connect(data / "salix.db")) as database:
            database.execute(f"VACUUM INTO '{backup / 'salix.db'}'")
        shutil.copytree(data / "files", backup / "files")
        shutil.copy(data / "client.json", backup)
    with server(backup) as (_, connection):
        (found,) = connection.tool("loop.list")["loops"]
        assert (found["loop_id"], found["state"], found["incarnation"]) == (loop_id, "active", 2)
        assert connection.send(loop_id, "e1", "t", {})["duplicate"]


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
