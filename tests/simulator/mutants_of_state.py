"""Broken loads, stores, bounds, atomics and calls."""

from __future__ import annotations

from simulator import ebpf, memory
from tests.simulator.broken import Mutant

_SIGNED_LOAD = "value = words.sign_extend(bits, 64, words.truncate(64, bits, value))"
_CALLEE_TOP = "registers[FRAME_POINTER] = words.constant(64, layout.frame_top(depth))"
_CALLER_TOP = "registers[FRAME_POINTER] = words.constant(64, layout.frame_top(len(state.calls)))"
_RESTORE = "registers[FIRST_SAVED:END_SAVED] = record.saved"
_PUSH = "state.calls.append(CallRecord(pc + 1, tuple(registers[FIRST_SAVED:END_SAVED])))"
_LOAD_FAULT = "FaultKind.OUT_OF_BOUNDS, pc, address, size, write=False"
_LOAD_ADDRESS = "address = words.add(64, registers[src], offset)"
_FETCH = "registers[fetched_into] = old"
_CMPXCHG = "return lambda old, src, r0: words.select(64, same(old, r0), src, old)"
_LOAD_OFFSET = (
    "offset = words.constant(64, instruction.offset)\n    allowed = access_check(words, layout, size, write=False)"
)
_WRITE_FAULT = """if not allowed(registers[FRAME_POINTER], address):
            return Fault(FaultKind.OUT_OF_BOUNDS, pc, address, size, write=True)
        """
_UNALIGNED_FAULT = """if not words.equal(64, words.bit_and(64, address, misalignment), zero):
            return Fault(FaultKind.UNALIGNED_ATOMIC, pc, address, size, write=True)
        """

