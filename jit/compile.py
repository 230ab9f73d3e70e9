"""The pipeline: one validated function to position-independent machine code.

    lower -> check -> expand -> assemble

Trusted by the runtime, which only places the result. The memos are the caller's, so that this stays a pure function;
they may be shared by everything that is compiled for one layout.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from jit.assemble import FunctionCode, Template
from jit.check import Judged, check
from jit.expand import translate
from jit.layout import Layout
from jit.lower import Share, lower
from jit.macros import Macro
from jit.regions import Hints, Provenance
from validator.isa import Instruction
from validator.validate import Function, Validated


@dataclass(slots=True)
class Memos:
    """What the passes found out about single instructions and macros, for one layout."""

    lowered: dict[tuple[Instruction, Provenance, Share | None], tuple[Macro, ...]] = field(default_factory=dict)
    judged: dict[tuple[Macro, ...], Judged] = field(default_factory=dict)
    templates: dict[Macro, Template] = field(default_factory=dict)

    def forget_if_larger(self, entries: int) -> None:
        """Empty the memos when a stream of ever new constants has filled them."""
        if len(self.templates) > entries or len(self.lowered) > entries:
            self.lowered.clear()
            self.judged.clear()
            self.templates.clear()


@dataclass(frozen=True, slots=True)
class Compiled:
    """One function. `entries` maps the eBPF pcs at which the host may enter to offsets into the code."""

    function: Function
    code: FunctionCode
    entries: dict[int, int]


def compile_function(
    program: Validated,
    function: Function,
    layout: Layout,
    hints: Hints,
    memos: Memos | None = None,
    counted: bool = True,
) -> Compiled:
    """The code of `function` under `layout`, with counted polls or not.

    Raises GateRefused or EncodingRefused, which are bugs of ours.
    """
    memos = Memos() if memos is None else memos
    blocks = lower(program, function, layout, hints, memos.lowered, counted)
    starts = frozenset(f.start for f in program.functions)
    admitted = check(blocks, function, starts, layout, memos.judged)
    code = translate(admitted, memos.templates)
    entries = {
        pc: offset
        for pc, offset, enterable in zip(code.pcs, code.offsets, admitted.enterable, strict=True)
        if enterable
    }
    return Compiled(function, code, entries)
