"""Runs that are not what their instructions do."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _mutant(name: str, old: str, new: str, case: str = "runs from alu mov") -> Mutant:
    return Mutant(f"fuse.{name}", "jit.fuse", old, new, ("isa.refines",), case)


MUTANTS = (
    _mutant("adds-itself", "if second.src == first.dst:\n        return None\n    return Run((AddressSum(dst, base",
            "if second.src == first.src:\n        return None\n    return Run((AddressSum(dst, base"),
    _mutant("scaled-operands", "(AddressSum(GUEST[first.dst], GUEST[second.src], GUEST[first.dst], first.imm),)",
            "(AddressSum(GUEST[first.dst], GUEST[first.dst], GUEST[second.src], first.imm),)", "runs from alu lsh"),
    _mutant("sum-of-32-bits", "(64, 64) or second.dst != first.dst:\n        return None\n    assert",
            "(64, second.bits) or second.dst != first.dst:\n        return None\n    assert"),
    _mutant("direction", "left = count if second.operation is _LSH else bits - count", "left = count"),
    _mutant("counts", "rotated, None, bits - count)", "rotated, None, count)"),
    _mutant("copy-of-32-bits", "third.src != first.src or third.bits != bits or", "third.src != first.src or"),
    _mutant("copy-of-another", "third.src != first.src or third.bits", "third.bits"),
    _mutant("same-condition", "opposite(branch(form, instruction), target - pc)",
            "branch(form, instruction)._replace(distance=target - pc)", "runs from branch"),
    _mutant("distance", "target - pc),), 2)", "target - pc - 1),), 2)", "runs from branch"),
    _mutant("beyond-the-end", "if pc + 1 >= end or", "if pc >= end or", "runs from branch"),
)  # fmt: skip
