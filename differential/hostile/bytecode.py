"""Bare eBPF code that is almost right: rows of the instruction set with fields that sometimes do not fit them.

The rows are the validator's own, so that every form there is occurs, and its nearest neighbours that do not exist.
"""

from __future__ import annotations

from random import Random

from validator.decode import encode
from validator.isa import ROWS, Field, Instruction, Kind, Row

HELPERS = range(1, 5)  # numbers that `judge` offers
_EVERY_ROW = tuple((opcode, row) for opcode, rows in sorted(ROWS.items()) for row in rows)
_EXIT = Instruction(0x95, 0, 0, 0, 0)
_NUMBERS = (0, 1, -1, 7, 8, 16, 31, 32, 63, 64, -(1 << 31), (1 << 31) - 1)
_WILD = 0.01  # of the fields


def random_bytes(random: Random) -> bytes:
    """Nothing at all, or noise of any length."""
    return random.randbytes(random.choice((0, 1, 7, 8, 16, random.randrange(600))))


def random_slots(random: Random) -> bytes:
    """Rows with fields as they should be, but for one in a hundred; ends in exit."""
    count = random.randrange(1, 30)
    code: list[Instruction | None] = []
    while len(code) < count:
        opcode, row = random.choice(_EVERY_ROW)
        code.append(_instruction(random, opcode, row, len(code), count))
        if row.form.kind is Kind.WIDE_IMMEDIATE:
            code.append(None)
    return encode((*code, _EXIT))


def _instruction(random: Random, opcode: int, row: Row, at: int, count: int) -> Instruction:
    used = row.form.uses
    jump = random.randrange(count + 1) - at - 1
    base = 10 if row.form.kind in (Kind.LOAD, Kind.ATOMIC, Kind.STORE) and random.random() < 0.5 else None
    fields = {
        Field.DST: random.randrange(10) if Field.DST in used else 0,
        Field.SRC: random.randrange(11) if Field.SRC in used else 0,
        Field.OFFSET: _offset(random, row, jump) if Field.OFFSET in used else 0,
        Field.IMM: _imm(random, row, jump) if Field.IMM in used else 0,
    }
    if base is not None:
        fields[Field.SRC if row.form.kind is Kind.LOAD else Field.DST] = base
    if row.field is not None:
        fields[row.field] = row.value
    for field, (low, high) in _RANGES.items():
        if random.random() < _WILD:
            fields[field] = random.randrange(low, high)
    return Instruction(opcode, fields[Field.DST], fields[Field.SRC], fields[Field.OFFSET], fields[Field.IMM])


_RANGES = {
    Field.DST: (0, 16),
    Field.SRC: (0, 16),
    Field.OFFSET: (-(1 << 15), 1 << 15),
    Field.IMM: (-(1 << 31), 1 << 31),
}


def _offset(random: Random, row: Row, jump: int) -> int:
    if row.form.kind in (Kind.JUMP, Kind.BRANCH):
        return jump
    return random.choice((0, -8, -16, 8 * random.randrange(-9, 9), random.randrange(-4100, 40)))


def _imm(random: Random, row: Row, jump: int) -> int:
    match row.form.kind:
        case Kind.JUMP | Kind.CALL_LOCAL:
            return jump
        case Kind.CALL_HELPER:
            return random.choice(HELPERS)
        case _:
            return random.choice((*_NUMBERS, random.randrange(-99, 99)))
