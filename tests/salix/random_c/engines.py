"""A C program by several compilers: what `run` returns, as text, or how it came to nothing.

gcc      the host's, native; traps where the program does what C does not define
clang    PyPI's ziglang for eBPF, as native code of our runtime; not of what its back end cannot compile
ours     this repository's, as native code
few      the same with one register, so that every value is now and then in memory
slow     the same code as `ours`, by the reference interpreter
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from runtime import Exited, LoadError, Profile, load
from salix.compiler import Built, CompilerFault, build
from salix.compiler.sources import Limits

Outcomes = Mapping[str, str]
GCC, CLANG, OURS, FEW, SLOW = "gcc", "clang", "ours", "few", "slow"
NOT_COMPILED = "(not compiled)"  # by clang, whose back end, or linked program, lacks what the program uses
_LIMIT_SECONDS = 30
_PROFILE = Profile(frames=64)
_LIMITS = Limits(object_bytes=1 << 20)  # with one register, code is long
_GCC = ("gcc", "-std=gnu11", "-w", "-O1", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error")
_CLANG = (
    *("-m", "ziglang", "cc", "-target", "bpfel-freestanding", "-mcpu=v4", "-O2", "-ffreestanding", "-c", "-w"),
    *("-mllvm", "-bpf-stack-size=4096", "-fno-jump-tables", "-fno-sanitize=undefined", "-DFOR_CLANG"),
)
_MAIN = """
int printf(const char *, ...);
int main(void)
{
    printf("%llu", run());
    return 0;
}
"""


def missing() -> dict[str, str]:
    """Engines that cannot run here, and why."""
    found = {}
    if shutil.which("gcc") is None:
        found[GCC] = "there is no gcc"
    if importlib.util.find_spec("ziglang") is None:
        found[CLANG] = "ziglang is not installed"
    return found


def by_gcc(source: str) -> str:
    """By the host's gcc."""
    with tempfile.TemporaryDirectory() as folder:
        path, made = Path(folder, "source.c"), Path(folder, "program")
        path.write_text(source + _MAIN)
        compiled = subprocess.run([*_GCC, str(path), "-o", str(made)], check=False, capture_output=True, text=True)
        if compiled.returncode != 0:
            return f"gcc: {compiled.stderr[:400]}"
        try:
            done = subprocess.run([str(made)], check=False, capture_output=True, text=True, timeout=_LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            return "endless"
        return done.stdout if done.returncode == 0 else f"died of signal {-done.returncode}"


def by_clang(source: str) -> str:
    """By clang for eBPF, on our runtime."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "source.c").write_text(source)
        command = [sys.executable, *_CLANG, "source.c", "-o", "object.o"]
        if subprocess.run(command, cwd=folder, check=False, capture_output=True).returncode != 0:
            return NOT_COMPILED
        elf = Path(folder, "object.o").read_bytes()
    ended = _ended(elf, None)
    return NOT_COMPILED if "there are no function pointers" in ended else ended


def by_ours(source: str, registers: int = 0, engine: str | None = None) -> str:
    """By our compiler, on our runtime."""
    try:
        result = build({"source.c": source}, "source.c", limits=_LIMITS, registers=registers)
    except CompilerFault as error:
        return f"compiler fault: {error}"
    if not isinstance(result, Built):
        errors = [line for line in result.diagnostics.splitlines() if ": error: " in line]
        return f"refused: {' '.join(line.partition(': error: ')[2] for line in errors)[:400]}"
    return _ended(result.elf, engine)


def _ended(elf: bytes, engine: str | None) -> str:
    try:
        program = load(elf, {}, engine=engine, profile=_PROFILE)
    except LoadError as error:
        return f"not loaded: {error}"
    with program.instantiate() as guest:
        outcome = guest.run(entry="run", limit_ms=1000 * _LIMIT_SECONDS)
    return str(outcome.value) if isinstance(outcome, Exited) else f"ended: {outcome}"


ENGINES: dict[str, Callable[[str], str]] = {
    GCC: by_gcc,
    CLANG: by_clang,
    OURS: by_ours,
    FEW: lambda source: by_ours(source, registers=1),
    SLOW: lambda source: by_ours(source, engine="interpreter"),
}


def run(source: str, engines: Sequence[str]) -> Outcomes:
    """By each of these."""
    return {name: ENGINES[name](source) for name in engines}


def kind(outcome: str) -> str:
    """What shrinking keeps of an outcome: that there is a result, or the first words of why not."""
    return "result" if outcome.isdigit() else " ".join(outcome.split()[:5])


def differing(outcomes: Outcomes) -> str | None:
    """The first engine that differs from the first of all; None if all agree."""
    names = [name for name, outcome in outcomes.items() if outcome != NOT_COMPILED]
    for name in names:
        if outcomes[name] != outcomes[names[0]] or not outcomes[name].isdigit():
            return name
    return None
