"""Shows a campaign to people (rich) and to programs (JSON). Decides nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from differential.campaign import LEAST_PER_FORM, LEAST_PER_VARIANT, Campaign, Mismatch, Result
from differential.operands import variants
from differential.outcome import DIVIDE_ERROR, FINISHED, FLAGS, Outcome
from differential.snippet import PAGE, Snippet
from jit.disassemble import disassemble
from jit.encode import encode
from jit.registers import Reg
from jit.x86 import FORMS, Label

SHOWN_MISMATCHES = 3  # in full; a wrong model has thousands
_SHOWN_BYTES = 8
_COLUMNS = 3


class Display:
    """A bar with the sequences, or other things, so far and the mismatches among them. Nothing without a terminal."""

    def __init__(self, console: Console, count: int, things: str = "sequences") -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        # refreshed by hand: a thread that holds a lock while a worker is forked would leave it locked there
        self._bar = Progress(
            *columns, console=console, auto_refresh=False, transient=True, disable=not console.is_terminal
        )
        self._things = things
        self._task = self._bar.add_task(things, total=count)

    def __enter__(self) -> Display:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def progress(self, result: Result) -> None:
        """Show what there is so far."""
        self.advance(result.sequences, len(result.mismatches))

    def advance(self, done: int, mismatches: int) -> None:
        """Show that so many are done."""
        text = f"{self._things}, [red]{mismatches} mismatches[/]" if mismatches else self._things
        self._bar.update(self._task, completed=done, description=text, refresh=True)


def show_result(console: Console, campaign: Campaign, result: Result, seconds: float) -> None:
    """The counts."""
    table = Table(title="instructions per form", show_header=False, title_justify="left")
    counts = [f"{form.__name__} {result.forms[form.__name__]}" for form in FORMS]
    for first in range(0, len(counts), _COLUMNS):
        table.add_row(*counts[first : first + _COLUMNS])
    console.print(table)
    refused = result.ended[DIVIDE_ERROR]
    line = (
        f"{result.sequences} sequences, {sum(result.forms.values())} instructions, {refused} sequences end with #DE; "
        f"seed {campaign.seed}, {seconds:.1f} s"
    )
    console.print(line, highlight=False)
    rare = result.missing_forms()
    if rare:
        console.print(f"fewer than {LEAST_PER_FORM} times: {', '.join(rare)}", highlight=False, soft_wrap=True)
    rare = result.missing_variants()
    if rare:
        console.print(f"fewer than {LEAST_PER_VARIANT} times: {', '.join(rare)}", highlight=False, soft_wrap=True)
    if result.mismatches:
        console.print(f"{len(result.mismatches)} mismatches", style="red", highlight=False)
    else:
        console.print(f"no mismatch between {', '.join(campaign.engines)}", style="green", highlight=False)


def show_mismatch(
    console: Console, campaign: Campaign, found: Mismatch, smallest: Snippet, outcomes: Mapping[str, Outcome]
) -> None:
    """The shrunken snippet, and what each of the two engines left of it."""
    one, other = found.engines
    lines = [f"sequence {found.index}, seed {campaign.seed}: {one} and {other} differ", "shrunk to"]
    lines += [f"    {line}" for line in listing(smallest)]
    lines.append("from " + state_text(Outcome(FINISHED, smallest.registers, smallest.flags, smallest.page)))
    lines += [f"{name}: {state_text(outcome)}" for name, outcome in outcomes.items()]
    lines.append("they differ in " + "; ".join(found.differences[:_SHOWN_BYTES]))
    lines.append(f"replay: {replay_command(campaign, found)}")
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


class Lost(Protocol):
    """Things of a campaign of which only all together end a process."""

    @property
    def index(self) -> int: ...

    @property
    def count(self) -> int: ...

    @property
    def differences(self) -> tuple[str, ...]: ...


def show_lost(console: Console, found: Lost, things: str, replay: str) -> None:
    """These are not shrunk: one of them does it no more."""
    which = f"{things} {found.index} to {found.index + found.count - 1}"
    for line in (f"{which}, one after the other: {found.differences[0]}; alone, none does that", f"replay: {replay}"):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def replay_command(campaign: Campaign, found: Mismatch) -> str:
    """A command that draws the same sequence again and runs it alone; or those that belong together."""
    which = f"--seed {campaign.seed} --first {found.index} --sequences {found.count}"
    return f"python -m differential {which} --engines {','.join(campaign.engines)}"


def listing(snippet: Snippet) -> list[str]:
    """Its instructions, with bytes where they depend on no distance."""
    lines = []
    for instruction in snippet.instructions:
        encoded, label = encode(instruction)
        code = "" if isinstance(instruction, Label) else encoded.hex(" ")
        shown = code if label is None else code[: -3 * 4] + " .. .. .. .."
        lines.append(f"{disassemble(instruction):44}{shown}".rstrip())
    return lines or ["(nothing)"]


def state_text(outcome: Outcome) -> str:
    """Registers that are not zero, flags, and the first bytes of scratch memory that are not zero."""
    if outcome.ended != FINISHED:
        return outcome.ended
    registers = [f"{reg.name}={outcome.registers[reg]:#x}" for reg in Reg if outcome.registers[reg]]
    flags = [f"{name}={'?' if (bit := getattr(outcome.flags, name)) is None else bit}" for name in FLAGS]
    changed = [k for k in range(PAGE) if outcome.page[k]]
    memory = [f"scratch+{k:#x}={outcome.page[k]:#04x}" for k in changed[:_SHOWN_BYTES]]
    more = [f"({len(changed) - _SHOWN_BYTES} more bytes)"] if len(changed) > _SHOWN_BYTES else []
    return " ".join(registers + flags + memory + more)


def as_json(
    campaign: Campaign, result: Result, versions: Mapping[str, str], missing: Mapping[str, str], seconds: float
) -> dict[str, Any]:
    """The run as one object; docs/reference.md describes it."""
    return {
        "sequences": result.sequences,
        "mismatches": len(result.mismatches),
        "engines": list(campaign.engines),
        "forms": {form.__name__: result.forms[form.__name__] for form in FORMS},
        "variants": {variant: result.variants[variant] for variant in variants()},
        "seed": campaign.seed,
        "first": campaign.first,
        "seconds": round(seconds, 3),
        "versions": dict(versions),
        "missing": dict(missing),
        "ended": dict(result.ended),
        "found": found_json(campaign, result.mismatches),
    }


def found_json(campaign: Campaign, mismatches: Sequence[Mismatch]) -> list[dict[str, Any]]:
    """Each mismatch with what replays it."""
    return [
        {
            "index": found.index,
            "count": found.count,
            "engines": list(found.engines),
            "differences": list(found.differences),
            "replay": replay_command(campaign, found),
        }
        for found in mismatches
    ]
