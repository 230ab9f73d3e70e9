"""The catalogue: one-line changes of the core, each with the theorems one of which must notice it.

A file per module of the core, by its stem, with a tuple `MUTANTS`. `proofs.mutation` runs them.
"""

from __future__ import annotations

import importlib
import pkgutil

from proofs.mutants.mutant import Mutant

__all__ = ["MUTANTS", "Mutant"]

AREAS = tuple(sorted(found.name for found in pkgutil.iter_modules(__path__) if found.name != "mutant"))
MUTANTS: tuple[Mutant, ...] = tuple(
    mutant for area in AREAS for mutant in importlib.import_module(f"{__name__}.{area}").MUTANTS
)
assert len({mutant.id for mutant in MUTANTS}) == len(MUTANTS), "two mutants have one id"
