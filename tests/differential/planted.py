"""Mistakes for a model of a processor to make, most of which some emulator has made; and the form that shows each."""

from __future__ import annotations

from simulator import flags, machine, x86
from tests.simulator.broken import Mutant

FLAGS = (
    Mutant(
        "ADD does not carry",
        flags,
        "cf=bit(words, words.unsigned_less(bits, total, a))",
        "cf=words.constant(1, 0)",
        "",
    ),
    Mutant(
        "a sum that is equal carries",
        flags,
        "words.unsigned_less(bits, total, a)",
        "not words.unsigned_less(bits, a, total)",
        "",
    ),
    Mutant(
        "borrows are signed",
        flags,
        "cf=bit(words, words.unsigned_less(bits, a, b))",
        "cf=bit(words, words.signed_less(bits, a, b))",
        "",
    ),
    Mutant(
        "ADD overflows as SUB does",
        flags,
        "words.bit_xor(bits, b, total))",
        "words.bit_xor(bits, a, b))",
        "",
    ),
    Mutant(
        "SUB overflows as ADD does",
        flags,
        "words.bit_xor(bits, a, b), words.bit_xor(bits, a, difference)",
        "words.bit_xor(bits, b, difference), words.bit_xor(bits, a, difference)",
        "",
    ),
    Mutant(
        "the sign is the second bit",
        flags,
        "words.constant(bits, bits - 1)))",
        "words.constant(bits, bits - 2)))",
        "",
    ),
    Mutant(
        "logic keeps the overflow",
        flags,
        "sf=top(words, bits, value), of=zero)",
        "sf=top(words, bits, value), of=top(words, bits, value))",
        "",
    ),
    Mutant(
        "logic leaves the carry undefined",
        flags,
        "return Flags(cf=zero,",
        "return Flags(cf=None,",
        "",
    ),
    Mutant(
        "BE is B",
        flags,
        'words.bit_or(1, defined("CF", flags.cf), defined("ZF", flags.zf))',
        'defined("CF", flags.cf)',
        "JumpIf",
    ),
    Mutant(
        "LE is L",
        flags,
        'words.bit_or(1, defined("ZF", flags.zf), less)',
        "less",
        "JumpIf",
    ),
    Mutant(
        "odd conditions are not negated",
        flags,
        "negated = cond.value & 1",
        "negated = 0",
        "JumpIf",
    ),
    Mutant(
        "NEG carries for zero",
        x86,
        "after_sub(words, bits, zero, value, negative)",
        "after_sub(words, bits, value, zero, negative)",
        "Neg",
    ),
    Mutant(
        "TEST of an immediate looks at 64 bits",
        x86,
        "words.bit_and(bits, read(words, state, reg, bits), words.constant(bits, imm))\n"
        "            state.flags = after_logic(words, bits,",
        "words.bit_and(64, state.registers[reg], words.constant(64, imm))\n"
        "            state.flags = after_logic(words, 64,",
        "TestImm",
    ),
    Mutant(
        "XADD sets no flags",
        x86,
        "write(words, state, src, bits, old)\n    state.flags = after_add(words, bits, old, addend, total)",
        "write(words, state, src, bits, old)",
        "LockXadd",
    ),
    Mutant(
        "CMPXCHG compares the other way round",
        x86,
        "after_sub(words, bits, expected, old, words.sub(bits, expected, old))",
        "after_sub(words, bits, old, expected, words.sub(bits, old, expected))",
        "LockCmpxchg",
    ),
    Mutant(
        "CMP stores its difference",
        x86,
        "if op is not Alu.CMP:",
        "if True:",
        "",
    ),
)

