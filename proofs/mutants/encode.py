"""Wrong encodings."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant

_READ_BACK = ("bytes.roundtrip",)


def _encode(name: str, old: str, new: str, case: str) -> Mutant:
    return Mutant(f"encode.{name}", "jit.encode", old, new, _READ_BACK, case)


MUTANTS = (
    _encode("alu-operands-swapped", "_ALU_OPCODES[i.op], i.src, i.dst", "_ALU_OPCODES[i.op], i.dst, i.src", "AluReg"),
    _encode("alu-other-direction", "op: bytes((op << 3 | 1,))", "op: bytes((op << 3 | 3,))", "AluReg"),
    _encode("jump-if-opposite", "0x80 | cond", "0x80 | cond ^ 1", "JumpIf"),
    _encode("alu-imm-short-opcode", r'b"\x81", i.op, i.dst', r'b"\x83", i.op, i.dst', "AluImm32"),
    _encode("alu-imm8-truncated", "i.op, i.dst) + (i.imm & 0xFF)", "i.op, i.dst) + (i.imm & 0x7F)", "AluImm8"),
    _encode("mov-swapped", r'b"\x89", i.src, i.dst', r'b"\x89", i.dst, i.src', "MovReg"),
    _encode("load-width", "_mem_form(i.size == 8, _LOAD_OPCODES", "_mem_form(i.size >= 4, _LOAD_OPCODES", "Load"),
    _encode("load-byte-as-word", r'1: b"\x0F\xB6"', r'1: b"\x0F\xB7"', "Load"),
    _encode("store-byte-without-rex", "byte_reg=i.size == 1", "byte_reg=False", "Store"),
    _encode("store-without-66", "stored if i.size == 2", "stored if i.size == 0", "Store"),
    _encode("lea-width", "_rex_opt(bits == 64, reg, 0, base)", "_rex_opt(bits == 32, reg, 0, base)", "Lea"),
    _encode("lea-base-bit", "_rex_opt(bits == 64, reg, 0, base)", "_rex_opt(bits == 64, reg, 0, 0)", "Lea"),
    _encode("shift-count", "i.count.to_bytes(", "(i.count ^ 1).to_bytes(", "ShiftImm"),
    _encode("mov-imm-register", "bytes((opcode | reg & 7,))", "bytes((opcode | reg & 3,))",
            "MovImm32"),
    _encode("mov-imm64-narrow", '_opcode_form(64, b"", 0xB8', '_opcode_form(32, b"", 0xB8', "MovImm64"),
    _encode("sign-extension-byte-rm", "dst < 8 and 4 <= src < 8", "dst < 8 and 5 <= src < 8", "MovSignExtend"),
    _encode("sign-extension-as-zero", r'8: b"\x0F\xBE", 16: b"\x0F\xBF"', r'8: b"\x0F\xBE", 16: b"\x0F\xB7"',
            "MovSignExtend"),
    _encode("lea-scale-lost", "i.base, i.index, i.scale, i.disp)", "i.base, i.index, 0, i.disp)", "LeaIndexed"),
    _encode("lea-index-bit", "_rex_opt(1, reg, index, base)", "_rex_opt(1, reg, 0, base)", "LeaIndexed"),
    _encode("neg-is-not", r'b"\xF7", 3, dst', r'b"\xF7", 2, dst', "Neg"),
    _encode("div-signed", r'b"\xF7", 6, src', r'b"\xF7", 7, src', "Div"),
    _encode("lock-lost", r'return b"\xF0" + _mem_form(size == 8, _ALU_OPCODES[op]',
            "return _mem_form(size == 8, _ALU_OPCODES[op]", "LockAlu"),
    _encode("xadd-is-cmpxchg", r'b"\x0F\xC1", src, mem', r'b"\x0F\xB1", src, mem', "LockXadd"),
    _encode("jump-is-call", r'b"\xFF", 4, reg', r'b"\xFF", 2, reg', "JumpReg"),
    _encode("pop-is-push", "0x58, reg", "0x50, reg", "Pop"),
    _encode("second-byte", 'value.to_bytes(size, "little")', '(value >> 1).to_bytes(size, "little")', "MovImm64"),
    _encode("rex-reg-bit", "(reg >> 3) << 2 | (index", "(reg >> 3) << 1 | (index", "MovReg"),
    _encode("short-displacement-128", "[index]\n    if -128 <= disp <= 127", "[index]\n    if -128 <= disp <= 128",
            "Load"),
    _encode("short-displacement-missed", "[base]\n    if -128 <= disp <= 127", "[base]\n    if -128 <= disp <= 126",
            "Lea"),
    _encode("index-bit-lost", "(index >> 3) << 1", "(index >> 4) << 1", "Load"),
    # not `base != _RSP`: the decoder would take a symbolic displacement for the SIB byte, which is "unknown"
    _encode("sib-base-bit", "(index & 7) << 3 | base & 7", "(index & 7) << 3 | base & 3", "LeaIndexed"),
    _encode("sib-scale", "scale << 6 | (index", "scale << 5 | (index", "LeaIndexed"),
    Mutant("encode.refuses-the-lowest", "jit.encode", "if -(1 << 31) <= value < 1 << 31",
           "if -(1 << 31) < value < 1 << 31", ("bytes.fixup",)),
    Mutant("encode.accepts-one-more", "jit.encode", "if -(1 << 31) <= value < 1 << 31",
           "if -(1 << 31) <= value <= 1 << 31", ("bytes.fixup",)),
    Mutant("encode.atomic-bytes", "jit.encode", "_ATOMIC_SIZES: Final = (4, 8)", "_ATOMIC_SIZES: Final = (1, 2, 4, 8)",
           ("gate.contract",), "AtomicExchange"),
)  # fmt: skip
