"""The x86-64 instructions that this project emits: one class per form, operands as fields.

Nothing else is ever emitted, so the decoder, the machine model and the proofs range over exactly these classes
(`FORMS`). Memory operands are relative to rbp, the cage base: `[rbp + index + disp]`. Distances are labels until
`assemble`. What an instruction means is in `simulator/x86.py`, how it is encoded in `jit/encode.py`, and back in
`jit/decode.py`.

Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from jit.context import Exit
from jit.registers import Reg
from jit.tagged import tagged

# ---------------------------------------------------------------- operands


@tagged
class Mem(NamedTuple):
    """The bytes at rbp + index + disp. `index` is any register but rsp; `disp` fits a signed 32-bit field."""

    disp: int
    index: Reg | None = None  # type: ignore[assignment]  # hides tuple.index


@tagged
class Local(NamedTuple):
    """A place within the same macro expansion, set by `Label`."""

    number: int


@tagged
class Ahead(NamedTuple):
    """The first instruction of the code for eBPF pc + distance, in the same function."""

    distance: int


@tagged
class Leave(NamedTuple):
    """A cold stub of this eBPF instruction: store its pc in the context, then go to the exit stub."""

    exit: Exit


@tagged
class Stub(NamedTuple):
    """The arena's exit stub for this reason."""

    exit: Exit


@tagged
class Callee(NamedTuple):
    """The function table slot (8 bytes, host-only) of the function at eBPF pc + distance."""

    distance: int


@tagged
class Native(NamedTuple):
    """A distance in bytes from the end of the instruction: what the decoder finds in place of a label."""

    displacement: int


Target = Local | Ahead | Leave | Stub | Callee | Native


@tagged
class PcPlus(NamedTuple):
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


@tagged
class MovReg(NamedTuple):
    """dst := src; with bits = 32 the upper half of dst becomes zero."""

    bits: int
    dst: Reg
    src: Reg


@tagged
class MovImm32(NamedTuple):
    """dst := imm, 0 <= imm < 2^32, zero-extended."""

    dst: Reg
    imm: int


@tagged
class MovImmSigned(NamedTuple):
    """dst := imm, a signed 32-bit value, sign-extended to 64 bits."""

    dst: Reg
    imm: int


@tagged
class MovImm64(NamedTuple):
    """dst := imm, 0 <= imm < 2^64."""

    dst: Reg
    imm: int


@tagged
class MovSignExtend(NamedTuple):
    """dst := the low `source_bits` (8, 16, 32) of src, sign-extended to `bits` (32 or 64); 32 clears the upper half."""

    source_bits: int
    bits: int
    dst: Reg
    src: Reg


@tagged
class MovZeroExtend16(NamedTuple):
    """dst := the low 16 bits of src."""

    dst: Reg
    src: Reg


@tagged
class Load(NamedTuple):
    """dst := the `size` bytes (1, 2, 4, 8) at mem, zero-extended."""

    size: int
    dst: Reg
    mem: Mem


@tagged
class LoadSigned(NamedTuple):
    """dst := the `size` bytes (1, 2, 4) at mem, sign-extended to 64 bits."""

    size: int
    dst: Reg
    mem: Mem


@tagged
class Store(NamedTuple):
    """The `size` bytes at mem := the low bytes of src."""

    size: int
    mem: Mem
    src: Reg


@tagged
class StoreImm(NamedTuple):
    """The `size` bytes at mem := imm; 8 bytes take a sign-extended 32-bit imm."""

    size: int
    mem: Mem
    imm: int | PcPlus


@tagged
class Lea(NamedTuple):
    """dst := base + disp; with bits = 32 modulo 2^32. Flags stay."""

    bits: int
    dst: Reg
    base: Reg
    disp: int


@tagged
class LeaIndexed(NamedTuple):
    """dst := base + index * 2^scale + disp (64 bits); `index` is any register but rsp. Flags stay."""

    dst: Reg
    base: Reg
    index: Reg  # type: ignore[assignment]  # hides tuple.index
    scale: int
    disp: int


@tagged
class LeaLabel(NamedTuple):
    """dst := the native address of the label."""

    dst: Reg
    label: Target


# ---------------------------------------------------------------- arithmetic


@tagged
class AluReg(NamedTuple):
    """dst := dst op src and flags; CMP sets flags only. bits is 32 or 64."""

    op: Alu
    bits: int
    dst: Reg
    src: Reg


