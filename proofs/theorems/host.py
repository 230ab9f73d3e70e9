"""host.*: the two borders between guest and host, the ranges that helpers get and the ways in and out of guest code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import z3

from jit import trampolines
from jit.context import Exit
from jit.layout import PAGE, Layout, Span, flat_regions, host_span, in_live_frame, in_span, may_access
from jit.registers import CAGE, GUEST, Reg
from proofs.cells import BasedMemory, Place
from proofs.executor import Path, explore, relevant
from proofs.machine import call
from proofs.placements import LAYOUT_RANGE, Unknown, every, some, unknown, within
from proofs.symbolic import SymbolicWords, condition_of
from proofs.theorem import Case, Obligation, Theorem, register
from simulator import memory
from simulator.machine import Return, State, ToAddress

# ---------------------------------------------------------------- ranges

STRIDES = tuple(1 << k for k in range(16, 31))  # all that layout.hypothesis leaves: a stack lies below 2^30


def _starts_frame(layout: Layout, address: Any) -> z3.BoolRef:  # noqa: ANN401
    return condition_of((address - layout.stack_low & layout.frame_stride - 1) == 0)


def _live_frame(layout: Layout, frame_top: Any, span: Span) -> z3.BoolRef:  # noqa: ANN401
    below = every(span.low >= layout.stack_low, span.low + span.size <= frame_top)
    return every(_starts_frame(layout, span.low), below, span.size == layout.frame_bytes)


def _layout(u: Unknown, stride: int) -> tuple[Layout, Any]:
    """A layout and an r10: of the hypothesis, only what the claims below need."""
    layout, frame_top = u.layout(stride), u.between("r10", 0, LAYOUT_RANGE)
    u.given.extend((
        every(*(layout.span(region).low >= 0 for region in flat_regions(False)), layout.stack_low >= 0),
        every(*(layout.span(region).size >= 0 for region in flat_regions(False))),
        every(layout.frame_bytes >= PAGE, layout.frame_bytes <= stride),
        every(frame_top > layout.stack_low),
        _starts_frame(layout, frame_top - layout.frame_bytes),
    ))
    return layout, frame_top


def _range(stride: int, write: bool) -> Iterator[Obligation]:
    """What concerns regions does not speak of the stride, and is proved with one of them."""
    u = unknown()
    layout, frame_top = _layout(u, stride)
    pointer, length = (u.between(name, 0, (1 << 64) - 1) for name in ("pointer", "length"))
    other = Span(u.between("a frame's start", 0, LAYOUT_RANGE), layout.frame_bytes)
    spans, first = tuple(layout.span(region) for region in flat_regions(write)), stride == STRIDES[0]
    asked = partial(host_span, layout, frame_top, pointer, length, write)
    about = partial(_about, tuple(u.shown))
    for path in explore(asked, assuming=tuple(u.given), prune=False):
        found = path.returned
        if any(found is span for span in spans) and not first:
            continue
        if found is not None:
            holds = within(pointer, length, found.low, found.low + found.size)
            known = some(*(found is span for span in spans), _live_frame(layout, frame_top, found))
            yield about("accepted: a region or live frame", path, known, frame_top.bits, pointer.bits)
            yield about("accepted: all of it is inside", path, holds, pointer.bits)
            continue
        for span in spans if first else ():
            held = within(pointer, length, span.low, span.low + span.size)
            yield about("refused: no region holds it", path, z3.Not(held))
        held = every(within(pointer, length, other.low, other.low + other.size), length > 0)
        live_frame = _live_frame(layout, frame_top, other)
        yield about("refused: no live frame holds it", path, z3.Not(every(held, live_frame)))


def _about(
    shown: tuple[tuple[str, z3.ExprRef], ...], what: str, path: Path[Any], claim: z3.BoolRef, *also: z3.ExprRef
) -> Obligation:
    return Obligation(what, relevant(path.conditions, claim, *also), claim, shown, besides=path.conditions)


def _access(stride: int, size: int, write: bool) -> Iterator[Obligation]:
    """The predicate over words and the one over ints, part by part and then as a whole, on the same address."""
    u, words = unknown(), SymbolicWords()
    layout, frame_top = _layout(u, stride)
    address = u.between("address", 0, (1 << 64) - 1)
    top, place = frame_top.word(64), address.word(64)
    same_parts = []
    for region in flat_regions(write):
        span = layout.span(region)
        by_words = _true(lambda: memory._in_span(words, span, size)(place))  # noqa: B023 - called at once
        same_parts.append(by_words == _true(partial(in_span, span, address, size)))
    by_words = _true(lambda: memory._in_live_frame(words, layout, size)(top, place))
    same_parts.append(by_words == _true(lambda: in_live_frame(layout, frame_top, address, size)))
    for claim in same_parts if stride == STRIDES[0] else same_parts[-1:]:
        given = relevant(u.given, claim)
        yield Obligation(f"a part, {size} bytes", given, claim, tuple(u.shown), besides=tuple(u.given))
    by_words = _true(lambda: memory.access_check(words, layout, size, write)(top, place))
    claim = by_words == _true(lambda: may_access(layout, frame_top, address, size, write))
    whole = f"{size} bytes, write={write}"
    yield Obligation(whole, tuple(same_parts), claim, tuple(u.shown), besides=tuple(u.given))


def _true(judge: Callable[[], bool]) -> z3.BoolRef:
    """The formula that `judge()` returns True."""
    return z3.Or(*(z3.And(*path.conditions) for path in explore(lambda: bool(judge()), prune=False) if path.returned))


def _range_cases() -> Iterator[Case]:
    for stride, write in product(STRIDES, (False, True)):
        yield Case(f"host_span, stride {stride:#x}, write={write}", partial(_range, stride, write))
        for size in (1, 2, 4, 8):
            case = partial(_access, stride, size, write)
            yield Case(f"access_check, stride {stride:#x}, {size} bytes, write={write}", case)


def _range_assumptions() -> Iterator[tuple[str, tuple[z3.BoolRef, ...]]]:
    u = unknown()
    _layout(u, STRIDES[0])
    yield "a layout and an r10", tuple(u.given)


register(
    Theorem(
        id="host.range",
        statement="a helper gets a range exactly if one region or live frame holds it; both engines allow one access",
        ranges_over="all layouts, every frame's end, pointers and lengths of 64 bits; accesses of 1, 2, 4 and 8 bytes",
        assumes=(
            "sizes and addresses of regions are not negative, the stride is a power of two and holds a frame",
            "r10 is the end of a frame (layout.hypothesis)",
        ),
        depends=("jit.layout", "simulator.memory"),
        cases=_range_cases,
        assumptions=_range_assumptions,
    )
)

# ---------------------------------------------------------------- trampolines

# which guest registers an entry takes from the context; all others are zero (docstring of jit.trampolines)
ENTRIES = {"START": (1, 2, 10), "RESUME": tuple(range(11)), "RESUME_CALLED": (0, 6, 7, 8, 9, 10)}
CALLEE_SAVED = (Reg.rbx, Reg.rbp, Reg.r12, Reg.r13, Reg.r14, Reg.r15)  # System V AMD64 ABI, figure 3.4
GUEST_REGISTERS = tuple(Place("base", -104 + 8 * n) for n in range(11))  # docstring of jit.context
STACK_BYTES = 8 * len(CALLEE_SAVED)


def _registers(when: str) -> list[z3.BitVecRef]:
    return [z3.BitVec(f"{reg.name} {when}", 64) for reg in Reg]


def _trampoline(entry: str, reason: Exit) -> Iterator[Obligation]:
    """Call, entry, any guest code that keeps rsp and rbp and the host's stack, exit, return."""
    host = _registers("at the call")
    cells = BasedMemory({"base": host[Reg.rdi], "stack": host[Reg.rsp], "target": host[Reg.rsi]})
    state = State(list(host), cells)
    where = call(SymbolicWords(), getattr(trampolines, entry), state)
    yield from _claims("enters", _entered(entry, host, state, where), cells)
    guest = _registers("at the exit")
    guest[Reg.rsp], guest[Reg.rbp] = state.registers[Reg.rsp], state.registers[Reg.rbp]
    cells.forget("base", " at the exit")
    state.registers, state.flags = list(guest), type(state.flags)()
    where = call(SymbolicWords(), trampolines.leave(reason), state)
    yield from _claims("leaves", _left(reason, host, guest, state, where), cells)
    yield from _claims("touches", _touched(cells), cells)


