"""What holds between two macros of any program, and every way from one such moment to the next.

`invariant` is a conjunction, part by part, about one machine state; the parts about all records and all slots of the
function table are asked for a single depth and a single pc, any of them. An `Edge` is a way to another state: a macro
that does what gate.contract says of it, or the host that does what it may. Facts come with who vouches for them; the
edges are all there are because gate.contract says where a macro may leave to. Trusted by gate.compose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import z3

from proofs.composition import ADDRESS, CODE, PC, PLACE, Fact, Facts, Machine, Program, Source, Unknowns, function
from proofs.lemmas import FIRST, Truth, Word, falls

Parts = Iterator[tuple[str, "z3.BoolRef"]]

RSP, BASE = z3.BitVec("rsp at the entry", 64), z3.BitVec("cage base", 64)
STUB = z3.BitVec("stub of UNCOMPILED", 64)
FRAMES = z3.BitVec("frames", 32)
FRAME_TOP = function("frame top", PLACE, ADDRESS)
went_to = z3.BitVec("native target", 64)
ALLOWED = function("may be touched", PLACE, ADDRESS, z3.BoolSort())  # at a depth, an offset from rbp
NONE = z3.BitVecVal(0, 32)


def contract(obligation: str) -> Source:
    return Source("gate.contract", obligation)


LEAVES, STAYS = contract("leaves to"), contract("r10 stays")
HELD = contract("is unchanged")
OTHER_FRAME, A_FRAME = contract("r10 is the other frame's end"), contract("r10 is a frame's end")
RESUMES, SAYS_PC = contract("the record says where to resume"), contract("the record says the pc")
FOLLOWS_RECORD = contract("goes where the record says")
TOUCHED, KNOWN = Source("gate.memory", "access of"), Source("gate.memory", "approved")
STORES = Source("gate.compose", "a store leaves the records of other depths")
SHAPES = Source("gate.compose", "a call is a block's last macro, and is resumed behind")
UNSEEN = Source("gate.compose", "a macro that needs no approval does not look at CHECKED")
APART = Source("layout.hypothesis", "guest and code arena do not overlap")
ENTERS, GOES = Source("host.trampoline", "rbp is the cage base"), Source("host.trampoline", "at the second argument")
SAVES = Source("host.trampoline", "is saved")
JUMPS = Source("bytes.fixup", "patched")
PLACED = Source("trusted", "runtime/arena.py: add")
JOINED = Source("trusted", "jit/assemble.py: join")
COMPILES = Source("trusted", "runtime/text.py: _compile")
REDERIVES = Source("trusted", "runtime/activation.py: rederive")
RESUMED = Source("trusted", "runtime/text.py: native_address")
PAIRED = Source("trusted", "jit/compile.py: compile_function")
TABLE = Source("trusted", "runtime/arena.py: take_table")


def invariant(p: Program, m: Machine, depth: Word, pc: Word) -> Parts:
    """The parts. `depth` and `pc` are those whose record and slot are spoken of."""
    if m.place is not None:
        yield from _in_front_of_a_macro(p, m)
    yield "r10 is the end of the frame at this depth", z3.And(z3.ULT(m.depth, FRAMES), m.r10 == FRAME_TOP(m.depth))
    record = m.record(depth)
    place = p.address(record.code, record.pc, FIRST)
    resumable = z3.And(p.exists(record.code, record.pc), free(p, record.code, record.pc))
    returns = z3.And(record.native == place, resumable)
    yield "every record returns to a block where nothing checked is needed", z3.Implies(
        z3.ULT(depth, m.depth), returns
    )
    yield "every slot goes to its function's start, or to the host", z3.Implies(p.is_start(pc), _good_slot(p, m, pc))


def _good_slot(p: Program, m: Machine, pc: Word) -> Truth:
    """The slot of the function at `pc` has the stub, or the address of the first block of a code of that function."""
    slot = m.slot(pc)
    entry = z3.And(p.admitted(slot.code), p.first_pc(slot.code) == pc)
    return z3.Or(slot.native == STUB, z3.And(entry, slot.native == p.address(slot.code, pc, FIRST)))


def _in_front_of_a_macro(p: Program, m: Machine) -> Parts:
    code, pc, number = m.at.code, m.at.pc, m.at.number
    here = p.at(code, pc, number)
    yield "control is in a block of an admitted function", z3.And(
        p.exists(code, pc), z3.ULE(number, p.count(code, pc))
    )
    yield "control may come here", here.reachable
    yield "rsp and rbp are as at the entry", z3.And(m.rsp == RSP, m.rbp == BASE)
    unused = z3.And(here.since != pc, z3.Not(p.needs(code, pc)))
    yield "what the gate knows is true, or nothing uses it", z3.Implies(here.known, z3.Or(m.at.true, unused))
    passed = z3.And(here.begun, z3.Implies(here.polled, m.at.polled))
    yield "a block that began with a poll has passed it", z3.Implies(number != FIRST, passed)


def free(p: Program, code: Word, pc: Word) -> Truth:
    """Who comes to this block without any approval does no harm."""
    return z3.Implies(p.at(code, pc, FIRST).known, z3.Not(p.needs(code, pc)))


@dataclass(slots=True)
class Edge:
    """From `before` to `after`: what is known of the way, and what must hold besides the invariant."""

    before: Machine
    after: Machine
    known: list[Fact]
    depths: list[Word] = field(default_factory=list)  # whose records matter, besides the one that is asked for
    pcs: list[Word] = field(default_factory=list)  # whose slots
    also: list[tuple[str, Truth]] = field(default_factory=list)

    def given(self, p: Program, depth: Word, pc: Word) -> tuple[Truth, ...]:
        """What is assumed: the invariant before, and the facts."""
        parts = [part for k in (depth, *self.depths) for _, part in invariant(p, self.before, k, pc)]
        parts += [part for f in self.pcs for _, part in invariant(p, self.before, depth, f)]
        distinct = {part.get_id(): part for part in (*parts, *(fact for _, fact in self.known))}
        return tuple(distinct.values())


Make = Callable[[Program, "z3.BitVecRef", "z3.BitVecRef"], Edge]  # for the record and the slot that are asked for


def _begin(p: Program, depth: Word, pc: Word, *, lands: bool = True, is_native: bool = True) -> Edge:
    """Any two states; nobody but the host writes to the table."""
    before, after = Unknowns("").machine(is_native), Unknowns("next ").machine(lands)
    edge = Edge(before, after, [])
    if is_native:
        edge.known += _macro_known(p, before)
        if lands:
            edge.known.append((HELD, z3.And(after.rsp == before.rsp, after.rbp == before.rbp)))
    return edge


def _macro_known(p: Program, m: Machine) -> Facts:
    code, pc, number = m.at.code, m.at.pc, m.at.number
    yield from p.macro_facts(code, pc, number)
    yield from p.macro_facts(code, pc, number + 1)
    yield from p.block_facts(code, pc)
    yield from p.function_facts(code)
    said, calls, pops = p.said(code, pc, number), p.pushes(code, pc, number), p.pops(code, pc, number)
    last = z3.And(z3.Not(said.falls_through), said.resumes_behind, z3.Not(pops))
    yield SHAPES, z3.Implies(calls, last)


def _a_macro(p: Program, m: Machine) -> Truth:
    """There is a macro at the machine's place."""
    return z3.ULT(m.at.number, p.count(m.at.code, m.at.pc))


