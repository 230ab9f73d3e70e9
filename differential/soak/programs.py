"""What the guests of a soak do. Each program shows one way in which a guest's state could go wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from differential.hostile.elf_writer import EXIT, NOBITS, WIDE_64, A, Rel, Sec, W, X, call, code, lddw, write
from runtime import GuestMemory, Host, Program, load, load_bytecode
from runtime.helpers import HelperFunction

HELPER = 3
Slot = tuple[int, int, int, int, int]


def answered(value: int) -> int:
    """What the helper answers: a function of its first argument, so that a call that is made again changes nothing."""
    return (value * 3 + 1) % 2**64


def _helper(_memory: GuestMemory, value: int, *_: int) -> int:
    return answered(value)


async def _awaited(_memory: GuestMemory, value: int, *_: int) -> int:
    await asyncio.sleep(0)
    return answered(value)


HELPERS: Mapping[int | str, HelperFunction] = {HELPER: _helper}
AWAITED: Mapping[int | str, HelperFunction] = {HELPER: _awaited}


def _mov(register: int, value: int) -> Slot:
    return (0xB7, register, 0, 0, value)


def _add(register: int, value: int) -> Slot:
    return (0x07, register, 0, 0, value)


def _calldata() -> bytes:
    """Each byte of the input plus one, and their sum; an empty input is 0."""
    return code(
        _mov(0, 0),
        (0x15, 2, 0, 6, 0),  # jeq r2, 0, end
        (0x71, 3, 1, 0, 0),  # round: ldxb r3, [r1]
        (0x0F, 0, 3, 0, 0),
        _add(3, 1),
        (0x73, 1, 3, 0, 0),  # stxb [r1], r3
        _add(1, 1),
        (0x17, 2, 0, 0, 1),
        (0x55, 2, 0, -7, 0),  # jne r2, 0, round
        EXIT,
    )


def _recursion() -> bytes:
    """Six frames deep, each written at both ends; the sum of what they hold."""
    return code(
        _mov(1, 6),
        call(1),
        EXIT,
        (0x7B, 10, 1, -8, 0),  # function: [r10-8] := r1
        (0x7B, 10, 1, -4096, 0),
        (0xBF, 6, 1, 0, 0),
        _mov(0, 0),
        (0x17, 1, 0, 0, 1),
        (0x15, 1, 0, 1, 0),
        call(-7),
        (0x79, 3, 10, -8, 0),
        (0x79, 4, 10, -4096, 0),
        (0x0F, 0, 3, 0, 0),
        (0x0F, 0, 4, 0, 0),
        (0x0F, 0, 6, 0, 0),
        EXIT,
    )


def _waiting() -> bytes:
    """Twenty helper calls in a loop, what they answered in the frame and in a register that calls keep."""
    return code(
        _mov(6, 20),
        _mov(7, 1),
        (0xBF, 1, 7, 0, 0),  # round: r1 := r7
        call(HELPER, 0),
        (0xBF, 7, 0, 0, 0),
        (0x7B, 10, 0, -16, 0),
        (0x17, 6, 0, 0, 1),
        (0x55, 6, 0, -6, 0),
        (0x79, 0, 10, -16, 0),
        (0x1F, 0, 7, 0, 0),  # zero, if both are the same
        (0x0F, 0, 7, 0, 0),
        EXIT,
    )


def _fault() -> bytes:
    """Writes up through the input until it ends, and faults there; so does an empty input, at once."""
    return code((0x72, 1, 0, 0, 0x5A), _add(1, 1), (0x05, 0, 0, -3, 0), EXIT)


def _too_deep() -> bytes:
    """Calls itself until there is no frame, having written each."""
    return code((0x7B, 10, 1, -4096, 0), call(-2), EXIT)


def _spin() -> bytes:
    return code(_mov(6, 0), _add(6, 1), (0x7B, 10, 6, -8, 0), (0x05, 0, 0, -3, 0))


def _spin_waiting() -> bytes:
    return code(_mov(1, 7), call(HELPER, 0), (0xBF, 1, 0, 0, 0), (0x05, 0, 0, -3, 0))


def _scan() -> bytes:
    """All of its frame, ored together: zero for a guest that is new, whoever had the slot before."""
    return code(
        _mov(0, 0),
        (0xBF, 1, 10, 0, 0),
        _mov(2, 512),
        _add(1, -8),  # round
        (0x79, 3, 1, 0, 0),
        (0x4F, 0, 3, 0, 0),
        (0x17, 2, 0, 0, 1),
        (0x55, 2, 0, -5, 0),
        (0x7A, 10, 0, -8, 1),  # so that its next run sees one
        EXIT,
    )


def _data() -> bytes:
    """An object: counts its runs in .data, leaves a mark per run in .bss, and adds a constant of .rodata."""
    text = code(
        *lddw(6),
        (0x79, 7, 6, 0, 0),
        _add(7, 1),
        (0x7B, 6, 7, 0, 0),
        *lddw(8),
        (0xBF, 9, 7, 0, 0),
        (0x57, 9, 0, 0, 63),
        (0x0F, 8, 9, 0, 0),
        (0x71, 3, 8, 0, 0),
        (0x73, 8, 7, 0, 0),
        *lddw(4),
        (0x79, 0, 4, 0, 0),
        (0x0F, 0, 7, 0, 0),
        (0x0F, 0, 3, 0, 0),
        EXIT,
    )
    sections = (
        Sec(".text", A | X, text),
        Sec(".data", A | W, (1000).to_bytes(8, "little")),
        Sec(".bss", A | W, 64, NOBITS),
        Sec(".rodata", A, (7 << 40).to_bytes(8, "little")),
    )
    pointers = (Rel(0, WIDE_64, ".data"), Rel(40, WIDE_64, ".bss"), Rel(96, WIDE_64, ".rodata"))
    return write(sections, (), {".text": pointers})


@dataclass(frozen=True)
class Kind:
    """A program of the soak. `ends`: by itself, some time."""

    make: Callable[[], bytes]
    ends: bool = True
    is_elf: bool = False

    def load(self, host: Host, engine: str, awaited: bool = False) -> Program:
        """`awaited`: with a coroutine for its helper."""
        helpers = AWAITED if awaited else HELPERS
        return (load if self.is_elf else load_bytecode)(self.make(), helpers, engine=engine, host=host)


PROGRAMS = {
    "calldata": Kind(_calldata),
    "recursion": Kind(_recursion),
    "waiting": Kind(_waiting),
    "fault": Kind(_fault),
    "too deep": Kind(_too_deep),
    "spin": Kind(_spin, ends=False),
    "spin waiting": Kind(_spin_waiting, ends=False),
    "scan": Kind(_scan),
    "data": Kind(_data, is_elf=True),
}


def canary_code() -> bytes:
    """2,000 rounds over a value in the frame and one in calldata; `canary_result` is what they come to."""
    return code(
        (0xBF, 6, 1, 0, 0),
        _mov(7, 2000),
        (0x7B, 10, 7, -8, 0),
        (0x79, 1, 10, -8, 0),  # round
        (0x27, 1, 0, 0, 5),
        _add(1, 3),
        (0x7B, 10, 1, -8, 0),
        (0x7B, 6, 1, 0, 0),
        (0x17, 7, 0, 0, 1),
        (0x55, 7, 0, -7, 0),
        (0x79, 0, 6, 0, 0),
        EXIT,
    )


def canary_result() -> int:
    value = 2000
    for _ in range(2000):
        value = (5 * value + 3) % 2**64
    return value
