"""Records that lie elsewhere. The theorems of the gate assume that r10 leads to them, layout.hypothesis proves it."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _context(name: str, old: str, new: str, case: str, by: str = "gate.memory") -> Mutant:
    return Mutant(f"context.{name}", "jit.context", old, new, (by,), case)


MUTANTS = (
    _context("record-shift", "// RECORD_BYTES).bit_length() - 1", "// RECORD_BYTES).bit_length()", "stride 0x10000",
             "layout.hypothesis"),
    _context("record-displacement", "- (layout.frame_top(0) >> record_shift(layout))",
             "- (layout.stack_low >> record_shift(layout))", "stride 0x10000", "layout.hypothesis"),
    _context("record-of-the-next", "return RECORD_BYTES * depth - layout.context_bytes",
             "return RECORD_BYTES * depth - layout.context_bytes - 64", "Return"),
    _context("pc-in-a-record", "PC = -16", "PC = -160", "stores and records", "gate.compose"),
    _context("records-overlap", "return RECORD_BYTES * depth - layout.context_bytes",
             "return RECORD_BYTES // 2 * depth - layout.context_bytes", "stores and records", "gate.compose"),
)  # fmt: skip
