"""The printer: rows by hand, one or more for each form, and the same text from Capstone for the same bytes."""

from __future__ import annotations

from typing import get_args

import pytest

from differential.reading import read_bytes, reading
from jit.assemble import template
from jit.context import Exit
from jit.disassemble import disassemble, disassemble_macro
from jit.encode import encode
from jit.layout import Region
from jit.macros import BranchReg, CheckAny, LoadFrom, Macro, Poll
from jit.macros.memory import AtChecked, InFrame
from jit.registers import Reg
from jit.x86 import (
    FORMS,
    X86,
    Ahead,
    Alu,
    AluImm8,
    AluImm32,
    AluReg,
    Bswap,
    Callee,
    Cond,
    Div,
    Idiv,
    Imul,
    ImulImm,
    Jump,
    JumpIf,
    JumpMem,
    JumpReg,
    JumpTable,
    Label,
    Lea,
    LeaIndexed,
    LeaLabel,
    Leave,
    Load,
    LoadSigned,
    Local,
    LockAlu,
    LockCmpxchg,
    LockXadd,
    Mem,
    MovImm32,
    MovImm64,
    MovImmSigned,
    MovReg,
    MovSignExtend,
    MovZeroExtend16,
    Native,
    Neg,
    PcPlus,
    Pop,
    Push,
    Ret,
    Rotate16,
    Shift,
    ShiftCl,
    ShiftImm,
    SignToRdx,
    Store,
    StoreImm,
    Stub,
    TestImm,
    TestReg,
    Xchg,
)

POLL = Poll(counted=True)

ROWS: list[tuple[X86, str]] = [
    (MovReg(64, Reg.rax, Reg.r15), "mov rax, r15"),
    (MovReg(32, Reg.r8, Reg.rsi), "mov r8d, esi"),
    (MovImm32(Reg.rdi, 0xFFFFFFFF), "mov edi, 0xffffffff"),
    (MovImmSigned(Reg.r10, -2), "mov r10, -2"),
    (MovImm64(Reg.rbx, 1 << 40), "movabs rbx, 0x10000000000"),
    (MovSignExtend(8, 64, Reg.rax, Reg.rdi), "movsx rax, dil"),
    (MovSignExtend(16, 32, Reg.r9, Reg.rbx), "movsx r9d, bx"),
    (MovSignExtend(32, 64, Reg.rax, Reg.r12), "movsxd rax, r12d"),
    (MovZeroExtend16(Reg.rcx, Reg.r13), "movzx ecx, r13w"),
    (Load(1, Reg.rdi, Mem(0x1234, Reg.r11)), "movzx edi, byte [rbp+r11+0x1234]"),
    (Load(2, Reg.rdi, Mem(-8)), "movzx edi, word [rbp-8]"),
    (Load(4, Reg.r8, Mem(0, Reg.r11)), "mov r8d, dword [rbp+r11]"),
    (Load(8, Reg.r8, Mem(0, Reg.r15)), "mov r8, qword [rbp+r15]"),
    (LoadSigned(1, Reg.rax, Mem(1)), "movsx rax, byte [rbp+1]"),
    (LoadSigned(4, Reg.rax, Mem(16)), "movsxd rax, dword [rbp+0x10]"),
    (Store(1, Mem(0, Reg.r11), Reg.rsi), "mov byte [rbp+r11], sil"),
    (Store(1, Mem(0, Reg.r11), Reg.rbx), "mov byte [rbp+r11], bl"),
    (Store(2, Mem(0, Reg.r11), Reg.rdx), "mov word [rbp+r11], dx"),
    (Store(8, Mem(0, Reg.r11), Reg.r14), "mov qword [rbp+r11], r14"),
    (StoreImm(4, Mem(-16), 7), "mov dword [rbp-0x10], 7"),
    (StoreImm(8, Mem(-16), -7), "mov qword [rbp-0x10], -7"),
    (Lea(64, Reg.r11, Reg.rdi, -0x10000), "lea r11, [rdi-0x10000]"),
    (Lea(32, Reg.r11, Reg.rdi, 0), "lea r11d, [rdi]"),
    (LeaIndexed(Reg.rax, Reg.rdi, Reg.rsi, 3, 8), "lea rax, [rdi+rsi*8+8]"),
    (LeaLabel(Reg.rcx, Local(0)), "lea rcx, [.0]"),
    (AluReg(Alu.ADD, 64, Reg.rax, Reg.rdi), "add rax, rdi"),
    (AluReg(Alu.CMP, 32, Reg.r9, Reg.rdi), "cmp r9d, edi"),
    (AluImm8(Alu.AND, 64, Reg.rax, -16), "and rax, -0x10"),
    (AluImm32(Alu.XOR, 32, Reg.rax, 0x12345), "xor eax, 0x12345"),
    (TestReg(64, Reg.rax, Reg.rbx), "test rax, rbx"),
    (TestImm(32, Reg.rsi, 3), "test esi, 3"),
    (Neg(64, Reg.r10), "neg r10"),
    (Imul(32, Reg.rax, Reg.r8), "imul eax, r8d"),
    (ImulImm(64, Reg.rax, Reg.rax, 100), "imul rax, rax, 0x64"),
    (Div(64, Reg.rcx), "div rcx"),
    (Idiv(32, Reg.rcx), "idiv ecx"),
    (SignToRdx(64), "cqo"),
    (SignToRdx(32), "cdq"),
    (ShiftImm(Shift.SAR, 64, Reg.rax, 63), "sar rax, 63"),
    (ShiftCl(Shift.SHL, 32, Reg.r13), "shl r13d, cl"),
    (Rotate16(Reg.rsi, 8), "rol si, 8"),
    (Bswap(32, Reg.r8), "bswap r8d"),
    (LockAlu(Alu.OR, 4, Mem(0, Reg.r11), Reg.rdi), "lock or dword [rbp+r11], edi"),
    (LockXadd(8, Mem(0, Reg.r11), Reg.rdi), "lock xadd qword [rbp+r11], rdi"),
    (Xchg(4, Mem(0, Reg.r11), Reg.rdi), "xchg dword [rbp+r11], edi"),
    (LockCmpxchg(8, Mem(0, Reg.r11), Reg.rdi), "lock cmpxchg qword [rbp+r11], rdi"),
    (Jump(Native(0x40)), "jmp rip+0x40"),
    (JumpIf(Cond.BE, Native(-0x40)), "jbe rip-0x40"),
    (JumpReg(Reg.r11), "jmp r11"),
    (JumpMem(Mem(-0x1000, Reg.rcx)), "jmp qword [rbp+rcx-0x1000]"),
    (JumpTable(Native(0)), "jmp qword [rip+0x0]"),
    (Push(Reg.r12), "push r12"),
    (Pop(Reg.rbx), "pop rbx"),
    (Ret(), "ret"),
    (Label(3), ".3:"),
    (Label(0, cold=True), ".0: (cold)"),
]


