"""Runs a function on every one of its paths.

A comparison of symbolic values is a `Fork`. When Python asks for its truth (`if`, `and`, chained comparisons), the
executor looks which sides the path so far allows; if both, this run takes one and the other is put on the list of
runs to make. A run repeats the decisions of its prefix, so the function is simply called again, and nothing of its
state has to be copied: it must be deterministic and must not change anything that outlives it, as the verified core.

Decides: which paths exist. A side that the solver cannot decide counts as possible, which is sound. Running out of the
budget raises `OutOfPaths`: never a silent bound. Trusts z3 for "impossible".

An exception that nobody expected is a finding with an input that leads to it: `PathFailed` carries the path. That does
not hold for what the domains cannot express (`LIMITS`); those propagate as they are and leave the theorem undecided.

Replaying a counterexample is the other mode: within `guided` every fork is decided by the counterexample's numbers, the
solver is not asked, and a function has one path at most. Its arguments are known then, so the function is also called
as it ships, on Python's own ints, and both must come to the same (`NotTheSame`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

import z3

T = TypeVar("T")

DEFAULT_PATHS = 100_000
EVERYTHING = 1 << 30
_SIDE_TIMEOUT_MS = 2_000


class OutOfPaths(Exception):
    """The function has more paths than the budget allows: nothing is proved."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        super().__init__(f"more than {budget} paths")


class NotExplored(Exception):
    """A symbolic truth was asked for outside `explore`, or a symbolic value where only a concrete one can be used."""


class PathFailed(Exception):
    """On a path with these conditions the function raised `cause`, which was not among the allowed exceptions."""

    def __init__(self, what: str, conditions: tuple[z3.BoolRef, ...], cause: Exception) -> None:
        self.what, self.conditions, self.cause = what, conditions, cause
        super().__init__(f"{type(cause).__name__}: {cause}")


class NotTheSame(Exception):
    """On the numbers of a counterexample the function does something else than on symbols that stand for them."""

    def __init__(self, what: str, by_symbols: object, by_numbers: object) -> None:
        super().__init__(f"{what}: {by_symbols!r} by symbols, {by_numbers!r} by numbers")


# The executor cannot go on; the code need not be wrong. mypy rules the built-in two out for concrete values: they come
# from an operation that `Int` lacks.
LIMITS = (OutOfPaths, NotExplored, TypeError, AttributeError, RecursionError, MemoryError, z3.Z3Exception)


@dataclass(frozen=True, slots=True)
class Path(Generic[T]):
    """One way through the function: what it returned, or the exception of the kinds that were allowed."""

    conditions: tuple[z3.BoolRef, ...]
    result: T | None
    raised: Exception | None

    @property
    def returned(self) -> T:
        """The result of a path that did not raise."""
        if self.raised is not None:
            raise AssertionError("this path raised") from self.raised
        return self.result  # type: ignore[return-value]


class Fork:
    """A truth that is not known yet. `bool()` of it decides it for the current path."""

    __slots__ = ("condition",)

    def __init__(self, condition: z3.BoolRef) -> None:
        self.condition = condition

    def __bool__(self) -> bool:
        return decide(self.condition)


class _Run:
    """One call of the function: the decisions that it must repeat, then those that it makes."""

    def __init__(self, assumptions: tuple[z3.BoolRef, ...], prefix: tuple[bool, ...], ask_about: int) -> None:
        self.prefix = prefix
        self.ask_about = ask_about
        self.taken: list[bool] = []
        self.decided: dict[int, bool] = {}  # by the condition's id: `given` holds the conditions
        self.alternatives: list[tuple[bool, ...]] = []
        self.given = list(assumptions)

    def decide(self, condition: z3.BoolRef) -> bool:
        simple = z3.simplify(condition)
        if z3.is_true(simple):
            return True
        if z3.is_false(simple):
            return False
        negated = z3.is_not(simple)
        positive = simple.arg(0) if negated else simple
        known = self.decided.get(positive.get_id())
        if known is not None:
            return known is not negated
        position = len(self.taken)
        if position < len(self.prefix):
            side = self.prefix[position]
        else:
            side = self._possible(simple)
            if side and self._possible(z3.Not(simple)):
                self.alternatives.append((*self.taken, False))
        self.taken.append(side)
        self.decided[positive.get_id()] = side is not negated
        chosen = simple if side else z3.Not(simple)
        self.given.append(chosen)
        return side

    def possible(self) -> bool:
        """Whether the path so far can be taken: a side that could not be decided counted as possible."""
        return _ANSWERS.possible(tuple(self.given))

    def certain(self, condition: z3.BoolRef) -> bool:
        """Asked of the conditions about nothing but what `condition` is about: they are few, and often the same."""
        return not _ANSWERS.possible((*self._about(variables(condition)), z3.Not(condition)))

    def _possible(self, condition: z3.BoolRef) -> bool:
        if self.ask_about >= EVERYTHING:
            return _ANSWERS.possible((*self.given, condition))
        about = variables(condition)
        return len(about) > self.ask_about or _ANSWERS.possible((*self._about(about), condition))

    def _about(self, unknowns: frozenset[int]) -> Iterator[z3.BoolRef]:
        """The conditions about nothing but these."""
        return (part for given in self.given for part, about in _parts(given) if about <= unknowns)


