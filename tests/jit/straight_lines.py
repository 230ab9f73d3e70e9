"""Random programs without loops, full of what becomes one instruction or shares a check; and guests to run them.

Registers r6 to r9 point into memory, most of them near an end of a region: where the analysis knows it, where it does
not, and where it is wrong about it. At the end all registers are stored to the frame.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from random import Random

from jit.layout import Layout, Region, Span, plan
from runtime import Host, Outcome, Program, load_bytecode
from tests.corpus.assembly import (
    ALU_CODES,
    EXIT,
    alu_imm,
    alu_reg,
    branch_imm,
    byte_order,
    ja,
    lddw,
    load,
    load_signed,
    mov_reg,
    store,
    store_imm,
)

REGIONS = (Region.READ_ONLY, Region.WRITABLE, Region.CALLDATA, Region.STACK)
CONSTANTS = bytes(range(0x81, 0x81 + 60))
DATA = bytes(range(0x11, 0x11 + 72))
INPUT = bytes(range(0x31, 0x31 + 56))
LAYOUT = plan(len(CONSTANTS), len(DATA), len(INPUT))
MASK = 0x5A5A_0000_0000


@functools.cache
def _host() -> Host:
    return Host()


def bare(code: bytes, engine: str) -> Program:
    """A program of bare code, with the read-only and writable data that otherwise only objects have."""
    made = load_bytecode(code, engine=engine, host=_host(), calldata_bytes=len(INPUT))
    made.read_only, made.writable, made._writable_size = CONSTANTS, DATA, len(DATA)
    made._layouts.clear()
    assert made.layout_for(len(INPUT)) == LAYOUT
    return made


def ending(by: Program, mem: bytes) -> tuple[Outcome, list[int], bytes]:
    """How a run ends: outcome, registers, and all memory that it could have written."""
    with by.instantiate() as guest:
        outcome = guest.run(mem, fuel=1 << 10)
        spans = [span_of(region) for region in REGIONS]
        memory = b"".join(guest.slot_memory[span.low : span.low + span.size] for span in spans)
        return outcome, guest.context.registers(), memory


def span_of(region: Region, layout: Layout = LAYOUT) -> Span:
    """The region; of the stack, the entry's frame."""
    if region is Region.STACK:
        return Span(layout.frame_top(0) - layout.frame_bytes, layout.frame_bytes)
    return layout.span(region)


def base_of(register: int, region: Region, known: str) -> tuple[bytes, int]:
    """Code that gives r`register` a pointer that the analysis knows, and its value: to `region`, or to another."""
    if known == "guessed wrong":
        region = Region.CALLDATA if region is Region.STACK else Region.STACK
    match region:
        case Region.STACK:
            return mov_reg(register, 10), LAYOUT.frame_top(0)
        case Region.CALLDATA:
            return mov_reg(register, 1), LAYOUT.calldata.low
        case _:
            low = LAYOUT.span(region).low
            return lddw(register, low), low


def pointer(register: int, scratch: int, region: Region, known: str, address: int) -> bytes:
    """Code that makes r`register` the address, in or near `region`; r1 must still point to the input."""
    if known == "unknown":
        return lddw(register, address ^ MASK) + lddw(scratch, MASK) + alu_reg("xor", 64, register, scratch)
    base, start = base_of(register, region, known)
    return base + alu_imm("add", 64, register, address - start)


# ---------------------------------------------------------------- random programs

_VALUES = range(6)  # registers that hold numbers
_POINTERS = range(6, 10)


def program(random: Random) -> bytes:
    """See the module. Ends with an exit, or with a fault."""
    code = []
    for register in reversed(_POINTERS):
        region = random.choice(REGIONS)
        span = span_of(region)
        inside = random.randrange(16, span.size - 24)
        at = random.choice((inside, inside, inside, random.randrange(0, 24), span.size - random.randrange(1, 32)))
        known = random.choice(("guessed", "guessed", "unknown", "guessed wrong"))
        code.append(pointer(register, 0, region, known, span.low + at))
    code += [lddw(register, _number(random)) for register in _VALUES]
    for _ in range(random.randrange(4, 14)):
        pattern = random.choice(PATTERNS)
        code.append(pattern(random))
        if random.random() < 0.15:
            code.append(_skipped(random))
    code += [store(8, 10, -8 * (register + 1), register) for register in range(10)]
    return b"".join([*code, EXIT])


