"""Kinds of bare code: what others' validators let through, and what others' engines got wrong.

Rows of the instruction set are taken from the validator, so that each kind ranges over all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from differential.hostile.elf_writer import EXIT as RETURN
from differential.hostile.elf_writer import call, code
from differential.hostile.kinds import EXIT, FAULT, REJECT, STOP, Case, CaseKind
from jit.layout import NULL_BYTES
from validator.decode import encode
from validator.isa import ROWS, Field, Instruction, Kind, Row, registers_written, slots

Slot = tuple[int, int, int, int, int]
FRAME, FRAMES = 4096, 8  # of the profile that guests get
_ROWS = tuple((opcode, row) for opcode, rows in sorted(ROWS.items()) for row in rows)
_READ, _WRITE = 1, 2  # helpers of `judge` that take a range


def _bare(expected: str | int, *program: Slot, mem: bytes = b"") -> Case:
    return Case(code(*program), expected, is_elf=False, mem=mem)


def _mov(register: int, value: int) -> Slot:
    return (0xB7, register, 0, 0, value)


def _wide(register: int, value: int) -> tuple[Slot, Slot]:
    value %= 2**64
    halves = [half - (1 << 32) if half >> 31 else half for half in (value & 0xFFFFFFFF, value >> 32)]
    return ((0x18, register, 0, 0, halves[0]), (0, 0, 0, 0, halves[1]))


def _of(opcode: int, row: Row, **fields: int) -> Instruction:
    """An instruction of the row: r1 and r2, and zeros; with these fields instead."""
    values = {Field.DST: 0, Field.SRC: 0, Field.OFFSET: 0, Field.IMM: 0}
    if row.field is not None:
        values[row.field] = row.value
    for name, value in fields.items():
        values[Field[name]] = value
    return Instruction(opcode, *(values[field] for field in Field))


def _program(instruction: Instruction, row: Row) -> bytes:
    following: tuple[Instruction | None, ...] = (None,) if slots(row.form) == 2 else ()
    return encode((instruction, *following, Instruction(0x95)))


def undefined(random: Random) -> Case:
    """An opcode without a row."""
    opcode = random.choice([opcode for opcode in range(256) if opcode not in ROWS])
    rest = (random.randrange(11), random.randrange(11), random.choice((0, -1, 8)), random.choice((0, 1, -1)))
    return _bare(REJECT, _mov(0, 0), (opcode, *rest), RETURN)


def reserved_field(random: Random) -> Case:
    """A field that the row does not use, or a value that selects no row."""
    opcode, row = random.choice([(opcode, row) for opcode, row in _ROWS if row.reserved])
    field = random.choice(row.reserved)
    value = random.randrange(1, 10) if field in (Field.DST, Field.SRC) else random.choice((1, -1, 8, 32767))
    return Case(_program(_of(opcode, row, **{field.name: value}), row), REJECT, is_elf=False)


def wrong_variant(random: Random) -> Case:
    """A value that selects no row, in the field that selects one."""
    opcode = random.choice([opcode for opcode, rows in ROWS.items() if rows[0].field is not None])
    field = ROWS[opcode][0].field
    assert field is not None
    taken = {row.value for row in ROWS[opcode]}
    tries = range(2, 10) if field in (Field.DST, Field.SRC) else (-1, 2, 3, 7, 9, 24, 48, 128, 0x10, 0x20, 0x100, 0xE0)
    value = random.choice([value for value in tries if value not in taken])
    row = ROWS[opcode][0]
    return Case(_program(_of(opcode, row, **{field.name: value}), row), REJECT, is_elf=False)


def no_such_register(random: Random) -> Case:
    opcode, row = random.choice([(o, r) for o, r in _ROWS if r.form.uses & {Field.DST, Field.SRC}])
    field = random.choice(sorted(row.form.uses & {Field.DST, Field.SRC}))
    if field is row.field:
        return reserved_field(random)
    return Case(_program(_of(opcode, row, **{field.name: random.randrange(11, 16)}), row), REJECT, is_elf=False)


def writes_frame_pointer(random: Random) -> Case:
    """Every row that writes a register, fetching atomics and lddw included, with r10 for it."""
    while True:
        opcode, row = random.choice(_ROWS)
        fields = {
            field.name: 10 for field in (Field.DST, Field.SRC) if field in row.form.uses and field is not row.field
        }
        if fields:
            instruction = _of(opcode, row, **fields)
            if 10 in registers_written(row.form, instruction):
                return Case(_program(instruction, row), REJECT, is_elf=False)


def malformed_wide(random: Random) -> Case:
    """An lddw without its second slot, with one that holds something, or entered in its middle."""
    first, second = _wide(random.randrange(10), random.getrandbits(64))
    spoilt = list(second)
    spoilt[random.randrange(4)] = random.randrange(1, 10)
    return random.choice(
        (
            _bare(REJECT, _mov(0, 0), first),
            _bare(REJECT, first, (spoilt[0], spoilt[1], spoilt[2], spoilt[3], spoilt[4]), RETURN),
            _bare(REJECT, (first[0], first[1], random.randrange(1, 7), 0, 0), second, RETURN),
            _bare(REJECT, _mov(0, 0), first, second),
            _bare(REJECT, (0x05, 0, 0, 1, 0), first, second, RETURN),
            _bare(REJECT, first, second, (0x15, 0, 0, -2, 0), RETURN),
            _bare(REJECT, call(2), RETURN, first, second, RETURN),
        )
    )


def no_program(random: Random) -> Case:
    """Empty, a part of a slot, or one that control runs out of."""
    return random.choice(
        (
            _bare(REJECT),
            Case(code(_mov(0, 0), RETURN)[: random.choice((1, 4, 12, 15))], REJECT, is_elf=False),
            _bare(REJECT, *[_mov(0, 0)] * random.randrange(1, 9)),
            _bare(REJECT, RETURN, call(-2)),
            _bare(REJECT, _mov(0, 0), (0x15, 0, 0, -2, 0)),
        )
    )


def jump_outside(random: Random) -> Case:
    """Out of the program, or out of the function."""
    far = random.choice((2, 3, 32767, -32768, -3))
    opcode = random.choice([o for o, r in _ROWS if r.form.kind is Kind.BRANCH])
    return random.choice(
        (
            _bare(REJECT, _mov(0, 0), (opcode, 0, 0, far, 0), RETURN),
            _bare(REJECT, _mov(0, 0), (0x05, 0, 0, far, 0), RETURN),
            _bare(REJECT, _mov(0, 0), (0x06, 0, 0, 0, random.choice((far, 2**31 - 1, -(2**31)))), RETURN),
            _bare(REJECT, call(2), (0x05, 0, 0, 2, 0), RETURN, _mov(0, 0), _mov(0, 1), RETURN),
            _bare(REJECT, call(1), RETURN, _mov(0, 0), _mov(0, 1), (0x15, 0, 0, -4, 0), RETURN),
            _bare(REJECT, call(2), call(3), RETURN, _mov(0, 0), _mov(0, 0), RETURN),  # falls into the next function
        )
    )


def call_outside(random: Random) -> Case:
    wild = random.choice((2**31 - 1, -(2**31), 1, -3, 424242))
    unknown = random.choice((424242, 0x7FFFFFFF, -1, 99, 0))
    return _bare(REJECT, *random.choice(((call(wild), RETURN), (call(unknown, 0), RETURN))))


def endless(random: Random) -> Case:
    """Only a poll ends it."""
    opcode = random.choice((0x1D, 0x3D, 0xBD, 0x7D, 0xDD, 0x1E))  # equal, or at least: true of r0 and r0
    work = [_mov(random.randrange(10), random.randrange(99)) for _ in range(random.randrange(5))]
    back = -len(work) - 1
    return random.choice(
        (
            _bare(STOP, *work, (0x05, 0, 0, back, 0)),
            _bare(STOP, *work, (0x06, 0, 0, 0, back)),
            _bare(STOP, *work, (opcode, 0, 0, back, 0), RETURN),
            _bare(STOP, *work, call(3, 0), (0x05, 0, 0, back - 1, 0)),
        )
    )


_CHECKED = (Kind.LOAD, Kind.STORE, Kind.ATOMIC)
_ACCESSES = tuple((opcode, row) for opcode, row in _ROWS if row.form.kind in _CHECKED)


def _access(random: Random, base: int, offset: int, least: int = 1) -> tuple[Slot, int]:
    """Any load, store or atomic through `base`, and how many bytes it touches."""
    opcode, row = random.choice([found for found in _ACCESSES if found[1].form.size >= least])
    if row.form.kind is Kind.LOAD:
        made = _of(opcode, row, DST=random.randrange(6), SRC=base, OFFSET=offset)
    elif Field.SRC in row.form.uses:
        made = _of(opcode, row, DST=base, SRC=random.randrange(6), OFFSET=offset)
    else:
        made = _of(opcode, row, DST=base, OFFSET=offset, IMM=random.randrange(99))
    return (made.opcode, made.dst, made.src, made.offset, made.imm), row.form.size


def outside_calldata(random: Random) -> Case:
    """One byte too far, or too low, of an input of any size, none included."""
    size = random.choice((0, 1, 2, 3, 4, 7, 8, 16, 4095, 4096, 4097))
    for _ in range(99):
        slot, width = _access(random, 6, 0)
        past = random.choice((size - width + 1, size, size - 1, -1, -width, -8, size + 4096))
        aligned = slot[0] in (0xC3, 0xDB)
        if (past < 0 or past + width > size) and (not aligned or past % width == 0):
            break
    offset = random.choice((0, 8, -8, 32760, -32768))
    adjust = past - offset
    program = ((0xBF, 6, 1, 0, 0), (0x07, 6, 0, 0, adjust), (*slot[:3], offset, slot[4]), RETURN)
    return _bare(FAULT, *program, mem=random.randbytes(size))


def inside_calldata(random: Random) -> Case:
    """The first and the last byte that may be read."""
    mem = random.randbytes(random.choice((1, 2, 3, 8, 16, 4096, 4097)))
    at = random.choice((0, len(mem) - 1))
    offset = random.choice((0, at if at < 32768 else 0, 32767, -32768))
    slots = ((0x07, 1, 0, 0, at - offset), (0x71, 0, 1, offset, 0), RETURN)
    return _bare(mem[at], *slots, mem=mem)


def wild_pointer(random: Random) -> Case:
    """Null, small, negative, wrapping, not canonical, 2^32 beyond something, a guess of a host's address."""
    near = random.choice((0, 1 << 15, 1 << 32, 1 << 47, 1 << 63, 2**64, 0x7F0000000000, 0x560000000000))
    address = near + random.choice((0, 1, 4, 8, -1, -4, -8, -16))
    if 0 < (address % 2**64) - NULL_BYTES < 1 << 32:
        address = 0
    slot, _ = _access(random, 7, 0)
    return _bare(FAULT, *_wide(7, address), slot, RETURN, mem=b"\x11" * 8)


