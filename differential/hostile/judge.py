"""One input, judged: loaded, run on both engines, measured, and everything given back.

What must hold: loading raises LoadError or nothing; it takes memory and processor time in proportion to the input; an
accepted input ends in an outcome, the same on both engines with the same memory afterwards; its C lines can be asked
for; slots, code, table slots, texts and file descriptors are as many as before; both readers of objects agree. And the
outcome is the one that the input's kind calls for.

Memory is what tracemalloc counts while loading, and how much more of the process is resident at some moment, if the
kernel tells (`VmHWM`): compiled, running and read by pyelftools. Time is this process's own, not the clock's: whoever
runs `judge` sets `cpu_seconds` as a limit on it, which ends the process (`workers`). Nothing here depends on how fast
the machine is, as long as it is not a thousand times slower than it should be.
"""

from __future__ import annotations

import gc
import os
import re
import time
import tracemalloc
from random import Random
from typing import NamedTuple

from differential.hostile import second_reader
from differential.hostile.inputs import Given
from differential.hostile.kinds import EXIT, FAULT, REJECT, STOP
from runtime import Exited, Faulted, GuestMemory, Host, Outcome, Program, RuntimeRefused, load, load_bytecode
from runtime.helpers import HelperFunction
from runtime.lines import lines_of
from runtime.program import INTERPRETER, JIT
from validator.errors import LoadError

FUEL = 300  # polls: ends what does not end by itself
ENTRIES = 3  # of an object, at most, are run
PEAK_BYTES, PEAK_FACTOR = 1 << 20, 100  # memory for loading; at most 40 times the input was measured
RESIDENT_BYTES, RESIDENT_FACTOR = 48 << 20, 1000  # memory for all of it; 306 times the input was measured
CPU_SECONDS, CPU_SECONDS_PER_BYTE = 4.0, 1e-3  # for all of it; an ordinary input takes a few milliseconds
_ENGINES = (JIT, INTERPRETER)


class Judged(NamedTuple):
    """What became of an input. `problem` is empty if all is as it should be."""

    ended: str  # the name of an error, or of an outcome
    problem: str
    detail: str
    cpu_seconds: float
    peak_bytes: int  # of loading
    resident_bytes: int  # of all of it


class _Problem(Exception):
    """Something that must hold does not; `kind` is the same for all inputs that show the same."""

    def __init__(self, kind: str, detail: str) -> None:
        self.kind, self.detail = kind, detail
        super().__init__(f"{kind}: {detail}")


def cpu_limit(size: int) -> float:
    """Processor seconds that an input of `size` bytes may take."""
    return CPU_SECONDS + size * CPU_SECONDS_PER_BYTE


def memory_limit(size: int) -> int:
    """Bytes that loading an input of `size` bytes may take at once."""
    return PEAK_BYTES + size * PEAK_FACTOR


def resident_limit(size: int) -> int:
    """Bytes by which the process may grow for an input of `size` bytes."""
    return RESIDENT_BYTES + size * RESIDENT_FACTOR


def read(memory: GuestMemory, pointer: int, length: int, *_: int) -> int:
    return sum(memory.read(pointer, length)[:64])


def write(memory: GuestMemory, pointer: int, length: int, *_: int) -> int:
    memory.check_writable(pointer, length)
    memory.write(pointer, b"\xa5" * min(length, 4096))
    return length


def echo(memory: GuestMemory, value: int, *_: int) -> int:
    return value


def text(memory: GuestMemory, pointer: int, *_: int) -> int:
    return len(memory.read_text(pointer, 100))


HELPERS: dict[int | str, HelperFunction] = {
    **{1: read, 2: write, 3: echo, 4: text},
    **{"print": read, "helper_five": echo, "fill": write, "length": text},
}


def judge(given: Given, host: Host) -> Judged:
    """What becomes of `given`. Whatever is not an error of ours is a problem, not an exception."""
    before, began, resident = counted(host), time.process_time(), _most_resident(anew=True)
    peak, ended, problem, detail = 0, "", "", ""
    try:
        loaded, peak = _measured(given, host)
        ended = type(loaded).__name__ if isinstance(loaded, LoadError) else _run_all(given, loaded)
        del loaded
        _as_expected(given, ended)
    except _Problem as found:
        problem, detail = found.kind, found.detail
    except Exception as error:  # the point of the exercise: nothing else may come out
        problem, detail = f"{type(error).__name__} was raised", str(error)[:300]
    if not problem:
        problem, detail = _left_over(host, before)
    if not problem and given.is_elf and second_reader.AVAILABLE:
        problem, detail = _both_readers(given.data)
    grown = _most_resident() - resident
    if not problem and grown > resident_limit(len(given.data)):
        problem, detail = "too much resident memory", f"{grown} bytes for an input of {len(given.data)}"
    return Judged(ended or "(nothing)", problem, detail, time.process_time() - began, peak, grown)


_STATUS, _CLEAR = "/proc/self/status", "/proc/self/clear_refs"
_HIGH_WATER = re.compile(rb"^VmHWM:\s+(\d+) kB$", re.M)


