"""A decoder that reads something else."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _decode(name: str, old: str, new: str, case: str, by: str = "bytes.roundtrip") -> Mutant:
    return Mutant(f"decode.{name}", "jit.decode", old, new, (by,), case)


MUTANTS = (
    _decode("imm8-length", "signed8(code, head, end)), end + 1", "signed8(code, head, end)), end + 2", "AluImm8",
            "bytes.prefix"),
    _decode("imm64-length", "head.end, 8)), head.end + 8", "head.end, 8)), head.end + 4", "MovImm64", "bytes.prefix"),
    _decode("alu-swapped", "return AluReg(Alu(opcode >> 3), head.bits, dst, src)",
            "return AluReg(Alu(opcode >> 3), head.bits, src, dst)", "AluReg"),
    _decode("condition", "JumpIf(Cond(opcode & 0xF)", "JumpIf(Cond(opcode & 0xE)", "JumpIf"),
    _decode("xchg-is-a-store", "Xchg(head.size, place, src)", "Store(head.size, place, src)", "Xchg"),
    _decode("count-of-the-width", "if count >= head.bits:", "if count >= head.bits - 1:", "ShiftImm"),
    _decode("rotate-by-15", "count == 0 or count >= 16", "count == 0 or count >= 15", "Rotate16"),
    _decode("idiv-is-div", "return Idiv(head.bits, reg), end", "return Div(head.bits, reg), end", "Idiv"),
    _decode("store-imm-unsigned", "StoreImm(8, place, signed32(code, head, end))",
            "StoreImm(8, place, unsigned(code, head, end, 4))", "StoreImm"),
    _decode("lea-scale", "address.index, address.scale, address.disp", "address.index, 0, address.disp", "LeaIndexed"),
)  # fmt: skip
