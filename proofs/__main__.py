"""`python -m proofs`: decides the theorems; exit status 0 only if everything that was asked for holds."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

import proofs.theorems  # noqa: F401 - registers them
from proofs import contracts
from proofs.cache import DIRECTORY, REPOSITORY, Cache
from proofs.index import record
from proofs.mutants import MUTANTS, Mutant
from proofs.mutation import BadMutant, Outcome, run_mutants
from proofs.report import Display, as_json, show_mutants, show_theorems
from proofs.runner import Options, decide_theorems, export
from proofs.solver import Status
from proofs.theorem import THEOREMS, Theorem

EPILOG = """Exit status: 0 if everything that was asked for holds, 1 if not (refuted, unknown, vacuous, a surviving
mutant, solvers that do not agree), 2 for wrong arguments."""


def command_line() -> argparse.ArgumentParser:
    """The options. docs/reference.md has them all."""
    parser = argparse.ArgumentParser(prog="python -m proofs", description=__doc__, epilog=EPILOG)
    parser.add_argument("--only", metavar="ID", action="append", help="this theorem or family; may be repeated")
    parser.add_argument("-v", "--verbose", action="store_true", help="show each obligation, and what kills each mutant")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the results to FILE")
    parser.add_argument("--smt2", metavar="DIR", type=Path, help="write each obligation to DIR as an SMT-LIB 2 script")
    parser.add_argument("--mutants", action="store_true", help="show that the theorems notice changes of the code")
    parser.add_argument("--mutant", metavar="ID", action="append", help="only this change; may be repeated")
    parser.add_argument("--second-solver", action="store_true", help="decide each obligation with Bitwuzla, too")
    parser.add_argument("--crosshair", metavar="SECONDS", type=int, help="let CrossHair look for broken contracts")
    parser.add_argument("--record", action="store_true", help="write the numbers of obligations for the index in docs/")
    parser.add_argument("--jobs", metavar="N", type=int, default=2, help="worker processes (2)")
    parser.add_argument("--no-cache", action="store_true", help="decide everything anew, and remember nothing")
    return parser


def selected(only: Sequence[str] | None) -> list[Theorem]:
    """The theorems with these ids or in these families; all if none is named. KeyError names one that is neither."""
    if only is None:
        return list(THEOREMS.values())
    chosen: set[str] = set()
    for name in only:
        matching = {id for id in THEOREMS if id == name or id.startswith(f"{name.removesuffix('.')}.")}
        if not matching:
            raise KeyError(name)
        chosen |= matching
    return [theorem for theorem in THEOREMS.values() if theorem.id in chosen]


def changes(ids: Sequence[str] | None, theorems: Sequence[Theorem]) -> list[Mutant]:
    """The mutants with these ids; all that the theorems may kill if none is named. KeyError names one that is not."""
    known = {mutant.id: mutant for mutant in MUTANTS}
    if ids is not None:
        return [known[id] for id in ids]
    chosen = {theorem.id for theorem in theorems}
    return [mutant for mutant in MUTANTS if chosen.intersection(mutant.killed_by)]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = command_line()
    asked = parser.parse_args(arguments)
    try:
        theorems = selected(asked.only)
    except KeyError as unknown:
        parser.error(f"no theorem or family is called {unknown}; there are {', '.join(THEOREMS)}")
    try:
        mutants = changes(asked.mutant, theorems) if asked.mutants or asked.mutant else []
    except KeyError as unknown:
        parser.error(f"no mutant is called {unknown}; they are in proofs/mutants/")
    if asked.mutant and asked.only is None:
        theorems = [theorem for theorem in theorems if any(theorem.id in mutant.killed_by for mutant in mutants)]
    if asked.jobs < 1 or (asked.crosshair is not None and asked.crosshair < 1):
        parser.error("--jobs and --crosshair need a positive number")
    if asked.record and asked.only is not None:
        parser.error("--record is for a run of all theorems, without --only")
    console = Console()
    cache = Cache(None if asked.no_cache else REPOSITORY / DIRECTORY)
    options = Options(asked.jobs, asked.verbose, asked.second_solver)
    with Display(console) as display:
        results = decide_theorems(theorems, options, cache, display)
    show_theorems(console, results, asked.second_solver)
    holds = all(result.status is Status.PROVED for result in results)
    outcomes: list[Outcome] = []
    if mutants:
        proved = {result.id for result in results if result.status is Status.PROVED}
        try:
            with Display(console) as display:
                outcomes = run_mutants(mutants, THEOREMS, asked.jobs, cache, display, proved)
        except BadMutant as bad:
            console.print(f"{bad}", markup=False, highlight=False)
            holds = False
        else:
            show_mutants(console, outcomes, asked.verbose)
            holds = holds and all(outcome.killed for outcome in outcomes)
    if asked.crosshair is not None:
        holds = contracts.run(console, asked.crosshair) and holds
    if asked.smt2 is not None:
        console.print(f"{export(theorems, asked.smt2)} scripts in {asked.smt2}", highlight=False)
    if asked.record and holds:
        record((result.id, result.obligations) for result in results)
    if asked.json is not None:
        asked.json.write_text(json.dumps(as_json(results, outcomes), indent=2) + "\n")
    return 0 if holds else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:  # the workers are daemons and end with this process
        sys.exit(130)
