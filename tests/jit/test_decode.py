"""The decoder against the manual (rows by hand), against Capstone (every opcode), and its refusals.

What the printer says of an instruction of ours is compared with what Capstone reads in the same bytes, so a wrong row
in the decoder needs the same mistake in Capstone to go unseen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from differential.reading import disassembler, read_bytes, reading
from jit.decode import NotOurs, decode, decode_all
from jit.disassemble import disassemble
from jit.registers import Reg
from jit.x86 import (
    FORMS,
    X86,
    Alu,
    AluImm8,
    AluImm32,
    AluReg,
    Bswap,
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
    Load,
    LoadSigned,
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
    TestImm,
    TestReg,
    Xchg,
)

pytest.importorskip("capstone")
keystone = pytest.importorskip("keystone")

R = Reg
B = Mem(16)  # [rbp + 16]

# bytes, instruction, Intel syntax. Bytes by hand from SDM 2; "" where Keystone would choose another encoding.
ROWS: tuple[tuple[str, X86, str], ...] = (
    ("89 c8", MovReg(32, R.rax, R.rcx), "mov eax, ecx"),
    ("4d 89 fc", MovReg(64, R.r12, R.r15), "mov r12, r15"),
    ("b8 ff ff ff ff", MovImm32(R.rax, 2**32 - 1), "mov eax, 0xffffffff"),
    ("41 bf 01 00 00 00", MovImm32(R.r15, 1), "mov r15d, 1"),
    ("48 c7 c0 ff ff ff ff", MovImmSigned(R.rax, -1), "mov rax, -1"),
    ("49 c7 c4 ff ff ff 7f", MovImmSigned(R.r12, 2**31 - 1), "mov r12, 0x7fffffff"),
    ("48 b8 08 07 06 05 04 03 02 01", MovImm64(R.rax, 0x0102030405060708), "movabs rax, 0x102030405060708"),
    ("49 bd ff ff ff ff ff ff ff ff", MovImm64(R.r13, 2**64 - 1), ""),
    ("0f be c1", MovSignExtend(8, 32, R.rax, R.rcx), "movsx eax, cl"),
    ("40 0f be c6", MovSignExtend(8, 32, R.rax, R.rsi), "movsx eax, sil"),
    ("4c 0f be cf", MovSignExtend(8, 64, R.r9, R.rdi), "movsx r9, dil"),
    ("0f bf c6", MovSignExtend(16, 32, R.rax, R.rsi), "movsx eax, si"),
    ("49 0f bf c0", MovSignExtend(16, 64, R.rax, R.r8), "movsx rax, r8w"),
    ("4c 63 c3", MovSignExtend(32, 64, R.r8, R.rbx), "movsxd r8, ebx"),
    ("44 0f b7 d8", MovZeroExtend16(R.r11, R.rax), "movzx r11d, ax"),
    ("0f b6 45 10", Load(1, R.rax, B), "movzx eax, byte ptr [rbp + 16]"),
    ("46 0f b6 5c 1d 80", Load(1, R.r11, Mem(-128, R.r11)), ""),  # [r11 + rbp] to Keystone
    ("0f b7 75 10", Load(2, R.rsi, B), "movzx esi, word ptr [rbp + 16]"),
    ("8b 85 80 00 00 00", Load(4, R.rax, Mem(128)), "mov eax, dword ptr [rbp + 128]"),
    ("4a 8b 44 25 10", Load(8, R.rax, Mem(16, R.r12)), "mov rax, qword ptr [rbp + r12 + 16]"),
    ("48 8b 44 2d 00", Load(8, R.rax, Mem(0, R.rbp)), "mov rax, qword ptr [rbp + rbp]"),
    ("48 0f be 45 10", LoadSigned(1, R.rax, B), "movsx rax, byte ptr [rbp + 16]"),
    ("4c 0f bf 45 10", LoadSigned(2, R.r8, B), "movsx r8, word ptr [rbp + 16]"),
    ("48 63 85 7f ff ff ff", LoadSigned(4, R.rax, Mem(-129)), "movsxd rax, dword ptr [rbp - 129]"),
    ("88 5d 10", Store(1, B, R.rbx), "mov byte ptr [rbp + 16], bl"),
    ("40 88 65 10", Store(1, B, R.rsp), "mov byte ptr [rbp + 16], spl"),
    ("44 88 65 10", Store(1, B, R.r12), "mov byte ptr [rbp + 16], r12b"),
    ("42 88 4c 05 10", Store(1, Mem(16, R.r8), R.rcx), "mov byte ptr [rbp + r8 + 16], cl"),
    ("66 44 89 45 10", Store(2, B, R.r8), "mov word ptr [rbp + 16], r8w"),
    ("89 45 10", Store(4, B, R.rax), "mov dword ptr [rbp + 16], eax"),
    ("4c 89 bd 00 00 00 80", Store(8, Mem(-(2**31)), R.r15), "mov qword ptr [rbp - 0x80000000], r15"),
    ("c6 45 10 ff", StoreImm(1, B, 255), "mov byte ptr [rbp + 16], 0xff"),
    ("66 c7 45 10 fe ff", StoreImm(2, B, 0xFFFE), "mov word ptr [rbp + 16], 0xfffe"),
    ("c7 45 10 fe ff ff ff", StoreImm(4, B, 0xFFFFFFFE), "mov dword ptr [rbp + 16], 0xfffffffe"),
    ("48 c7 45 10 fe ff ff ff", StoreImm(8, B, -2), "mov qword ptr [rbp + 16], -2"),
    ("4c 8d 58 f8", Lea(64, R.r11, R.rax, -8), "lea r11, [rax - 8]"),
    ("8d 43 01", Lea(32, R.rax, R.rbx, 1), "lea eax, [rbx + 1]"),
    ("48 8d 44 24 08", Lea(64, R.rax, R.rsp, 8), "lea rax, [rsp + 8]"),
    ("49 8d 84 24 00 01 00 00", Lea(64, R.rax, R.r12, 256), "lea rax, [r12 + 256]"),
    ("48 8d 40 00", Lea(64, R.rax, R.rax, 0), ""),  # Keystone drops a displacement of zero
    ("48 8d 44 85 08", LeaIndexed(R.rax, R.rbp, R.rax, 2, 8), "lea rax, [rbp + rax * 4 + 8]"),
    ("4f 8d 64 ec 7f", LeaIndexed(R.r12, R.r12, R.r13, 3, 127), "lea r12, [r12 + r13 * 8 + 127]"),
    ("48 8d 05 10 00 00 00", LeaLabel(R.rax, Native(16)), "lea rax, [rip + 16]"),
    ("01 c8", AluReg(Alu.ADD, 32, R.rax, R.rcx), "add eax, ecx"),
    ("49 09 c0", AluReg(Alu.OR, 64, R.r8, R.rax), "or r8, rax"),
    ("21 c8", AluReg(Alu.AND, 32, R.rax, R.rcx), "and eax, ecx"),
    ("48 29 c8", AluReg(Alu.SUB, 64, R.rax, R.rcx), "sub rax, rcx"),
    ("31 c0", AluReg(Alu.XOR, 32, R.rax, R.rax), "xor eax, eax"),
    ("4c 39 d8", AluReg(Alu.CMP, 64, R.rax, R.r11), "cmp rax, r11"),
    ("48 83 c0 80", AluImm8(Alu.ADD, 64, R.rax, -128), "add rax, -128"),
    ("41 83 e4 07", AluImm8(Alu.AND, 32, R.r12, 7), "and r12d, 7"),
    ("48 81 c1 80 00 00 00", AluImm32(Alu.ADD, 64, R.rcx, 128), "add rcx, 128"),
    ("81 f0 00 00 00 80", AluImm32(Alu.XOR, 32, R.rax, -(2**31)), ""),  # 35 id to Keystone
    ("81 f9 01 00 00 00", AluImm32(Alu.CMP, 32, R.rcx, 1), ""),  # 83 /7 ib to Keystone
    ("48 85 c9", TestReg(64, R.rcx, R.rcx), "test rcx, rcx"),
    ("44 85 c9", TestReg(32, R.rcx, R.r9), "test ecx, r9d"),
    ("49 f7 c0 ff ff ff ff", TestImm(64, R.r8, -1), "test r8, -1"),
    ("48 f7 d8", Neg(64, R.rax), "neg rax"),
    ("41 f7 df", Neg(32, R.r15), "neg r15d"),
    ("4c 0f af c0", Imul(64, R.r8, R.rax), "imul r8, rax"),
    ("69 c1 00 01 00 00", ImulImm(32, R.rax, R.rcx, 256), "imul eax, ecx, 256"),
    ("48 f7 f1", Div(64, R.rcx), "div rcx"),
    ("41 f7 f9", Idiv(32, R.r9), "idiv r9d"),
    ("99", SignToRdx(32), "cdq"),
    ("48 99", SignToRdx(64), "cqo"),
    ("c1 e0 1f", ShiftImm(Shift.SHL, 32, R.rax, 31), "shl eax, 31"),
    ("49 c1 fc 3f", ShiftImm(Shift.SAR, 64, R.r12, 63), "sar r12, 63"),
    ("48 c1 c8 00", ShiftImm(Shift.ROR, 64, R.rax, 0), "ror rax, 0"),
    ("48 d3 e8", ShiftCl(Shift.SHR, 64, R.rax), "shr rax, cl"),
    ("41 d3 c7", ShiftCl(Shift.ROL, 32, R.r15), "rol r15d, cl"),
    ("66 c1 c0 08", Rotate16(R.rax, 8), "rol ax, 8"),
    ("66 41 c1 c7 0f", Rotate16(R.r15, 15), "rol r15w, 15"),
    ("0f c8", Bswap(32, R.rax), "bswap eax"),
    ("49 0f cf", Bswap(64, R.r15), "bswap r15"),
    ("f0 48 01 45 10", LockAlu(Alu.ADD, 8, B, R.rax), "lock add qword ptr [rbp + 16], rax"),
    ("f0 42 31 4c 05 10", LockAlu(Alu.XOR, 4, Mem(16, R.r8), R.rcx), "lock xor dword ptr [rbp + r8 + 16], ecx"),
    ("f0 0f c1 45 10", LockXadd(4, B, R.rax), "lock xadd dword ptr [rbp + 16], eax"),
    ("4c 87 45 10", Xchg(8, B, R.r8), "xchg qword ptr [rbp + 16], r8"),
    ("f0 48 0f b1 4d 10", LockCmpxchg(8, B, R.rcx), "lock cmpxchg qword ptr [rbp + 16], rcx"),
    ("e9 fb ff ff ff", Jump(Native(-5)), ""),  # EB cb to Keystone
    ("0f 82 00 01 00 00", JumpIf(Cond.B, Native(256)), "jb 0x1106"),  # from 0x1000
    ("0f 8f 00 00 00 80", JumpIf(Cond.G, Native(-(2**31))), ""),
    ("41 ff e3", JumpReg(R.r11), "jmp r11"),
    ("42 ff 64 1d 10", JumpMem(Mem(16, R.r11)), "jmp qword ptr [rbp + r11 + 16]"),
    ("ff 25 f8 ff ff ff", JumpTable(Native(-8)), "jmp qword ptr [rip - 8]"),
    ("50", Push(R.rax), "push rax"),
    ("41 57", Push(R.r15), "push r15"),
    ("5d", Pop(R.rbp), "pop rbp"),
    ("41 5c", Pop(R.r12), "pop r12"),
    ("c3", Ret(), "ret"),
)
CODES = tuple(pytest.param(bytes.fromhex(code), instruction, text, id=code) for code, instruction, text in ROWS)


def test_every_form_has_a_row() -> None:
    assert {type(instruction) for _, instruction, _ in ROWS} == set(FORMS) - {Label}


@pytest.mark.parametrize(("code", "instruction", "text"), CODES)
def test_decodes_as_the_manual_says(code: bytes, instruction: X86, text: str) -> None:
    assert decode(code) == (instruction, len(code))
    assert decode(tuple(b"\xf0\x66" + code), 2) == (instruction, len(code)), "whatever comes before"
    assert decode(code + b"\xf0\x66", 0) == (instruction, len(code)), "whatever follows"


@pytest.mark.parametrize(("code", "instruction", "text"), CODES)
def test_keystone_writes_the_same_bytes(code: bytes, instruction: X86, text: str) -> None:
    if text:
        encoding, _ = keystone.Ks(keystone.KS_ARCH_X86, keystone.KS_MODE_64).asm(text, addr=0x1000)
        assert bytes(encoding).hex(" ") == code.hex(" ")


@pytest.mark.parametrize(("code", "instruction", "text"), CODES)
def test_truncation_is_refused_at_every_byte(code: bytes, instruction: X86, text: str) -> None:
    for length in range(len(code)):
        with pytest.raises(NotOurs, match=f"byte 0x0: truncated after {length} bytes"):
            decode(code[:length])


class Symbol:
    """A byte of which only what the decoder promises may be asked: no index, no hash, no division."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: int) -> None:
        self.value = value

    def __and__(self, other: int) -> Symbol:
        return Symbol(self.value & other)

    def __or__(self, other: int | Symbol) -> Symbol:
        return Symbol(self.value | (other.value if isinstance(other, Symbol) else other))

    def __lshift__(self, count: int) -> Symbol:
        return Symbol(self.value << count)

    def __sub__(self, other: Symbol) -> Symbol:
        return Symbol(self.value - other.value)

    def __eq__(self, other: object) -> bool:
        return self.value == (other.value if isinstance(other, Symbol) else other)

    def __le__(self, other: int) -> bool:
        return self.value <= other

    def __ge__(self, other: int) -> bool:
        return self.value >= other


