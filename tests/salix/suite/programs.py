"""One foreign program, from its source to a verdict.

Decides which refusals follow a rule of the language (`docs/compiler.md` says what is not there) and which are faults of
the compiler; what is not certainly one of the former counts as wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from itertools import zip_longest
from pathlib import Path

from runtime import Exited, LoadError, Profile, UnknownHelpers, load
from runtime.console import Aborted, ConsoleHost, Ended
from runtime.errors import GuestPointerFault
from runtime.formatting import Unformattable
from salix.compiler import Built, CompilerFault, build
from salix.compiler.sources import Limits, SourcesRefused
from tests.salix.suite.host import Missing, missing

_PROFILE = Profile(frames=4096)  # some recurse a thousand times
_LIMITS = Limits(source_bytes=1 << 20, object_bytes=1 << 20)
_LIMIT_MS = 30_000
_INCLUDED = re.compile(rb'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
_ENTRY = "start_of_the_program.c"
_MAIN = re.compile(rb"\bmain\s*\(")
_ARGUMENTS = ("1", '(char *[]){"program", 0}')
_START = "int __start(void) {{ return main({arguments}); }}\n"

# Words of an error, and the rule that it follows from.
RULES = (
    ("there is no floating point here", "floating point"),
    ("compute with integers in a small unit", "floating point"),  # hint beside math.h
    ("is variadic", "variadic functions of its own"),
    ("takes an array and its length", "variadic functions of its own"),  # hint beside stdarg.h
    ("give the function a fixed number of parameters", "variadic functions of its own"),  # and beside va_list
    ("the length of an array must be a constant", "arrays of computed length"),
    ("alloca` here", "arrays of computed length"),
    ("use goto inside of one", "setjmp"),
    ("there is no inline assembly", "inline assembly"),
    ("the longest integers have 64 bits", "128-bit integers"),
    ("there are no threads here", "threads"),
    ("there are no signals here", "signals"),
)


# Functions of C's library, of POSIX and of GNU's compilers that these programs find neither here nor at their host.
_LIBRARY = """
fopen fclose fread fseek ftell fgets fgetc getc getchar freopen remove rename tmpnam tmpfile scanf sscanf perror
vprintf vfprintf vsprintf vsnprintf write read open close time clock signal raise mmap munmap getpagesize setlocale
system getenv atexit __builtin_apply_args __builtin_apply __builtin_return
"""
LIBRARY = frozenset(_LIBRARY.split())


class Sort(Enum):
    """What became of a program."""

    RIGHT = "right"
    REFUSED = "refused by rule"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`why` is empty, the rule, or what was wrong."""

    sort: Sort
    why: str = ""


def judge(path: Path, expected: bytes | None = None) -> Verdict:
    """Compile and run the program at `path`. It is right if it prints `expected`; without that, if its status is 0."""
    try:
        result = build(_files(path), _ENTRY, limits=_LIMITS)
    except (SourcesRefused, CompilerFault) as error:
        return Verdict(Sort.WRONG, f"{type(error).__name__}: {error}")
    if not isinstance(result, Built):
        return refusal(result.diagnostics)
    printed = bytearray()
    try:
        ended = _run(result.elf, ConsoleHost(printed.extend))
    except Missing as error:
        sort = Sort.REFUSED if str(error) in LIBRARY else Sort.WRONG
        return Verdict(sort, f"calls {error}, which neither the program nor its host has")
    except Unformattable as error:
        return Verdict(Sort.REFUSED, f"prints {error}")
    except LoadError as error:
        return Verdict(Sort.WRONG, f"not loaded: {error}")
    except (Aborted, GuestPointerFault) as error:
        return Verdict(Sort.WRONG, str(error))
    if isinstance(ended, str):
        return Verdict(Sort.WRONG, ended)
    if expected is None:
        return Verdict(Sort.RIGHT) if ended == 0 else Verdict(Sort.WRONG, f"ended with status {ended}")
    return _compared(bytes(printed).splitlines(), expected.splitlines())


def refusal(diagnostics: str) -> Verdict:
    """Of a program that was not compiled: refused by the rule that its first error follows from, or wrong."""
    if "error: " not in diagnostics:  # what the runtime says of the program
        return Verdict(Sort.WRONG, "refused: " + diagnostics.strip())
    errors = diagnostics[diagnostics.find("error: ") :].partition("\nerror: ")[0]
    first = re.split(r"^\S+: (?:error|warning): ", errors, flags=re.MULTILINE)[0]
    for words, rule in RULES:
        if words in first:
            return Verdict(Sort.REFUSED, rule)
    return Verdict(Sort.WRONG, "refused: " + first.partition("\n")[0].removeprefix("error: "))


def _run(elf: bytes, host: ConsoleHost) -> int | str:
    """The status with which the program ended, from 0 to 255; or how else it ended."""
    functions = host.functions()
    try:
        program = load(elf, functions, profile=_PROFILE)
    except UnknownHelpers as error:
        program = load(elf, {**{name: missing(name) for name in error.names}, **functions}, profile=_PROFILE)
    try:
        with program.instantiate() as guest:
            outcome = guest.run(entry="__start", limit_ms=_LIMIT_MS)
    except Ended as ended:
        return ended.status
    return outcome.value & 0xFF if isinstance(outcome, Exited) else str(outcome)


def _files(path: Path) -> dict[str, bytes]:
    """The program, a file that calls its main as a C environment does, and what it includes of its own folder."""
    files: dict[str, bytes] = {}
    pending = [path.name]
    while pending:
        name = pending.pop()
        if name in files or not (path.parent / name).is_file():
            continue
        files[name] = (path.parent / name).read_bytes()
        pending += [included.decode() for included in _INCLUDED.findall(files[name])]
    files[_ENTRY] = f'#include "{path.name}"\n{_START.format(arguments=_arguments(files[path.name]))}'.encode()
    return files


def _arguments(source: bytes) -> str:
    """What main is called with: as many arguments as it has parameters where it is defined."""
    for found in _MAIN.finditer(source):
        depth, end, commas = 1, found.end(), 0
        while depth and end < len(source):
            depth += {b"(": 1, b")": -1}.get(source[end : end + 1], 0)
            commas += depth == 1 and source[end : end + 1] == b","
            end += 1
        parameters = source[found.end() : end - 1].strip()
        if not source[end:].lstrip().startswith(b";"):
            return "" if parameters in (b"", b"void") else ", ".join(_ARGUMENTS[: commas + 1])
    return ""


def _compared(printed: list[bytes], expected: list[bytes]) -> Verdict:
    """How many blanks stand somewhere does not matter; else the first line that is not as it should be."""
    for number, (found, wanted) in enumerate(zip_longest(printed, expected), 1):
        if found is None or wanted is None or found.split() != wanted.split():
            return Verdict(Sort.WRONG, f"line {number} is {_shown(found)}, not {_shown(wanted)}")
    return Verdict(Sort.RIGHT)


def _shown(line: bytes | None) -> str:
    return "missing" if line is None else repr(line.decode(errors="replace"))
