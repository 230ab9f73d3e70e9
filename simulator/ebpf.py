"""What an eBPF program does: the reference semantics, over any domain of words.

Decides, for an instruction that the validator accepted: the next state, or the event that ends the run. On an event
the state is as before the instruction, pc included, so that a fault can be reported and a call or poll resumed.

    fault       an access outside `jit.layout.may_access`; an atomic that is not naturally aligned (bounds are judged
                first, and as for a store even if nothing would be stored); a local call at the deepest frame
    local call  saves r6 to r9 and the return pc and moves r10 one frame on. The callee sees all other registers as
                they are; at its exit r6 to r9 and r10 come back, r0 to r5 stay as the callee left them
    poll        `run` counts fuel wherever `validator.polls` says, before the instruction

Trusts the validator (forms, targets, r10 is never a destination), the layout, and the domain. Trusted by the
runtime as its fallback engine and by theorem isa.refines as the meaning that native code must have.

Source: RFC 9669 sections 4 and 5; local calls and r10: section 4.3 and the Linux calling convention.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from itertools import repeat
from typing import Generic, TypeAlias

from jit.layout import Layout
from simulator import alu
from simulator.memory import Memory, access_check
from simulator.words import W, Words
from validator.isa import (
    FRAME_POINTER,
    Form,
    Instruction,
    Kind,
    Operation,
    Source,
    call_target,
    jump_target,
    slots,
)
from validator.polls import poll_pcs
from validator.validate import Validated

FIRST_SAVED, END_SAVED = 6, 10  # a local call preserves r6 to r9


@dataclass(frozen=True, slots=True)
class CallRecord(Generic[W]):
    """What a local call saves: where its caller goes on, and the caller's r6 to r9."""

    return_pc: int
    saved: tuple[W, ...]


@dataclass(slots=True)
class State(Generic[W]):
    """A guest between two instructions. Mutable; the memory is shared with whoever made it."""

    registers: list[W]  # r0 to r10, 64 bits each
    memory: Memory[W]
    pc: int = 0
    calls: list[CallRecord[W]] = field(default_factory=list)


class FaultKind(Enum):
    """Why an instruction may not be executed; the value is the sentence for people."""

    OUT_OF_BOUNDS = "access outside the guest's memory"
    UNALIGNED_ATOMIC = "atomic access that is not naturally aligned"
    STACK_EXHAUSTED = "call depth exceeds the number of frames"


@dataclass(frozen=True, slots=True)
class Finished(Generic[W]):
    """`exit` in the entry frame; `value` is r0."""

    value: W


@dataclass(frozen=True, slots=True)
class HelperCall:
    """The call at `pc` wants helper `number`; go on with `finish_helper`."""

    pc: int
    number: int


@dataclass(frozen=True, slots=True)
class Preempted:
    """The poll at `pc` found no fuel. Running on from here polls again."""

    pc: int


@dataclass(frozen=True, slots=True)
class Paused:
    """The step limit was reached before `pc`, and before its poll."""

    pc: int


@dataclass(frozen=True, slots=True)
class Fault(Generic[W]):
    """The instruction at `pc` must not be executed. A STACK_EXHAUSTED fault has no address."""

    kind: FaultKind
    pc: int
    address: W | None = None
    size: int = 0
    write: bool = False


Event: TypeAlias = Finished[W] | HelperCall | Preempted | Paused | Fault[W]
Action: TypeAlias = Callable[[State[W]], Event[W] | None]


# ---------------------------------------------------------------- programs


@dataclass(frozen=True, slots=True)
class Prepared(Generic[W]):
    """A program with the meaning of each instruction looked up: index both by pc."""

    actions: tuple[Action[W], ...]
    polls: tuple[bool, ...]


def prepare(words: Words[W], validated: Validated, layout: Layout) -> Prepared[W]:
    polls = poll_pcs(validated)
    pcs = range(len(validated.program))
    return Prepared(
        actions=tuple(action_at(words, validated, layout, pc) for pc in pcs),
        polls=tuple(pc in polls for pc in pcs),
    )


def action_at(words: Words[W], validated: Validated, layout: Layout, pc: int) -> Action[W]:
    form, instruction = validated.forms[pc], validated.program[pc]
    if form is None or instruction is None:
        return _unreachable
    return meaning(words, layout, form, instruction, pc)


def _unreachable(state: State[W]) -> Event[W] | None:
    raise AssertionError(f"pc {state.pc} is the second slot of an lddw: the validator lets nothing jump there")