def _claims(what: str, claims: Iterator[tuple[str, z3.BoolRef]], cells: BasedMemory) -> Iterator[Obligation]:
    yield from (Obligation(f"{what}: {which}", (), claim, besides=cells.apart()) for which, claim in claims)


def _entered(entry: str, host: list[Any], state: State[Any], where: Any) -> Iterator[tuple[str, z3.BoolRef]]:  # noqa: ANN401
    for number, reg in enumerate(GUEST):
        context = z3.BitVec(f"[base{GUEST_REGISTERS[number].offset:+}]", 64)
        value = context if number in ENTRIES[entry] else z3.BitVecVal(0, 64)
        yield f"r{number}", state.registers[reg] == value
    yield "at the second argument", z3.And(isinstance(where, ToAddress), where.address == host[Reg.rsi])
    yield "rbp is the cage base", state.registers[CAGE] == host[Reg.rdi]
    yield "rsp is below what was pushed", state.registers[Reg.rsp] == host[Reg.rsp] - STACK_BYTES


def _left(
    reason: Exit, host: list[Any], guest: list[Any], state: State[Any], where: Any  # noqa: ANN401
) -> Iterator[tuple[str, z3.BoolRef]]:
    for reg in CALLEE_SAVED:
        yield f"{reg.name} is the caller's", state.registers[reg] == host[reg]
    yield "rsp is the caller's, its return address popped", state.registers[Reg.rsp] == host[Reg.rsp] + 8
    back = z3.BitVec("[stack+0]", 64)
    yield "to the return address", z3.And(isinstance(where, Return), where.address == back)
    yield "eax is the reason", z3.Extract(31, 0, state.registers[Reg.rax]) == int(reason)
    cells = state.memory
    assert isinstance(cells, BasedMemory)
    for number, reg in enumerate(GUEST):
        yield f"r{number} is saved", cells.content(GUEST_REGISTERS[number]) == guest[reg]


def _touched(cells: BasedMemory) -> Iterator[tuple[str, z3.BoolRef]]:
    for place, write in cells.accesses:
        own = place in GUEST_REGISTERS or (place.base == "stack" and -STACK_BYTES <= place.offset < 0)
        yield f"{place}", z3.BoolVal(own or (place == Place("stack", 0) and not write))


def _trampoline_cases() -> Iterator[Case]:
    for entry in ENTRIES:
        yield from (Case(f"{entry}, {reason.name}", partial(_trampoline, entry, reason)) for reason in Exit)


register(
    Theorem(
        id="host.trampoline",
        statement=(
            "every entry gives the guest its registers from the context, or zero, and none of the host's; every exit "
            "saves the guest's registers, restores the caller's and returns the reason; nothing else is written"
        ),
        ranges_over="every entry and exit, all register contents, any guest code in between",
        assumes=(
            "guest code keeps rsp and rbp and writes nothing of the host's stack (gate.memory, gate.contract)",
            "the host's stack and the guest's reservation do not overlap (the kernel's mappings)",
        ),
        depends=("jit.trampolines", "jit.context", "jit.registers", "simulator.x86", "simulator.machine"),
        cases=_trampoline_cases,
    )
)
