"""What an engine left of a program, and how two of them differ. Everything counts that a guest or its host can see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from jit.layout import NULL_BYTES, PAGE
from simulator.ebpf import CallRecord

EXITED, FAULTED, OUT_OF_FUEL = "exited", "faulted", "out of fuel"
MISJUDGED = "misjudged"  # by the reference semantics: an access that must not be, or must be
_SHOWN_BYTES = 4


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it ended, in the words of the runtime, and what the guest consists of then.

    `detail` is the result or the fault with all its particulars. `polls` were passed. `pages` are all pages that are
    accessible to the guest's process and not zero, by guest address. `happened` is not compared.
    """

    ended: str
    detail: tuple[object, ...] = ()
    registers: tuple[int, ...] = ()
    calls: tuple[CallRecord[int], ...] = ()
    polls: int | None = None  # None: nobody counted
    pages: Mapping[int, bytes] | None = None
    happened: Mapping[str, int] = field(default_factory=dict)  # on the way, what only engines that take turns do


def pages_of(memory: memoryview | bytearray, end: int) -> dict[int, bytes]:
    """The pages of [NULL_BYTES, end) that are not zero."""
    zeros = bytes(PAGE)
    pages = ((low, bytes(memory[low : low + PAGE])) for low in range(NULL_BYTES, end, PAGE))
    return {low: page for low, page in pages if page != zeros}


def differences(one: Outcome, other: Outcome) -> list[str]:
    """In words, what matters most first."""
    found = []
    if (one.ended, one.detail) != (other.ended, other.detail):
        found.append(f"ended: {ended_text(one)} | {ended_text(other)}")
    for number, (a, b) in enumerate(zip(one.registers, other.registers, strict=False)):
        if a != b:
            found.append(f"r{number}: {a:#x} | {b:#x}")
    if one.calls != other.calls:
        found.append(f"calls: {one.calls} | {other.calls}")
    if None not in (one.polls, other.polls) and one.polls != other.polls:
        found.append(f"polls: {one.polls} | {other.polls}")
    if one.pages is not None and other.pages is not None and one.pages != other.pages:
        found += _bytes_that_differ(one.pages, other.pages)
    return found


def _bytes_that_differ(one: Mapping[int, bytes], other: Mapping[int, bytes]) -> list[str]:
    zeros = bytes(PAGE)
    found = []
    for low in sorted({*one, *other}):
        a, b = one.get(low, zeros), other.get(low, zeros)
        if a != b:
            found += [f"memory {low + k:#x}: {a[k]:#04x} | {b[k]:#04x}" for k in range(PAGE) if a[k] != b[k]]
    return found[:_SHOWN_BYTES]


def ended_text(outcome: Outcome) -> str:
    """One phrase."""
    shown = " ".join(hex(part) if isinstance(part, int) else str(part) for part in outcome.detail)
    return f"{outcome.ended} {shown}".rstrip()
