"""The eBPF instruction set: which encodings are instructions, and what each one reads, writes and reaches.

Decides: the form of an instruction (`form_of`), the fields it uses, the registers that it reads and writes, and
its successors. Trusts nothing: any five field values may be asked about. Trusted by: the validator, the region
analysis, `lower`, the gate and the reference semantics, which all ask here and keep no second table, so that
"cmpxchg writes r0" and "ja32 jumps by imm" are said once.

Source: RFC 9669, sections 3 to 5.6. A form that the RFC defines as legacy (packet access) or that this runtime
does not resolve (indirect calls, pseudo sources of lddw) has no row here; `ABSENT` names the frequent ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from typing import Final, NamedTuple

FRAME_POINTER = 10
SLOT_BYTES = 8


class Kind(Enum):
    """What sort of thing an instruction is: the one dispatch key of every pass."""

    __hash__ = object.__hash__  # members are single objects; Enum hashes their names, 0.1 us each time

    ALU = "alu"  # dst := dst op operand, mov included
    NEGATE = "negate"
    SIGN_EXTEND = "sign extend"  # movsx
    BYTE_ORDER = "byte order"  # le, be, bswap
    WIDE_IMMEDIATE = "wide immediate"  # lddw
    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"
    JUMP = "jump"
    BRANCH = "branch"
    CALL_HELPER = "helper call"
    CALL_LOCAL = "local call"
    EXIT = "exit"


class Operation(Enum):
    """The operation within a kind; the value is the mnemonic's stem."""

    __hash__ = object.__hash__

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    SDIV = "sdiv"
    MOD = "mod"
    SMOD = "smod"
    OR = "or"
    AND = "and"
    XOR = "xor"
    LSH = "lsh"
    RSH = "rsh"
    ARSH = "arsh"
    MOV = "mov"
    TO_LITTLE = "le"
    TO_BIG = "be"
    SWAP = "bswap"
    JEQ = "jeq"
    JNE = "jne"
    JGT = "jgt"
    JGE = "jge"
    JLT = "jlt"
    JLE = "jle"
    JSGT = "jsgt"
    JSGE = "jsge"
    JSLT = "jslt"
    JSLE = "jsle"
    JSET = "jset"
    XCHG = "xchg"
    CMPXCHG = "cmpxchg"
    NONE = ""


class Source(Enum):
    """Where the second operand comes from."""

    IMM = "immediate"
    REG = "register"
    NONE = "none"


class Field(IntEnum):
    """An encoding field that may tell two forms of one opcode apart; the value is its place in `Instruction`."""

    DST = 1
    SRC = 2
    OFFSET = 3
    IMM = 4


class Instruction(NamedTuple):
    """One instruction as encoded. `offset` and `imm` are signed, except that lddw's `imm` is its 64-bit value.

    A named tuple: programs are made of them and memos keyed by them, and a frozen dataclass takes three times as long
    to make and twice as long to hash.
    """

    opcode: int
    dst: int = 0
    src: int = 0
    offset: int = 0
    imm: int = 0


# A program is one entry per 8-byte slot; the second slot of an lddw is None, so that pcs are slot numbers.
Program = tuple[Instruction | None, ...]


@dataclass(frozen=True, slots=True)
class Form:
    """One row of the instruction set: everything that does not depend on the operands.

    `bits` is the width of the operation (32 or 64; for byte order and sign extension the width of the source),
    `size` the bytes of a memory access (0 where there is none).
    """

    kind: Kind
    operation: Operation = Operation.NONE
    bits: int = 64
    source: Source = Source.NONE
    size: int = 0
    signed: bool = False  # a load that sign-extends
    fetch: bool = False  # an atomic that returns the old value
    to_bits: int = 64  # sign extension only: width of the destination
    uses: frozenset[Field] = frozenset()  # fields that carry an operand; all others are reserved


@dataclass(frozen=True, slots=True)
class Row:
    """`form` is meant if `field` holds `value` (always, if `field` is None). `reserved` fields must be zero."""

    form: Form
    field: Field | None = None
    value: int = 0
    reserved: tuple[Field, ...] = ()


_D, _S, _O, _I = Field.DST, Field.SRC, Field.OFFSET, Field.IMM
# instruction classes (RFC 9669 section 3.1) and the source bit (section 4.1)
_LD, _LDX, _ST, _STX, _ALU, _JMP, _JMP32, _ALU64 = range(8)
_X = 0x08