def _records_stay(edge: Edge, depth: Word) -> Fact:
    return STORES, _same_record(edge, depth)


def _same_record(edge: Edge, depth: Word) -> Truth:
    old, new = edge.before.record(depth), edge.after.record(depth)
    return z3.And(old.native == new.native, old.pc == new.pc, old.code == new.code)


def _slots_stay(edge: Edge, pc: Word) -> Fact:
    old, new = edge.before.slot(pc), edge.after.slot(pc)
    return APART, z3.And(old.native == new.native, old.code == new.code)


def _same_frame(edge: Edge, depth: Word, pc: Word) -> list[Fact]:
    stays = edge.after.r10 == edge.before.r10
    who = STAYS if edge.after.place is not None else SAVES
    return [
        (who, z3.And(edge.after.depth == edge.before.depth, stays)),
        _records_stay(edge, depth),
        _slots_stay(edge, pc),
    ]


def _lands(edge: Edge, code: Word, pc: Word) -> Truth:
    """Control comes to a block's front; what was known may not be true any more, and no poll was passed there yet."""
    at = edge.after.at
    return z3.And(at.code == code, at.pc == pc, at.number == FIRST, z3.Not(at.polled))


def _goes_to(p: Program, edge: Edge, code: Word, pc: Word) -> Fact:
    """Whoever goes to a native address finds there what was placed there."""
    return PLACED, z3.Implies(went_to == p.address(code, pc, FIRST), _lands(edge, code, pc))


