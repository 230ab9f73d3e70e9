"""Random lives of many objects on one node, against a plain model: nothing is lost, doubled, reordered or left behind.

Guests fetch events and hand each to the embedder; some spin, some sleep, some fault on the way. Guests are parked all
the time. After every step what the node holds must be what its objects need, no more.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field

import pytest

from runtime.host import Host
from runtime.node import Kind, Node, NodeError, Parking, State, Wait
from tests.runtime.node.nodes import GRANTED, Notes, built, started

# What an event's payload makes the guest do before it asks for the next: 0 nothing, 1 sleep, 2 spin, 3 fault, 4 return.
SOURCE = """
static sf_u64 handled;
SF_MAIN sf_i64 entry(void) {
    for (;;) {
        sf_handle event = sf_event_next(-1);
        if (event < 0) return event;
        sf_handle answer = sf_host_call("ack", event, 3600000);
        sf_i64 todo = sf_json_read_i64(event, "payload", 0);
        if (answer > 0) sf_drop(answer);
        if (sf_drop(event) != 0) return -99;
        handled++;
        if (todo == 1) sf_sleep_ms(1);
        if (todo == 2) for (volatile int i = 0; i < 200000; i++);
        if (todo == 3) return *(volatile sf_i64 *)handled;
        if (todo == 4) return handled;
    }
}
"""


@dataclass
class Model:
    """What must be true of one object."""

    admitted: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)  # ids of events that reached the embedder
    ends_at: int | None = None  # the number of events after which it returns or faults by itself


class World:
    """A node, its notes, and the model of each object."""

    def __init__(self, node: Node, notes: Notes, host: Host, rng: random.Random) -> None:
        self.node, self.notes, self.host, self.rng = node, notes, host, rng
        self.elf = built(SOURCE)
        self.models: dict[str, Model] = {}
        self.seen = self.serial = 0

    def load(self) -> None:
        if self.rng.random() < 0.8:
            object_id = started(self.node, self.elf)
        else:
            object_id = self.node.load(self.elf, capabilities=GRANTED).object_id
        self.models[object_id] = Model()

    def deliver(self) -> None:
        object_id = self.rng.choice(list(self.models))
        model = self.models[object_id]
        todo = self.rng.choices((0, 1, 2, 3, 4), (60, 10, 10, 2, 2))[0]
        again = bool(model.admitted) and self.rng.random() < 0.1
        self.serial += 1
        event_id = self.rng.choice(model.admitted[-20:]) if again else f"e{self.serial}"
        try:
            delivery = self.node.deliver(object_id, event_id, "t", todo)
        except NodeError as error:
            ended = self.node.get(object_id).state in (State.STOPPED, State.EXITED, State.FAILED)
            assert error.kind is (Kind.BUSY if ended else Kind.MAILBOX_FULL)
            return
        assert delivery.duplicate == again
        if not again:
            model.admitted.append(event_id)
            if todo >= 3 and model.ends_at is None:
                model.ends_at = len(model.admitted)

    def answer(self) -> None:
        if self.notes.calls:
            call = self.rng.choice(self.notes.calls[-20:])
            if self.rng.random() < 0.9:
                self.node.answer(call.id, {"ok": self.serial})
            else:
                self.node.answer_error(call.id)

    async def end(self) -> None:
        object_id = self.rng.choice(list(self.models))
        if self.rng.random() < 0.5:
            await self.node.stop(object_id)
        else:
            await self.node.unload(object_id)
            del self.models[object_id]

    async def some_time(self) -> None:
        for _ in range(self.rng.randrange(30)):
            await asyncio.sleep(0)
        if self.rng.random() < 0.2:
            await asyncio.sleep(0.002)

    def check(self) -> None:
        for call in self.notes.calls[self.seen :]:
            if call.object_id in self.models:
                self.models[call.object_id].asked.append(call.arguments["event_id"])
        self.seen = len(self.notes.calls)
        stats = self.node.stats()
        with_guest = timed = calling = 0
        for object_id, model in self.models.items():
            status = self.node.get(object_id)
            assert model.asked == model.admitted[: len(model.asked)]  # in order, each once
            if model.ends_at is not None:
                assert len(model.asked) <= model.ends_at
            if status.state in (State.STARTING, State.RUNNING):
                with_guest += 1
                timed += status.wait is not Wait.NONE
                calling += status.wait is Wait.HOST_CALL
                assert len(model.admitted) - len(model.asked) - status.mailbox_entries in (0, 1)
            elif status.state is State.EXITED:
                assert len(model.asked) == model.ends_at
        assert stats["objects"] == len(self.models)
        assert stats["pending_host_calls"] == calling
        assert stats["timers"] >= timed  # those that pause for using too much have one too
        assert stats["waiting"] <= timed <= stats["waiting"] + stats["parked"]  # parked ones may have been woken
        assert self.host.cage.in_use == with_guest - stats["parked"]


@pytest.mark.parametrize("resident", [0, 2, 1000])
@pytest.mark.parametrize("seed", range(6))
def test_nothing_is_lost_doubled_reordered_or_left_behind(seed: int, resident: int) -> None:
    async def told() -> None:
        rng, notes, host = random.Random(seed), Notes(), Host()
        async with Node(notes, host=host, parking=Parking(idle_seconds=None, resident=resident)) as node:
            world = World(node, notes, host, rng)
            for _ in range(10):
                world.load()
            for _ in range(250):
                match rng.choices("ldaest", (3, 40, 40, 3, 0, 30))[0]:
                    case "l":
                        world.load()
                    case "d":
                        world.deliver()
                    case "a":
                        world.answer()
                    case "e" if len(world.models) > 5:
                        await world.end()
                    case _:
                        await world.some_time()
                world.check()
        assert host.cage.in_use == 0
        assert not node.stats()["timers"]
        assert not node.stats()["pending_host_calls"]

    asyncio.run(told())
