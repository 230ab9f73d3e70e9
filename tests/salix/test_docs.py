"""docs/loops.md has every tool, capability, refusal, command and option, and its numbers are those of the code."""

from __future__ import annotations

import argparse
import asyncio
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from runtime.sdk.codes import MAX_VALUE_BYTES
from salix import service
from salix.__main__ import command_line
from salix.commands.demo import server
from salix.http.errors import STATUS
from salix.http.serving import Client
from salix.service import Limits, Settings
from salix.service.capabilities import CAPABILITIES
from salix.store.retention import MESSAGES_KEPT
from salix.tools import TOOLS
from salix.tools.reference import reference
from tests.salix.services import ACKNOWLEDGER

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "loops.md").read_text()
TOUR = (DOCS / "operating.md").read_text()
LIMITS = Limits()


@pytest.mark.parametrize("name", [*TOOLS, *CAPABILITIES])
def test_tools_and_capabilities_are_on_both_pages(name: str) -> None:
    assert f"`{name}`" in PAGE
    assert f"### `{name}`\n" in reference()


def test_commands_and_options_are_named() -> None:
    (commands,) = (a for a in command_line()._actions if isinstance(a, argparse._SubParsersAction))
    for name, command in commands.choices.items():
        assert re.search(rf"\b{name}\b", PAGE), name
        for option in (option for action in command._actions for option in action.option_strings):
            assert option in ("-h", "--help", "-o") or option in PAGE, f"{name} {option}"


def test_commands_of_the_tour_are_ones_that_exist() -> None:
    shown = re.findall(r"^\$ python -m salix (.*?)(?: &)?$", TOUR, re.M)
    assert len(shown) >= 7
    for line in shown:
        command_line().parse_args(shlex.split(line))  # exits if it is none


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed: what the tour does with it is not run")
def test_what_the_tour_sends_with_curl_is_accepted(tmp_path: Path) -> None:
    (block,) = (text for text in re.findall(r"```console\n(.*?)```", TOUR, re.S) if "$ curl" in text)
    *commands, printed = block.replace("\\\n", "").splitlines()
    with server(tmp_path) as (_, connection):
        built = connection.tool("loop.build", files={"a.c": ACKNOWLEDGER}, entry="a.c")
        loop_id = connection.tool("loop.create", path=built["path"], sha256=built["sha256"])["loop_id"]
        script = "\n".join(command.removeprefix("$ ") for command in commands)
        for shown, real in (
            ("http://127.0.0.1:8420", Client.load(tmp_path).url), ("salix-data", str(tmp_path)),
            ("l8a5358ca47366ea4", loop_id), ("python ", f"{sys.executable} "),
        ):  # fmt: skip
            assert shown in script
            script = script.replace(shown, real)
        done = subprocess.run(["sh", "-c", script], check=False, capture_output=True, text=True)
        assert done.stdout == printed, done.stderr


@pytest.mark.parametrize("reason", ["faults", "unacknowledged", "program", "budget"])
def test_the_tour_says_what_to_do_for_each_reason(reason: str) -> None:
    sources = Path(service.__file__).parent.rglob("*.py")
    assert any(f'"{reason}"' in path.read_text() for path in sources), "it is a reason"
    assert re.search(rf"^\| `(failed|paused): {reason}` \|", TOUR, re.M)


def test_the_example_of_the_python_api_runs(tmp_path: Path) -> None:
    (text,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    names: dict[str, Any] = {}
    exec(compile(text, "loops.md", "exec"), names)
    with server(tmp_path):
        pass
    sdk, loops = asyncio.run(names["sdk_and_loops"](tmp_path))
    assert "sf_event_next" in str(sdk)
    assert loops == {"loops": []}


def test_refusals_and_their_statuses_are_on_both_pages() -> None:
    for kind, status in STATUS.items():
        assert re.search(rf"`{kind.value}`[^;]*? {status}", PAGE), kind
        assert f"| `{kind.value}` | {status} |" in reference()


@pytest.mark.parametrize(
    "text",
    [
        f"{LIMITS.active_loops_of_agent} active Loops of an agent, {LIMITS.active_loops_of_group} of a group",
        f"{LIMITS.loops_of_agent} Loops of an agent, active or not",
        f"{LIMITS.files_of_agent} files of an agent and {LIMITS.bytes_of_agent >> 20} MiB",
        f"{LIMITS.sessions_of_agent} sessions of an agent, {LIMITS.agents_of_group} agents of a group",
        f"{LIMITS.pending_events} pending",
        f"over {MAX_VALUE_BYTES // 1024} KiB",
        f"{LIMITS.events_per_minute} in a minute",
        f"not acknowledged for {LIMITS.acknowledge_within_ms // 60_000} minutes",
        f"within {LIMITS.same_body_within_ms // 3_600_000} hours",
        f"fresh within {LIMITS.signature_age_ms // 60_000} minutes",
        f"`content` ({LIMITS.wake_bytes // 1024} KiB",
        f"`dedup_key` ({LIMITS.dedup_key_bytes} bytes)",
        f"the last {LIMITS.log_lines_kept} lines",
        f"calls {LIMITS.audited_calls_per_minute} of a Loop in a minute are",
        f"but for the last {MESSAGES_KEPT} of each session",
        f"{LIMITS.bytes_of_agent >> 20} MiB and {LIMITS.files_of_agent} files an agent",
        f"of a Loop at most {LIMITS.audited_calls_per_minute} in a minute",
        f"older than `--keep-days` ({Settings('', DOCS).keep_days};",
    ],
)
def test_numbers_are_those_of_the_code(text: str) -> None:
    assert text in re.sub(r"\s+", " ", PAGE + TOUR)
