"""The theorem index of docs/: every theorem, its number of obligations, and links that lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from proofs.__main__ import main
from proofs.cache import REPOSITORY
from proofs.index import record, recorded, theorem_index
from proofs.theorem import THEOREMS


def test_each_theorem_has_a_section_with_its_number_of_obligations() -> None:
    sections = re.split(r"^## ", theorem_index(), flags=re.MULTILINE)[1:]
    assert {section.split("\n", 1)[0] for section in sections} == set(THEOREMS)
    for section in sections:
        assert re.search(r"^- Obligations: [\d,]+, in \d+ cases", section, re.MULTILINE), section
        assert "proofs/theorems/" in section


def test_each_link_leads_to_a_file() -> None:
    links = re.findall(r"\]\((.*?)\)", theorem_index())
    assert links
    for link in links:
        assert (REPOSITORY / "docs" / link).is_file(), link


def test_numbers_are_recorded_by_theorem(tmp_path: Path) -> None:
    record([("b.two", 2), ("a.one", 1)], tmp_path / "numbers.json")
    assert list(recorded(tmp_path / "numbers.json").items()) == [("a.one", 1), ("b.two", 2)]


def test_a_part_of_the_theorems_is_not_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--record", "--only", "bytes.fixup"])
    assert "--record" in capsys.readouterr().err
