"""Which x86 register holds what while guest code runs. Written once; every pass and proof imports it."""

from __future__ import annotations

from enum import IntEnum


class Reg(IntEnum):
    """A general-purpose register; the value is its number in ModRM, SIB and REX (SDM 2, table 2-2)."""

    rax = 0
    rcx = 1
    rdx = 2
    rbx = 3
    rsp = 4
    rbp = 5
    rsi = 6
    rdi = 7
    r8 = 8
    r9 = 9
    r10 = 10
    r11 = 11
    r12 = 12
    r13 = 13
    r14 = 14
    r15 = 15


# eBPF r0 .. r10. r6 to r9 and r10 live in registers that the host's ABI preserves.
GUEST: tuple[Reg, ...] = (
    Reg.rax,
    Reg.rdi,
    Reg.rsi,
    Reg.rdx,
    Reg.r10,
    Reg.r8,
    Reg.rbx,
    Reg.r12,
    Reg.r13,
    Reg.r14,
    Reg.r15,
)
FRAME = GUEST[10]  # guest address of the top of the current frame
CAGE = Reg.rbp  # native address of guest address 0
COUNT = Reg.rcx  # scratch: shift counts, divisors, shadow-stack offsets
CHECKED = Reg.r11  # scratch: the address that a check approved, clamped
SCRATCH = (COUNT, CHECKED)  # r9 is not in use

HOST_SAVED = (Reg.rbx, Reg.rbp, Reg.r12, Reg.r13, Reg.r14, Reg.r15)  # System V AMD64 ABI, section 3.2.1
