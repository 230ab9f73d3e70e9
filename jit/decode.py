"""decode(native bytes) = the instruction that they are, if it is one that this project emits.

Decides: which form of `jit.x86` the bytes at a position encode, with which operands, and in how many bytes.
Refuses, with `NotOurs`, everything else: other instructions, truncated ones, and encodings of our forms that the
assembler does not choose (a 32-bit displacement where 8 bits do, a prefix or a REX bit without effect). So an
instruction has one encoding, and bytes that decode are bytes that the assembler could have written.
`jit.modrm` reads what comes before the immediate. Trusts nothing. Trusted by the theorems (`bytes.*` compare it with
`jit.assemble`, with which it shares no table) and by the machine model, which runs what it returns.

Source: Intel SDM 2, chapter 2 (instruction format, tables 2-1 to 2-5), appendix A (opcode map) and the page of each
instruction. From left to right, as the bytes come:

    [66 or F0] [REX 40..4F] opcode or 0F opcode [ModRM [SIB] [disp8 or disp32]] [imm8, imm16, imm32 or imm64]

Bytes of displacements and immediates meet only comparisons, shifts, |, &, + and -, so that they may be symbolic. All
others are looked at bit by bit and must be numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from jit.modrm import (
    Head,
    NotOurs,
    byte,
    byte_register,
    mem,
    memory_and_register,
    memory_with_digit,
    opcode_register,
    operand_and_digit,
    operands,
    read_head,
    refuse,
    refuse_rex,
    refuse_w,
    register_and_digit,
    require_w,
    signed8,
    signed32,
    two_registers,
    unsigned,
)
from jit.registers import Reg
from jit.x86 import (
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
    Lea,
    LeaIndexed,
    LeaLabel,
    Load,
    LoadSigned,
    LockAlu,
    LockCmpxchg,
    LockXadd,
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

__all__ = ["NotOurs", "decode", "decode_all"]


def decode(code: Sequence[int], position: int = 0) -> tuple[X86, int]:
    """The instruction at code[position:] and its length in bytes. Raises NotOurs."""
    head = read_head(code, position)
    if head.prefix == 0xF0:
        instruction, end = locked(code, head)
    elif head.prefix == 0x66:
        instruction, end = of_16_bits(code, head)
    elif head.opcode >= 0x0F00:
        instruction, end = two_byte(code, head)
    else:
        instruction, end = one_byte(code, head)
    return instruction, end - position


def decode_all(code: Sequence[int]) -> tuple[tuple[int, X86], ...]:
    """All instructions of `code`, one behind the other, each with its position. Raises NotOurs."""
    instructions = []
    position = 0
    while position < len(code):
        instruction, length = decode(code, position)
        instructions.append((position, instruction))
        position += length
    return tuple(instructions)


# ---------------------------------------------------------------- one function per opcode map


def one_byte(code: Sequence[int], head: Head) -> tuple[X86, int]:
    """Opcodes without escape and without a prefix other than REX (SDM 2, table A-2)."""
    match head.opcode:
        case 0x01 | 0x09 | 0x21 | 0x29 | 0x31 | 0x39 as opcode:  # op r/m, r
            dst, src, end = two_registers(code, head)
            return AluReg(Alu(opcode >> 3), head.bits, dst, src), end
        case 0x50 | 0x51 | 0x52 | 0x53 | 0x54 | 0x55 | 0x56 | 0x57:  # PUSH r64
            return Push(opcode_register(head, w=False)), head.end
        case 0x58 | 0x59 | 0x5A | 0x5B | 0x5C | 0x5D | 0x5E | 0x5F:  # POP r64
            return Pop(opcode_register(head, w=False)), head.end
        case 0x63:  # MOVSXD r64, r/m32
            require_w(head)
            found = operands(code, head)
            if isinstance(found.rm, Reg):
                return MovSignExtend(32, 64, Reg(found.reg), found.rm), found.end
            return LoadSigned(4, Reg(found.reg), mem(head, found.rm)), found.end
        case 0x69:  # IMUL r, r/m, imm32
            src, dst, end = two_registers(code, head)
            return ImulImm(head.bits, dst, src, signed32(code, head, end)), end + 4
        case 0x81:  # op r/m, imm32
            dst, digit, end = register_and_digit(code, head)
            return AluImm32(alu(head, digit), head.bits, dst, signed32(code, head, end)), end + 4
        case 0x83:  # op r/m, imm8
            dst, digit, end = register_and_digit(code, head)
            return AluImm8(alu(head, digit), head.bits, dst, signed8(code, head, end)), end + 1
        case 0x85:  # TEST r/m, r
            a, b, end = two_registers(code, head)
            return TestReg(head.bits, a, b), end
        case 0x87:  # XCHG r/m, r
            place, src, end = memory_and_register(code, head)
            return Xchg(head.size, place, src), end
        case 0x88:  # MOV r/m8, r8
            refuse_w(head)
            place, src, end = memory_and_register(code, head)
            return Store(1, place, byte_register(head, src)), end
        case 0x89:  # MOV r/m, r
            found = operands(code, head)
            if isinstance(found.rm, Reg):
                return MovReg(head.bits, found.rm, Reg(found.reg)), found.end
            return Store(head.size, mem(head, found.rm), Reg(found.reg)), found.end
        case 0x8B:  # MOV r, r/m
            place, dst, end = memory_and_register(code, head)
            return Load(head.size, dst, place), end
        case 0x8D:  # LEA r, m
            return lea(code, head)
        case 0x99:  # CDQ, CQO
            refuse_rex(head, head.rex & 7)
            return SignToRdx(head.bits), head.end
        case 0xB8 | 0xB9 | 0xBA | 0xBB | 0xBC | 0xBD | 0xBE | 0xBF:  # MOV r, imm32 or imm64
            dst = opcode_register(head, w=True)
            if head.w:
                return MovImm64(dst, unsigned(code, head, head.end, 8)), head.end + 8
            return MovImm32(dst, unsigned(code, head, head.end, 4)), head.end + 4
        case 0xC1:  # rotate or shift r/m, imm8
            dst, digit, end = register_and_digit(code, head)
            count = byte(code, head, end)
            if count >= head.bits:
                refuse(head, f"a count of {head.bits} or more")
            return ShiftImm(shift(head, digit), head.bits, dst, count), end + 1
        case 0xC3:  # RET
            refuse_rex(head, head.rex)
            return Ret(), head.end
        case 0xC6:  # MOV r/m8, imm8
            refuse_w(head)
            place, end = memory_with_digit(code, head, 0)
            return StoreImm(1, place, byte(code, head, end)), end + 1
        case 0xC7:  # MOV r/m, imm32
            return mov_imm32(code, head)
        case 0xD3:  # rotate or shift r/m, CL
            dst, digit, end = register_and_digit(code, head)
            return ShiftCl(shift(head, digit), head.bits, dst), end
        case 0xE9:  # JMP rel32
            refuse_rex(head, head.rex)
            return Jump(Native(signed32(code, head, head.end))), head.end + 4
        case 0xF7:  # unary group 3
            return group3(code, head)
        case 0xFF:  # INC/DEC group 5
            return group5(code, head)
    return refuse(head, f"opcode {head.opcode:02X}")


def two_byte(code: Sequence[int], head: Head) -> tuple[X86, int]:
    """Opcodes behind 0F, without a prefix other than REX (SDM 2, table A-3)."""
    match head.opcode & 0xFF:
        case 0x82 | 0x83 | 0x84 | 0x85 | 0x86 | 0x87 | 0x88 | 0x89 | 0x8C | 0x8D | 0x8E | 0x8F as opcode:  # Jcc rel32
            refuse_rex(head, head.rex)
            return JumpIf(Cond(opcode & 0xF), Native(signed32(code, head, head.end))), head.end + 4
        case 0xAF:  # IMUL r, r/m
            src, dst, end = two_registers(code, head)
            return Imul(head.bits, dst, src), end
        case 0xB6:  # MOVZX r32, r/m8
            refuse_w(head)
            place, dst, end = memory_and_register(code, head)
            return Load(1, dst, place), end
        case 0xB7:  # MOVZX r32, r/m16
            refuse_w(head)
            found = operands(code, head)
            if isinstance(found.rm, Reg):
                return MovZeroExtend16(Reg(found.reg), found.rm), found.end
            return Load(2, Reg(found.reg), mem(head, found.rm)), found.end
        case 0xBE:  # MOVSX r, r/m8
            found = operands(code, head)
            if isinstance(found.rm, Reg):
                return MovSignExtend(8, head.bits, Reg(found.reg), byte_register(head, found.rm)), found.end
            require_w(head)
            return LoadSigned(1, Reg(found.reg), mem(head, found.rm)), found.end
        case 0xBF:  # MOVSX r, r/m16
            found = operands(code, head)
            if isinstance(found.rm, Reg):
                return MovSignExtend(16, head.bits, Reg(found.reg), found.rm), found.end
            require_w(head)
            return LoadSigned(2, Reg(found.reg), mem(head, found.rm)), found.end
        case 0xC8 | 0xC9 | 0xCA | 0xCB | 0xCC | 0xCD | 0xCE | 0xCF:  # BSWAP r
            return Bswap(head.bits, opcode_register(head, w=True)), head.end
    return refuse(head, f"opcode 0F {head.opcode & 0xFF:02X}")


def of_16_bits(code: Sequence[int], head: Head) -> tuple[X86, int]:
    """Opcodes behind the operand-size prefix 66."""
    refuse_w(head)
    match head.opcode:
        case 0x89:  # MOV r/m16, r16
            place, src, end = memory_and_register(code, head)
            return Store(2, place, src), end
        case 0xC1:  # ROL r/m16, imm8
            dst, digit, end = register_and_digit(code, head)
            if digit != 0:
                refuse(head, f"operation 66 C1 /{digit}")
            count = byte(code, head, end)
            if count == 0 or count >= 16:
                refuse(head, "a count outside 1 .. 15")
            return Rotate16(dst, count), end + 1
        case 0xC7:  # MOV r/m16, imm16
            place, end = memory_with_digit(code, head, 0)
            return StoreImm(2, place, unsigned(code, head, end, 2)), end + 2
    return refuse(head, f"opcode {head.opcode:02X} behind prefix 66")


def locked(code: Sequence[int], head: Head) -> tuple[X86, int]:
    """Opcodes behind LOCK."""
    match head.opcode:
        case 0x01 | 0x09 | 0x21 | 0x31 as opcode:  # ADD, OR, AND, XOR r/m, r
            place, src, end = memory_and_register(code, head)
            return LockAlu(Alu(opcode >> 3), head.size, place, src), end
        case 0x0FB1:  # CMPXCHG r/m, r
            place, src, end = memory_and_register(code, head)
            return LockCmpxchg(head.size, place, src), end
        case 0x0FC1:  # XADD r/m, r
            place, src, end = memory_and_register(code, head)
            return LockXadd(head.size, place, src), end
    return refuse(head, f"opcode {head.opcode:02X} behind LOCK")


# ---------------------------------------------------------------- opcodes that stand for several forms


def lea(code: Sequence[int], head: Head) -> tuple[X86, int]:
    found = operands(code, head)
    dst, address = Reg(found.reg), found.rm
    if isinstance(address, Reg):
        return refuse(head, "LEA of a register")
    if address.base is None:
        require_w(head)
        return LeaLabel(dst, Native(address.disp)), found.end
    if address.index is None:
        return Lea(head.bits, dst, address.base, address.disp), found.end
    require_w(head)
    return LeaIndexed(dst, address.base, address.index, address.scale, address.disp), found.end


def mov_imm32(code: Sequence[int], head: Head) -> tuple[X86, int]:
    """C7 /0: the immediate is sign-extended where the operand has 64 bits (SDM 2, MOV)."""
    rm, digit, end = operand_and_digit(code, head)
    if digit != 0:
        refuse(head, f"operation C7 /{digit}")
    if isinstance(rm, Reg):
        require_w(head)  # the 32-bit move is shorter as B8+rd
        return MovImmSigned(rm, signed32(code, head, end)), end + 4
    place = mem(head, rm)
    if head.w:
        return StoreImm(8, place, signed32(code, head, end)), end + 4
    return StoreImm(4, place, unsigned(code, head, end, 4)), end + 4


def group3(code: Sequence[int], head: Head) -> tuple[X86, int]:
    reg, digit, end = register_and_digit(code, head)
    match digit:
        case 0:
            return TestImm(head.bits, reg, signed32(code, head, end)), end + 4
        case 3:
            return Neg(head.bits, reg), end
        case 6:
            return Div(head.bits, reg), end
        case 7:
            return Idiv(head.bits, reg), end
    return refuse(head, f"operation F7 /{digit}")


def group5(code: Sequence[int], head: Head) -> tuple[X86, int]:
    refuse_w(head)  # a near jump has 64 bits without it
    rm, digit, end = operand_and_digit(code, head)
    if digit == 4:
        if isinstance(rm, Reg):
            return JumpReg(rm), end
        if rm.base is None:
            return JumpTable(Native(rm.disp)), end
        return JumpMem(mem(head, rm)), end
    return refuse(head, f"operation FF /{digit} with this operand")


def alu(head: Head, digit: int) -> Alu:
    if digit in {2, 3}:
        refuse(head, "ADC or SBB")
    return Alu(digit)


def shift(head: Head, digit: int) -> Shift:
    if digit in {2, 3, 6}:
        refuse(head, f"operation {head.opcode:02X} /{digit}")
    return Shift(digit)
