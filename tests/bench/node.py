"""The node in this process: how long an event waits among spinning guests, and what a parked guest costs.

fairness  events to waiting guests, one at a time, while others spin: microseconds from when an event is there to the
          host call that the guest makes in response, and how many slices others run meanwhile
parking   bytes per parked guest, and the same latency for guests that are parked and for those that are not

Objects differ in their data, as those of different agents do. Latencies are wall time, so a busy machine shows.
"""

from __future__ import annotations

import asyncio
import gc
import random
import struct
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from runtime.node import NEVER, Capability, HostCall, Node, Parking, Status, Wait, tune_collector
from runtime.node.parking import resident_bytes
from tests.clang import LOOP_OPTIONS, compiled
from tests.runtime.node.nodes import slices

MARKER = struct.pack("<Q", 0x1122334455667788)
WAITER = """
#include "spinfoam.h"
volatile sf_u64 seed = 0x1122334455667788ULL;
SF_MAIN sf_i64 entry(void) {
    for (;;) {
        sf_handle event = sf_event_next(3600000 + seed % 1000);
        if (event >= 0) {
            sf_handle answer = sf_host_call("benchmark.ack", event, 10000);
            if (answer >= 0) sf_drop(answer);
            sf_drop(event);
        }
    }
}
"""
_SPINNER = '#include "spinfoam.h"\nSF_MAIN sf_i64 entry(void) { for (volatile sf_u64 n = 0;; n++); }'
CAPABILITIES = [Capability("benchmark.ack")]


def built(source: str) -> bytes:
    """What clang makes of a program with the SDK's header."""
    return compiled(source, "-mcpu=v3", *LOOP_OPTIONS)


def distinct(elf: bytes, number: int) -> bytes:
    """The waiting program with a datum of its own."""
    return elf.replace(MARKER, struct.pack("<Q", number + 1))


_SHARES = (0.5, 0.9, 0.99)


@dataclass(frozen=True, slots=True)
class Distribution:
    """Of some measurements, in their unit."""

    median: float
    p90: float
    p99: float
    largest: float

    @staticmethod
    def of(values: list[float]) -> Distribution:
        ordered = sorted(values)
        half, most, nearly_all = (ordered[min(int(len(ordered) * share), len(ordered) - 1)] for share in _SHARES)
        return Distribution(half, most, nearly_all, ordered[-1])


class Clock:
    """An embedder that answers at once, and notes when it was asked."""

    def __init__(self) -> None:
        self.node: Node | None = None
        self.asked = asyncio.Event()
        self.at = 0.0

    def host_call(self, call: HostCall) -> None:
        self.at = time.perf_counter()
        self.asked.set()
        assert self.node is not None
        self.node.answer(call.id, {"accepted": True})

    def host_denied(self, object_id: str, capability: str) -> None:
        pass

    def host_cancel(self, call_id: str) -> None:
        pass

    def object_state(self, status: Status) -> None:
        pass

    def log(self, object_id: str, message: str) -> bool:
        return True


async def _started(node: Node, elf: bytes) -> str:
    object_id = node.load(elf, capabilities=CAPABILITIES).object_id
    node.start(object_id)
    await asyncio.sleep(0)
    return object_id


async def _all_waiting(node: Node, object_ids: list[str]) -> None:
    for object_id in object_ids:
        while node.get(object_id).wait is not Wait.EVENT:
            await asyncio.sleep(0)


async def _latency(node: Node, clock: Clock, object_id: str, event_id: str, arrives_in: float = 0.0) -> float:
    """Microseconds from an event to the host call in response.

    arrives_in: seconds from now, at which the event is there: it waits for whatever runs at that moment.
    """
    clock.asked.clear()
    before = time.perf_counter() + arrives_in
    if arrives_in:
        await asyncio.sleep(arrives_in)
    node.deliver(object_id, event_id, "benchmark", {"sequence": event_id})
    await clock.asked.wait()
    return (clock.at - before) * 1e6


def _with_node(story: Callable[[Node, Clock], Awaitable[None]], parking: Parking) -> None:
    tune_collector()

    async def told() -> None:
        clock = Clock()
        async with Node(clock, parking=parking) as node:
            clock.node = node
            await story(node, clock)

    asyncio.run(told())


