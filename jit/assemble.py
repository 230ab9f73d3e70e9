"""x86 instructions to machine code: the last pass.

Input: expansions of macros, with labels. Output: bytes in which every label is a patched 32-bit field. Decides every
distance; no other module counts bytes. Trusts `jit.encode` for the bytes of an instruction. What trusts it: nothing
blindly; theorem bytes.fixup is about `distance`, and the decoder reads the final bytes back.

Two stages, so that the first can be remembered: `template` encodes the expansion of one macro, with the labels that
it cannot know left as fixups; `join` strings the templates of a function together, straight paths first, then the
cold parts, then the stubs that leave; `place` patches what depends on the address. A fixup is always the last four
bytes of its instruction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jit.context import PC, Exit
from jit.encode import FIELD, Bytes, EncodingRefused, encode, signed_field, unsigned_field
from jit.x86 import X86, Ahead, Callee, Jump, Label, Leave, Local, Mem, Native, PcPlus, StoreImm, Stub, Target


@dataclass(frozen=True, slots=True)
class InPart:
    """A place in the straight or the cold part of the same template."""

    cold: bool
    offset: int


Link = Target | PcPlus | InPart


@dataclass(frozen=True, slots=True)
class Fixup:
    """The four bytes at `offset` are: distance of the label from their end, or the value pc + delta."""

    offset: int
    label: Link


@dataclass(frozen=True, slots=True)
class Template:
    """The bytes of one macro, and the fields that depend on where it stands."""

    code: bytes
    fixups: tuple[Fixup, ...]
    cold: bytes = b""
    cold_fixups: tuple[Fixup, ...] = ()


@dataclass(frozen=True, slots=True)
class FunctionCode:
    """One function, position-independent but for `fixups`, whose labels are Stub and Callee only.

    `offsets[i]` is where the code of eBPF pc `pcs[i]` begins; Callee distances are relative to `fixup_pcs[i]`.
    """

    code: bytes
    pcs: tuple[int, ...]
    offsets: tuple[int, ...]
    fixups: tuple[Fixup, ...]
    fixup_pcs: tuple[int, ...]


# ---------------------------------------------------------------- one macro


def template(instructions: Sequence[X86]) -> Template:
    """The bytes of one expansion, with distances to its own labels patched. Raises EncodingRefused."""
    parts: tuple[bytearray, bytearray] = (bytearray(), bytearray())
    fixups: tuple[list[Fixup], list[Fixup]] = ([], [])
    places: dict[int, InPart] = {}
    cold = False
    for instruction in instructions:
        code = parts[cold]
        if isinstance(instruction, Label):
            cold = cold or instruction.cold
            places[instruction.number] = InPart(cold, len(parts[cold]))
            continue
        encoded = encode(instruction)
        code += bytes(encoded.code)
        if encoded.label is not None:
            fixups[cold].append(Fixup(len(code) - FIELD, encoded.label))
    open_fixups: tuple[list[Fixup], list[Fixup]] = ([], [])
    for in_cold, code in enumerate(parts):
        for fixup in fixups[in_cold]:
            label = places[fixup.label.number] if isinstance(fixup.label, Local) else fixup.label
            field = _known_field(label, bool(in_cold), fixup.offset + FIELD)
            if field is None:
                open_fixups[in_cold].append(Fixup(fixup.offset, label))
            else:
                code[fixup.offset : fixup.offset + FIELD] = bytes(field)
    return Template(bytes(parts[0]), tuple(open_fixups[0]), bytes(parts[1]), tuple(open_fixups[1]))


def _known_field(label: Link, in_cold: bool, end: int) -> Bytes | None:
    """The field for a label that does not depend on where the template stands, or None."""
    if isinstance(label, Native):
        return signed_field(label.displacement, FIELD)
    if isinstance(label, InPart) and label.cold is in_cold:
        return distance(label.offset, end)
    return None


def distance(target: int, end: int) -> Bytes:
    """The field that makes an instruction which ends at `end` reach `target`. Raises EncodingRefused."""
    return signed_field(target - end, FIELD)


# ---------------------------------------------------------------- one function


@dataclass(frozen=True, slots=True)
class _Open:
    """A field of the function that waits for places: `straight` and `cold` are where its template's parts begin."""

    offset: int
    pc: int
    label: Link
    straight: int
    cold: int


