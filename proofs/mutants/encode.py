"""Wrong encodings."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant

_READ_BACK = ("bytes.roundtrip",)


def _encode(name: str, old: str, new: str, case: str) -> Mutant:
    return Mutant(f"encode.{name}", "jit.encode", old, new, _READ_BACK, case)


MUTANTS = (
    _encode("alu-operands-swapped", "(i.op << 3 | 1,), i.src, i.dst", "(i.op << 3 | 1,), i.dst, i.src", "AluReg"),
    _encode("alu-other-direction", "_reg_form(i.bits, (i.op << 3 | 1,)", "_reg_form(i.bits, (i.op << 3 | 3,)",
            "AluReg"),
    _encode("jump-if-opposite", "0x80 | i.cond", "0x80 | i.cond ^ 1", "JumpIf"),
    _encode("alu-imm-short-opcode", "(0x81,), i.op, i.dst", "(0x83,), i.op, i.dst", "AluImm32"),
    _encode("alu-imm8-truncated", "(0x83,), i.op, i.dst), *signed_field(i.imm, 1)",
            "(0x83,), i.op, i.dst), i.imm & 0x7F", "AluImm8"),
    _encode("mov-swapped", "(0x89,), i.src, i.dst", "(0x89,), i.dst, i.src", "MovReg"),
    _encode("load-width", "_mem_form(i.size == 8, _LOAD_OPCODES", "_mem_form(i.size >= 4, _LOAD_OPCODES", "Load"),
    _encode("load-byte-as-word", "1: (0x0F, 0xB6)", "1: (0x0F, 0xB7)", "Load"),
    _encode("store-byte-without-rex", "byte_reg=i.size == 1", "byte_reg=False", "Store"),
    _encode("store-without-66", "Encoded((0x66, *stored) if i.size == 2", "Encoded((0x66, *stored) if i.size == 0",
            "Store"),
    _encode("lea-width", "_rex_opt(i.bits == 64, i.dst, 0, i.base)", "_rex_opt(i.bits == 32, i.dst, 0, i.base)", "Lea"),
    _encode("lea-base-bit", "_rex_opt(i.bits == 64, i.dst, 0, i.base)", "_rex_opt(i.bits == 64, i.dst, 0, 0)", "Lea"),
    _encode("shift-count", "(0xC1,), i.op, i.dst), i.count", "(0xC1,), i.op, i.dst), i.count ^ 1", "ShiftImm"),
    _encode("mov-imm-register", "_rex_opt(0, 0, 0, dst), 0xB8 | dst & 7", "_rex_opt(0, 0, 0, dst), 0xB8 | dst & 3",
            "MovImm32"),
    _encode("mov-imm64-narrow", "_rex_opt(1, 0, 0, dst), 0xB8", "_rex_opt(0, 0, 0, dst), 0xB8", "MovImm64"),
    _encode("sign-extension-byte-rm", "dst < 8 and 4 <= src < 8", "dst < 8 and 5 <= src < 8", "MovSignExtend"),
    _encode("sign-extension-as-zero", "8: (0x0F, 0xBE), 16: (0x0F, 0xBF)", "8: (0x0F, 0xBE), 16: (0x0F, 0xB7)",
            "MovSignExtend"),
    _encode("lea-scale-lost", "i.base, i.index, i.scale, i.disp)", "i.base, i.index, 0, i.disp)", "LeaIndexed"),
    _encode("lea-index-bit", "_rex_opt(1, i.dst, i.index, i.base)", "_rex_opt(1, i.dst, 0, i.base)", "LeaIndexed"),
    _encode("neg-is-not", "(0xF7,), 3, dst", "(0xF7,), 2, dst", "Neg"),
    _encode("div-signed", "(0xF7,), 6, src", "(0xF7,), 7, src", "Div"),
    _encode("lock-lost", "Encoded((0xF0, *_mem_form(size == 8, (op << 3 | 1,), src, mem)))",
            "Encoded(_mem_form(size == 8, (op << 3 | 1,), src, mem))", "LockAlu"),
    _encode("xadd-is-cmpxchg", "(0x0F, 0xC1), src, mem", "(0x0F, 0xB1), src, mem", "LockXadd"),
    _encode("jump-is-call", "(0xFF,), 4, reg", "(0xFF,), 2, reg", "JumpReg"),
    _encode("pop-is-push", "0x58 | reg & 7", "0x50 | reg & 7", "Pop"),
    _encode("second-byte", "value >> 8 * k & 0xFF", "value >> 7 * k & 0xFF", "MovImm64"),
    _encode("rex-reg-bit", "0x40) | (reg >> 3) << 2 | rm >> 3", "0x40) | (reg >> 3) << 1 | rm >> 3", "MovReg"),
    _encode("short-displacement-128", "127\n    rex = ", "128\n    rex = ", "Load"),
    _encode("short-displacement-missed", "127\n    mod = ", "126\n    mod = ", "Lea"),
    _encode("index-bit-lost", "rex |= (index >> 3) << 1", "rex |= (index >> 4) << 1", "Load"),
    # not `base != _RSP`: the decoder would take a symbolic displacement for the SIB byte, which is "unknown"
    _encode("sib-base-bit", "(number & 7) << 3 | base & 7, *disp", "(number & 7) << 3 | base & 3, *disp", "LeaIndexed"),
    _encode("sib-scale", "scale << 6 | (number", "scale << 5 | (number", "LeaIndexed"),
    Mutant("encode.refuses-the-lowest", "jit.encode", "if -(1 << 31) <= value < 1 << 31",
           "if -(1 << 31) < value < 1 << 31", ("bytes.fixup",)),
    Mutant("encode.accepts-one-more", "jit.encode", "if -(1 << 31) <= value < 1 << 31",
           "if -(1 << 31) <= value <= 1 << 31", ("bytes.fixup",)),
)  # fmt: skip
