"""What the compiler says about the mistakes that people and agents make, word for word.

Each `diagnostics/NAME.c` has its messages beside it in `NAME.txt`. They are read by eye when they change.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from salix.compiler import Built, build

FOLDER = Path(__file__).parent / "diagnostics"
NAMES = sorted(path.stem for path in FOLDER.glob("*.c"))


@pytest.mark.parametrize("name", NAMES)
def test_mistakes_are_named_where_they_are(name: str) -> None:
    result = build({f"{name}.c": (FOLDER / f"{name}.c").read_text()}, f"{name}.c")
    assert result.diagnostics == (FOLDER / f"{name}.txt").read_text()
    assert not isinstance(result, Built)


def test_each_text_belongs_to_a_program() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.txt")) == NAMES
