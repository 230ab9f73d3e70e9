"""Every form's bytes against Capstone and Keystone: all registers in all places, and the edges of all numbers.

Capstone must read in the bytes what our printer says of the instruction. Keystone must assemble our printer's text to
the same bytes, except where it is listed below (`SHORTER`) that the manual has a shorter encoding, which `jit/` does
not use: there Keystone's bytes must differ, be shorter, and be read by Capstone as the same instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import Any

from differential.operands import count, instances
from differential.reading import Reading, read_bytes, reading
from jit.assemble import template
from jit.disassemble import disassemble
from jit.registers import Reg
from jit.x86 import (
    FORMS,
    X86,
    AluImm32,
    ImulImm,
    Jump,
    JumpIf,
    Label,
    Lea,
    LeaIndexed,
    LeaLabel,
    Native,
    Rotate16,
    ShiftImm,
    TestImm,
)

_ADDRESS = 1 << 32  # where Keystone assembles; jumps reach 2 GiB to both sides of it
_SHORT_JUMP_BYTES = 2
_SHOWN = 5  # disagreements of a form
_PART_SIZE = 8192
_SAME, _SHORTER = "same", "shorter"


def _byte(value: int) -> bool:
    return -128 <= value <= 127


def _short_jump(jump: Jump | JumpIf) -> bool:
    assert isinstance(jump.label, Native)
    return _byte(jump.label.displacement + len(template((jump,))[0]) - _SHORT_JUMP_BYTES)


# Where Keystone takes a shorter encoding, and the page of SDM 2 that has both. `jit/` has one encoding per form, so
# that the decoder has one rule for it
SHORTER: dict[type, tuple[Callable[[Any], bool], str]] = {
    Lea: (lambda i: i.disp == 0 and i.base & 7 != Reg.rbp, "no displacement, mod 00: table 2-2"),
    LeaIndexed: (lambda i: i.disp == 0 and i.base & 7 != Reg.rbp, "no displacement, mod 00: table 2-3"),
    AluImm32: (lambda i: _byte(i.imm) or i.dst is Reg.rax, "83 /op ib, or 05 to 3D id for rax: ADD, OR, AND, SUB ..."),
    TestImm: (lambda i: i.reg is Reg.rax, "A9 id for rax: TEST"),
    ImulImm: (lambda i: _byte(i.imm), "6B /r ib: IMUL"),
    ShiftImm: (lambda i: i.count == 1, "D1 /op: SAL/SAR/SHL/SHR, RCL/RCR/ROL/ROR"),
    Rotate16: (lambda i: i.count == 1, "66 D1 /0: RCL/RCR/ROL/ROR"),
    Jump: (_short_jump, "EB cb: JMP"),
    JumpIf: (_short_jump, "70 to 7F cb: Jcc"),
}  # fmt: skip

WRITTEN = tuple(form for form in FORMS if form is not Label)


@dataclass(slots=True)
class Compared:
    """What became of the instances of some forms."""

    instances: int = 0
    same: int = 0  # Keystone writes our bytes
    shorter: int = 0  # it writes those of a listed shorter encoding
    disagreed: int = 0
    disagreements: list[str] = field(default_factory=list)  # the first few

    def add(self, other: Compared) -> None:
        self.instances += other.instances
        self.same += other.same
        self.shorter += other.shorter
        self.disagreed += other.disagreed
        self.disagreements = (self.disagreements + other.disagreements)[:_SHOWN]


@dataclass(frozen=True, slots=True)
class Part:
    """The instances of `form` from number `first` on, one of `every`."""

    form: type
    first: int = 0
    every: int = 1


def parts(every: int) -> list[Part]:
    """One of `every` instances of each form, in parts that take some seconds at most."""
    found = []
    for form in WRITTEN:
        pieces = count(form) // every // _PART_SIZE + 1
        found += [Part(form, every * piece, every * pieces) for piece in range(pieces)]
    return found


def compare(part: Part) -> Compared:
    """What Capstone and Keystone make of the part. ImportError if one of them is not installed."""
    result = Compared()
    for instruction in islice(instances(part.form), part.first, None, part.every):
        result.instances += 1
        for kind in _judged(instruction):
            if kind is _SAME:
                result.same += 1
            elif kind is _SHORTER:
                result.shorter += 1
            else:
                result.disagreed += 1
                if len(result.disagreements) < _SHOWN:
                    result.disagreements.append(f"{disassemble(instruction)}: {kind}")
    return result


def _judged(instruction: X86) -> Iterator[str]:
    """_SAME, _SHORTER, or what is wrong."""
    code, said = template((instruction,))[0], reading(disassemble(instruction))
    read = read_bytes(code)
    if read != (said, len(code)):
        yield f"Capstone reads {read} in {code.hex(' ')}"
    theirs = assembled_by_keystone(instruction, len(code))
    listed = type(instruction) in SHORTER and SHORTER[type(instruction)][0](instruction)
    if theirs == code:
        yield f"Keystone writes the same, although a shorter encoding is listed: {code.hex(' ')}" if listed else _SAME
    elif listed and _is_shorter(said, code, theirs):
        yield _SHORTER
    else:
        yield f"Keystone writes {theirs.hex(' ')}, we {code.hex(' ')}"


def _is_shorter(said: Reading, code: bytes, theirs: bytes) -> bool:
    saved = len(code) - len(theirs)
    read = read_bytes(theirs)
    if saved <= 0 or read is None:
        return False
    if said[0].startswith("j"):  # a distance counts from the end, which has moved
        (distance,) = said[1]
        assert isinstance(distance, int)
        said = said[0], (distance + saved,)
    return read == (said, len(theirs))


def assembled_by_keystone(instruction: X86, size: int) -> bytes:
    """What Keystone makes of our printer's text; b"" if it refuses it."""
    import keystone

    try:
        code, _ = _assembler().asm(keystone_text(instruction, size), addr=_ADDRESS, as_bytes=True)
    except keystone.KsError:
        return b""
    return bytes(code or b"")


@cache
def _assembler() -> Any:  # noqa: ANN401 - Keystone has no types
    import keystone

    return keystone.Ks(keystone.KS_ARCH_X86, keystone.KS_MODE_64)


def keystone_text(instruction: X86, size: int) -> str:
    """Our text with `ptr` behind sizes; jumps have addresses in place of distances."""
    text = disassemble(instruction)
    if isinstance(instruction, Jump | JumpIf):
        assert isinstance(instruction.label, Native)
        return f"{text.partition(' ')[0]} {_ADDRESS + size + instruction.label.displacement:#x}"
    return text if isinstance(instruction, Lea | LeaIndexed | LeaLabel) else text.replace(" [", " ptr [")
