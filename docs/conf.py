"""Sphinx: the site of docs/. `make docs` builds it, warnings are errors.

The theorem index is written from `proofs.theorem.THEOREMS` before the sources are read, so that it cannot be out of
date; it is not kept in the repository.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from proofs.index import theorem_index  # noqa: E402

project = "salix-jit"
author = "salix-jit contributors"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
html_theme = "furo"
html_title = "salix-jit"
exclude_patterns = ["_build"]
myst_heading_anchors = 3
suppress_warnings: list[str] = []

(Path(__file__).parent / "theorems.md").write_text(theorem_index())
