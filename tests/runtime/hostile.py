"""Programs that mean harm, from a seed: each kind goes for one promise of the runtime.

A `Hostile` is bytes and an input; nothing says what becomes of it, except that two engines must agree.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from jit.layout import Layout, Profile, plan
from tests.corpus.assembly import (
    ALU_CODES,
    ATOMIC_CODES,
    BRANCH_CODES,
    EXIT,
    alu_imm,
    alu_reg,
    atomic,
    branch_imm,
    branch_reg,
    byte_order,
    call_helper,
    call_local,
    ja,
    lddw,
    load,
    load_signed,
    mov,
    mov_reg,
    movsx,
    neg,
    store,
    store_imm,
)

READ, WRITE, TEXT, ECHO = 1, 2, 3, 5  # helpers: (pointer, length), (pointer, length), (pointer), (value)
PROFILE = Profile(4096, 4)
SIZES = (1, 2, 4, 8)


@dataclass(frozen=True)
class Hostile:
    kind: str
    code: bytes
    mem: bytes


def programs(seed: int, count: int) -> list[Hostile]:
    """`count` programs, the kinds in turn."""
    random = Random(seed)
    made = []
    for number in range(count):
        kind = list(KINDS)[number % len(KINDS)]
        mem = random.randbytes(random.choice((0, 1, 7, 8, 24, 4096, 5000)))
        made.append(Hostile(kind, KINDS[kind](random, plan(calldata_size=len(mem), profile=PROFILE)), mem))
    return made


def _number(random: Random) -> int:
    """64 bits, mostly near something."""
    near = random.choice((0, 1 << 15, 1 << 16, 1 << 31, 1 << 32, 1 << 47, 1 << 63))
    return random.choice((near + random.randrange(-9, 10), random.getrandbits(64), -1)) % 2**64


def _edge(random: Random, layout: Layout) -> int:
    """An address, mostly just inside an end of memory, else just outside one, or of nothing at all."""
    spans = [(span.low, span.low + span.size) for span in (layout.read_only, layout.writable, layout.calldata)]
    frames = [(layout.frame_top(k) - layout.frame_bytes, layout.frame_top(k)) for k in range(layout.frames)]
    if random.random() < 0.75:
        low, end = random.choice([(low, end) for low, end in (spans[2], frames[0]) if end > low])
        return random.choice((low + random.randrange(17), end - random.randrange(1, 17)))
    others = (0, 0x10000, layout.slot_bytes, layout.slot_bytes + 4096, (1 << 32) + spans[2][0], -layout.context_bytes)
    low, end = random.choice([*spans, *frames, *((other, other) for other in others)])
    return random.choice((low, end, low, end, _number(random))) + random.randrange(-16, 17)


def _access(random: Random, base: int, offset: int) -> bytes:
    size, value = random.choice(SIZES), random.randrange(10)
    match random.randrange(5):
        case 0:
            return load(size, value, base, offset)
        case 1:
            return load_signed(min(size, 4), value, base, offset)
        case 2:
            return store(size, base, offset, random.randrange(11))
        case 3:
            return store_imm(size, base, offset, random.randrange(-(1 << 31), 1 << 31))
        case _:
            return atomic(random.choice(list(ATOMIC_CODES)), max(size, 4), base, offset, value)


# ---------------------------------------------------------------- kinds


def _random_bytes(random: Random, layout: Layout) -> bytes:
    return random.randbytes(8 * random.randrange(1, 20))


def _random_slots(random: Random, layout: Layout) -> bytes:
    """Fields that are almost right: the validator's business."""
    slots = []
    for _ in range(random.randrange(1, 12)):
        opcode = random.choice(
            (0x07, 0xBF, 0x79, 0x7B, 0xDB, 0x85, 0x95, 0x05, 0x15, 0x18, 0x37, 0xD4, random.randrange(256))
        )
        registers = random.choice((0, 0x10, 0xA0, 0x0A, 0xBB, random.randrange(256)))
        slots.append(
            struct.pack("<BBhi", opcode, registers, random.choice((0, 0, 1, -1)), random.choice((0, 1, 16, -1)))
        )
    return b"".join(slots) + EXIT


def _arithmetic(random: Random) -> bytes:
    dst, src, bits = random.randrange(10), random.randrange(11), random.choice((32, 64))
    match random.randrange(7):
        case 0:
            return alu_reg(random.choice(list(ALU_CODES)), bits, dst, src)
        case 1:
            imm = random.choice((0, 1, -1, -(1 << 31), 1 << random.randrange(31), random.randrange(-99, 99)))
            return alu_imm(random.choice(list(ALU_CODES)), bits, dst, imm)
        case 2:
            return neg(bits, dst)
        case 3:
            return movsx(random.choice((8, 16)), bits, dst, src)
        case 4:
            return byte_order(random.choice(("le", "be", "bswap")), random.choice((16, 32, 64)), dst)
        case _:
            return mov_reg(dst, src)


