"""An x86-64 instruction up to its immediate: prefixes, opcode, ModRM, SIB, displacement; the numbers in it.

The lower half of `jit.decode`. Decides: what the fields of the bytes are. Refuses, with `NotOurs`, encodings that no
form of ours has: two legacy prefixes, an operand that is not [base + index * 2^scale + disp] with the shortest
displacement, bits without effect. Trusts nothing, and shares nothing with `jit.assemble`.

Source: Intel SDM 2, chapter 2 (instruction format; tables 2-1 to 2-5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from jit.registers import Reg
from jit.x86 import Mem


class NotOurs(ValueError):
    """The bytes at `position` (the instruction's first) are not an encoding that this project emits, and why."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(position, reason)
        self.position = position
        self.reason = reason

    def __str__(self) -> str:
        return f"byte {self.position:#x}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Head:
    """Prefixes and opcode. REX without a bit set, 40, still matters: it makes spl, bpl, sil, dil of ah to bh."""

    start: int  # position of the first byte
    prefix: int  # 66, F0, or 0
    rex: int  # 40 .. 4F, or 0
    opcode: int  # 0Fxx for the two-byte opcodes
    end: int  # position behind the opcode

    @property
    def w(self) -> bool:
        return self.rex & 8 != 0

    @property
    def r(self) -> int:
        """What REX.R adds to a register number in ModRM.reg."""
        return (self.rex & 4) << 1

    @property
    def x(self) -> int:
        """What REX.X adds to an index register number."""
        return (self.rex & 2) << 2

    @property
    def b(self) -> int:
        """What REX.B adds to a register number in ModRM.rm, SIB.base or the opcode."""
        return (self.rex & 1) << 3

    @property
    def bits(self) -> int:
        """The operand size where REX.W chooses it."""
        return 64 if self.w else 32

    @property
    def size(self) -> int:
        """The same in bytes."""
        return 8 if self.w else 4


@dataclass(frozen=True, slots=True)
class Address:
    """A memory operand as the processor sees it. `base` None means rip, the end of the instruction."""

    base: Reg | None
    index: Reg | None
    scale: int
    disp: int


@dataclass(frozen=True, slots=True)
class Operands:
    """ModRM with what belongs to it. `rm` is a register (mod 11) or an address, `reg` includes REX.R."""

    rm: Reg | Address
    reg: int
    end: int


# ---------------------------------------------------------------- operands, as a form wants them


def two_registers(code: Sequence[int], head: Head) -> tuple[Reg, Reg, int]:
    """(ModRM.rm, ModRM.reg, end), both registers."""
    found = operands(code, head)
    if not isinstance(found.rm, Reg):
        return refuse(head, "a memory operand where our form has a register")
    return found.rm, Reg(found.reg), found.end


def memory_and_register(code: Sequence[int], head: Head) -> tuple[Mem, Reg, int]:
    """(ModRM.rm, ModRM.reg, end), the first in memory."""
    found = operands(code, head)
    return mem(head, found.rm), Reg(found.reg), found.end


def operand_and_digit(code: Sequence[int], head: Head) -> tuple[Reg | Address, int, int]:
    """(ModRM.rm, /digit, end)."""
    refuse_rex(head, head.r)
    found = operands(code, head)
    return found.rm, found.reg, found.end


def register_and_digit(code: Sequence[int], head: Head) -> tuple[Reg, int, int]:
    """(ModRM.rm, /digit, end), the first a register."""
    rm, digit, end = operand_and_digit(code, head)
    if not isinstance(rm, Reg):
        return refuse(head, "a memory operand where our form has a register")
    return rm, digit, end


def memory_with_digit(code: Sequence[int], head: Head, expected: int) -> tuple[Mem, int]:
    """(ModRM.rm, end), in memory, for the one digit that has a form."""
    rm, digit, end = operand_and_digit(code, head)
    if digit != expected:
        refuse(head, f"operation {head.opcode:02X} /{digit}")
    return mem(head, rm), end


def opcode_register(head: Head, w: bool) -> Reg:
    """The register in the opcode's low bits; `w`: whether REX.W has a meaning here."""
    refuse_rex(head, head.r | head.x)
    if not w:
        refuse_w(head)
    return Reg(head.opcode & 7 | head.b)


def byte_register(head: Head, register: Reg) -> Reg:
    """`register` as an 8-bit operand: 4 to 7 are spl, bpl, sil, dil with REX, ah, ch, dh, bh without (table 2-2)."""
    if Reg.rsp <= register <= Reg.rdi:
        if head.rex == 0:
            refuse(head, "one of ah, ch, dh, bh")
    elif head.rex == 0x40:
        refuse(head, "a REX prefix without effect")
    return register


def mem(head: Head, rm: Reg | Address) -> Mem:
    """`rm` as our memory operand, [rbp + disp] or [rbp + index + disp]."""
    if isinstance(rm, Reg):
        return refuse(head, "a register where our form has a memory operand")
    if rm.base is not Reg.rbp or rm.scale != 0:
        return refuse(head, "a memory operand that is not [rbp + index + disp]")
    return Mem(rm.disp, rm.index)


# ---------------------------------------------------------------- prefixes, ModRM, SIB, numbers


def read_head(code: Sequence[int], start: int) -> Head:
    """SDM 2, 2.1 and 2.2.1: at most one legacy prefix, then REX, then one or two opcode bytes."""
    end = start
    prefix = rex = 0
    first = byte_at(code, start, end)
    if first in {0x66, 0xF0}:
        prefix = first
        end += 1
        first = byte_at(code, start, end)
    if first & 0xF0 == 0x40:
        rex = first
        end += 1
        first = byte_at(code, start, end)
    if first == 0x0F:
        end += 1
        first = 0x0F00 | byte_at(code, start, end)
    head = Head(start, prefix, rex, first, end + 1)
    if rex == 0x40 and (prefix or first not in {0x88, 0x0FBE}):  # those two have 8-bit registers: `byte_register`
        refuse(head, "a REX prefix without effect")
    return head


def operands(code: Sequence[int], head: Head) -> Operands:
    """ModRM, SIB and displacement (SDM 2, tables 2-2, 2-3 and 2-5)."""
    modrm = byte(code, head, head.end)
    end = head.end + 1
    mod, reg, rm = modrm >> 6, modrm >> 3 & 7 | head.r, modrm & 7
    if mod == 3:
        refuse_rex(head, head.x)
        return Operands(Reg(rm | head.b), reg, end)
    if mod == 0:
        if rm != 5:
            refuse(head, "a memory operand without displacement")
        refuse_rex(head, head.x | head.b)
        return Operands(Address(None, None, 0, signed32(code, head, end)), reg, end + 4)
    scale, index, base = 0, None, Reg(rm | head.b)
    if rm == 4:
        sib = byte(code, head, end)
        end += 1
        scale, index, base = sib >> 6, Reg(sib >> 3 & 7 | head.x), Reg(sib & 7 | head.b)
        if index is Reg.rsp:  # means none
            index = None
            if scale != 0 or base not in {Reg.rsp, Reg.r12}:
                refuse(head, "a SIB byte without effect")
    else:
        refuse_rex(head, head.x)
    if mod == 1:
        return Operands(Address(base, index, scale, signed8(code, head, end)), reg, end + 1)
    disp = signed32(code, head, end)
    if -128 <= disp <= 127:
        refuse(head, "a 32-bit displacement that fits 8 bits")
    return Operands(Address(base, index, scale, disp), reg, end + 4)


def byte_at(code: Sequence[int], start: int, at: int) -> int:
    if at >= len(code):
        raise NotOurs(start, f"truncated after {len(code) - start} bytes")
    return code[at]


def byte(code: Sequence[int], head: Head, at: int) -> int:
    return byte_at(code, head.start, at)


def unsigned(code: Sequence[int], head: Head, at: int, size: int) -> int:
    """`size` bytes, the lowest first."""
    value = byte(code, head, at)
    for k in range(1, size):
        value = value | byte(code, head, at + k) << 8 * k
    return value


def signed8(code: Sequence[int], head: Head, at: int) -> int:
    value = byte(code, head, at)
    return (value & 0x7F) - (value & 0x80)


def signed32(code: Sequence[int], head: Head, at: int) -> int:
    value = unsigned(code, head, at, 4)
    return (value & 0x7FFF_FFFF) - (value & 0x8000_0000)


# ---------------------------------------------------------------- refusals


def refuse(head: Head, reason: str) -> NoReturn:
    raise NotOurs(head.start, reason)


def refuse_rex(head: Head, bits: int) -> None:
    """`bits`: what must be zero here, because it would have no effect or name another operation."""
    if bits:
        refuse(head, f"REX prefix {head.rex:02X} has a bit without effect")


def require_w(head: Head) -> None:
    if not head.w:
        refuse(head, "our form has 64 bits (REX.W)")


def refuse_w(head: Head) -> None:
    if head.w:
        refuse(head, "our form has no REX.W")
