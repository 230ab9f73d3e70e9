"""Draws programs that the validator accepts, and that mostly do something: pointers point somewhere, most of the time.

What makes an access good is put before it, never computed from the semantics: a base register is set to an address of
a region, or is r10, or the pointer that a function got in r1. Two programs in five are careless: some of their accesses
are just outside, or anywhere. Loops count in a register; a program that runs on is ended by its fuel.

All numbers come from a `random.Random`, so that Hypothesis can be the one who draws.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Final

from differential.programs.helpers import MIX, MOST_BYTES, READ, WRITE
from differential.programs.program import PROFILE, WIDE, GuestProgram, Line, Mark, Turn, with_row
from differential.values import signed, word
from jit.layout import Layout, Profile, plan
from validator.isa import ROWS, Form, Instruction, Kind, Operation, Row, Source, registers_written

_ROWS: Final = tuple((opcode, row) for opcode, rows in ROWS.items() for row in rows)
_COMPUTING: Final = (Kind.ALU, Kind.NEGATE, Kind.SIGN_EXTEND, Kind.BYTE_ORDER, Kind.WIDE_IMMEDIATE)
_SAVED: Final = (6, 7, 8, 9)
_READ_ONLY_SIZES = (0, 40, 40, 250, 250, 3, 9000)  # also smaller than an access, and larger than a window of a page
_WRITABLE_SIZES = (0, 64, 64, 4100, 4100, 7, 70_000)
_CALLDATA_SIZES = (0, 24, 24, 48, 48, 300, 300, 5, 66_000)
_OTHER_PROFILES = ((4096, 1), (4096, 2), (8192, 2), (40_960, 4), (4096, 64))  # bytes of a frame, and how many
_PROFILES: Final = (*[PROFILE] * 8, *(Profile(*row) for row in _OTHER_PROFILES))
_MOST_LINES, _MOST_FUNCTIONS, _MOST_NESTED = 150, 4, 2
_FRAME_TOP, _ROOM = 10, 32  # bytes behind the pointer that a function gets
_CARELESS, _SLIP = 0.4, 0.08
_WIDEST, _LOWEST_OFFSET, _HIGHEST_OFFSET = 8, -(1 << 15), (1 << 15) - 1  # of accesses; of instructions


def _of(*kinds: Kind) -> tuple[tuple[int, Row], ...]:
    return tuple((opcode, row) for opcode, row in _ROWS if row.form.kind in kinds)


_COMPUTE, _BRANCHES, _JUMPS = _of(*_COMPUTING), _of(Kind.BRANCH), _of(Kind.JUMP)
_LOADS, _STORES, _ATOMICS = _of(Kind.LOAD), _of(Kind.STORE), _of(Kind.ATOMIC)
_COMPARE_EXCHANGES: Final = tuple(row for row in _ATOMICS if row[1].form.operation is Operation.CMPXCHG)


def _only(kind: Kind, operation: Operation = Operation.NONE, source: Source | None = None) -> tuple[int, Row]:
    """The 64-bit row of this sort."""
    (found,) = [
        (opcode, row)
        for opcode, row in _of(kind)
        if row.form.operation is operation and row.form.bits == 64 and source in (None, row.form.source)
    ]
    return found


_MOV_IMM, _MOV = _only(Kind.ALU, Operation.MOV, Source.IMM), _only(Kind.ALU, Operation.MOV, Source.REG)
_ADD_IMM, _ADD = _only(Kind.ALU, Operation.ADD, Source.IMM), _only(Kind.ALU, Operation.ADD, Source.REG)
_SUB_IMM, _AND_IMM = _only(Kind.ALU, Operation.SUB, Source.IMM), _only(Kind.ALU, Operation.AND, Source.IMM)
_JEQ_IMM, _JNE_IMM = _only(Kind.BRANCH, Operation.JEQ, Source.IMM), _only(Kind.BRANCH, Operation.JNE, Source.IMM)
_LSH_IMM, _RSH_IMM = _only(Kind.ALU, Operation.LSH, Source.IMM), _only(Kind.ALU, Operation.RSH, Source.IMM)
_OR = _only(Kind.ALU, Operation.OR, Source.REG)
_SIGNED: Final = (Operation.SDIV, Operation.SMOD)
_DIVISIONS: Final = (Operation.DIV, Operation.MOD, *_SIGNED)
_DIVIDE: Final = tuple((opcode, row) for opcode, row in _COMPUTE if row.form.operation in _DIVISIONS)
_CALL_HELPER, _CALL_LOCAL, _EXIT = _only(Kind.CALL_HELPER), _only(Kind.CALL_LOCAL), _only(Kind.EXIT)


def _narrow(row: tuple[int, Row]) -> tuple[int, Row]:
    """The 32-bit row of the same operation and source."""
    form = row[1].form
    (found,) = [
        (opcode, other)
        for opcode, other in _of(form.kind)
        if (other.form.operation, other.form.source, other.form.bits) == (form.operation, form.source, 32)
    ]
    return found


def write_program(seed: int, index: int) -> GuestProgram:
    """Program `index` of `seed`."""
    return draw_program(Random(f"{seed} {index}"), index)


def draw_program(random: Random, index: int = 0) -> GuestProgram:
    """A program and its memory."""
    sizes = (random.choice(_READ_ONLY_SIZES), random.choice(_WRITABLE_SIZES), random.choice(_CALLDATA_SIZES))
    profile = random.choice(_PROFILES)
    writer = _Writer(random, plan(*sizes, profile))
    lines = writer.program()
    read_only, writable, calldata = (_content(random, size) for size in sizes)
    turns = [Turn(random.choice((0, 1, 1, 2, 5, 20)), random.randrange(3), random.random() < 0.3) for _ in range(6)]
    turns.append(Turn(random.randint(1, 3), random.randrange(3), snapshot=False))  # fuel, so that it gets on
    return GuestProgram(index, lines, read_only, writable, calldata, tuple(turns), profile)


def _content(random: Random, size: int) -> bytes:
    words = b"".join(word(random).to_bytes(8, "little") for _ in range(min(-(-size // 8), 16)))
    return (words * (size // max(len(words), 1) + 1))[:size]


@dataclass(frozen=True, slots=True)
class _Base:
    """[register + low, register + high) may be accessed. register + alignment is a multiple of 8.

    The register is not r0, which compare-and-exchanges write.
    """

    register: int
    low: int
    high: int
    alignment: int
    writable: bool


class _Writer:
    """A program in the making."""

    def __init__(self, random: Random, layout: Layout) -> None:
        self._random = random
        self._layout = layout
        self._lines: list[Line | Mark] = []
        self._marks = _MOST_FUNCTIONS  # those of functions are their numbers
        self._functions = random.randint(1, _MOST_FUNCTIONS)
        self._function = 0
        self._reserved: dict[int, bool] = {}  # registers that keep their values; whether it is the pointer
        self._nested = 0
        self._careless = random.random() < _CARELESS
        self._pieces: tuple[tuple[Callable[[], None], int], ...] = (
            (self._compute, 8),
            (self._idiom, 4),
            (self._probe if self._careless else self._accesses, 6),
            (self._accesses, 7),
            (self._branch, 4),
            (self._jump, 1),
            (self._loop, 2),
            (self._call_helper, 3),
            (self._call_local, 3),
            (self._leave, 1),
        )

    def program(self) -> tuple[Line | Mark, ...]:
        """Its lines."""
        for function in range(self._functions):
            self._function = function
            self._lines.append(Mark(function))
            self._one_function(_MOST_LINES * (function + 1) // self._functions)
        return tuple(self._lines)

    def _one_function(self, most_lines: int) -> None:
        random = self._random
        self._reserved = {}
        if (self._function or self._layout.calldata.size >= _ROOM) and random.random() < 0.6:
            pointer = random.choice(_SAVED)
            self._emit(_MOV, pointer, 1)
            self._reserved[pointer] = True
        for _ in range(random.randint(0, 4)):
            self._let(self._register(), word(random))
        for _ in range(random.randint(2, 14)):
            self._piece()
            if len(self._lines) >= most_lines:
                break
        self._emit(_EXIT)

    def _piece(self) -> None:
        pieces, weights = zip(*self._pieces, strict=True)
        index = self._random.choice([k for k, weight in enumerate(weights) for _ in range(weight)])
        pieces[index]()

    # ---------------------------------------------------------------- lines

    def _emit(self, row: tuple[int, Row], dst: int = 0, src: int = 0, offset: int = 0, imm: int = 0) -> None:
        self._lines.append(Line(with_row(*row, dst, src, offset, imm)))

    def _emit_to(self, target: int, row: tuple[int, Row], dst: int = 0, src: int = 0, imm: int = 0) -> None:
        self._lines.append(Line(with_row(*row, dst, src, 0, imm), target))

    def _mark(self) -> int:
        self._marks += 1
        return self._marks

    def _let(self, register: int, value: int) -> None:
        if -(1 << 31) <= value < 1 << 31 and self._random.random() < 0.7:
            self._emit(_MOV_IMM, register, imm=value)
        else:
            self._emit((WIDE, ROWS[WIDE][0]), register, imm=value % 2**64)

    def _register(self, *but: int) -> int:
        """One that may be written, but not these."""
        return self._random.choice([number for number in range(10) if number not in self._reserved.keys() | set(but)])

    def _saved_register(self) -> int | None:
        free = [number for number in _SAVED if number not in self._reserved]
        return self._random.choice(free) if len(free) > 1 else None

    # ---------------------------------------------------------------- computing

    def _compute(self) -> None:
        for _ in range(self._random.randint(1, 3)):
            if self._random.random() < 0.3:
                self._skip(self._one_computation)
            else:
                self._one_computation()

    def _one_computation(self, *but: int) -> None:
        random = self._random
        row = random.choice(random.choice((_COMPUTE, _COMPUTE, _COMPUTE, _DIVIDE)))
        form, dst, src = row[1].form, self._register(*but), random.randrange(11)
        if form.kind is Kind.WIDE_IMMEDIATE:
            return self._let(dst, word(random))
        divides = form.operation in _DIVISIONS
        if random.random() < (0.8 if divides else 0.5):
            self._let(dst, word(random))
            if form.source is Source.REG and random.random() < 0.8:
                src = self._register(dst, *but)
                self._let(src, self._divisor(form) if divides else word(random))
        self._emit(row, dst, src, imm=self._divisor(form) if divides else signed(random, 32))

    def _divisor(self, form: Form) -> int:
        """Divisions have cases of their own for zero, and signed ones for -1."""
        random = self._random
        if form.operation in _SIGNED and random.random() < 0.4:
            return -1
        return random.choice((-1, 0, 1, signed(random, 32)))

    def _idiom(self) -> None:
        """What compilers write in one go, and `jit.fuse` looks for; or what is nearly that."""
        random = self._random
        dst, other, third = self._register(), self._register(), random.randrange(11)
        count = random.choice((1, 2, 3, 8, 31))
        if random.random() < 0.5:
            self._let(other, word(random))
        first = random.choice((_MOV, _LSH_IMM))
        parts: tuple[tuple[tuple[int, Row], int, int, int], ...]
        second = random.choice((_ADD, _ADD_IMM, _LSH_IMM))
        if random.random() < 0.4:
            rest = random.choice((64 - count, 64 - count, 32 - count, count))
            parts = ((_MOV, dst, other, 0), (_LSH_IMM, dst, 0, count), (_RSH_IMM, other, 0, rest), (_OR, dst, other, 0))
        else:
            parts = ((first, dst, other, count), (second, dst, third, random.choice((count, signed(random, 32)))))
        for row, to, source, imm in parts:
            self._emit(_narrow(row) if random.random() < 0.3 else row, to, source, imm=imm)

    # ---------------------------------------------------------------- memory

    def _base(self, writable: bool) -> _Base:
        """A register that points somewhere; for stores too, if `writable`."""
        random, layout = self._random, self._layout
        pointers = [number for number, is_pointer in self._reserved.items() if is_pointer]
        if pointers and random.random() < 0.4:
            return _Base(pointers[0], 0, _ROOM, 0, writable=True)
        least = 1 if self._careless else _WIDEST
        spans = [(span, True) for span in (layout.writable, layout.calldata) if span.size >= least]
        if not writable and layout.read_only.size >= least:
            spans.append((layout.read_only, False))
        if not spans or random.random() < 0.35:
            return self._frame_base()
        span, may_write = random.choice(spans)
        register, delta = self._register(0), random.choice((0, 0, random.randint(-40, span.size + 40)))
        self._let(register, span.low + delta)
        base = _Base(register, -delta, span.size - delta, -delta, may_write)
        return self._indexed(base) if span.size >= 40 and random.random() < 0.2 else base

    def _frame_base(self) -> _Base:
        random = self._random
        if random.random() < 0.6:
            return _Base(_FRAME_TOP, -self._layout.frame_bytes, 0, 0, writable=True)
        low, register = -self._layout.frame_bytes, self._register(0)
        delta = random.choice((low, -8, -64, random.randint(-300, 20)))
        self._emit(_MOV, register, _FRAME_TOP)
        self._emit(_ADD_IMM, register, imm=delta)
        return _Base(register, low - delta, -delta, -delta, writable=True)

    def _indexed(self, base: _Base) -> _Base:
        """The base, and a masked register added to it."""
        index, mask = self._register(0, base.register), self._random.choice((8, 24))
        self._emit(_AND_IMM, index, imm=mask)
        self._emit(_ADD, index, base.register)
        return _Base(index, base.low, base.high - mask, base.alignment, base.writable)

    def _accesses(self) -> None:
        """Some through one base, which may move on between them."""
        random = self._random
        base = self._base(writable=random.random() < 0.7)
        free = base.register != _FRAME_TOP and base.register not in self._reserved
        for _ in range(random.randint(1, 5)):
            self._access(base)
            if random.random() < 0.3:
                self._one_computation(base.register)
            if free and random.random() < 0.15:
                step = random.choice((1, 8, -8, 24))
                self._emit(_ADD_IMM, base.register, imm=step)
                low, high, alignment = base.low - step, base.high - step, base.alignment - step
                base = _Base(base.register, low, high, alignment, base.writable)
            if random.random() < 0.1:
                self._skip(partial(self._one_computation, base.register))

    def _access(self, base: _Base) -> None:
        random = self._random
        rows = random.choice((_LOADS, _LOADS, _STORES, _ATOMICS)) if base.writable else _LOADS
        row = random.choice(rows)
        if row[1].form.kind is Kind.ATOMIC and random.random() < 0.2:
            row = random.choice(_COMPARE_EXCHANGES)
        form = row[1].form
        lowest = max(base.low, _LOWEST_OFFSET)
        highest = max(lowest, min(base.high - form.size, _HIGHEST_OFFSET))
        offset = random.choice((lowest, highest, random.randint(lowest, highest), random.randint(lowest, highest)))
        if form.kind is Kind.ATOMIC:
            offset = base.alignment + (offset - base.alignment) // form.size * form.size
            offset = offset if offset >= lowest else offset + form.size
        slip = 3 * _SLIP if form.kind is Kind.ATOMIC else _SLIP
        if self._careless and random.random() < slip:
            beyond = (lowest - 1, highest + 1, highest + form.size, lowest - form.size)
            unaligned = (offset + 1, offset + form.size // 2, offset - form.size // 2)
            offset = random.choice(unaligned if form.kind is Kind.ATOMIC else beyond)
        offset = max(_LOWEST_OFFSET, min(offset, _HIGHEST_OFFSET))
        register = base.register
        if self._careless and random.random() < _SLIP / 4:
            register = random.randrange(11)
        if form.operation is Operation.CMPXCHG and random.random() < 0.7:
            self._expect(base.register, offset, form.size)
        self._emit(row, *self._operands(row, base, register), offset=offset, imm=signed(random, 32))

    def _expect(self, register: int, offset: int, size: int) -> None:
        """r0 := what is there, so that a compare-and-exchange succeeds; perhaps with more in the upper half."""
        (load,) = [row for row in _LOADS if row[1].form.size == size and not row[1].form.signed]
        self._emit(load, 0, register, offset)
        if self._random.random() < 0.7:
            high = self._register(0, register)
            self._let(high, word(self._random) & 0xFFFF_FFFF << 32)
            self._emit(_OR, 0, high)

    def _probe(self) -> None:
        """One access right at, or right beyond, an end of anything: of a region, or of a frame, live or dead."""
        random, layout = self._random, self._layout
        row = random.choice(random.choice((_LOADS, _STORES, _LOADS, _STORES, _ATOMICS)))
        size = row[1].form.size
        flat = [(span.low, span.low + span.size) for span in (layout.read_only, layout.writable, layout.calldata)]
        tops = [layout.frame_top(depth) for depth in range(min(layout.frames, PROFILE.frames))]
        frame = (top := random.choice((tops[0], tops[0], *tops)), top - layout.frame_bytes)
        ends = random.choice((*flat, frame, frame, frame))
        address = random.choice(ends) + random.choice((-size - 1, -size, 1 - size, 1 - size, 1 - size, -1, 0, 0, 1))
        if layout.read_only.size >= _WIDEST and random.random() < 0.15:  # within, where nothing may be written
            row = random.choice(random.choice((_STORES, _ATOMICS)))
            address = layout.read_only.low + random.choice((0, (layout.read_only.size - _WIDEST) // 8 * 8))
        register, offset = self._register(0), random.choice((0, 0, 16, -3))
        if random.random() < 0.5 and self._function == 0:
            self._emit(_MOV, register, _FRAME_TOP)
            self._emit(_ADD_IMM, register, imm=address - offset - tops[0])
        else:
            self._let(register, address - offset)
        base = _Base(register, 0, 0, 0, writable=True)
        self._emit(row, *self._operands(row, base, register), offset=offset, imm=signed(random, 32))

    def _operands(self, row: tuple[int, Row], base: _Base, register: int) -> tuple[int, int]:
        """dst and src: the base, and another register; one that is written is none that is reserved, nor the base."""
        random, form = self._random, row[1].form
        if form.kind is Kind.LOAD:
            return self._register(base.register), register
        src = random.randrange(11)
        if src in registers_written(form, Instruction(row[0], register, src)):
            src = self._register(base.register)
        return register, src

    # ---------------------------------------------------------------- control

    def _block(self) -> None:
        self._nested += 1
        for _ in range(self._random.randint(1, 3)):
            if self._nested <= _MOST_NESTED:
                self._piece()
            else:
                self._compute()
        self._nested -= 1

    def _skip(self, block: Callable[[], None]) -> None:
        """A branch over a block, on any condition."""
        random = self._random
        over, row = self._mark(), random.choice(_BRANCHES)
        self._emit_to(over, row, random.randrange(11), random.randrange(11), signed(random, 32))
        block()
        self._lines.append(Mark(over))

    def _branch(self) -> None:
        random = self._random
        dst, src = self._register(), self._register()
        if random.random() < 0.5:
            self._let(dst, word(random))
        if random.random() < 0.3:
            self._emit(_MOV, src, dst)
        row, over = random.choice(_BRANCHES), self._mark()
        self._emit_to(over, row, dst, src, signed(random, 32))
        self._block()
        if random.random() < 0.4:
            behind = self._mark()
            self._emit_to(behind, random.choice(_JUMPS))
            self._lines.append(Mark(over))
            self._block()
            over = behind
        self._lines.append(Mark(over))

    def _jump(self) -> None:
        """Over a block; or there, back, and on."""
        random = self._random
        there, on = self._mark(), self._mark()
        self._emit_to(there, random.choice(_JUMPS))
        if random.random() < 0.5:
            self._block()
            self._lines.append(Mark(there))
            return
        back = self._mark()
        self._lines.append(Mark(back))
        self._block()
        self._emit_to(on, random.choice(_JUMPS))
        self._lines.append(Mark(there))
        self._block()
        self._emit_to(back, random.choice(_JUMPS))
        self._lines.append(Mark(on))

    def _loop(self) -> None:
        """A block that is run up to four times, left at its end or at its start."""
        counter = self._saved_register()
        if counter is None:
            return
        random = self._random
        endless = self._careless and random.random() < 2 * _SLIP
        self._let(counter, -1 if endless else random.randint(1, 4))
        self._reserved[counter] = False
        again = self._mark()
        self._lines.append(Mark(again))
        if random.random() < 0.6:
            self._block()
            self._emit(_SUB_IMM, counter, imm=1)
            self._emit_to(again, _JNE_IMM, counter)
        else:
            out = self._mark()
            self._emit_to(out, _JEQ_IMM, counter)
            self._block()
            self._emit(_SUB_IMM, counter, imm=1)
            self._emit_to(again, random.choice(_JUMPS))
            self._lines.append(Mark(out))
        del self._reserved[counter]

    def _leave(self) -> None:
        """An `exit`, mostly not reached."""
        if self._random.random() < 0.3:
            self._skip(lambda: self._emit(_EXIT))

    # ---------------------------------------------------------------- calls

    def _pointer(self, register: int, writable: bool) -> None:
        """`register` := a pointer with _ROOM bytes behind it, a multiple of 8."""
        random, layout = self._random, self._layout
        spans = [span for span in (layout.writable, layout.calldata) if span.size >= _ROOM]
        if not writable and layout.read_only.size >= _ROOM:
            spans.append(layout.read_only)
        if not spans or random.random() < 0.4:
            self._emit(_MOV, register, _FRAME_TOP)
            self._emit(_ADD_IMM, register, imm=-random.choice((_ROOM, _ROOM, 64, layout.frame_bytes)))
        else:
            span = random.choice(spans)
            self._let(register, span.low + random.choice((0, (span.size - _ROOM) // 8 * 8)))

    def _call_helper(self) -> None:
        random = self._random
        number = random.choice((MIX, READ, READ, WRITE, WRITE))
        if number != MIX and not (self._careless and random.random() < 2 * _SLIP):
            pointers = [register for register, is_pointer in self._reserved.items() if is_pointer]
            if self._careless and random.random() < 3 * _SLIP:  # where nothing may be written; a frame that is dead
                dead = self._layout.frame_top(random.randrange(PROFILE.frames)) - _ROOM
                self._let(1, random.choice((self._layout.read_only.low, self._layout.read_only.low, dead)))
            elif pointers and random.random() < 0.9:
                self._emit(_MOV, 1, pointers[0])
            else:
                self._pointer(1, number == WRITE)
            if self._careless and random.random() < 3 * _SLIP:
                self._emit(_ADD_IMM, 1, imm=random.choice((1, -1, _ROOM, PROFILE.frame_bytes, -PROFILE.frame_bytes)))
        if random.random() < (0.5 if number == MIX else 0.9):
            self._let(2, random.choice((0, 1, MOST_BYTES, random.randrange(MOST_BYTES))))
        self._emit(_CALL_HELPER, imm=number)

    def _call_local(self) -> None:
        random = self._random
        later = range(self._function + 1, self._functions)
        if self._careless and random.random() < 2 * _SLIP:
            callee = random.randrange(self._functions)
        elif later:
            callee = random.choice(later)
        else:
            return self._compute()
        self._pointer(1, writable=True)
        self._emit_to(callee, _CALL_LOCAL)