def _most_resident(anew: bool = False) -> int:
    """The most bytes that were resident at once, from now on if `anew`; 0 if the kernel does not tell."""
    if not os.access(_CLEAR, os.W_OK):
        return 0
    if anew:
        with open(_CLEAR, "w") as file:
            file.write("5")  # proc(5): reset the peak
    with open(_STATUS, "rb") as status:
        found = _HIGH_WATER.search(status.read())
    return int(found[1]) << 10 if found else 0


def _measured(given: Given, host: Host) -> tuple[list[Program] | LoadError, int]:
    """The program for each engine, or why there is none; and the bytes that this took at most. Raises _Problem."""
    engines = [engine for engine in _ENGINES if engine != JIT or host.native_unavailable is None]
    tracemalloc.start()
    try:
        loaded: list[Program] | LoadError
        try:
            loaded = [_load(given, engine, host) for engine in engines]
        except LoadError as error:
            loaded = error
            str(error).encode()  # it can be printed
            error.__traceback__ = None  # which holds what loading made of the input
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()  # running guests is not measured, and costs three times as much if it is
    if peak > memory_limit(len(given.data)):
        raise _Problem("too much memory", f"{peak} bytes for loading {len(given.data)}")
    return loaded, peak


def _run_all(given: Given, programs: list[Program]) -> str:
    """How the first entry ends. Raises _Problem."""
    endings: list[str] = []
    try:
        entries = _entries(given, programs[0])
        for entry in entries:
            seen = [_run(program, given, entry) for program in programs]
            for other in seen[1:]:
                if other != seen[0]:
                    raise _Problem("engines differ", f"at entry {entry!r}: {_different(seen[0], other)}")
            endings.append(seen[0][0])
    except LoadError as error:  # no such entry
        return type(error).__name__
    linked = programs[0]._linked
    if given.is_elf and b".debug_line" in given.data and linked is not None:
        for section in linked.sections[:ENTRIES]:
            lines_of(given.data, section.name, range(0, 8 * section.count, 8))
    return endings[0] if endings else "no entry"


def _load(given: Given, engine: str, host: Host) -> Program:
    if given.is_elf:
        return load(given.data, HELPERS, engine=engine, host=host)
    return load_bytecode(given.data, HELPERS, engine=engine, host=host)


def _entries(given: Given, program: Program) -> list[str | int | None]:
    if not given.is_elf:
        return [None]
    if given.entry is not None:
        return [given.entry]
    assert program._linked is not None
    names = sorted(program._linked.entries)
    return list(Random(given.number).sample(names, min(ENTRIES, len(names))))


Seen = tuple[str, object, object]


def _run(program: Program, given: Given, entry: str | int | None) -> Seen:
    """All that can be seen of a run: how it ended, with particulars, and everything that a snapshot holds."""
    try:
        with program.instantiate() as guest:
            outcome = guest.run(given.mem, entry, fuel=FUEL)
            return _named(outcome), outcome, guest.snapshot()
    except RuntimeRefused as refused:
        return type(refused).__name__, None, None


def _named(outcome: Outcome) -> str:
    match outcome:
        case Exited(value):
            return f"exit {value}"
        case Faulted(kind):
            return f"fault {kind.name}"
        case _:
            return STOP


def _different(one: Seen, other: Seen) -> str:
    if one[:2] != other[:2]:
        return f"{one[1]} and {other[1]}"
    return "equal outcomes, but another snapshot"


def _as_expected(given: Given, ended: str) -> None:
    if given.expected is None:
        return
    word = ended.partition(" ")[0]
    if isinstance(given.expected, int):
        right = ended == f"exit {given.expected % 2**64}"
    elif given.expected == REJECT:
        right = word not in (EXIT, FAULT, STOP)
    else:
        right = word == given.expected
    if not right:
        raise _Problem("unexpected outcome", f"{ended}, a case of this kind ends in {given.expected}")


def counted(host: Host) -> dict[str, int]:
    """What inputs take of a process, and must give back."""
    arena = host.arena
    return {
        "slots": host.cage.in_use,
        "bytes of code": arena.code_bytes if arena is not None else 0,
        "table slots": arena.table_slots if arena is not None else 0,
        "texts": len(host.texts._texts),
        "file descriptors": len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0,
    }


def _left_over(host: Host, before: dict[str, int]) -> tuple[str, str]:
    now = counted(host)
    if now != before:
        gc.collect()  # an exception's traceback may hold a program in a cycle: no leak yet
        now = counted(host)
    for name, count in now.items():
        if count > before[name]:
            return f"leak of {name}", f"{count - before[name]} more than before"
    return "", ""


def _both_readers(data: bytes) -> tuple[str, str]:
    try:
        found = second_reader.disagreements(data)
    except Exception as error:  # our reader's, when it is asked for more than loading asks for
        return f"{type(error).__name__} was raised", str(error)[:300]
    return ("pyelftools differs", "; ".join(found)[:300]) if found else ("", "")