class Guide(Protocol):
    """The numbers of a counterexample."""

    def begin(self) -> None:
        """A run begins that they lead through."""
        ...

    def truth(self, condition: z3.BoolRef) -> bool:
        """What the condition comes to."""
        ...

    def plain(self, value: Any) -> Any:  # noqa: ANN401 - of any type, which it keeps
        """`value` with numbers in place of everything unknown in it."""
        ...


class _GuidedRun(_Run):
    """The one run that the numbers lead through."""

    def __init__(self, assumptions: tuple[z3.BoolRef, ...], guide: Guide) -> None:
        super().__init__(assumptions, (), ask_about=0)
        self.guide = guide
        guide.begin()

    def decide(self, condition: z3.BoolRef) -> bool:
        side = self.guide.truth(condition)
        self.given.append(condition if side else z3.Not(condition))
        return side

    def possible(self) -> bool:
        return True

    def certain(self, condition: z3.BoolRef) -> bool:
        return self.guide.truth(condition)


def conjuncts(condition: z3.BoolRef) -> list[z3.BoolRef]:
    """The conditions that `condition` is the conjunction of."""
    if not z3.is_and(condition):
        return [condition]
    return [part for child in condition.children() for part in conjuncts(child)]


class _Answers:
    """What the solver said about sets of conditions. Cases that differ in a register ask the same over and over.

    Terms are shared in z3, so equal ones have equal ids while somebody holds them: the answers do.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, ...], tuple[tuple[z3.BoolRef, ...], bool]] = {}

    def possible(self, conditions: tuple[z3.BoolRef, ...]) -> bool:
        key = tuple(condition.get_id() for condition in conditions)
        known = self._known.get(key)
        if known is None:
            solver = z3.Solver()
            solver.set("timeout", _SIDE_TIMEOUT_MS)
            solver.add(*conditions)
            if len(self._known) >= _ANSWERS_KEPT:
                self._known.clear()
            known = self._known[key] = (conditions, solver.check() != z3.unsat)
        return known[1]


_PARTS: dict[int, tuple[z3.BoolRef, list[tuple[z3.BoolRef, frozenset[int]]]]] = {}  # as `_VARIABLES`
_VARIABLES: dict[int, tuple[z3.ExprRef, frozenset[int]]] = {}  # by term; the terms are held, so that ids stay theirs


def variables(term: z3.ExprRef) -> frozenset[int]:
    """The ids of the unknowns in `term`."""
    known = _VARIABLES.get(term.get_id())
    if known is None:
        children = term.children()
        own = (term.get_id(),) if not children and term.decl().kind() == z3.Z3_OP_UNINTERPRETED else ()
        known = term, frozenset(own).union(*map(variables, children))
        if len(_VARIABLES) >= _ANSWERS_KEPT:
            _VARIABLES.clear()
        _VARIABLES[term.get_id()] = known
    return known[1]


def relevant(given: Iterable[z3.BoolRef], *about: z3.ExprRef) -> tuple[z3.BoolRef, ...]:
    """The conditions that speak of nothing but what `about` speaks of. Assuming less is sound, and solvers like it."""
    known = frozenset[int]().union(*map(variables, about))
    return tuple(part for condition in given for part, unknowns in _parts(condition) if unknowns <= known)


def _parts(condition: z3.BoolRef) -> list[tuple[z3.BoolRef, frozenset[int]]]:
    """`conjuncts`, with the unknowns of each."""
    found = _PARTS.get(condition.get_id())
    if found is None:
        if len(_PARTS) >= _ANSWERS_KEPT:
            _PARTS.clear()
        found = _PARTS[condition.get_id()] = condition, [(part, variables(part)) for part in conjuncts(condition)]
    return found[1]


_ANSWERS_KEPT = 20_000
_ANSWERS = _Answers()


_RUNS: list[_Run] = []  # the innermost is the current one
_GUIDES: list[Guide] = []


@contextmanager
def guided(guide: Guide) -> Iterator[None]:
    """Explorations follow the guide. What outlives one (a cached formula, say) must be explored without `prune`:
    those stay complete.
    """
    _GUIDES.append(guide)
    try:
        yield
    finally:
        _GUIDES.pop()


def decide(condition: z3.BoolRef) -> bool:
    """The truth of `condition` on the current path. Raises NotExplored outside `explore` if it is not constant."""
    if _RUNS:
        return _RUNS[-1].decide(condition)
    simple = z3.simplify(condition)
    if z3.is_true(simple) or z3.is_false(simple):
        return bool(z3.is_true(simple))
    raise NotExplored(f"the truth of {condition} was asked for outside an exploration")


def certainly(condition: z3.BoolRef) -> bool:
    """Whether the current path implies `condition`. Forks nothing; False also where the solver cannot tell."""
    if _RUNS:
        return _RUNS[-1].certain(condition)
    return bool(z3.is_true(z3.simplify(condition)))


def explore(
    function: Callable[[], T],
    *,
    assuming: tuple[z3.BoolRef, ...] = (),
    allowed: tuple[type[Exception], ...] = (),
    budget: int = DEFAULT_PATHS,
    what: str = "",
    prune: bool = True,
    ask_about: int = EVERYTHING,
) -> Iterator[Path[T]]:
    """All paths of `function()` under the assumptions. Path conditions include the assumptions.

    Raises OutOfPaths, and PathFailed at the first path that can be taken and ends in an exception which is neither
    `allowed` nor one of `LIMITS`; `what` says there which case it is.
    Without `prune` no solver is asked and impossible paths come out too: for functions that are to become formulas.
    With `ask_about` = n it is asked only where a condition is about n unknowns at most, and only with the others about
    the same: such questions are small and come again, and paths that are impossible for more than that come out.
    """
    guide = _GUIDES[-1] if _GUIDES else None
    if guide is not None and prune and not all(map(guide.truth, assuming)):
        return
    pending: list[tuple[bool, ...]] = [()]
    explored = 0
    while pending:
        if explored == budget:
            raise OutOfPaths(budget)
        explored += 1
        prefix = pending.pop()
        about = ask_about if prune else 0
        run = _Run(assuming, prefix, about) if guide is None or not prune else _GuidedRun(assuming, guide)
        _RUNS.append(run)
        result: T | None = None
        raised: Exception | None = None
        try:
            result = function()
        except allowed as exception:
            raised = exception
        except LIMITS:
            raise
        except PathFailed as inner:  # of an exploration within this one
            raise PathFailed(inner.what or what, (*run.given, *inner.conditions), inner.cause) from inner.cause
        except Exception as exception:
            if run.possible() if guide is None else all(map(guide.truth, run.given)):
                _compare(function, guide, what, exception)
                raise PathFailed(what, tuple(run.given), exception) from exception
            pending += run.alternatives
            continue
        finally:
            _RUNS.pop()
        pending += run.alternatives
        if guide is not None and all(map(guide.truth, run.given)):
            _compare(function, guide, what, result if raised is None else raised)
        yield Path(tuple(run.given), result, raised)


def _compare(function: Callable[[], Any], guide: Guide | None, what: str, came: object) -> None:
    """Call the function as it ships, on numbers, if its arguments are known. Raises NotTheSame."""
    if guide is None or not isinstance(function, partial) or isinstance(came, LIMITS):
        return
    _RUNS.append(_GuidedRun((), guide))  # an argument may be a stand-in that forks
    try:
        plain: object = guide.plain(function)()
    except Exception as exception:
        plain = exception
    finally:
        _RUNS.pop()
    if isinstance(came, Exception) or isinstance(plain, Exception):
        same = type(came) is type(plain)
    else:
        same = guide.plain(came) == plain
    if not same:
        name = getattr(function.func, "__name__", repr(function.func))
        raise NotTheSame(what or name, came, plain)
