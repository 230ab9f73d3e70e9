"""validator.*: the shipped judgements of one instruction and of one edge, on unknown fields.

`validate` asks `local_rejection` of every instruction and `edge_rejection` of every pc; that loop, and the partition
into functions, are read, not proved (docs/proofs/compose.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import z3

from proofs.executor import Fork, explore
from proofs.placements import Unknown, every, unknown
from proofs.symbolic import Int, as_int
from proofs.theorem import Case, Obligation, Theorem, register
from proofs.values import Values
from validator.isa import FRAME_POINTER, ROWS, Field, Form, Instruction, Kind, registers_written, slots, successors
from validator.validate import MAX_SLOTS, Function, edge_rejection, local_rejection

FORMS = tuple((opcode, row) for opcode, rows in ROWS.items() for row in rows)


class _Helpers:
    """A set of helper numbers of which nothing is known but whether the one that is asked for is a member."""

    def __init__(self) -> None:
        self.known = z3.Bool("the helper is known")

    def __contains__(self, number: object) -> bool:
        return bool(Fork(self.known))


@dataclass(frozen=True, slots=True)
class _Known:
    """The same, of a program that is known: by pc, whether a slot that is read is a second one."""

    second: dict[int, bool]

    def __getitem__(self, pc: int) -> Form | None:
        return None if self.second[pc] else FORMS[0][1].form


class _Forms:
    """The forms of a program, of which only one thing is known: which slots are the second of an lddw.

    Reads of equal slots agree: `consistent` says so, and is assumed with every claim.
    """

    def __init__(self) -> None:
        self.read: list[tuple[Int, z3.BoolRef]] = []

    def second(self, pc: Int) -> z3.BoolRef:
        known = next((second for other, second in self.read if other.bits.eq(pc.bits)), None)
        if known is None:
            known = z3.Bool(f"slot {len(self.read)} is a second one")
            self.read.append((pc, known))
        return known

    def __getitem__(self, pc: int | Int) -> Form | None:
        return None if Fork(self.second(as_int(pc))) else FORMS[0][1].form

    def plain(self, values: Values) -> _Known:
        return _Known({values.plain(pc): values.truth(second) for pc, second in self.read})

    def consistent(self) -> z3.BoolRef:
        pairs = [(a, b) for i, a in enumerate(self.read) for b in self.read[:i]]
        return z3.And(*(z3.Implies(a.bits == b.bits, x == y) for (a, x), (b, y) in pairs), z3.BoolVal(True))


def _instruction(u: Unknown, opcode: int) -> Any:  # noqa: ANN401 - an Instruction of unknown fields
    wide = 63 if opcode == 0x18 else 31  # decode gives lddw its 64-bit value
    imm = u.between("imm", -(1 << wide), (1 << wide + 1) - 1 if opcode == 0x18 else (1 << wide) - 1)
    dst, src = u.between("dst", 0, 15), u.between("src", 0, 15)
    return Instruction(opcode, dst, src, u.between("offset", -(1 << 15), (1 << 15) - 1), imm)


def _sound(opcode: int) -> Iterator[Obligation]:
    """Accepted: exactly one row's instruction, as RFC 9669 lets it be written, and r10 only read."""
    u, helpers = unknown(), _Helpers()
    i = _instruction(u, opcode)
    for path in explore(partial(local_rejection, i, helpers), assuming=tuple(u.given)):  # type: ignore[arg-type]
        fits = z3.Or(*(_fits(row.form, row.field, row.value, i, helpers) for row in ROWS.get(opcode, ())))
        if path.returned is None:
            yield Obligation(f"accepted {opcode:#04x}", path.conditions, fits, tuple(u.shown))
        else:
            yield Obligation(f"refused {opcode:#04x}", path.conditions, z3.Not(fits), tuple(u.shown))


def _fits(form: Form, field: Field | None, value: int, i: Instruction, helpers: _Helpers) -> z3.BoolRef:
    selected = field is None or i[field] == value
    reserved = (i[f] == 0 for f in Field if f not in form.uses and f is not field)
    keeps_r10 = (register != FRAME_POINTER for register in registers_written(form, i))
    helper = z3.Or(form.kind is not Kind.CALL_HELPER, helpers.known)
    return every(selected, *reserved, *keeps_r10, i.dst <= 10, i.src <= 10, helper)


def _closed(opcode: int) -> Iterator[Obligation]:
    """Every successor of an accepted edge lies in the function, and no jump lands in the middle of an lddw."""
    for row in ROWS[opcode]:
        u, forms = unknown(), _Forms()
        i, pc = _instruction(u, opcode), u.between("pc", 0, MAX_SLOTS)
        function = Function(u.between("start", 0, MAX_SLOTS), u.between("end", 0, MAX_SLOTS))
        u.given.append(every(function.start <= pc, pc < function.end))
        judge = partial(edge_rejection, row.form, i, pc, function, forms)  # type: ignore[arg-type]
        for path in explore(judge, assuming=tuple(u.given)):
            if path.returned is None:
                nexts = [as_int(after) for after in successors(row.form, i, pc)]
                inside = every(*(truth for after in nexts for truth in _in(function, after)))
                jumps = [after for after in nexts if not after.bits.eq(as_int(pc + slots(row.form)).bits)]
                second = [z3.Not(forms.second(after)) for after in jumps]
                given = (*path.conditions, forms.consistent())
                yield Obligation(f"{row.form.kind.value}", given, every(inside, *second), tuple(u.shown))


def _in(function: Function, pc: Int) -> tuple[object, object]:
    return function.start <= pc, pc < function.end


register(
    Theorem(
        id="validator.instruction",
        statement=(
            "exactly those instructions are accepted that have a row of the instruction set, zeros in reserved fields, "
            "registers that exist, r10 not among those they write, and a known helper"
        ),
        ranges_over="every opcode byte, all other fields, any set of helpers",
        assumes=("fields have the ranges of their encoding",),
        depends=("validator.validate", "validator.isa"),
        cases=lambda: (Case(f"opcode {opcode:#04x}", partial(_sound, opcode)) for opcode in range(256)),
    )
)
register(
    Theorem(
        id="validator.edge",
        statement="every successor of an accepted edge lies in its function, and a jump never in the middle of an lddw",
        ranges_over="every form, all fields, every pc and function, any placement of lddw",
        assumes=("the pc lies in the function",),
        depends=("validator.validate", "validator.isa"),
        cases=lambda: (Case(f"opcode {opcode:#04x}", partial(_closed, opcode)) for opcode in ROWS),
    )
)
