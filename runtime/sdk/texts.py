"""The texts for those who write guests: the header, the guide, the examples. `python -m runtime sdk` prints them."""

from __future__ import annotations

import re
from importlib.resources import files

_FOLDER = files("runtime.sdk")


def header() -> str:
    """`spinfoam.h`."""
    return _FOLDER.joinpath("spinfoam.h").read_text("utf-8")


def example_names() -> tuple[str, ...]:
    paths = (path.name for path in _FOLDER.joinpath("examples").iterdir())
    return tuple(sorted(name.removesuffix(".c") for name in paths if name.endswith(".c")))


def example(name: str) -> str:
    """The source of one of `example_names()`."""
    return _FOLDER.joinpath("examples", f"{name}.c").read_text("utf-8")


def guide() -> str:
    """The programming guide, in Markdown, with the examples where `guide.md` names them."""
    text = _FOLDER.joinpath("guide.md").read_text("utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: f"```c\n{example(match[1])}```", text)
