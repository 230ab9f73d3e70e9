"""A linker that lets an address slip out of its section, or writes where it should not."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _mutant(name: str, old: str, new: str, case: str = "") -> Mutant:
    return Mutant(f"relocations.{name}", "validator.relocations", old, new, ("linker.inside",), case)


MUTANTS = (
    _mutant("addend", "if not 0 <= value + addend <= size:", "if not value + addend <= size:", "address_inside"),
    _mutant("end", "if not 0 <= value + addend <= size:", "if not 0 <= value + addend <= size + 1:", "address_inside"),
    _mutant("value", "if not 0 <= value <= size:", "if not value <= size:", "address_inside"),
    _mutant("half", "if value % SLOT_BYTES or not 0 <= value < size", "if not 0 <= value < size", "called_slot"),
    _mutant("slot", "or not 0 <= offset < size:", "or not offset < size:", "called_slot"),
    _mutant("overlap", "if start < end:", "if start < end - 1:", "writable data, ABS32, ABS64"),
    _mutant("not-adjacent", "in pairwise(fields):", "in pairwise(fields[1:]):", "writable data, ABS32, ABS64"),
    _mutant("field-outside", "if reference.offset + width > len(section.content):",
            "if reference.offset > len(section.content):", "writable data, ABS64, a section"),
    _mutant("within-a-slot", "Role.CODE and reference.offset % SLOT_BYTES:", "Role.CODE and reference.offset % 4:",
            "code, CALL_32, a helper"),
    _mutant("any-kind", "widths.get(reference.type)", "widths.get(reference.type, 4)", "writable data, NODYLD32"),
    _mutant("any-opcode", "if code[at] != WIDE:", "if code[at] == CALL:", "code, WIDE_64"),
    _mutant("upper-half", "_HALF.pack_into(code, at + SLOT_BYTES + 4", "_HALF.pack_into(code, at + SLOT_BYTES",
            "code, WIDE_64"),
    _mutant("too-wide", "if address >> (8 * pointer.size):", "if address >> 64:", "writable data, ABS32, a section"),
    _mutant("unsigned-addend", "(addend,) = _ADDENDS[", "(addend,) = _ADDRESSES[", "writable data, ABS32, a section"),
    _mutant("dst", "code[at + 1] & 15 | source << 4", "code[at + 1] & 7 | source << 4", "code, CALL_32, a helper"),
    _mutant("any-call", "if code[at] != CALL or source", "if source", "code, CALL_32, a helper"),
    _mutant("one-off", "+ slot - (here + at // SLOT_BYTES) - 1", "+ slot - (here + at // SLOT_BYTES)",
            "code, CALL_32, a section"),
    _mutant("elsewhere", "places.functions[reference.name] - (here + at // SLOT_BYTES) - 1",
            "places.functions[reference.name] - at // SLOT_BYTES - 1", "code, CALL_32, a function"),
    _mutant("helper", "source, imm = TO_HELPER, ", "imm = ", "code, CALL_32, a helper"),
    _mutant("resolved", "1 + imm < len(opcodes):", "1 + imm <= len(opcodes):", "resolved"),
)  # fmt: skip