WIDTHS = (
    Mutant(
        "32-bit results keep the upper half",
        machine,
        "value if bits == 64 else words.zero_extend(bits, 64, value)",
        "value if bits == 64 else words.bit_or(64, words.bit_and(64, state.registers[reg], "
        "words.constant(64, -1 << 32)), value)",
        "",
    ),
    Mutant(
        "addresses have 32 bits",
        machine,
        "return words.add(64, base, words.constant(64, mem.disp))",
        "return words.truncate(64, 32, words.add(64, base, words.constant(64, mem.disp)))",
        "",
    ),
    Mutant(
        "displacements are not signed",
        machine,
        "words.constant(64, mem.disp))",
        "words.constant(64, mem.disp % 2**32))",
        "",
    ),
    Mutant(
        "MOVZX takes a byte",
        x86,
        "words.zero_extend(16, 64, read(words, state, src, 16))",
        "words.zero_extend(8, 64, read(words, state, src, 8))",
        "MovZeroExtend16",
    ),
    Mutant(
        "LEA of 32 bits keeps 64",
        x86,
        "value = words.add(bits, read(words, state, base, bits), words.constant(bits, disp))\n"
        "            write(words, state, dst, bits, value)",
        "value = words.add(64, state.registers[base], words.constant(64, disp))\n"
        "            write(words, state, dst, 64, value)",
        "Lea",
    ),
    Mutant(
        "LEA scales by one bit less",
        x86,
        "words.constant(64, scale))",
        "words.constant(64, max(scale - 1, 0)))",
        "LeaIndexed",
    ),
    Mutant(
        "shift counts are masked to 6 bits",
        x86,
        "words.constant(bits, bits - 1))\n"
        "            write(words, state, dst, bits, shifted(words, op, bits, read(words, state, "
        "dst, bits), masked))",
        "words.constant(bits, 63))\n"
        "            write(words, state, dst, bits, shifted(words, op, bits, read(words, state, "
        "dst, bits), masked % bits if masked < 32 else 0))",
        "ShiftCl",
    ),
    Mutant(
        "a 16-bit rotate clears the rest",
        x86,
        "words.constant(64, -0x10000)",
        "words.constant(64, 0)",
        "Rotate16",
    ),
    Mutant(
        "BSWAP of 32 bits keeps the upper half",
        x86,
        "write(words, state, dst, bits, words.reverse_bytes(bits, read(words, state, dst, bits)))",
        "state.registers[dst] = words.bit_or(64, words.bit_and(64, state.registers[dst], "
        "words.constant(64, -1 << bits)), words.reverse_bytes(bits, read(words, state, dst, bits)))",
        "Bswap",
    ),
    Mutant(
        "CMPXCHG clears the upper half of rax",
        x86,
        "words.select(64, same, state.registers[Reg.rax], words.zero_extend(bits, 64, old))",
        "words.zero_extend(bits, 64, old)",
        "LockCmpxchg",
    ),
    Mutant(
        "XCHG keeps what it should exchange",
        x86,
        "write(words, state, src, 64, state.load(place, size))",
        "state.load(place, size)",
        "Xchg",
    ),
    Mutant(
        "PUSH of rsp pushes the new one",
        x86,
        "state.store(place, 8, value)\n            write(words, state, Reg.rsp, 64, place)",
        "write(words, state, Reg.rsp, 64, place)\n            state.store(place, 8, state.registers[reg])",
        "Push",
    ),
    Mutant(
        "POP of rsp moves it on",
        x86,
        "write(words, state, reg, 64, pop(words, state))",
        "value = pop(words, state)\n"
        "            write(words, state, reg, 64, words.add(64, value, words.constant(64, 8 if "
        "reg is Reg.rsp else 0)))",
        "Pop",
    ),
    Mutant(
        "RET leaves its address on the stack",
        x86,
        "return Return(pop(words, state))",
        "return Return(state.load(state.registers[Reg.rsp], 8))",
        "Ret",
    ),
    Mutant(
        "IMUL multiplies 64 bits",
        x86,
        "words.mul(bits, read(words, state, src, bits), words.constant(bits, imm)))",
        "words.mul(64, state.registers[src], words.constant(64, imm)) if bits == 64 else words.constant(bits, imm))",
        "ImulImm",
    ),
)

