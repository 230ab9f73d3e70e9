"""Programs on the runtime, as its embedders use it; each engine's outcome is compared with the reference semantics'.

    simulator   the native engine, on a host whose processor is the machine model
    native      this processor
    uncounted   this processor, in the code for long activations, whose polls do not count
    turns       interrupted at random polls, and before and behind each helper; between two turns the guest may be made
                a snapshot, and go on elsewhere: by the interpreter, the simulator or the processor

A processor gets a program only if its simulation agrees with the reference. The simulation refuses each access and
each jump that is not the code's own, so code that would harm this process is not run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Final

from differential.programs.helpers import HELPERS
from differential.programs.outcome import EXITED, FAULTED, OUT_OF_FUEL, Outcome, differences, pages_of
from differential.programs.program import GuestProgram, assembled
from differential.programs.reference import BUDGET, Reached, run_reference
from differential.programs.simulated import simulated_host
from differential.workers import Died, alone
from runtime import Event, Exited, Faulted, Guest, Host, Preempted, Program, Snapshot, Waiting, load_bytecode
from runtime.cage import mapped_end
from runtime.errors import GuestPointerFault
from runtime.outcomes import FaultKind

REFERENCE, SIMULATOR, NATIVE, UNCOUNTED, TURNS = "reference", "simulator", "native", "uncounted", "turns"
ENGINES: Final = (REFERENCE, SIMULATOR, NATIVE, UNCOUNTED, TURNS)
INTERPRETING, SIMULATING, RUNNING = range(3)  # which engine has the turn
_TURN_OF = ("interpreter", "simulator", "native")
INTERRUPTED, CALLED = "interrupted", "called a helper"
HAPPENINGS: Final = (INTERRUPTED, CALLED, *(f"{old} -> {new}" for old in _TURN_OF for new in _TURN_OF))
_SLICES = 400  # of the watcher, a program that ends has long ended then

Outcomes = dict[str, Outcome]


@cache
def hosts() -> tuple[Host, Host]:
    """With this processor, and with the machine model. Made once per process. Raises EngineUnavailable."""
    simulated = simulated_host()
    return Host(), simulated


def run_everywhere(program: GuestProgram) -> tuple[Reached, Outcomes]:
    """What the reference reached, and the outcomes by engine, the reference's first. Raises Rejected.

    If the simulator's outcome is another, the outcomes end with it.
    """
    reached = run_reference(program)
    outcomes = {REFERENCE: reached.outcome}
    for engine in _others(reached.outcome):
        outcomes[engine] = _ON[engine](program)
        if engine == SIMULATOR and differences(reached.outcome, outcomes[SIMULATOR]):
            break
    return reached, outcomes


def _others(reference: Outcome) -> Iterator[str]:
    """The engines that are compared with the reference. Where nothing counts, what ran out of fuel runs on."""
    return (name for name in _ON if name != UNCOUNTED or reference.ended != OUT_OF_FUEL)


def run_alone(program: GuestProgram) -> Outcomes:
    """The outcomes by engine, from processes of their own, whose death is an outcome."""
    hosts()  # made here, once
    made = alone(lambda: run_everywhere(program)[1])
    if not isinstance(made, Died):
        return made
    outcomes = {REFERENCE: _alone(lambda _: run_reference(program).outcome, program)}
    for engine in _others(outcomes[REFERENCE]):
        outcomes[engine] = _alone(_ON[engine], program)
        if differences(outcomes[REFERENCE], outcomes[engine]):
            break
    return outcomes


def _alone(engine: Callable[[GuestProgram], Outcome], program: GuestProgram) -> Outcome:
    made = alone(partial(engine, program))
    return Outcome(made.how) if isinstance(made, Died) else made


def simulate(program: GuestProgram) -> Outcome:
    """The simulator's outcome."""
    return _tried(_undisturbed, program, SIMULATING)


# how each engine but the reference makes its outcome, in the order in which they are asked
_ON: Final[dict[str, Callable[[GuestProgram], Outcome]]] = {
    SIMULATOR: simulate,
    NATIVE: lambda program: _tried(_undisturbed, program, RUNNING),
    UNCOUNTED: lambda program: _tried(_uncounted, program, RUNNING),
    TURNS: lambda program: _tried(_in_turns, program, program.turns[-1].engine),
}


