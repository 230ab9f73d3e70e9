"""The text of a C line: read from below one folder that the user named, never from anywhere else.

The path comes from the object's debug information, so from whoever wrote the guest. Without the confinement a page
made by `explain` could show lines of any file of the user who made it.
"""

from __future__ import annotations

from pathlib import Path

from runtime.lines import SourceLine

MAX_FILE_BYTES = 4 << 20


class Sources:
    """Source files below `root`; None: there are none."""

    def __init__(self, root: Path | None) -> None:
        self._root = root.resolve() if root is not None else None
        self._files: dict[str, tuple[str, ...]] = {}

    def text(self, line: SourceLine) -> str:
        """The line without its indentation; empty if the file cannot be read, is too large, or is shorter."""
        if line.file not in self._files:
            self._files[line.file] = self._read(line.file)
        lines = self._files[line.file]
        return lines[line.line - 1].strip() if 1 <= line.line <= len(lines) else ""

    def _read(self, name: str) -> tuple[str, ...]:
        if self._root is None:
            return ()
        path = (self._root / name).resolve()
        if not path.is_relative_to(self._root):
            return ()
        try:
            if not path.is_file() or path.stat().st_size > MAX_FILE_BYTES:
                return ()
            return tuple(path.read_text(errors="replace").splitlines())
        except OSError:  # a name that is too long, a file that may not be read
            return ()
