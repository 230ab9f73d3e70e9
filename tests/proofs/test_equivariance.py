"""What an instruction does commutes with renaming registers, as long as those stay that it uses without naming them.

Of both sorts: those of x86 in the machine model, those of eBPF in the reference semantics.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from differential.operands import OPERANDS
from jit.layout import plan
from jit.registers import CAGE, Reg
from jit.x86 import X86, Load, Mem, MovReg, Target
from proofs.choices import alike, with_names
from proofs.renaming import IMPLICIT
from proofs.symbolic import Int
from simulator import ebpf
from simulator.integers import INTEGERS
from simulator.machine import Flags, MachineStopped, State
from simulator.x86 import execute
from validator.isa import ROWS, Field, Form, Instruction, Operation, Row

LAYOUT = plan(100, 200, 300)


class Sparse:
    """Bytes that were stored; others depend on their address."""

    def __init__(self) -> None:
        self.bytes: dict[int, int] = {}

    def load(self, address: int, size: int) -> int:
        places = ((address + i) % 2**64 for i in range(size))
        return int.from_bytes(bytes(self.bytes.get(place, place * 7 % 251) for place in places), "little")

    def store(self, address: int, size: int, value: int) -> None:
        for i in range(size):
            self.bytes[(address + i) % 2**64] = value >> 8 * i & 0xFF


class Somewhere:
    """Labels and pcs."""

    def address(self, label: Target) -> int:
        return 0x1234

    def pc_plus(self, delta: int) -> int:
        return 77 + delta


def after(instruction: X86, registers: list[int]) -> tuple[object, ...]:
    """All that there is to see behind the instruction."""
    memory = Sparse()
    state = State(list(registers), memory, Flags(1, 0, 1, 0))
    try:
        successor: object = execute(INTEGERS, instruction, state, Somewhere())
    except MachineStopped as stopped:
        successor = repr(stopped)
    return successor, state.registers, memory.bytes, state.flags


@pytest.mark.parametrize("form", OPERANDS, ids=lambda form: form.__name__)
def test_execution_commutes_with_renaming(form: type) -> None:
    random = Random(form.__name__)
    for _ in range(60):
        choices = random.choice(OPERANDS[form])
        instruction: X86 = form(*(random.choice(tuple(choice)) for choice in choices))
        fixed = (CAGE, *IMPLICIT.get(form, ()))
        free = [reg for reg in Reg if reg not in fixed]
        names = dict(zip(free, random.sample(free, len(free)), strict=True))
        registers = [random.choice((random.getrandbits(64), random.randrange(4))) for _ in Reg]
        moved = [0] * len(Reg)
        for reg in Reg:
            moved[names.get(reg, reg)] = registers[reg]
        other = with_names(instruction, names)
        successor, values, memory, flags = after(instruction, registers)
        successor2, values2, memory2, flags2 = after(other, moved)
        assert (successor, memory, flags) == (successor2, memory2, flags2), (instruction, other)
        assert [values2[names.get(reg, reg)] for reg in Reg] == values, (instruction, other)  # type: ignore[index]


def test_sequences_are_the_same_only_under_the_renaming() -> None:
    known, _ = Int.fresh("a number", 0, 9)
    other, _ = Int.fresh("another", 0, 9)
    sequence = (Load(8, Reg.rax, Mem(known, Reg.rdx)), MovReg(64, Reg.rdx, Reg.rax))  # type: ignore[arg-type]
    moved = with_names(sequence, {Reg.rax: Reg.rbx})
    assert alike(sequence, sequence)
    assert not alike(sequence, moved)
    assert alike(sequence, with_names(moved, {Reg.rbx: Reg.rax}))
    assert not alike(sequence, (Load(8, Reg.rax, Mem(other, Reg.rdx)), *sequence[1:]))  # type: ignore[arg-type]


def rows() -> Iterator[tuple[int, Row]]:
    """What names registers."""
    yield from (
        (opcode, row) for opcode, rows in ROWS.items() for row in rows if row.form.uses & {Field.DST, Field.SRC}
    )


def reference_after(form: Form, instruction: Instruction, registers: list[int]) -> tuple[object, ...]:
    """All that there is to see behind an instruction of the reference semantics."""
    memory = Sparse()
    state = ebpf.State(list(registers), memory, 40)
    event = ebpf.meaning(INTEGERS, LAYOUT, form, instruction, 40)(state)
    return event, state.registers, state.pc, memory.bytes


@pytest.mark.parametrize(("opcode", "row"), list(rows()), ids=str)
def test_the_reference_commutes_with_renaming(opcode: int, row: Row) -> None:
    """r10, and r0 of a compare-exchange, are used without being named."""
    random = Random(f"{opcode} {row}")
    fixed = {10, 0} if row.form.operation is Operation.CMPXCHG else {10}
    for _ in range(40):
        fields = [random.randrange(11), random.randrange(11), random.randrange(-64, 64), random.randrange(-9, 9)]
        for place, field in enumerate((Field.DST, Field.SRC, Field.OFFSET, Field.IMM)):
            if field not in row.form.uses:
                fields[place] = row.value if row.field is field else 0
        free = [number for number in range(11) if number not in fixed]
        names = {**dict(zip(free, random.sample(free, len(free)), strict=True)), **{n: n for n in fixed}}
        top = LAYOUT.frame_top(1)
        words = ((random.getrandbits(64), top - 64 + random.randrange(64)) for _ in range(10))
        registers = [*map(random.choice, words), top]
        moved = [0] * 11
        for number, value in enumerate(registers):
            moved[names[number]] = value
        dst, src, offset, imm = fields
        other = Instruction(
            opcode,
            names[dst] if Field.DST in row.form.uses else dst,
            names[src] if Field.SRC in row.form.uses else src,
            offset,
            imm,
        )
        event, values, pc, memory = reference_after(row.form, Instruction(opcode, *fields), registers)
        event2, values2, pc2, memory2 = reference_after(row.form, other, moved)
        assert (event, pc, memory) == (event2, pc2, memory2)
        assert [values2[names[number]] for number in range(11)] == values  # type: ignore[index]
