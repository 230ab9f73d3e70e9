"""What a mutant is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mutant:
    """A one-line change of a shipped module that a theorem must notice.

    `old` occurs exactly once in the text of `module` and is replaced by `new`. `killed_by`: ids of theorems, one of
    which must be refuted. `case`: how the name of a case begins that will probably show it, to save time.
    """

    id: str
    module: str
    old: str
    new: str
    killed_by: tuple[str, ...]
    case: str = ""
