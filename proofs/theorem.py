"""Theorems: what is claimed, what it ranges over, what it assumes, and the obligations that it comes to.

A theorem is a generator of `Obligation`s over the shipped code. It contains no solver call and no timeout: deciding is
the runner's. Registered theorems are all there are; the runner, the index in docs/ and the tests read `THEOREMS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

import z3


@dataclass(frozen=True, slots=True)
class Replay:
    """Whether a counterexample is real, and what was seen when it was run, line by line, for people."""

    confirmed: bool
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Obligation:
    """Under `given`, `claim` must hold. `what` says in words which case it is, for people.

    `further` holds, too, and is tried if `given` does not suffice: solvers like few conditions. `besides` holds as
    well, but the proof does not need it: a counterexample must satisfy it to be real. `about` are instructions that a
    counterexample shows, by name. `exactly` is the claim itself where `claim` says the same of functions of which less
    is known: a counterexample must refute it, too.
    """

    what: str
    given: tuple[z3.BoolRef, ...]
    claim: z3.BoolRef
    shown: tuple[tuple[str, z3.ExprRef], ...] = ()  # what a counterexample prints: name and term
    further: tuple[z3.BoolRef, ...] = ()
    besides: tuple[z3.BoolRef, ...] = ()
    about: tuple[tuple[str, object], ...] = ()
    exactly: z3.BoolRef | None = None

    def with_all(self) -> Obligation:
        """The same, with all that holds given at once."""
        return replace(self, given=(*self.given, *self.further), further=())


@dataclass(frozen=True, slots=True)
class Case:
    """A part of a theorem that can be decided on its own, in any process."""

    name: str
    obligations: Callable[[], Iterator[Obligation]]


@dataclass(frozen=True, slots=True)
class Theorem:
    """See the module. `depends` are the modules whose text the result is cached by, besides `proofs` itself."""

    id: str
    statement: str
    ranges_over: str
    assumes: tuple[str, ...]
    depends: tuple[str, ...]
    cases: Callable[[], Iterable[Case]]
    assumptions: Callable[[], Iterable[tuple[str, tuple[z3.BoolRef, ...]]]] = field(default=lambda: ())


THEOREMS: dict[str, Theorem] = {}


def register(theorem: Theorem) -> Theorem:
    """Add a theorem. Ids are unique."""
    assert theorem.id not in THEOREMS, f"two theorems are called {theorem.id}"
    THEOREMS[theorem.id] = theorem
    return theorem
