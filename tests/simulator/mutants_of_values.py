"""Broken arithmetic, byte order and branches."""

from __future__ import annotations

from simulator import alu, ebpf, integers
from tests.simulator.broken import Mutant

_SWAP = "return words.zero_extend(bits, 64, words.reverse_bytes(bits, words.truncate(64, bits, a)))"
_MASK = "return words.bit_and(bits, count, words.constant(bits, bits - 1))"
_WIDE = "value = words.constant(64, instruction.imm)\n            return _unary"
_JUMP = "return _jump(_target(jump_target(form, instruction, pc)))"
_IMM = "value = words.constant(64, instruction.imm)\n    return"

MUTANTS = (
    # arithmetic
    Mutant(
        "32-bit results sign-extend",
        alu,
        "words.zero_extend(32, 64, operate",
        "words.sign_extend(32, 64, operate",
        "alu.add32",
    ),
    Mutant(
        "mov32 moves 64 bits",
        alu,
        "on_low_half(words, bits, _binary",
        "on_low_half(words, 64 if operation is Operation.MOV else bits, _binary",
        "alu.mov32",
    ),
    Mutant("mov imm zero-extends", ebpf, _IMM, _IMM.replace("imm", "imm % 2**32"), "alu.mov64"),
    Mutant(
        "div by zero leaves dst",
        alu,
        "return zero\n    return words.unsigned_div",
        "return a\n    return words.unsigned_div",
        "alu.div",
    ),
    Mutant(
        "mod by zero gives zero",
        alu,
        "return a\n    return words.unsigned_rem",
        "return words.constant(bits, 0)\n    return words.unsigned_rem",
        "alu.mod",
    ),
    Mutant(
        "smod by zero gives zero",
        alu,
        "return a\n    if words.equal(bits, b, words.constant(bits, -1)):\n        return zero",
        "return zero\n    if words.equal(bits, b, words.constant(bits, -1)):\n        return zero",
        "alu.smod",
    ),
    Mutant(
        "sdiv rounds down",
        integers,
        "(quotient if (dividend < 0) == (divisor < 0) else -quotient)",
        "(dividend // divisor)",
        "alu.sdiv",
    ),
    Mutant(
        "smod takes the divisor's sign",
        integers,
        "(-remainder if dividend < 0 else remainder)",
        "(dividend % divisor)",
        "alu.smod",
    ),
    Mutant(
        "sdiv is unsigned",
        alu,
        "return words.signed_div(bits, a, b)",
        "return words.unsigned_div(bits, a, b)",
        "alu.sdiv",
    ),
    Mutant(
        "smod is unsigned",
        alu,
        "return words.signed_rem(bits, a, b)",
        "return words.unsigned_rem(bits, a, b)",
        "alu.smod",
    ),
    Mutant(
        "INT_MIN / -1 is zero",
        alu,
        "return words.sub(bits, zero, a)",
        "return zero if words.equal(bits, a, words.sub(bits, zero, a)) else words.sub(bits, zero, a)",
        "alu.sdiv",
    ),
    Mutant("shift counts are not masked", alu, _MASK, "return count", "alu.lsh64"),
    Mutant(
        "32-bit shifts mask to 6 bits",
        alu,
        _MASK,
        "return words.bit_and(bits, count, words.constant(bits, 63))",
        "alu.rsh32",
    ),
    Mutant(
        "64-bit shifts mask to 5 bits",
        alu,
        _MASK,
        "return words.bit_and(bits, count, words.constant(bits, 31))",
        "alu.arsh64",
    ),
    Mutant("arsh is logical", alu, "words.shift_right_signed(bits, a", "words.shift_right(bits, a", "alu.arsh"),
    Mutant(
        "arsh32 of the 64-bit sign",
        alu,
        "words.shift_right_signed(bits, a",
        "words.shift_right_signed(64, a",
        "alu.arsh32",
    ),
    Mutant("mul keeps 32 bits", integers, "return a * b & MASK[bits]", "return a * b & MASK[32]", "alu.mul64"),
    Mutant(
        "neg32 negates 64 bits",
        alu,
        "on_low_half(words, bits, partial(words.sub, bits))",
        "partial(words.sub, 64)",
        "neg32",
    ),
    Mutant(
        "lddw sign-extends its low half",
        ebpf,
        _WIDE,
        _WIDE.replace("instruction.imm", "(instruction.imm & 2**32 - 1 ^ 2**31) - 2**31"),
        "lddw",
    ),
    Mutant(
        "dst is read as src",
        ebpf,
        "operate(registers[dst], operand(registers))",
        "operate(registers[instruction.src], operand(registers))",
        "alu.sub",
    ),
    # sign extension and byte order
    Mutant(
        "movsx to 32 bits extends to 64",
        ebpf,
        "alu.sign_extension(words, form.bits, form.to_bits)",
        "alu.sign_extension(words, form.bits, 64)",
        "movsx.16to32",
    ),
    Mutant(
        "movsx from 8 takes 16",
        ebpf,
        "alu.sign_extension(words, form.bits,",
        "alu.sign_extension(words, max(form.bits, 16),",
        "movsx.8to64",
    ),
    Mutant(
        "movsx zero-extends",
        alu,
        "words.sign_extend(from_bits, to_bits, low)",
        "words.zero_extend(from_bits, to_bits, low)",
        "movsx.32to64",
    ),
    Mutant(
        "be16 keeps the upper bits",
        alu,
        _SWAP,
        _SWAP.replace("return ", "return words.bit_or(64, words.bit_and(64, a, words.constant(64, -1 << bits)), ")
        + ")",
        "order.be16",
    ),
    Mutant(
        "le32 keeps the upper bits",
        alu,
        "return words.zero_extend(bits, 64, words.truncate(64, bits, a))",
        "return a",
        "order.le32",
    ),
    Mutant(
        "bswap swaps nothing",
        alu,
        "keep if operation is Operation.TO_LITTLE",
        "keep if operation is not Operation.TO_BIG",
        "order.bswap",
    ),
    Mutant(
        "le swaps", alu, "keep if operation is Operation.TO_LITTLE", "keep if operation is Operation.NONE", "order.le"
    ),
    # branches and jumps
    Mutant(
        "jge is signed", alu, "not words.unsigned_less(bits, a, b)", "not words.signed_less(bits, a, b)", "branch.jge"
    ),
    Mutant(
        "jsge is unsigned",
        alu,
        "not words.signed_less(bits, a, b)",
        "not words.unsigned_less(bits, a, b)",
        "branch.jsge",
    ),
    Mutant(
        "jsgt holds when equal",
        alu,
        "b: words.signed_less(bits, b, a)",
        "b: not words.signed_less(bits, a, b)",
        "branch.jsgt",
    ),
    Mutant(
        "jle fails when equal",
        alu,
        "not words.unsigned_less(bits, b, a)",
        "words.unsigned_less(bits, a, b)",
        "branch.jle",
    ),
    Mutant(
        "jset is inverted",
        alu,
        "not words.equal(bits, words.bit_and(",
        "words.equal(bits, words.bit_and(",
        "branch.jset",
    ),
    Mutant(
        "32-bit branches compare 64 bits",
        alu,
        "if bits == 64:\n        return compare",
        "return _comparison(words, operation, 64)",
        "branch.jeq32",
    ),
    Mutant("branch immediates zero-extend", ebpf, _IMM, _IMM.replace("imm", "imm % 2**32"), "branch.jlt64"),
    Mutant("ja32 never jumps", ebpf, _JUMP, _JUMP[:-1] + " if form.bits == 64 else following)", "jumps"),
    Mutant("ja32 jumps by its offset field", ebpf, _JUMP, "return _jump(following + instruction.offset)", "jumps"),
    Mutant(
        "ja32 jumps by 16 bits",
        ebpf,
        _JUMP,
        "return _jump(following + ((instruction.offset or instruction.imm) + 2**15) % 2**16 - 2**15)",
        "jumps",
    ),
)
