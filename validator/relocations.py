"""The bytes of a loaded section with its relocations applied.

Input: a section as `reach` found it, and where the sections and functions that it refers to will lie. Output: bytes.
Decides: that a relocation writes only the immediate of an lddw or of a call, or whole pointers in data; that no two
write the same byte; that an address lies in the section that the relocation names, and a call enters one. Trusts
nothing that comes from the file but the sizes that `reach` compared with it. Trusted by `link`: theorem linker.inside.

Source: the LLVM BPF relocation document (https://docs.kernel.org/bpf/llvm_reloc.html), checked against clang's output.
BPF objects use SHT_REL: the addend stands in the bytes that are relocated.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from validator.elf import UNDEFINED, RelocationType
from validator.errors import LinkError
from validator.isa import SLOT_BYTES
from validator.reach import LoadedSection, Reference, Role

CALL, WIDE = 0x85, 0x18  # opcodes (RFC 9669 sections 4.3 and 5.4)
TO_HELPER, TO_LOCAL = 0, 1  # src of a call
CALLS_SYMBOL = -1  # imm of a call before relocation, when it enters at the symbol itself

_IMM = struct.Struct("<i")
_HALF = struct.Struct("<I")
_WIDE = struct.Struct("<4xI4xI")  # the halves of an lddw's immediate
_ADDENDS = {RelocationType.ABS64: struct.Struct("<q"), RelocationType.ABS32: struct.Struct("<i")}
_ADDRESSES = {RelocationType.ABS64: struct.Struct("<Q"), RelocationType.ABS32: struct.Struct("<I")}
_CODE_BYTES = {RelocationType.WIDE_64: 2 * SLOT_BYTES, RelocationType.CALL_32: SLOT_BYTES}
_DATA_BYTES = {kind: pointer.size for kind, pointer in _ADDRESSES.items()}


@dataclass(frozen=True, slots=True)
class Places:
    """Where everything lies that the sections of one object refer to.

    An undefined function is one of `functions`, or else of `helpers`: whoever resolved the names saw to that.
    """

    sections: Mapping[int, LoadedSection]
    addresses: Mapping[int, int]  # guest address of each data section
    first: Mapping[int, int]  # pc at which each code section starts
    functions: Mapping[str, int]  # pc of each function that undefined symbols may mean
    helpers: Mapping[str, int]  # number of each helper


def address_inside(low: int, size: int, value: int, addend: int) -> int | None:
    """low + value + addend, if both `value` and `value + addend` are in [0, size]; else None.

    `low` and `size` are the guest address and the bytes of the section that the relocation names, `value` is the
    symbol's offset in it. One past the end is an address that C may form; it points at nothing that may be accessed.
    """
    if not 0 <= value <= size:
        return None
    if not 0 <= value + addend <= size:
        return None
    return low + value + addend


def called_slot(size: int, value: int, imm: int) -> int | None:
    """The slot of a section of `size` bytes that a relocated call enters; None if it is none or half of one.

    clang puts the callee's distance from the symbol, in slots and less one, into `imm`: -1 for a call to the symbol
    itself, (offset / 8) - 1 for a static function that is called through the symbol of its section.
    """
    offset = value + (imm + 1) * SLOT_BYTES
    if value % SLOT_BYTES or not 0 <= value < size or not 0 <= offset < size:
        return None
    return offset // SLOT_BYTES


def relocated_data(section: LoadedSection, places: Places) -> bytes:
    """The bytes of a data section. Raises LinkError."""
    _check_fields(section, _DATA_BYTES)
    data = bytearray(section.content)
    for reference in section.references:
        pointer = _ADDRESSES[reference.type]
        (addend,) = _ADDENDS[reference.type].unpack_from(data, reference.offset)
        address = _address(section, reference, addend, places)
        if address >> (8 * pointer.size):
            raise _refused(section, reference, f"guest address {address:#x} does not fit {pointer.size} bytes")
        pointer.pack_into(data, reference.offset, address)
    return bytes(data)


def relocated_code(section: LoadedSection, places: Places, here: int) -> bytes:
    """The bytes of a code section that starts at pc `here`. Raises LinkError."""
    _check_fields(section, _CODE_BYTES)
    code = bytearray(section.content)
    relocated_calls = set()
    for reference in section.references:
        if reference.type is RelocationType.WIDE_64:
            _relocate_wide(code, section, reference, places)
        else:
            _relocate_call(code, section, reference, places, here)
            relocated_calls.add(reference.offset // SLOT_BYTES)
    _check_local_calls(section, relocated_calls)
    return bytes(code)


def _check_fields(section: LoadedSection, widths: Mapping[RelocationType, int]) -> None:
    """Refuse fields outside the section, fields that overlap, and types that this sort of section does not have."""
    fields = []
    for reference in section.references:
        width = widths.get(reference.type)
        if width is None:
            right = ", ".join(f"{kind.value}" for kind in widths)
            reason = f"relocation type {reference.type.value} in {section.role.value}, which has types {right}"
            raise _refused(section, reference, reason)
        if reference.offset + width > len(section.content):
            reason = f"it would write {width} bytes, the section ends at {len(section.content):#x}"
            raise _refused(section, reference, reason)
        if section.role is Role.CODE and reference.offset % SLOT_BYTES:
            raise _refused(section, reference, "instructions start at multiples of 8")
        fields.append((reference.offset, reference.offset + width))
    fields.sort()
    for (_, end), (start, _) in pairwise(fields):
        if start < end:
            raise LinkError("two relocations write the same bytes", section=section.name, offset=start)


def _relocate_wide(code: bytearray, section: LoadedSection, reference: Reference, places: Places) -> None:
    at = reference.offset
    if code[at] != WIDE:
        raise _refused(section, reference, f"opcode {code[at]:#04x} where an lddw ({WIDE:#04x}) should be")
    addend, upper = _WIDE.unpack_from(code, at)
    if upper:
        raise _refused(section, reference, f"the addend has 32 bits, but the upper word holds {upper:#x}")
    address = _address(section, reference, addend, places)
    _HALF.pack_into(code, at + 4, address & 0xFFFFFFFF)
    _HALF.pack_into(code, at + SLOT_BYTES + 4, address >> 32)


def _relocate_call(code: bytearray, section: LoadedSection, reference: Reference, places: Places, here: int) -> None:
    at = reference.offset
    source = code[at + 1] >> 4
    if code[at] != CALL or source not in (TO_HELPER, TO_LOCAL):
        found = f"opcode {code[at]:#04x} with src {source}"
        raise _refused(section, reference, f"{found} where a call ({CALL:#04x} with src 0 or 1) should be")
    (imm,) = _IMM.unpack_from(code, at + 4)
    source = TO_LOCAL
    if reference.section != UNDEFINED:
        slot = called_slot(places.sections[reference.section].size, reference.value, imm)
        if slot is None:
            size = places.sections[reference.section].size
            found = f"symbol value {reference.value:#x} and imm {imm} are no instruction of its {size:#x} bytes"
            raise _refused(section, reference, f"a call outside the section that it names: {found}")
        imm = places.first[reference.section] + slot - (here + at // SLOT_BYTES) - 1
    elif imm != CALLS_SYMBOL:
        raise _refused(section, reference, f"imm {imm}: a function that is defined elsewhere is called with imm -1")
    elif reference.name in places.functions:
        imm = places.functions[reference.name] - (here + at // SLOT_BYTES) - 1
    else:
        source, imm = TO_HELPER, places.helpers[reference.name]
    code[at + 1] = code[at + 1] & 15 | source << 4
    _IMM.pack_into(code, at + 4, imm)


def _check_local_calls(section: LoadedSection, relocated: set[int]) -> None:
    """Local calls that the compiler resolved must stay inside their section: what lies next to it is ours to choose."""
    opcodes, registers = section.content[::SLOT_BYTES], section.content[1::SLOT_BYTES]
    slot = opcodes.find(CALL)
    while slot >= 0:
        if registers[slot] >> 4 == TO_LOCAL and slot not in relocated:
            (imm,) = _IMM.unpack_from(section.content, slot * SLOT_BYTES + 4)
            if not 0 <= slot + 1 + imm < len(opcodes):
                reason = f"a local call to slot {slot + 1 + imm} of a section that has slots 0 to {len(opcodes) - 1}"
                raise LinkError(reason, section=section.name, offset=slot * SLOT_BYTES)
        slot = opcodes.find(CALL, slot + 1)


def _address(section: LoadedSection, reference: Reference, addend: int, places: Places) -> int:
    target = places.sections[reference.section]
    address = address_inside(places.addresses[reference.section], target.size, reference.value, addend)
    if address is None:
        found = f"symbol value {reference.value:#x}, addend {addend:#x}; {target.name!r} has {target.size:#x} bytes"
        raise _refused(section, reference, f"an address outside the section that it names: {found}")
    return address


def _refused(section: LoadedSection, reference: Reference, reason: str) -> LinkError:
    return LinkError(reason, section=section.name, offset=reference.offset, symbol=reference.name)
