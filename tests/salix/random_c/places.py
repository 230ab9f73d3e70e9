"""What a program's expressions can name: scalars, elements, members, what pointers point to."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from tests.salix.random_c.integer_types import (
    BOOL,
    INT,
    LONG,
    TYPES,
    UNSIGNED,
    UNSIGNED_CHAR,
    UNSIGNED_LONG,
    UNSIGNED_SHORT,
    CType,
    constant,
)


class Place(NamedTuple):
    """An integer object. `template` has a place for each index; `counts` are the arrays' lengths."""

    template: str
    type: CType
    counts: tuple[int, ...] = ()
    width: int = 0  # of a bit-field
    constant: bool = False
    volatile: bool = False
    packed: bool = False  # it may lie where its type may not

    @property
    def has_address(self) -> bool:
        """Whether a pointer to its type may point there and store."""
        return not (self.width or self.constant or self.volatile or self.packed)

    @property
    def is_alias(self) -> bool:
        """Whether it may be an object that has another name."""
        return self.template.startswith("*") or "->" in self.template

    @property
    def bits(self) -> int:
        """The width of what is stored."""
        return self.width or self.type.bits


class Struct(NamedTuple):
    """A struct type. Members are places with a `.` at their beginning."""

    name: str
    declaration: str
    members: tuple[Place, ...]


def value(random: Random, given: CType) -> int:
    """A number of the type: often at an edge, or small."""
    match random.randrange(6):
        case 0:
            return given.lowest
        case 1:
            return given.highest
        case 2 | 3:
            return max(given.lowest, min(given.highest, random.randrange(-3, 12)))
        case 4:
            return max(given.lowest, min(given.highest, 1 << random.randrange(given.bits)))
        case _:
            return random.randrange(given.lowest, given.highest + 1)


def initial(random: Random, given: CType) -> str:
    """A value as a constant."""
    return constant(value(random, given), given)


_WHOLE = (UNSIGNED_CHAR, UNSIGNED_SHORT, UNSIGNED, UNSIGNED_LONG)  # every bit of which is a part of the value
_FIELD_TYPES = (INT, UNSIGNED, UNSIGNED_CHAR, UNSIGNED_SHORT, LONG, UNSIGNED_LONG, BOOL)


def draw_struct(random: Random, name: str, others: tuple[Struct, ...]) -> Struct:
    """Integers, bit-fields, arrays, other structs, anonymous structs and unions; packed or not."""
    lines, members = [], []
    for number in range(random.randrange(1, 6)):
        member = f"m{number}"
        kind = random.randrange(11)
        if kind < 4:
            given = random.choice(TYPES)
            lines.append(f"{given.name} {member};")
            members.append(Place(f".{member}", given))
        elif kind < 7:
            given = random.choice(_FIELD_TYPES)
            width = random.randrange(1, given.bits + 1)
            lines.append(f"{given.name} {member} : {width};")
            members.append(Place(f".{member}", given, (), width))
            if random.randrange(6) == 0:
                lines.append(f"{random.choice((INT, UNSIGNED_CHAR, LONG)).name} : {random.choice((0, 0, 1, 3))};")
        elif kind == 7 and others:
            other = random.choice(others)
            lines.append(f"struct {other.name} {member};")
            members += [inner._replace(template=f".{member}{inner.template}") for inner in other.members]
        elif kind == 8:
            given = random.choice(_WHOLE)
            low = random.randrange(1, given.bits)
            fields = f"struct {{ {given.name} {member}l : {low}, {member}h : {given.bits - low}; }};"
            lines.append(f"union {{ {given.name} {member}; unsigned char {member}b[{given.bits // 8}]; {fields} }};")
            members += [Place(f".{member}", given), Place(f".{member}b[{{}}]", UNSIGNED_CHAR, (given.bits // 8,))]
            members += [Place(f".{member}l", given, (), low), Place(f".{member}h", given, (), given.bits - low)]
        elif kind == 9:
            given = random.choice(TYPES)
            lines.append(f"struct {{ {given.name} {member}, {member}x; }};")
            members += [Place(f".{member}", given), Place(f".{member}x", given)]
        else:
            given, count = random.choice(TYPES), random.randrange(1, 6)
            lines.append(f"{given.name} {member}[{count}];")
            members.append(Place(f".{member}[{{}}]", given, (count,)))
    # an unnamed field alone would be a struct without a named member
    packed = random.randrange(5) == 0
    members = [member._replace(packed=member.packed or packed) for member in members]
    attribute = " __attribute__((packed))" if packed else ""
    return Struct(name, f"struct {name} {{ {' '.join(lines)} }}{attribute};", tuple(members))
