"""A reference semantics whose control or r10 go astray, and an instruction set that forgets what is written."""

from __future__ import annotations

from proofs.mutants.mutant import Mutant


def _mutant(name: str, old: str, new: str, opcode: str, by: str = "validator.sound", module: str = "ebpf") -> Mutant:
    where = "validator.isa" if module == "isa" else "simulator.ebpf"
    return Mutant(f"{module}.{name}", where, old, new, (by,), f"step, opcode {opcode}")


MUTANTS = (
    _mutant("return-pc", "CallRecord(pc + 1, ", "CallRecord(pc + 2, ", "0x85", "validator.closed"),
    _mutant("callee-frame", "layout.frame_top(depth))", "layout.frame_top(depth - 1))", "0x85"),
    _mutant("caller-frame", "layout.frame_top(len(state.calls)))", "layout.frame_top(len(state.calls) + 1))", "0x95"),
    _mutant("depth", "if depth >= layout.frames:", "if depth > layout.frames:", "0x85"),
    _mutant("second-slot", "following = pc + slots(form)", "following = pc + 1", "0x18"),
    _mutant("fetched-into", "is Operation.CMPXCHG else src", "is Operation.CMPXCHG else dst", "0xdb"),
    _mutant("helper", "state.pc += 1", "state.pc += 2", "0x85", "validator.closed"),
    _mutant("call", "call_target(form, instruction, pc)), pc)", "call_target(form, instruction, pc)) + 1, pc)", "0x85"),
    _mutant("fetch-writes", "return (instruction.src,) if form.fetch else ()", "return ()", "0xdb", module="isa"),
    _mutant("writes-src", "return (instruction.dst,)\n    match", "return (instruction.src,)\n    match", "0x79",
            module="isa"),
    _mutant("fetch-writes-dst", "return (instruction.src,) if form", "return (instruction.dst,) if form", "0xdb",
            module="isa"),
    _mutant("one-slot", "return 2 if form.kind is _WIDE_IMMEDIATE else 1", "return 1", "0x18", module="isa"),
)  # fmt: skip
