"""bytes.*: what the assembler writes is what the model reasons about, read back by the other implementation.

`jit.encode` and `jit.decode` are written separately. Here both run on the same operands: register and condition
operands take every value, immediates and displacements are symbolic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import product
from typing import Any, TypeVar

import z3

from jit import x86
from jit.assemble import distance
from jit.decode import decode
from jit.encode import EncodingRefused, encode
from jit.registers import Reg
from proofs.executor import explore
from proofs.symbolic import Int, condition_of, same
from proofs.theorem import Case, Obligation, Theorem, register

T = TypeVar("T")

BITS = (32, 64)
SIZES = (1, 2, 4, 8)
ATOMIC_SIZES = (4, 8)
INDICES = (None, *(reg for reg in Reg if reg is not Reg.rsp))
LOGIC = (x86.Alu.ADD, x86.Alu.OR, x86.Alu.AND, x86.Alu.XOR)


class _Unknowns:
    """The symbolic operands of one case, with their ranges."""

    def __init__(self) -> None:
        self.assumptions: tuple[z3.BoolRef, ...] = ()
        self.shown: list[tuple[str, z3.ExprRef]] = []

    def between(self, name: str, low: int, high: int) -> Any:  # noqa: ANN401 - stands for an int field
        value, assumption = Int.fresh(name, low, high)
        self.assumptions += (assumption,)
        self.shown.append((name, value.bits))
        return value

    def signed(self, name: str, bits: int) -> Any:  # noqa: ANN401
        return self.between(name, -(1 << bits - 1), (1 << bits - 1) - 1)

    def unsigned(self, name: str, bits: int) -> Any:  # noqa: ANN401
        return self.between(name, 0, (1 << bits) - 1)


Instructions = Callable[[_Unknowns], Iterable[x86.X86]]


def _mems(u: _Unknowns) -> list[x86.Mem]:
    disp = u.signed("disp", 32)
    return [x86.Mem(disp, index) for index in INDICES]


def _store_imms(u: _Unknowns) -> Iterator[x86.X86]:
    for mem, size in product(_mems(u), SIZES):
        yield x86.StoreImm(size, mem, u.signed("imm", 32) if size == 8 else u.unsigned(f"imm{size}", 8 * size))


def _shifts(u: _Unknowns) -> Iterator[x86.X86]:
    for op, bits, dst in product(x86.Shift, BITS, Reg):
        yield x86.ShiftImm(op, bits, dst, u.between(f"count{bits}", 0, bits - 1))


def _extensions(u: _Unknowns) -> Iterator[x86.X86]:
    for source, bits, dst, src in product((8, 16, 32), BITS, Reg, Reg):
        if source < bits:
            yield x86.MovSignExtend(source, bits, dst, src)


# every form, with every choice of its finite operands
FORMS: dict[type, Instructions] = {
    x86.MovReg: lambda u: (x86.MovReg(b, d, s) for b, d, s in product(BITS, Reg, Reg)),
    x86.MovImm32: lambda u: (x86.MovImm32(d, i) for i in [u.unsigned("imm", 32)] for d in Reg),
    x86.MovImmSigned: lambda u: (x86.MovImmSigned(d, i) for i in [u.signed("imm", 32)] for d in Reg),
    x86.MovImm64: lambda u: (x86.MovImm64(d, i) for i in [u.unsigned("imm", 64)] for d in Reg),
    x86.MovSignExtend: _extensions,
    x86.MovZeroExtend16: lambda u: (x86.MovZeroExtend16(d, s) for d, s in product(Reg, Reg)),
    x86.Load: lambda u: (x86.Load(n, d, m) for m, n, d in product(_mems(u), SIZES, Reg)),
    x86.LoadSigned: lambda u: (x86.LoadSigned(n, d, m) for m, n, d in product(_mems(u), (1, 2, 4), Reg)),
    x86.Store: lambda u: (x86.Store(n, m, s) for m, n, s in product(_mems(u), SIZES, Reg)),
    x86.StoreImm: _store_imms,
    x86.Lea: lambda u: (x86.Lea(b, d, s, o) for o in [u.signed("disp", 32)] for b, d, s in product(BITS, Reg, Reg)),
    x86.LeaIndexed: lambda u: (
        x86.LeaIndexed(d, b, i, s, o)
        for o in [u.signed("disp", 32)]
        for d, b, i, s in product(Reg, Reg, INDICES[1:], range(4))
        if i is not None
    ),
    x86.LeaLabel: lambda u: (x86.LeaLabel(d, x86.Native(o)) for o in [u.signed("distance", 32)] for d in Reg),
    x86.AluReg: lambda u: (x86.AluReg(o, b, d, s) for o, b, d, s in product(x86.Alu, BITS, Reg, Reg)),
    x86.AluImm8: lambda u: (
        x86.AluImm8(o, b, d, i) for i in [u.signed("imm", 8)] for o, b, d in product(x86.Alu, BITS, Reg)
    ),
    x86.AluImm32: lambda u: (
        x86.AluImm32(o, b, d, i) for i in [u.signed("imm", 32)] for o, b, d in product(x86.Alu, BITS, Reg)
    ),
    x86.TestReg: lambda u: (x86.TestReg(b, x, y) for b, x, y in product(BITS, Reg, Reg)),
    x86.TestImm: lambda u: (x86.TestImm(b, r, i) for i in [u.signed("imm", 32)] for b, r in product(BITS, Reg)),
    x86.Neg: lambda u: (x86.Neg(b, d) for b, d in product(BITS, Reg)),
    x86.Imul: lambda u: (x86.Imul(b, d, s) for b, d, s in product(BITS, Reg, Reg)),
    x86.ImulImm: lambda u: (
        x86.ImulImm(b, d, s, i) for i in [u.signed("imm", 32)] for b, d, s in product(BITS, Reg, Reg)
    ),
    x86.Div: lambda u: (x86.Div(b, s) for b, s in product(BITS, Reg)),
    x86.Idiv: lambda u: (x86.Idiv(b, s) for b, s in product(BITS, Reg)),
    x86.SignToRdx: lambda u: (x86.SignToRdx(b) for b in BITS),
    x86.ShiftImm: _shifts,
    x86.ShiftCl: lambda u: (x86.ShiftCl(o, b, d) for o, b, d in product(x86.Shift, BITS, Reg)),
    x86.Rotate16: lambda u: (x86.Rotate16(d, c) for c in [u.between("count", 1, 15)] for d in Reg),
    x86.Bswap: lambda u: (x86.Bswap(b, d) for b, d in product(BITS, Reg)),
    x86.LockAlu: lambda u: (
        x86.LockAlu(o, n, m, s) for m, o, n, s in product(_mems(u), LOGIC, ATOMIC_SIZES, Reg)
    ),
    x86.LockXadd: lambda u: (x86.LockXadd(n, m, s) for m, n, s in product(_mems(u), ATOMIC_SIZES, Reg)),
    x86.Xchg: lambda u: (x86.Xchg(n, m, s) for m, n, s in product(_mems(u), ATOMIC_SIZES, Reg)),
    x86.LockCmpxchg: lambda u: (x86.LockCmpxchg(n, m, s) for m, n, s in product(_mems(u), ATOMIC_SIZES, Reg)),
    x86.Jump: lambda u: (x86.Jump(x86.Native(o)) for o in [u.signed("distance", 32)]),
    x86.JumpIf: lambda u: (x86.JumpIf(c, x86.Native(o)) for o in [u.signed("distance", 32)] for c in x86.Cond),
    x86.JumpReg: lambda u: (x86.JumpReg(r) for r in Reg),
    x86.JumpMem: lambda u: (x86.JumpMem(m) for m in _mems(u)),
    x86.JumpTable: lambda u: (x86.JumpTable(x86.Native(o)) for o in [u.signed("distance", 32)]),
    x86.Push: lambda u: (x86.Push(r) for r in Reg),
    x86.Pop: lambda u: (x86.Pop(r) for r in Reg),
    x86.Ret: lambda u: (x86.Ret(),),
}
NOT_ENCODED = frozenset((x86.Label,))  # a place, not an instruction


def encoded(instruction: x86.X86) -> tuple[Any, ...]:
    """The bytes of `instruction`, with a `Native` label in its place as `jit.assemble.template` puts it."""
    code, label = encode(instruction)
    if isinstance(label, x86.Native):
        return (*code[:-4], *distance(label.displacement, 0))
    assert label is None
    return tuple(code)


def _roundtrip(form: type) -> Iterator[Obligation]:
    unknowns = _Unknowns()
    for instruction in FORMS[form](unknowns):
        yield from _read_back(instruction, unknowns, ())


def _prefix(form: type) -> Iterator[Obligation]:
    unknowns = _Unknowns()
    rest = tuple(unknowns.unsigned(f"next{i}", 8) for i in range(4))
    for instruction in FORMS[form](unknowns):
        yield from _read_back(instruction, unknowns, rest)


def _read_back(instruction: x86.X86, unknowns: _Unknowns, rest: tuple[Any, ...]) -> Iterator[Obligation]:
    what = f"{instruction}"
    for path in explore(partial(_both, instruction, rest), assuming=unknowns.assumptions, what=what):
        code, read, length = path.returned
        claim = z3.And(same(read, instruction), condition_of(length == len(code)))
        about = ("instruction", instruction), ("bytes", code), ("read back", read), ("bytes read", length)
        yield Obligation(what, path.conditions, claim, tuple(unknowns.shown), about=about)


def _both(instruction: x86.X86, rest: tuple[Any, ...]) -> tuple[tuple[Any, ...], x86.X86, int]:
    """What is written, what is read back, and how many bytes the decoder says it is."""
    code = encoded(instruction)
    return code, *decode((*code, *rest))


def _cases(prove: Callable[[type], Iterator[Obligation]]) -> Iterator[Case]:
    missing = set(x86.FORMS) - set(FORMS) - NOT_ENCODED
    assert not missing, f"forms without a theorem: {missing}"
    for form in FORMS:
        yield Case(form.__name__, lambda form=form: prove(form))  # type: ignore[misc]


_DEPENDS = (
    *("jit.tagged", "jit.x86", "jit.encode", "jit.decode", "jit.modrm", "jit.assemble", "jit.registers", "jit.context"),
)

register(
    Theorem(
        id="bytes.roundtrip",
        statement="decode(assemble(i)) = i for every instruction that is emitted",
        ranges_over="every x86 form, every register, width and condition operand; all immediates and displacements",
        assumes=("immediates and displacements lie in the range of their field",),
        depends=_DEPENDS,
        cases=lambda: _cases(_roundtrip),
    )
)
register(
    Theorem(
        id="bytes.prefix",
        statement="decoding consumes exactly the emitted bytes, whatever follows them",
        ranges_over="as bytes.roundtrip, followed by any four bytes",
        assumes=("immediates and displacements lie in the range of their field",),
        depends=_DEPENDS,
        cases=lambda: _cases(_prefix),
    )
)


def _fixup() -> Iterator[Obligation]:
    """The patched field, read as the processor does, reaches the label; a distance that does not fit is refused."""
    unknowns = _Unknowns()
    target, end = (unknowns.between(name, -(1 << 63), 1 << 63) for name in ("target", "end"))
    fits = z3.And(condition_of(target - end >= -(1 << 31)), condition_of(target - end < 1 << 31))
    for path in explore(partial(distance, target, end), assuming=unknowns.assumptions, allowed=(EncodingRefused,)):
        if path.raised is not None:
            yield Obligation("refused", path.conditions, z3.Not(fits), tuple(unknowns.shown))
            continue
        field = z3.Concat(*(_byte(b) for b in reversed(path.returned)))
        reached = end + Int.of_word(field, signed=True)
        claim = z3.And(fits, condition_of(reached == target))
        yield Obligation("patched", path.conditions, claim, tuple(unknowns.shown))


def _byte(value: int | Int) -> z3.BitVecRef:
    return value.word(8) if isinstance(value, Int) else z3.BitVecVal(value, 8)


register(
    Theorem(
        id="bytes.fixup",
        statement="the patched displacement reaches its label, and a label out of reach is refused",
        ranges_over="every pair of label and end of instruction in a 64-bit address space",
        assumes=(),
        depends=("jit.assemble", "jit.encode"),
        cases=lambda: (Case("distance", _fixup),),
    )
)

