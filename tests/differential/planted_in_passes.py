"""Mistakes for passes, macros, the reference semantics and the runtime to make; and the engine that shows each.

What native code refuses, the reference semantics executes: so one that allows too much agrees with itself, and is
found by what `differential.programs.rights` says of it. Of the mistakes of the runtime, none leads a processor astray:
the code is as it should be, what is kept of a guest is not.
"""

from __future__ import annotations

from jit import fuse, group, layout, lower
from jit.macros import atomics, control, division
from jit.macros import memory as memory_macros
from runtime import activation, guest, snapshot
from simulator import alu, ebpf, memory
from tests.simulator.broken import Mutant

SIMULATOR, TURNS = "simulator", "turns"

PASSES = (
    Mutant(
        "32-bit moves keep the high half",
        lower,
        "return (Move(32, dst, dst),) if bits == 32 else ()",
        "return ()",
        SIMULATOR,
    ),
    Mutant("shift counts are masked to 31", lower, "count = imm & (bits - 1)", "count = imm & 31", SIMULATOR),
    Mutant("smod is sdiv", lower, "operation is Operation.SMOD, dst, imm)", "operation is Operation.SDIV, dst, imm)",
           SIMULATOR),
    Mutant(
        "ja32 jumps by its offset",
        lower,
        "i.imm if form.bits == 32 else i.offset",
        "i.offset if form.bits == 32 else i.imm",
        SIMULATOR,
    ),
    Mutant("shared checks forget the lowest access", group, "min(current.low, low)", "current.low", SIMULATOR),
    Mutant("shared checks go on when the base changes", group, "current.base in registers_written(form, instruction)",
           "current.low > current.high", SIMULATOR),
    Mutant("sums of 32 bits are fused", fuse,
           "(64, 64) or second.dst != first.dst:\n        return None\n    assert",
           "(64, second.bits) or second.dst != first.dst:\n        return None\n    assert", SIMULATOR),
)  # fmt: skip

MACROS = (
    Mutant("regions are one byte longer", memory_macros, "CHECKED, region_size - size))",
           "CHECKED, region_size - size + 1))", SIMULATOR),
    Mutant("frames are one byte longer", memory_macros, "COUNT, layout.frame_bytes - size)",
           "COUNT, layout.frame_bytes - size + 1)", SIMULATOR),
    Mutant("atomics may be half aligned", memory_macros, "TestImm(32, CHECKED, self.size - 1)",
           "TestImm(32, CHECKED, self.size // 2 - 1)", SIMULATOR),
    Mutant("zero is another divisor", division, "JumpIf(Cond.E, _ZERO)", "JumpIf(Cond.NE, _ZERO)", SIMULATOR),
    Mutant("dividing by -1 negates 32 bits", division, "else Neg(bits, Reg.rax)", "else Neg(32, Reg.rax)", SIMULATOR),
    Mutant("remainders are quotients", division,
           "*_deliver(self.bits, self.dst, Reg.rdx if self.remainder else Reg.rax)",
           "*_deliver(self.bits, self.dst, Reg.rax)", SIMULATOR),
    Mutant("32-bit compare-and-exchange keeps the high half", atomics,
           "return (exchange, MovReg(32, Reg.rax, Reg.rax))", "return (exchange,)", SIMULATOR),
    Mutant("saved registers change places", control, "Load(8, reg, Mem(record + SAVED + 8 * i, COUNT))",
           "Load(8, reg, Mem(record + SAVED + 8 * (3 - i), COUNT))", SIMULATOR),
    Mutant("polls count double", control, "AluImm8(Alu.SUB, 32, COUNT, 1)", "AluImm8(Alu.SUB, 32, COUNT, 2)",
           SIMULATOR),
    Mutant("calls exhaust one frame later", control, "layout.frame_top(layout.frames - 1)",
           "layout.frame_top(layout.frames)", SIMULATOR),
    Mutant("waiting guests are behind their call", control, "StoreImm(4, Mem(PC), PcPlus(0))",
           "StoreImm(4, Mem(PC), PcPlus(1))", SIMULATOR),
)  # fmt: skip

