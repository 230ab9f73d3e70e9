"""linker.inside: what the linker writes into an address or a call lies in the section that the relocation names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import z3

from proofs.executor import explore
from proofs.placements import every, relevant, unknown, within
from proofs.symbolic import as_int, condition_of
from proofs.theorem import Case, Obligation, Theorem, register
from validator.isa import SLOT_BYTES
from validator.relocations import address_inside, called_slot

SIZE = 1 << 40  # of a section: more than a file of 8 MiB claims
VALUE = 1 << 64


def _address() -> Iterator[Obligation]:
    u = unknown()
    low, size = u.between("low", 0, SIZE), u.between("size", 0, SIZE)
    value, addend = (u.between(name, -VALUE, VALUE) for name in ("value", "addend"))
    inside = every(within(0, value, 0, size), within(0, value + addend, 0, size), value >= 0, value + addend >= 0)
    for path in explore(partial(address_inside, low, size, value, addend), assuming=tuple(u.given)):
        if path.returned is None:
            yield Obligation("refused", path.conditions, z3.Not(inside), tuple(u.shown))
            continue
        address = as_int(path.returned)
        named = every(address >= low, address <= low + size, address == low + value + addend)
        yield Obligation("written", relevant(path.conditions, named), every(named, inside), tuple(u.shown))


def _call() -> Iterator[Obligation]:
    u = unknown()
    size, value = u.between("size", 0, SIZE), u.between("value", 0, VALUE)
    imm = u.between("imm", -(1 << 31), (1 << 31) - 1)
    for path in explore(partial(called_slot, size, value, imm), assuming=tuple(u.given)):
        meant = value + (imm + 1) * SLOT_BYTES
        inside = every(value % SLOT_BYTES == 0, value < size, meant >= 0, meant < size)
        if path.returned is None:
            yield Obligation("refused", path.conditions, z3.Not(inside), tuple(u.shown))
        else:
            slot = as_int(path.returned)
            claim = every(slot >= 0, slot * SLOT_BYTES < size, condition_of(slot * SLOT_BYTES == meant), inside)
            yield Obligation("entered", path.conditions, claim, tuple(u.shown))


register(
    Theorem(
        id="linker.inside",
        statement="an address that the linker's `address_inside` answers lies in the section it names, or at its end; "
        "a call that its `called_slot` answers lies in the code section it names",
        ranges_over="all symbol values, addends and immediates of the file, all sizes and places of sections",
        assumes=("sizes and places of sections are below 2^40, symbol values below 2^64",),
        depends=("validator.relocations", "validator.isa"),
        cases=lambda: (Case("address_inside", _address), Case("called_slot", _call)),
    )
)
