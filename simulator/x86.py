"""What each x86-64 instruction of ours does to a machine: one meaning per form, over any domain of words.

Decides: the state after an instruction and where control goes next. Written from SDM 2, the page of the instruction
named in each arm. Undefined is undefined: flags that a page leaves undefined cannot be read afterwards
(`UndefinedRead`), and beyond the page this holds for every flag after a shift, a rotate or a multiplication.

What is not modelled, and so cannot be relied on by a proof: the order in which other processors see accesses (a
locked instruction is one step here, as it is there), faults of the memory itself, AF and PF, and a division whose
dividend is wider than rax: `UnmodelledDivision`.

Trusts the operands to be in the ranges that `jit.x86` states. Trusted by all theorems about generated code and by the
differential campaign, which compares it with Unicorn and with this processor.
"""

from __future__ import annotations

from typing import assert_never

from jit.registers import Reg
from jit.x86 import (
    X86,
    Alu,
    AluImm8,
    AluImm32,
    AluReg,
    Bswap,
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
    TestImm,
    TestReg,
    Xchg,
)
from simulator.flags import after_add, after_logic, after_sub, arithmetic, holds
from simulator.machine import (
    DivideError,
    FallThrough,
    Flags,
    Next,
    Places,
    Return,
    State,
    ToAddress,
    ToLabel,
    UnmodelledDivision,
    address_of,
    read,
    write,
)
from simulator.words import W, Words


