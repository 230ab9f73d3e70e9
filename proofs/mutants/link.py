"""A linker that loses track of where things lie."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _mutant(name: str, old: str, new: str) -> Mutant:
    return Mutant(f"link.{name}", "validator.link", old, new, ("linker.inside",), "places")


MUTANTS = (
    _mutant("same-place", "end = offsets[index] + section.size", "end = offsets[index]"),
    _mutant("rounds-down", "-(-end // section.alignment)", "end // section.alignment"),
    _mutant("wrong-region", "{index: writable_low + offset", "{index: read_only_low + offset"),
    _mutant("code-at-0", "[relocated_code(section, places, first)", "[relocated_code(section, places, 0)"),
    _mutant("no-padding", "image += bytes(offset - len(image))", "image += bytes(0)"),
    _mutant("slots-for-bytes", "start += section.size // SLOT_BYTES", "start += section.size"),
    _mutant("any-length", "        if size > limit:", "        if size > limit and what[0] != \"c\":"),
    _mutant("library-at-0", "_unit(offered[library], end, library)", "_unit(offered[library], 0, library)"),
    _mutant("function", "+ function.offset // SLOT_BYTES\n    return", "+ function.offset\n    return"),
    _mutant("size", "writable_size=writable_size", "writable_size=read_only_size"),
)  # fmt: skip
