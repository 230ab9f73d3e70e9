"""The status page, as a browser shows it: what is there, and that nothing that guests say is more than text."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn

from salix.commands.demo import server
from salix.http.app import application
from salix.http.client import Connection
from salix.http.serving import Client
from salix.http.status import status_page
from salix.service.settings import DecisionSettings
from tests.salix.loopback import Answer, Loopback
from tests.salix.services import ACKNOWLEDGER, CALLER, KEY, World, world

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((found for name in BROWSERS if (found := shutil.which(name))), None)
HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
TALKER = f"""
#include "spinfoam.h"
SF_MAIN sf_i64 talk(void)
{{
    sf_log("{HOSTILE.replace('"', chr(92) + '"')}");
    for (;;) if (sf_event_next(SF_FOREVER) == SF_CLOSED) return 0;
}}
"""


def in_a_browser(url: str, folder: Path) -> str:
    """The page as Chromium has it when it has shown it."""
    arguments = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'browser'}"]
    return subprocess.run(
        [str(CHROMIUM), *arguments, "--dump-dom", url], check=True, capture_output=True, text=True, timeout=120
    ).stdout


@asynccontextmanager
async def page_of(w: World) -> AsyncIterator[str]:
    """The URL of the status page of a service of this process."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        browsed = uvicorn.Server(uvicorn.Config(application(w.service), log_level="warning"))
        task = asyncio.create_task(browsed.serve(sockets=[listener]))
        try:
            yield f"http://anyone:{KEY}@127.0.0.1:{listener.getsockname()[1]}/"
        finally:
            browsed.should_exit = True
            await task


def loops_of(connection: Connection) -> list[str]:
    """Two Loops, one of them paused."""
    built = connection.tool("loop.build", files={"a.c": TALKER}, entry="a.c")
    program = {"path": built["path"], "sha256": built["sha256"]}
    ids = [str(connection.tool("loop.create", name=HOSTILE[:100], **program)["loop_id"]) for _ in range(2)]
    connection.send(ids[0], "e1", "t", {})
    connection.tool("loop.pause", loop_id=ids[1])
    return ids


def test_the_page_wants_the_key_and_forbids_scripts(tmp_path: Path) -> None:
    with server(tmp_path) as (_, connection):
        loops_of(connection)
        known = Client.load(tmp_path)
        refused = httpx.get(known.url + "/")
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"].startswith("Basic ")
        page = httpx.get(known.url + "/", auth=("anyone", known.key))
        assert page.status_code == 200
        assert "default-src 'none'" in page.headers["content-security-policy"]
        assert "<script" not in page.text
        assert not re.search(r"(src|href)=[\"']", page.text), "nothing comes from elsewhere"


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: the page is not looked at")
def test_a_browser_shows_all_loops(tmp_path: Path) -> None:
    with server(tmp_path) as (_, connection):
        ids = loops_of(connection)
        known = Client.load(tmp_path)
        url = known.url.replace("://", f"://anyone:{known.key}@") + "/"
        shown = in_a_browser(url, tmp_path)
    assert "<title>Loops: default</title>" in shown
    rows = re.findall(r"<tr>(?:<td.*?)</tr>", shown, re.S)
    assert len(rows) == 2
    assert "Memory: resident, the pages that the guest has touched" in shown
    for loop_id, row, state in zip(ids, rows, ("active", "paused"), strict=True):
        assert loop_id in row
        assert f">{state}</span>" in row
        assert "<img" not in row
        assert "&lt;script&gt;" in row
    memory = r'<td class="n">[\d.]+ KiB<small>resident</small></td>'
    assert re.search(rf'event</td>{memory}<td class="n">1</td><td class="n">6</td>', rows[0], re.S)


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: the page is not looked at")
def test_a_browser_shows_what_a_loop_takes_and_whether_it_is_parked(tmp_path: Path) -> None:
    async def run() -> None:
        answers = {"q": {"type": "noul", "noul": 0.5}}
        async with Loopback() as model:
            reply = {"model": "m", "answers": answers, "usage": {"input_tokens": 1500}}
            model.answers = {"/": Answer(200, json.dumps(reply).encode())}
            settings = DecisionSettings(model.url + "/")
            async with world(f"sqlite:///{tmp_path}/x.db", tmp_path, decisions=settings) as w, page_of(w) as url:
                parked = await w.loop(ACKNOWLEDGER, name="parked")
                await w.quiet(parked)
                w.service.node._running.idle.park_longest()
                asking = await w.loop(CALLER, name="resident")
                question = {"state": "x", "questions": {"q": {"type": "noul", "instructions": "?"}}}
                assert "noul_bps" in await w.call(asking, "e1", "decide", question)
                shown = await asyncio.to_thread(in_a_browser, url, tmp_path)
                found = {name: await w.get(loop_id) for name, loop_id in (("parked", parked), ("resident", asking))}
        rows = re.findall(r"<tr>(?:<td.*?)</tr>", shown, re.S)
        assert len(rows) == 2
        for row in rows:
            (size, unit), (kind,) = re.findall(r"<td class=\"n\">([\d.]+) (KiB)", row)[0], re.findall(
                r"KiB<small>(.*?)</small>", row
            )
            assert unit == "KiB"
            assert f"<td>{kind}<small>" in row, "the Loops have the names of what they should be"
            assert found[kind]["memory_kind"] == kind
            assert abs(float(size) - found[kind]["memory_bytes"] / 1024) <= 0.5
        assert found["parked"]["memory_bytes"] < 4096 <= found["resident"]["memory_bytes"]
        assert found["resident"]["cost_usd"] == "0.000063"
        assert sum('<td class="n">1500</td><td class="n">0.000063</td>' in row for row in rows) == 1

    asyncio.run(run())


def test_a_group_sees_its_own_loops_only(tmp_path: Path) -> None:
    async def run() -> None:
        async with world(f"sqlite:///{tmp_path}/x.db", tmp_path) as w:
            loop_id = await w.loop(ACKNOWLEDGER)
            assert loop_id in await status_page(w.service, "group")
            assert loop_id not in await status_page(w.service, "other")

    asyncio.run(run())
