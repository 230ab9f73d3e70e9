"""What the gate's fold says of one macro, one block, one function: formulas over terms that stand for its states.

`gate.preempt` proves each of them of what the shipped functions do on unknowns; `gate.compose` assumes them of every
macro and block of an unknown program. It is the same text for both: nothing is stated a second time.

Pcs are bit-vectors as wide as an `Int`; depths and places of macros in a block are words of 32 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import z3

from proofs.symbolic import INT_BITS
from validator.validate import MAX_SLOTS

Truth: TypeAlias = "z3.BoolRef"
Word: TypeAlias = "z3.BitVecRef"
Lemmas = Iterator[tuple[str, "z3.BoolRef"]]
Pcs = Callable[["z3.BitVecRef"], "z3.BoolRef"]

PC_BITS = INT_BITS
FIRST = z3.BitVecVal(0, 32)
MOST_MACROS = 1 << 31  # of one block


@dataclass(frozen=True, slots=True)
class At:
    """The fold's state: in front of a macro, or behind a block's last one. Fields as in `jit.check._Flow`."""

    pc: Word
    reachable: Truth
    resumes: Truth
    known: Truth  # whether anything is approved
    since: Word
    begun: Truth
    polled: Truth
    borrows: Truth


@dataclass(frozen=True, slots=True)
class Said:
    """What a macro's contract says, as far as the fold asks."""

    falls_through: Truth
    resumes_behind: Truth
    polls: Truth
    needs: Truth  # approved bytes
    establishes: Truth
    aligns: Truth
    ends: Truth  # writes CHECKED, or changes the frame


@dataclass(frozen=True, slots=True)
class Left:
    """What is approved behind a macro: what was in front of it, that with an alignment, or something new."""

    kept: Truth
    aligned: Truth
    new: Truth


@dataclass(frozen=True, slots=True)
class Entry:
    """What a block does with the approval that it is entered with: one of these."""

    nothing: Truth
    passes: Truth
    borrows: Truth
    joined: Truth


# ---------------------------------------------------------------- the ranking


def rank(depth: Word, pc: Word, place: Word) -> Word:
    """Falls along every edge that passes no poll: shallower, or else further in the function, or else in the block."""
    return z3.Concat(depth, ~pc, ~place)


def falls(depth: Word, pc: Word, place: Word, to: tuple[Word, Word, Word]) -> Truth:
    """The rank falls from here to there, if both are pcs of a program."""
    programs = z3.And(pc >= 0, to[1] <= MAX_SLOTS, z3.UGT(depth, 0), z3.ULT(place, MOST_MACROS))
    return z3.Implies(programs, z3.ULT(rank(*to), rank(depth, pc, place)))


_DEPTH, _PLACE = z3.BitVec("depth", 32), z3.BitVec("place in the block", 32)  # any


# ---------------------------------------------------------------- one macro


def macro(before: At, said: Said, after: At, left: Left) -> Lemmas:
    """Where control may go, what is noted of the macro, and what is approved behind it."""
    yield "control comes from the macro before only", before.reachable
    yield "a poll is a block's first macro", z3.Implies(said.polls, z3.Not(before.begun))
    first = z3.If(before.begun, before.polled, said.polls)
    yield "it is noted whether the block's first macro polls", after.polled == first
    yield "the block has begun", after.begun
    yield "control goes on behind it only if it falls through", after.reachable == said.falls_through
    yield "it is noted whether the host goes on behind", after.resumes == z3.Or(before.resumes, said.resumes_behind)
    yield "it is the same block", after.pc == before.pc
    yield "the next macro of the block is further on", falls(
        _DEPTH, before.pc, _PLACE, (_DEPTH, before.pc, _PLACE + 1)
    )
    own = before.since == before.pc
    yield "an approval covers what it needs", z3.Implies(said.needs, before.known)
    yield "... it is the block's own, or known to be used", z3.Implies(said.needs, z3.Or(own, after.borrows))
    yield "what was used stays known", z3.Implies(before.borrows, after.borrows)
    yield "alignment is of the block's own approval", z3.Implies(said.aligns, z3.And(own, before.known))
    yield "what is approved behind it was, or is new", after.known == z3.Or(left.kept, left.aligned, left.new)
    yield "a new approval is the macro's, from here on", z3.Implies(
        left.new, z3.And(said.establishes, after.since == before.pc)
    )
    yield "an aligned approval was checked for it", z3.Implies(
        left.aligned, z3.And(said.aligns, own, before.known, after.since == before.since)
    )
    stays = z3.And(before.known, z3.Not(said.ends), z3.Not(said.establishes), z3.Not(said.polls))
    yield "an approval stays where nothing ends it", z3.Implies(
        left.kept, z3.And(stays, after.since == before.since)
    )
    yield "the check was this block's or an earlier one's", after.since <= after.pc
    yield "a block that owes nothing to earlier ones stays so", z3.Implies(_own(before), _own(after))
    first_poll = z3.And(said.polls, z3.Not(before.borrows))
    yield "... and so does one that begins with a poll", z3.Implies(first_poll, _own(after))


