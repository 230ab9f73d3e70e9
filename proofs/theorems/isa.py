"""isa.refines: native code computes what the reference semantics says.

For every row of the instruction set, with immediates, offsets and all register contents symbolic: `lower` runs on the
symbolic instruction, so that each of its choices is a path of its own. A case per

    row         alone: both sides end in the same state, or the interpreter is asked and finds it untouched. One choice
                of registers stands for those that are it renamed (`proofs.renaming`). An access is decided behind any
                check that approved its bytes, and every check is shown to be one of those below (`proofs.accesses`)
    check       for one access or several: approves only what the reference allows, or leaves at the first access
    runs        what `jit.fuse` takes as one does what its instructions do one after the other (`proofs.runs`)
    groups      accesses that share a check find their bytes approved (`proofs.groups`)
    functions   `lower` puts together just these pieces, and polls where the reference does (`proofs.blocks`)
    poll        leaves without fuel, and changes nothing else
    compiled    no row is left to the interpreter whatever its numbers are, which all of the above would allow

That a later instruction of a group is not entered from the host is the gate's affair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import z3

from jit.context import FUEL, PC, RETURN_NATIVE, RETURN_PC, SAVED, Exit, record_offset
from jit.group import _interrupts
from jit.layout import Layout
from jit.lower import lower_instruction
from jit.macros import Interpret, Macro, Poll
from jit.regions import Provenance
from jit.registers import CHECKED, FRAME, GUEST, Reg
from jit.x86 import Ahead, Callee, Leave, Stub
from proofs.accesses import (
    GUESSES,
    WIDEST,
    allowed,
    behind_check,
    check_claims,
    checked,
    checks,
    off_frame,
    shapes,
    unknown_share,
)
from proofs.blocks import claims as block_claims
from proofs.blocks import programs
from proofs.choices import Explored
from proofs.executor import explore
from proofs.gate import as_int
from proofs.groups import claims as group_claims
from proofs.groups import situations
from proofs.instructions import Numbers, instructions, numbers
from proofs.layouts import EXAMPLES, Assumed, assumed
from proofs.machine import BEHIND, Fetched, Unknown
from proofs.operands import Unknowns
from proofs.refinement import Both, Conditions, Step, Word, both
from proofs.runs import found
from proofs.runs import steps as run_steps
from proofs.symbolic import Int, condition_of
from proofs.theorem import Case, Obligation, Theorem, register
from simulator.ebpf import Fault, Finished, HelperCall
from validator.isa import ROWS, Field, Form, Instruction, Kind, Operation, Row, slots
from validator.validate import MAX_SLOTS

Claims = Iterator[tuple[str, z3.BoolRef]]
_REFUSED = z3.BoolVal(False)
ACCESSES = (Kind.LOAD, Kind.STORE, Kind.ATOMIC)
FRAMES = (Kind.CALL_LOCAL, Kind.EXIT)


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
            if mine is not meant:
                yield f"r{number}", mine == meant
        yield "memory", _same_memory(ran, given)
        yield "control", _same_control(step, ran, given)
        if not any(_interrupts(form) for form, _ in step.code):
            before = step.registers.get(CHECKED, z3.BitVec(CHECKED.name, 64))
            yield "an approved address stays approved", ran.machine.registers[CHECKED] == before


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
        return condition_of(after == pc + sum(slots(form) for form, _ in step.code))
    if isinstance(ran.left, Ahead):
        return condition_of(after == pc + ran.left.distance)
    if not isinstance(ran.left, Fetched) or step.depth is None:
        return _REFUSED
    if step.code[0][0].kind is Kind.EXIT:
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


# ---------------------------------------------------------------- instructions on their own


def decide(step: Step, given: Assumed) -> Iterator[tuple[Obligation, Both]]:
    """The obligations of one step, each with the path that it is about."""
    name, about = str(step), tuple((f"instruction at pc+{i}", code) for i, (_, code) in enumerate(step.code))
    for conditions, ran in both(step, given):
        shown = (*step.unknowns.shown, *((f"r{i}", word) for i, word in enumerate(ran.before)))
        for what, claim in claims(step, ran, given):
            yield Obligation(f"{name}: {what}", conditions, claim, shown, about=about), ran


def decide_all(steps: Iterable[Step], given: Assumed, layouts: tuple[Layout, ...]) -> Iterator[Obligation]:
    """The obligations of the steps that are not others with registers renamed."""
    explored = Explored(layouts)
    for step in steps:
        if not explored.covers(step):
            touched: frozenset[Reg] = frozenset()
            for obligation, ran in decide(step, given):
                touched |= ran.touched
                yield obligation
            explored.add(step, touched)


def lowering(form: Form, instruction: Instruction) -> Callable[[Layout], tuple[Macro, ...]]:
    return lambda layout: lower_instruction(form, instruction, None, None, layout)


def _plain_steps(opcode: int, row: Row, given: Numbers) -> Iterator[Step]:
    """What neither looks at memory nor at frames. Registers by role, so that the solver is asked the same again."""
    for instruction in instructions(opcode, row, given):
        names = {GUEST[instruction.src]: "src"} if Field.SRC in row.form.uses else {}
        if Field.DST in row.form.uses:
            names[GUEST[instruction.dst]] = "dst"
        registers: dict[Reg, Word] = {reg: z3.BitVec(name, 64) for reg, name in names.items()}
        yield Step(((row.form, instruction),), lowering(row.form, instruction), registers, given.unknowns, given.pc)


def _plain(opcode: int, row: Row) -> Iterator[Obligation]:
    for given in numbers(row):
        yield from decide_all(_plain_steps(opcode, row, given), assumed(EXAMPLES[0]), EXAMPLES)


def _frame(opcode: int, row: Row, layout: Layout) -> Iterator[Obligation]:
    """A local call or exit at every depth."""
    for given in numbers(row):
        for instruction in instructions(opcode, row, given):
            for depth in range(layout.frames):
                registers: dict[Reg, Word] = {FRAME: z3.BitVecVal(layout.frame_top(depth), 64)}
                code = ((row.form, instruction),)
                step = Step(code, lowering(row.form, instruction), registers, given.unknowns, given.pc, depth)
                for obligation, _ in decide(step, assumed(layout)):
                    yield obligation


# ---------------------------------------------------------------- accesses


def _behind_check(opcode: int, row: Row) -> Iterator[Obligation]:
    """The access where the reference allows it, behind any check; and that every check is one that is decided."""
    for given in numbers(row):
        for what, conditions, claim in shapes(opcode, row, given):
            yield Obligation(what, conditions, claim, tuple(given.unknowns.shown))
    for layout in EXAMPLES:
        for given in numbers(row):
            yield from decide_all(behind_check(opcode, row, given, layout), assumed(layout), (layout,))


def _in_frame(opcode: int, row: Row, layout: Layout) -> Iterator[Obligation]:
    """The accesses off r10."""
    for given in numbers(row):
        yield from decide_all(off_frame(opcode, row, given, assumed(layout)), assumed(layout), (layout,))


def _check(atomic: int | None, guess: Provenance, write: bool, layout: Layout) -> Iterator[Obligation]:
    """A check, for one access or several."""
    given = assumed(layout)
    unknowns = Unknowns()
    share = unknown_share(unknowns, guess, layout, write)
    if atomic is not None:
        share = share._replace(size=atomic)
    explored = Explored((layout,))
    for step in checks(atomic, share, guess, unknowns, given):
        if explored.covers(step):
            continue
        for conditions, way in checked(step, given):
            shown = (*unknowns.shown, *((f"r{i}", word) for i, word in enumerate(way.before)))
            for what, claim in check_claims(way, share, given, atomic or 1):
                about = tuple(("instruction", code) for _, code in step.code)
                yield Obligation(f"{step}, {share}: {what}", conditions, claim, shown, about=about)
        explored.add(step, frozenset((FRAME,)))


# ---------------------------------------------------------------- runs


def _runs(kind: Kind, operation: Operation) -> Iterator[Obligation]:
    """What `jit.fuse` takes as one, as far as it starts with such an instruction: often nothing."""
    yield Obligation("nothing, so far", (), z3.BoolVal(True))
    for run in found(kind, operation):
        inside = 0 < run.run.length <= run.room
        shown = tuple(run.numbers.unknowns.shown)
        yield Obligation(f"{run.run} ends within {run.room} instructions", run.conditions, z3.BoolVal(inside), shown)
        yield from decide_all(run_steps(run), assumed(EXAMPLES[0]), EXAMPLES)


# ---------------------------------------------------------------- groups


def _groups(kind: Kind) -> Iterator[Obligation]:
    """Such an instruction behind any open group."""
    for opcode, rows in ROWS.items():
        for row in rows:
            if row.form.kind is kind:
                for situation in situations(opcode, row):
                    for conditions, claim in group_claims(situation):
                        yield Obligation(str(situation), conditions, claim, tuple(situation.unknowns.shown))


# ---------------------------------------------------------------- functions


def _blocks(kind: Kind) -> Iterator[Obligation]:
    """What `lower` makes of functions with such an instruction."""
    for opcode, rows in ROWS.items():
        for row in rows:
            if row.form.kind is kind:
                for program, hints, unknowns in programs(opcode, row):
                    for what, conditions, claim in block_claims(program, hints, unknowns, EXAMPLES[0]):
                        yield Obligation(f"{program.program}: {what}", conditions, claim, tuple(unknowns.shown))


def _poll(counted: bool) -> Iterator[Obligation]:
    """A poll takes one from the fuel, if it counts, and leaves exactly if less than none is left."""
    given, unknowns = assumed(EXAMPLES[0]), Unknowns()
    step = Step((), lambda _: (Poll(counted),), {}, unknowns, unknowns.between("pc", 0, MAX_SLOTS))
    fuel = z3.BitVec(f"context{FUEL}.32", 32)
    left = fuel - 1 if counted else fuel
    for conditions, ran in both(step, given):
        claims = {
            "the state is untouched": _untouched(ran),
            "the fuel": ran.memory.context[FUEL, 4] == z3.ZeroExt(32, left),
            "nothing else is stored": z3.BoolVal(list(ran.memory.context) == [(FUEL, 4)]),
            "goes on, or is preempted": z3.BoolVal(ran.left in (BEHIND, Leave(Exit.PREEMPTED))),
            "is preempted without fuel": z3.BoolVal(ran.left != BEHIND) == (left < 0),
        }
        for what, claim in claims.items():
            yield Obligation(f"poll, counted {counted}: {what}", conditions, claim, (("fuel", fuel),))


def _compiled() -> Iterator[Obligation]:
    """Every row has numbers of which `lower` makes code that does the instruction, where no region is guessed."""
    for opcode, row in ((opcode, row) for opcode, rows in ROWS.items() for row in rows):
        for given in numbers(row):
            first = next(instructions(opcode, row, given))
            lowered = partial(lower_instruction, row.form, first, None, None, EXAMPLES[0])
            paths = explore(lowered, assuming=tuple(given.unknowns.assumptions))
            compiled = any(not any(isinstance(macro, Interpret) for macro in path.returned) for path in paths)
            yield Obligation(f"{first} is compiled", (), z3.BoolVal(compiled))


# ---------------------------------------------------------------- all of them


def _cases() -> Iterator[Case]:
    for opcode, rows in ROWS.items():
        for row in rows:
            yield from _row_cases(opcode, row)
    for number, layout in enumerate(EXAMPLES):
        for guess in GUESSES:
            for atomic, write in ((None, False), (None, True), (4, True), (8, True)):
                name = f"check {guess}, atomic {atomic}, write {write}, layout {number}"
                yield Case(name, partial(_check, atomic, guess, write, layout))
    for kind, operation in dict.fromkeys((row.form.kind, row.form.operation) for rows in ROWS.values() for row in rows):
        yield Case(f"runs from {kind.value} {operation.value}", partial(_runs, kind, operation))
    for kind in Kind:
        yield Case(f"groups and {kind.value}", partial(_groups, kind))
        yield Case(f"functions with {kind.value}", partial(_blocks, kind))
    for counted in (False, True):
        yield Case(f"poll, counted {counted}", partial(_poll, counted))
    yield Case("compiled", _compiled)


def _row_cases(opcode: int, row: Row) -> Iterator[Case]:
    form = row.form
    variant = "" if row.field is None else f" {row.field.name.lower()}={row.value}"
    name = f"{opcode:#04x}{variant} {form.kind.value} {form.operation.value}{8 * form.size or form.bits}"
    if form.kind in ACCESSES:
        yield Case(name, partial(_behind_check, opcode, row))
        for number, layout in enumerate(EXAMPLES):
            yield Case(f"{name} off r10, layout {number}", partial(_in_frame, opcode, row, layout))
    elif form.kind in FRAMES:
        for number, layout in enumerate(EXAMPLES):
            yield Case(f"{name}, layout {number}", partial(_frame, opcode, row, layout))
    else:
        yield Case(name, partial(_plain, opcode, row))


def _assumptions() -> Iterator[tuple[str, Conditions]]:
    """The placement can be, and so can an access that the reference allows, off any register."""
    address = z3.BitVec("address", 64)
    for number, layout in enumerate(EXAMPLES):
        given = assumed(layout)
        yield f"the hypothesis holds of layout {number}", given.conditions
        for write in (False, True):
            may = allowed(layout, given.r10, address, WIDEST, write)
            yield f"layout {number} allows an access, write {write}", (*given.conditions, may)


register(
    Theorem(
        id="isa.refines",
        statement="what `lower` makes of an instruction, alone, in a run or with a shared check, computes what the "
        "reference semantics says, or leaves it to the interpreter with the state untouched",
        ranges_over="every row of the instruction set and every run that is fused; all registers that the validator "
        "accepts, all immediates, offsets, guesses and shared checks; the layouts `EXAMPLES`, any live frame; all "
        "register and memory contents",
        assumes=(
            "the layout's hypothesis holds",
            "r10 is the end of a live frame",
            "the records in the context are those of the calls that were made",
            "the guest's memory is written by the guest alone while it runs",
        ),
        depends=(
            "jit.lower", "jit.fuse", "jit.group", "jit.branches", "jit.macros", "jit.context", "jit.layout",
            "simulator.ebpf", "simulator.x86", "simulator.memory", "validator.isa", "validator.polls",
        ),
        cases=_cases,
        assumptions=_assumptions,
    )
)  # fmt: skip