def initial_state(words: Words[W], layout: Layout, memory: Memory[W], pc: int, arguments: tuple[W, W]) -> State[W]:
    """A guest about to enter the function at `pc`: `arguments` in r1 and r2, r10 set, all other registers zero."""
    zero = words.constant(64, 0)
    registers = [zero, *arguments, *[zero] * 7, words.constant(64, layout.frame_top(0))]
    return State(registers, memory, pc)


def step(words: Words[W], validated: Validated, layout: Layout, state: State[W]) -> Event[W] | None:
    """Execute the instruction at state.pc, without its poll."""
    return action_at(words, validated, layout, state.pc)(state)


def run(prepared: Prepared[W], state: State[W], fuel: int, steps: int | None = None) -> tuple[Event[W], int]:
    """Execute until an event, at most `steps` instructions; with the event comes the fuel left.

    The fuel left is the context's fuel word in native code: each poll decrements it first, then preempts if it is
    negative. So fuel n passes n polls, and Preempted comes with -1.
    """
    actions, polls = prepared.actions, prepared.polls
    for _ in repeat(None) if steps is None else repeat(None, steps):
        pc = state.pc
        if polls[pc]:
            fuel -= 1
            if fuel < 0:
                return Preempted(pc), fuel
        event = actions[pc](state)
        if event is not None:
            return event, fuel
    return Paused(state.pc), fuel


def finish_helper(words: Words[W], state: State[W], result: W) -> None:
    """Return `result` from the helper call at state.pc. A helper leaves nothing in r1 to r5."""
    state.registers[0] = result
    state.registers[1:6] = [words.constant(64, 0)] * 5
    state.pc += 1


# ---------------------------------------------------------------- instructions


def meaning(words: Words[W], layout: Layout, form: Form, instruction: Instruction, pc: int) -> Action[W]:
    """What `instruction` at `pc` does. Everything that its fields decide is decided here, once."""
    dst, src = instruction.dst, instruction.src
    following = pc + slots(form)
    match form.kind:
        case Kind.ALU:
            return _alu(words, form, instruction, following)
        case Kind.NEGATE:
            return _unary(alu.negation(words, form.bits), dst, dst, following)
        case Kind.SIGN_EXTEND:
            return _unary(alu.sign_extension(words, form.bits, form.to_bits), dst, src, following)
        case Kind.BYTE_ORDER:
            return _unary(alu.byte_order(words, form.operation, form.bits), dst, dst, following)
        case Kind.WIDE_IMMEDIATE:
            value = words.constant(64, instruction.imm)
            return _unary(lambda _: value, dst, dst, following)
        case Kind.LOAD:
            return _load(words, layout, form, instruction, pc)
        case Kind.STORE:
            return _store(words, layout, form, instruction, pc)
        case Kind.ATOMIC:
            return _atomic(words, layout, form, instruction, pc)
        case Kind.JUMP:
            return _jump(_target(jump_target(form, instruction, pc)))
        case Kind.BRANCH:
            return _branch(words, form, instruction, _target(jump_target(form, instruction, pc)), following)
        case Kind.CALL_HELPER:
            call = HelperCall(pc, instruction.imm)
            return lambda state: call
        case Kind.CALL_LOCAL:
            return _call_local(words, layout, _target(call_target(form, instruction, pc)), pc)
        case Kind.EXIT:
            return _exit(words, layout)


def _target(pc: int | None) -> int:
    assert pc is not None
    return pc


def _operand(words: Words[W], form: Form, instruction: Instruction) -> Callable[[list[W]], W]:
    """Registers -> the second operand: a register, or the immediate sign-extended to 64 bits."""
    if form.source is Source.REG:
        src = instruction.src
        return lambda registers: registers[src]
    value = words.constant(64, instruction.imm)
    return lambda registers: value


def _alu(words: Words[W], form: Form, instruction: Instruction, following: int) -> Action[W]:
    operate = alu.arithmetic(words, form.operation, form.bits)
    dst, operand = instruction.dst, _operand(words, form, instruction)

    def act(state: State[W]) -> None:
        registers = state.registers
        registers[dst] = operate(registers[dst], operand(registers))
        state.pc = following

    return act


def _unary(operate: Callable[[W], W], dst: int, src: int, following: int) -> Action[W]:
    def act(state: State[W]) -> None:
        registers = state.registers
        registers[dst] = operate(registers[src])
        state.pc = following

    return act


