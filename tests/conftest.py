"""Hypothesis, for all tests: whatever failed once is kept in a folder, and tried first by the next run.

By itself, Hypothesis keeps nothing where it believes to be on a CI, and draws the same examples each time there. Here
it does neither, so that a CI that hands the folder from run to run, as an artefact (`.ci/run`), finds more and forgets
nothing.
"""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import settings
from hypothesis.database import DirectoryBasedExampleDatabase

REPOSITORY = Path(__file__).parents[1]
KEPT = Path(os.environ.get("HYPOTHESIS_STORAGE_DIRECTORY", REPOSITORY / ".hypothesis")) / "examples"

settings.register_profile(
    "kept",
    parent=settings.get_profile("default"),
    database=DirectoryBasedExampleDatabase(KEPT),
    derandomize=False,
    deadline=None,  # no test depends on how fast the machine is
    print_blob=True,
)
settings.load_profile("kept")
