"""The ways into guest code and out of it, as x86 instructions like everything else.

    start          a new activation: r1, r2 and r10 from the context, every other guest register zero
    resume         all guest registers from the context
    resume_called  behind a helper call: r0 and r6 to r10 from the context, r1 to r5 zero
    leave(reason)  guest registers to the context, the host's registers back, `reason` in eax

An entry is a C function of two arguments, `(cage base, native address to go to)`, that returns an `Exit`. Guest code
never moves rsp, so whatever an entry pushed lies where an exit expects it. Trusted by the runtime; theorem
host.trampoline is about these very tuples.
"""

from __future__ import annotations

from collections.abc import Iterable

from jit.context import Exit, register_offset
from jit.registers import CAGE, CHECKED, GUEST, HOST_SAVED, Reg
from jit.x86 import X86, Alu, AluReg, JumpReg, Load, Mem, MovImm32, MovReg, Pop, Push, Ret, Store

_BASE, _TARGET = Reg.rdi, Reg.rsi  # the first two integer arguments (System V AMD64 ABI, section 3.2.3)


def _enter(restored: Iterable[int]) -> tuple[X86, ...]:
    restored = tuple(restored)
    return (
        *(Push(reg) for reg in HOST_SAVED),
        MovReg(64, CAGE, _BASE),
        MovReg(64, CHECKED, _TARGET),
        *(
            Load(8, reg, Mem(register_offset(number))) if number in restored else AluReg(Alu.XOR, 32, reg, reg)
            for number, reg in enumerate(GUEST)
        ),
        JumpReg(CHECKED),
    )


START = _enter((1, 2, 10))
RESUME = _enter(range(11))
RESUME_CALLED = _enter((0, 6, 7, 8, 9, 10))


def leave(reason: Exit) -> tuple[X86, ...]:
    """The exit stub for `reason`."""
    return (
        *(Store(8, Mem(register_offset(number)), reg) for number, reg in enumerate(GUEST)),
        MovImm32(Reg.rax, reason),
        *(Pop(reg) for reg in reversed(HOST_SAVED)),
        Ret(),
    )