def _load(words: Words[W], layout: Layout, form: Form, instruction: Instruction, pc: int) -> Action[W]:
    """dst := the bytes at src + offset, extended to 64 bits."""
    dst, src, size, bits = instruction.dst, instruction.src, form.size, 8 * form.size
    offset = words.constant(64, instruction.offset)
    allowed = access_check(words, layout, size, write=False)

    def act(state: State[W]) -> Event[W] | None:
        registers = state.registers
        address = words.add(64, registers[src], offset)
        if not allowed(registers[FRAME_POINTER], address):
            return Fault(FaultKind.OUT_OF_BOUNDS, pc, address, size, write=False)
        value = state.memory.load(address, size)
        if form.signed:
            value = words.sign_extend(bits, 64, words.truncate(64, bits, value))
        registers[dst] = value
        state.pc = pc + 1
        return None

    return act


def _store(words: Words[W], layout: Layout, form: Form, instruction: Instruction, pc: int) -> Action[W]:
    """The bytes at dst + offset := the low bytes of the operand."""
    dst, size = instruction.dst, form.size
    operand = _operand(words, form, instruction)
    offset = words.constant(64, instruction.offset)
    allowed = access_check(words, layout, size, write=True)

    def act(state: State[W]) -> Event[W] | None:
        registers = state.registers
        address = words.add(64, registers[dst], offset)
        if not allowed(registers[FRAME_POINTER], address):
            return Fault(FaultKind.OUT_OF_BOUNDS, pc, address, size, write=True)
        state.memory.store(address, size, operand(registers))
        state.pc = pc + 1
        return None

    return act


def _atomic(words: Words[W], layout: Layout, form: Form, instruction: Instruction, pc: int) -> Action[W]:
    """The bytes at dst + offset := their update by src (RFC 9669 section 5.3); the old value goes to src or r0."""
    dst, src, size, bits = instruction.dst, instruction.src, form.size, form.bits
    offset = words.constant(64, instruction.offset)
    misalignment, zero = words.constant(64, size - 1), words.constant(64, 0)
    allowed = access_check(words, layout, size, write=True)
    update = _atomic_update(words, form.operation, bits)
    fetched_into = 0 if form.operation is Operation.CMPXCHG else src

    def act(state: State[W]) -> Event[W] | None:
        registers, memory = state.registers, state.memory
        address = words.add(64, registers[dst], offset)
        if not allowed(registers[FRAME_POINTER], address):
            return Fault(FaultKind.OUT_OF_BOUNDS, pc, address, size, write=True)
        if not words.equal(64, words.bit_and(64, address, misalignment), zero):
            return Fault(FaultKind.UNALIGNED_ATOMIC, pc, address, size, write=True)
        old = memory.load(address, size)
        memory.store(address, size, update(old, registers[src], registers[0]))
        if form.fetch:
            registers[fetched_into] = old
        state.pc = pc + 1
        return None

    return act


def _atomic_update(words: Words[W], operation: Operation, bits: int) -> Callable[[W, W, W], W]:
    """(old, src, r0) -> the value to store; at 32 bits its high half is ignored."""
    match operation:
        case Operation.XCHG:
            return lambda old, src, r0: src
        case Operation.CMPXCHG:
            same = alu.condition(words, Operation.JEQ, bits)
            return lambda old, src, r0: words.select(64, same(old, r0), src, old)
        case _:
            operate = alu.arithmetic(words, operation, bits)
            return lambda old, src, r0: operate(old, src)


def _jump(target: int) -> Action[W]:
    def act(state: State[W]) -> None:
        state.pc = target

    return act


def _branch(words: Words[W], form: Form, instruction: Instruction, target: int, following: int) -> Action[W]:
    taken = alu.condition(words, form.operation, form.bits)
    dst, operand = instruction.dst, _operand(words, form, instruction)

    def act(state: State[W]) -> None:
        registers = state.registers
        state.pc = target if taken(registers[dst], operand(registers)) else following

    return act


def _call_local(words: Words[W], layout: Layout, target: int, pc: int) -> Action[W]:
    exhausted: Event[W] = Fault(FaultKind.STACK_EXHAUSTED, pc)

    def act(state: State[W]) -> Event[W] | None:
        depth = len(state.calls) + 1  # of the callee
        if depth >= layout.frames:
            return exhausted
        registers = state.registers
        state.calls.append(CallRecord(pc + 1, tuple(registers[FIRST_SAVED:END_SAVED])))
        registers[FRAME_POINTER] = words.constant(64, layout.frame_top(depth))
        state.pc = target
        return None

    return act


def _exit(words: Words[W], layout: Layout) -> Action[W]:
    def act(state: State[W]) -> Event[W] | None:
        registers = state.registers
        if not state.calls:
            return Finished(registers[0])
        record = state.calls.pop()
        registers[FIRST_SAVED:END_SAVED] = record.saved
        registers[FRAME_POINTER] = words.constant(64, layout.frame_top(len(state.calls)))
        state.pc = record.return_pc
        return None

    return act
