"""The errors of the load path, from bytes to a validated program.

    LoadError                 the input cannot be loaded; every one below says where and what would be right
    |- ElfError               the object file is malformed: section, file offset
    |- LinkError              the object is well-formed but cannot be linked: section, offset, symbol
    |  `- UnknownHelpers      calls to functions that are neither defined nor offered; lists all of them
    |- LimitExceeded          something is larger than a limit
    `- Rejected               the validator refuses an instruction: pc, the instruction, the reason

Attributes carry the facts; the message is made from them.
"""

from __future__ import annotations

from enum import Enum

from validator.disassemble import disassemble
from validator.isa import Instruction


class LoadError(Exception):
    """The input cannot be loaded."""


class ElfError(LoadError):
    """The object file is malformed. `offset` counts bytes from the start of the file."""

    def __init__(self, reason: str, *, section: str | None = None, offset: int | None = None) -> None:
        self.reason, self.section, self.offset = reason, section, offset
        super().__init__(_located(reason, section, offset, "file offset"))


class LinkError(LoadError):
    """The object cannot be linked. `offset` counts bytes from the start of `section`."""

    def __init__(
        self, reason: str, *, section: str | None = None, offset: int | None = None, symbol: str | None = None
    ) -> None:
        self.reason, self.section, self.offset, self.symbol = reason, section, offset, symbol
        named = f"{reason} (symbol {symbol!r})" if symbol else reason
        super().__init__(_located(named, section, offset, "offset"))


class UnknownHelpers(LinkError):
    """Functions that the object calls and nobody supplies, in order of first use."""

    def __init__(self, names: tuple[str, ...], offered: tuple[str, ...] = ()) -> None:
        self.names, self.offered = names, offered
        known = ", ".join(offered) if offered else "none"
        super().__init__(f"unknown helpers: {', '.join(names)}; helpers that this host offers: {known}")


class LimitExceeded(LoadError):
    """Something is larger than a limit; both are in the unit that `what` names."""

    def __init__(self, what: str, size: int, limit: int) -> None:
        self.what, self.size, self.limit = what, size, limit
        super().__init__(f"{what}: {size}, the limit is {limit}")


class Reason(Enum):
    """Why the validator refuses an instruction; the value is the sentence, without its subject."""

    EMPTY = "the program is empty"
    PARTIAL_SLOT = "the program's length is not a multiple of 8 bytes"
    UNDEFINED = "not an instruction of RFC 9669"
    LEGACY = "not supported"
    VARIANT = "no form of this opcode has such a value in the field that selects the form"
    RESERVED = "a field that this instruction does not use must be zero"
    REGISTER = "there is no such register: eBPF has r0 to r10"
    WRITES_R10 = "r10 is the frame pointer and read-only"
    TRUNCATED_WIDE = "lddw needs a second slot"
    WIDE_SECOND = "the second slot of lddw may hold only the upper immediate"
    JUMP_OUTSIDE = "the jump leaves the function"
    JUMP_INTO_WIDE = "the jump lands in the second slot of an lddw"
    CALL_OUTSIDE = "the call target lies outside the program"
    CALL_INTO_WIDE = "the call lands in the second slot of an lddw"
    UNKNOWN_HELPER = "no helper has this number"
    FALLS_OFF = "control can run past the end of the function; the last instruction must be exit or a jump"
    ENTRY = "the entry is not the start of an instruction"
    TOO_LONG = "the program is longer than the limit"


class Rejected(LoadError):
    """The validator refuses the program. `pc` counts 8-byte slots; `detail` says what was found and what is right."""

    def __init__(self, reason: Reason, pc: int, instruction: Instruction | None = None, detail: str = "") -> None:
        self.reason, self.pc, self.instruction, self.detail = reason, pc, instruction, detail
        shown = f" `{disassemble(instruction, pc)}`" if instruction is not None else ""
        super().__init__(f"pc {pc}:{shown} {reason.value}{': ' + detail if detail else ''}")


def _located(reason: str, section: str | None, offset: int | None, unit: str) -> str:
    where = [f"section {section!r}"] if section is not None else []
    if offset is not None:
        where.append(f"{unit} {offset:#x}")
    return f"{', '.join(where)}: {reason}" if where else reason
