"""Local calls, helper calls and exit: what crosses the border in each direction, and the limit on depth.

Helper 5 returns its first argument.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

from jit.layout import plan
from simulator.ebpf import FaultKind
from tests.corpus.assembly import (
    EXIT,
    alu_imm,
    alu_reg,
    branch_imm,
    call_helper,
    call_local,
    lddw,
    load,
    mov,
    mov_reg,
    store,
    store_imm,
)
from tests.corpus.case import SENTINELS, Case, Stop

FRAMES = 8
CALLDATA_AT, R9_AT = -8, -16
WORDS = 11
_EMPTY = bytes(8 * WORDS)
_SET_SENTINELS = b"".join(lddw(register, value) for register, value in enumerate(SENTINELS))


def _dump() -> bytes:
    """Store r0 to r10 to calldata, whose address lies at r10 - 8; clobbers r9 and r0."""
    code = [store(8, 10, R9_AT, 9), load(8, 9, 10, CALLDATA_AT)]
    code += [store(8, 9, 8 * register, register) for register in (*range(9), 10)]
    code += [load(8, 0, 10, R9_AT), store(8, 9, 72, 0), mov(0, 1), EXIT]
    return b"".join(code)


def _words(registers: tuple[int, ...], frame_top: int) -> bytes:
    return struct.pack("<11Q", *registers, frame_top)


def _slots(code: bytes) -> int:
    return len(code) // 8


def _helper() -> Iterator[Case]:
    frame_top = plan(calldata_size=len(_EMPTY)).frame_top(0)
    code = store(8, 10, CALLDATA_AT, 1) + _SET_SENTINELS + call_helper(5) + _dump()
    after = (SENTINELS[1], 0, 0, 0, 0, 0, *SENTINELS[6:])
    yield Case("a helper returns in r0 and leaves nothing in r1 to r5", code, _EMPTY, 1, _words(after, frame_top))


def _local() -> Iterator[Case]:
    layout = plan(calldata_size=len(_EMPTY))
    save, dump = store(8, 10, CALLDATA_AT, 1), _dump()

    # the callee clobbers everything, then returns
    clobber = b"".join(mov(register, register - 100) for register in range(10))
    after = (*((register - 100) % 2**64 for register in range(6)), *SENTINELS[6:])
    code = save + _SET_SENTINELS + call_local(_slots(dump)) + dump + clobber + EXIT
    yield Case("a return restores r6 to r9 and r10 only", code, _EMPTY, 1, _words(after, layout.frame_top(0)))

    # the callee dumps what it sees: r1 must survive, so the pointer goes through the caller's frame by r4
    passed = (*SENTINELS[:4], layout.frame_top(0), *SENTINELS[5:])
    fetch = mov_reg(5, 0) + load(8, 0, 4, CALLDATA_AT) + store(8, 10, CALLDATA_AT, 0) + mov_reg(0, 5)
    seen = (*passed[:5], passed[0], *passed[6:])  # r5 is the callee's own scratch
    code = save + _SET_SENTINELS + mov_reg(4, 10) + call_local(1) + EXIT + fetch + dump
    yield Case("a callee sees all registers of its caller", code, _EMPTY, 1, _words(seen, layout.frame_top(1)))

    code = save + _SET_SENTINELS + call_local(1) + EXIT + mov_reg(0, 5) + EXIT
    yield Case("a callee sees r5", code, _EMPTY, SENTINELS[5], _EMPTY)

    # call backwards; then the same function from two places
    function = alu_imm("add", 64, 1, 1) + mov_reg(0, 1) + EXIT
    code = mov(1, 0) + call_local(3) + alu_imm("add", 64, 0, 100) + call_local(1) + EXIT + function
    yield Case("a return goes behind the call that was made", code, b"", 2, b"")
    outer = call_local(2) + alu_imm("mul", 64, 0, 3) + EXIT + function
    code = mov(1, 5) + call_local(2) + alu_imm("add", 64, 0, 100) + EXIT + outer
    yield Case("returns are last in, first out", code, b"", 3 * 6 + 100, b"")
    recursion = branch_imm("jne", 64, 1, 0, 1) + EXIT + alu_imm("sub", 64, 1, 1) + alu_imm("add", 64, 0, 7)
    recursion += call_local(-_slots(recursion) - 1) + EXIT
    yield Case("a backward call", mov(0, 0) + mov(1, 4) + call_local(1) + EXIT + recursion, b"", 28, b"")


def _frames() -> Iterator[Case]:
    layout = plan()
    for at in (-8, -4096):
        caller = store_imm(8, 10, at, 11) + call_local(2) + load(8, 0, 10, at) + EXIT
        code = caller + store_imm(8, 10, at, 22) + EXIT
        yield Case(f"a callee's frame is not its caller's at {at}", code, b"", 11, b"")
    code = mov_reg(1, 10) + call_local(2) + load(8, 0, 10, -8) + EXIT + store_imm(8, 1, -8, 33) + EXIT
    yield Case("a callee may write its caller's frame through a pointer", code, b"", 33, b"")
    code = mov_reg(6, 10) + call_local(3) + mov_reg(0, 6) + alu_reg("sub", 64, 0, 10) + EXIT + EXIT
    yield Case("r10 is back after the return", code, b"", 0, b"")
    code = mov_reg(1, 10) + call_local(1) + EXIT + mov_reg(0, 10) + alu_reg("sub", 64, 0, 1) + EXIT
    yield Case("a callee's r10 is one frame on", code, b"", layout.frame_stride, b"")
    for offset in (-8, -4096):
        code = call_local(2) + load(8, 0, 0, offset) + EXIT + mov_reg(0, 10) + EXIT
        fault = Stop(FaultKind.OUT_OF_BOUNDS, 1, layout.frame_top(1) + offset, 8)
        yield Case(f"a frame that is not live may not be read at {offset}", code, b"", fault, b"")
        code = mov_reg(1, 10) + call_local(1) + EXIT + load(8, 0, 1, offset) + EXIT
        yield Case(f"a live frame below may be read at {offset}", code, b"", 0, b"")
    for offset, inside in ((-4096, True), (-4097, False), (-8, True), (-7, False)):
        code = mov(0, 0) + call_local(1) + EXIT + load(8, 0, 10, offset) + EXIT
        fault = Stop(FaultKind.OUT_OF_BOUNDS, 3, layout.frame_top(1) + offset, 8)
        yield Case(f"a callee's frame at {offset}", code, b"", 0 if inside else fault, b"")


def _depth() -> Iterator[Case]:
    """Recursion to every depth around the limit; each frame marks one word of calldata on its way down."""
    for frames in range(2, FRAMES + 3):
        mem = bytes(8 * (FRAMES + 3))
        layout = plan(calldata_size=len(mem))
        # f(r1 = place in calldata, r2 = calls left): store r10; if r2 = 0 return 5; else f(r1 + 8, r2 - 1) + 1
        body = store(8, 1, 0, 10) + mov(0, 5) + branch_imm("jne", 64, 2, 0, 1) + EXIT
        body += alu_imm("add", 64, 1, 8) + alu_imm("sub", 64, 2, 1)
        call_f = mov(2, frames - 2) + call_local(1) + EXIT
        recursive_pc = _slots(call_f + body)
        code = call_f + body + call_local(-_slots(body) - 1) + alu_imm("add", 64, 0, 1) + EXIT
        fits = frames <= FRAMES
        ending = 5 + frames - 2 if fits else Stop(FaultKind.STACK_EXHAUSTED, recursive_pc)
        tops = [layout.frame_top(depth) for depth in range(1, min(frames, FRAMES))]
        marks = struct.pack(f"<{len(tops)}Q", *tops).ljust(len(mem), b"\0")
        yield Case(f"{frames} frames", code, mem, ending, marks)


SLICES: dict[str, Callable[[], Iterator[Case]]] = {
    "calls.helper": _helper,
    "calls.local": _local,
    "calls.frames": _frames,
    "calls.depth": _depth,
}
