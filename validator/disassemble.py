"""The text of an instruction, for error messages and `explain`; any five field values have one.

Nothing decides on this text. Trusted by: readers.
"""

from __future__ import annotations

from validator.isa import Form, Instruction, Kind, Operation, Source, call_target, form_of, jump_target

_SIZE_SUFFIX = {1: "b", 2: "h", 4: "w", 8: "dw"}


def disassemble(instruction: Instruction, pc: int | None = None) -> str:
    """One line of assembly text; with `pc`, jump and call targets are shown as `pc N` instead of distances."""
    form = form_of(instruction)
    if form is None:
        i = instruction
        return f"opcode {i.opcode:#04x} dst {i.dst} src {i.src} offset {i.offset} imm {i.imm}"
    return _text(form, instruction, pc)


def _text(form: Form, i: Instruction, pc: int | None) -> str:
    narrow = "32" if form.bits == 32 else ""
    operand = f"r{i.src}" if form.source is Source.REG else str(i.imm)
    match form.kind:
        case Kind.ALU:
            return f"{form.operation.value}{narrow} r{i.dst}, {operand}"
        case Kind.NEGATE:
            return f"neg{narrow} r{i.dst}"
        case Kind.SIGN_EXTEND:
            return f"movsx{form.bits}{form.to_bits} r{i.dst}, r{i.src}"
        case Kind.BYTE_ORDER:
            return f"{form.operation.value}{form.bits} r{i.dst}"
        case Kind.WIDE_IMMEDIATE:
            return f"lddw r{i.dst}, {i.imm:#x}"
        case Kind.LOAD:
            sign = "s" if form.signed else ""
            return f"ldx{sign}{_SIZE_SUFFIX[form.size]} r{i.dst}, {_address(i.src, i.offset)}"
        case Kind.STORE:
            prefix = "stx" if form.source is Source.REG else "st"
            return f"{prefix}{_SIZE_SUFFIX[form.size]} {_address(i.dst, i.offset)}, {operand}"
        case Kind.ATOMIC:
            fetch = "fetch_" if form.fetch and form.operation not in (Operation.XCHG, Operation.CMPXCHG) else ""
            return f"lock {fetch}{form.operation.value}{narrow} {_address(i.dst, i.offset)}, r{i.src}"
        case Kind.JUMP:
            return f"ja{narrow} {_target(jump_target(form, i, pc or 0), pc)}"
        case Kind.BRANCH:
            return f"{form.operation.value}{narrow} r{i.dst}, {operand}, {_target(jump_target(form, i, pc or 0), pc)}"
        case Kind.CALL_HELPER:
            return f"call {i.imm}"
        case Kind.CALL_LOCAL:
            return f"call local {_target(call_target(form, i, pc or 0), pc)}"
        case Kind.EXIT:
            return "exit"


def _address(register: int, offset: int) -> str:
    return f"[r{register}{offset:+d}]" if offset else f"[r{register}]"


def _target(target: int | None, pc: int | None) -> str:
    assert target is not None
    return f"{target - 1:+d}" if pc is None else f"pc {target}"