def _rank(edge: Edge, *, or_polled: Truth | None = None) -> tuple[str, Truth]:
    """Away from a place without a poll the rank falls, or the block's visit passed one."""
    before, after = edge.before, edge.after
    fell = falls(before.depth + 1, before.at.pc, before.at.number, (after.depth + 1, after.at.pc, after.at.number))
    return "the rank falls, or this visit of the block polled", fell if or_polled is None else z3.Or(fell, or_polled)


def applies(p: Program, m: Machine) -> Truth:
    """What gate.memory assumes of CHECKED is so, or the macro does not look at it."""
    said = p.said(m.at.code, m.at.pc, m.at.number)
    return z3.Or(m.at.true, z3.Not(z3.Or(said.needs, said.aligns)))


# ---------------------------------------------------------------- native edges


def next_macro(p: Program, depth: Word, pc: Word) -> Edge:
    edge = _begin(p, depth, pc)
    before, after = edge.before.at, edge.after.at
    said = p.said(before.code, before.pc, before.number)
    left = p.left(before.code, before.pc, before.number)
    moves = z3.And(after.code == before.code, after.pc == before.pc, after.number == before.number + 1)
    polls = after.polled == z3.Or(before.polled, said.polls)
    edge.known += [
        (LEAVES, z3.And(_a_macro(p, edge.before), said.falls_through, moves, polls)),
        (KNOWN, z3.Implies(z3.And(before.true, z3.Or(left.kept, left.aligned)), after.true)),
        (KNOWN, z3.Implies(z3.And(before.true, left.new), after.true)),
        (UNSEEN, z3.Implies(z3.And(applies(p, edge.before), left.new), after.true)),
        *_same_frame(edge, depth, pc),
    ]
    edge.also.append(_rank(edge))
    return edge


def next_block(p: Program, depth: Word, pc: Word) -> Edge:
    edge = _begin(p, depth, pc)
    before, after = edge.before.at, edge.after.at
    following = p.following(before.code, before.pc)
    ends = z3.And(before.number == p.count(before.code, before.pc), z3.Not(p.is_last(before.code, before.pc)))
    moves = z3.And(after.code == before.code, after.pc == following, after.number == FIRST, z3.Not(after.polled))
    edge.known += [
        (JOINED, z3.And(ends, moves, after.true == before.true)),
        *p.block_facts(before.code, following),
        *_same_frame(edge, depth, pc),
    ]
    edge.also.append(_rank(edge))
    return edge


