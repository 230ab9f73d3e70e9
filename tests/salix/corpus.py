"""The C programs in `programs/`, one idea each, and what their first lines say of them.

    // returns N: why          main returns N, from 0 to 255
    // refused: words          it is not compiled, and the messages have these words
    // warns: words            it is compiled, and the messages have these words

A program is a file, or a folder with `main.c` and the files that it includes.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "programs"
_FIRST_LINE = re.compile(r"// (returns|refused|warns):? (?:(\d+): )?(.+)", re.ASCII)
RETURNS, REFUSED, WARNS = "returns", "refused", "warns"


class CProgram(NamedTuple):
    """`what` is one of RETURNS, REFUSED, WARNS; `words` what is to be found in the messages, or the idea."""

    name: str
    path: Path
    what: str
    returns: int
    words: str

    @property
    def entry(self) -> str:
        """The path of the file that is compiled, within the build."""
        return self.path.name

    @property
    def files(self) -> dict[str, bytes]:
        """What a build of it is given."""
        if self.path.name != "main.c":
            return {self.entry: self.path.read_bytes()}
        folder = self.path.parent
        return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


@cache
def programs() -> tuple[CProgram, ...]:
    """All of them. Raises ValueError for a first line that says nothing."""
    return tuple(_read(path) for path in sorted(FOLDER.rglob("*.c")) if _is_entry(path))


def _is_entry(path: Path) -> bool:
    return path.name == "main.c" or not path.with_name("main.c").exists()


def _read(path: Path) -> CProgram:
    found = _FIRST_LINE.fullmatch(path.read_text(errors="replace").partition("\n")[0])
    if found is None or (found[1] == RETURNS) != (found[2] is not None):
        raise ValueError(f"{path}: the first line must say what becomes of the program")
    name = path.parent if path.name == "main.c" else path.with_suffix("")
    return CProgram(str(name.relative_to(FOLDER)), path, found[1], int(found[2] or 0), found[3])


def those_that(what: str) -> list[CProgram]:
    """The programs of one kind."""
    return [program for program in programs() if program.what == what]