@tagged
class AluImm8(NamedTuple):
    """As AluReg with a sign-extended 8-bit immediate."""

    op: Alu
    bits: int
    dst: Reg
    imm: int


@tagged
class AluImm32(NamedTuple):
    """As AluReg with a 32-bit immediate, sign-extended if bits is 64. `imm` is given signed."""

    op: Alu
    bits: int
    dst: Reg
    imm: int


@tagged
class TestReg(NamedTuple):
    """Flags of a & b."""

    bits: int
    a: Reg
    b: Reg


@tagged
class TestImm(NamedTuple):
    """Flags of reg & imm, imm a signed 32-bit value, sign-extended if bits is 64."""

    bits: int
    reg: Reg
    imm: int


@tagged
class Neg(NamedTuple):
    """dst := -dst."""

    bits: int
    dst: Reg


@tagged
class Imul(NamedTuple):
    """dst := dst * src, low half. ZF, SF, AF and PF are undefined afterwards."""

    bits: int
    dst: Reg
    src: Reg


@tagged
class ImulImm(NamedTuple):
    """dst := src * imm, low half, imm a signed 32-bit value."""

    bits: int
    dst: Reg
    src: Reg
    imm: int


@tagged
class Div(NamedTuple):
    """rax, rdx := quotient and remainder of unsigned rdx:rax by src. #DE if src is 0 or the quotient overflows."""

    bits: int
    src: Reg


@tagged
class Idiv(NamedTuple):
    """rax, rdx := quotient and remainder of signed rdx:rax by src, rounded to zero. #DE as for Div."""

    bits: int
    src: Reg


@tagged
class SignToRdx(NamedTuple):
    """rdx := the sign of rax, all over (cdq for 32 bits, cqo for 64)."""

    bits: int


@tagged
class ShiftImm(NamedTuple):
    """dst := dst shifted or rotated by count, 0 <= count < bits. bits is 32 or 64. Flags count as undefined."""

    op: Shift
    bits: int
    dst: Reg
    count: int  # type: ignore[assignment]  # hides tuple.count


@tagged
class ShiftCl(NamedTuple):
    """dst := dst shifted or rotated by cl modulo bits. Flags count as undefined."""

    op: Shift
    bits: int
    dst: Reg


@tagged
class Rotate16(NamedTuple):
    """The low 16 bits of dst rotated left by count (0 < count < 16); the rest of dst stays. Flags undefined."""

    dst: Reg
    count: int  # type: ignore[assignment]  # hides tuple.count


@tagged
class Bswap(NamedTuple):
    """The bytes of dst reversed; with bits = 32 the low four, and the upper half becomes zero."""

    bits: int
    dst: Reg


# ---------------------------------------------------------------- memory read-modify-write


@tagged
class LockAlu(NamedTuple):
    """lock: the `size` bytes (4 or 8) at mem := them op src; op is ADD, OR, AND or XOR."""

    op: Alu
    size: int
    mem: Mem
    src: Reg


@tagged
class LockXadd(NamedTuple):
    """lock: mem, src := mem + src, mem (size 4: src is zero-extended)."""

    size: int
    mem: Mem
    src: Reg


@tagged
class Xchg(NamedTuple):
    """mem, src := src, mem, atomically (xchg with memory locks by itself; size 4: src is zero-extended)."""

    size: int
    mem: Mem
    src: Reg


@tagged
class LockCmpxchg(NamedTuple):
    """lock: if mem = rax then mem := src else rax := mem. ZF tells which. Memory is written either way.

    Size 4: when the compare fails rax is zero-extended; when it succeeds rax keeps its upper half.
    """

    size: int
    mem: Mem
    src: Reg


# ---------------------------------------------------------------- control


@tagged
class Jump(NamedTuple):
    label: Target


@tagged
class JumpIf(NamedTuple):
    cond: Cond
    label: Target


@tagged
class JumpReg(NamedTuple):
    """Go to the native address in reg."""

    reg: Reg


@tagged
class JumpMem(NamedTuple):
    """Go to the native address stored in the 8 bytes at mem."""

    mem: Mem


@tagged
class JumpTable(NamedTuple):
    """Go to the native address stored in the 8 bytes at the label (a function table slot)."""

    label: Target


@tagged
class Push(NamedTuple):
    """Host stack; trampolines only."""

    reg: Reg


@tagged
class Pop(NamedTuple):
    """Host stack; trampolines only."""

    reg: Reg


@tagged
class Ret(NamedTuple):
    """Back to the host; the exit stub only."""


@tagged
class Label(NamedTuple):
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
