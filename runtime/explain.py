"""What each pass makes of each instruction: the passes' own values, put side by side. `python -m runtime explain`.

    eBPF --lower, check--> macros --expand--> x86 --assemble--> bytes --decode--> x86 again

Input: an object or bare code. Output: `Listing`s; `runtime.explain_text` and `runtime.explain_html` render them.
Runs the same passes as the engine, on the same layout, but no guest: nothing is mapped, and helpers need not exist.
The bytes are those that `assemble` hands to the arena, so exit stubs and the function table are still distance 0.
Every instruction is read back: `faithful` says that `jit.decode` finds the same instruction in those bytes, every
jump resolved.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from jit.assemble import FunctionCode, leave_stub
from jit.check import check
from jit.context import PC, Exit
from jit.decode import NotOurs, decode
from jit.disassemble import disassemble as disassemble_x86
from jit.disassemble import disassemble_macro
from jit.encode import FIELD, encode
from jit.expand import translate
from jit.layout import Layout, data_lows, plan
from jit.lower import lower
from jit.regions import Hints, guess
from jit.x86 import (
    X86,
    Ahead,
    Callee,
    Jump,
    JumpIf,
    JumpTable,
    Label,
    LeaLabel,
    Leave,
    Local,
    Mem,
    Native,
    PcPlus,
    StoreImm,
    Stub,
    Target,
)
from runtime.guest_code import libraries
from runtime.helpers import Helpers
from runtime.lines import SourceLine, lines_of
from runtime.memory import GuestMemory
from validator.decode import decode as decode_ebpf
from validator.decode import encode as encode_ebpf
from validator.disassemble import disassemble
from validator.errors import LinkError, UnknownHelpers
from validator.isa import SLOT_BYTES, Kind, call_target
from validator.link import Linked, link
from validator.validate import Function, Validated, validate

INPUT_BYTES = 4096  # of the input region: bounds are constants in the code, so that some size must be assumed
_NUMBERS = range(1, 256)  # helpers by number that code may call here


@dataclass(frozen=True, slots=True)
class Machine:
    """One x86 instruction, its bytes, and whether `decode` reads it in them. `cold`: behind the straight path."""

    text: str
    code: bytes
    faithful: bool
    cold: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One macro; `meaning` is the first line of its docstring."""

    text: str
    meaning: str
    machine: tuple[Machine, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One eBPF instruction. `stubs` are what its checks and polls leave through, behind the function."""

    pc: int
    text: str
    slot: bytes
    line: SourceLine | None
    steps: tuple[Step, ...]
    stubs: tuple[Machine, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """One function. `name` says what is known of it: the symbol of a global function, its section."""

    name: str
    function: Function
    rows: tuple[Row, ...]
    code_bytes: int

    @property
    def unfaithful(self) -> int:
        """How many instructions `decode` does not read back."""
        machine = (m for row in self.rows for m in (*(x for step in row.steps for x in step.machine), *row.stubs))
        return sum(not m.faithful for m in machine)


@dataclass(frozen=True, slots=True)
class Source:
    """A program, as far as the passes are concerned. `linked` is None for bare code.

    `names` are of functions, by their start, `helpers` by their number, `lines` by pc: each where there is one.
    """

    validated: Validated
    layout: Layout
    hints: Hints
    starts: frozenset[int]
    linked: Linked | None
    names: Mapping[int, str]
    helpers: Mapping[int, str]
    lines: Mapping[int, SourceLine]


# ---------------------------------------------------------------- what is explained


def read_object(data: bytes) -> Source:
    """The program in an ELF object. Raises LoadError; unknown helpers are as good as known ones."""
    try:
        return _linked(data, ())
    except UnknownHelpers as error:
        return _linked(data, error.names)


def read_code(code: bytes) -> Source:
    """The program in bare code. Raises LoadError."""
    validated = validate(decode_ebpf(code), (0,), Helpers(dict.fromkeys(_NUMBERS, _never)).numbers)
    return _source(validated, plan(0, 0, INPUT_BYTES))


def _linked(data: bytes, names: Sequence[str]) -> Source:
    table = Helpers(dict.fromkeys((*names, *_NUMBERS), _never))
    linked = link(data, table.by_name, lambda read_only, _writable: data_lows(read_only), libraries())
    entries = sorted(set(linked.entries.values()))
    validated = validate(decode_ebpf(linked.code), entries, table.numbers, linked.starts)
    layout = plan(len(linked.read_only), linked.writable_size, INPUT_BYTES)
    lines: dict[int, SourceLine] = {}
    for section in linked.sections:
        if section.library is None:
            offsets = range(0, section.count * SLOT_BYTES, SLOT_BYTES)
            for offset, line in lines_of(data, section.name, offsets).items():
                lines[section.first + offset // SLOT_BYTES] = line
    return _source(validated, layout, linked, {number: name for name, number in table.by_name.items()}, lines)


def _source(
    validated: Validated,
    layout: Layout,
    linked: Linked | None = None,
    helpers: Mapping[int, str] | None = None,
    lines: Mapping[int, SourceLine] | None = None,
) -> Source:
    names = {pc: name for name, pc in linked.functions.items()} if linked is not None else {}
    starts = frozenset(function.start for function in validated.functions)
    return Source(validated, layout, guess(validated, layout), starts, linked, names, helpers or {}, lines or {})


def _never(_memory: GuestMemory, _a: int, _b: int, _c: int, _d: int, _e: int) -> int:
    raise AssertionError("explain runs no guest")


def select(source: Source, entry: str | None = None, pc: int | None = None) -> tuple[Function, ...]:
    """The function that holds `pc`; else those that `entry` reaches; else all. Raises LinkError.

    Functions of the runtime's own guest code are shown by pc only.
    """
    functions = source.validated.functions
    if pc is not None:
        if not 0 <= pc < functions[-1].end:
            raise LinkError(f"no pc {pc}: the program has pcs 0 to {functions[-1].end - 1}")
        return (functions[_index(functions, pc)],)
    own = tuple(f for f in functions if source.linked is None or source.linked.locate(f.start)[0].library is None)
    if entry is None:
        return own
    if source.linked is None:
        raise LinkError(f"bare code has no section or function names, so no {entry!r}")
    reached = _reached(source.validated, source.linked.entry(entry))
    return tuple(function for function in own if function.start in reached)


def _pcs(function: Function) -> range:
    return range(function.start, function.end)


def _index(functions: Sequence[Function], pc: int) -> int:
    return bisect_right([function.start for function in functions], pc) - 1


def _reached(validated: Validated, start: int) -> set[int]:
    """The starts of the functions that the one at `start` calls, directly or not, and its own."""
    by_start = {function.start: function for function in validated.functions}
    reached, pending = {start}, [start]
    while pending:
        function = by_start[pending.pop()]
        for pc in _pcs(function):
            form, instruction = validated.forms[pc], validated.program[pc]
            if form is None or instruction is None or form.kind is not Kind.CALL_LOCAL:
                continue
            target = call_target(form, instruction, pc)
            if target is not None and target not in reached:
                reached.add(target)
                pending.append(target)
    return reached


# ---------------------------------------------------------------- one function


def explain(source: Source, function: Function) -> Listing:
    """All passes over one function. Raises GateRefused or EncodingRefused, which are bugs of ours."""
    validated, layout = source.validated, source.layout
    admitted = check(lower(validated, function, layout, source.hints), function, source.starts, layout)
    code = translate(admitted)
    expansions = [(block.pc, macro, macro.expand(layout)) for block in admitted.blocks for macro in block.macros]
    straight, cold = 0, sum(_sizes(expansion)[False] for _, _, expansion in expansions)
    steps: dict[int, list[Step]] = {block.pc: [] for block in admitted.blocks}
    reader = _Reader(code, sum(sum(_sizes(expansion)) for _, _, expansion in expansions))
    for pc, macro, expansion in expansions:
        meaning = (macro.__doc__ or "").partition("\n")[0]
        steps[pc].append(Step(disassemble_macro(macro), meaning, tuple(reader.read(pc, expansion, (straight, cold)))))
        straight, cold = (at + size for at, size in zip((straight, cold), _sizes(expansion), strict=True))
    rows = tuple(
        Row(pc, *_text(source, pc), source.lines.get(pc), tuple(made), tuple(reader.stubs_of(pc)))
        for pc, made in steps.items()
    )
    return Listing(_name(source, function), function, rows, len(code.code))


def _parts(expansion: Iterable[X86]) -> Iterator[tuple[X86, bool]]:
    """Each instruction, and whether it is in the cold part, which is placed behind the function."""
    cold = False
    for instruction in expansion:
        cold = cold or (isinstance(instruction, Label) and instruction.cold)
        yield instruction, cold


def _sizes(expansion: Iterable[X86]) -> tuple[int, int]:
    """Bytes of the straight part and of the cold part."""
    sizes = [0, 0]
    for instruction, cold in _parts(expansion):
        sizes[cold] += len(encode(instruction)[0])
    return sizes[False], sizes[True]


class _Reader:
    """Finds each instruction of a function in its bytes, and compares. `body_bytes` is where the exit stubs begin."""

    def __init__(self, code: FunctionCode, body_bytes: int) -> None:
        self._code = code.code
        self._offsets = dict(zip(code.pcs, code.offsets, strict=True))
        self._stubs: dict[int, dict[Exit, int]] = {}  # by pc and reason: where the stub begins
        for fixup, pc in zip(code.fixups, code.fixup_pcs, strict=True):
            if fixup.offset >= body_bytes and isinstance(fixup.label, Stub):
                start = fixup.offset + FIELD - len(leave_stub(fixup.label.exit)[0])
                self._stubs.setdefault(pc, {})[fixup.label.exit] = start

    def stubs_of(self, pc: int) -> Iterator[Machine]:
        """The stubs that the code of `pc` leaves through."""
        for exit, start in self._stubs.get(pc, {}).items():
            for machine in self.read(pc, (StoreImm(4, Mem(PC), PcPlus(0)), Jump(Stub(exit))), (start, start)):
                yield replace(machine, cold=True)

    def read(self, pc: int, expansion: Sequence[X86], starts: tuple[int, int]) -> Iterator[Machine]:
        """The instructions of `expansion`, whose straight and cold parts should be found at `starts`."""
        at, places, spans = list(starts), {}, []
        for instruction, cold in _parts(expansion):
            if isinstance(instruction, Label):
                places[instruction.number] = at[cold]
            start = at[cold]
            at[cold] += len(encode(instruction)[0])
            spans.append((instruction, cold, start, at[cold]))
        for instruction, cold, start, end in spans:
            faithful = isinstance(instruction, Label) or self._decoded(start, end) == self._resolved(
                instruction, pc, end, places
            )
            yield Machine(disassemble_x86(instruction, pc), self._code[start:end], faithful, cold)

    def _decoded(self, start: int, end: int) -> X86 | None:
        """What `decode` finds in the bytes [start, end), if it is one instruction and no more."""
        try:
            instruction, length = decode(self._code, start)
        except NotOurs:
            return None
        return instruction if start + length == end else None

    def _resolved(self, instruction: X86, pc: int, end: int, places: Mapping[int, int]) -> X86:
        """`instruction` with distances from its `end` and numbers in place of labels."""
        match instruction:
            case Jump(label) | JumpIf(_, label) | JumpTable(label) | LeaLabel(_, label):
                target = self._target(label, pc, places)
                return instruction._replace(label=Native(0 if target is None else target - end))
            case StoreImm(_, _, PcPlus(delta)):
                return instruction._replace(imm=pc + delta)
            case _:
                return instruction

    def _target(self, label: Target, pc: int, places: Mapping[int, int]) -> int | None:
        """Where a label is in the function; None if the arena patches it."""
        match label:
            case Local(number):
                return places[number]
            case Ahead(distance):
                return self._offsets[pc + distance]
            case Leave(exit):
                return self._stubs[pc][exit]
            case Stub() | Callee():
                return None
            case Native():
                raise AssertionError("no macro expands to a counted distance")


def _text(source: Source, pc: int) -> tuple[str, bytes]:
    """The text and the bytes of the eBPF instruction at `pc`; a helper that has a name is called by it."""
    form, instruction = source.validated.forms[pc], source.validated.program[pc]
    assert form is not None
    assert instruction is not None
    text = disassemble(instruction, pc)
    if form.kind is Kind.CALL_HELPER and instruction.imm in source.helpers:
        text = f"call {source.helpers[instruction.imm]}"
    return text, encode_ebpf((instruction,))


def _name(source: Source, function: Function) -> str:
    where = f"pc {function.start}"
    if source.linked is None:
        return where
    name = source.names.get(function.start, "static function")
    section, offset = source.linked.locate(function.start)
    library = "" if section.library is None else ", in guest code of the runtime"
    return f"{name}, {where}, section {section.name!r} at offset {offset:#x}{library}"
