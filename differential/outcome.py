"""What an engine left of a snippet, and how two of them differ."""

from __future__ import annotations

from dataclasses import dataclass, fields

from differential.snippet import PAGE, Snippet
from differential.writer import expects_defined_flags
from jit.registers import Reg
from simulator.machine import Flags

FINISHED = "finished"
DIVIDE_ERROR = "divide error"  # #DE
MEMORY_FAULT = "memory fault"
ASTRAY = "went astray"  # to an address where there is no code of the snippet
ENDLESS = "does not end"
MOST_STEPS = 400  # instructions of a snippet that are executed, loops included

FLAGS = tuple(field.name for field in fields(Flags))  # cf, zf, sf, of


UNDEFINED: Flags[int] = Flags()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it ended. State is there only if it finished.

    The model knows which flags are defined (`judges`): the others are None. A processor has some value in each.
    """

    ended: str
    registers: tuple[int, ...] = ()
    flags: Flags[int] = UNDEFINED
    page: bytes = b""
    judges: bool = False
    accesses: tuple[tuple[int, int, bool], ...] | None = None  # address, size, write; if the engine records them


def differences(snippet: Snippet, one: Outcome, other: Outcome) -> list[str]:
    """In words. Flags count where the model says that they are defined, or else where they surely are by the manual.

    One that the model leaves undefined although it surely is defined counts, too.
    """
    if one.ended != other.ended:
        return [f"ended: {one.ended} | {other.ended}"]
    if one.ended != FINISHED:
        return []
    found = []
    for reg in Reg:
        if one.registers[reg] != other.registers[reg]:
            found.append(f"{reg.name}: {one.registers[reg]:#x} | {other.registers[reg]:#x}")
    surely = expects_defined_flags(snippet)
    for name in FLAGS:
        a, b = getattr(one.flags, name), getattr(other.flags, name)
        if a != b and (surely or (None not in {a, b} and (one.judges or other.judges))):
            found.append(f"{name}: {_bit(a)} | {_bit(b)}")
    if one.page != other.page:
        found += [
            f"scratch+{k:#x}: {one.page[k]:#04x} | {other.page[k]:#04x}"
            for k in range(PAGE)
            if one.page[k] != other.page[k]
        ]
    if one.accesses is not None and other.accesses is not None and one.accesses != other.accesses:
        found.append(f"accesses: {one.accesses} | {other.accesses}")
    return found


def _bit(flag: int | None) -> str:
    return "undefined" if flag is None else str(flag)