MUTANTS = (
    # memory
    Mutant("signed loads zero-extend", ebpf, "if form.signed:", "if False:", "load.s"),
    Mutant(
        "signed loads extend to 32 bits", ebpf, _SIGNED_LOAD, _SIGNED_LOAD.replace("(bits, 64", "(bits, 32"), "load.s1"
    ),
    Mutant("all loads sign-extend", ebpf, "if form.signed:", "if True:", "load.4"),
    Mutant(
        "stdw zero-extends its immediate",
        ebpf,
        "operand = _operand(words, form, instruction)\n    offset",
        "operand = _operand(words, form, Instruction(0, imm=instruction.imm % 2**32, src=instruction.src))\n    offset",
        "storeimm.8",
    ),
    Mutant(
        "offsets are unsigned",
        ebpf,
        _LOAD_OFFSET,
        _LOAD_OFFSET.replace("offset)", "offset % 2**16)"),
        "load.8",
    ),
    Mutant("a region is one byte longer", memory, "span.size - size + 1)", "span.size - size + 2)", "bounds.calldata8"),
    Mutant("a region is one byte shorter", memory, "span.size - size + 1)", "span.size - size)", "bounds.calldata8"),
    Mutant("a region smaller than the access is huge", memory, "if size > span.size:", "if False:", "bounds.calldata7"),
    Mutant("read-only data may be stored to", memory, "flat_regions(write)", "flat_regions(False)", "bounds.readonly"),
    Mutant(
        "a frame is one byte longer",
        memory,
        "layout.frame_bytes - size + 1)",
        "layout.frame_bytes - size + 2)",
        "bounds.frame",
    ),
    Mutant(
        "a frame is one byte shorter",
        memory,
        "layout.frame_bytes - size + 1)",
        "layout.frame_bytes - size)",
        "bounds.frame",
    ),
    Mutant(
        "the gaps between frames are memory",
        memory,
        "return bool(words.unsigned_less(64, words.bit_and(64, distance, within_stride), starts))",
        "return True",
        "calls.frames",
    ),
    Mutant(
        "frames above the current one are live",
        memory,
        "words.sub(64, frame_top, low)",
        "words.constant(64, layout.frames * layout.frame_stride)",
        "calls.frames",
    ),
    Mutant(
        "frames below the current one are dead",
        memory,
        "distance = words.sub(64, address, low)",
        "distance = words.sub(64, address, words.bit_and(64, frame_top, words.constant(64, -layout.frame_stride)))",
        "calls.frames",
    ),
    Mutant(
        "addresses have 32 bits",
        ebpf,
        _LOAD_ADDRESS,
        _LOAD_ADDRESS.replace("words.add", "words.truncate(64, 32, words.add") + ")",
        "bounds.elsewhere",
    ),
    Mutant("a fault names the next pc", ebpf, _LOAD_FAULT, _LOAD_FAULT.replace("pc,", "pc + 1,"), "bounds.frame"),
    Mutant(
        "a fault names the base", ebpf, _LOAD_FAULT, _LOAD_FAULT.replace("address,", "registers[src],"), "bounds.frame"
    ),
    # atomics
    Mutant(
        "32-bit fetches sign-extend",
        ebpf,
        _FETCH,
        "registers[fetched_into] = words.sign_extend(bits, 64, words.truncate(64, bits, old))",
        "atomic.fetch_add32",
    ),
    Mutant(
        "32-bit fetches keep the high half",
        ebpf,
        _FETCH,
        "high = words.bit_and(64, registers[fetched_into], words.constant(64, -1 << bits))\n"
        "            registers[fetched_into] = words.bit_or(64, high, old)",
        "atomic.xchg32",
    ),
    Mutant(
        "a fetch returns the new value",
        ebpf,
        _FETCH,
        "registers[fetched_into] = memory.load(address, size)",
        "atomic.fetch_or64",
    ),
    Mutant("atomics without fetch write src", ebpf, "if form.fetch:", "if True:", "atomic.xor64"),
    Mutant(
        "a failing cmpxchg leaves r0",
        ebpf,
        "if form.fetch:",
        "if form.fetch and (fetched_into == src or words.equal(64, old, registers[0])):",
        "atomic.cmpxchg64",
    ),
    Mutant(
        "cmpxchg32 compares 64 bits",
        ebpf,
        "alu.condition(words, Operation.JEQ, bits)",
        "alu.condition(words, Operation.JEQ, 64)",
        "atomic.cmpxchg32",
    ),
    Mutant("cmpxchg always stores", ebpf, _CMPXCHG, "return lambda old, src, r0: src", "atomic.cmpxchg"),
    Mutant(
        "cmpxchg returns in src", ebpf, "0 if form.operation is Operation.CMPXCHG else src", "src", "atomic.cmpxchg"
    ),
    Mutant(
        "32-bit atomics are not aligned",
        ebpf,
        "words.constant(64, size - 1), words",
        "words.constant(64, size - 1 & 4), words",
        "bounds.calldata24",
    ),
    Mutant(
        "atomics need no right to write",
        ebpf,
        "allowed = access_check(words, layout, size, write=True)\n    update",
        "allowed = access_check(words, layout, size, write=False)\n    update",
        "bounds.readonly",
    ),
    Mutant(
        "alignment is judged before bounds",
        ebpf,
        _WRITE_FAULT + _UNALIGNED_FAULT,
        _UNALIGNED_FAULT + _WRITE_FAULT,
        "bounds.calldata24",
    ),
    # calls
    Mutant("a callee shares its caller's frame", ebpf, _CALLEE_TOP, "pass", "calls.frames"),
    Mutant(
        "a callee's frame is the next but one",
        ebpf,
        _CALLEE_TOP,
        _CALLEE_TOP.replace("depth", "depth + 1"),
        "calls.frames",
    ),
    Mutant("r10 stays the callee's", ebpf, _CALLER_TOP, "pass", "calls.frames"),
    Mutant("one frame too many", ebpf, "if depth >= layout.frames:", "if depth > layout.frames:", "calls.depth"),
    Mutant("one frame too few", ebpf, "if depth >= layout.frames:", "if depth + 1 >= layout.frames:", "calls.depth"),
    Mutant("r6 to r9 are not restored", ebpf, _RESTORE, "pass", "calls.local"),
    Mutant("r9 is not restored", ebpf, "END_SAVED = 6, 10", "END_SAVED = 6, 9", "calls.local"),
    Mutant("r5 is restored", ebpf, "FIRST_SAVED, END_SAVED = 6", "FIRST_SAVED, END_SAVED = 5", "calls.local"),
    Mutant(
        "a return clears r1 to r5",
        ebpf,
        _RESTORE,
        _RESTORE + "\n        registers[1:6] = [words.constant(64, 0)] * 5",
        "calls.local",
    ),
    Mutant(
        "a callee does not see r0", ebpf, _PUSH, _PUSH + "\n        registers[0] = words.constant(64, 0)", "calls.local"
    ),
    Mutant(
        "a callee does not see r6 to r9",
        ebpf,
        _PUSH,
        _PUSH + "\n        registers[6:10] = [words.constant(64, 0)] * 4",
        "calls.local",
    ),
    Mutant("a return goes to the call", ebpf, "CallRecord(pc + 1", "CallRecord(pc", "calls.local"),
    Mutant("a return skips an instruction", ebpf, "CallRecord(pc + 1", "CallRecord(pc + 2", "calls.local"),
    Mutant("exit ends the program at any depth", ebpf, "if not state.calls:", "if True:", "calls.local"),
    Mutant("returns are first in, first out", ebpf, "state.calls.pop()", "state.calls.pop(0)", "calls"),
    Mutant(
        "a helper leaves r5",
        ebpf,
        "state.registers[1:6] = [words.constant(64, 0)] * 5",
        "state.registers[1:5] = [words.constant(64, 0)] * 4",
        "calls.helper",
    ),
    Mutant(
        "a helper clears r6",
        ebpf,
        "state.registers[1:6] = [words.constant(64, 0)] * 5",
        "state.registers[1:7] = [words.constant(64, 0)] * 6",
        "calls.helper",
    ),
    Mutant("a helper's result is lost", ebpf, "state.registers[0] = result", "pass", "calls.helper"),
)