def jump(p: Program, depth: Word, pc: Word) -> Edge:
    edge = _begin(p, depth, pc)
    at, to = edge.before.at, z3.Const("jumps to", PC)
    edge.known += [
        (LEAVES, z3.And(_a_macro(p, edge.before), p.jumps(at.code, at.pc, at.number, to))),
        (JUMPS, _lands(edge, at.code, to)),
        *p.jump_facts(at.code, at.pc, at.number, to),
        *p.block_facts(at.code, to),
        *_same_frame(edge, depth, pc),
    ]
    polled = z3.Or(at.polled, p.said(at.code, at.pc, at.number).polls)
    edge.also.append(_rank(edge, or_polled=polled))
    return edge


def _call(p: Program, depth: Word, pc: Word, *, lands: bool) -> tuple[Edge, Word]:
    """A call: the record of this depth is written, and control goes where the callee's slot says."""
    edge = _begin(p, depth, pc, lands=lands)
    before, after, at = edge.before, edge.after, edge.before.at
    callee = p.callee(at.code, at.pc, at.number)
    behind = p.following(at.code, at.pc)
    record, slot = after.record(before.depth), before.slot(callee)
    deeper = z3.And(after.depth == before.depth + 1, after.r10 == FRAME_TOP(after.depth))
    same_place = p.address(at.code, at.pc, p.count(at.code, at.pc)) == p.address(at.code, behind, FIRST)
    edge.known += [
        (LEAVES, z3.And(_a_macro(p, before), p.pushes(at.code, at.pc, at.number))),
        (OTHER_FRAME, deeper),
        (A_FRAME, z3.ULT(after.depth, FRAMES)),
        (RESUMES, z3.And(record.native == p.address(at.code, at.pc, at.number + 1), record.code == at.code)),
        (SAYS_PC, record.pc == at.pc + 1),
        (JOINED, same_place),
        (STORES, z3.Implies(depth != before.depth, _same_record(edge, depth))),
        _slots_stay(edge, pc),
        *p.call_facts(at.code, at.pc, at.number),
        *p.block_facts(at.code, behind),
        *p.function_facts(slot.code),
        *p.block_facts(slot.code, callee),
    ]
    edge.pcs.append(callee)
    edge.also.append(("a call goes to a function's start", p.is_start(callee)))
    return edge, callee


def call(p: Program, depth: Word, pc: Word) -> Edge:
    """Of a function that has been compiled."""
    edge, callee = _call(p, depth, pc, lands=True)
    slot = edge.before.slot(callee)
    edge.known += [(LEAVES, z3.And(went_to == slot.native, went_to != STUB)), _goes_to(p, edge, slot.code, callee)]
    enters = z3.And(p.admitted(slot.code), slot.native == p.address(slot.code, callee, FIRST))
    polls = z3.And(z3.UGT(p.count(slot.code, callee), 0), p.said(slot.code, callee, FIRST).polls)
    edge.also += [("it goes to code of that function", enters), ("and the first macro there polls", polls)]
    return edge


def call_uncompiled(p: Program, depth: Word, pc: Word) -> Edge:
    """Of a function that has not: the stub leaves to the host, which finds the call by the record."""
    edge, callee = _call(p, depth, pc, lands=False)
    edge.known.append((LEAVES, edge.before.slot(callee).native == STUB))
    found = edge.after.record(edge.after.depth - 1).pc - 1 == edge.before.at.pc
    edge.also.append(("the host finds the call by the topmost record", found))
    return edge


def return_(p: Program, depth: Word, pc: Word) -> Edge:
    edge = _begin(p, depth, pc)
    before, after, at = edge.before, edge.after, edge.before.at
    record = before.record(before.depth - 1)
    edge.known += [
        (LEAVES, z3.And(_a_macro(p, before), p.pops(at.code, at.pc, at.number))),
        (A_FRAME, before.depth != NONE),
        (OTHER_FRAME, z3.And(after.depth == before.depth - 1, after.r10 == FRAME_TOP(after.depth))),
        (FOLLOWS_RECORD, went_to == record.native),
        _goes_to(p, edge, record.code, record.pc),
        *p.block_facts(record.code, record.pc),
        _records_stay(edge, depth),
        _slots_stay(edge, pc),
    ]
    edge.depths.append(before.depth - 1)
    edge.also.append(("it goes behind a call", record.native == p.address(record.code, record.pc, FIRST)))
    edge.also.append(_rank(edge))
    return edge


