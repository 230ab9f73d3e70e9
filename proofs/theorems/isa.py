"""isa.refines: native code computes what the reference semantics says.

For every form that the validator knows. The immediate, the offset and all register contents are symbolic; `lower` runs
on the symbolic instruction, so that each of its choices is a path of its own.

Not registered yet: not all forms have been decided, and the runs of `jit.fuse` and shared checks have no cases.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import z3

from jit.context import PC, RETURN_NATIVE, RETURN_PC, SAVED, Exit, record_offset
from jit.layout import Layout
from jit.x86 import Ahead, Callee, Leave, Stub
from proofs.gate import as_int
from proofs.layouts import LAYOUTS, Assumed, assumed
from proofs.machine import BEHIND, Fetched, Unknown
from proofs.refinement import Both, Step, both, looks_at_layout, steps
from proofs.symbolic import Int, condition_of
from proofs.theorem import Case, Obligation
from simulator.ebpf import Fault, Finished, HelperCall
from validator.isa import ROWS, Kind, Row

Claims = Iterator[tuple[str, z3.BoolRef]]
_REFUSED = z3.BoolVal(False)


def claims(step: Step, ran: Both, given: Assumed) -> Claims:
    """The two sides agree, or the interpreter is asked to execute the instruction and finds it as it was."""
    yield "preconditions", z3.And(*ran.needed, z3.BoolVal(True))
    if isinstance(ran.left, Leave) and ran.left.exit is Exit.INTERPRET:
        yield "the interpreter finds the state untouched", _untouched(ran)
    elif isinstance(ran.event, Fault):
        yield f"a fault is left to the interpreter, not {ran.left}", _REFUSED
    elif isinstance(ran.event, HelperCall):
        stored = ran.memory.context.get((PC, 4), z3.BitVecVal(-1, 64))
        yield "the host finds the call's pc", stored == step.pc.word(64)
        yield "goes to the host", z3.And(_to_stub(ran, Exit.HELPER), _untouched(ran))
    elif isinstance(ran.event, Finished):
        yield "finishes", z3.And(_to_stub(ran, Exit.FINISHED), ran.native[0] == ran.event.value)
    else:
        for number, (mine, meant) in enumerate(zip(ran.native, ran.reference.registers, strict=True)):
            yield f"r{number}", mine == meant
        yield "memory", _same_memory(ran, given)
        yield "control", _same_control(step, ran, given)


def _to_stub(ran: Both, exit: Exit) -> z3.BoolRef:
    return z3.BoolVal(isinstance(ran.left, Stub) and ran.left.exit is exit)


def _untouched(ran: Both) -> z3.BoolRef:
    same = [mine == before for mine, before in zip(ran.native, ran.before, strict=True)]
    return z3.And(*same, z3.BoolVal(not any(event.write for event in ran.memory.events)))


def _same_memory(ran: Both, given: Assumed) -> z3.BoolRef:
    """The same bytes in the same order."""
    mine, meant = ran.memory.events, ran.reference.memory.events  # type: ignore[attr-defined]
    if isinstance(ran.left, Fetched):
        mine = [event for event in mine if event.address.get_id() != ran.left.source.get_id()]  # the table slot
    if [(e.size, e.write) for e in mine] != [(e.size, e.write) for e in meant]:
        return _REFUSED
    pairs = list(zip(mine, meant, strict=True))
    return z3.And(
        *(a.address == given.base + b.address for a, b in pairs), *(a.value == b.value for a, b in pairs), True
    )


def _same_control(step: Step, ran: Both, given: Assumed) -> z3.BoolRef:
    pc = step.pc
    after: Int = as_int(ran.reference.pc)
    if ran.left == BEHIND:
        return condition_of(after == pc + (2 if step.form.kind is Kind.WIDE_IMMEDIATE else 1))
    if isinstance(ran.left, Ahead):
        return condition_of(after == pc + ran.left.distance)
    if not isinstance(ran.left, Fetched) or step.depth is None:
        return _REFUSED
    if step.form.kind is Kind.EXIT:
        record = record_offset(given.layout, step.depth - 1)
        return z3.And(ran.left.source == given.base + (record + RETURN_NATIVE), condition_of(after == step.depth - 1))
    callee = [leave for leave in ran.macros[-1].contract().leaves if isinstance(leave, Callee)]
    entered = z3.And(
        ran.left.source == Unknown(pc).address(callee[0]), condition_of(after == pc + callee[0].distance)
    )
    record, saved = record_offset(given.layout, step.depth), ran.reference.calls[-1]
    found = ran.memory.context
    kept = [found.get((record + SAVED + 8 * i, 8), z3.BitVecVal(0, 64)) == word for i, word in enumerate(saved.saved)]
    resumes = found.get((record + RETURN_PC, 4), z3.BitVecVal(0, 64)) == as_int(saved.return_pc).word(64)
    return z3.And(entered, *kept, resumes)


def _obligations(opcode: int, row: Row, layout: Layout) -> Iterator[Obligation]:
    given = assumed(layout)
    for step in steps(opcode, row, given):
        name = str(step)
        for conditions, ran in both(step, given):
            shown = (*step.unknowns.shown, *((f"r{i}", word) for i, word in enumerate(ran.before)))
            for what, claim in claims(step, ran, given):
                yield Obligation(f"{name}: {what}", conditions, claim, shown)


def _cases() -> Iterable[Case]:
    for opcode, rows in ROWS.items():
        for row in rows:
            for number, layout in enumerate(LAYOUTS if looks_at_layout(row.form) else LAYOUTS[:1]):

                def obligations(opcode: int = opcode, row: Row = row, layout: Layout = layout) -> Iterator[Obligation]:
                    return _obligations(opcode, row, layout)

                form = row.form
                name = f"{opcode:#04x} {form.kind.value} {form.operation.value}{form.bits}, layout {number}"
                yield Case(name, obligations)