SEMANTICS = (
    Mutant("x / 0 is x", alu, "        return zero\n    return words.unsigned_div",
           "        return a\n    return words.unsigned_div", SIMULATOR),
    Mutant("less-or-equal is less", alu, "return lambda a, b: not words.unsigned_less(bits, b, a)",
           "return partial(words.unsigned_less, bits)", SIMULATOR),
    Mutant("32-bit results are sign-extended", alu, "return words.zero_extend(32, 64, operate(",
           "return words.sign_extend(32, 64, operate(", SIMULATOR),
    Mutant("signed loads zero-extend", ebpf, "if form.signed:", "if False:", SIMULATOR),
    Mutant("a region is one byte shorter", memory, "span.size - size + 1)", "span.size - size)", SIMULATOR),
)  # fmt: skip

RUNTIME = (
    Mutant("the interpreter calls a helper again", guest, "            state.pc += 1\n", "", TURNS),
    Mutant("the interpreter forgets where it was", activation, "    context.pc = state.pc\n", "", TURNS),
    Mutant("calls lose what they saved", activation,
           "self.quads[at + SAVED // 8 + i] = value", "self.quads[at + SAVED // 8 + i] = 0", TURNS),
    Mutant("snapshots have no calldata", snapshot,
           "for region in (Region.WRITABLE, Region.CALLDATA):\n        span = layout.span(region)\n        yield",
           "for region in (Region.WRITABLE,):\n        span = layout.span(region)\n        yield", TURNS),
    Mutant("snapshots have the entry frame only", snapshot, "for depth in range(layout.frames):",
           "for depth in range(1):", TURNS),
    Mutant("restored guests have new data", snapshot, "        memory[address : address + PAGE] = page\n",
           "        memory[address : address + PAGE] = bytes(PAGE)\n", TURNS),
)  # fmt: skip

RIGHTS = (
    Mutant("a region is one byte longer", memory, "span.size - size + 1)", "span.size - size + 2)", SIMULATOR),
    Mutant("frames of the semantics are one byte longer", memory, "layout.frame_bytes - size + 1)",
           "layout.frame_bytes - size + 2)", SIMULATOR),
    Mutant("frames that returned are live", memory, "words.sub(64, frame_top, low)):",
           "words.constant(64, layout.frames * layout.frame_stride)):", SIMULATOR),
    Mutant(
        "the callers' frames are not live",
        memory,
        "distance = words.sub(64, address, low)\n        if not",
        "distance = words.sub(64, address, words.sub(64, frame_top, words.constant(64, layout.frame_bytes)))\n"
        "        if not",
        SIMULATOR,
    ),
    Mutant("read-only data may be written, everywhere", layout, "return _STORED if write else _LOADED",
           "return _LOADED", SIMULATOR),
    Mutant("helpers reach one byte further", layout, "span.size - size\n\n\ndef in_live_frame",
           "span.size - size + 1\n\n\ndef in_live_frame", SIMULATOR),
    Mutant(
        "helpers may write what is read-only",
        layout,
        "for region in flat_regions(write):\n        span = layout.span(region)",
        "for region in flat_regions(False):\n        span = layout.span(region)",
        SIMULATOR,
    ),
    Mutant(
        "stores that fault are loads",
        ebpf,
        "size, write=True)\n        state.memory.store",
        "size, write=False)\n        state.memory.store",
        SIMULATOR,
    ),
    Mutant("unaligned atomics name another address", ebpf, "Fault(FaultKind.UNALIGNED_ATOMIC, pc, address, size",
           "Fault(FaultKind.UNALIGNED_ATOMIC, pc, words.constant(64, 0), size", SIMULATOR),
    Mutant("helpers see frames that returned", layout, "layout.stack_low <= address < frame_top:",
           "layout.stack_low <= address < layout.frame_top(layout.frames):", SIMULATOR),
)  # fmt: skip

PLANTED = RIGHTS + PASSES + MACROS + SEMANTICS + RUNTIME