@pytest.mark.parametrize(("code", "instruction", "text"), CODES)
def test_numbers_may_be_symbolic(code: bytes, instruction: X86, text: str) -> None:
    (found,) = disassembler().disasm(code, 0)
    symbolic: list[Any] = list(code)
    for first, size in ((found.disp_offset, found.disp_size), (found.imm_offset, found.imm_size)):
        if first:
            symbolic[first : first + size] = [Symbol(value) for value in code[first : first + size]]
    assert decode(symbolic) == (instruction, len(code))


def test_decodes_a_sequence_with_positions() -> None:
    code = bytes.fromhex("50 48 85 c9 0f 84 00 00 00 00 c3")
    assert decode_all(code) == (
        (0, Push(R.rax)),
        (1, TestReg(64, R.rcx, R.rcx)),
        (4, JumpIf(Cond.E, Native(0))),
        (10, Ret()),
    )
    assert decode_all(b"") == ()
    with pytest.raises(NotOurs, match="byte 0xa: opcode CC") as refused:
        decode_all(code[:-1] + b"\xcc")
    assert refused.value.position == 10


@pytest.mark.parametrize(
    ("ours", "refused", "reason"),
    [
        # a displacement or an operand that has a shorter encoding
        ("8b 45 7f", "8b 85 7f 00 00 00", "fits 8 bits"),
        ("8b 85 80 00 00 00", "8b 85 7f 00 00 00", "fits 8 bits"),
        ("8b 85 7f ff ff ff", "8b 85 80 ff ff ff", "fits 8 bits"),
        ("8b 45 00", "8b 85 00 00 00 00", "fits 8 bits"),
        ("48 c7 c0 00 00 00 00", "c7 c0 00 00 00 00", "REX.W"),  # B8+rd
        ("8b 45 00", "8b 44 25 00", "SIB byte without effect"),
        ("48 8d 44 24 08", "48 8d 44 64 08", "SIB byte without effect"),  # scale without index
        ("48 8d 40 08", "48 8d 44 20 08", "SIB byte without effect"),
        # prefixes without effect, doubled, out of order
        ("89 c8", "40 89 c8", "REX prefix without effect"),
        ("0f be c1", "40 0f be c1", "REX prefix without effect"),
        ("88 5d 10", "40 88 5d 10", "REX prefix without effect"),
        ("c3", "48 c3", "without effect"),
        ("c3", "41 c3", "without effect"),
        ("e9 00 00 00 00", "48 e9 00 00 00 00", "without effect"),
        ("0f 82 00 00 00 00", "41 0f 82 00 00 00 00", "without effect"),
        ("48 99", "49 99", "without effect"),
        ("50", "48 50", "no REX.W"),
        ("41 50", "45 50", "without effect"),
        ("41 50", "43 50", "without effect"),
        ("ff e0", "48 ff e0", "no REX.W"),
        ("48 f7 d8", "4c f7 d8", "without effect"),  # REX.R beside /digit
        ("48 01 c8", "4a 01 c8", "without effect"),  # REX.X beside a register
        ("48 8b 45 10", "4a 8b 45 10", "without effect"),  # REX.X without SIB
        ("48 8d 05 00 00 00 00", "49 8d 05 00 00 00 00", "without effect"),  # REX.B beside rip
        ("ff 25 00 00 00 00", "42 ff 25 00 00 00 00", "without effect"),
        ("66 89 45 10", "66 66 89 45 10", "opcode 66"),
        ("66 41 c1 c0 08", "41 66 c1 c0 08", "opcode 66"),
        ("48 01 c8", "48 48 01 c8", "opcode 48"),
        ("66 89 45 10", "66 48 89 45 10", "no REX.W"),
        ("f0 01 45 10", "f0 66 01 45 10", "opcode 66 behind LOCK"),
        ("f0 01 45 10", "66 f0 01 45 10", "opcode F0 behind prefix 66"),
        ("87 45 10", "f0 87 45 10", "opcode 87 behind LOCK"),  # it locks by itself
        ("8b 45 10", "64 8b 45 10", "opcode 64"),  # a segment
        ("8b 45 10", "67 8b 45 10", "opcode 67"),  # a 32-bit address
        # 8-bit registers
        ("40 88 65 10", "88 65 10", "ah, ch, dh, bh"),
        ("40 0f be c7", "0f be c7", "ah, ch, dh, bh"),
        # operands that our forms do not have
        ("8b 45 10", "8b 43 10", "not \\[rbp"),
        ("8b 45 10", "41 8b 45 10", "not \\[rbp"),  # r13
        ("8b 44 05 10", "8b 44 45 10", "not \\[rbp"),  # scale 2
        ("8b 44 05 10", "41 8b 44 05 10", "not \\[rbp"),
        ("8b 45 10", "8b 05 10 00 00 00", "not \\[rbp"),  # rip-relative load
        ("8b 45 10", "8b 00", "without displacement"),
        ("8b 45 10", "8b 04 05 10 00 00 00", "without displacement"),
        ("8b 45 10", "8b c0", "a register where"),
        ("01 c0", "01 45 10", "a memory operand where"),
        ("f7 d8", "f7 5d 10", "a memory operand where"),
        ("87 45 10", "87 c0", "a register where"),
        ("f0 01 45 10", "f0 01 c0", "a register where"),  # #UD
        ("48 8d 45 10", "48 8d c0", "LEA of a register"),
        ("48 8d 44 05 10", "8d 44 05 10", "64 bits"),
        ("48 8d 05 00 00 00 00", "8d 05 00 00 00 00", "64 bits"),
        ("48 63 c0", "63 c0", "64 bits"),
        ("48 0f be 45 10", "0f be 45 10", "64 bits"),
        ("0f b7 c0", "48 0f b7 c0", "no REX.W"),
        ("ff 65 f8", "48 ff 65 f8", "no REX.W"),
        ("ff 65 f8", "ff 4d f8", "FF /1"),
        ("ff 64 05 10", "ff 6c 05 10", "FF /5"),  # far jump
        ("ff e0", "ff d0", "FF /2"),  # call
        # operations that our forms do not have
        ("83 c0 01", "83 d0 01", "ADC or SBB"),
        ("83 c0 01", "83 d8 01", "ADC or SBB"),
        ("09 c0", "11 c0", "opcode 11"),
        ("09 c0", "0b c0", "opcode 0B"),
        ("c1 e0 1f", "c1 e0 20", "a count of 32"),
        ("48 c1 e0 3f", "48 c1 e0 40", "a count of 64"),
        ("c1 e0 01", "c1 d0 01", "C1 /2"),
        ("c1 e0 01", "c1 f0 01", "C1 /6"),
        ("66 c1 c0 01", "66 c1 c0 00", "1 .. 15"),
        ("66 c1 c0 0f", "66 c1 c0 10", "1 .. 15"),
        ("66 c1 c0 08", "66 c1 c8 08", "66 C1 /1"),
        ("f7 d8", "f7 d0", "F7 /2"),
        ("c7 45 10 00 00 00 00", "c7 4d 10 00 00 00 00", "C7 /1"),
        ("0f 82 00 00 00 00", "0f 81 00 00 00 00", "opcode 0F 81"),
        ("0f 82 00 00 00 00", "0f 8a 00 00 00 00", "opcode 0F 8A"),
        ("c3", "cc", "opcode CC"),
        ("c3", "0f 05", "opcode 0F 05"),  # syscall
    ],
)
def test_refuses_what_the_assembler_would_not_write(ours: str, refused: str, reason: str) -> None:
    assert decode(bytes.fromhex(ours))[1] == len(bytes.fromhex(ours))
    with pytest.raises(NotOurs, match=reason):
        decode(bytes.fromhex(refused))


