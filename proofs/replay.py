"""Confirms counterexamples: runs a refuted case once more, on the numbers that refute it.

Input: a case, what was found in it, and the values of all unknowns. The case's own generator runs again, guided: every
fork is decided by the numbers, no solver is asked, and shipped functions are called with Python's ints as well. Then
the claim, computed in Python, must be false where all that is given is true, or the exception be raised again. Machine
code is run as what it is, bytes, on the integer simulator (`proofs.concrete`).

Trusted by: nobody to find anything. A mutant counts as killed only if its counterexample is confirmed here.
"""

from __future__ import annotations

from collections.abc import Iterator

import jit.disassemble
import validator.disassemble
from jit.encode import EncodingRefused
from jit.x86 import FORMS
from proofs.concrete import Machine
from proofs.executor import NotTheSame, PathFailed, guided
from proofs.machine import running_on
from proofs.theorem import Case, Obligation, Replay
from proofs.values import Values
from validator.isa import Instruction


def replayed(case: Case, values: Values) -> Replay:
    """Whether the case comes to an obligation that the numbers are against.

    It need not be called as the refuted one is: names may speak of terms that are numbers here. That the assembler
    refuses what is to be run is against the theorem, too.
    """
    machine = Machine(values)
    with guided(values), running_on(machine):
        try:
            for obligation in case.obligations():
                if _violated(obligation, values):
                    return Replay(True, (*_about(obligation, values), *machine.lines))
        except PathFailed as failed:
            if isinstance(failed.cause, EncodingRefused):  # on symbols nothing is encoded: there it went on
                return Replay(True, (f"there is no code for {failed.what}: EncodingRefused: {failed.cause}",))
            return Replay(False, (_unlike(failed),))
        except Exception as exception:
            return Replay(False, (_unlike(exception),))
    return Replay(False, ("on these numbers every claim holds, or what is given does not",))


def _about(obligation: Obligation, values: Values) -> Iterator[str]:
    """What the obligation is about, as people write it."""
    for name, subject in values.plain(obligation.about):
        if isinstance(subject, Instruction):
            text = validator.disassemble.disassemble(subject)
        elif type(subject) in FORMS:
            text = jit.disassemble.disassemble(subject)
        else:
            text = bytes(subject).hex(" ") if isinstance(subject, tuple) else f"{subject}"
        yield f"{name}: {text}"


def _violated(obligation: Obligation, values: Values) -> bool:
    claim = obligation.claim if obligation.exactly is None else obligation.exactly
    if values.truth(claim):  # of all but one; no need to believe it of that one
        return False
    return all(map(values.holds, obligation.with_all().given)) and not values.holds(claim)


def raised_again(case: Case, failed: PathFailed, values: Values) -> Replay:
    """Whether the case ends in the same exception."""
    machine = Machine(values)
    with guided(values), running_on(machine):
        try:
            for _ in case.obligations():
                pass
        except PathFailed as again:
            if type(again.cause) is type(failed.cause):
                return Replay(True, (*machine.lines, f"raises {type(again.cause).__name__} again: {again.cause}"))
            return Replay(False, (_unlike(again),))
        except Exception as exception:
            return Replay(False, (_unlike(exception),))
    return Replay(False, ("on these numbers nothing is raised",))


def _unlike(exception: Exception) -> str:
    kind = "" if isinstance(exception, NotTheSame | PathFailed) else f"{type(exception).__name__}: "
    return f"running it again on these numbers ends otherwise: {kind}{exception}"
