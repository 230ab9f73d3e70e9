"""What an instruction does commutes with renaming registers, as long as those stay that it uses without naming them."""

from __future__ import annotations

from random import Random

import pytest

from differential.operands import OPERANDS
from jit.registers import CAGE, Reg
from jit.x86 import X86, Load, Mem, MovReg, Target
from proofs.choices import alike, with_names
from proofs.renaming import IMPLICIT
from proofs.symbolic import Int
from simulator.integers import INTEGERS
from simulator.machine import Flags, MachineStopped, State
from simulator.x86 import execute


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