_ALU_CODES = (
    # code  operation        signed twin (offset 1)
    (0x00, Operation.ADD, None),
    (0x10, Operation.SUB, None),
    (0x20, Operation.MUL, None),
    (0x30, Operation.DIV, Operation.SDIV),
    (0x40, Operation.OR, None),
    (0x50, Operation.AND, None),
    (0x60, Operation.LSH, None),
    (0x70, Operation.RSH, None),
    (0x90, Operation.MOD, Operation.SMOD),
    (0xA0, Operation.XOR, None),
    (0xB0, Operation.MOV, None),
    (0xC0, Operation.ARSH, None),
)
_BRANCH_CODES = (
    (0x10, Operation.JEQ),
    (0x20, Operation.JGT),
    (0x30, Operation.JGE),
    (0x40, Operation.JSET),
    (0x50, Operation.JNE),
    (0x60, Operation.JSGT),
    (0x70, Operation.JSGE),
    (0xA0, Operation.JLT),
    (0xB0, Operation.JLE),
    (0xC0, Operation.JSLT),
    (0xD0, Operation.JSLE),
)
_SIZES = ((0x00, 4), (0x08, 2), (0x10, 1), (0x18, 8))
_ATOMIC_CODES = (
    # imm   operation          fetch
    (0x00, Operation.ADD, False),
    (0x01, Operation.ADD, True),
    (0x40, Operation.OR, False),
    (0x41, Operation.OR, True),
    (0x50, Operation.AND, False),
    (0x51, Operation.AND, True),
    (0xA0, Operation.XOR, False),
    (0xA1, Operation.XOR, True),
    (0xE1, Operation.XCHG, True),
    (0xF1, Operation.CMPXCHG, True),
)


def _alu_rows() -> dict[int, tuple[Row, ...]]:
    rows: dict[int, tuple[Row, ...]] = {}
    for cls, bits in ((_ALU, 32), (_ALU64, 64)):
        for code, operation, signed_twin in _ALU_CODES:
            for bit, source, operand in ((0, Source.IMM, _I), (_X, Source.REG, _S)):
                uses = frozenset((_D, operand))
                plain = Form(Kind.ALU, operation, bits, source, uses=uses)
                variants = [Row(plain, _O, 0)]
                if signed_twin is not None:
                    variants.append(Row(Form(Kind.ALU, signed_twin, bits, source, uses=uses), _O, 1))
                if operation is Operation.MOV and source is Source.REG:
                    for narrow in (8, 16, 32)[: 3 if bits == 64 else 2]:
                        form = Form(Kind.SIGN_EXTEND, Operation.MOV, narrow, source, to_bits=bits, uses=uses)
                        variants.append(Row(form, _O, narrow))
                rows[cls | bit | code] = tuple(variants)
        rows[cls | 0x80] = (Row(Form(Kind.NEGATE, bits=bits, uses=frozenset((_D,)))),)
    for opcode, operation in ((0xD4, Operation.TO_LITTLE), (0xDC, Operation.TO_BIG), (0xD7, Operation.SWAP)):
        rows[opcode] = tuple(
            Row(Form(Kind.BYTE_ORDER, operation, bits, uses=frozenset((_D,))), _I, bits) for bits in (16, 32, 64)
        )
    return rows


def _jump_rows() -> dict[int, tuple[Row, ...]]:
    rows: dict[int, tuple[Row, ...]] = {}
    for cls, bits in ((_JMP, 64), (_JMP32, 32)):
        for code, operation in _BRANCH_CODES:
            for bit, source, operand in ((0, Source.IMM, _I), (_X, Source.REG, _S)):
                form = Form(Kind.BRANCH, operation, bits, source, uses=frozenset((_D, _O, operand)))
                rows[cls | bit | code] = (Row(form),)
    rows[_JMP] = (Row(Form(Kind.JUMP, uses=frozenset((_O,)))),)
    rows[_JMP32] = (Row(Form(Kind.JUMP, bits=32, uses=frozenset((_I,)))),)
    rows[0x85] = (
        Row(Form(Kind.CALL_HELPER, uses=frozenset((_I,))), _S, 0),
        Row(Form(Kind.CALL_LOCAL, uses=frozenset((_I,))), _S, 1),
    )
    rows[0x95] = (Row(Form(Kind.EXIT)),)
    return rows


def _memory_rows() -> dict[int, tuple[Row, ...]]:
    rows: dict[int, tuple[Row, ...]] = {}
    for code, size in _SIZES:
        load = frozenset((_D, _S, _O))
        rows[_LDX | 0x60 | code] = (Row(Form(Kind.LOAD, size=size, uses=load)),)
        if size < 8:
            rows[_LDX | 0x80 | code] = (Row(Form(Kind.LOAD, size=size, signed=True, uses=load)),)
        store_imm = Form(Kind.STORE, source=Source.IMM, size=size, uses=frozenset((_D, _O, _I)))
        store_reg = Form(Kind.STORE, source=Source.REG, size=size, uses=load)
        rows[_ST | 0x60 | code] = (Row(store_imm),)
        rows[_STX | 0x60 | code] = (Row(store_reg),)
    for opcode, size in ((0xC3, 4), (0xDB, 8)):
        rows[opcode] = tuple(
            Row(Form(Kind.ATOMIC, op, size * 8, Source.REG, size, fetch=fetch, uses=frozenset((_D, _S, _O))), _I, code)
            for code, op, fetch in _ATOMIC_CODES
        )
    rows[0x18] = (Row(Form(Kind.WIDE_IMMEDIATE, source=Source.IMM, uses=frozenset((_D, _I))), _S, 0),)
    return rows