def folded_pointer(random: Random) -> Case:
    """A good pointer plus something that a narrower computation would lose."""
    more = random.choice((1 << 32, 1 << 63, 1 << 48, -(1 << 32), 3 << 40))
    slot, _ = _access(random, 6, 0)
    sum_of = (0x0F, 6, 7, 0, 0)  # add r6, r7
    return _bare(
        FAULT, (0xBF, 6, random.choice((1, 10)), 0, 0), *_wide(7, more - 8), sum_of, slot, RETURN, mem=bytes(8)
    )


def outside_frame(random: Random) -> Case:
    """r10 with any displacement that leaves the frame, at any depth, directly and through a copy."""
    for _ in range(99):
        slot, width = _access(random, 10, 0)
        offset = random.choice((0, 1 - width, -1, -FRAME - 1, -FRAME - 8, 8, 32760, -32768, -FRAME - width))
        aligned = slot[0] in (0xC3, 0xDB)
        if (offset > -width or offset < -FRAME) and (not aligned or offset % width == 0):
            break
    depth = random.randrange(3)
    body: tuple[Slot, ...] = ((*slot[:3], offset, slot[4]), RETURN)
    if random.random() < 0.3:
        copied = (*slot[:2], 9) if slot[2] == 10 else (slot[0], 9, slot[2])
        body = ((0xBF, 9, 10, 0, 0), (copied[0], copied[1], copied[2], offset, slot[4]), RETURN)
    return _bare(FAULT, *[part for _ in range(depth) for part in (call(1), RETURN)], *body)


