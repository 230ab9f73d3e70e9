"""The status page, as a browser shows it: what is there, and that nothing that guests say is more than text."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
from pathlib import Path

import httpx
import pytest

from salix.commands.demo import server
from salix.http.client import Connection
from salix.http.serving import Client
from salix.http.status import status_page
from tests.salix.services import ACKNOWLEDGER, world

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
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'browser'}"]
        shown = subprocess.run(
            [str(CHROMIUM), *arguments, "--dump-dom", url], check=True, capture_output=True, text=True, timeout=120
        ).stdout
    assert "<title>Loops: default</title>" in shown
    rows = re.findall(r"<tr>(?:<td.*?)</tr>", shown, re.S)
    assert len(rows) == 2
    assert "memory, at most</th>" in shown, "the figure is a bound, and the page says so"
    assert "Memory, at most: what the guest may touch" in shown
    for loop_id, row, state in zip(ids, rows, ("active", "paused"), strict=True):
        assert loop_id in row
        assert f">{state}</span>" in row
        assert "<img" not in row
        assert "&lt;script&gt;" in row
    assert re.search(r"event</td>.*?KiB</td><td class=\"n\">1</td><td class=\"n\">6</td>", rows[0], re.S)


def test_a_group_sees_its_own_loops_only(tmp_path: Path) -> None:
    async def run() -> None:
        async with world(f"sqlite:///{tmp_path}/x.db", tmp_path) as w:
            loop_id = await w.loop(ACKNOWLEDGER)
            assert loop_id in await status_page(w.service, "group")
            assert loop_id not in await status_page(w.service, "other")

    asyncio.run(run())
