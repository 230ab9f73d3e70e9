"""The command line: `python -m salix build FILE.c [-o FILE.o]`.

Renders what the library returns, and decides nothing else. Exit status: 0 if there is an object, 1 if the sources are
at fault, 2 if they cannot be read or are none that the compiler is given; then the reason is on stderr.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from salix.compiler import Failed, SourcesRefused, build


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m salix", description="Loops: C programs on the runtime.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser("build", help="compile a C program; no compiler is needed on this machine")
    command.add_argument("file", type=Path, metavar="FILE.c", help="files beside it and below may be included")
    command.add_argument("-o", dest="out", type=Path, metavar="FILE.o", help="the object (default: FILE.o, beside it)")
    options = parser.parse_args(arguments)
    try:
        files = _files(options.file)
        result = build(files, options.file.name)
    except (OSError, SourcesRefused) as error:
        print(error, file=sys.stderr)
        return 2
    print(result.diagnostics, end="", file=sys.stderr)
    if isinstance(result, Failed):
        return 1
    out = options.out or options.file.with_suffix(".o")
    out.write_bytes(result.elf)
    print(f"{out}: {len(result.elf)} bytes")
    return 0


def _files(entry: Path) -> dict[str, bytes]:
    """The file, and every header in its folder and below."""
    headers = sorted(entry.parent.rglob("*.h"))
    found = {path.relative_to(entry.parent).as_posix(): path.read_bytes() for path in headers if path.is_file()}
    found.pop("spinfoam.h", None)  # the compiler's own is used
    return {entry.name: entry.read_bytes(), **found}


if __name__ == "__main__":
    sys.exit(main())