def unaligned_atomic(random: Random) -> Case:
    opcode, row = random.choice([found for found in _ACCESSES if found[1].form.kind is Kind.ATOMIC])
    width = row.form.size
    offset = -random.choice([at for at in range(width, 40) if at % width])
    made = _of(opcode, row, DST=10, SRC=random.randrange(6), OFFSET=offset)
    return _bare(FAULT, (made.opcode, made.dst, made.src, made.offset, made.imm), RETURN)


def pointer_changed(random: Random) -> Case:
    """A pointer that was good is overwritten by what some analysis forgets: an atomic's result, a callee, a helper."""
    spilled = (
        (0x7B, 10, 1, -8, 0),
        _mov(2, 64),
        (0xDB, 10, 2, -8, 0),
        (0x79, 3, 10, -8, 0),
        (0x71, 0, 3, 0, 0),
        RETURN,
    )
    exchanged = (
        (0x7A, 10, 0, -8, 99),
        (0xBF, 0, 1, 0, 0),
        (0xDB, 10, 2, -8, 0xF1),
        (0x71, 0, 0, 0, 0),
        RETURN,
    )
    fetched = ((0x7A, 10, 0, -8, 99), (0xBF, 2, 1, 0, 0), (0xDB, 10, 2, -8, 0x01), (0x71, 0, 2, 0, 0), RETURN)
    helper = ((0xBF, 1, 1, 0, 0), call(3, 0), (0x71, 0, 1, 0, 0), RETURN)
    dead = (call(2), (0x71, 0, 6, 0, 0), RETURN, (0xBF, 0, 10, 0, 0), RETURN)
    return _bare(FAULT, *random.choice((spilled, exchanged, fetched, helper, dead)), mem=b"\x22" * 8)


