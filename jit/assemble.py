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
from typing import NamedTuple

from jit.context import PC, Exit
from jit.encode import ENCODERS, FIELD, Bytes, EncodingRefused, signed_field, unsigned_field
from jit.tagged import tagged
from jit.x86 import X86, Ahead, Callee, Jump, Label, Leave, Local, Mem, Native, PcPlus, StoreImm, Stub, Target


@tagged
class InPart(NamedTuple):
    """A place in the straight or the cold part of the same template."""

    cold: bool
    offset: int


Link = Target | PcPlus | InPart


class Fixup(NamedTuple):
    """The four bytes at `offset` are: distance of the label from their end, or the value pc + delta."""

    offset: int
    label: Link


Open = tuple[int, Link]  # a fixup of a template, without a name: one is made for every branch and every check

# The bytes of one macro, and the fields that depend on where it stands; the same of its cold part.
Template = tuple[bytes, Sequence[Open], bytes, Sequence[Open]]


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
    if len(instructions) == 1:  # three macros of four: spares them the search for labels, half of their time
        instruction = instructions[0]
        encoded, label = ENCODERS[type(instruction)](instruction)
        if label is None:
            return encoded, (), b"", ()
    straight = bytearray()
    fixups: list[Open] = []
    cold = bytearray()
    cold_fixups: list[Open] = []
    code, labelled = straight, fixups  # of the part that is being written
    places: dict[int, InPart] = {}
    for instruction in instructions:
        if isinstance(instruction, Label):
            if instruction.cold:
                code, labelled = cold, cold_fixups
            places[instruction.number] = InPart(code is cold, len(code))
            continue
        encoded, label = ENCODERS[type(instruction)](instruction)
        code += encoded
        if label is None:
            continue
        if isinstance(label, Native):
            code[-FIELD:] = signed_field(label.displacement, FIELD)
        else:
            labelled.append((len(code) - FIELD, label))
    if not places:
        return bytes(straight), fixups, b"", ()
    opened = _open_fixups(straight, fixups, False, places)
    return bytes(straight), opened, bytes(cold), _open_fixups(cold, cold_fixups, True, places)


def _open_fixups(
    code: bytearray, fixups: Sequence[Open], in_cold: bool, places: Mapping[int, InPart]
) -> Sequence[Open]:
    """Patches the fields of `code` that lead to a place in the same part; the others."""
    opened: list[Open] = []
    for fixup in fixups:
        offset, label = fixup
        if isinstance(label, Local):
            place = places[label.number]
            if place.cold is in_cold:
                code[offset : offset + FIELD] = distance(place.offset, offset + FIELD)
            else:
                opened.append((offset, place))
        else:
            opened.append(fixup)
    return opened


def distance(target: int, end: int) -> Bytes:
    """The field that makes an instruction which ends at `end` reach `target`. Raises EncodingRefused."""
    return signed_field(target - end, FIELD)


# ---------------------------------------------------------------- one function


_Waiting = tuple[int, int, Link]  # a field that waits for places: its offset in the function, eBPF pc, label


def join(parts: Sequence[tuple[int, Template]]) -> FunctionCode:
    """The code of a function from its (eBPF pc, template) pairs in order. Raises EncodingRefused.

    A pc may occur several times; its code begins at the first. Stubs (`Leave`) come last, one per pc and reason.
    """
    offsets: dict[int, int] = {}
    chunks: list[bytes] = []
    unfinished: list[tuple[int, Template, int]] = []  # pc, template, where its straight part begins
    position = 0
    for pc, part in parts:
        if pc not in offsets:
            offsets[pc] = position
        code, fixups, cold_code, _ = part
        if fixups or cold_code:
            unfinished.append((pc, part, position))
        chunks.append(code)
        position += len(code)
    opened: list[_Waiting] = []
    for pc, (_, fixups, cold_code, cold_fixups), straight in unfinished:
        for offset, label in fixups:
            if isinstance(label, InPart):  # the other part begins `position - straight` further on
                label = Native(position - straight + label.offset - offset - FIELD)
            opened.append((straight + offset, pc, label))
        for offset, label in cold_fixups:
            if isinstance(label, InPart):
                label = Native(straight - position + label.offset - offset - FIELD)
            opened.append((position + offset, pc, label))
        chunks.append(cold_code)
        position += len(cold_code)
    stubs: dict[tuple[int, Exit], int] = {}
    for _, pc, label in opened:
        if isinstance(label, Leave):
            key = pc, label.exit
            if key not in stubs:
                stubs[key] = position
                stub = leave_stub(label.exit)[0]
                chunks.append(stub)
                position += len(stub)
    for (pc, exit), at in stubs.items():
        opened += [(at + offset, pc, label) for offset, label in leave_stub(exit)[1]]
    return _patched(b"".join(chunks), opened, offsets, stubs)


def _patched(
    code: bytes, opened: Sequence[_Waiting], offsets: Mapping[int, int], stubs: Mapping[tuple[int, Exit], int]
) -> FunctionCode:
    patched = bytearray(code)
    fixups: list[Fixup] = []
    fixup_pcs: list[int] = []
    for offset, pc, label in opened:
        end = offset + FIELD
        if isinstance(label, Leave):
            value = distance(stubs[pc, label.exit], end)
        elif isinstance(label, Ahead):
            value = distance(offsets[pc + label.distance], end)
        elif isinstance(label, PcPlus):
            value = unsigned_field(pc + label.delta, FIELD)
        elif isinstance(label, Native):
            value = signed_field(label.displacement, FIELD)
        else:
            fixups.append(Fixup(offset, label))
            fixup_pcs.append(pc)
            continue
        patched[offset:end] = value
    return FunctionCode(bytes(patched), tuple(offsets), tuple(offsets.values()), tuple(fixups), tuple(fixup_pcs))


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
    for (offset, label), pc in zip(function.fixups, function.fixup_pcs, strict=True):
        if isinstance(label, Stub):
            target = stubs[label.exit]
        elif isinstance(label, Callee):
            target = table[pc + label.distance]
        else:
            raise EncodingRefused(f"label {label} is not external")
        end = offset + FIELD
        code[offset:end] = distance(target, address + end)
    return bytes(code)