def _own(state: At) -> Truth:
    """The block has used no approval of an earlier one, and knows of none."""
    return z3.And(z3.Not(state.borrows), z3.Implies(state.known, state.since == state.pc))


def jump(before: At, after: At, to: Word, places: Pcs, labels: Pcs) -> Lemmas:
    """A macro that may go to `to`."""
    yield "a jump goes to a block of this function", places(to)
    yield "... which is known as a label", labels(to)
    forward = z3.And(to > before.pc, falls(_DEPTH, before.pc, _PLACE, (_DEPTH, to, FIRST)))
    yield "... and is further on, or the block begins with a poll", z3.Or(after.polled, forward)


def call(to: Word, starts: Pcs) -> Lemmas:
    """A macro that calls `to`."""
    yield "a call goes to a function's start", starts(to)


def shallower(pc: Word, to: Word) -> Lemmas:
    """A macro that returns to `to`."""
    yield "a return is shallower", falls(_DEPTH, pc, _PLACE, (_DEPTH - 1, to, FIRST))


# ---------------------------------------------------------------- one block


def entered(last: At, pc: Word, front: At, kept: Truth, label: Truth, joined: Truth) -> Lemmas:
    """From behind the block before, `last`, to the front of the block at `pc`. `kept`: it is the same approval."""
    yield "pcs increase", pc > last.pc
    yield "the next block is further on", falls(_DEPTH, last.pc, _PLACE, (_DEPTH, pc, FIRST))
    yield "the block's pc is noted", front.pc == pc
    yield "the check was an earlier block's", front.since < pc
    resumed = z3.Implies(last.resumes, pc == last.pc + 1)
    yield "where the host resumes there is a block", z3.And(resumed, z3.Not(front.resumes))
    yield "control may come to its first macro", front.reachable
    elsewhere = z3.Or(label, z3.Not(last.reachable))
    yield "who comes from elsewhere knows no approval", z3.Implies(elsewhere, z3.Not(front.known))
    same = z3.And(last.known, kept, front.since == last.since)
    yield "who comes from the block before knows what was known there, or nothing", z3.Implies(front.known, same)
    yield "what was done before is reached from there only", z3.Implies(joined, z3.Not(elsewhere))


def begins(front: At) -> Lemmas:
    """In front of a block's first macro."""
    yield "in front of its first macro it has done nothing", z3.Not(z3.Or(front.begun, front.polled, front.borrows))


def behind(after: At, entry: Entry) -> Lemmas:
    """What the fold says of a block whose last state is `after`."""
    yield "a block says that it uses what an earlier one checked", z3.Implies(after.borrows, entry.borrows)
    passes = z3.And(after.known, after.since != after.pc)
    yield "a block says that it leaves an approval to the next", z3.Implies(passes, z3.Not(entry.nothing))
    owes_nothing = z3.And(_own(after), z3.Not(entry.joined))
    yield "a block that owes nothing to earlier ones may be entered", z3.Implies(owes_nothing, entry.nothing)


def needed(entry: Entry, needs: Truth, behind: Truth, enterable: Truth) -> Lemmas:
    """The fold from the back: whether a block, or one that its approval is left to, needs what it is entered with."""
    own = z3.Or(entry.borrows, z3.And(behind, z3.Not(entry.nothing)))
    yield "who passes on needs what the next needs", needs == own
    yield "the host may enter where nothing is needed", enterable == z3.And(z3.Not(needs), z3.Not(entry.joined))


# ---------------------------------------------------------------- one function


def start(first_pc: Word, function_start: Word, first_polls: Truth) -> Lemmas:
    yield "the first block is the function's start", first_pc == function_start
    yield "its first macro polls", first_polls


def in_front(front: At, function_start: Word) -> Lemmas:
    """The state in front of the first block."""
    yield "nothing is known in front of it", z3.Not(z3.Or(front.reachable, front.resumes, front.known))
    yield "the fold begins in front of it", z3.And(front.pc < function_start, front.since <= front.pc)


def end(last: At, function_end: Word) -> Lemmas:
    """The state behind the last block."""
    yield "nothing goes on behind the last block", z3.Not(z3.Or(last.reachable, last.resumes))
    yield "the last block is the function's", last.pc < function_end