def too_deep(random: Random) -> Case:
    """Recursion, or a chain of functions, that needs more frames than there are."""
    if random.random() < 0.5:
        return _bare(FAULT, *[_mov(random.randrange(6), 1)] * (work := random.randrange(4)), call(-work - 1), RETURN)
    chain = random.choice((FRAMES, FRAMES + 1, 50))
    return _bare(FAULT, *[part for _ in range(chain) for part in (call(1), RETURN)], _mov(0, 0), RETURN)


def as_deep_as_may_be(random: Random) -> Case:
    """Every frame there is, each written to both ends; helpers are called on the way."""
    value = random.randrange(1 << 31)
    chain = random.randrange(FRAMES)
    body = ((0x72, 10, 0, -1, 7), (0x72, 10, 0, -FRAME, 7), _mov(1, value), call(3, 0))
    last = (*body, RETURN)
    return _bare(value, *[part for _ in range(chain) for part in (*body, call(1), RETURN)], *last)


def bad_helper_range(random: Random) -> Case:
    """A range that begins in a region and does not end there; nothing is written before the whole is checked."""
    size = random.choice((1, 8, 4096))
    length = random.choice((size + 1, size + 4096, 1 << 31))
    helper = random.choice((_READ, _WRITE))
    frame = ((0xBF, 1, 10, 0, 0), (0x07, 1, 0, 0, -4), _mov(2, 8))
    calldata = (_mov(2, length if length < 1 << 31 else -1),)
    return _bare(FAULT, *random.choice((frame, calldata)), call(helper, 0), RETURN, mem=bytes(size))


def arithmetic(random: Random) -> Case:
    """Any operations on any registers with numbers at edges: both engines compute the same."""
    program: list[Slot] = []
    for register in range(10):
        number = random.choice((0, 1, -1, 1 << 31, 1 << 63, (1 << 63) - 1, random.getrandbits(64)))
        program += _wide(register, number)
    plain = [(o, r) for o, r in _ROWS if r.form.kind in (Kind.ALU, Kind.NEGATE, Kind.BYTE_ORDER, Kind.SIGN_EXTEND)]
    for _ in range(random.randrange(1, 40)):
        opcode, row = random.choice(plain)
        fields = {"DST": random.randrange(10)}
        if Field.SRC in row.form.uses:
            fields["SRC"] = random.randrange(11)
        if Field.IMM in row.form.uses and row.field is not Field.IMM:
            fields["IMM"] = random.choice((0, 1, -1, 31, 63, -(1 << 31), (1 << 31) - 1, random.randrange(-99, 99)))
        made = _of(opcode, row, **fields)
        program.append((made.opcode, made.dst, made.src, made.offset, made.imm))
    program += [(0x7B, 10, register, -8 * register - 8, 0) for register in range(10)]
    return _bare(EXIT, *program, RETURN)