def execute(words: Words[W], instruction: X86, state: State[W], places: Places[W]) -> Next[W]:
    """Carry out one instruction on `state`. Raises MachineStopped where the model ends."""
    match instruction:
        case MovReg(bits, dst, src):  # MOV
            write(words, state, dst, bits, read(words, state, src, bits))
        case MovImm32(dst, imm):  # MOV r32, imm32
            write(words, state, dst, 32, words.constant(32, imm))
        case MovImmSigned(dst, imm) | MovImm64(dst, imm):  # MOV r64, imm
            write(words, state, dst, 64, words.constant(64, imm))
        case MovSignExtend(source_bits, bits, dst, src):  # MOVSX, MOVSXD
            value = words.sign_extend(source_bits, bits, read(words, state, src, source_bits))
            write(words, state, dst, bits, value)
        case MovZeroExtend16(dst, src):  # MOVZX
            write(words, state, dst, 64, words.zero_extend(16, 64, read(words, state, src, 16)))
        case Load(size, dst, mem):  # MOV, MOVZX
            write(words, state, dst, 64, state.load(address_of(words, state, mem), size))
        case LoadSigned(size, dst, mem):  # MOVSX, MOVSXD
            narrow = words.truncate(64, 8 * size, state.load(address_of(words, state, mem), size))
            write(words, state, dst, 64, words.sign_extend(8 * size, 64, narrow))
        case Store(size, mem, src):  # MOV
            state.store(address_of(words, state, mem), size, state.registers[src])
        case StoreImm(size, mem, imm):  # MOV
            value = places.pc_plus(imm.delta) if isinstance(imm, PcPlus) else words.constant(64, imm)
            state.store(address_of(words, state, mem), size, value)
        case Lea(bits, dst, base, disp):  # LEA
            value = words.add(bits, read(words, state, base, bits), words.constant(bits, disp))
            write(words, state, dst, bits, value)
        case LeaIndexed(dst, base, index, scale, disp):  # LEA
            scaled = words.shift_left(64, state.registers[index], words.constant(64, scale))
            value = words.add(64, words.add(64, state.registers[base], scaled), words.constant(64, disp))
            write(words, state, dst, 64, value)
        case LeaLabel(dst, label):  # LEA
            write(words, state, dst, 64, places.address(label))

        case AluReg(_, bits, _, src):  # ADD, OR, AND, SUB, XOR, CMP
            alu(words, state, instruction, read(words, state, src, bits))
        case AluImm8(_, bits, _, imm) | AluImm32(_, bits, _, imm):
            alu(words, state, instruction, words.constant(bits, imm))
        case TestReg(bits, a, b):  # TEST
            both = words.bit_and(bits, read(words, state, a, bits), read(words, state, b, bits))
            state.flags = after_logic(words, bits, both)
        case TestImm(bits, reg, imm):  # TEST
            both = words.bit_and(bits, read(words, state, reg, bits), words.constant(bits, imm))
            state.flags = after_logic(words, bits, both)
        case Neg(bits, dst):  # NEG: CF says that the operand was not 0, which is the borrow of 0 - dst
            zero, value = words.constant(bits, 0), read(words, state, dst, bits)
            negative = words.sub(bits, zero, value)
            write(words, state, dst, bits, negative)
            state.flags = after_sub(words, bits, zero, value, negative)
        case Imul(bits, dst, src):  # IMUL
            value = words.mul(bits, read(words, state, dst, bits), read(words, state, src, bits))
            write(words, state, dst, bits, value)
            state.flags = Flags()
        case ImulImm(bits, dst, src, imm):  # IMUL
            write(words, state, dst, bits, words.mul(bits, read(words, state, src, bits), words.constant(bits, imm)))
            state.flags = Flags()
        case Div(bits, src):  # DIV
            divide_unsigned(words, state, bits, read(words, state, src, bits))
        case Idiv(bits, src):  # IDIV
            divide_signed(words, state, bits, read(words, state, src, bits))
        case SignToRdx(bits):  # CWD/CDQ/CQO
            write(words, state, Reg.rdx, bits, all_sign(words, bits, read(words, state, Reg.rax, bits)))
        case ShiftImm(op, bits, dst, count):  # SAL/SAR/SHL/SHR, RCL/RCR/ROL/ROR
            value = shifted(words, op, bits, read(words, state, dst, bits), words.constant(bits, count))
            write(words, state, dst, bits, value)
            state.flags = Flags()
        case ShiftCl(op, bits, dst):  # the count is masked to 5 or 6 bits
            masked = words.bit_and(bits, read(words, state, Reg.rcx, bits), words.constant(bits, bits - 1))
            write(words, state, dst, bits, shifted(words, op, bits, read(words, state, dst, bits), masked))
            state.flags = Flags()
        case Rotate16(dst, count):  # ROL r/m16
            low = shifted(words, Shift.ROL, 16, read(words, state, dst, 16), words.constant(16, count))
            rest = words.bit_and(64, state.registers[dst], words.constant(64, -0x10000))
            write(words, state, dst, 64, words.bit_or(64, rest, words.zero_extend(16, 64, low)))
            state.flags = Flags()
        case Bswap(bits, dst):  # BSWAP
            write(words, state, dst, bits, words.reverse_bytes(bits, read(words, state, dst, bits)))

        case LockAlu(op, size, mem, src):  # ADD, OR, AND, XOR with LOCK
            bits, place = 8 * size, address_of(words, state, mem)
            old = words.truncate(64, bits, state.load(place, size))
            new, state.flags = arithmetic(words, op, bits, old, read(words, state, src, bits))
            state.store(place, size, words.zero_extend(bits, 64, new))
        case LockXadd(size, mem, src):  # XADD with LOCK
            exchange_add(words, state, size, mem, src)
        case Xchg(size, mem, src):  # XCHG
            place, new = address_of(words, state, mem), state.registers[src]
            write(words, state, src, 64, state.load(place, size))
            state.store(place, size, new)
        case LockCmpxchg(size, mem, src):  # CMPXCHG with LOCK
            compare_exchange(words, state, size, mem, src)

        case Jump(label):  # JMP
            return ToLabel(label)
        case JumpIf(cond, label):  # Jcc
            if holds(words, cond, state.flags):
                return ToLabel(label)
        case JumpReg(reg):  # JMP r/m64
            return ToAddress(state.registers[reg])
        case JumpMem(mem):
            return ToAddress(state.load(address_of(words, state, mem), 8))
        case JumpTable(label):
            return ToAddress(state.load(places.address(label), 8))
        case Push(reg):  # PUSH: rsp itself is pushed as it was
            value, place = state.registers[reg], words.sub(64, state.registers[Reg.rsp], words.constant(64, 8))
            state.store(place, 8, value)
            write(words, state, Reg.rsp, 64, place)
        case Pop(reg):  # POP: rsp itself becomes what was popped
            write(words, state, reg, 64, pop(words, state))
        case Ret():  # RET
            return Return(pop(words, state))
        case Label():
            pass
        case _:
            assert_never(instruction)
    return FallThrough()


