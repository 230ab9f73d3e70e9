"""Guests created, run, preempted, stopped, moved, resized and dropped at random; and what must hold all the while.

A few dozen guests live at a time; each turn something happens to one of them. When a run ends, its outcome and all of
the guest's memory must be what the reference semantics makes of the same start and input, undisturbed. A canary, whose
result is known, runs on a few polls at a time; between its turns nothing in it may change. Every so often all guests
but the canary end, all programs are let go of, and the process must have no more of anything than the first time.

What happens is drawn from a seed. How far a guest gets in a slice, or before another thread stops it, is not.
"""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from differential.soak.programs import HELPER, PROGRAMS, Kind, answered, canary_code, canary_result
from differential.soak.resources import Resources, grown, resources
from runtime import (
    Event,
    Exited,
    Faulted,
    Guest,
    Host,
    Phase,
    Preempted,
    Program,
    Snapshot,
    Stopped,
    Waiting,
    load_bytecode,
)
from runtime.errors import WrongState
from runtime.program import INTERPRETER, JIT

LIVING = 40  # guests at a time
EPOCH = 250  # guests from one look at the resources to the next
WARM_UP = 2  # epochs before anything is called growth
SIZES = (0, 1, 8, 24, 24, 4096, 5000, 70_000)  # bytes of input, in several classes of slots
MODEL_FUEL = 1 << 20
_TOO_LONG = 400  # bytes of input that only programs whose loops are short get


class _Broken(Exception):
    """Something that must hold does not."""


@dataclass(slots=True)
class Life:
    """A guest. `before` is its state when its run began, as the model has it."""

    name: str
    kind: Kind
    guest: Guest
    before: Snapshot
    mem: bytes = b""
    history: list[str] = field(default_factory=list)


