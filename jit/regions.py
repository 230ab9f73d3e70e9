"""Guesses which region each memory access of a program goes to.

Input: a validated program. Output: for each pc of a memory access the region that its base register points into, or
None where that is not known. Decides nothing that matters for safety or for meaning: a wrong guess makes the access
leave for the interpreter, which is slow; None makes it probe every region. So the analysis is untrusted, optimistic
where C code is, and simple: provenance follows moves and additions, 8-byte spills to the frame, and arguments of
local calls. Forward sweeps over a function, repeated from where a backward edge brought something new.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from jit.layout import Layout, Region
from validator.isa import (
    FRAME_POINTER,
    Form,
    Instruction,
    Kind,
    Operation,
    Source,
    call_target,
    falls_through,
    jump_target,
)
from validator.validate import Function, Validated

Provenance = Region | None
Hints = dict[int, Provenance]
_Call = tuple[int, list[Provenance]]  # pc of the callee, what it gets in r1 to r5
_ARGUMENTS = range(1, 6)
_SWEEPS = 16  # of one function; code from compilers needs two or three, and hostile code gets no more
_SPILLS = 64  # remembered at one place: every label keeps a copy


@dataclass(slots=True)
class _State:
    """What is known at one place: provenance by register, and by frame offset for spilled pointers."""

    registers: list[Provenance]
    spilled: dict[int, Provenance] = field(default_factory=dict)

    def copy(self) -> _State:
        return _State(self.registers.copy(), self.spilled.copy())

    def merge(self, other: _State) -> bool:
        """Forget what `other` does not confirm; whether anything was forgotten."""
        if self.registers == other.registers and self.spilled == other.spilled:
            return False  # mostly
        changed = False
        for i, (mine, theirs) in enumerate(zip(self.registers, other.registers, strict=True)):
            if mine is not None and mine is not theirs:
                self.registers[i] = None
                changed = True
        for offset in [o for o, region in self.spilled.items() if other.spilled.get(o) is not region]:
            del self.spilled[offset]
            changed = True
        return changed


def guess(program: Validated, layout: Layout) -> Hints:
    """The guess for each memory access that is reachable from the entries; accesses elsewhere are not in the result."""
    by_start = {function.start: function for function in program.functions}
    arguments: dict[int, list[Provenance]] = {}
    pending: list[int] = []
    for entry in program.entries:
        arguments[entry] = [Region.CALLDATA if layout.calldata.size else None, None, None, None, None]
        pending.append(entry)
    hints: dict[int, Hints] = {}
    while pending:
        start = pending.pop()
        found, calls = _sweep(program, by_start[start], arguments[start], layout)
        hints[start] = found
        for target, passed in calls:
            known = arguments.get(target)
            if known is None:
                arguments[target] = passed
                pending.append(target)
                continue
            merged = [mine if mine is theirs else None for mine, theirs in zip(known, passed, strict=True)]
            if merged != known:
                arguments[target] = merged
                pending.append(target)
    return {pc: region for found in hints.values() for pc, region in found.items()}


def _sweep(
    program: Validated, function: Function, arguments: list[Provenance], layout: Layout
) -> tuple[Hints, list[_Call]]:
    at_label = {function.start: _State([None, *arguments, None, None, None, None, _STACK])}
    hints: Hints = {}
    calls: dict[int, _Call] = {}
    start = function.start
    for _ in range(_SWEEPS):
        changed = _sweep_once(program, start, function.end, layout, at_label, hints, calls)
        if changed is None:
            return hints, list(calls.values())
        start = changed
    nothing: list[Provenance] = [None] * 5
    return {}, [(callee, nothing.copy()) for callee in _callees(program, function)]


def _callees(program: Validated, function: Function) -> Iterator[int]:
    for pc in range(function.start, function.end):
        form, instruction = program.forms[pc], program.program[pc]
        if form is not None and instruction is not None:
            callee = call_target(form, instruction, pc)
            if callee is not None:
                yield callee


def _sweep_once(
    program: Validated,
    start: int,
    end: int,
    layout: Layout,
    at_label: dict[int, _State],
    hints: Hints,
    calls: dict[int, _Call],
) -> int | None:
    """One pass over [start, end), in program order, from what is known at `start`.

    The first pc to which a backward edge brought something new, or None: nothing before it can change any more.
    """
    state: _State | None = at_label[start].copy()
    changed_first: int | None = None
    instructions, forms, targets = program.program, program.forms, program.targets
    for pc in range(start, end):
        form, instruction = forms[pc], instructions[pc]
        if form is None or instruction is None:
            continue
        if pc in targets:
            label = at_label.get(pc)
            if label is None:
                if state is not None:
                    at_label[pc] = state.copy()
            else:
                if state is not None:
                    label.merge(state)
                state = label.copy()
        if state is None:
            continue  # not reached, or only by an edge from behind that this sweep has not met
        kind = form.kind
        if kind is _ALU:  # most are
            registers, dst = state.registers, instruction.dst
            if registers[dst] is not None or registers[instruction.src] is not None or form.operation is _MOV:
                registers[dst] = _computed(form, instruction, registers, layout)  # else nothing comes of nothing
            continue
        if kind in _JUMPS:
            target = jump_target(form, instruction, pc)
            assert target is not None
            known = at_label.get(target)
            if known is None:
                at_label[target] = state.copy()
            changed = known is None or known.merge(state)
            if changed and target <= pc and (changed_first is None or target < changed_first):
                changed_first = target
            if not falls_through(form):
                state = None
            continue
        if kind is _CALL_LOCAL:
            callee = call_target(form, instruction, pc)
            assert callee is not None
            calls[pc] = callee, state.registers[1:6]
        _transfer(state, form, instruction, layout, hints, pc)
        if kind is _EXIT:
            state = None
    return changed_first


# Every instruction is looked at two or three times, and to look a member up in its class takes 0.07 us.
_JUMPS: Final = frozenset((Kind.JUMP, Kind.BRANCH))
_CALL_LOCAL: Final = Kind.CALL_LOCAL
_EXIT: Final = Kind.EXIT
_ALU: Final = Kind.ALU
_LOAD: Final = Kind.LOAD
_STORE: Final = Kind.STORE
_MOV: Final = Operation.MOV
_ADD: Final = Operation.ADD
_REG: Final = Source.REG
_STACK: Final = Region.STACK


def _transfer(
    state: _State, form: Form, instruction: Instruction, layout: Layout, hints: Hints, pc: int
) -> None:
    """Neither arithmetic nor a jump: those are in the loop."""
    registers = state.registers
    dst, src = instruction.dst, instruction.src
    kind = form.kind
    if kind is _LOAD:
        hints[pc] = registers[src]
        framed = src == FRAME_POINTER and form.size == 8
        registers[dst] = state.spilled.get(instruction.offset) if framed else None
    elif kind is _STORE:
        hints[pc] = registers[dst]
        if dst == FRAME_POINTER:
            _spill(state, form, instruction)
        elif registers[dst] is _STACK and form.size == 8:
            state.spilled.clear()  # anything narrower is no pointer
    else:
        _transfer_rare(state, form, instruction, layout, hints, pc)


def _transfer_rare(
    state: _State, form: Form, instruction: Instruction, layout: Layout, hints: Hints, pc: int
) -> None:
    registers = state.registers
    dst, src = instruction.dst, instruction.src
    match form.kind:
        case Kind.WIDE_IMMEDIATE:
            registers[dst] = _named(instruction.imm, layout)
        case Kind.ATOMIC:
            hints[pc] = registers[dst]
            if registers[dst] is Region.STACK:
                state.spilled.clear()
            if form.operation is Operation.CMPXCHG:
                registers[0] = None
            elif form.fetch:
                registers[src] = None
        case Kind.CALL_HELPER | Kind.CALL_LOCAL:
            if _STACK in registers[1:6]:
                state.spilled.clear()  # else the callee has no pointer to this frame, or got it in a way C seldom goes
            for register in (0, *_ARGUMENTS):
                registers[register] = None
        case Kind.NEGATE | Kind.SIGN_EXTEND | Kind.BYTE_ORDER:
            registers[dst] = None


def _spill(state: _State, form: Form, instruction: Instruction) -> None:
    offset = instruction.offset
    if state.spilled:
        for overwritten in range(offset - 7, offset + form.size):
            state.spilled.pop(overwritten, None)
    if len(state.spilled) == _SPILLS:
        return
    if form.size == 8 and form.source is _REG and state.registers[instruction.src] is not None:
        state.spilled[offset] = state.registers[instruction.src]


def _named(value: int, layout: Layout) -> Provenance:
    """The data region that a constant points into, one past its end included."""
    for region in (Region.READ_ONLY, Region.WRITABLE):
        span = layout.span(region)
        if span.size and span.low <= value <= span.low + span.size:
            return region
    return None


def _computed(form: Form, instruction: Instruction, registers: list[Provenance], layout: Layout) -> Provenance:
    if form.bits == 32:
        return None
    operation = form.operation
    operand = registers[instruction.src] if form.source is _REG else None
    if operation is _MOV:
        return operand if form.source is _REG else _named(instruction.imm, layout)
    before = registers[instruction.dst]
    if operation is _ADD:
        if before is None or operand is None:
            return operand if before is None else before
        return None
    if before is None:
        return None
    if operation is Operation.SUB and operand is None:
        return before
    if operation is Operation.AND and form.source is Source.IMM and instruction.imm < 0:
        return before  # aligning a pointer downward
    return None
