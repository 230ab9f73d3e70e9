"""The same obligations, decided again by Bitwuzla from their SMT-LIB text.

Independent of z3 from the printed text on: it has its own parser, rewriter and SAT solver. Not independent: the terms
that the executor made, and z3's printer. Obligations whose terms z3 simplifies to the same (they
differ in a register, say) count as one; the first of them is asked in full.
"""

from __future__ import annotations

import bitwuzla
import z3

from proofs.solver import Status, smt2, terms_of
from proofs.theorem import Obligation

TIMEOUT_MS = 60_000


def second_answer(script: str) -> Status:
    """What Bitwuzla says of an obligation's script: unsat is PROVED, sat REFUTED."""
    options = bitwuzla.Options()
    options.set(bitwuzla.Option.TIME_LIMIT_PER, TIMEOUT_MS)
    parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
    commands = "\n".join(line for line in script.splitlines() if line.strip() != "(check-sat)")
    parser.parse(commands, True, False)  # parse only; the text itself, not a file's name
    answer = parser.bitwuzla().check_sat()
    if answer == bitwuzla.Result.UNSAT:
        return Status.PROVED
    return Status.REFUTED if answer == bitwuzla.Result.SAT else Status.UNKNOWN


class SecondSolver:
    """Compares verdicts. `found`: what, status and reason of each that was not confirmed."""

    def __init__(self) -> None:
        self.agreed = self.disagreed = self.undecided = 0
        self.found: list[tuple[str, Status, str]] = []
        self._seen: dict[tuple[int, ...], tuple[z3.BoolRef, ...]] = {}

    def check(self, obligation: Obligation, first: Status) -> None:
        """Ask about `obligation`, of which z3 said `first`."""
        key, terms = terms_of(obligation)
        if key in self._seen:
            return
        self._seen[key] = terms
        answer = second_answer(smt2(obligation))
        if answer is Status.UNKNOWN or first is Status.UNKNOWN:
            self.undecided += 1
            self.found.append((obligation.what, Status.UNKNOWN, f"z3 says {first.value}, Bitwuzla {answer.value}"))
        elif answer is first:
            self.agreed += 1
        else:
            self.disagreed += 1
            reason = f"the solvers disagree: z3 says {first.value}, Bitwuzla {answer.value}"
            self.found.append((obligation.what, Status.UNKNOWN, reason))
