"""Decoding and validating: which slots become instructions, and which of several mistakes is reported."""

from __future__ import annotations

import struct

import pytest

from validator.decode import decode
from validator.errors import Reason, Rejected
from validator.isa import Instruction
from validator.validate import Function, validate

EXIT = struct.pack("<BBhi", 0x95, 0, 0, 0)
MOV = struct.pack("<BBhi", 0xB7, 0, 0, 7)
LOW = struct.pack("<BBhi", 0x18, 3, 0, -1)
HIGH = struct.pack("<BBhi", 0, 0, 0, -2)


def jump(distance: int) -> bytes:
    return struct.pack("<BBhi", 0x05, 0, distance, 0)


def call(distance: int) -> bytes:
    return struct.pack("<BBhi", 0x85, 0x10, 0, distance)


def test_an_lddw_has_both_halves_and_nothing_in_its_second_slot() -> None:
    wide = Instruction(0x18, 3, 0, 0, 0xFFFFFFFE_FFFFFFFF)
    assert decode(LOW + HIGH + EXIT) == (wide, None, Instruction(0x95))
    assert decode(LOW + HIGH + LOW + HIGH) == (wide, None, wide, None)


@pytest.mark.parametrize(
    ("code", "reason", "pc"),
    [
        (MOV + EXIT[:7], Reason.PARTIAL_SLOT, 1),
        (MOV + LOW, Reason.TRUNCATED_WIDE, 1),
        (LOW + HIGH + LOW, Reason.TRUNCATED_WIDE, 2),
        (LOW + LOW, Reason.WIDE_SECOND, 1),
        (LOW + LOW + HIGH, Reason.WIDE_SECOND, 1),
        (LOW + MOV + LOW, Reason.WIDE_SECOND, 1),  # the first mistake
        (LOW + struct.pack("<BBhi", 0, 1, 0, 0), Reason.WIDE_SECOND, 1),
        (LOW + struct.pack("<BBhi", 0, 0, 1, 0), Reason.WIDE_SECOND, 1),
    ],
)
def test_code_that_is_no_sequence_of_instructions(code: bytes, reason: Reason, pc: int) -> None:
    with pytest.raises(Rejected) as rejected:
        decode(code)
    assert (rejected.value.reason, rejected.value.pc) == (reason, pc)


def test_a_memo_of_one_program_serves_another() -> None:
    memo: dict[bytes, Instruction] = {}
    first = decode(LOW + HIGH + EXIT, memo)
    assert decode(EXIT + LOW + HIGH, memo) == (first[2], first[0], None)
    assert set(memo) == {LOW, HIGH, EXIT}


def test_functions_are_adjacent_and_targets_are_where_jumps_go() -> None:
    program = decode(jump(0) + EXIT + call(1) + EXIT + MOV + jump(-2))
    validated = validate(program, (0,), starts=(2,))
    assert validated.functions == (Function(0, 2), Function(2, 4), Function(4, 6))
    assert validated.targets == {1, 4}


@pytest.mark.parametrize(
    ("code", "starts", "reason", "pc"),
    [
        (EXIT, (1,), Reason.ENTRY, 1),
        (EXIT, (-1,), Reason.ENTRY, -1),
        (LOW + HIGH + EXIT, (1,), Reason.ENTRY, 1),
        (call(-2) + EXIT, (), Reason.CALL_OUTSIDE, 0),
        (call(1) + EXIT, (), Reason.CALL_OUTSIDE, 0),
        (call(2) + EXIT + LOW + HIGH + EXIT, (), Reason.CALL_INTO_WIDE, 0),
        (jump(1) + EXIT, (), Reason.JUMP_OUTSIDE, 0),
        (jump(-2) + EXIT, (), Reason.JUMP_OUTSIDE, 0),
        (jump(1) + EXIT + EXIT, (2,), Reason.JUMP_OUTSIDE, 0),
        (jump(1) + LOW + HIGH + EXIT, (), Reason.JUMP_INTO_WIDE, 0),
        (MOV, (), Reason.FALLS_OFF, 0),
        (MOV + EXIT, (1,), Reason.FALLS_OFF, 0),
        (EXIT + LOW + HIGH, (), Reason.FALLS_OFF, 1),
        (call(-1), (), Reason.FALLS_OFF, 0),
    ],
)
def test_programs_whose_control_would_go_astray(code: bytes, starts: tuple[int, ...], reason: Reason, pc: int) -> None:
    with pytest.raises(Rejected) as rejected:
        validate(decode(code), (0,), starts=starts)
    assert (rejected.value.reason, rejected.value.pc) == (reason, pc)
