"""A sweep of small eBPF programs with known outcomes, for every engine: registers x operations x widths x edges.

    assembly   bytes of instructions, opcodes straight from RFC 9669
    case       a program and its outcome; many checks batched into one program
    oracle     expected values, in Python's unbounded arithmetic
    operands   the edge values and register pairs that are swept
    arithmetic branches memory bounds calls   the sweeps

Nothing in here asks the code under test what is right, except `jit.layout` for where memory lies. An engine runs a
case's code with calldata `mem` in the layout of `case.layout_of`, and hands what it saw to `Case.mismatch`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.corpus import arithmetic, bounds, branches, calls, memory
from tests.corpus.case import Case

SLICES: dict[str, Callable[[], Iterator[Case]]] = {
    **arithmetic.SLICES,
    **branches.SLICES,
    **memory.SLICES,
    **bounds.SLICES,
    **calls.SLICES,
}


def cases(prefix: str = "") -> Iterator[Case]:
    """The cases of all slices whose name starts with `prefix`."""
    chosen = [produce for name, produce in SLICES.items() if name.startswith(prefix)]
    assert chosen, f"no slice is called {prefix}..."
    for produce in chosen:
        yield from produce()
