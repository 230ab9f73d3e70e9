"""One build: a new guest that runs the compiler, and what it left.

Decides: limits, and that what comes out is an object that the runtime loads. Trusts nothing of the compiler: its
messages are text, its object is judged like any other, and if it faults or takes too long, the build has failed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TypedDict, Unpack

import runtime
from runtime import Exited, Faulted, Guest, LoadError, Outcome, Preempted, Profile, Program, UnknownHelpers
from salix.compiler import sources
from salix.compiler.sources import Limits

# Recursion is what the compiler does with what is nested: up to four frames a level, 160 levels; 600 when lowering.
_PROFILE = Profile(frames=2048)
DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Built:
    """An object. `diagnostics` are its warnings, `memory_bytes` what the compiler used of its arena."""

    elf: bytes
    diagnostics: str
    diagnostics_truncated: bool
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class Failed:
    """No object, and why."""

    diagnostics: str
    diagnostics_truncated: bool = False


class CompilerFault(Exception):
    """The compiler did what it never should. The sources are to blame for nothing; the message says where it was."""


@cache
def shipped() -> bytes:
    """The compiler."""
    return resources.files("salix.compiler").joinpath("compiler.o").read_bytes()


@cache
def _program(compiler: bytes, calldata_bytes: int, engine: str | None) -> Program:
    return runtime.load(compiler, {}, engine=engine, profile=_PROFILE, calldata_bytes=calldata_bytes)


@cache
def prepare() -> None:
    """Load the compiler, and let it compile something: some of its functions take a tenth of a second to translate.

    For a thread of its own, so that the builds themselves can run in slices between an event loop's other work.
    """
    build({"prepare.c": "int main(void) { return 0; }"}, "prepare.c")


def _accept(elf: bytes) -> None:
    """Raise LoadError unless the runtime loads `elf`, whatever functions it wants of its host."""
    try:
        runtime.load(elf)
    except UnknownHelpers as error:
        runtime.load(elf, {name: lambda *_: 0 for name in error.names})


class Compilation:
    """A build that is under way: a guest, to be run by `run` or, in slices, by whoever holds it."""

    def __init__(self, guest: Guest, limits: Limits) -> None:
        self.guest, self.limits = guest, limits

    def run(self) -> Built | Failed:
        """Run it to its end. Raises CompilerFault."""
        try:
            return self.result(self.guest.resume(limit_ms=self.limits.time_ms))
        finally:
            self.guest.close()

    async def run_async(self) -> Built | Failed:
        """The same; other tasks run between slices. Whoever cancels it has the guest back at once."""
        try:
            return self.result(await self.guest.resume_async(limit_ms=self.limits.time_ms))
        finally:
            self.guest.close()

    def result(self, outcome: Outcome) -> Built | Failed:
        """What the guest, whose run ended in this way, has made of the sources."""
        guest = self.guest
        if isinstance(outcome, Preempted):
            return Failed(f"the build took longer than {self.limits.time_ms / 1000:g} s\n")
        found = sources.results(guest.read(guest.layout.calldata.low, sources.HEADER_BYTES))
        stopped_itself = isinstance(outcome, Faulted) and found.state == sources.FAILED
        if not isinstance(outcome, Exited) and not stopped_itself:
            raise CompilerFault(f"the compiler ended with: {outcome}")
        text = guest.read(found.messages_address, found.messages_bytes).decode(errors="replace")
        if found.state != sources.SUCCEEDED:
            return Failed(text, found.messages_lost)
        elf = guest.read(found.object_address, found.object_bytes)
        try:
            _accept(elf)
        except LoadError as error:
            return Failed(f"{text}the runtime does not accept the program: {error}\n", found.messages_lost)
        return Built(elf, text, found.messages_lost, found.memory_bytes)


class Options(TypedDict, total=False):
    """How to build.

    limits: other than DEFAULT_LIMITS. engine: as for `runtime.load`. compiler: another object than the shipped one, for
    the bootstrap. lines: whether the object says which line each instruction came from (it does). registers: fewer than
    nine, to test what is done when they run out; 0 for all.
    """

    limits: Limits
    engine: str | None
    compiler: bytes | None
    lines: bool
    registers: int


def compilation(files: Mapping[str, str | bytes], entry: str, **options: Unpack[Options]) -> Compilation:
    """A build that is ready to run. Raises SourcesRefused."""
    limits, compiler = options.get("limits", DEFAULT_LIMITS), options.get("compiler") or shipped()
    encoded = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
    sources.check(encoded, entry, limits)
    guest = _program(compiler, sources.image_bytes(limits), options.get("engine")).instantiate()
    lines, registers = options.get("lines", True), options.get("registers", 0)
    guest.begin(sources.image(encoded, entry, limits, lines=lines, registers=registers))
    return Compilation(guest, limits)


def build(files: Mapping[str, str | bytes], entry: str, **options: Unpack[Options]) -> Built | Failed:
    """The object of `entry`, one of `files`, which may include the others. Raises SourcesRefused, CompilerFault."""
    return compilation(files, entry, **options).run()
