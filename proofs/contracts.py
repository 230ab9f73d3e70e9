"""Contracts on pure functions of the core, which CrossHair tries to break.

Each function below takes plain values, asserts what it expects of them, calls the shipped function, and asserts what
must hold of the result. CrossHair runs it on symbolic values of its own making, through CPython's own semantics: other
machinery than `proofs.executor`, so that it may see what that one gets wrong. What its answer means: "counterexample"
is one, and fails the run. No counterexample within the time is NOT a proof; paths may be left.
"""

from __future__ import annotations

import subprocess
import sys

from rich.console import Console

from jit.assemble import distance
from jit.encode import signed_field, unsigned_field
from jit.layout import Span, aligned, in_span, power_of_two
from proofs.cache import REPOSITORY
from validator.isa import Instruction, form_of, successors


def signed_fields_hold_their_value(value: int, size: int) -> None:
    assert size in {1, 4}
    assert -(1 << 8 * size - 1) <= value < 1 << 8 * size - 1
    field = signed_field(value, size)
    assert len(field) == size
    assert all(0 <= byte <= 255 for byte in field)
    assert int.from_bytes(bytes(field), "little", signed=True) == value


def unsigned_fields_hold_their_value(value: int) -> None:
    assert 0 <= value < 1 << 32
    assert sum(byte << 8 * k for k, byte in enumerate(unsigned_field(value, 4))) == value


def distances_reach_their_target(target: int, end: int) -> None:
    assert -(1 << 31) <= target - end < 1 << 31
    low, second, third, high = distance(target, end)
    field = low | second << 8 | third << 16 | high << 24
    assert end + (field if field < 1 << 31 else field - (1 << 32)) == target


def accepted_ranges_lie_inside(low: int, length: int, pointer: int, size: int) -> None:
    assert low >= 0
    assert length >= 0
    assert size > 0
    inside = low <= pointer and pointer + size <= low + length
    assert in_span(Span(low, length), pointer, size) == inside


def powers_of_two_are_the_next_ones(size: int) -> None:
    assert 0 <= size <= 1 << 12
    power = power_of_two(size)
    assert power & power - 1 == 0
    assert power >= max(size, 1)
    assert power == 1 or power // 2 < size


def aligned_addresses_are_the_next_ones(address: int) -> None:
    assert 0 <= address < 1 << 40
    found = aligned(address, 4096)
    assert found % 4096 == 0
    assert 0 <= found - address < 4096


def successors_are_few_and_none_is_the_instruction_itself_but_for_jumps(
    opcode: int, offset: int, imm: int, pc: int
) -> None:
    assert 0 <= opcode <= 255
    assert -(1 << 15) <= offset < 1 << 15
    assert -(1 << 31) <= imm < 1 << 31
    assert pc >= 0
    instruction = Instruction(opcode, 0, 0, offset, imm)
    form = form_of(instruction)
    if form is not None:
        found = successors(form, instruction, pc)
        assert len(found) <= 2
        assert all(s in (pc + 1, pc + 2, pc + 1 + offset, pc + 1 + imm) for s in found)


CONTRACTS = tuple(
    name for name, value in list(globals().items()) if callable(value) and getattr(value, "__module__", "") == __name__
)


def run(console: Console, seconds: int) -> bool:
    """Whether CrossHair found no counterexample in about so many seconds."""
    each = max(1, seconds // len(CONTRACTS))
    command = [sys.executable, "-m", "crosshair", "check", "--analysis_kind=asserts", f"--per_condition_timeout={each}"]
    targets = [f"{__spec__.name}.{name}" for name in CONTRACTS]
    done = subprocess.run([*command, *targets], cwd=REPOSITORY, check=False, capture_output=True, text=True)
    for line in (done.stdout + done.stderr).splitlines():
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    verdict = "no counterexample, which proves nothing" if done.returncode == 0 else "failed"
    console.print(f"CrossHair: {len(CONTRACTS)} contracts, {each} s each: {verdict}", highlight=False)
    return done.returncode == 0