def far(random: Random, shape: int | None = None) -> Case:
    """To the last slot that a 16-bit distance reaches, and beyond it; behind pc 65,535. These take a second."""
    result = random.randrange(1 << 31)
    first = code(_mov(0, result))
    branch = random.choice((0x05, 0x1D, 0x3D, 0xBD, 0x7D, 0xDD, 0x1E))  # always, or true of r0 and r0
    wrong = code(_mov(0, 0))
    match random.randrange(4) if shape is None else shape:
        case 0:  # forwards
            distance = 32767 - random.randrange(2)
            program = first + code((branch, 0, 0, distance, 0)) + wrong * distance + code(RETURN)
        case 1:  # backwards
            there = 32768 - random.randrange(2)
            behind = code((0x06, 0, 0, 0, there - 1), RETURN) + wrong * (there - 2)
            program = first + behind + code((branch, 0, 0, -there, 0), RETURN)
        case 2:  # what only the other field holds
            distance = random.choice((32768, 65535, 65536, 70_000))
            program = first + code((0x06, 0, 0, 0, distance)) + wrong * distance + code(RETURN)
        case _:  # to a function
            distance = random.choice((32767, 32768, 65536))
            program = code(call(distance), RETURN) + wrong * (distance - 2) + code(RETURN) + first + code(RETURN)
    return Case(program, result, is_elf=False)


def long_code(random: Random) -> Case:
    """Jumps near the ends of their fields, and expansions that no average foresees."""
    if random.random() < 0.02:
        return far(random)
    many = random.choice((100, 300, 3000))
    match random.randrange(3):
        case 0:  # branches that overlap, all taken or not
            chain = [(0x15, 0, 0, min(many - at - 1, 127), 9) for at in range(many)]
            return _bare(many, _mov(0, many), *chain, RETURN) if many != 9 else _bare(9, _mov(0, 9), RETURN)
        case 1:  # divisions with all their guards
            body = [
                (random.choice((0x3F, 0x9F)), random.randrange(10), random.randrange(10), 1, 0) for _ in range(many)
            ]
            return _bare(EXIT, *body, RETURN)
        case _:  # constants that would be instructions if anything could jump into them
            body = [part for _ in range(many) for part in _wide(random.randrange(10), 0x90909090C3050F0F)]
            return _bare(EXIT, *body, RETURN)


Maker = Callable[[Random], Case]
_ALL: tuple[tuple[Maker, str], ...] = (
    (undefined, "structure"),
    (reserved_field, "reserved"),
    (wrong_variant, "reserved"),
    (no_such_register, "reserved"),
    (writes_frame_pointer, "r10 rule-2"),
    (malformed_wide, "lddw"),
    (no_program, "structure"),
    (jump_outside, "jump rule-3"),
    (call_outside, "call"),
    (endless, "jump H05"),
    (outside_calldata, "memory rule-1 rule-11 H07"),
    (inside_calldata, "memory"),
    (wild_pointer, "memory rule-1"),
    (folded_pointer, "memory rule-1"),
    (outside_frame, "memory call"),
    (unaligned_atomic, "atomic"),
    (pointer_changed, "atomic memory rule-2"),
    (too_deep, "call rule-9"),
    (as_deep_as_may_be, "call rule-9 H15"),
    (bad_helper_range, "H09"),
    (arithmetic, "alu sweep rule-10"),
    (long_code, "codegen large rule-5"),
)
CODE_KINDS = {maker.__name__.replace("_", " "): CaseKind(maker, tuple(classes.split())) for maker, classes in _ALL}
