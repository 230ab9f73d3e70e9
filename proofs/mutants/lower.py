"""Choices that compute something else."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _mutant(name: str, old: str, new: str, case: str) -> Mutant:
    return Mutant(f"lower.{name}", "jit.lower", old, new, ("isa.refines",), case)


MUTANTS = (
    _mutant("no-truncation", "return (Move(32, dst, dst),) if bits == 32 else ()", "return ()", "0x64"),
    _mutant("count-of-32", "count = imm & (bits - 1)", "count = imm & 31", "0x67"),
    _mutant("mov-zero-extends", "_move_imm(dst, imm & ((1 << bits) - 1))", "_move_imm(dst, imm & 0xFFFFFFFF)", "0xb7"),
    _mutant("arithmetic-shift", "Operation.ARSH: Shift.SAR", "Operation.ARSH: Shift.SHR", "0xc7"),
    _mutant("mask", "dst, (1 << shift) - 1),)", "dst, 1 << shift),)", "0x97 offset=0"),
    _mutant("by-zero", "_truncate(bits, dst) if remainder else (MoveImm(dst, 0),)\n    for",
            "(MoveImm(dst, 0),) if remainder else _truncate(bits, dst)\n    for", "0x37 offset=0"),
    _mutant("by-minus-one", "(MoveImm(dst, 0),) if remainder else (Negate(bits, dst),)",
            "(Negate(bits, dst),) if remainder else (MoveImm(dst, 0),)", "0x37 offset=1"),
    _mutant("signed-remainder", "operation is Operation.SMOD, dst, imm)", "operation is Operation.SDIV, dst, imm)",
            "0x97 offset=1"),
    _mutant("unsigned", "return (DivideImm(bits, True, remainder", "return (DivideImm(bits, False, remainder",
            "0x97 offset=1"),
    _mutant("swap", "form.operation is not Operation.TO_LITTLE", "form.operation is Operation.TO_BIG", "0xd7"),
    _mutant("interprets", "return (Negate(form.bits, GUEST[i.dst]),)", "return (Interpret(),)", "compiled"),
    _mutant("goto", "i.imm if form.bits == 32 else i.offset", "i.offset if form.bits == 32 else i.imm", "0x06"),
    Mutant("lower.frame-end", "jit.layout", "-layout.frame_bytes <= offset <= -size",
           "-layout.frame_bytes <= offset <= -1", ("isa.refines",), "0x79 load 64 off r10"),
    _mutant("unaligned-frame-atomic", "(not aligned or offset % size == 0)", "(not aligned or offset % 2 == 0)",
            "0xdb imm=0 atomic add64 off r10"),
    _mutant("unaligned-atomic", "return (check, CheckAligned(size)) if aligned",
            "return (check,) if aligned", "check None, atomic 8"),
    _mutant("distance", "_at_checked(low + offset - share.offset)", "_at_checked(low + offset)", "0x79 load"),
    _mutant("stores-anywhere", "for region in flat_regions(write) if", "for region in flat_regions(False) if",
            "check None, atomic None, write True"),
    _mutant("stores-to-read-only", "if hint in flat_regions(write) and", "if hint in flat_regions(False) and",
            "check Region.READ_ONLY, atomic None, write True"),
    _mutant("first-is-unchecked", "group.write, pc != group.first)", "group.write, pc == group.first)",
            "functions with negate"),
    _mutant("unpolled-start", "if pc == start or (", "if pc == function.end or (", "functions with negate"),
    _mutant("signed-load", "_load_from(GUEST[i.dst], place, form.size, form.signed)",
            "_load_from(GUEST[i.dst], place, form.size, False)", "0x81"),
    _mutant("cmpxchg-of-src", "return CompareExchange(size, place, src)",
            "return AtomicExchange(size, place, src)", "0xdb imm=241"),
)  # fmt: skip
