"""Where the machine model ends, what it does not let a program see, and how a run leaves its bytes.

Expected values are worked out by hand from SDM 2. That the model agrees with a processor is `test_x86`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from jit.context import Exit
from jit.decode import NotOurs
from jit.registers import Reg
from jit.x86 import (
    X86,
    Ahead,
    Alu,
    AluImm8,
    Callee,
    Cond,
    Div,
    Idiv,
    Imul,
    Jump,
    JumpIf,
    JumpTable,
    Label,
    Leave,
    LockCmpxchg,
    Mem,
    MovReg,
    PcPlus,
    Rotate16,
    Shift,
    ShiftCl,
    ShiftImm,
    Store,
    StoreImm,
    Target,
)
from simulator.integers import INTEGERS
from simulator.machine import (
    Access,
    DivideError,
    FallThrough,
    Flags,
    Next,
    State,
    ToAddress,
    ToLabel,
    UndefinedRead,
    UnmodelledDivision,
)
from simulator.run import Left, OutOfSteps, run
from simulator.x86 import execute

BASE = 0x7000_0000  # rbp, and where the tests' memory begins
CODE = 0x40_0000
INT_MIN_32, INT_MIN_64 = 1 << 31, 1 << 63
ALL_32, ALL_64 = (1 << 32) - 1, (1 << 64) - 1


@dataclass
class Bytes:
    """`Memory[int]`: 256 bytes at BASE."""

    held: bytearray = field(default_factory=lambda: bytearray(256))

    def load(self, address: int, size: int) -> int:
        return int.from_bytes(self.held[address - BASE : address - BASE + size], "little")

    def store(self, address: int, size: int, value: int) -> None:
        self.held[address - BASE : address - BASE + size] = value.to_bytes(8, "little")[:size]


class Placed:
    """Labels of code that has not been assembled: function table slots, and the pc that an exit stub stores."""

    def address(self, label: Target) -> int:
        return {Callee(3): BASE + 64}[label]  # type: ignore[index]

    def pc_plus(self, delta: int) -> int:
        return 1000 + delta


def machine(**registers: int) -> State[int]:
    state = State([0] * 16, Bytes())
    state.registers[Reg.rbp], state.registers[Reg.rsp] = BASE, BASE + 128
    for name, value in registers.items():
        state.registers[Reg[name]] = value
    return state


def step(state: State[int], *instructions: X86) -> Next[int]:
    successor: Next[int] = FallThrough()
    for instruction in instructions:
        successor = execute(INTEGERS, instruction, state, Placed())
    return successor


# ---------------------------------------------------------------- flags

SET_ALL = AluImm8(Alu.CMP, 64, Reg.rax, 0)


@pytest.mark.parametrize(
    "instruction",
    [
        ShiftImm(Shift.SHL, 64, Reg.rax, 1),
        ShiftImm(Shift.ROL, 32, Reg.rax, 0),  # keeps flags by the manual; we promise nothing
        ShiftCl(Shift.SAR, 64, Reg.rax),
        Rotate16(Reg.rax, 8),
        Imul(64, Reg.rax, Reg.rcx),
        Div(64, Reg.rcx),
        Idiv(32, Reg.rcx),
    ],
    ids=lambda instruction: type(instruction).__name__,
)
@pytest.mark.parametrize("cond", Cond)
def test_no_condition_reads_a_flag_that_is_undefined(instruction: X86, cond: Cond) -> None:
    state = machine(rax=6, rcx=3)
    step(state, SET_ALL, JumpIf(cond, Ahead(1)))  # defined: no error
    step(state, instruction)
    with pytest.raises(UndefinedRead):
        step(state, JumpIf(cond, Ahead(1)))


def test_flags_are_undefined_before_the_first_instruction_that_sets_them() -> None:
    with pytest.raises(UndefinedRead, match="CF"):
        step(machine(), JumpIf(Cond.B, Ahead(1)))


def test_a_move_keeps_flags() -> None:
    state = machine(rax=1)
    step(state, SET_ALL, MovReg(64, Reg.rcx, Reg.rax), Store(8, Mem(0), Reg.rax))
    assert state.flags == Flags(cf=0, zf=0, sf=0, of=0)


@pytest.mark.parametrize(
    ("a", "imm", "taken"),
    [
        (5, 5, {"AE", "E", "BE", "NS", "GE", "LE"}),
        (5, 6, {"B", "NE", "BE", "S", "L", "LE"}),
        (6, 5, {"AE", "NE", "A", "NS", "GE", "G"}),
        (ALL_64, 1, {"AE", "NE", "A", "S", "L", "LE"}),  # -1 and 1
        (1, -1, {"B", "NE", "BE", "NS", "GE", "G"}),
        (INT_MIN_64, 1, {"AE", "NE", "A", "NS", "L", "LE"}),  # overflows
        (INT_MIN_64 - 1, -1, {"B", "NE", "BE", "S", "GE", "G"}),  # overflows
    ],
)
def test_compare_decides_the_conditions(a: int, imm: int, taken: set[str]) -> None:
    state = machine(rax=a)
    step(state, AluImm8(Alu.CMP, 64, Reg.rax, imm))
    assert {c.name for c in Cond if step(state, JumpIf(c, Ahead(1))) == ToLabel(Ahead(1))} == taken


# ---------------------------------------------------------------- division


@pytest.mark.parametrize(
    ("instruction", "rax", "rdx", "rcx"),
    [
        (Div(64, Reg.rcx), 7, 0, 0),
        (Div(32, Reg.rcx), 7, 0, 1 << 32),  # ecx is 0
        (Div(64, Reg.rcx), 7, 5, 0),  # #DE whatever rdx is
        (Idiv(64, Reg.rcx), 7, 0, 0),
        (Idiv(64, Reg.rcx), INT_MIN_64, ALL_64, ALL_64),
        (Idiv(32, Reg.rcx), INT_MIN_32, ALL_32, ALL_32),
    ],
)
def test_division_that_has_no_quotient_is_an_error_and_changes_nothing(
    instruction: X86, rax: int, rdx: int, rcx: int
) -> None:
    state = machine(rax=rax, rdx=rdx, rcx=rcx)
    before = list(state.registers)
    with pytest.raises(DivideError):
        step(state, instruction)
    assert state.registers == before


@pytest.mark.parametrize(
    ("instruction", "rax", "modelled", "not_modelled"),
    [
        (Div(64, Reg.rcx), 9, 0, 1),
        (Div(32, Reg.rcx), 9, 1 << 32, 1),  # edx is 0; then rdx is 1
        (Idiv(64, Reg.rcx), 9, 0, ALL_64),
        (Idiv(64, Reg.rcx), ALL_64 - 8, ALL_64, 0),
        (Idiv(32, Reg.rcx), 9, ALL_64 << 32 & ALL_64, ALL_32),
        (Idiv(32, Reg.rcx), ALL_32 - 8, ALL_32, 0),
    ],
)
def test_only_an_extended_dividend_is_modelled(instruction: X86, rax: int, modelled: int, not_modelled: int) -> None:
    step(machine(rax=rax, rdx=modelled, rcx=10), instruction)
    with pytest.raises(UnmodelledDivision):
        step(machine(rax=rax, rdx=not_modelled, rcx=10), instruction)


@pytest.mark.parametrize(
    ("bits", "rax", "rdx", "rcx", "quotient", "remainder"),
    [
        (64, -7, -1, 2, -3, -1),  # rounds to zero; the remainder has the sign of the dividend
        (64, 7, 0, -2, -3, 1),
        (64, INT_MIN_64, -1, 1, INT_MIN_64, 0),
        (64, INT_MIN_64 + 1, -1, -1, INT_MIN_64 - 1, 0),
    ],
)
def test_signed_division_rounds_to_zero(
    bits: int, rax: int, rdx: int, rcx: int, quotient: int, remainder: int
) -> None:
    state = machine(rax=rax & ALL_64, rdx=rdx & ALL_64, rcx=rcx & ALL_64)
    step(state, Idiv(bits, Reg.rcx))
    assert (state.registers[Reg.rax], state.registers[Reg.rdx]) == (quotient & ALL_64, remainder & ALL_64)


# ---------------------------------------------------------------- memory and labels


def test_a_32_bit_compare_that_succeeds_keeps_rax() -> None:
    """Measured on an AMD EPYC; emulators have had this wrong."""
    state = machine(rax=0x1122_3344_5566_7788, rcx=0x99)
    state.memory.store(BASE, 4, 0x5566_7788)
    step(state, LockCmpxchg(4, Mem(0), Reg.rcx))
    assert (state.registers[Reg.rax], state.memory.load(BASE, 8)) == (0x1122_3344_5566_7788, 0x99)
    step(state, LockCmpxchg(4, Mem(0), Reg.rcx))  # fails: rax is the 4 bytes, zero-extended
    assert (state.registers[Reg.rax], state.memory.load(BASE, 8)) == (0x99, 0x99)
    both = [Access(BASE, 4, write=False), Access(BASE, 4, write=True)]
    assert state.accesses == both + both, "written either way"


def test_an_address_wraps_at_64_bits() -> None:
    state = machine(rcx=ALL_64)
    step(state, Store(1, Mem(2, Reg.rcx), Reg.rsp))
    assert state.accesses == [Access(BASE + 1, 1, write=True)]


def test_labels_mean_what_places_say() -> None:
    state = machine()
    state.memory.store(BASE + 64, 8, CODE)
    assert step(state, Label(1)) == FallThrough()
    assert step(state, Jump(Leave(Exit.PREEMPTED))) == ToLabel(Leave(Exit.PREEMPTED))
    assert step(state, StoreImm(4, Mem(0), PcPlus(7))) == FallThrough()
    assert state.memory.load(BASE, 8) == 1007
    assert step(state, JumpTable(Callee(3))) == ToAddress(CODE)
    assert state.accesses[-1] == Access(BASE + 64, 8, write=False)


# ---------------------------------------------------------------- runs of bytes, by hand

#   0: xor eax, eax   2: add eax, ecx   4: sub ecx, byte 1   7: jne 2   13: ret
SUM = bytes.fromhex("31 c0 01 c8 83 e9 01 0f 85 f5 ff ff ff c3")


def test_a_loop_runs_until_it_returns() -> None:
    state = machine(rcx=10)
    state.memory.store(BASE + 128, 8, 0xDEAD_BEEF)  # the return address
    assert run(INTEGERS, SUM, CODE, state, steps=100) == Left(0xDEAD_BEEF)
    assert (state.registers[Reg.rax], state.registers[Reg.rsp]) == (55, BASE + 136)


def test_the_step_limit_stops_between_instructions_and_can_be_resumed() -> None:
    state = machine(rcx=10)
    state.memory.store(BASE + 128, 8, 0xDEAD_BEEF)
    position = 0
    for _ in range(31):  # xor, and ten times add, sub, jne
        outcome = run(INTEGERS, SUM, CODE, state, position, steps=1)
        assert isinstance(outcome, OutOfSteps)
        position = outcome.position
    assert (position, state.registers[Reg.rax]) == (13, 55)
    assert run(INTEGERS, SUM, CODE, state, position, steps=2) == Left(0xDEAD_BEEF)


@pytest.mark.parametrize("address", [CODE - 1, CODE, CODE + 2, CODE + 13, CODE + 14, 0, ALL_64])
def test_a_jump_stays_exactly_if_its_target_is_one_of_the_bytes(address: int) -> None:
    code = bytes.fromhex("ff e0 50 50 50 50 50 50 50 50 50 50 50 c3")  # jmp rax; eleven times push rax; ret
    state = machine(rax=address)
    outcome = run(INTEGERS, code, CODE, state, steps=1)
    inside = CODE <= address < CODE + 14
    assert outcome == (OutOfSteps(address - CODE) if inside else Left(address))


def test_running_off_the_end_leaves_at_the_address_behind_the_last_byte() -> None:
    assert run(INTEGERS, b"\x50", CODE, machine(), steps=5) == Left(CODE + 1)
    assert run(INTEGERS, bytes.fromhex("e9 f0 ff ff ff"), CODE, machine(), steps=5) == Left(CODE + 5 - 16)


def test_a_foreign_instruction_stops_the_run_where_it_stands() -> None:
    with pytest.raises(NotOurs) as refused:
        run(INTEGERS, bytes.fromhex("50 0f 05"), CODE, machine(), steps=5)  # push rax; syscall
    assert refused.value.position == 1


def test_distances_count_from_the_end_of_the_instruction() -> None:
    state = machine()
    run(INTEGERS, bytes.fromhex("50 48 8d 05 10 00 00 00"), CODE, state, steps=2)  # push rax; lea rax, [rip + 16]
    assert state.registers[Reg.rax] == CODE + 8 + 16
