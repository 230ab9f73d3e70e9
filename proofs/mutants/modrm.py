"""A decoder whose fields are not those of the manual."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _modrm(name: str, old: str, new: str, case: str) -> Mutant:
    return Mutant(f"modrm.{name}", "jit.modrm", old, new, ("bytes.roundtrip",), case)


MUTANTS = (
    _modrm("rex-r", "return (self.rex & 4) << 1", "return (self.rex & 4) << 2", "MovReg"),
    _modrm("rex-x", "return (self.rex & 2) << 2", "return (self.rex & 1) << 3", "Load"),
    _modrm("rex-b", "return (self.rex & 1) << 3", "return (self.rex & 2) << 2", "MovReg"),
    _modrm("w", "return 64 if self.w else 32", "return 64", "MovReg"),
    _modrm("disp8-unsigned", "(value & 0x7F) - (value & 0x80)", "value", "Load"),
    _modrm("disp32-sign", "- (value & 0x8000_0000)", "+ (value & 0x8000_0000)", "Load"),
    _modrm("index-without-x", "Reg(sib >> 3 & 7 | head.x)", "Reg(sib >> 3 & 7)", "Load"),
    _modrm("scale", "sib >> 6, Reg", "sib >> 7, Reg", "LeaIndexed"),
    _modrm("bytes-high-first", "byte(code, head, at + k) << 8 * k", "byte(code, head, at + size - k) << 8 * k",
           "MovImm32"),
    _modrm("short-displacement-refused", "if -128 <= disp <= 127:", "if -129 <= disp <= 127:", "Load"),
    _modrm("any-base", "rm.base is not Reg.rbp or", "rm.base is Reg.rbp or", "Load"),
    _modrm("no-lock", "if first in {0x66, 0xF0}:", "if first == 0x66:", "LockAlu"),
)  # fmt: skip
