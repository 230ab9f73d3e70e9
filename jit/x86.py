"""The x86-64 instructions that this project emits: one class per form, operands as fields.

Nothing else is ever emitted, so the decoder, the machine model and the proofs range over exactly these classes
(`FORMS`). Memory operands are relative to rbp, the cage base: `[rbp + index + disp]`. Distances are labels until
`assemble`. What an instruction means is in `simulator/x86.py`, how it is encoded in `jit/assemble.py`, and back in
`jit/decode.py`.

Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from jit.context import Exit
from jit.registers import Reg

# ---------------------------------------------------------------- operands


@dataclass(frozen=True, slots=True)
class Mem:
    """The bytes at rbp + index + disp. `index` is any register but rsp; `disp` fits a signed 32-bit field."""

    disp: int
    index: Reg | None = None


@dataclass(frozen=True, slots=True)
class Local:
    """A place within the same macro expansion, set by `Label`."""

    number: int


@dataclass(frozen=True, slots=True)
class Ahead:
    """The first instruction of the code for eBPF pc + distance, in the same function."""

    distance: int


@dataclass(frozen=True, slots=True)
class Leave:
    """A cold stub of this eBPF instruction: store its pc in the context, then go to the exit stub."""

    exit: Exit


@dataclass(frozen=True, slots=True)
class Stub:
    """The arena's exit stub for this reason."""

    exit: Exit


@dataclass(frozen=True, slots=True)
class Callee:
    """The function table slot (8 bytes, host-only) of the function at eBPF pc + distance."""

    distance: int


@dataclass(frozen=True, slots=True)
class Native:
    """A distance in bytes from the end of the instruction: what the decoder finds in place of a label."""

    displacement: int


Target = Local | Ahead | Leave | Stub | Callee | Native


@dataclass(frozen=True, slots=True)
class PcPlus:
    """The immediate pc + delta, for the eBPF pc whose code this is."""

    delta: int


class Alu(IntEnum):
    """Two-operand arithmetic; the value is the operation's number in the 00-3F opcode block and in 81 /n."""

    ADD = 0
    OR = 1
    AND = 4
    SUB = 5
    XOR = 6
    CMP = 7


class Shift(IntEnum):
    """The value is /n of opcodes C1 and D3."""

    ROL = 0
    ROR = 1
    SHL = 4
    SHR = 5
    SAR = 7


class Cond(IntEnum):
    """Condition codes; the value is the low nibble of 0F 8x (SDM 2, Jcc)."""

    B = 2
    AE = 3
    E = 4
    NE = 5
    BE = 6
    A = 7
    S = 8
    NS = 9
    L = 12
    GE = 13
    LE = 14
    G = 15


# ---------------------------------------------------------------- moves


@dataclass(frozen=True, slots=True)
class MovReg:
    """dst := src; with bits = 32 the upper half of dst becomes zero."""

    bits: int
    dst: Reg
    src: Reg


@dataclass(frozen=True, slots=True)
class MovImm32:
    """dst := imm, 0 <= imm < 2^32, zero-extended."""

    dst: Reg
    imm: int


@dataclass(frozen=True, slots=True)
class MovImmSigned:
    """dst := imm, a signed 32-bit value, sign-extended to 64 bits."""

    dst: Reg
    imm: int


@dataclass(frozen=True, slots=True)
class MovImm64:
    """dst := imm, 0 <= imm < 2^64."""

    dst: Reg
    imm: int


@dataclass(frozen=True, slots=True)
class MovSignExtend:
    """dst := the low `source_bits` (8, 16, 32) of src, sign-extended to `bits` (32 or 64); 32 clears the upper half."""

    source_bits: int
    bits: int
    dst: Reg
    src: Reg


@dataclass(frozen=True, slots=True)
class MovZeroExtend16:
    """dst := the low 16 bits of src."""

    dst: Reg
    src: Reg


@dataclass(frozen=True, slots=True)
class Load:
    """dst := the `size` bytes (1, 2, 4, 8) at mem, zero-extended."""

    size: int
    dst: Reg
    mem: Mem


@dataclass(frozen=True, slots=True)
class LoadSigned:
    """dst := the `size` bytes (1, 2, 4) at mem, sign-extended to 64 bits."""

    size: int
    dst: Reg
    mem: Mem


@dataclass(frozen=True, slots=True)
class Store:
    """The `size` bytes at mem := the low bytes of src."""

    size: int
    mem: Mem
    src: Reg


@dataclass(frozen=True, slots=True)
class StoreImm:
    """The `size` bytes at mem := imm; 8 bytes take a sign-extended 32-bit imm."""

    size: int
    mem: Mem
    imm: int | PcPlus


@dataclass(frozen=True, slots=True)
class Lea:
    """dst := base + disp; with bits = 32 modulo 2^32. Flags stay."""

    bits: int
    dst: Reg
    base: Reg
    disp: int


@dataclass(frozen=True, slots=True)
class LeaIndexed:
    """dst := base + index * 2^scale + disp (64 bits); `index` is any register but rsp. Flags stay."""

    dst: Reg
    base: Reg
    index: Reg
    scale: int
    disp: int


@dataclass(frozen=True, slots=True)
class LeaLabel:
    """dst := the native address of the label."""

    dst: Reg
    label: Target


# ---------------------------------------------------------------- arithmetic


@dataclass(frozen=True, slots=True)
class AluReg:
    """dst := dst op src and flags; CMP sets flags only. bits is 32 or 64."""

    op: Alu
    bits: int
    dst: Reg
    src: Reg


@dataclass(frozen=True, slots=True)
class AluImm8:
    """As AluReg with a sign-extended 8-bit immediate."""

    op: Alu
    bits: int
    dst: Reg
    imm: int


