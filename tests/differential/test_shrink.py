"""Shrinking keeps the way two engines differ, and leaves what it takes and nothing else."""

from __future__ import annotations

from differential.outcome import FINISHED, MEMORY_FAULT, Outcome
from differential.placement import Placement
from differential.shrink import shrunk
from differential.snippet import PAGE, STARTING_FLAGS, Snippet
from differential.writer import write_snippet
from jit.registers import Reg
from jit.x86 import Alu, AluImm32, Load, Mem, MovImm64, Neg

SEVERAL = next(
    snippet
    for snippet in (write_snippet(1, index, Placement().scratch) for index in range(1000))
    if any(isinstance(i, Neg) for i in snippet.instructions) and len(snippet.instructions) > 20
)


def ended(snippet: Snippet, *, otherwise: bool) -> dict[str, Outcome]:
    """The reference finishes; the other one faults if `otherwise`."""
    return {"one": Outcome(FINISHED), "other": Outcome(MEMORY_FAULT if otherwise else FINISHED)}


def differ(_: Snippet, outcomes: dict[str, Outcome]) -> bool:
    return outcomes["one"] != outcomes["other"]


def test_leaves_the_instruction_that_matters_and_the_simplest_state() -> None:
    smallest = shrunk(SEVERAL, lambda s: ended(s, otherwise=any(isinstance(i, Neg) for i in s.instructions)), differ)
    (left,) = smallest.instructions
    assert isinstance(left, Neg)
    assert smallest.registers == (0,) * 16
    assert (smallest.page, smallest.flags) == (bytes(PAGE), STARTING_FLAGS[0][0])


def test_keeps_values_that_matter() -> None:
    rax = SEVERAL.registers[Reg.rax] | 2
    several = SEVERAL.with_register(Reg.rax, rax)
    smallest = shrunk(several, lambda s: ended(s, otherwise=s.registers[Reg.rax] == rax), differ)
    assert smallest.instructions == ()
    assert smallest.registers == (rax, *[0] * 15)


def test_numbers_in_instructions_become_simple_but_not_places_in_memory() -> None:
    instructions = (MovImm64(Reg.rax, 1 << 40), AluImm32(Alu.ADD, 64, Reg.rax, 4711), Load(8, Reg.rax, Mem(100)))
    case = Snippet(0, instructions, (0,) * 16, STARTING_FLAGS[0][0], bytes(PAGE))
    smallest = shrunk(case, lambda s: ended(s, otherwise=len(s.instructions) == 3), differ)
    assert smallest.instructions == (MovImm64(Reg.rax, 0), AluImm32(Alu.ADD, 64, Reg.rax, 0), instructions[2])


def test_another_way_to_differ_is_not_followed() -> None:
    def run(snippet: Snippet) -> dict[str, Outcome]:
        if len(snippet.instructions) > 5:
            return ended(snippet, otherwise=True)
        return {"one": Outcome(MEMORY_FAULT), "other": Outcome(FINISHED)}

    assert len(shrunk(SEVERAL, run, differ).instructions) == 6


def test_a_candidate_that_cannot_be_assembled_is_passed_over() -> None:
    def run(snippet: Snippet) -> dict[str, Outcome]:
        if len(snippet.instructions) % 2:
            raise KeyError(0)
        return ended(snippet, otherwise=len(snippet.instructions) >= 4)

    even = SEVERAL if len(SEVERAL.instructions) % 2 == 0 else None
    case = even or Snippet(0, SEVERAL.instructions[:-1], SEVERAL.registers, SEVERAL.flags, SEVERAL.page)
    assert len(shrunk(case, run, differ).instructions) == 4
