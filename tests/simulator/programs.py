"""Random programs that end: straight code, loops with a known number of rounds, calls of later functions."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from tests.corpus.assembly import EXIT, alu_imm, alu_reg, branch_imm, call_helper, call_local, load, mov, store

COUNTERS = (6, 7)  # one per nesting depth; a callee's own, because a return restores them
MAX_FUNCTIONS = 3


@dataclass(frozen=True)
class Loop:
    rounds: int
    body: tuple[Block, ...]


@dataclass(frozen=True)
class Call:
    """Of a function that comes `ahead` places after this one, or of the last function."""

    ahead: int


Block = bytes | Loop | Call

_OPERANDS = st.integers(0, 5)
_STRAIGHT = st.one_of(
    st.builds(
        alu_imm,
        st.sampled_from(("add", "xor", "mul", "sdiv", "arsh")),
        st.sampled_from((32, 64)),
        _OPERANDS,
        st.integers(-9, 9),
    ),
    st.builds(
        alu_reg, st.sampled_from(("add", "sub", "or", "mod", "lsh")), st.sampled_from((32, 64)), _OPERANDS, _OPERANDS
    ),
    st.builds(store, st.just(8), st.just(10), st.sampled_from((-8, -16, -24)), _OPERANDS),
    st.builds(load, st.sampled_from((1, 8)), _OPERANDS, st.just(10), st.sampled_from((-8, -16, -24))),
    st.just(call_helper(5)),
)


def _blocks(depth: int) -> st.SearchStrategy[tuple[Block, ...]]:
    """The sort of a block is drawn first: `one_of` would flatten the sorts, and most programs would poll once."""
    loop: st.SearchStrategy[Block] = st.builds(Loop, st.integers(1, 3), st.deferred(lambda: _blocks(depth + 1)))
    sorts: dict[str, st.SearchStrategy[Block]] = {"straight": _STRAIGHT, "call": st.builds(Call, st.integers(1, 3))}
    if depth < len(COUNTERS):
        sorts["loop"] = loop
    block = st.sampled_from(sorted(sorts)).flatmap(sorts.__getitem__)
    return st.lists(block, min_size=1, max_size=3 - depth).map(tuple)  # so no program polls 2^20 times


def programs() -> st.SearchStrategy[bytes]:
    return st.lists(_blocks(0), min_size=2, max_size=MAX_FUNCTIONS).map(_assemble)


def _assemble(functions: list[tuple[Block, ...]]) -> bytes:
    starts = [0] * len(functions)
    for _ in range(2):  # the first round finds the starts, which do not move
        code = b""
        for number, blocks in enumerate(functions):
            starts[number] = len(code) // 8
            callees = starts[number + 1 :]
            code += _code(blocks, starts[number], callees, depth=0) + EXIT
    return code


def _code(blocks: tuple[Block, ...], at: int, callees: list[int], depth: int) -> bytes:
    """`at` is the pc of the first block. Without a callee a call becomes a move: r0 = 1."""
    code = b""
    for block in blocks:
        pc = at + len(code) // 8
        match block:
            case Loop(rounds, body):
                counter = COUNTERS[depth]
                inner = _code(body, pc + 1, callees, depth + 1) + alu_imm("sub", 64, counter, 1)
                code += mov(counter, rounds) + inner + branch_imm("jne", 64, counter, 0, -len(inner) // 8 - 1)
            case Call(ahead):
                code += call_local(callees[min(ahead, len(callees)) - 1] - pc - 1) if callees else mov(0, 1)
            case bytes():
                code += block
    return code
