"""Confirms counterexamples: runs a refuted case once more, on the numbers that refute it.

Input: a case, what was found in it, and the values of all unknowns. The case's own generator runs again, guided: every
fork is decided by the numbers, no solver is asked, and shipped functions are called with Python's ints as well. Then
the claim, computed in Python, must be false where all that is given is true, or the exception be raised again. An
obligation may know a further way to see it (`Obligation.replay`): on machine code, by running its bytes.

Trusted by: nobody to find anything. A mutant counts as killed only if its counterexample is confirmed here.
"""

from __future__ import annotations

from proofs.executor import NotTheSame, PathFailed, guided
from proofs.theorem import Case, Obligation, Replay
from proofs.values import Values


def replayed(case: Case, refuted: Obligation, values: Values) -> Replay:
    """Whether the case comes to the same obligation, and the numbers are against it."""
    with guided(values):
        try:
            for obligation in case.obligations():
                if obligation.what == refuted.what and _violated(obligation, values):
                    return obligation.replay(values) if obligation.replay is not None else Replay(True)
        except Exception as exception:
            return Replay(False, (_unlike(exception),))
    return Replay(False, ("on these numbers the claim holds, or what is given does not",))


def _violated(obligation: Obligation, values: Values) -> bool:
    return all(map(values.holds, obligation.given)) and not values.holds(obligation.claim)


def raised_again(case: Case, failed: PathFailed, values: Values) -> Replay:
    """Whether the case ends in the same exception."""
    with guided(values):
        try:
            for _ in case.obligations():
                pass
        except PathFailed as again:
            if (again.what, type(again.cause)) == (failed.what, type(failed.cause)):
                return Replay(True, (f"raises {type(again.cause).__name__} again: {again.cause}",))
            return Replay(False, (_unlike(again),))
        except Exception as exception:
            return Replay(False, (_unlike(exception),))
    return Replay(False, ("on these numbers nothing is raised",))


def _unlike(exception: Exception) -> str:
    kind = "" if isinstance(exception, NotTheSame | PathFailed) else f"{type(exception).__name__}: "
    return f"running it again on these numbers ends otherwise: {kind}{exception}"
