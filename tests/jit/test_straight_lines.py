"""What is fused and what shares a check computes what the instructions say: native code against the interpreter.

Random programs, from a seed; and a count that shows that they are full of what this is about.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import pytest

from jit.group import grouped
from jit.lower import lower
from jit.regions import guess
from runtime import Exited, Faulted
from tests.jit.straight_lines import INPUT, LAYOUT, bare, ending, program
from validator.validate import Validated

PROGRAMS, SEEDS = 600, 6


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_programs_end_alike_on_both_engines(seed: int) -> None:
    random = Random(seed)
    ends: Counter[str] = Counter()
    for number in range(PROGRAMS):
        code = program(random)
        native, reference = (ending(bare(code, engine), INPUT) for engine in ("jit", "interpreter"))
        assert native == reference, f"program {number} of seed {seed}: {code.hex()}"
        ends[type(native[0]).__name__] += 1
    assert ends[Exited.__name__] > PROGRAMS // 4
    assert ends[Faulted.__name__] > PROGRAMS // 4


def test_the_programs_are_full_of_runs_and_groups() -> None:
    """Also of those that a label parts, and of groups that are left at their first, a middle and their last access."""
    random = Random(0)
    found: Counter[str] = Counter()
    for _ in range(PROGRAMS // 2):
        by = bare(program(random), "jit")
        validated = by.text.validated
        found.update(_runs(validated))
        groups = grouped(validated, validated.functions[0], LAYOUT, guess(validated, LAYOUT), frozenset())
        parted = grouped(
            validated,
            validated.functions[0],
            LAYOUT,
            guess(validated, LAYOUT),
            validated.targets,
        )
        found["parted by a label"] += groups != parted
        outcome = ending(by, INPUT)[0]
        if isinstance(outcome, Faulted) and outcome.pc in parted:
            members = [pc for pc in parted if parted[pc] == parted[outcome.pc]]
            found[_place(members.index(outcome.pc), len(members))] += 1
        found["groups"] += len(set(parted.values()))
    expected = ("AddressSum", "AddressOffset", "Rotate 4", "Rotate 5", "BranchImm")
    places = ("fault at the first", "fault in the middle", "fault at the last", "parted by a label")
    assert min(found[name] for name in (*expected, *places)) >= 5, found
    assert found["groups"] > PROGRAMS // 2, found


def _runs(validated: Validated) -> Counter[str]:
    runs: Counter[str] = Counter()
    blocks = lower(validated, validated.functions[0], LAYOUT, {})
    for block, following in pairwise(blocks):
        if following.joined and not block.joined:
            name = type(block.macros[-1]).__name__
            after = blocks[blocks.index(block) + 1 :]
            length = 1 + next(i for i, other in enumerate(after) if not other.joined)
            runs[f"{name} {length}" if name == "Rotate" else name] += 1
    return runs


def _place(index: int, count: int) -> str:
    return {0: "fault at the first", count - 1: "fault at the last"}.get(index, "fault in the middle")
