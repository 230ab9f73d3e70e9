"""The agents' files: a folder for each agent, and nothing above or beside it.

Paths are relative, of plain parts; no part may be a link. A write replaces the file in one step, so that whoever reads
it reads one version or the other.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Set
from pathlib import Path
from typing import NamedTuple

from salix.service.errors import Refusal, Refused, not_found
from salix.service.settings import DAY_MS, Limits

_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", re.ASCII)
_MAX_PATH_BYTES = 200
_NEW = ".new-"  # files that are being written; no path of an agent's begins so


class File(NamedTuple):
    """One file of an agent's."""

    path: str
    size: int
    modified_ms: int


class AgentFiles:
    """See the module."""

    def __init__(self, root: Path, limits: Limits) -> None:
        self._root, self._limits, self._limit = root, limits, limits.file_bytes

    def all(self, agent_id: str) -> list[File]:
        """What an agent has, by path."""
        folder = self._root / agent_id
        found = (each for each in _files(folder) if not each.name.startswith(_NEW))
        files = [(each.relative_to(folder).as_posix(), each.lstat()) for each in found]
        return sorted(File(path, stat.st_size, stat.st_mtime_ns // 1_000_000) for path, stat in files)

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
        """Raises Refused: INVALID, TOO_LARGE, QUOTA, UNAVAILABLE."""
        if len(content) > self._limit:
            raise Refused(Refusal.TOO_LARGE, f"{path} would have more than {self._limit} bytes")
        place = self._place(agent_id, path)
        self._keep_quotas(agent_id, path, len(content))
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=place.parent, prefix=_NEW, delete=False) as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(file.name, place)
        except FileNotFoundError as error:  # its folder was empty and pruned, just now
            raise Refused(Refusal.UNAVAILABLE, f"the folder of {path!r} is being tidied: try again") from error
        except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
            raise Refused(Refusal.INVALID, f"{path!r} leads through a file, or is a folder") from error

    def delete(self, agent_id: str, path: str) -> None:
        """Raises Refused: INVALID, NOT_FOUND."""
        place = self._place(agent_id, path)
        try:
            place.unlink()
        except OSError as error:
            raise not_found("file", path) from error
        self._drop_empty(place.parent)

    def used(self, agent_id: str, path: str) -> None:
        """Count its age from now: something is about to be made of it that keeps it."""
        os.utime(self._place(agent_id, path), follow_symlinks=False)

    def prune(self, before_ms: int, now_ms: int, kept: Set[tuple[str, str]]) -> int:
        """Drop files that are older and not among `kept` (agent, path); how many. Also what a crash left half written,
        after a day."""
        dropped = 0
        for folder in (each for each in self._root.glob("*") if each.is_dir() and not each.is_symlink()):
            for place in list(_files(folder)):
                modified_ms = place.lstat().st_mtime_ns // 1_000_000
                half_written = place.name.startswith(_NEW)
                known = (folder.name, place.relative_to(folder).as_posix()) in kept
                if modified_ms < (now_ms - DAY_MS if half_written else before_ms) and not known:
                    place.unlink(missing_ok=True)
                    self._drop_empty(place.parent)
                    dropped += 1
        return dropped

    def _keep_quotas(self, agent_id: str, path: str, size: int) -> None:
        """Raises Refused (QUOTA) unless the agent may have this file, too."""
        limits, others = self._limits, [each for each in self.all(agent_id) if each.path != path]
        if len(others) >= limits.files_of_agent:
            raise Refused(Refusal.QUOTA, f"you have {len(others)} files, which is the most: loop.files deletes some")
        taken = sum(each.size for each in others)
        if taken + size > limits.bytes_of_agent:
            what = f"{taken} bytes of files, and {size} more would be over {limits.bytes_of_agent}"
            raise Refused(Refusal.QUOTA, f"you have {what}: loop.files deletes some")

    def _drop_empty(self, folder: Path) -> None:
        """Folders in which there is nothing, up to the agent's own."""
        while folder.parent != self._root:
            try:
                folder.rmdir()
            except OSError:
                return
            folder = folder.parent

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


def _files(folder: Path) -> Iterator[Path]:
    """All files below a folder; links are none."""
    for parent, _, names in os.walk(folder):
        for name in names:
            place = Path(parent, name)
            if not place.is_symlink():
                yield place
