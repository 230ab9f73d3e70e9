"""What tests of the node share: an embedder that takes notes, and guests in C."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from runtime.node import Capability, HostCall, Node, State, Status, Wait
from runtime.sdk.values import Value
from tests.clang import LOOP_OPTIONS, compiled


def built(body: str) -> bytes:
    """The object of a C program with the SDK's header. Skips the test if there is no clang."""
    return compiled('#include "spinfoam.h"\n' + body, "-mcpu=v3", *LOOP_OPTIONS)


WAITER = """
SF_MAIN sf_i64 entry(void) {
    for (;;) {
        sf_handle e = sf_event_next(-1);
        if (e < 0) return e;
        sf_handle a = sf_host_call("ack", e, 60000);
        if (a == SF_INVALID) return 99; /* e was no handle */
        if (a > 0) sf_drop(a);
        sf_drop(e);
    }
}
"""
SPINNER = "SF_MAIN sf_i64 entry(void) { for (volatile sf_u64 n = 0;; n++); }"
HELPER_SPINNER = "SF_MAIN sf_i64 entry(void) { for (;;) sf_now_mono_ms(); }"
YIELDER = "SF_MAIN sf_i64 entry(void) { for (;;) sf_yield(); }"
RETURNER = "SF_MAIN sf_i64 entry(void) { return -7; }"
FAULTER = "SF_MAIN sf_i64 entry(void) { return *(volatile sf_i64 *)8; }"
SLEEPER = "SF_MAIN sf_i64 entry(void) { sf_sleep_ms(5); return 1; }"
GRANTED: tuple[Capability, ...] = (Capability("ack"),)


class Notes:
    """An embedder: what it was asked and told. `answers(call)` may answer a host call from inside of it."""

    def __init__(self) -> None:
        self.calls: list[HostCall] = []
        self.denied: list[tuple[str, str]] = []
        self.cancelled: list[str] = []
        self.states: list[Status] = []
        self.logs: list[tuple[str, str]] = []
        self.takes_logs = True
        self.on_call: Callable[[HostCall], None] | None = None

    def host_call(self, call: HostCall) -> None:
        self.calls.append(call)
        if self.on_call is not None:
            self.on_call(call)

    def host_denied(self, object_id: str, capability: str) -> None:
        self.denied.append((object_id, capability))

    def host_cancel(self, call_id: str) -> None:
        self.cancelled.append(call_id)

    def object_state(self, status: Status) -> None:
        self.states.append(status)

    def log(self, object_id: str, message: str) -> bool:
        if self.takes_logs:
            self.logs.append((object_id, message))
        return self.takes_logs

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until `condition` holds; looks between the loop's other work."""
        async with asyncio.timeout(60):
            while not condition():
                await asyncio.sleep(0)


def started(node: Node, elf: bytes, config: Value = None, capabilities: Sequence[Capability] = GRANTED) -> str:
    object_id = node.load(elf, config, capabilities).object_id
    node.start(object_id)
    return object_id


def slices(node: Node) -> int:
    """How many slices guests have used up."""
    (line,) = (line for line in node.metrics().splitlines() if line.startswith("salix_node_slices_total "))
    return int(line.split()[1])


async def waiting(node: Node, object_id: str, wait: Wait = Wait.EVENT) -> None:
    """Return when the object waits for that."""
    async with asyncio.timeout(60):
        while node.get(object_id).wait is not wait:
            assert node.get(object_id).state in (State.STARTING, State.RUNNING), node.get(object_id)
            await asyncio.sleep(0)


async def ended(node: Node, object_id: str) -> Status:
    """The status of an object when it has ended."""
    async with asyncio.timeout(60):
        while node.get(object_id).state in (State.STARTING, State.RUNNING):
            await asyncio.sleep(0)
    return node.get(object_id)
