"""`build`: needs nothing but this package."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from salix.compiler import Failed, SourcesRefused, build

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add_build(commands: Commands) -> None:
    """Add `build` to the commands of a command line."""
    command = commands.add_parser("build", help="compile a C program; no compiler is needed on this machine")
    command.add_argument("file", type=Path, metavar="FILE.c", help="files beside it and below may be included")
    command.add_argument("-o", dest="out", type=Path, metavar="FILE.o", help="the object (default: FILE.o, beside it)")
    command.add_argument("--json", action="store_true", help="print it as JSON, for programs")
    command.set_defaults(command=build_command)


def build_command(options: argparse.Namespace) -> int:
    """0 if there is an object, 1 if the sources are at fault, 2 if they are none that the compiler is given."""
    from rich.console import Console
    from rich.markup import escape

    try:
        files = source_files(options.file)
        with Console(stderr=True).status(f"building {escape(options.file.name)}"):
            result = build(files, options.file.name)
    except (OSError, SourcesRefused) as error:
        print(error, file=sys.stderr)
        return 2
    if not options.json:
        print(result.diagnostics, end="", file=sys.stderr)
    if isinstance(result, Failed):
        if options.json:
            print(json.dumps({"built": False, "diagnostics": result.diagnostics}))
        return 1
    out, size = options.out or options.file.with_suffix(".o"), len(result.elf)
    out.write_bytes(result.elf)
    if options.json:
        print(json.dumps({"built": True, "path": str(out), "bytes": size, "diagnostics": result.diagnostics}))
    else:
        print(f"{out}: {size} bytes")
    return 0


def source_files(entry: Path) -> dict[str, bytes]:
    """The file, and every header in its folder and below."""
    headers = sorted(entry.parent.rglob("*.h"))
    found = {path.relative_to(entry.parent).as_posix(): path.read_bytes() for path in headers if path.is_file()}
    found.pop("spinfoam.h", None)  # the compiler's own is used
    return {entry.name: entry.read_bytes(), **found}
