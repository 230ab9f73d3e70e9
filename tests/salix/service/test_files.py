"""Agents' files: quotas, what may be deleted, and what pruning leaves alone."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

from salix.service import Limits, Refusal, Refused
from salix.service.files import AgentFiles
from salix.service.settings import DAY_MS
from tests.salix.services import ACKNOWLEDGER, AGENT, World, world

NOW_MS = time.time_ns() // 1_000_000


def refused(files: AgentFiles, path: str, size: int) -> Refused:
    with pytest.raises(Refused) as caught:
        files.write("a", path, b"x" * size)
    return caught.value


def age(root: Path, path: str, days: float) -> None:
    seconds = NOW_MS / 1000 - days * 86_400
    os.utime(root / path, (seconds, seconds))


def test_so_many_files_and_bytes_and_no_more(tmp_path: Path) -> None:
    files = AgentFiles(tmp_path, Limits(files_of_agent=3, bytes_of_agent=100, file_bytes=90))
    for path, size in (("a.o", 10), ("b/c.o", 10), ("b/d.o", 10)):
        files.write("a", path, b"x" * size)
    error = refused(files, "e.o", 1)
    assert (error.kind, str(error)) == (Refusal.QUOTA, "you have 3 files, which is the most: loop.files deletes some")
    files.write("a", "a.o", b"x" * 80)  # in place of the old one
    error = refused(files, "a.o", 81)
    assert (error.kind, "20 bytes of files, and 81 more would be over 100" in str(error)) == (Refusal.QUOTA, True)
    assert len(files.read("a", "a.o")) == 80, "what is refused changes nothing"
    assert refused(files, "a.o", 91).kind is Refusal.TOO_LARGE
    files.write("other", "e.o", b"x" * 90)  # each agent has its own
    files.delete("a", "b/c.o")
    files.write("a", "e.o", b"x")
    assert [(file.path, file.size) for file in files.all("a")] == [("a.o", 80), ("b/d.o", 10), ("e.o", 1)]
    files.delete("a", "b/d.o")
    assert not (tmp_path / "a" / "b").exists(), "no empty folder is left"
    for path in ("b/d.o", "b", "../other/e.o", ".new-x"):
        with pytest.raises(Refused):
            files.delete("a", path)


def test_pruning_leaves_what_is_young_or_somebodys_program(tmp_path: Path) -> None:
    files = AgentFiles(tmp_path, Limits())
    for path in ("old.o", "young.o", "kept.o", "x/y/old.o"):
        files.write("a", path, b"x")
        files.write("b", path, b"x")
    for agent in ("a", "b"):
        for name, days in (("old.o", 31), ("young.o", 29), ("kept.o", 31), ("x/y/old.o", 31.0)):
            age(tmp_path, f"{agent}/{name}", days)
    for name, days in ((".new-1", 2.0), (".new-2", 0.5)):
        (tmp_path / "a" / name).write_bytes(b"x")
        age(tmp_path, f"a/{name}", days)
    (tmp_path / "a" / "link").symlink_to(tmp_path / "b" / "kept.o")
    assert files.prune(NOW_MS - 30 * DAY_MS, NOW_MS, {("a", "kept.o")}) == 6
    assert [file.path for file in files.all("a")] == ["kept.o", "young.o"], "what is half written is no file"
    assert [file.path for file in files.all("b")] == ["young.o"]
    assert (tmp_path / "a" / ".new-2").exists(), "somebody may be writing it"
    assert not (tmp_path / "a" / "x").exists()
    files.used("a", "young.o")
    assert files.prune(NOW_MS - DAY_MS, NOW_MS, set()) == 2, "what is about to be used counts from now"


def test_an_agent_lists_and_deletes_files_that_no_loop_needs(database: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with world(database, tmp_path, limits=Limits(loops_of_agent=2, sessions_of_agent=1)) as w:
            loop_id = await w.loop(ACKNOWLEDGER)
            w.service.files.write(AGENT.agent_id, "spare.o", b"xyz")
            listed = await w.tool("loop.files")
            assert [(each["path"], each["loops"]) for each in listed["files"]] == [
                ("loop.o", [loop_id]), ("spare.o", []),
            ]  # fmt: skip
            assert listed["bytes"] == sum(each["bytes"] for each in listed["files"])
            assert (await kind_of(w, action="delete", path="loop.o")) is Refusal.CONFLICT
            assert (await kind_of(w, action="delete", path="nothing.o")) is Refusal.NOT_FOUND
            assert (await kind_of(w, action="delete")) is Refusal.INVALID
            left = await w.tool("loop.files", action="delete", path="spare.o")
            assert [each["path"] for each in left["files"]] == ["loop.o"]
            with pytest.raises(Refused, match="at most 1 sessions"):
                await w.loop(ACKNOWLEDGER, session="another")
            await w.loop(ACKNOWLEDGER)
            with pytest.raises(Refused, match="at most 2 Loops"):
                await w.loop(ACKNOWLEDGER)
            await w.tool("loop.delete", loop_id=loop_id)
            await w.loop(ACKNOWLEDGER)

    asyncio.run(run())


async def kind_of(w: World, **arguments: str) -> Refusal:
    with pytest.raises(Refused) as caught:
        await w.tool("loop.files", **arguments)
    return caught.value.kind


def test_a_service_prunes_by_itself_and_its_loops_go_on(database: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with world(database, tmp_path) as w:
            kept, deleted = await w.loop(ACKNOWLEDGER), await w.loop(ACKNOWLEDGER)
            for loop_id in (kept, deleted):
                await w.send(loop_id, "e1", {"kind": "wake"})
                await w.quiet(loop_id)
            await w.tool("loop.delete", loop_id=deleted)
            w.service.files.write(AGENT.agent_id, "spare.o", b"xyz")
            for path in ("loop.o", "spare.o"):
                os.utime(tmp_path / "files" / "agent" / path, (1, 1))
            w.clock.advance(minutes=60 * 24 * (w.settings.keep_days - 1))
            await w.service.prune()
            assert len(w.service.files.all("agent")) == 1, "the Loop's own stays"
            assert (await w.tool("loop.audit", loop_id=kept))["entries"] != []
            w.clock.advance(minutes=60 * 24 * 2)
            await w.service.prune()
            assert (await w.tool("loop.audit", loop_id=kept))["entries"] == []
            assert await w.send(kept, "e1", {"kind": "wake"}), "the same id is the same event, for ever"
            assert len(await w.messages()) == 2, "the last of a session stay, however old"
            await w.restart()
            assert (await w.get(kept))["state"] == "active"

    asyncio.run(run())