def alu(words: Words[W], state: State[W], instruction: AluReg | AluImm8 | AluImm32, value: W) -> None:
    """dst := dst op value, and flags."""
    op, bits, dst = instruction.op, instruction.bits, instruction.dst
    result, state.flags = arithmetic(words, op, bits, read(words, state, dst, bits), value)
    if op is not Alu.CMP:
        write(words, state, dst, bits, result)


def shifted(words: Words[W], op: Shift, bits: int, value: W, count: W) -> W:
    """`value` shifted or rotated by count < bits."""
    match op:
        case Shift.SHL:
            return words.shift_left(bits, value, count)
        case Shift.SHR:
            return words.shift_right(bits, value, count)
        case Shift.SAR:
            return words.shift_right_signed(bits, value, count)
        case Shift.ROL | Shift.ROR:
            mask = words.constant(bits, bits - 1)
            rest = words.bit_and(bits, words.sub(bits, words.constant(bits, 0), count), mask)  # 0 stays 0
            left, right = (count, rest) if op is Shift.ROL else (rest, count)
            return words.bit_or(bits, words.shift_left(bits, value, left), words.shift_right(bits, value, right))
        case _:
            assert_never(op)


def all_sign(words: Words[W], bits: int, value: W) -> W:
    """The sign bit of `value`, all over."""
    return words.shift_right_signed(bits, value, words.constant(bits, bits - 1))


def divide_unsigned(words: Words[W], state: State[W], bits: int, divisor: W) -> None:
    """DIV with rdx = 0: the quotient always fits. Any other dividend is beyond the model."""
    zero = words.constant(bits, 0)
    if words.equal(bits, divisor, zero):
        raise DivideError
    if not words.equal(bits, read(words, state, Reg.rdx, bits), zero):
        raise UnmodelledDivision
    dividend = read(words, state, Reg.rax, bits)
    write(words, state, Reg.rax, bits, words.unsigned_div(bits, dividend, divisor))
    write(words, state, Reg.rdx, bits, words.unsigned_rem(bits, dividend, divisor))
    state.flags = Flags()


def divide_signed(words: Words[W], state: State[W], bits: int, divisor: W) -> None:
    """IDIV with rdx = the sign of rax: only INT_MIN / -1 does not fit. Any other dividend is beyond the model."""
    if words.equal(bits, divisor, words.constant(bits, 0)):
        raise DivideError
    dividend = read(words, state, Reg.rax, bits)
    if not words.equal(bits, read(words, state, Reg.rdx, bits), all_sign(words, bits, dividend)):
        raise UnmodelledDivision
    lowest = words.equal(bits, dividend, words.constant(bits, 1 << bits - 1))
    if lowest and words.equal(bits, divisor, words.constant(bits, -1)):
        raise DivideError
    write(words, state, Reg.rax, bits, words.signed_div(bits, dividend, divisor))
    write(words, state, Reg.rdx, bits, words.signed_rem(bits, dividend, divisor))
    state.flags = Flags()


def exchange_add(words: Words[W], state: State[W], size: int, mem: Mem, src: Reg) -> None:
    bits, place = 8 * size, address_of(words, state, mem)
    old, addend = words.truncate(64, bits, state.load(place, size)), read(words, state, src, bits)
    total = words.add(bits, old, addend)
    state.store(place, size, words.zero_extend(bits, 64, total))
    write(words, state, src, bits, old)
    state.flags = after_add(words, bits, old, addend, total)


def compare_exchange(words: Words[W], state: State[W], size: int, mem: Mem, src: Reg) -> None:
    """Flags as of CMP rax, mem. Both outcomes write memory; rax is written, and zero-extended, only on failure."""
    bits, place = 8 * size, address_of(words, state, mem)
    old, expected = words.truncate(64, bits, state.load(place, size)), read(words, state, Reg.rax, bits)
    same = words.equal(bits, expected, old)
    new = words.select(bits, same, read(words, state, src, bits), old)
    state.store(place, size, words.zero_extend(bits, 64, new))
    rax = words.select(64, same, state.registers[Reg.rax], words.zero_extend(bits, 64, old))
    write(words, state, Reg.rax, 64, rax)
    state.flags = after_sub(words, bits, expected, old, words.sub(bits, expected, old))


def pop(words: Words[W], state: State[W]) -> W:
    """The 8 bytes that rsp points to; rsp moves past them."""
    top = state.registers[Reg.rsp]
    value = state.load(top, 8)
    write(words, state, Reg.rsp, 64, words.add(64, top, words.constant(64, 8)))
    return value
