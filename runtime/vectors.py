"""Programs with known outcomes, run one by one: what `python -m runtime vectors FILE` does.

A file is a JSON list of objects:

    name     text
    code     bare eBPF code in hex; or `elf`, an object in hex, with `entry`, the section to run
    mem      input in hex, empty if absent: r1 is its address (0 if it is empty), r2 its length
    result   r0 when the program exits; or `expect`: "reject", "fault" or {"r0": n}
    alt      a list of further acceptable outcomes, written as in `expect`
    needs    "budget": the program does not end by itself. Being stopped is right, and is what "fault" means there

Other keys are for people and ignored. Helper 5, `helper_five` for objects, returns its first argument. Code that calls
helpers through a register (callx, which RFC 9669 does not define) is rejected; where that is not acceptable, the
program is neither passed nor failed but reported apart.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from runtime.memory import GuestMemory
from runtime.outcomes import Exited, Faulted, Outcome
from runtime.program import Program, load, load_bytecode
from validator.errors import LoadError, Rejected

CALLX_OPCODE = 0x8D
BUDGET_POLLS = 100_000  # what a program that needs a budget gets: tens of milliseconds at most
LIMIT_MS = 10_000.0  # for all others, so that a wrong jump ends the case and not the run
_WORD = 1 << 64


class VectorError(Exception):
    """The file is not a list of vectors. `where` names the entry, `reason` what is wrong with it."""

    def __init__(self, reason: str, where: str | None = None) -> None:
        self.reason, self.where = reason, where
        super().__init__(f"{where}: {reason}" if where is not None else reason)


class Ending(Enum):
    """How a program may end without a result."""

    REJECT = "reject"
    FAULT = "fault"
    STOPPED = "stopped"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Result:
    """The program exits with this r0 (unsigned)."""

    r0: int

    def __str__(self) -> str:
        return f"r0 = {self.r0:#x} ({self.r0})"


@dataclass(frozen=True, slots=True)
class Vector:
    """One entry. `code` is an object if `is_elf`; `accepted` begins with the outcome that is expected."""

    name: str
    code: bytes
    is_elf: bool
    entry: str | None
    mem: bytes
    accepted: tuple[Ending | Result, ...]
    budget: bool

    @property
    def expected(self) -> str:
        return " or ".join(map(str, self.accepted))


class Verdict(Enum):
    """What becomes of a vector."""

    PASSED = "passed"
    FAILED = "failed"
    APART = "reported apart"


@dataclass(frozen=True, slots=True)
class Report:
    """One vector that was run; `got` is a sentence."""

    vector: Vector
    verdict: Verdict
    got: str


# ---------------------------------------------------------------- running


def run_vector(vector: Vector, engine: str | None = None) -> Report:
    """Load and run one vector. Raises EngineUnavailable; whatever else it raises is a bug of ours."""
    try:
        program = _load(vector, engine)
        entry = program.entry_pc(vector.entry)
    except LoadError as error:
        if _calls_through_register(error) and Ending.REJECT not in vector.accepted:
            return Report(vector, Verdict.APART, str(error))
        return _judged(vector, Ending.REJECT, f"reject: {error}")
    with program.instantiate() as guest:
        outcome = guest.run(vector.mem, entry, fuel=BUDGET_POLLS if vector.budget else None, limit_ms=LIMIT_MS)
    match outcome:
        case Exited(value):
            return _judged(vector, Result(value), str(Result(value)))
        case Faulted():
            return _judged(vector, Ending.FAULT, f"fault: {outcome}")
        case _:
            return _judged(vector, Ending.STOPPED, _stopped(outcome))


def first_argument(_memory: GuestMemory, a: int, _b: int, _c: int, _d: int, _e: int) -> int:
    """The helper that vectors may call."""
    return a


def _load(vector: Vector, engine: str | None) -> Program:
    if vector.is_elf:
        return load(vector.code, {5: first_argument, "helper_five": first_argument}, engine=engine)
    return load_bytecode(vector.code, {5: first_argument}, engine=engine)


def _calls_through_register(error: LoadError) -> bool:
    return isinstance(error, Rejected) and error.instruction is not None and error.instruction.opcode == CALLX_OPCODE


def _judged(vector: Vector, ending: Ending | Result, got: str) -> Report:
    return Report(vector, Verdict.PASSED if ending in vector.accepted else Verdict.FAILED, got)


def _stopped(outcome: Outcome) -> str:
    assert not isinstance(outcome, Exited)
    return f"stopped at pc {outcome.pc}: its budget was used up"


# ---------------------------------------------------------------- reading


def read_vectors(content: bytes) -> tuple[Vector, ...]:
    """The vectors in a file. Raises VectorError, which names the entry."""
    try:
        entries = json.loads(content)
    except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, an absurd number; an absurd depth
        raise VectorError(f"not JSON: {error}") from error
    if not isinstance(entries, list):
        raise VectorError("must be a JSON list of vectors")
    return tuple(_vector(number, entry) for number, entry in enumerate(entries))


def _vector(number: int, entry: object) -> Vector:
    where = f"entry {number}"
    if not isinstance(entry, dict):
        raise VectorError("must be an object", where)
    name = entry.get("name")
    if not isinstance(name, str):
        raise VectorError("`name` must be a text", where)
    where = f"entry {number} ({name!r})"
    if ("code" in entry) == ("elf" in entry):
        raise VectorError("needs either `code` or `elf`", where)
    if "entry" in entry and "elf" not in entry:
        raise VectorError("`entry` names a section of an object, so it needs `elf`", where)
    section = entry.get("entry")
    if section is not None and not isinstance(section, str):
        raise VectorError("`entry` must be the name of a section", where)
    if entry.get("needs", "budget") != "budget":
        raise VectorError('`needs` must be "budget"', where)
    is_elf = "elf" in entry
    code = _hex(entry, "elf" if is_elf else "code", where)
    return Vector(name, code, is_elf, section, _hex(entry, "mem", where), _accepted(entry, where), "needs" in entry)


def _hex(entry: dict[str, object], key: str, where: str) -> bytes:
    value = entry.get(key, "")
    if not isinstance(value, str):
        raise VectorError(f"`{key}` must be bytes in hex", where)
    try:
        return bytes.fromhex(value)
    except ValueError as error:
        raise VectorError(f"`{key}` must be bytes in hex: {error}", where) from error


def _accepted(entry: dict[str, object], where: str) -> tuple[Ending | Result, ...]:
    if ("result" in entry) == ("expect" in entry):
        raise VectorError("needs either `result` or `expect`", where)
    alternatives = entry.get("alt", [])
    if not isinstance(alternatives, list):
        raise VectorError("`alt` must be a list of outcomes", where)
    if "result" in entry:
        first: Ending | Result = _result(entry["result"], "result", where)
    else:
        first = _outcome(entry["expect"], "expect", where)
    outcomes = (first, *(_outcome(other, "alt", where) for other in alternatives))
    return tuple(_with_budget(outcomes)) if "needs" in entry else outcomes


def _outcome(value: object, key: str, where: str) -> Ending | Result:
    if isinstance(value, dict) and set(value) == {"r0"}:
        return _result(value["r0"], f"{key}.r0", where)
    if value == "reject":
        return Ending.REJECT
    if value == "fault":
        return Ending.FAULT
    raise VectorError(f'`{key}` must be "reject", "fault" or {{"r0": n}}', where)


def _result(value: object, key: str, where: str) -> Result:
    if isinstance(value, bool) or not isinstance(value, int) or not -_WORD // 2 <= value < _WORD:
        raise VectorError(f"`{key}` must be a 64-bit integer", where)
    return Result(value % _WORD)


def _with_budget(outcomes: tuple[Ending | Result, ...]) -> Iterator[Ending | Result]:
    """Being stopped in place of the fault, else after everything else."""
    for outcome in outcomes:
        yield Ending.STOPPED if outcome is Ending.FAULT else outcome
    if Ending.FAULT not in outcomes:
        yield Ending.STOPPED