def _with_reserved(row: Row) -> Row:
    reserved = tuple(field for field in Field if field not in row.form.uses and field is not row.field)
    return replace(row, reserved=reserved)


ROWS: dict[int, tuple[Row, ...]] = {
    opcode: tuple(_with_reserved(row) for row in rows)
    for opcode, rows in {**_alu_rows(), **_jump_rows(), **_memory_rows()}.items()
}

ABSENT: dict[int, str] = {
    0x8D: "callx: a call through a register is not an instruction of RFC 9669",
    0x86: "call in the JMP32 class is not an instruction of RFC 9669",
    0x96: "exit in the JMP32 class is not an instruction of RFC 9669",
    0xE5: "may_goto is not an instruction of RFC 9669",
    **{
        mode | code | _LD: f"legacy packet access (ld{name}{letter}) is not supported"
        for mode, name in ((0x20, "abs"), (0x40, "ind"))
        for code, letter in ((0x00, "w"), (0x08, "h"), (0x10, "b"), (0x18, "dw"))
    },
}


def row_of(instruction: Instruction) -> Row | None:
    """The row of `instruction`, or None if it has none. Reserved fields are not looked at here."""
    for row in ROWS.get(instruction.opcode, ()):
        if row.field is None or instruction[row.field] == row.value:
            return row
    return None


def form_of(instruction: Instruction) -> Form | None:
    """The form of `instruction`, or None if it has none. Reserved fields are not looked at here."""
    row = row_of(instruction)
    return row.form if row is not None else None


def discriminator(instruction: Instruction) -> Field | None:
    """The field that tells the forms of this opcode apart, if it has several."""
    rows = ROWS.get(instruction.opcode, ())
    return rows[0].field if rows else None


def registers_written(form: Form, instruction: Instruction) -> tuple[int, ...]:
    """The eBPF registers that the instruction changes.

    A helper call writes r0 and clears r1 to r5; a local call returns r0 and whatever the callee left in r1 to r5.
    """
    if form.kind in _WRITE_DST:
        return (instruction.dst,)
    match form.kind:
        case Kind.ATOMIC:
            if form.operation is Operation.CMPXCHG:
                return (0,)
            return (instruction.src,) if form.fetch else ()
        case Kind.CALL_HELPER | Kind.CALL_LOCAL:
            return (0, 1, 2, 3, 4, 5)
        case Kind.STORE | Kind.JUMP | Kind.BRANCH | Kind.EXIT:
            return ()
        case _:
            raise AssertionError(f"{form.kind} is in no arm")


_WRITE_DST: Final = frozenset(
    (Kind.ALU, Kind.NEGATE, Kind.SIGN_EXTEND, Kind.BYTE_ORDER, Kind.WIDE_IMMEDIATE, Kind.LOAD)
)


# What follows is asked of every instruction by every pass, and to look a member up in its class takes 0.07 us.
_WIDE_IMMEDIATE: Final = Kind.WIDE_IMMEDIATE
_JUMP: Final = Kind.JUMP
_BRANCH: Final = Kind.BRANCH
_CALL_LOCAL: Final = Kind.CALL_LOCAL
_EXIT: Final = Kind.EXIT


def slots(form: Form) -> int:
    """How many 8-byte slots the instruction fills."""
    return 2 if form.kind is _WIDE_IMMEDIATE else 1


def jump_target(form: Form, instruction: Instruction, pc: int) -> int | None:
    """The pc that a taken jump or branch reaches; None for other kinds. ja32 jumps by imm (RFC 9669 section 4.3)."""
    if form.kind is _BRANCH:
        return pc + 1 + instruction.offset
    if form.kind is _JUMP:
        return pc + 1 + (instruction.imm if form.bits == 32 else instruction.offset)
    return None


def call_target(form: Form, instruction: Instruction, pc: int) -> int | None:
    """The pc of the function that a local call enters; None for other kinds."""
    return pc + 1 + instruction.imm if form.kind is _CALL_LOCAL else None


def falls_through(form: Form) -> bool:
    """Whether control can go on at the next instruction (for a call: after its return)."""
    return form.kind is not _EXIT and form.kind is not _JUMP


def successors(form: Form, instruction: Instruction, pc: int) -> tuple[int, ...]:
    """The pcs that can follow within the same function activation, fall-through first."""
    following = (pc + slots(form),) if falls_through(form) else ()
    target = jump_target(form, instruction, pc)
    return following if target is None else (*following, target)
