"""What `spinfoam.h` declares, read by regular expressions: tests compute from it what there is and list nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import runtime.sdk

HEADER = (Path(runtime.sdk.__file__).parent / "spinfoam.h").read_text()


class Parameter(NamedTuple):
    type: str
    name: str

    @property
    def is_pointer(self) -> bool:
        return "*" in self.type

    @property
    def is_written(self) -> bool:
        return self.is_pointer and "const" not in self.type


def _without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def _parameters(text: str) -> tuple[Parameter, ...]:
    if text.strip() == "void":
        return ()
    found = (re.fullmatch(r"\s*(.*?[\s*])(\w+)\s*", part, re.S) for part in text.split(","))
    return tuple(Parameter(" ".join(match[1].split()), match[2]) for match in found if match)


HELPERS = {
    name: _parameters(parameters)
    for name, parameters in re.findall(r"extern [\w ]+?\s\**(sf_\w+)\((.*?)\);", _without_comments(HEADER), re.S)
}
"""The calls that a runtime has to supply."""

MAKERS = set(re.findall(r"extern sf_handle (sf_\w+)\(", HEADER))
"""Those that make a handle."""

WRAPPERS = {
    name: _parameters(parameters)
    for name, parameters in re.findall(r"SF_INLINE [\w ]+?\s(sf_\w+)\((.*?)\)\n\{", _without_comments(HEADER), re.S)
}
"""The calls that the header makes of those."""

NUMBERS = {name: int(value) for name, value in re.findall(r"#define SF_(\w+) \(?(-?\d+)(?:LL)?\)?", HEADER)}
"""What it defines as an integer, without SF_."""