def _number(random: Random) -> int:
    edge = random.choice((0, 1 << 31, 1 << 32, 1 << 63))
    return random.choice((random.getrandbits(64), edge + random.randrange(-3, 4), random.randrange(64))) % 2**64


def _skipped(random: Random) -> bytes:
    """Something that a branch may go around, so that labels stand in the middle of patterns."""
    inner = random.choice(PATTERNS)(random)
    slots = len(inner) // 8
    name, bits, register = random.choice(("jeq", "jsgt", "jset", "jlt")), random.choice((32, 64)), random.randrange(6)
    if random.random() < 0.5:
        return branch_imm(name, bits, register, random.randrange(-2, 3), 1) + ja(slots) + inner
    return branch_imm(name, bits, register, random.randrange(-2, 3), random.randrange(slots + 1)) + inner


def _bits(random: Random) -> int:
    return random.choice((32, 64, 64))


def _sum(random: Random) -> bytes:
    """Mostly a sum in two instructions, else beside it."""
    dst, src, other = (random.choice(_VALUES) for _ in range(3))
    first = mov_reg(dst, random.choice((src, src, 10, random.choice(_POINTERS))))
    if random.random() < 0.3:
        count = random.choice((0, 1, 2, 3, 3, 4, 63))
        first = alu_imm("lsh", _bits(random), dst, count)
    second = random.choice(
        (
            alu_reg("add", _bits(random), dst, random.choice((other, other, dst, 10))),
            alu_imm("add", _bits(random), dst, random.choice((0, 1, -1, -(1 << 31), (1 << 31) - 1))),
            alu_reg(random.choice(("sub", "add")), 64, random.choice(_VALUES), other),
        )
    )
    return first + second


def _rotation(random: Random) -> bytes:
    """Mostly a rotation in four or five instructions, else one field away from it."""
    bits, shift = random.choice((32, 64)), random.choice(("lsh", "rsh"))
    part, source, target = random.sample(_VALUES, 3)
    k = random.randrange(1, bits)
    opposite = "rsh" if shift == "lsh" else "lsh"
    five = random.random() < 0.5
    into = target if five else source
    run = [alu_reg("mov", bits, part, source), alu_imm(shift, bits, part, k)]
    run += [alu_reg("mov", bits, target, source)] if five else []
    run += [alu_imm(opposite, bits, into, bits - k), alu_reg("or", bits, into, part)]
    if random.random() < 0.3:
        run[random.randrange(len(run))] = random.choice((_arithmetic(random), alu_reg("or", 96 - bits, into, part)))
    if random.random() < 0.1:
        del run[random.randrange(len(run))]
    return b"".join(run)


def _arithmetic(random: Random) -> bytes:
    dst, src, bits = random.choice(_VALUES), random.choice(_VALUES), random.choice((32, 64))
    return random.choice(
        (
            alu_reg(random.choice(list(ALU_CODES)), bits, dst, src),
            alu_imm(random.choice(list(ALU_CODES)), bits, dst, random.randrange(-70, 70)),
            byte_order(random.choice(("le", "be", "bswap")), random.choice((16, 32, 64)), dst),
        )
    )


def _group(random: Random) -> bytes:
    """Accesses off one base, with something between them now and then."""
    base = random.choice(_POINTERS)
    code = []
    for _ in range(random.randrange(2, 6)):
        offset, size = random.randrange(-16, 17), random.choice((1, 2, 4, 8))
        value = random.choice(_VALUES)
        code.append(
            random.choice(
                (
                    load(size, value, base, offset),
                    load(size, value, base, offset),
                    load_signed(min(size, 4), value, base, offset),
                    store(size, base, offset, random.choice((value, value, base, 10))),
                    store_imm(size, base, offset, random.randrange(-99, 99)),
                )
            )
        )
        between = random.random()
        if between < 0.2:
            code.append(random.choice((_arithmetic, _sum, _rotation))(random))
        elif between < 0.25:
            code.append(alu_imm("add", 64, base, random.randrange(-2, 3)))
    return b"".join(code)


PATTERNS: tuple[Callable[[Random], bytes], ...] = (_sum, _rotation, _group, _group, _arithmetic)
