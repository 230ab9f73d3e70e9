"""The agents' files: a folder for each agent, and nothing above or beside it.

Paths are relative, of plain parts; no part may be a link. A write replaces the file in one step, so that whoever reads
it reads one version or the other.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from salix.service.errors import Refusal, Refused, not_found

_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", re.ASCII)
_MAX_PATH_BYTES = 200


class AgentFiles:
    """See the module. `limit` is in bytes, of one file."""

    def __init__(self, root: Path, limit: int) -> None:
        self._root, self._limit = root, limit

    def read(self, agent_id: str, path: str) -> bytes:
        """Raises Refused: INVALID, NOT_FOUND, TOO_LARGE."""
        place = self._place(agent_id, path)
        try:
            descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError as error:
            raise not_found("file", path) from error
        with open(descriptor, "rb") as file:
            try:
                found = file.read(self._limit + 1)
            except IsADirectoryError as error:
                raise not_found("file", path) from error
        if len(found) > self._limit:
            raise Refused(Refusal.TOO_LARGE, f"{path} has more than {self._limit} bytes")
        return found

    def write(self, agent_id: str, path: str, content: bytes) -> None:
        """Raises Refused: INVALID, TOO_LARGE."""
        if len(content) > self._limit:
            raise Refused(Refusal.TOO_LARGE, f"{path} would have more than {self._limit} bytes")
        place = self._place(agent_id, path)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=place.parent, prefix=".new-", delete=False) as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(file.name, place)
        except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
            raise Refused(Refusal.INVALID, f"{path!r} leads through a file, or is a folder") from error

    def _place(self, agent_id: str, path: str) -> Path:
        parts = path.split("/")
        if len(path) > _MAX_PATH_BYTES or not all(_PART.fullmatch(part) for part in parts):
            raise Refused(
                Refusal.INVALID,
                f"{path[:64]!r} is no relative path of letters, digits and _.- ({_MAX_PATH_BYTES} bytes)",
            )
        place = self._root / agent_id
        for part in parts:
            if place.is_symlink():
                raise not_found("file", path)
            place /= part
        return place