SIGNS = (
    Mutant(
        "MOVSX extends zeros",
        x86,
        "words.sign_extend(source_bits, bits, read(words, state, src, source_bits))",
        "words.zero_extend(source_bits, bits, read(words, state, src, source_bits))",
        "MovSignExtend",
    ),
    Mutant(
        "MOVSX to 32 bits extends to 64",
        x86,
        "value = words.sign_extend(source_bits, bits, read(words, state, src, source_bits))\n"
        "            write(words, state, dst, bits, value)",
        "value = words.sign_extend(source_bits, 64, read(words, state, src, source_bits))\n"
        "            write(words, state, dst, 64, value)",
        "MovSignExtend",
    ),
    Mutant(
        "loads that extend the sign extend zeros",
        x86,
        "words.sign_extend(8 * size, 64, narrow)",
        "words.zero_extend(8 * size, 64, narrow)",
        "LoadSigned",
    ),
    Mutant(
        "loads extend the sign",
        x86,
        "write(words, state, dst, 64, state.load(address_of(words, state, mem), size))",
        "write(words, state, dst, 64, words.sign_extend(8 * size, 64, words.truncate(64, 8 * "
        "size, state.load(address_of(words, state, mem), size))))",
        "Load",
    ),
    Mutant(
        "stores of 8 bytes extend zeros",
        x86,
        "words.constant(64, imm)\n            state.store(",
        "words.constant(64, imm & 0xFFFF_FFFF)\n            state.store(",
        "StoreImm",
    ),
    Mutant(
        "moved immediates extend the sign",
        x86,
        "write(words, state, dst, 32, words.constant(32, imm))",
        "write(words, state, dst, 64, words.sign_extend(32, 64, words.constant(32, imm)))",
        "MovImm32",
    ),
    Mutant(
        "immediates of arithmetic are not signed",
        x86,
        "alu(words, state, instruction, words.constant(bits, imm))",
        "alu(words, state, instruction, words.constant(bits, imm & 0xFFFF_FFFF))",
        "",
    ),
    Mutant(
        "SAR brings zeros in",
        x86,
        "return words.shift_right_signed(bits, value, count)",
        "return words.shift_right(bits, value, count)",
        "",
    ),
    Mutant(
        "ROR rotates left",
        x86,
        "(count, rest) if op is Shift.ROL else (rest, count)",
        "(count, rest)",
        "",
    ),
    Mutant(
        "CDQ extends zeros",
        x86,
        "write(words, state, Reg.rdx, bits, all_sign(words, bits, read(words, state, Reg.rax, bits)))",
        "write(words, state, Reg.rdx, bits, words.constant(bits, 0))",
        "SignToRdx",
    ),
    Mutant(
        "IDIV is unsigned",
        x86,
        "write(words, state, Reg.rax, bits, words.signed_div(bits, dividend, divisor))",
        "write(words, state, Reg.rax, bits, words.unsigned_div(bits, dividend, divisor))",
        "Idiv",
    ),
    Mutant(
        "the remainder of IDIV is unsigned",
        x86,
        "write(words, state, Reg.rdx, bits, words.signed_rem(bits, dividend, divisor))",
        "write(words, state, Reg.rdx, bits, words.unsigned_rem(bits, dividend, divisor))",
        "Idiv",
    ),
    Mutant(
        "DIV exchanges quotient and remainder",
        x86,
        "write(words, state, Reg.rax, bits, words.unsigned_div(bits, dividend, divisor))\n"
        "    write(words, state, Reg.rdx, bits, words.unsigned_rem(bits, dividend, divisor))",
        "write(words, state, Reg.rdx, bits, words.unsigned_div(bits, dividend, divisor))\n"
        "    write(words, state, Reg.rax, bits, words.unsigned_rem(bits, dividend, divisor))",
        "Div",
    ),
    Mutant(
        "IDIV of the lowest number by -1 is an ordinary one",
        x86,
        "if lowest and words.equal(bits, divisor, words.constant(bits, -1)):\n        raise DivideError\n    ",
        "if lowest and words.equal(bits, divisor, words.constant(bits, -1)):\n        return\n    ",
        "Idiv",
    ),
)

PLANTED = FLAGS + WIDTHS + SIGNS