@dataclass
class Soak:
    """The run. `turn` makes one thing happen."""

    seed: int
    host: Host = field(default_factory=Host)
    happened: Counter[str] = field(default_factory=Counter)
    guests: int = 0
    living: list[Life] = field(default_factory=list)
    base: Resources | None = None
    now: Resources | None = None
    epochs: int = 0

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        self.engines = [JIT, JIT, INTERPRETER] if self.host.native_unavailable is None else [INTERPRETER]
        self.programs: dict[tuple[str, str, bool], Program] = {}
        self.canary = load_bytecode(canary_code(), engine=self.engines[0], host=self.host).instantiate()
        self.canary.begin(bytes(8))
        self.canary_state = self.canary.snapshot()

    # ---------------------------------------------------------------- all that can happen

    def turn(self) -> None:
        """One thing, to one guest. Raises _Broken."""
        if self.guests >= EPOCH * (self.epochs + 1):
            self.end_of_epoch()
        if len(self.living) < LIVING and (len(self.living) < 4 or self.random.random() < 0.2):
            self.create()
        life = self.random.choice(self.living)
        action = self.random.choice(ACTIONS[life.guest.phase])
        self.happened[action.__name__] += 1
        life.history.append(action.__name__)
        try:
            action(self, life)
        except _Broken as broken:
            raise _Broken(f"{life.name}, {life.guest.phase.value}, after {life.history[-12:]}: {broken}") from broken
        if self.happened.total() % 16 == 0:
            self.look_at_the_canary()

    def create(self) -> None:
        name = self.random.choice(list(PROGRAMS))
        guest = self.any_program(name).instantiate()
        self.living.append(Life(name, PROGRAMS[name], guest, guest.snapshot()))
        self.guests += 1

    def program(self, name: str, engine: str, awaited: bool = False) -> Program:
        """`awaited`: with a coroutine for its helper."""
        key = name, engine, awaited
        if key not in self.programs:
            self.programs[key] = PROGRAMS[name].load(self.host, engine, awaited)
        return self.programs[key]

    def any_program(self, name: str) -> Program:
        return self.program(name, self.random.choice(self.engines), self.random.random() < 0.5)

    def begin(self, life: Life) -> None:
        """A new run, with another input: the same slot, or one of another size."""
        size = self.random.choice(SIZES)
        life.mem = self.random.randbytes(size if life.kind.ends or size < _TOO_LONG else 8)
        life.guest.begin(life.mem)

    def advance(self, life: Life) -> None:
        self.saw(life, life.guest.advance(fuel=self.random.choice((0, 1, 2, 7, 100, 5000))))

    def take_a_slice(self, life: Life) -> None:
        """Counted polls with the interpreter lock held, then without, ended by the watcher."""
        self.saw(life, life.guest.advance(slice_ms=self.random.choice((0.05, 0.3))))

    def answer(self, life: Life) -> None:
        call = life.guest.call()
        if call.helper != HELPER:
            raise _Broken(f"it calls helper {call.helper}")
        life.guest.answer(answered(call.arguments[0]))

    def move(self, life: Life) -> None:
        """To another guest, maybe of the other engine, by way of bytes; the old one is closed or just dropped."""
        packed = life.guest.snapshot().to_bytes()
        moved = self.any_program(life.name).restore(Snapshot.from_bytes(packed))
        if moved.snapshot() != life.guest.snapshot():
            raise _Broken("a restored guest is not what the snapshot said")
        if self.random.random() < 0.5:
            life.guest.close()
        life.guest = moved
        self.guests += 1

    def stop(self, life: Life) -> None:
        """By this thread, between turns."""
        life.guest.stop()
        if life.guest.phase is Phase.WAITING:
            self.answer(life)
        event = life.guest.advance(fuel=5)
        if not isinstance(event, Stopped):
            raise _Broken(f"stopped, but {event}")
        self.saw(life, event)

    def stop_from_another_thread(self, life: Life) -> None:
        """While it runs, within its own loop or the one of its helper calls."""
        stopper = threading.Timer(self.random.choice((0.0, 0.0005, 0.002)), life.guest.stop)
        stopper.start()
        outcome = asyncio.run(life.guest.resume_async())
        stopper.join()
        if not life.kind.ends and not isinstance(outcome, Stopped):
            raise _Broken(f"it does not end by itself, but {outcome}")
        self.saw(life, outcome)

    def run_as_a_task(self, life: Life) -> None:
        """Its helper is awaited, if it is a coroutine; after some turns of the loop it is stopped, or cancelled."""

        async def beside_others() -> Event | None:
            task = asyncio.ensure_future(life.guest.resume_async(fuel=self.random.choice((20, 2000))))
            for _ in range(self.random.randrange(12)):
                await asyncio.sleep(0)
            self.random.choice((task.cancel, life.guest.stop, task.done))()
            try:
                return await task
            except asyncio.CancelledError:
                return None

        event = asyncio.run(beside_others())
        if event is None:
            self.happened["Cancelled"] += 1  # it is as it was then, and goes on another time
        else:
            self.saw(life, event)

    def close(self, life: Life) -> None:
        """Whatever it does; an answer that comes late is refused, and so is everything else."""
        life.guest.close()
        self.living.remove(life)
        for late in (lambda: life.guest.answer(1), life.guest.advance, life.guest.snapshot, life.guest.begin):
            try:
                late()
            except WrongState:
                continue
            raise _Broken("a guest that is closed did something")

    def drop(self, life: Life) -> None:
        """Without closing it."""
        self.living.remove(life)

    def drop_in_a_cycle(self, life: Life) -> None:
        """Only the collector finds it."""
        self.living.remove(life)
        cycle: list[object] = [life.guest]
        cycle.append(cycle)

    # ---------------------------------------------------------------- what must hold

    def saw(self, life: Life, event: Event) -> None:
        """Raises _Broken if a run ended in something else than the model's."""
        self.happened[type(event).__name__] += 1
        if isinstance(event, Preempted | Waiting):
            return
        if isinstance(event, Stopped):  # somewhere: that is where the model goes on
            life.before = life.guest.snapshot()
            return
        with self.program(life.name, INTERPRETER).restore(life.before) as model:
            expected = model.run(life.mem, fuel=MODEL_FUEL)
            after = model.snapshot()
        if event != expected:
            raise _Broken(f"{event}, the reference semantics says {expected}")
        if life.guest.snapshot() != after:
            raise _Broken("its memory is not what the reference semantics makes of it")
        life.before = after
        assert isinstance(event, Exited | Faulted)

    def look_at_the_canary(self) -> None:
        """It is as it was left, goes on a little, and ends with the right number. Raises _Broken."""
        if self.canary.snapshot() != self.canary_state:
            raise _Broken("the canary changed while others ran")
        event = self.canary.advance(fuel=37)
        if isinstance(event, Exited):
            if event.value != canary_result():
                raise _Broken(f"the canary ends with {event.value:#x}, not {canary_result():#x}")
            self.canary.begin(bytes(8))
        elif not isinstance(event, Preempted):
            raise _Broken(f"the canary: {event}")
        self.canary_state = self.canary.snapshot()

    def end_of_epoch(self) -> None:
        """All end but the canary, and nothing is left of them. Raises _Broken."""
        while self.living:
            self.random.choice((Soak.close, Soak.drop, Soak.drop_in_a_cycle))(self, self.living[-1])
        self.programs.clear()
        gc.collect()
        self.now = resources(self.host)
        self.epochs += 1
        before = self.base if self.base is not None else self.now
        if (
            self.epochs <= WARM_UP
        ):  # what a process takes once is no growth yet; what it must give back is always counted
            self.base = self.now
            before = before._replace(resident_bytes=1 << 62, blocks=1 << 62, maps=1 << 62, threads=1 << 62)
        found = grown(before, self.now)
        if self.now.slots != 1:
            found.append(f"slots: {self.now.slots}, only the canary has one")
        if found:
            raise _Broken("; ".join(found))


