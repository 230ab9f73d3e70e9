"""What tests of the service share: one on a database, an agent in it, Loops that the compiler in the sandbox built."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from runtime.sdk.values import Value
from salix.compiler import Built, build
from salix.service import Limits, Service, Settings
from salix.service.clock import ManualClock
from salix.service.programs import sha256_of
from salix.service.settings import DecisionSettings, WebSettings
from salix.store import identities
from salix.store.identities import Message
from salix.tools import call
from salix.tools.caller import Caller

KEY = "key-of-the-group"
AGENT = Caller("agent", "group")
DENIED, HOST_ERROR = "-4", "-5"  # as CALLER logs them

ACKNOWLEDGER = """
#include "spinfoam.h"
/* Wakes the agent about each event of kind "wake", and acknowledges all but "keep" and "fault"; "last" is its last. */
SF_MAIN sf_i64 watch(void)
{
    sf_i64 mark = sf_mark();
    for (;;) {
        sf_release(mark);
        sf_handle event = sf_event_next(SF_FOREVER);
        if (event == SF_TIMEOUT) continue;
        if (event < 0) return 0;
        sf_handle payload = sf_json_get(event, "payload"), id = sf_json_get(event, "event_id");
        sf_i64 answer = 0;
        if (sf_json_string_equals(payload, "kind", "wake") == 1) {
            sf_handle message = sf_json_object();
            sf_json_set(message, "content", payload);
            sf_json_set(message, "dedup_key", id);
            answer = sf_host_call("agent.notify", message, 10000);
        }
        if (sf_json_string_equals(payload, "kind", "fault") == 1) return *(volatile sf_i64 *)8;
        if (sf_json_string_equals(payload, "kind", "keep") == 1) continue;
        if (answer < 0) continue;
        sf_handle receipt = sf_json_object();
        sf_json_set(receipt, "event_id", id);
        sf_host_call("loop.ack", receipt, 10000);
        if (sf_json_string_equals(payload, "kind", "last") == 1) return *(volatile sf_i64 *)8;
    }
}
"""

CALLER = """
#include "spinfoam.h"
/* Makes the call that each event describes and logs what came of it: a code, or the result as JSON. */
SF_MAIN sf_i64 relay(void)
{
    char name[64];
    static char text[1024];
    sf_i64 mark = sf_mark();
    for (;;) {
        sf_release(mark);
        sf_handle event = sf_event_next(SF_FOREVER);
        if (event == SF_TIMEOUT) continue;
        if (event < 0) return 0;
        sf_handle payload = sf_json_get(event, "payload");
        if (sf_json_read_text(payload, "call", name, sizeof name) <= 0) return 1;
        sf_i64 answer = sf_host_call(name, sf_json_get(payload, "arguments"), 60000);
        if (answer < 0) {
            text[0] = '-';
            text[1] = (char)('0' - answer);
            text[2] = 0;
        } else {
            sf_i64 length = sf_bytes_read(sf_json_dump(answer), 0, text, sizeof text - 1);
            text[length < 0 ? 0 : length] = 0;
        }
        sf_log(text);
        if (sf_json_bool(sf_json_get(payload, "ack")) == 1) {
            sf_handle receipt = sf_json_object();
            sf_json_set(receipt, "event_id", sf_json_get(event, "event_id"));
            sf_host_call("loop.ack", receipt, 10000);
        }
    }
}
"""


@cache
def object_of(source: str) -> bytes:
    """What our own compiler makes of a C program."""
    result = build({"loop.c": source}, "loop.c")
    assert isinstance(result, Built), result.diagnostics
    return result.elf


@dataclass
class World:
    """A service with one agent, whose clock stands still."""

    service: Service
    clock: ManualClock
    settings: Settings

    async def tool(self, name: str, /, **arguments: Value) -> dict[str, Any]:
        return await call(self.service, AGENT, name, arguments)

    async def loop(self, source: str, **arguments: Value) -> str:
        """The id of a new Loop."""
        elf = object_of(source)
        self.service.files.write(AGENT.agent_id, "loop.o", elf)
        created = await self.tool("loop.create", path="loop.o", sha256=sha256_of(elf), **arguments)
        return str(created["loop_id"])

    async def get(self, loop_id: str) -> dict[str, Any]:
        return await self.tool("loop.get", loop_id=loop_id)

    async def send(self, loop_id: str, event_id: str, payload: Value, topic: str = "test") -> bool:
        """Send an event; whether it is a duplicate."""
        return (await self.service.intake.accept(AGENT.group_id, loop_id, event_id, topic, payload)).duplicate

    async def messages(self, session: str = "agent/main") -> list[Message]:
        async with self.service.store.read() as tx:
            return await identities.messages_after(tx, session, 0, 1000)

    async def lines(self, loop_id: str) -> list[str]:
        return [each["line"] for each in (await self.tool("loop.logs", loop_id=loop_id, limit=200))["lines"]]

    async def until(self, condition: Callable[[], Any]) -> None:
        """Wait until the coroutine function `condition` answers with what is true."""
        async with asyncio.timeout(60):
            while not await condition():
                await asyncio.sleep(0.002)

    async def quiet(self, loop_id: str) -> None:
        """Wait until the Loop waits for an event and nothing is under way."""

        async def waits() -> bool:
            await self.service.host.settle()
            attachment = self.service.attachments.of_loop(loop_id)
            if attachment is None:
                return True
            status = self.service.node.get(attachment.object_id)
            return status.wait.value == "event" and status.mailbox_entries == 0

        await self.until(waits)

    async def call(
        self, loop_id: str, event_id: str, capability: str, arguments: Value, *, acknowledged: bool = False
    ) -> str:
        """The last line of a relay's log after a call."""
        await self.send(loop_id, event_id, {"call": capability, "arguments": arguments, "ack": acknowledged})
        await self.quiet(loop_id)
        return (await self.lines(loop_id))[-1]

    async def restart(self, ca_file: Path | None = None) -> None:
        """End the service and open another one on the same store."""
        await self.service.close()
        self.settings = replace(self.settings, ca_file=ca_file)
        self.service = await Service.open(self.settings, self.clock, background=False)


@asynccontextmanager
async def world(
    database: str,
    folder: Path,
    *,
    limits: Limits | None = None,
    decisions: DecisionSettings | None = None,
    web: WebSettings | None = None,
) -> AsyncIterator[World]:
    settings = Settings(database, folder / "files")
    settings = replace(
        settings,
        limits=limits or settings.limits,
        decisions=decisions or settings.decisions,
        web=web or settings.web,
    )
    clock = ManualClock()
    service = await Service.open(settings, clock, background=False)
    async with service.store.write() as tx:
        await identities.add_group(tx, AGENT.group_id, KEY, clock.now_ms())
        await identities.add_agent(tx, AGENT.agent_id, AGENT.group_id, clock.now_ms())
    found = World(service, clock, settings)
    try:
        yield found
    finally:
        await found.service.close()