@dataclass(frozen=True, slots=True)
class Fairness:
    """Microseconds and slices from an event to the host call, alone and among spinning guests."""

    spinning: int
    waiting: int
    events: int
    alone_us: Distribution
    among_spinning_us: Distribution
    slices: Distribution


def fairness(console: Console, spinning: int = 100, waiting: int = 1000, events: int = 2000) -> Fairness:
    """Measure and print."""
    found: list[Fairness] = []

    async def story(node: Node, clock: Clock) -> None:
        rng = random.Random(1)
        waiter, spinner = built(WAITER), built(_SPINNER)
        object_ids = [await _started(node, distinct(waiter, number)) for number in range(waiting)]
        await _all_waiting(node, object_ids)

        async def latency(event_id: str) -> float:
            return await _latency(node, clock, rng.choice(object_ids), event_id, rng.uniform(0.001, 0.003))

        alone = [await latency(f"a{n}") for n in range(events)]
        for _ in range(spinning):
            await _started(node, spinner)
        latencies, foreign = [], []
        for n in range(events):
            before = slices(node)
            await _latency(node, clock, rng.choice(object_ids), f"c{n}")
            foreign.append(float(slices(node) - before))
            latencies.append(await latency(f"s{n}"))
        found.append(
            Fairness(
                spinning,
                waiting,
                events,
                Distribution.of(alone),
                Distribution.of(latencies),
                Distribution.of(foreign),
            )
        )

    _with_node(story, NEVER)
    (result,) = found
    table = Table(title=f"{events} events to {waiting} waiting guests, {spinning} others spin")
    for heading in ("from delivery to host call", "median", "p90", "p99", "largest"):
        table.add_column(heading, justify="left" if heading.startswith("from") else "right")
    _row(table, "nobody spins, us", result.alone_us)
    _row(table, "others spin, us", result.among_spinning_us)
    _row(table, "slices of others meanwhile", result.slices)
    console.print(table)
    return result


@dataclass(frozen=True, slots=True)
class Parked:
    """Of `guests` parked guests. Bytes are resident, of the whole process."""

    guests: int
    load_seconds: float
    bytes_each: float
    mappings: int
    resident_us: Distribution
    wake_up_us: Distribution


def parking(console: Console, guests: int = 100_000, events: int = 2000) -> Parked:
    """Measure and print."""
    found: list[Parked] = []

    async def story(node: Node, clock: Clock) -> None:
        rng = random.Random(2)
        waiter = built(WAITER)
        first = await _started(node, distinct(waiter, guests))
        await _all_waiting(node, [first])
        gc.collect()
        before, begun = resident_bytes(), time.perf_counter()
        object_ids = [await _started(node, distinct(waiter, number)) for number in range(guests)]
        await _all_waiting(node, object_ids[-1:])
        seconds = time.perf_counter() - begun
        gc.collect()
        each = (resident_bytes() - before) / guests
        mappings = len(Path("/proc/self/maps").read_text().splitlines())
        assert node.stats()["parked"] >= guests - _RESIDENT
        woken = [await _latency(node, clock, rng.choice(object_ids), f"p{n}") for n in range(events)]
        last = object_ids[-1]
        await _latency(node, clock, last, "first")
        stayed = [await _latency(node, clock, last, f"r{n}") for n in range(events)]
        found.append(Parked(guests, seconds, each, mappings, Distribution.of(stayed), Distribution.of(woken)))

    _with_node(story, Parking(idle_seconds=None, resident=_RESIDENT))
    (result,) = found
    console.print(
        f"{guests} parked guests: [bold]{result.bytes_each:.0f}[/] bytes each, {result.mappings} mappings in all, "
        f"loaded, started and parked in {result.load_seconds:.1f} s"
    )
    table = Table(title=f"{events} events, one at a time, us from delivery to host call")
    for heading in ("guest", "median", "p90", "p99", "largest"):
        table.add_column(heading, justify="left" if heading == "guest" else "right")
    _row(table, "has its memory", result.resident_us)
    _row(table, "parked", result.wake_up_us)
    console.print(table)
    return result


_RESIDENT = 64


def _row(table: Table, name: str, distribution: Distribution) -> None:
    table.add_row(name, *(f"{value:.0f}" for value in asdict(distribution).values()))
