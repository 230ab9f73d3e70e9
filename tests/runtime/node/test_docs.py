"""docs/objects.md: its embedder is one, also for guests that ask for what they were not granted."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.node import Status
from tests.runtime.node.nodes import built

PAGE = (Path(__file__).parents[3] / "docs" / "objects.md").read_text()
ASKER = """
SF_MAIN sf_i64 entry(void) {
    sf_handle event = sf_event_next(60000);
    sf_log("asking");
    if (sf_host_call("another", event, 60000) != SF_DENIED) return 1;
    return sf_host_call("agent.notify", event, 60000) > 0 ? 0 : 2;
}
"""


def test_the_pages_embedder_serves_a_guest(capsys: pytest.CaptureFixture[str]) -> None:
    (text,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    names: dict[str, Any] = {}
    exec(compile(text, "objects.md", "exec"), names)
    shown = names["Embedder"].object_state

    async def run() -> None:
        ended = asyncio.Event()  # instead of the page's second, which may be short on a busy machine
        names["asyncio"] = SimpleNamespace(sleep=lambda seconds: ended.wait())

        def object_state(self: object, status: Status) -> None:
            shown(self, status)
            ended.set()

        names["Embedder"].object_state = object_state
        await names["watch"](built(ASKER))

    asyncio.run(run())
    assert capsys.readouterr().out.splitlines() == [
        "o1 asking",
        "o1 was not granted another",
        "o1 asks for agent.notify {'event_id': 'delivery-1', 'topic': 'webhook', 'payload': {'kind': 'deploy'}}",
        "o1 exited Exit(exit_code=0)",
    ]
