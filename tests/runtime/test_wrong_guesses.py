"""What happens when the region analysis guesses wrong: the guest is right all the same, and not slow for ever."""

import pytest

import runtime
from jit.layout import Region, plan
from jit.regions import guess
from runtime.text import _WRONG_GUESSES
from validator.decode import decode, encode
from validator.isa import Instruction
from validator.validate import validate

ITERATIONS = 10_000

# r3 := r1 + (r10 - 8 - r1), which looks like calldata and is the frame; counts up there in a loop
PROGRAM = (
    Instruction(0xBF, 6, 1),  # mov r6, r1
    Instruction(0x7A, 10, 0, -8, 0),  # stdw [r10-8], 0
    Instruction(0xBF, 4, 10),  # mov r4, r10
    Instruction(0x17, 4, 0, 0, 8),  # sub r4, 8
    Instruction(0x1F, 4, 6),  # sub r4, r6
    Instruction(0xBF, 3, 6),  # mov r3, r6
    Instruction(0x0F, 3, 4),  # add r3, r4
    Instruction(0x79, 5, 3, 0),  # ldxdw r5, [r3]
    Instruction(0x07, 5, 0, 0, 1),  # add r5, 1
    Instruction(0x7B, 3, 5, 0),  # stxdw [r3], r5
    Instruction(0x55, 5, 0, -6, ITERATIONS),  # jne r5, ITERATIONS, pc 5
    Instruction(0x79, 0, 10, -8),  # ldxdw r0, [r10-8]
    Instruction(0x95),  # exit
)


def test_this_program_is_guessed_wrong() -> None:
    validated = validate(PROGRAM)
    assert guess(validated, plan(calldata_size=8)) == {
        1: Region.STACK,
        7: Region.CALLDATA,
        9: Region.CALLDATA,
        11: Region.STACK,
    }
    assert decode(encode(PROGRAM)) == PROGRAM


@pytest.mark.parametrize("fuel", [None, 10 * ITERATIONS], ids=["sliced", "counted"])
def test_wrong_guesses_change_nothing_and_end_after_a_few(fuel: int | None) -> None:
    host = runtime.Host()
    program = runtime.load_bytecode(encode(PROGRAM), engine="jit", host=host)
    with program.instantiate() as guest:
        assert guest.run(bytes(8), fuel=fuel) == runtime.Exited(ITERATIONS)
        units = [program.unit_for(guest.layout, counted) for counted in (True, False)]
        assert max(unit.wrong_guesses for unit in units) == _WRONG_GUESSES
        assert guest.run(bytes(8), fuel=fuel) == runtime.Exited(ITERATIONS)
        assert max(unit.wrong_guesses for unit in units) == _WRONG_GUESSES


def test_a_fault_is_no_wrong_guess() -> None:
    program = runtime.load_bytecode(encode((Instruction(0x71, 0, 1, 8), Instruction(0x95))), engine="jit")
    with program.instantiate() as guest:
        for _ in range(2 * _WRONG_GUESSES):
            assert isinstance(guest.run(bytes(8)), runtime.Faulted)
        assert program.unit_for(guest.layout).wrong_guesses == 0


# r6 := r1 + (r10 - r1), then a loop of three loads, so that the last wrong guess is at the first of them
THREE_LOADS = (
    Instruction(0xBF, 6, 1),  # mov r6, r1
    Instruction(0xBF, 7, 10),  # mov r7, r10
    Instruction(0x1F, 7, 1),  # sub r7, r1
    Instruction(0x0F, 6, 7),  # add r6, r7
    Instruction(0xB7, 0, 0, 0, ITERATIONS),  # mov r0, ITERATIONS
    Instruction(0x79, 2, 6, -24),  # ldxdw r2, [r6-24]
    Instruction(0x79, 3, 6, -16),  # ldxdw r3, [r6-16]
    Instruction(0x79, 4, 6, -8),  # ldxdw r4, [r6-8]
    Instruction(0x17, 0, 0, 0, 1),  # sub r0, 1
    Instruction(0x55, 0, 0, -5, 0),  # jne r0, 0, pc 5
    Instruction(0x95),  # exit
)


@pytest.mark.parametrize("fuel", [None, 10 * ITERATIONS], ids=["sliced", "counted"])
def test_code_without_guesses_may_share_checks_that_the_code_before_did_not(fuel: int | None) -> None:
    """Eight bytes of calldata hold one of the loads, a frame all three: pc 6 can be entered in the old code only."""
    program = runtime.load_bytecode(encode(THREE_LOADS), engine="jit", host=runtime.Host())
    with program.instantiate() as guest:
        assert guest.run(bytes(8), fuel=fuel) == runtime.Exited(0)
        units = [program.unit_for(guest.layout, counted) for counted in (True, False)]
        assert _WRONG_GUESSES <= max(unit.wrong_guesses for unit in units) <= _WRONG_GUESSES + 2