def _stream(random: Random, layout: Layout) -> bytes:
    """Any valid instruction after any other, with jumps to anywhere: most runs spin or fault."""
    count = random.randrange(4, 40)
    code = [lddw(register, _number(random)) for register in range(6, 10)]
    for at in range(count):
        to = random.randrange(count + 1) - at - 1
        bits = random.choice((32, 64))
        name = random.choice(list(BRANCH_CODES))
        code.append(
            random.choice(
                (
                    *(_arithmetic(random) for _ in range(6)),
                    branch_reg(name, bits, random.randrange(11), random.randrange(11), to),
                    branch_imm(name, bits, random.randrange(11), random.randrange(-3, 4), to),
                    _access(random, 10, -8 * random.randrange(1, 9)),
                    _access(random, 10, -8 * random.randrange(1, 9)),
                    _access(random, random.randrange(10), random.randrange(-9, 9)),
                    call_helper(ECHO),
                    ja(to),
                )
            )
        )
    return b"".join(code) + EXIT


def _pointers(random: Random, layout: Layout) -> bytes:
    """Addresses around every edge, through constants, sums and spills, so that the guesses are wrong as well."""
    code = []
    for _ in range(random.randrange(1, 6)):
        offset = random.choice((0, 0, 8, -8, 32767, -32768, random.randrange(-(1 << 15), 1 << 15)))
        address = (_edge(random, layout) - offset) % 2**64
        base = random.randrange(6, 10)
        match random.randrange(4):
            case 0:
                code.append(lddw(base, address))
            case 1:  # looks like calldata
                code += [
                    mov_reg(base, 1),
                    lddw(3, (address - layout.calldata.low) % 2**64),
                    alu_reg("add", 64, base, 3),
                ]
            case 2:  # looks like the frame
                code += [
                    mov_reg(base, 10),
                    lddw(3, (address - layout.frame_top(0)) % 2**64),
                    alu_reg("add", 64, base, 3),
                ]
            case _:  # spilled and reloaded
                code += [lddw(3, address), store(8, 10, -16, 3), load(8, base, 10, -16)]
        code.append(_access(random, base, offset))
    return b"".join(code) + EXIT


def _shared_checks(random: Random, layout: Layout) -> bytes:
    """Many accesses off one base, across an edge, with labels, writes of the base and divisions in between."""
    base = random.randrange(6, 10)
    code = [
        random.choice(
            (mov_reg(base, 1), mov_reg(base, 10), mov_reg(base, 10), lddw(base, _edge(random, layout) % 2**64))
        )
    ]
    code.append(alu_imm("add", 64, base, random.choice((-2048, -72, -4024, -4096, 0, random.randrange(-99, 99)))))
    for _ in range(random.randrange(3, 12)):
        other = alu_imm(random.choice(("div", "add", "mov")), 64, random.choice((2, 3, base)), random.randrange(1, 9))
        near = _access(
            random, base, random.choice((0, 8, 16, -8, random.randrange(-64, 64), random.randrange(-4200, 4200)))
        )
        code.append(random.choice((near, near, near, near, other, branch_imm("jeq", 64, 3, 0, 0), mov_reg(base, 1))))
    return b"".join(code) + EXIT


def _runs(random: Random, layout: Layout) -> bytes:
    """Sums, rotations and branches around jumps, whole and almost, with jumps into their middle."""
    code = [lddw(register, _number(random)) for register in range(10)]
    for _ in range(random.randrange(2, 8)):
        t, x, d, bits = random.randrange(5), random.randrange(5), random.randrange(5), random.choice((32, 64))
        k = random.choice((1, 2, 3, 8, random.randrange(1, bits)))
        there, back = random.choice((("lsh", "rsh"), ("rsh", "lsh")))
        rest = bits - k + (random.random() < 0.1)
        rotation = [alu_reg("mov", bits, t, x), alu_imm(there, bits, t, k)]
        rotation += [alu_reg("mov", bits, d, x)] if random.random() < 0.5 else []
        rotated = d if len(rotation) == 3 else x
        rotation += [alu_imm(back, bits, rotated, min(rest, bits - 1)), alu_reg("or", bits, rotated, t)]
        total = [alu_reg("mov", bits, t, x), random.choice((alu_reg("add", bits, t, d), alu_imm("add", bits, t, -k)))]
        scaled = [alu_imm("lsh", bits, t, k), alu_reg("add", bits, t, d)]
        name = random.choice(list(BRANCH_CODES))
        around = [
            random.choice((branch_reg(name, bits, t, x, 1), branch_imm(name, bits, t, k, 1))),
            ja(2),
            mov(t, 7),
            mov(x, 8),
        ]
        run = random.choice((rotation, total, scaled, around))
        into = random.randrange(len(run))
        code += [
            branch_reg(random.choice(list(BRANCH_CODES)), bits, t, x, into) if random.random() < 0.3 else b"",
            *run,
        ]
    code += [store(8, 10, -8 * register - 8, register) for register in range(10)]
    return b"".join(code) + EXIT


