"""What `lower` makes of a function: for each instruction the piece that is decided on its own, and nothing else.

Each row of the instruction set stands in front of an instruction that some rows are fused with, and between two loads
that may share a check, so that all that `lower` adds to the pieces occurs: polls, shares, runs. The numbers of the
instruction are symbolic. Trusted by isa.refines.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, Final

import z3

from jit.fuse import fused, may_start
from jit.group import grouped
from jit.layout import Layout, Region
from jit.lower import Block, Share, lower, lower_instruction
from jit.macros import Macro, Poll
from jit.regions import Hints
from proofs.choices import alike
from proofs.executor import explore
from proofs.instructions import unknown_numbers
from proofs.operands import Unknowns
from proofs.refinement import Conditions
from validator.isa import Field, Form, Instruction, Program, Row, form_of, slots
from validator.polls import poll_pcs
from validator.validate import Function, Validated

_FIRST: Final = Instruction(0x79, 7, 6, 8)  # r7 := [r6 + 8]
_FOLLOWING: Final = (Instruction(0x0F, 8, 5), Instruction(0x05, offset=1))  # r8 += r5, ja +1
_LAST: Final = (Instruction(0x79, 7, 6, 32), Instruction(0x95))
_GUESS: Final = Region.CALLDATA


class _NoMemo(dict[Any, Any]):
    """Remembers nothing: instructions with unknown numbers are no keys."""

    def get(self, key: object, default: object = None) -> Any:  # noqa: ANN401 - as of a dictionary
        return default

    def __setitem__(self, key: object, value: object) -> None:
        return


def programs(opcode: int, row: Row) -> Iterator[tuple[Validated, Hints, Unknowns]]:
    """Functions with an instruction of the row, at the start and further on, and labels here and there."""
    for before, following, label in product(((), (_FIRST,)), _FOLLOWING, (False, True)):
        unknowns = Unknowns()
        fixed = {row.field: row.value}
        dst = 8 if Field.DST in row.form.uses else 0
        src = 9 if Field.SRC in row.form.uses else fixed.get(Field.SRC, 0)
        instruction = Instruction(opcode, dst, src, *unknown_numbers(row, unknowns))
        parts: list[tuple[Instruction | None, Form | None]] = [(part, form_of(part)) for part in before]
        parts += [(instruction, row.form), (None, None)][: slots(row.form)]
        parts += [(part, form_of(part)) for part in (following, *_LAST)]
        program: Program = tuple(part for part, _ in parts)
        forms = tuple(form for _, form in parts)
        targets = frozenset((len(parts) - 2,)) if label else frozenset[int]()
        hints: Hints = dict.fromkeys(range(len(parts)), _GUESS)
        yield Validated(program, forms, (Function(0, len(parts)),), (0,), targets), hints, unknowns


def claims(
    program: Validated, hints: Hints, unknowns: Unknowns, layout: Layout
) -> Iterator[tuple[str, Conditions, z3.BoolRef]]:
    """Every block is the piece of its instruction, behind a poll where the reference polls."""
    (function,) = program.functions
    for counted in (False, True):

        def whole(counted: bool = counted) -> z3.BoolRef:
            blocks = lower(program, function, layout, hints, _NoMemo(), counted)
            polled = poll_pcs(program)
            right = [pc for pc, instruction in enumerate(program.program) if instruction is not None]
            pieces = _pieces(program, function, layout, hints)
            for block in blocks:
                poll = (Poll(counted),) if block.pc in polled else ()
                if not alike(block.macros, (*poll, *pieces[block.pc].macros)):
                    return z3.BoolVal(False)
                if block.joined != pieces[block.pc].joined:
                    return z3.BoolVal(False)
            return z3.BoolVal([block.pc for block in blocks] == right)

        for path in explore(whole, assuming=tuple(unknowns.assumptions)):
            yield f"counted {counted}", path.conditions, path.returned


def _pieces(program: Validated, function: Function, layout: Layout, hints: Hints) -> dict[int, Block]:
    """For each instruction: what is decided of it, on its own, behind or in front of a shared check, or in a run."""
    groups = grouped(program, function, layout, hints, program.targets)
    pieces: dict[int, Block] = {}
    for pc, (form, instruction) in enumerate(zip(program.forms, program.program, strict=True)):
        if form is None or instruction is None or pc in pieces:
            continue
        end = min(label for label in (*program.targets, function.end) if label > pc)
        run = fused(program, pc, end) if may_start(program, pc) else None
        macros: tuple[Macro, ...]
        if run is None:
            group = groups.get(pc)
            share = None if group is None else Share(group.offset, group.size, group.write, checked=pc > group.first)
            macros = lower_instruction(form, instruction, hints.get(pc), share, layout)
        else:
            macros = run.macros
            pieces.update((joined, Block(joined, (), joined=True)) for joined in range(pc + 1, pc + run.length))
        pieces[pc] = Block(pc, macros)
    return pieces
