"""What must hold of a build of hostile sources, and a campaign that asks it of many, in processes that may die.

    an object or messages: no exception, and no fault of the compiler
    within the limits: 64 KiB of object, 16 KiB of messages, 8 MiB of guest memory, 15 s
    an object is the same the second time, runs until it ends or its time does, and says nothing of another's build
    messages are text, name a file of the build, and have a line `error: ` if there is no object

A source depends on the seed and its index alone.
"""

from __future__ import annotations

import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NamedTuple

from differential.workers import Died, in_processes
from runtime import Profile, UnknownHelpers, load
from salix.compiler import Built, CompilerFault, Failed, Limits, SourcesRefused, build
from tests.salix.hostile_c.kinds import KINDS, MAIN, Files
from tests.salix.hostile_c.mutate import mutated

MUTATED = "mutated"
CPU_SECONDS = 60.0  # of a process, for one source: four times what a build may take, on a machine that is busy
_MEMORY_BYTES = 8 << 20
_MESSAGE_BYTES = 16 << 10
_GROWTH_KIB = 256 << 10
_PROFILE = Profile(frames=64)


class Judged(NamedTuple):
    """What became of a source; `problem` is empty if all is well."""

    kind: str
    ended: str
    problem: str
    seconds: float


def draw(seed: int, index: int) -> tuple[str, Files]:
    """Source `index`: half are mutated programs, the others of each kind in turn."""
    random = Random(f"hostile {seed}:{index}")
    if index % 2:
        return MUTATED, mutated(random)
    names = sorted(KINDS)
    name = names[index // 2 % len(names)]
    return name, KINDS[name](random)


def judge(kind: str, files: Files, limits: Limits = Limits()) -> Judged:  # noqa: B008 - frozen
    """Build it, again if there is an object, and run what comes out."""
    began, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        result = build(files, MAIN, limits=limits)
    except SourcesRefused as error:
        return Judged(kind, "refused before", "" if "bytes of sources" in str(error) else str(error), 0.0)
    except CompilerFault as error:
        return Judged(kind, "compiler fault", f"compiler fault: {error}", time.process_time() - began)
    seconds = time.process_time() - began
    problems = list(_problems(files, result, limits))
    if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before > _GROWTH_KIB:
        problems.append("the process grew by more than 256 MiB")
    return Judged(kind, _ended(result), "; ".join(problems), seconds)


def _ended(result: Built | Failed) -> str:
    if isinstance(result, Built):
        return "built"
    return "out of time" if "the build took longer" in result.diagnostics else "failed"


def _problems(files: Files, result: Built | Failed, limits: Limits) -> Iterator[str]:
    text = result.diagnostics
    if len(text.encode()) > _MESSAGE_BYTES:
        yield f"{len(text.encode())} bytes of messages"
    if "\0" in text:
        yield "a NUL in the messages"
    if isinstance(result, Failed):
        if not ("error: " in text or "the build took longer" in text):
            yield f"no object, and no reason: {text[:200]!r}"
        if "does not accept" in text:
            yield f"the runtime refuses the object: {text[-300:]!r}"
        return
    if len(result.elf) > limits.object_bytes:
        yield f"an object of {len(result.elf)} bytes"
    if result.memory_bytes > _MEMORY_BYTES:
        yield f"{result.memory_bytes} bytes of memory"
    if build(files, MAIN, limits=limits) != result:
        yield "another object the second time"
    yield from _run(result.elf)


def _run(elf: bytes) -> Iterator[str]:
    try:
        program = load(elf, {}, profile=_PROFILE)
    except UnknownHelpers as error:
        program = load(elf, {name: lambda *_: 0 for name in error.names}, profile=_PROFILE)
    with program.instantiate() as guest:
        try:
            guest.begin(b"", "main")
        except Exception as error:  # a problem, unless there is no main
            if "main" not in str(error):
                yield f"{type(error).__name__} was raised: {error}"
            return
        guest.resume(limit_ms=200)


Judge = Callable[[str, Files], Judged]


def judged(seed: int, indices: Sequence[int], jobs: int, judging: Judge = judge) -> Iterator[tuple[int, Judged]]:
    """A record for each source, in any order."""
    for index, found in in_processes(lambda index: judging(*draw(seed, index)), indices, jobs, CPU_SECONDS):
        if isinstance(found, Died):
            found = Judged(draw(seed, index)[0], "(died)", found.how, CPU_SECONDS)
        yield index, found


class Summary:
    """Counts, and what was a problem."""

    def __init__(self) -> None:
        self.ended: dict[str, Counter[str]] = {}
        self.problems: list[tuple[int, Judged]] = []
        self.slowest: tuple[float, int] = (0.0, -1)

    def add(self, index: int, found: Judged) -> None:
        self.ended.setdefault(found.kind, Counter())[found.ended] += 1
        self.slowest = max(self.slowest, (found.seconds, index))
        if found.problem:
            self.problems.append((index, found))