@dataclass(frozen=True, slots=True)
class AluImm32:
    """As AluReg with a 32-bit immediate, sign-extended if bits is 64. `imm` is given signed."""

    op: Alu
    bits: int
    dst: Reg
    imm: int


@dataclass(frozen=True, slots=True)
class TestReg:
    """Flags of a & b."""

    bits: int
    a: Reg
    b: Reg


@dataclass(frozen=True, slots=True)
class TestImm:
    """Flags of reg & imm, imm a signed 32-bit value, sign-extended if bits is 64."""

    bits: int
    reg: Reg
    imm: int


@dataclass(frozen=True, slots=True)
class Neg:
    """dst := -dst."""

    bits: int
    dst: Reg


@dataclass(frozen=True, slots=True)
class Imul:
    """dst := dst * src, low half. ZF, SF, AF and PF are undefined afterwards."""

    bits: int
    dst: Reg
    src: Reg


@dataclass(frozen=True, slots=True)
class ImulImm:
    """dst := src * imm, low half, imm a signed 32-bit value."""

    bits: int
    dst: Reg
    src: Reg
    imm: int


@dataclass(frozen=True, slots=True)
class Div:
    """rax, rdx := quotient and remainder of unsigned rdx:rax by src. #DE if src is 0 or the quotient overflows."""

    bits: int
    src: Reg


@dataclass(frozen=True, slots=True)
class Idiv:
    """rax, rdx := quotient and remainder of signed rdx:rax by src, rounded to zero. #DE as for Div."""

    bits: int
    src: Reg


@dataclass(frozen=True, slots=True)
class SignToRdx:
    """rdx := the sign of rax, all over (cdq for 32 bits, cqo for 64)."""

    bits: int


@dataclass(frozen=True, slots=True)
class ShiftImm:
    """dst := dst shifted or rotated by count, 0 <= count < bits. bits is 32 or 64. Flags count as undefined."""

    op: Shift
    bits: int
    dst: Reg
    count: int


@dataclass(frozen=True, slots=True)
class ShiftCl:
    """dst := dst shifted or rotated by cl modulo bits. Flags count as undefined."""

    op: Shift
    bits: int
    dst: Reg


@dataclass(frozen=True, slots=True)
class Rotate16:
    """The low 16 bits of dst rotated left by count (0 < count < 16); the rest of dst stays. Flags undefined."""

    dst: Reg
    count: int


@dataclass(frozen=True, slots=True)
class Bswap:
    """The bytes of dst reversed; with bits = 32 the low four, and the upper half becomes zero."""

    bits: int
    dst: Reg


# ---------------------------------------------------------------- memory read-modify-write


@dataclass(frozen=True, slots=True)
class LockAlu:
    """lock: the `size` bytes (4 or 8) at mem := them op src; op is ADD, OR, AND or XOR."""

    op: Alu
    size: int
    mem: Mem
    src: Reg


@dataclass(frozen=True, slots=True)
class LockXadd:
    """lock: mem, src := mem + src, mem (size 4: src is zero-extended)."""

    size: int
    mem: Mem
    src: Reg


@dataclass(frozen=True, slots=True)
class Xchg:
    """mem, src := src, mem, atomically (xchg with memory locks by itself; size 4: src is zero-extended)."""

    size: int
    mem: Mem
    src: Reg


@dataclass(frozen=True, slots=True)
class LockCmpxchg:
    """lock: if mem = rax then mem := src else rax := mem. ZF tells which. Memory is written either way.

    Size 4: when the compare fails rax is zero-extended; when it succeeds rax keeps its upper half.
    """

    size: int
    mem: Mem
    src: Reg


# ---------------------------------------------------------------- control


@dataclass(frozen=True, slots=True)
class Jump:
    label: Target


@dataclass(frozen=True, slots=True)
class JumpIf:
    cond: Cond
    label: Target


@dataclass(frozen=True, slots=True)
class JumpReg:
    """Go to the native address in reg."""

    reg: Reg


@dataclass(frozen=True, slots=True)
class JumpMem:
    """Go to the native address stored in the 8 bytes at mem."""

    mem: Mem


@dataclass(frozen=True, slots=True)
class JumpTable:
    """Go to the native address stored in the 8 bytes at the label (a function table slot)."""

    label: Target


@dataclass(frozen=True, slots=True)
class Push:
    """Host stack; trampolines only."""

    reg: Reg


@dataclass(frozen=True, slots=True)
class Pop:
    """Host stack; trampolines only."""

    reg: Reg


@dataclass(frozen=True, slots=True)
class Ret:
    """Back to the host; the exit stub only."""


@dataclass(frozen=True, slots=True)
class Label:
    """No instruction: the place that `Local(number)` means.

    A `cold` label also ends the straight path: what follows is placed behind the function and is reached by jumps
    only, so that falling onto a cold label means going on behind the macro.
    """

    number: int
    cold: bool = False


X86 = (
    MovReg
    | MovImm32
    | MovImmSigned
    | MovImm64
    | MovSignExtend
    | MovZeroExtend16
    | Load
    | LoadSigned
    | Store
    | StoreImm
    | Lea
    | LeaIndexed
    | LeaLabel
    | AluReg
    | AluImm8
    | AluImm32
    | TestReg
    | TestImm
    | Neg
    | Imul
    | ImulImm
    | Div
    | Idiv
    | SignToRdx
    | ShiftImm
    | ShiftCl
    | Rotate16
    | Bswap
    | LockAlu
    | LockXadd
    | Xchg
    | LockCmpxchg
    | Jump
    | JumpIf
    | JumpReg
    | JumpMem
    | JumpTable
    | Push
    | Pop
    | Ret
    | Label
)

FORMS: tuple[type, ...] = X86.__args__