class _Run:
    """A program on each engine, and the one guest that there is of it."""

    def __init__(self, program: GuestProgram, engine: int) -> None:
        self._program = program
        self._code = assembled(program.lines)
        self._loaded: dict[int, Program] = {}
        self.happened: Counter[str] = Counter()  # of HAPPENINGS: snapshots from engine to engine, and what led to them
        self.engine = engine
        self.guest: Guest = self._on(engine).instantiate()
        self.guest.begin(program.calldata)

    def _on(self, engine: int) -> Program:
        if engine not in self._loaded:
            processor, model = hosts()
            self._loaded[engine] = load_bytecode(
                self._code,
                HELPERS,
                engine="interpreter" if engine == INTERPRETING else "jit",
                profile=self._program.profile,
                host=model if engine == SIMULATING else processor,
                read_only=self._program.read_only,
                writable=self._program.writable,
            )
        return self._loaded[engine]

    def move(self, engine: int, snapshot: bool) -> None:
        """Let `engine` go on: by way of a snapshot, if it is another one or if that is wanted."""
        if engine == self.engine and not snapshot:
            return
        self.happened[f"{_TURN_OF[self.engine]} -> {_TURN_OF[engine]}"] += 1
        taken = self.guest.snapshot().to_bytes()
        self.guest.close()
        self.guest = self._on(engine).restore(Snapshot.from_bytes(taken))
        self.engine = engine

    def outcome(self, event: Event | None, polls: int | None) -> Outcome:
        """What there is now. None: it does not end."""
        guest = self.guest
        context = guest.context
        pages = pages_of(guest.slot_memory, mapped_end(guest.layout))
        detail: tuple[object, ...]
        match event:
            case Exited(value):
                ended, detail = EXITED, (value,)
            case Faulted(kind, pc, None):
                ended, detail = FAULTED, (kind.name, pc)
            case Faulted(kind, pc, address, size, write):
                ended, detail = FAULTED, (kind.name, pc, address, size, write)
            case Preempted(pc):
                ended, detail = OUT_OF_FUEL, (pc,)
            case _:
                ended, detail = f"does not end: {event}", ()
        registers, calls = tuple(context.registers()), tuple(context.calls())
        return Outcome(ended, detail, registers, calls, polls, pages, self.happened)


Way = Callable[[_Run, GuestProgram], Outcome]


def _tried(how: Way, program: GuestProgram, engine: int) -> Outcome:
    run = _Run(program, engine)
    try:
        return how(run, program)
    except Exception as error:  # whatever a wrong pass, model or runtime raises is the outcome of that engine
        return Outcome(f"raised {type(error).__name__}", (str(error),))
    finally:
        run.guest.close()


def _undisturbed(run: _Run, program: GuestProgram) -> Outcome:
    event = run.guest.resume(fuel=BUDGET)
    return run.outcome(event, BUDGET - run.guest.fuel_left)


def _uncounted(run: _Run, program: GuestProgram) -> Outcome:
    guest = run.guest
    event = guest.advance(fuel=0)
    for _ in range(_SLICES):
        if isinstance(event, Waiting):
            fault = _answer(guest)
            if fault is not None:
                return run.outcome(fault, None)
            event = guest.advance(fuel=0)  # or the next entry would be a counted one
        elif isinstance(event, Preempted):
            event = guest.advance(slice_ms=20)
        else:
            return run.outcome(event, None)
    return run.outcome(None, None)


def _in_turns(run: _Run, program: GuestProgram) -> Outcome:
    left, number = BUDGET, 0
    while True:
        turn = program.turns[number % len(program.turns)]
        number += 1
        run.move(turn.engine, turn.snapshot)
        granted = min(turn.fuel, left)
        event = run.guest.advance(fuel=granted)
        left -= granted - run.guest.fuel_left
        run.happened[INTERRUPTED] += isinstance(event, Preempted)
        if isinstance(event, Waiting):
            run.happened[CALLED] += 1
            run.move(turn.engine, turn.snapshot)
            fault = _answer(run.guest)
            if fault is not None:
                return run.outcome(fault, BUDGET - left)
        elif not isinstance(event, Preempted) or left == 0:
            return run.outcome(event, BUDGET - left)


def _answer(guest: Guest) -> Faulted | None:
    """Answer the call that the guest waits for, as an event loop does; or the fault in an argument."""
    call = guest.call()
    try:
        value = HELPERS[call.helper](guest.memory, *call.arguments)
    except GuestPointerFault as fault:
        return Faulted(FaultKind.HELPER_POINTER, call.pc, fault.address, fault.size, fault.write)
    assert isinstance(value, int)
    guest.answer(value)
    return None
