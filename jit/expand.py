"""Admitted macros to x86 instructions: no choices, one fixed sequence per macro.

Input: what the gate admitted, and nothing else. Output: for each eBPF pc the instructions of its block. Trusted by
nobody: gate.* and isa.refines are proved of `Macro.expand` with operands symbolic.
"""

from __future__ import annotations

from collections.abc import MutableMapping

from jit.assemble import FunctionCode, Template, join, template
from jit.check import Admitted
from jit.macros import Macro
from jit.x86 import X86


def expand(admitted: Admitted) -> tuple[tuple[int, tuple[X86, ...]], ...]:
    """The (eBPF pc, instructions) of every macro, in order; a block without macros has one empty entry."""
    return tuple(
        (block.pc, macro.expand(admitted.layout) if macro is not None else ())
        for block in admitted.blocks
        for macro in (block.macros or (None,))
    )


_NOTHING = template(())


Memo = MutableMapping[Macro, Template]


def translate(admitted: Admitted, memo: Memo | None = None) -> FunctionCode:
    """The machine code of admitted blocks: `expand`, then `jit.assemble`, with the template of each macro made once."""
    return join(templates(admitted, {} if memo is None else memo))


def templates(admitted: Admitted, memo: Memo) -> list[tuple[int, Template]]:
    """The (eBPF pc, template) of every macro, as `expand` orders them, for `join`.

    `memo` may be kept across functions with the same layout.
    """
    layout, known = admitted.layout, memo.get
    parts: list[tuple[int, Template]] = []
    add = parts.append
    for block in admitted.blocks:
        pc, macros = block.pc, block.macros
        if not macros:
            add((pc, _NOTHING))
        for macro in macros:
            made = known(macro)
            if made is None:
                made = memo[macro] = template(macro.expand(layout))
            add((pc, made))
    return parts