# ---------------------------------------------------------------- against Capstone, over all opcodes

def heads() -> list[bytes]:
    """Every combination of one of our prefixes or none, any REX or none, and an opcode of one or two bytes."""
    opcodes = [bytes([opcode]) for opcode in range(256)] + [bytes([0x0F, opcode]) for opcode in range(256)]
    rexes = [b"", *(bytes([rex]) for rex in range(0x40, 0x50))]
    return [prefix + rex + opcode for prefix in (b"", b"\x66", b"\xf0") for rex in rexes for opcode in opcodes]


def tail(random: Random) -> bytes:
    """ModRM, SIB, displacement and immediate, drawn so that our encodings come up often, and their neighbours too."""
    modrm = random.choice((0x45, 0x44, 0x85, 0x84, 0xC0, 0xC7, 0x05, random.randrange(256)))
    modrm = modrm & 0xC7 | random.randrange(8) << 3
    sib = random.choice((5, random.randrange(256))) | random.randrange(8) << 3
    edges = (0, 1, 0x7F, 0x80, 0xFF, random.randrange(256))
    return bytes((modrm, sib, *(random.choice(edges) for _ in range(12))))


def candidates(random: Random) -> Iterator[bytes]:
    """Every head with a few tails, and the rows above with up to three bytes changed."""
    for head in heads():
        for _ in range(6):
            yield head + tail(random)
    for code, _, _ in ROWS:
        for _ in range(600):
            changed = bytearray(bytes.fromhex(code))
            for _ in range(random.randrange(4)):
                changed[random.randrange(len(changed))] = random.choice((random.randrange(256), 1, 0x48, 0x40, 0x45))
            yield bytes(changed) + tail(random)


def test_reads_what_capstone_reads_and_each_instruction_has_one_encoding() -> None:
    encodings: dict[X86, bytes] = {}
    per_form = Counter[str]()
    for code in candidates(Random(20240607)):
        try:
            instruction, length = decode(code)
        except NotOurs:
            continue
        said = reading(disassemble(instruction))
        assert read_bytes(code) == (said, length), f"{code[:length].hex(' ')}: {instruction}"
        if encodings.setdefault(instruction, code[:length]) != code[:length]:
            pytest.fail(f"{instruction} has two encodings")
        per_form[type(instruction).__name__] += 1
    print("encodings compared, per form:", dict(per_form))
    assert min(per_form[form.__name__] for form in FORMS if form is not Label) >= 100, "the bytes hardly reach a form"


def test_no_bytes_crash_the_decoder() -> None:
    random = Random(7)
    for _ in range(20_000):
        code = random.randbytes(random.randrange(16))
        try:
            _, length = decode(code)
        except NotOurs as refused:
            assert refused.position == 0
        else:
            assert 0 < length <= len(code)
