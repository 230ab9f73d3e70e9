"""Draws snippets: code that reaches its end, touches scratch memory only, and reads no undefined flag.

Every form has a piece: the instruction, and before it whatever makes it defined (a base register that points into
scratch memory, a divisor that is not zero). What the writer knows of registers it knows because it put it there, by an
instruction or in the initial state; it never asks the model, which is what the snippets are to test.

A piece that goes elsewhere does so over a block that is skipped, taken, or run several times: jumps go forwards and
backwards. What registers hold behind a block is known only if it is so on every way to there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

from differential.effects import flags_after, flags_surely_defined, touched, written
from differential.snippet import PAGE, STARTING_FLAGS, TABLE_SLOTS, Snippet
from differential.values import EDGES, INDEXES, LOCKED, PLAIN, any_register, signed, width, word
from jit.registers import CAGE, Reg
from jit.x86 import (
    FORMS,
    X86,
    Alu,
    AluImm8,
    AluReg,
    Callee,
    Cond,
    Div,
    Idiv,
    Jump,
    JumpIf,
    JumpMem,
    JumpReg,
    JumpTable,
    Label,
    Lea,
    LeaLabel,
    Load,
    LoadSigned,
    Local,
    LockAlu,
    LockCmpxchg,
    LockXadd,
    Mem,
    MovImm32,
    MovImm64,
    MovImmSigned,
    Pop,
    Push,
    Ret,
    Shift,
    ShiftImm,
    SignToRdx,
    Store,
    StoreImm,
    Xchg,
)

MOST_INSTRUCTIONS = 40  # of a snippet, give or take a piece, so that it fits its cell
_MOST_PIECES = 10
_FAULTING = 1 / 400  # snippets that end with a division that the processor refuses, each of which costs it a process
_STACK_ROOM = 64  # bytes of scratch memory above and below rsp when a piece begins
_CONDITIONS = tuple(Cond)
_COUNTERS = tuple(r for r in Reg if r not in {Reg.rax, Reg.rcx, Reg.rdx, Reg.rsp, Reg.rbp})  # nothing implicit
_MASK = (1 << 64) - 1


def write_snippet(seed: int, index: int, scratch: int) -> Snippet:
    """The snippet with this index of the campaign with this seed. `scratch`: the address of scratch memory."""
    return Writer(Random(f"differential:{seed}:{index}"), scratch).snippet(index)


def write_piece(form: type, seed: str, index: int, scratch: int) -> Snippet:
    """A snippet with one instruction of this form and what that needs."""
    writer = Writer(Random(f"{seed}:{form.__name__}:{index}"), scratch)
    writer.piece(form)
    return writer.finished(index)


class Writer:
    """The snippet so far. Known values are those at its end."""

    def __init__(self, random: Random, scratch: int) -> None:
        self._random = random
        self._scratch = scratch
        self._instructions: list[X86] = []
        self._initial = [word(random) for _ in Reg]
        self._initial[Reg.rsp] = self._stack_place()
        self._flags = random.choice(STARTING_FLAGS)[0]
        self._known: dict[Reg, int] = dict(zip(Reg, self._initial, strict=True))
        self._untouched = set(Reg)  # registers whose initial value may still be chosen
        self._reserved: set[Reg] = set()  # registers that must stay as they are for now
        self._flags_defined = True
        self._labels = 0
        self._table: list[int] = []
        self._pieces = self._all_pieces()

    # ---------------------------------------------------------------- snippets

    def snippet(self, index: int) -> Snippet:
        """A few pieces."""
        random = self._random
        for _ in range(random.randint(1, _MOST_PIECES)):
            self.piece(random.choice(_WRITTEN))
            if len(self._instructions) >= MOST_INSTRUCTIONS:
                break
        if random.random() < _FAULTING:
            self._faulting_division()
        return self.finished(index)

    def piece(self, form: type) -> None:
        """One instruction of this form, and what it needs."""
        plain = PLAIN.get(form)
        if plain is None:
            self._pieces[form]()
        else:
            self._plain(plain)

    def finished(self, index: int) -> Snippet:
        """What was written, with a state to start from."""
        random = self._random
        pattern = random.randbytes(192) + b"".join(random.choice(EDGES).to_bytes(8, "little") for _ in range(8))
        page = pattern * (PAGE // len(pattern))
        instructions = tuple(self._instructions)
        return Snippet(index, instructions, tuple(self._initial), self._flags, page, tuple(self._table))

    def _emit(self, *instructions: X86) -> None:
        for instruction in instructions:
            self._instructions.append(instruction)
            self._untouched -= touched(instruction)
            for reg in written(instruction):
                self._known.pop(reg, None)
            defined = flags_after(instruction)
            if defined is not None:
                self._flags_defined = defined

    # ---------------------------------------------------------------- registers and memory that hold what is wanted

    def _register(self, *but: Reg) -> Reg:
        """Any register that may be written, but not these."""
        while True:
            reg = any_register(self._random)
            if reg not in but and reg not in self._reserved:
                return reg

    def _let(self, reg: Reg, value: int) -> None:
        """Make `reg` hold `value` modulo 2^64."""
        value &= _MASK
        if self._known.get(reg) == value:
            return
        if reg in self._untouched:
            self._initial[reg] = value
        elif not self._let_by_lea(reg, value):
            signed_value = value - (1 << 64) if value >> 63 else value
            if value < 1 << 32:
                self._emit(MovImm32(reg, value))
            elif -(1 << 31) <= signed_value < 0:
                self._emit(MovImmSigned(reg, signed_value))
            else:
                self._emit(MovImm64(reg, value))
        self._known[reg] = value

    def _let_by_lea(self, reg: Reg, value: int) -> bool:
        """As often as not, where some register is known to be near."""
        if self._random.random() < 0.5:
            return False
        for base, known in self._known.items():
            disp = _as_signed(value - known)
            if _fits(disp):
                self._emit(Lea(64, reg, base, disp))
                return True
        return False

    def _memory(self, size: int, aligned: bool = False) -> Mem:
        """An operand of `size` bytes in scratch memory, with rbp and an index set so that it is there."""
        random = self._random
        offset = random.choice((0, PAGE - size, random.randrange(PAGE - size + 1), random.randrange(PAGE - size + 1)))
        target = self._scratch + (offset & -size if aligned else offset)
        disp = random.choice((0, 1, -1, 127, 128, -128, -129, 2**31 - 1, -(2**31), random.randrange(-1000, 1000)))
        index = random.choice((None, *(reg for reg in INDEXES if reg not in self._reserved)))
        if index is CAGE:
            if target - disp & 1:
                disp ^= 1
            self._let(CAGE, (target - disp & _MASK) // 2 | random.choice((0, 1 << 63)))
            return Mem(disp, index)
        added = 0
        if index is not None:
            if index not in self._known:
                self._let(index, word(random))
            added = self._known[index]
        if random.random() < 0.7 and CAGE in self._known:
            near = _as_signed(target - added - self._known[CAGE])
            if _fits(near):
                return Mem(near, index)
        self._let(CAGE, target - added - disp)
        return Mem(disp, index)

    def _stack_place(self) -> int:
        return self._scratch + self._random.randrange(_STACK_ROOM, PAGE - _STACK_ROOM + 1)

    def _stack(self) -> None:
        """Make rsp point into scratch memory, with room on both sides."""
        known = self._known.get(Reg.rsp)
        if known is None or not _STACK_ROOM <= known - self._scratch <= PAGE - _STACK_ROOM:
            self._let(Reg.rsp, self._stack_place())

    # ---------------------------------------------------------------- pieces without control flow

    def _all_pieces(self) -> dict[type, Callable[[], None]]:
        choice, sizes = self._random.choice, (4, 8)
        reg, memory, emit = self._register, self._memory, self._emit
        return {
            Load: lambda: emit(Load(size := choice((1, 2, 4, 8)), reg(), memory(size))),
            LoadSigned: lambda: emit(LoadSigned(size := choice((1, 2, 4)), reg(), memory(size))),
            Store: lambda: emit(Store(size := choice((1, 2, 4, 8)), memory(size), any_register(self._random))),
            StoreImm: self._store_imm,
            LockAlu: lambda: emit(
                LockAlu(choice(LOCKED), size := choice(sizes), memory(size, True), any_register(self._random))
            ),
            LockXadd: lambda: emit(LockXadd(size := choice(sizes), memory(size, True), reg())),
            Xchg: lambda: emit(Xchg(size := choice(sizes), memory(size, True), reg())),
            LockCmpxchg: self._compare_exchange,
            Div: self._divide_unsigned,
            Idiv: self._divide_signed,
            Push: self._push,
            Pop: self._pop,
            Jump: self._jump_somehow,
            JumpIf: self._jump_if_somehow,
            JumpReg: self._jump_register,
            JumpMem: self._jump_memory,
            JumpTable: self._jump_table,
            Ret: self._return,
            LeaLabel: self._lea_label,
        }

    def _plain(self, draw: Callable[[Random], X86]) -> None:
        while True:
            instruction = draw(self._random)
            if not written(instruction) & self._reserved:
                return self._emit(instruction)

    def _store_imm(self) -> None:
        size = self._random.choice((1, 2, 4, 8))
        imm = signed(self._random, 32) if size == 8 else word(self._random, 8 * size)
        self._emit(StoreImm(size, self._memory(size), imm))

    def _compare_exchange(self) -> None:
        """Half of the compares succeed, some of them with something in the upper half of rax."""
        mem, size = self._memory(8, aligned=True), self._random.choice((4, 8))
        if self._random.random() < 0.5 and mem.index is not Reg.rax:
            self._emit(Load(8, Reg.rax, mem))
        self._emit(LockCmpxchg(size, mem, any_register(self._random)))

    def _divide_unsigned(self) -> None:
        """rdx is zero in the low bits, where the model ends otherwise."""
        bits, src = width(self._random), self._register(Reg.rdx)
        if self._random.random() < 0.5:
            self._let(src, self._divisor(bits))
        else:
            self._emit(AluImm8(Alu.OR, bits, src, 1))
        self._let(Reg.rdx, 0 if bits == 64 else word(self._random) & ~0xFFFF_FFFF)
        self._emit(Div(bits, src))

    def _divisor(self, bits: int) -> int:
        """A word whose low bits are not zero."""
        while True:
            value = word(self._random)
            if value & (1 << bits) - 1:
                return value

    def _divide_signed(self) -> None:
        """rdx is the sign of rax; the quotient that does not fit is avoided."""
        random = self._random
        bits, src = width(random), self._register(Reg.rdx)
        low, lowest = (1 << bits) - 1, 1 << bits - 1
        if src is Reg.rax:  # the quotient is 1
            self._let(src, random.choice((lowest, self._divisor(bits))))
        elif random.random() < 0.5:
            divisor, dividend = self._divisor(bits), random.choice((lowest, word(random)))
            if divisor & low == low and dividend & low == lowest:
                dividend = 1
            self._let(Reg.rax, dividend)
            self._let(src, divisor)
        else:
            self._emit(ShiftImm(Shift.SHR, bits, src, 1), AluImm8(Alu.OR, bits, src, 1))
        self._emit(SignToRdx(bits), Idiv(bits, src))

    def _faulting_division(self) -> None:
        """By zero, or with the one signed quotient that does not fit."""
        random = self._random
        bits, src = width(random), self._register(Reg.rax, Reg.rdx)
        if random.random() < 0.5:
            self._let(Reg.rax, 1 << bits - 1)
            self._let(src, -1)
            self._emit(SignToRdx(bits), Idiv(bits, src))
        else:
            self._emit(AluReg(Alu.XOR, 32, src, src), MovImm32(Reg.rdx, 0), Div(bits, src))

    def _push(self) -> None:
        self._stack()
        self._pushed(any_register(self._random))

    def _pushed(self, reg: Reg) -> None:
        top = self._known[Reg.rsp]
        self._emit(Push(reg))
        self._known[Reg.rsp] = top - 8

    def _pop(self) -> None:
        self._stack()
        top, reg = self._known[Reg.rsp], self._register()
        self._emit(Pop(reg))
        if reg is not Reg.rsp:
            self._known[Reg.rsp] = top + 8

    # ---------------------------------------------------------------- control flow

    def _label(self) -> int:
        self._labels += 1
        return self._labels - 1

    def _block(self) -> None:
        """One or two pieces without control flow."""
        for _ in range(self._random.randint(1, 2)):
            self.piece(self._random.choice(_STRAIGHT))

    def _over(self, label: int, taken: bool) -> None:
        """A block and then the label; control comes to the label over the block, or if not `taken` also through it."""
        defined = self._flags_defined
        first = len(self._instructions)
        self._block()
        changed = set[Reg]().union(*(written(instruction) for instruction in self._instructions[first:]))
        if taken:
            self._flags_defined = defined
        else:
            self._flags_defined = self._flags_defined and defined
        self._known = {reg: value for reg, value in self._known.items() if reg not in changed}
        self._emit(Label(label))

    def _jump_somehow(self) -> None:
        self._random.choice((self._jump, self._detour))()

    def _jump_if_somehow(self) -> None:
        self._random.choice((self._jump_if, self._jump_if, self._loop))()

    def _jump(self) -> None:
        label = self._label()
        self._emit(Jump(Local(label)))
        self._over(label, taken=True)

    def _jump_if(self) -> None:
        label = self._label()
        self._define_flags()
        self._emit(JumpIf(self._random.choice(_CONDITIONS), Local(label)))
        self._over(label, taken=False)

    def _define_flags(self) -> None:
        if not self._flags_defined:
            self._emit(AluReg(Alu.CMP, width(self._random), any_register(self._random), any_register(self._random)))

    def _loop(self) -> None:
        """A block that is run up to three times."""
        label, counter = self._label(), self._random.choice(_COUNTERS)
        self._emit(MovImm32(counter, self._random.randint(1, 3)), Label(label))
        with self._anew(counter):
            self._block()
        self._emit(AluImm8(Alu.SUB, width(self._random), counter, 1), JumpIf(Cond.NE, Local(label)))

    @contextmanager
    def _anew(self, *reserved: Reg) -> Iterator[None]:
        """What is written here may be reached from elsewhere: nothing is known, no initial value can be chosen."""
        untouched = self._untouched
        self._known, self._untouched, self._flags_defined = {}, set(), False
        self._reserved.update(reserved)
        yield
        self._reserved.difference_update(reserved)
        self._untouched = untouched - set[Reg]().union(*map(touched, self._instructions))

    def _detour(self) -> None:
        """Forwards, backwards, and forwards again."""
        there, back, on = self._label(), self._label(), self._label()
        known, defined = self._known, self._flags_defined
        self._emit(Jump(Local(there)), Label(back))
        with self._anew():
            self._block()
        behind, defined_behind = self._known, self._flags_defined
        self._emit(Jump(Local(on)), Label(there))
        with self._anew():
            self._known, self._flags_defined = known, defined
            self._block()
        self._emit(Jump(Local(back)), Label(on))
        self._known, self._flags_defined = behind, defined_behind

    def _jump_register(self) -> None:
        label, reg = self._label(), self._register()
        self._emit(LeaLabel(reg, Local(label)), JumpReg(reg))
        self._over(label, taken=True)

    def _jump_memory(self) -> None:
        label, mem = self._label(), self._memory(8)
        reg = self._register(CAGE, CAGE if mem.index is None else mem.index)
        self._emit(LeaLabel(reg, Local(label)), Store(8, mem, reg), JumpMem(mem))
        self._over(label, taken=True)

    def _jump_table(self) -> None:
        if len(self._table) == TABLE_SLOTS:
            return self._jump_register()
        label = self._label()
        self._table.append(label)
        self._emit(JumpTable(Callee(len(self._table))))
        self._over(label, taken=True)

    def _return(self) -> None:
        label = self._label()
        self._stack()
        top, reg = self._known[Reg.rsp], self._register(Reg.rsp)
        self._emit(LeaLabel(reg, Local(label)))
        self._pushed(reg)
        self._emit(Ret())
        self._known[Reg.rsp] = top
        self._over(label, taken=True)

    def _lea_label(self) -> None:
        label, reg = self._label(), self._register()
        lea: tuple[X86, X86] = LeaLabel(reg, Local(label)), Label(label)
        self._emit(*(lea if self._random.random() < 0.5 else reversed(lea)))


def _as_signed(value: int) -> int:
    value &= _MASK
    return value - (1 << 64) if value >> 63 else value


def _fits(value: int) -> bool:
    return -(1 << 31) <= value < 1 << 31


_WRITTEN = tuple(form for form in FORMS if form is not Label)
_CONTROL = {Jump, JumpIf, JumpReg, JumpMem, JumpTable, Ret, LeaLabel}
_STRAIGHT = tuple(form for form in _WRITTEN if form not in _CONTROL)


def expects_defined_flags(snippet: Snippet) -> bool:
    """Whether the flags are defined at the end of the snippet, by the manual."""
    return flags_surely_defined(snippet.instructions)