def _recursion(random: Random, layout: Layout) -> bytes:
    """Deeper than there are frames, writing on the way; pointers into callers' and dead frames."""
    depth = random.randrange(1, 7)
    top = layout.frame_top(random.randrange(layout.frames))
    body = [
        store(8, 10, -8 * random.randrange(1, 512), 7),
        lddw(8, (top - random.choice((1, 8, 9, 4096, 4097))) % 2**64),
        random.choice((mov(9, 0), load(1, 9, 8, 0), store_imm(1, 8, 0, 7), atomic("add", 8, 8, 0, 7))),
    ]
    slots = sum(len(part) // 8 for part in body)
    function = [*body, alu_imm("sub", 64, 1, 1), branch_imm("jeq", 64, 1, 0, 1), call_local(-slots - 3)]
    ending = [_access(random, 10, random.randrange(-4100, 8)), EXIT]
    return b"".join([mov(1, depth), mov(7, 0x5A), call_local(1), EXIT, *function, *ending])


def _endless(random: Random, layout: Layout) -> bytes:
    """Loops that only a poll ends, some with work, some of a whole ring of functions."""
    work = [
        random.choice((_arithmetic(random), store(8, 10, -8, 6), call_helper(ECHO))) for _ in range(random.randrange(6))
    ]
    slots = sum(len(part) // 8 for part in work)
    if random.random() < 0.3:
        return b"".join([*work, branch_imm("jeq", 64, 6, random.randrange(3), 1), ja(-slots - 2), EXIT])
    return b"".join([mov(6, 0), *work, alu_imm("add", 64, 6, 1), ja(-slots - 2), EXIT])


def _wild_frame(random: Random, layout: Layout) -> bytes:
    """r10 with any displacement there is."""
    code = []
    for _ in range(random.randrange(1, 5)):
        near = random.choice((0, -4096, -(1 << 15), (1 << 15) - 8)) + random.randrange(-9, 9)
        inside = (random.randrange(-4096, -8) & -8 for _ in range(5))
        offset = random.choice((*inside, -8, -4096, near, random.randrange(-(1 << 15), 1 << 15)))
        code.append(_access(random, 10, max(-(1 << 15), min(offset, (1 << 15) - 1))))
    return b"".join(code) + EXIT


def _atomics(random: Random, layout: Layout) -> bytes:
    """Aligned and not, in bounds and not, through the frame and through pointers, on each other's results."""
    code = [mov_reg(6, 10), lddw(0, _number(random)), lddw(7, _edge(random, layout) % 2**64)]
    for _ in range(random.randrange(1, 8)):
        base, offset = random.choice(((10, -8 * random.randrange(1, 4)), (6, -random.randrange(1, 40)), (1, 0), (7, 0)))
        name, size = random.choice(list(ATOMIC_CODES)), random.choice((4, 8))
        code.append(atomic(name, size, base, offset, random.randrange(6)))
    return b"".join(code) + EXIT


def _helpers(random: Random, layout: Layout) -> bytes:
    """Pointers and lengths that no region holds, or just does."""
    code = []
    for _ in range(random.randrange(1, 5)):
        lengths = (0, 1, 1, 1, 8, 17, 4096, 4097, layout.calldata.size, 1 << 32, (1 << 64) - 1, _number(random))
        code += [lddw(1, _edge(random, layout) % 2**64), lddw(2, random.choice(lengths) % 2**64)]
        code.append(call_helper(random.choice((READ, WRITE, TEXT))))
    return b"".join(code) + EXIT


KINDS: dict[str, Callable[[Random, Layout], bytes]] = {
    "bytes": _random_bytes,
    "slots": _random_slots,
    "stream": _stream,
    "pointers": _pointers,
    "recursion": _recursion,
    "endless": _endless,
    "frame": _wild_frame,
    "atomics": _atomics,
    "helpers": _helpers,
    "shared checks": _shared_checks,
    "runs": _runs,
}