@pytest.mark.parametrize(("instruction", "text"), ROWS, ids=[text for _, text in ROWS])
def test_prints_as_in_the_row(instruction: X86, text: str) -> None:
    assert disassemble(instruction) == text


def test_every_form_has_a_row() -> None:
    assert {type(instruction) for instruction, _ in ROWS} == set(FORMS)


@pytest.mark.parametrize(("instruction", "text"), ROWS, ids=[text for _, text in ROWS])
def test_capstone_reads_the_same_in_the_bytes(instruction: X86, text: str) -> None:
    """But for labels that are not in the bytes yet."""
    pytest.importorskip("capstone")
    encoded, label = encode(instruction)
    if encoded and (label is None or isinstance(label, Native)):
        code, *_ = template((instruction,))
        assert read_bytes(code) == (reading(text), len(code))


@pytest.mark.parametrize(
    ("instruction", "without_pc", "at_pc_10"),
    [
        (Jump(Ahead(-3)), "jmp pc-3", "jmp pc 7"),
        (JumpIf(Cond.A, Leave(Exit.INTERPRET)), "ja leave INTERPRET", "ja leave INTERPRET"),
        (Jump(Stub(Exit.HELPER)), "jmp stub HELPER", "jmp stub HELPER"),
        (JumpTable(Callee(5)), "jmp qword [function pc+5]", "jmp qword [function pc 15]"),
        (StoreImm(4, Mem(-16), PcPlus(1)), "mov dword [rbp-0x10], pc+1", "mov dword [rbp-0x10], pc 11"),
    ],
)
def test_labels_name_pcs_where_the_pc_is_known(instruction: X86, without_pc: str, at_pc_10: str) -> None:
    assert disassemble(instruction) == without_pc
    assert disassemble(instruction, 10) == at_pc_10


@pytest.mark.parametrize(
    ("macro", "text"),
    [
        (POLL, "Poll counted yes"),
        (LoadFrom(Reg.rdi, InFrame(-8), 8, False), "LoadFrom rdi, [r10-8], size 8"),
        (LoadFrom(Reg.rdi, AtChecked(0x20000), 4, True), "LoadFrom rdi, [checked+0x20000], size 4, signed yes"),
        (BranchReg(Cond.LE, 32, Reg.rax, Reg.rbx, -4), "BranchReg LE, bits 32, rax, rbx, distance -4"),
        (
            CheckAny(Reg.rax, 4, 8, (Region.WRITABLE, Region.CALLDATA), True),
            "CheckAny rax, offset 4, size 8, regions WRITABLE|CALLDATA, write yes",
        ),
    ],
)
def test_macros_say_their_operands(macro: Macro, text: str) -> None:
    assert type(macro) in get_args(Macro)
    assert disassemble_macro(macro) == text