def join(parts: Sequence[tuple[int, Template]]) -> FunctionCode:
    """The code of a function from its (eBPF pc, template) pairs in order. Raises EncodingRefused.

    A pc may occur several times; its code begins at the first. Stubs (`Leave`) come last, one per pc and reason.
    """
    offsets: dict[int, int] = {}
    chunks: list[bytes] = []
    straight_at: list[int] = []
    position = 0
    for pc, part in parts:
        if pc not in offsets:
            offsets[pc] = position
        straight_at.append(position)
        chunks.append(part.code)
        position += len(part.code)
    opened: list[_Open] = []
    for (pc, part), straight in zip(parts, straight_at, strict=True):
        if part.fixups or part.cold:
            opened += [_Open(straight + f.offset, pc, f.label, straight, position) for f in part.fixups]
            opened += [_Open(position + f.offset, pc, f.label, straight, position) for f in part.cold_fixups]
            chunks.append(part.cold)
            position += len(part.cold)
    stubs: dict[tuple[int, Exit], int] = {}
    for field in opened:
        if isinstance(field.label, Leave) and (field.pc, field.label.exit) not in stubs:
            stubs[field.pc, field.label.exit] = position
            part = leave_stub(field.label.exit)
            chunks.append(part.code)
            position += len(part.code)
    for (pc, exit), at in stubs.items():
        opened += [_Open(at + f.offset, pc, f.label, at, at) for f in leave_stub(exit).fixups]
    return _patched(b"".join(chunks), opened, offsets, stubs)


def _patched(
    code: bytes, opened: Sequence[_Open], offsets: Mapping[int, int], stubs: Mapping[tuple[int, Exit], int]
) -> FunctionCode:
    patched = bytearray(code)
    external: list[_Open] = []
    for field in opened:
        label, end = field.label, field.offset + FIELD
        match label:
            case Leave():
                value = distance(stubs[field.pc, label.exit], end)
            case Ahead():
                value = distance(offsets[field.pc + label.distance], end)
            case InPart():
                value = distance((field.cold if label.cold else field.straight) + label.offset, end)
            case PcPlus():
                value = unsigned_field(field.pc + label.delta, FIELD)
            case _:
                external.append(field)
                continue
        patched[field.offset : end] = bytes(value)
    return FunctionCode(
        bytes(patched),
        tuple(offsets),
        tuple(offsets.values()),
        tuple(Fixup(field.offset, field.label) for field in external),
        tuple(field.pc for field in external),
    )


_LEAVE_STUBS = {
    exit: template((StoreImm(4, Mem(PC), PcPlus(0)), Jump(Stub(exit)))) for exit in (Exit.INTERPRET, Exit.PREEMPTED)
}


def leave_stub(exit: Exit) -> Template:
    """The cold stub behind `Leave(exit)`: store the pc, go to the exit stub."""
    return _LEAVE_STUBS[exit]


def place(function: FunctionCode, address: int, stubs: Mapping[Exit, int], table: Mapping[int, int]) -> bytes:
    """The bytes of `function` for native `address`. Raises EncodingRefused if something is out of reach.

    `stubs` has the native addresses of the exit stubs, `table` those of the function table slots by eBPF pc.
    """
    code = bytearray(function.code)
    for fixup, pc in zip(function.fixups, function.fixup_pcs, strict=True):
        match fixup.label:
            case Stub(exit):
                target = stubs[exit]
            case Callee(ahead):
                target = table[pc + ahead]
            case _:
                raise EncodingRefused(f"label {fixup.label} is not external")
        field = distance(target, address + fixup.offset + FIELD)
        code[fixup.offset : fixup.offset + FIELD] = bytes(field)
    return bytes(code)
