"""Layouts and checks that are off by one, or forget a part."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _hypothesis(name: str, old: str, new: str) -> Mutant:
    return Mutant(f"layout.{name}", "jit.layout", old, new, ("layout.hypothesis",), "stride 0x10000")


MUTANTS = (
    _hypothesis("clamp-room", "layout.slot_bytes + CLAMP_ROOM > placement", "layout.slot_bytes > placement"),
    _hypothesis("context", "base - layout.context_bytes < placement.reserved_low", "base < placement.reserved_low"),
    _hypothesis("arena", "placement.code_low < placement.reserved_high and", "placement.code_low < placement.base and"),
    _hypothesis("records", "layout.frames * RECORD_BYTES + CONTEXT_HOT_BYTES >", "layout.frames * RECORD_BYTES >"),
    _hypothesis("null-page", "layout.read_only.low < NULL_BYTES or", "layout.read_only.low < 0 or"),
    _hypothesis("stack-alignment", "layout.stack_low % (2 * stack_bytes)", "layout.stack_low % stack_bytes"),
    _hypothesis("context-size", "layout.context_bytes > ADDRESS_LIMIT", "layout.context_bytes > 1 << 40"),
    _hypothesis("depth", "< layout.frames:\n        return \"r10", "<= layout.frames:\n        return \"r10"),
    Mutant("layout.in-span", "jit.layout", "address - span.low <= span.size - size",
           "address - span.low <= span.size", ("host.range",), "host_span, stride 0x10000"),
    Mutant("layout.dead-frame", "jit.layout", "layout.stack_low <= address < frame_top",
           "layout.stack_low <= address <= frame_top", ("host.range",), "access_check, stride 0x10000"),
    Mutant("layout.in-span-strict", "jit.layout", "address - span.low <= span.size - size",
           "address - span.low < span.size - size", ("gate.memory",), "CheckFlat"),
    Mutant("layout.in-frame-strict", "jit.layout", "% layout.frame_stride <= layout.frame_bytes - size",
           "% layout.frame_stride < layout.frame_bytes - size", ("gate.memory",), "CheckStack"),
    Mutant("layout.no-stores-to-calldata", "jit.layout", "_STORED: Final = (_WRITABLE, _CALLDATA)",
           "_STORED: Final = (_WRITABLE,)", ("gate.memory",), "CheckFlat"),
    Mutant("layout.small-records", "jit.layout", "RECORD_BYTES = 64", "RECORD_BYTES = 32", ("gate.memory",),
           "CallLocal"),
)  # fmt: skip
