"""Sphinx: the site of docs/. `make docs` builds it, warnings are errors.

Three pages are written from the code before the sources are read, so that they cannot be out of date, and are not kept
in the repository: the theorem index, the reference of the tools of Loops, and the guide to writing Loops.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from proofs.index import theorem_index  # noqa: E402
from runtime.sdk.texts import guide  # noqa: E402
from salix.tools.reference import reference  # noqa: E402

project = "salix-jit"
author = "salix-jit contributors"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
html_theme = "furo"
html_title = "salix-jit"
exclude_patterns = ["_build"]
myst_heading_anchors = 3
suppress_warnings: list[str] = []

DOCS = Path(__file__).parent
(DOCS / "theorems.md").write_text(theorem_index())
(DOCS / "tools.md").write_text(reference())
(DOCS / "writing-loops.md").write_text(guide())