Action = Callable[[Soak, Life], None]
_ENDS: tuple[Action, ...] = (Soak.close, Soak.drop, Soak.drop_in_a_cycle)
_RUNS: tuple[Action, ...] = (
    *[Soak.advance] * 12,
    *[Soak.take_a_slice] * 2,
    *[Soak.move] * 3,
    Soak.stop,
    Soak.stop_from_another_thread,
    *[Soak.run_as_a_task] * 2,
    *_ENDS,
)
ACTIONS: dict[Phase, tuple[Action, ...]] = {
    Phase.IDLE: (*[Soak.begin] * 12, *[Soak.move] * 2, *_ENDS),
    Phase.READY: _RUNS,
    Phase.PREEMPTED: _RUNS,
    Phase.ANSWERED: _RUNS,
    Phase.WAITING: (
        *[Soak.answer] * 12,
        *[Soak.move] * 3,
        Soak.stop,
        Soak.stop_from_another_thread,
        *[Soak.run_as_a_task] * 2,
        Soak.close,
        Soak.drop,
    ),
}


@dataclass(frozen=True, slots=True)
class Report:
    """What a soak came to. `broken` is empty if all held."""

    seed: int
    guests: int
    seconds: float
    happened: dict[str, int]
    epochs: int
    base: Resources | None
    now: Resources | None
    broken: str


def soak(
    seed: int, guests: int | None, seconds: float | None, progress: Callable[[Soak], None] = lambda _: None
) -> Report:
    """Until there were so many guests, or for so long; then once more everything ends."""
    began = time.monotonic()
    running, broken = Soak(seed), ""
    try:
        while (guests is None or running.guests < guests) and (seconds is None or time.monotonic() - began < seconds):
            running.turn()
            progress(running)
        running.end_of_epoch()
        running.look_at_the_canary()
    except _Broken as found:
        broken = str(found)
    except Exception as error:  # the point of the exercise: nothing else may come out
        broken = f"{type(error).__name__} was raised: {error}"
    spent = time.monotonic() - began
    happened = dict(sorted(running.happened.items()))
    return Report(seed, running.guests, spent, happened, running.epochs, running.base, running.now, broken)
