"""The command line: `python -m runtime COMMAND`.

    run       one guest, from an object file to its outcome
    vectors   programs with known outcomes, for conformance
    explain   what each pass makes of each instruction
    serve     objects that live for long, over JSON-RPC on stdin and stdout
    top       what they do, again and again
    sdk       the header, the guide and the examples, for those who write programs for these

Renders what the library returns or raises, and decides nothing else. Exit status: 0 if all is well, 1 if a guest did
not exit by itself or a vector failed, 2 if the input cannot be loaded; then the error's text is on stderr.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from jit.layout import LOOP_PROFILE, LayoutRefused, Profile
from runtime.console import Aborted, ConsoleHost, Ended
from runtime.errors import RuntimeRefused
from runtime.explain import explain, read_code, read_object, select
from runtime.explain_html import page
from runtime.explain_text import render
from runtime.formatting import Unformattable
from runtime.outcomes import Exited, Faulted, Outcome
from runtime.program import DEFAULT_LIMITS, INTERPRETER, JIT, load
from runtime.sdk.command import add_sdk
from runtime.server.command import add_serve, add_top
from runtime.sources import Sources
from runtime.vectors import Report, Vector, VectorError, Verdict, read_vectors, run_vector
from validator.errors import LoadError

DEFAULT_LIMIT_MS = 10_000
FRAMES_HELP = "how deep calls may go, a power of two (default: %(default)s)"
LIMIT_HELP = "preempt the guest after N ms of its own time (default: %(default)s)"
REFUSALS = (LoadError, RuntimeRefused, LayoutRefused, VectorError, Unformattable, OSError)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    options = command_line().parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = options.command
    try:
        status = command(options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # whoever read our output has gone; keep the interpreter from flushing into the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except REFUSALS as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def command_line() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m runtime", description="Runs eBPF programs, natively.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="run one guest", description="Run one guest and print its outcome.")
    run.set_defaults(command=run_command)
    run.add_argument("file", type=Path, metavar="FILE.o", help="an object file, as clang -target bpf makes it")
    run.add_argument("--entry", metavar="SECTION", help="section or global function to run, if there are several")
    given = run.add_mutually_exclusive_group()
    given.add_argument(
        "--mem", type=_hex, default=b"", metavar="HEX", help="the input; r1: its address, r2: its length"
    )
    given.add_argument("--mem-file", type=Path, metavar="FILE", help="the input, from a file")
    _add_engine(run)
    run.add_argument("--limit-ms", type=_positive, default=DEFAULT_LIMIT_MS, metavar="N", help=LIMIT_HELP)
    run.add_argument("--frames", type=_positive, default=LOOP_PROFILE.frames, metavar="N", help=FRAMES_HELP)
    run.add_argument("--json", action="store_true", help="print one JSON object; what the guest prints goes to stderr")

    vectors = commands.add_parser("vectors", help="run programs with known outcomes")
    vectors.set_defaults(command=vectors_command)
    vectors.add_argument("file", type=Path, metavar="FILE.json", help="a list of vectors, see runtime/vectors.py")
    _add_engine(vectors)
    vectors.add_argument("--json", type=Path, metavar="FILE", help="write the counts and the failures to FILE")

    shown = commands.add_parser("explain", help="show what each pass makes of each instruction")
    shown.set_defaults(command=explain_command)
    program = shown.add_mutually_exclusive_group(required=True)
    program.add_argument("file", type=Path, nargs="?", metavar="FILE.o", help="an object file")
    program.add_argument("--code", type=_hex, metavar="HEX", help="bare code in place of an object")
    part = shown.add_mutually_exclusive_group()
    part.add_argument("--entry", metavar="SECTION", help="only what this section or global function reaches")
    part.add_argument("--function", type=int, metavar="PC", help="only the function that holds this pc")
    shown.add_argument("--html", type=Path, metavar="FILE", help="write a web page instead of text")
    shown.add_argument("--sources", type=Path, metavar="DIR", help="where the C files that the object names are")
    add_serve(commands)
    add_top(commands)
    add_sdk(commands)
    return parser


def _add_engine(command: argparse.ArgumentParser) -> None:
    command.add_argument("--engine", choices=(JIT, INTERPRETER), help="default: jit where there is one")


def _hex(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"not bytes in hex: {error}") from error


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return int(text)


def _object(path: Path) -> bytes:
    """The object file, or its beginning: enough to see that it is larger than the limit."""
    with path.open("rb") as file:
        return file.read(DEFAULT_LIMITS.file_bytes + 1)


# ---------------------------------------------------------------- run


def run_command(options: argparse.Namespace) -> int:
    """`run`: status 0 if the guest exited."""
    mem: bytes = options.mem if options.mem_file is None else options.mem_file.read_bytes()
    output = sys.stderr if options.json else sys.stdout
    host, profile = ConsoleHost(partial(_show, output)), Profile(frames=options.frames)
    program = load(_object(options.file), host.functions(), engine=options.engine, profile=profile)
    with program.instantiate() as guest:
        try:
            outcome: Outcome | Aborted = guest.run(mem, options.entry, limit_ms=options.limit_ms)
        except Ended as ended:
            outcome = Exited(ended.status)
        except Aborted as aborted:
            outcome = aborted
    if options.json:
        print(json.dumps({**_facts(outcome), "engine": JIT if program.native else INTERPRETER}))
    else:
        print(_sentence(outcome))
    return 0 if isinstance(outcome, Exited) else 1


def _show(output: IO[str], text: bytes) -> None:
    """What a guest prints, control characters but line ends and tabs escaped: it is not trusted."""
    given = text.decode(errors="backslashreplace")
    shown = (c if c.isprintable() or c in "\t\n" else f"\\x{ord(c):02x}" for c in given)
    print("".join(shown), end="", file=output, flush=True)


def _sentence(outcome: Outcome | Aborted) -> str:
    match outcome:
        case Exited(value):
            return f"exited, r0 = {value:#x} ({value})"
        case Faulted():
            return f"fault: {outcome}"
        case Aborted():
            return f"aborted: {outcome}"
        case _:
            return f"{type(outcome).__name__.lower()} at pc {outcome.pc}: the time limit was used up"


def _facts(outcome: Outcome | Aborted) -> dict[str, Any]:
    facts: dict[str, Any] = {"outcome": type(outcome).__name__.lower()}
    match outcome:
        case Exited(value):
            return facts | {"r0": value}
        case Faulted(kind, pc, address, size, write, instruction, section, offset, source):
            return facts | {
                "kind": kind.name,
                "pc": pc,
                "address": address,
                "size": size,
                "write": write,
                "instruction": instruction,
                "section": section,
                "offset": offset,
                "file": source.file if source is not None else None,
                "line": source.line if source is not None else None,
                "message": str(outcome),
            }
        case Aborted():
            return facts
        case _:
            return facts | {"pc": outcome.pc}


# ---------------------------------------------------------------- vectors


def vectors_command(options: argparse.Namespace) -> int:
    """`vectors`: status 0 if none failed."""
    reports = _run_all(read_vectors(options.file.read_bytes()), options.engine)
    passed = sum(report.verdict is Verdict.PASSED for report in reports)
    failures = [report for report in reports if report.verdict is Verdict.FAILED]
    apart = [report.vector.name for report in reports if report.verdict is Verdict.APART]
    if options.json is not None:
        summary = {
            "total": len(reports),
            "passed": passed,
            "failures": [{"name": r.vector.name, "expected": r.vector.expected, "got": r.got} for r in failures],
            "reported_apart": apart,
        }
        options.json.write_text(json.dumps(summary, indent=1) + "\n")
    if failures:
        Console().print(_failure_table(failures))
    print(f"total {len(reports)}, passed {passed}, failed {len(failures)}, rejected_by_name {len(apart)}", *apart)
    return 1 if failures else 0


def _run_all(vectors: Sequence[Vector], engine: str | None) -> list[Report]:
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal, transient=True) as progress:
        return [run_vector(vector, engine) for vector in progress.track(vectors, description="vectors")]


def _failure_table(failures: Iterable[Report]) -> Table:
    table = Table("name", "expected", "got", title="failures")
    for report in failures:
        table.add_row(*(escape(text) for text in (report.vector.name, report.vector.expected, report.got)))
    return table


# ---------------------------------------------------------------- explain


def explain_command(options: argparse.Namespace) -> int:
    """`explain`: status 1 if the decoder does not read back what the assembler wrote."""
    code: bytes | None = options.code
    source = read_code(code) if code is not None else read_object(_object(options.file))
    sources = Sources(options.sources)
    listings = [explain(source, function) for function in select(source, options.entry, options.function)]
    if options.html is not None:
        title = options.file.name if code is None else f"code {code[:16].hex()}"
        options.html.write_text(page(f"{title}, pass by pass", listings, sources), encoding="utf-8")
        print(f"{options.html}: {len(listings)} functions, {sum(listing.code_bytes for listing in listings)} bytes")
    else:
        console = Console(highlight=False)
        for listing in listings:
            console.print(render(listing, sources, console.width))
            console.print()
    return 1 if any(listing.unfaithful for listing in listings) else 0


if __name__ == "__main__":
    sys.exit(main())
