"""A program with its outcome, and the batching of many one-instruction checks into one program.

A batch runs each check so that everything it changed can be seen:

    cell := 16 bytes in the frame       if the check looks at memory
    r0 .. r9 := the check's registers   by lddw
    the check's own instructions
    record := r0 .. r9, cell            stored to calldata, compared by the host

Fixed places in the frame, relative to r10: -8 calldata pointer, -16 r9 while it is the base of the stores, -32 cell.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from jit.layout import Layout, plan
from simulator.ebpf import FaultKind
from tests.corpus.assembly import EXIT, lddw, load, mov, store

CHECKS_PER_PROGRAM = 64
RECORD_BYTES = 96
CALLDATA_AT, R9_AT, CELL_AT = -8, -16, -32  # relative to r10
FRAME_TOP = plan(calldata_size=CHECKS_PER_PROGRAM * RECORD_BYTES).frame_top(0)  # r10 in every batch
CELL = FRAME_TOP + CELL_AT

SENTINELS = tuple(0xC0DE_0000_9000_0001 * (register + 3) % 2**64 for register in range(10))  # both halves matter


@dataclass(frozen=True, slots=True)
class Stop:
    """A fault: everything that engines must agree on."""

    kind: FaultKind
    pc: int
    address: int | None = None
    size: int = 0
    write: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """What an engine saw: r0, the fault, or None if it ran on for ever, and the regions afterwards."""

    ending: int | Stop | None
    mem: bytes
    writable: bytes


@dataclass(frozen=True, slots=True)
class Case:
    """Run `code` from slot 0 with r1 = address of `mem` (0 if it is empty) and r2 = its length.

    `mem` is calldata; a few cases have read-only and writable data as well.
    """

    name: str
    code: bytes
    mem: bytes
    expected: int | Stop
    mem_after: bytes
    labels: tuple[str, ...] = ()  # what each record of a batch checks
    read_only: bytes = b""
    writable: bytes = b""
    writable_after: bytes = b""

    def mismatch(self, seen: Seen) -> str | None:
        """How `seen` differs from what is right, or None."""
        if seen.ending != self.expected:
            return f"{self.name}: ended with {_shown(seen.ending)}, right is {_shown(self.expected)}"
        if seen.writable != self.writable_after:
            return f"{self.name}: writable data is {seen.writable.hex()}, right is {self.writable_after.hex()}"
        for start in range(0, len(self.mem_after), 8):
            got, right = seen.mem[start : start + 8], self.mem_after[start : start + 8]
            if got != right:
                record, word = divmod(start // 8, RECORD_BYTES // 8)
                what = f"{self.labels[record]}: word {word}" if self.labels else f"{self.name}: byte {start}"
                return f"{what} is {got[::-1].hex()}, right is {right[::-1].hex()}"
        return None


def layout_of(case: Case) -> Layout:
    """The layout under which the case's addresses are right."""
    return plan(len(case.read_only), len(case.writable), len(case.mem))


@dataclass(frozen=True, slots=True)
class Check:
    """From `before` and `cell`, `code` leads to `after` and `cell_after`. All ten registers are compared."""

    label: str
    code: bytes
    before: tuple[int, ...]
    after: tuple[int, ...]
    cell: bytes = b""
    cell_after: bytes = b""


def registers(changes: Mapping[int, int], base: tuple[int, ...] = SENTINELS) -> tuple[int, ...]:
    """`base` with some registers changed. r10 may be named, but is not ours to set."""
    return tuple(changes.get(register, value) % 2**64 for register, value in enumerate(base))


def batches(name: str, checks: Iterable[Check]) -> Iterator[Case]:
    """The checks, in as few programs as possible."""
    remaining = iter(checks)
    number = 0
    while chunk := tuple(islice(remaining, CHECKS_PER_PROGRAM)):
        yield _batch(f"{name} #{number}", chunk)
        number += 1


def _batch(name: str, checks: tuple[Check, ...]) -> Case:
    code = [store(8, 10, CALLDATA_AT, 1)]
    expected = b""
    for number, check in enumerate(checks):
        code += [_set_up(check), check.code, _record(check, number * RECORD_BYTES)]
        expected += (struct.pack("<10Q", *check.after) + check.cell_after).ljust(RECORD_BYTES, b"\0")
    code += [mov(0, len(checks)), EXIT]
    size = CHECKS_PER_PROGRAM * RECORD_BYTES  # the same for all: so FRAME_TOP is a constant
    labels = tuple(check.label for check in checks)
    return Case(name, b"".join(code), bytes(size), len(checks), expected.ljust(size, b"\0"), labels)


def _set_up(check: Check) -> bytes:
    code = [lddw(register, value) for register, value in enumerate(check.before)]
    words = struct.unpack("<2Q", check.cell) if check.cell else ()
    cell = [lddw(0, word) + store(8, 10, CELL_AT + 8 * index, 0) for index, word in enumerate(words)]
    return b"".join(cell + code)


def _record(check: Check, at: int) -> bytes:
    code = [store(8, 10, R9_AT, 9), load(8, 9, 10, CALLDATA_AT)]
    code += [store(8, 9, at + 8 * register, register) for register in range(9)]
    code += [load(8, 0, 10, R9_AT), store(8, 9, at + 72, 0)]
    if check.cell:
        for index in range(2):
            code += [load(8, 0, 10, CELL_AT + 8 * index), store(8, 9, at + 80 + 8 * index, 0)]
    return b"".join(code)


def _shown(ending: int | Stop | None) -> str:
    return f"r0 = {ending:#x}" if isinstance(ending, int) else str(ending)
