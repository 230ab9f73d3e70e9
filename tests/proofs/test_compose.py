"""The whole-program theorem: its facts have names that exist, none can be left out, and its page says all of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import z3

import proofs.theorems  # noqa: F401 - registers them
from proofs.composition import Program, Source
from proofs.invariant import EDGES, Edge, invariant
from proofs.solver import Proved, Status, decided, satisfiable
from proofs.theorem import THEOREMS, Obligation
from proofs.theorems.compose import DEPTH, SLOT, _cases

REPOSITORY = Path(__file__).parents[2]
STATEMENTS = "\n".join(
    path.read_text() for path in (*(REPOSITORY / "proofs/theorems").glob("*.py"), *(REPOSITORY / "proofs").glob("*.py"))
)
PAGE = (REPOSITORY / "docs/proofs/compose.md").read_text()


def edges() -> Iterator[tuple[str, Program, Edge]]:
    for name, make in EDGES.items():
        p = Program()
        yield name, p, make(p, DEPTH, SLOT)


SOURCES = sorted({source for _, _, edge in edges() for source, _ in edge.known}, key=repr)


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: f"{source.theorem}: {source.obligation}")
def test_every_fact_is_vouched_for(source: Source) -> None:
    """By a registered theorem, in an obligation of that name; or by code that exists, and the page says that."""
    if source.theorem == "trusted":
        path, _, name = source.obligation.partition(": ")
        assert f"def {name}(" in (REPOSITORY / path).read_text()
        assert f"`{path}`" in PAGE
        assert f"`{name}`" in PAGE
    elif source.theorem != "definition":
        assert source.theorem in THEOREMS
        assert source.obligation in STATEMENTS
        assert source.theorem in PAGE


def refuted_without(edge: Edge, p: Program, left_out: Source) -> bool:
    """Whether the edge no longer keeps the invariant if a fact is not known."""
    known = [(source, fact) for source, fact in edge.known if source != left_out]
    less = Edge(edge.before, edge.after, known, edge.depths, edge.pcs, edge.also)
    kept = z3.And(*(part for _, part in (*invariant(p, edge.after, DEPTH, SLOT), *edge.also)))
    return decided(Obligation("kept", less.given(p, DEPTH, SLOT), kept)).status is Status.REFUTED


# facts of every sort, and an edge that cannot do without
NEEDED = {
    "on to the next macro": (
        Source("gate.memory", "approved"),
        Source("gate.contract", "is unchanged"),
        Source("gate.compose", "a macro that needs no approval does not look at CHECKED"),
        Source("gate.compose", "a store leaves the records of other depths"),
        Source("gate.preempt", "control goes on behind it only if it falls through"),
        Source("gate.preempt", "an approval stays where nothing ends it"),
        Source("gate.preempt", "alignment is of the block's own approval"),
        Source("gate.preempt", "what was used stays known"),
    ),
    "on to the next block": (
        Source("gate.preempt", "pcs increase"),
        Source("gate.preempt", "who passes on needs what the next needs"),
        Source("gate.preempt", "a block says that it leaves an approval to the next"),
        Source("layout.hypothesis", "guest and code arena do not overlap"),
    ),
    "a jump": (
        Source("bytes.fixup", "patched"),
        Source("gate.preempt", "a jump goes to a block of this function"),
        Source("gate.preempt", "... which is known as a label"),
        Source("gate.preempt", "... and is further on, or the block begins with a poll"),
        Source("gate.preempt", "who comes from elsewhere knows no approval"),
    ),
    "a call": (
        Source("gate.contract", "the record says where to resume"),
        Source("gate.contract", "the record says the pc"),
        Source("gate.contract", "r10 is a frame's end"),
        Source("gate.compose", "a call is a block's last macro, and is resumed behind"),
        Source("gate.preempt", "a call goes to a function's start"),
        Source("gate.preempt", "its first macro polls"),
        Source("gate.preempt", "nothing is known in front of it"),
        Source("gate.preempt", "where the host resumes there is a block"),
        Source("trusted", "jit/assemble.py: join"),
        Source("trusted", "runtime/arena.py: add"),
    ),
    "a return": (
        Source("gate.contract", "goes where the record says"),
        Source("gate.contract", "r10 is the other frame's end"),
    ),
    "to the host": (Source("host.trampoline", "is saved"),),
    "the host enters": (
        Source("host.trampoline", "rbp is the cage base"),
        Source("host.trampoline", "at the second argument"),
        Source("gate.preempt", "the host may enter where nothing is needed"),
        Source("trusted", "runtime/text.py: native_address"),
        Source("trusted", "jit/compile.py: compile_function"),
    ),
    "the host compiles": (Source("trusted", "runtime/text.py: _compile"),),
    "the host interprets or restores": (
        Source("trusted", "runtime/activation.py: rederive"),
        Source("trusted", "runtime/arena.py: take_table"),
    ),
}


@pytest.mark.parametrize(
    ("name", "source"),
    [(name, source) for name, sources in NEEDED.items() for source in sources],
    ids=lambda value: value if isinstance(value, str) else f"{value.theorem}: {value.obligation}",
)
def test_no_edge_keeps_the_invariant_without_a_fact_that_it_needs(name: str, source: Source) -> None:
    p = Program()
    edge = EDGES[name](p, DEPTH, SLOT)
    assert source in {known for known, _ in edge.known}
    assert refuted_without(edge, p, source)


@pytest.mark.parametrize("name", EDGES)
def test_every_edge_is_possible_and_keeps_the_invariant(name: str) -> None:
    p = Program()
    edge = EDGES[name](p, DEPTH, SLOT)
    given = edge.given(p, DEPTH, SLOT)
    assert satisfiable(given) is Status.PROVED
    (case,) = (case for case in _cases() if case.name == f"kept: {name}")
    proved = Proved()
    assert {proved.decide(obligation).status for obligation in case.obligations()} == {Status.PROVED}


@pytest.mark.parametrize(
    "name", sorted({part for _, p, edge in edges() for part, _ in invariant(p, edge.before, DEPTH, SLOT)})
)
def test_each_part_of_the_invariant_is_needed_and_on_the_page(name: str) -> None:
    """Some edge, or what the invariant implies, fails without it. (That control may come here: at a block's end.)"""
    assert f"**{name}**" in PAGE
    if name == "control may come here":
        return
    for _, p, edge in edges():
        given = [part for k in (DEPTH, *edge.depths) for n, part in invariant(p, edge.before, k, SLOT) if n != name]
        given += [part for f in edge.pcs for n, part in invariant(p, edge.before, DEPTH, f) if n != name]
        claims = [part for n, part in invariant(p, edge.after, DEPTH, SLOT) if n != name]
        claims += [claim for _, claim in edge.also]
        claim = z3.And(*claims, *(part for n, part in invariant(p, edge.after, DEPTH, SLOT) if n == name))
        if decided(Obligation("kept", (*given, *(f for _, f in edge.known)), claim)).status is Status.REFUTED:
            return
    pytest.fail("every edge does without")


def test_the_page_counts_what_was_tried() -> None:
    assert f"{sum(map(len, NEEDED.values()))} of the facts are needed" in PAGE


@pytest.mark.parametrize("name", EDGES)
def test_every_edge_is_on_the_page(name: str) -> None:
    assert f"| {name} |" in PAGE
