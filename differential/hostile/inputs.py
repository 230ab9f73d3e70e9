"""Inputs by seed and index: the same index is the same input, whatever was drawn before.

Of every eight, three are damaged copies of objects that are in the repository, one of an object from the collection of
others' cases (of the repository's, where the collection is not), two are of a kind, one is code that is almost right,
and one is noise.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import runtime.guest_code
from differential.hostile.bytecode import random_bytes, random_slots
from differential.hostile.damage import Whole, damaged
from differential.hostile.kinds import Expected, kinds
from validator.errors import LoadError
from validator.reach import reach

REPOSITORY = Path(__file__).resolve().parents[2]
SHARED = REPOSITORY.parent / "shared"
CASES = SHARED / "cases" / "elf_cases.json"
_SIZES = (0, 0, 1, 8, 24, 4096)  # of the bytes that a guest is given
_LARGE = 1 / 500  # of the damaged copies: each takes a second
_SAMPLES = 3  # of each kind that is sound, to be damaged


class Given(NamedTuple):
    """One input. `kind` says how it was made; `expected` what must become of it, if that is known."""

    number: int
    kind: str
    data: bytes
    is_elf: bool
    mem: bytes
    entry: str | None = None  # None: whatever entries there are
    expected: Expected | None = None
    origin: bytes | None = None  # what it is a damaged copy of


@cache
def own_objects() -> tuple[Whole, ...]:
    """Objects that ship, those of tests and benchmarks where they are, and small ones of each kind that is accepted."""
    shipped = sorted(Path(runtime.guest_code.__file__).parent.glob("*.o"))
    paths = [*shipped * 2, *sorted((REPOSITORY / "tests").rglob("*.o"))]
    found = [Whole(path.name, path.read_bytes()) for path in paths]
    for name, kind in kinds().items():
        for sample in range(_SAMPLES):
            case = kind.make(Random(f"{name} {sample}"))
            if case.is_elf and case.expected != "reject" and len(case.data) < 1 << 14:
                found.append(Whole(name, case.data))
    return tuple(found)


@cache
def large_objects() -> tuple[Whole, ...]:
    """Programs of tens of thousands of instructions: the compiler that runs as a guest."""
    return tuple(Whole(path.name, path.read_bytes()) for path in sorted((REPOSITORY / "salix").rglob("*.o")))


@cache
def shared_objects() -> tuple[Whole, ...]:
    """Objects of the collection of others' cases that are well-formed, and objects that lie beside it."""
    found = []
    if CASES.exists():
        for case in json.loads(CASES.read_text()):
            found.append(Whole(case["name"], bytes.fromhex(case["elf"])))
    found += [Whole(path.name, path.read_bytes()) for path in sorted(SHARED.rglob("*.o")) if path.is_file()]
    return tuple(whole for whole in found if _well_formed(whole.data))


def _well_formed(data: bytes) -> bool:
    try:
        reach(data)
    except LoadError:
        return False
    return True


def draw(seed: int, index: int) -> Given:
    """Input `index` of `seed`."""
    random = Random(f"{seed} {index}")
    mem = random.randbytes(random.choice(_SIZES))
    match index % 8:
        case 0 | 1 | 2 | 3:
            whole = random.choice((shared_objects() if index % 8 == 3 else ()) or own_objects())
            if large_objects() and random.random() < _LARGE:
                whole = random.choice(large_objects())
            way, data = damaged(random, whole)
            return Given(index, f"damage: {way}", data, True, mem, origin=whole.data)
        case 4 | 5:
            names = list(kinds())
            name = names[index // 8 * 2 % len(names) + index % 8 - 4 - len(names)]
            case = kinds()[name].make(random)
            return Given(index, name, case.data, case.is_elf, case.mem, case.entry, case.expected)
        case 6:
            return Given(index, "code: almost right", random_slots(random), False, mem)
        case _:
            if random.random() < 0.5:
                return Given(index, "code: noise", random_bytes(random), False, mem)
            header = own_objects()[0].data[:64] if random.random() < 0.5 else b""
            return Given(index, "object: noise", header + random_bytes(random), True, mem)
