"""Checks that approve one byte more, clamp to too much, or promise what they do not do."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _memory(name: str, old: str, new: str, case: str, by: str = "gate.memory") -> Mutant:
    return Mutant(f"memory.{name}", "jit.macros.memory", old, new, (by,), case)


MUTANTS = (
    _memory("flat-one-more", "CHECKED, region_size - size))", "CHECKED, region_size - size + 1))", "CheckFlat"),
    _memory("flat-offset", "src, offset - low), alu_imm", "src, offset), alu_imm", "CheckAny"),
    _memory("stack-one-more", "COUNT, layout.frame_bytes - size)", "COUNT, layout.frame_bytes - size + 1)",
            "CheckStack"),
    _memory("stack-below", "        JumpIf(Cond.B, _FAULT),\n", "", "CheckStack"),
    _memory("stack-dead-frames", "AluReg(Alu.CMP, 64, CHECKED, FRAME)", "AluReg(Alu.CMP, 64, FRAME, CHECKED)",
            "CheckStack"),
    _memory("stack-stride", "COUNT, layout.frame_stride - 1)", "COUNT, layout.frame_stride // 2 - 1)", "CheckStack"),
    _memory("flat-clamp", "power_of_two(span.size) - 1)", "2 * layout.slot_bytes - 1)", "CheckFlat",
            "gate.speculative"),
    _memory("stack-clamp", "CHECKED, span.size - 1)", "CHECKED, 4 * layout.slot_bytes - 1)", "CheckStack",
            "gate.speculative"),
    _memory("any-clamp", "CHECKED, layout.slot_bytes - 1)", "CHECKED, 2 * layout.slot_bytes - 1)", "CheckAny",
            "gate.speculative"),
    _memory("any-outside", "JumpIf(Cond.BE, _INSIDE)", "JumpIf(Cond.A, _INSIDE)", "CheckAny"),
    _memory("any-approves-writes", "establishes=_approved(0, self.size, self.write)",
            "establishes=_approved(0, self.size, True)", "CheckAny"),
    _memory("flat-approves-writes", "establishes=_approved(self.low, self.size, write)",
            "establishes=_approved(self.low, self.size, True)", "CheckFlat"),
    _memory("aligned-half", "TestImm(32, CHECKED, self.size - 1)", "TestImm(32, CHECKED, self.size // 2 - 1)",
            "CheckAligned"),
    _memory("aligned-not", "JumpIf(Cond.NE, _FAULT)", "JumpIf(Cond.E, _FAULT)", "CheckAligned"),
    _memory("store-as-load", "touches=(self.place.touch(self.size, True),))",
            "touches=(self.place.touch(self.size, False),))", "StoreTo"),
    _memory("load-writes-nothing", "writes=(self.dst,), touches=", "writes=(), touches=", "LoadFrom",
            "gate.contract"),
    _memory("aligned-unapproved", "promise(leaves=_LEAVES, aligns=self.size)", "promise(leaves=_LEAVES)",
            "CHECKED in CheckAligned", "gate.compose"),
    _memory("flat-stale", "return (_lea(64, CHECKED, src,", "return (_lea(64, COUNT, src,", "CHECKED in CheckFlat",
            "gate.compose"),
)  # fmt: skip
