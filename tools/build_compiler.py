"""Rebuild the object of the C compiler from its sources, in three stages.

clang, in the PyPI package ziglang, is only needed for the first; with `--from-shipped` the shipped object takes its
place. Usage: python tools/build_compiler.py [--from-shipped]
"""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path

from salix.compiler.bootstrap import next_stage, stage1

OBJECT = Path(__file__).resolve().parent.parent / "salix" / "compiler" / "compiler.o"


def main() -> int:
    from_shipped = "--from-shipped" in sys.argv[1:]
    first = OBJECT.read_bytes() if from_shipped else stage1()
    second = next_stage(first)
    third = next_stage(second)
    if from_shipped and second != third:  # compiled by what had another meaning
        first, second, third = second, third, next_stage(third)
    for stage, elf in enumerate((first, second, third), 1):
        print(f"stage {stage}: {len(elf)} bytes, sha256 {sha256(elf).hexdigest()}")
    if second != third:
        print("stages 2 and 3 differ: the compiler does not reproduce itself", file=sys.stderr)
        return 1
    OBJECT.write_bytes(second)
    return 0


if __name__ == "__main__":
    sys.exit(main())
