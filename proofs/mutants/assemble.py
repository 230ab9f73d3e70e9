"""Wrong distances."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant

MUTANTS = (
    Mutant("assemble.distance-one-off", "jit.assemble", "signed_field(target - end, FIELD)",
           "signed_field(target - end + 1, FIELD)", ("bytes.fixup",)),
    Mutant("assemble.distance-backwards", "jit.assemble", "signed_field(target - end, FIELD)",
           "signed_field(end - target, FIELD)", ("bytes.fixup",)),
    Mutant("assemble.distance-wraps", "jit.assemble", "signed_field(target - end, FIELD)",
           "signed_field(((target - end + (1 << 31)) & 0xFFFFFFFF) - (1 << 31), FIELD)", ("bytes.fixup",)),
    Mutant("assemble.stub-pc", "jit.assemble", "(StoreImm(4, Mem(PC), PcPlus(0)), Jump(Stub(exit)))",
           "(StoreImm(4, Mem(PC), PcPlus(1)), Jump(Stub(exit)))", ("gate.contract",), "stubs"),
    Mutant("assemble.stub-exit", "jit.assemble", "(StoreImm(4, Mem(PC), PcPlus(0)), Jump(Stub(exit)))",
           "(StoreImm(4, Mem(PC), PcPlus(0)), Jump(Stub(Exit.HELPER)))", ("gate.contract",), "stubs"),
)  # fmt: skip
