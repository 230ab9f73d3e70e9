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
)  # fmt: skip