def to_host(p: Program, depth: Word, pc: Word) -> Edge:
    """Preempted, for a helper, to be interpreted, or finished: by an exit stub."""
    edge = _begin(p, depth, pc, lands=False)
    edge.known += [(LEAVES, _a_macro(p, edge.before)), *_same_frame(edge, depth, pc)]
    return edge


# ---------------------------------------------------------------- the host


def resume(p: Program, depth: Word, pc: Word) -> Edge:
    """The host enters at a block that it may enter, whichever."""
    edge = _begin(p, depth, pc, is_native=False)
    code, at = z3.Const("entered code", CODE), z3.Const("entered pc", PC)
    enters = z3.And(edge.after.rbp == BASE, edge.after.rsp == RSP)
    edge.known += [
        (RESUMED, p.exists(code, at)),
        (PAIRED, p.enterable(code, at)),
        (ENTERS, enters),
        (GOES, went_to == p.address(code, at, FIRST)),
        _goes_to(p, edge, code, at),
        *p.block_facts(code, at),
        *_same_frame(edge, depth, pc),
    ]
    return edge


def _compiles(p: Program, depth: Word, pc: Word, *, is_native: bool) -> Edge:
    """A function is compiled and its slot set; other threads may do that at any time."""
    before = Unknowns("").machine(is_native)
    after = Unknowns("next ").machine(is_native)
    after = Machine(before.place, before.depth, before.r10, before.rsp, before.rbp, before.record, after.slot)
    edge = Edge(before, after, [])
    start, code = z3.Const("compiled function", PC), z3.Const("its new code", CODE)
    old, new = before.slot(pc), after.slot(pc)
    made = z3.And(new.code == code, new.native == p.address(code, start, FIRST))
    kept = z3.And(new.code == old.code, new.native == old.native)
    edge.known += [
        (COMPILES, z3.And(p.admitted(code), p.first_pc(code) == start)),
        (COMPILES, z3.If(pc == start, made, kept)),
    ]
    return edge


def compiles(p: Program, depth: Word, pc: Word) -> Edge:
    return _compiles(p, depth, pc, is_native=False)


def compiles_elsewhere(p: Program, depth: Word, pc: Word) -> Edge:
    return _compiles(p, depth, pc, is_native=True)


def interprets(p: Program, depth: Word, pc: Word) -> Edge:
    """The host runs the reference semantics, or restores a snapshot, or goes on in code with other polls.

    It makes the records anew. Code with other polls has a table of its own, filled in the same way.
    """
    edge = _begin(p, depth, pc, lands=False, is_native=False)
    record = edge.after.record(depth)
    entry = z3.And(p.exists(record.code, record.pc), p.enterable(record.code, record.pc))
    made = z3.And(record.native == p.address(record.code, record.pc, FIRST), entry)
    edge.known += [
        (REDERIVES, z3.And(z3.ULT(edge.after.depth, FRAMES), edge.after.r10 == FRAME_TOP(edge.after.depth))),
        (REDERIVES, z3.Implies(z3.ULT(depth, edge.after.depth), made)),
        *p.block_facts(record.code, record.pc),
        (TABLE, z3.Or(_slots_stay(edge, pc)[1], _good_slot(p, edge.after, pc))),
    ]
    return edge


EDGES: dict[str, Make] = {
    "on to the next macro": next_macro,
    "on to the next block": next_block,
    "a jump": jump,
    "a call": call,
    "a call of what is not compiled": call_uncompiled,
    "a return": return_,
    "to the host": to_host,
    "the host enters": resume,
    "the host compiles": compiles,
    "another thread compiles": compiles_elsewhere,
    "the host interprets or restores": interprets,
}
