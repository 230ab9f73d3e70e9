"""gate.*: what the gate admits keeps its contract, and contracts are safe.

For every macro class, every choice of operands and every layout under the runtime's hypothesis: `proofs.gate` runs the
shipped gate and then the shipped expansion, and the theorems say what must hold on every way through it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import z3

from jit.assemble import leave_stub
from jit.context import PC, RETURN_NATIVE, RETURN_PC, SAVED, Exit, record_offset
from jit.decode import decode, decode_all
from jit.encode import FIELD
from jit.layout import CLAMP_ROOM, CONTEXT_HOT_BYTES, RECORD_BYTES, Layout, Region, flat_regions
from jit.macros import MACROS
from jit.macros.contract import (
    Approved,
    ApprovedBytes,
    ContextBytes,
    FrameBytes,
    FrameEffect,
    RecordBytes,
    TableSlot,
    Touch,
)
from jit.registers import CHECKED, FRAME, GUEST, Reg
from jit.trampolines import RESUME, RESUME_CALLED, START, leave
from jit.x86 import (
    FORMS,
    X86,
    Callee,
    Jump,
    Leave,
    Local,
    LockAlu,
    LockCmpxchg,
    LockXadd,
    Mem,
    Native,
    PcPlus,
    StoreImm,
    Stub,
    Xchg,
)
from proofs.executor import relevant, variables
from proofs.gate import (
    BLOCK_PC,
    HELD,
    Ran,
    Way,
    approved_address,
    as_int,
    is_frame_top,
    speculative_fact,
    state_before,
    ways,
    well_placed,
)
from proofs.layouts import LAYOUTS, ORDINARY, R10, assumed
from proofs.machine import BEHIND, Fetched, Unknown
from proofs.operands import Unknowns
from proofs.renaming import representatives
from proofs.symbolic import Int, condition_of, same
from proofs.theorem import Case, Obligation, Theorem, register
from proofs.theorems.encodable import emitted, own_bytes
from simulator.machine import Access

Claims = Iterator[tuple[str, z3.BoolRef]]
Conditions = tuple[z3.BoolRef, ...]


# ---------------------------------------------------------------- gate.memory


def memory_claims(way: Way) -> Claims:
    """Every access is one that the contract names and the layout allows; what the gate knows afterwards is true."""
    ran = way.ran
    if not ran.state.accesses:
        yield "touches no memory", z3.BoolVal(True)
    for access in ran.state.accesses:
        named = [_within(way, touch, access) for touch in ran.contract.touches]
        yield f"access of {access.size} bytes", z3.Or(*named, z3.BoolVal(False))
    for event in ran.memory.events:
        if event.size in _locked_sizes(ran.instructions):
            yield "atomic access is aligned", z3.URem(event.address, z3.BitVecVal(event.size, 64)) == 0
    registers = ran.state.registers
    if ran.left == BEHIND and ran.known is not None and not _as_before(way):
        yield "approved, well placed", well_placed(ran.known, registers[CHECKED])
        yield "approved, may be accessed", _approved(way, ran.known)


def _approved(way: Way, known: Approved) -> z3.BoolRef:
    """The bytes lie in a region that was looked at, or are those that were approved before."""
    checked, before = way.ran.state.registers[CHECKED], way.start
    write, size = condition_of(known.write), as_int(known.size)
    if not way.ran.contract.probes:
        same_bytes = z3.And(same(known.low, before.approved.low), same(known.size, before.approved.size))
        same_place = z3.And(checked == before.checked, way.ran.state.registers[FRAME] == R10)
        return z3.And(same_bytes, same_place, z3.Implies(write, condition_of(before.approved.write)))
    address = approved_address(known, checked)
    regions = (probe.region for probe in way.ran.contract.probes)
    top = Int.of_word(R10)
    held = (z3.And(_open_to(write, region), way.given.holds(region, top, address, size)) for region in regions)
    return z3.Or(*held, z3.BoolVal(False))


def _open_to(write: z3.BoolRef, region: Region) -> z3.BoolRef:
    """Whether what lies in the region may be loaded, and stored if `write`: see `_what_may_be_accessed`."""
    loads, stores = (region is Region.STACK or region in flat_regions(stored) for stored in (False, True))
    return z3.And(z3.BoolVal(loads), z3.Implies(write, z3.BoolVal(stores)))


def _what_may_be_accessed() -> Iterator[Obligation]:
    """`may_access` is to lie in a region that is open to it, and what is a part of such bytes is such bytes.

    So a macro that touches a part of what was approved touches what may be accessed, and `memory_claims` need not ask.
    """
    for layout in LAYOUTS:
        given, top = assumed(layout), Int.of_word(R10)
        for region in Region:
            unknowns, low = Unknowns(), as_int(layout.span(region).low)
            address = low + unknowns.between("address, from the region's start", -(1 << 64), 1 << 64)
            gap, size = (unknowns.between(name, 0, CLAMP_ROOM) for name in ("gap", "size"))
            length = unknowns.between("size of a part", 1, CLAMP_ROOM)
            part = condition_of(gap + length <= size)
            conditions = (*unknowns.assumptions, given.holds(region, top, address, size), part)
            inside = given.holds(region, top, address + gap, length)
            shown = (*unknowns.shown, *layout.shown)
            yield Obligation(f"a part of what lies in {region.value}", conditions, inside, shown, given.conditions)
        unknowns = Unknowns()
        address, size = unknowns.between("address", 0, 1 << 64), unknowns.between("size", 1, CLAMP_ROOM)
        shown = (*unknowns.shown, *layout.shown)
        for write in (False, True):
            may = given.may_access(top, address, size, write)
            held = z3.Or(
                *(z3.And(_open_to(z3.BoolVal(write), r), given.holds(r, top, address, size)) for r in Region)
            )
            yield Obligation(f"what may be accessed, write={write}", tuple(unknowns.assumptions), may == held, shown)


def _locked_sizes(instructions: tuple[X86, ...]) -> frozenset[int]:
    """Of the atomic instructions. One whose bytes lie on both sides of a line's end stops every processor, or kills."""
    return frozenset(i.size for i in instructions if isinstance(i, LockAlu | LockXadd | Xchg | LockCmpxchg))


def _as_before(way: Way) -> bool:
    """The gate's fact is the one in front of the macro, of the same values."""
    after, before = way.ran.state.registers, way.ran.before
    return way.ran.known is way.start.approved and all(after[reg] is before[reg] for reg in (CHECKED, FRAME))


def _within(way: Way, touch: Touch, access: Access[z3.BitVecRef]) -> z3.BoolRef:
    """Whether the access is inside the bytes that `touch` means, and allowed there."""
    given, layout = way.given, way.given.layout
    offset = _offset(way, access)
    match touch:
        case FrameBytes(disp, size, write, aligned):
            address = Int.of_word(_offset(way, access))
            framed = given.holds(Region.STACK, given.frame_top, address, access.size)
            return z3.And(framed, _guest(way, access, R10 + as_int(disp).word(64), size, write, aligned))
        case ApprovedBytes(needed):
            approved, low = way.start.approved, z3.simplify(way.start.checked + as_int(needed.low).word(64))
            start = approved_address(approved, way.start.checked)
            part = _inside(Int.of_word(_offset(way, access)), access, start, as_int(approved.size))
            named = _guest(way, access, low, needed.size, needed.write, needed.aligned)
            return z3.And(part, z3.Implies(access.write, condition_of(approved.write)), named)
        case ContextBytes(start, size, write):
            return z3.And(_inside(Int.of_word(offset, signed=True), access, as_int(start), size), _may(access, write))
        case RecordBytes(write):
            frame = given.depth if write else given.depth - 1
            record = as_int(record_offset(layout, frame))  # type: ignore[arg-type]
            place = z3.And(
                condition_of(record >= -layout.context_bytes), condition_of(record + RECORD_BYTES <= -CONTEXT_HOT_BYTES)
            )
            inside = _inside(Int.of_word(offset, signed=True), access, record, RECORD_BYTES)
            return z3.And(place, inside, z3.BoolVal(access.write == write))
        case TableSlot(distance):
            slot = Unknown(way.start.pc).address(Callee(distance))
            return z3.And(access.address == slot, z3.BoolVal(access.size == 8 and not access.write))


def _offset(way: Way, access: Access[z3.BitVecRef]) -> z3.BitVecRef:
    """From rbp."""
    return z3.simplify(access.address - way.given.base)


def _guest(
    way: Way, access: Access[z3.BitVecRef], low: z3.BitVecRef, size: int, write: bool, aligned: int
) -> z3.BoolRef:
    return z3.And(
        _inside(Int.of_word(_offset(way, access)), access, Int.of_word(low), size),
        _may(access, write),
        condition_of(Int.of_word(access.address) & aligned - 1 == 0),
    )


def _inside(offset: Int, access: Access[z3.BitVecRef], low: Int, size: int | Int) -> z3.BoolRef:
    return z3.And(condition_of(low <= offset), condition_of(offset + access.size <= low + size))


def _may(access: Access[z3.BitVecRef], write: bool) -> z3.BoolRef:
    return z3.BoolVal(write or not access.write)


# ---------------------------------------------------------------- gate.speculative


def speculative_claims(way: Way) -> Claims:
    """Wherever the guesses led: the guest's own reservation, and facts that let the next macro stay there too."""
    given, ran = way.given, way.ran
    slots = [touch for touch in ran.contract.touches if isinstance(touch, TableSlot)]
    for access in ran.state.accesses:
        own = given.reserved(Int.of_word(_offset(way, access), signed=True), access.size)
        yield f"access of {access.size} bytes", z3.Or(own, *(_within(way, slot, access) for slot in slots))
    registers = ran.state.registers
    if registers[FRAME] is not ran.before[FRAME]:
        yield "r10 is a frame's end", is_frame_top(given, registers[FRAME])
    yield "rbp", registers[Reg.rbp] == given.base
    if ran.left == BEHIND and ran.known is not None and not _as_before(way):
        yield "approved", speculative_fact(given, ran.known, registers[CHECKED], registers[FRAME])


# ---------------------------------------------------------------- gate.contract


def contract_claims(way: Way) -> Claims:
    """Where control goes, what stays, and the shadow stack."""
    ran = way.ran
    yield f"leaves to where it may ({type(ran.left).__name__})", _may_leave(way)
    after, before = ran.state.registers, ran.before
    changed = {*ran.contract.writes, *((FRAME,) if ran.contract.frame is not FrameEffect.SAME else ())}
    for reg in Reg:
        if (reg in HELD or reg not in changed) and after[reg] is not before[reg]:
            yield f"{reg.name} is unchanged", after[reg] == before[reg]
    if isinstance(ran.left, Leave):
        for reg in (reg for reg in GUEST if after[reg] is not before[reg]):
            yield f"{reg.name} is as the instruction found it", after[reg] == before[reg]
        yield "memory is as the instruction found it", _nothing_stored(way)
        yield "there is a way out", z3.BoolVal(ran.left.exit in LEAVES)
    elif isinstance(ran.left, Stub):
        yield "the host finds where it is", _tells_host(way, ran.left)
    yield "nothing but what is read reaches the guest", _same_elsewhere(ran)
    yield "its bytes are its own", own_bytes(ran.instructions)
    if ran.contract.is_quiet():
        same_known = ran.known is way.start.approved and not ran.borrows and ran.welcome
        yield "may stand anywhere", z3.BoolVal(ran.left == BEHIND and same_known)
    if any(isinstance(touch, ApprovedBytes) for touch in ran.contract.touches):
        here = condition_of(way.start.since == BLOCK_PC)
        yield "the host is kept from where another block's check is used", z3.Or(here, z3.BoolVal(ran.borrows))
    if ran.contract.polls:
        yield "nothing is known where the host resumes", z3.BoolVal(ran.known is None)
    yield from _frame_claims(way)


def _tells_host(way: Way, left: Stub) -> z3.BoolRef:
    """At an exit stub the context says where the guest is; it has finished only in the entry frame."""
    if left.exit is Exit.FINISHED:
        return condition_of(way.given.depth == 0)
    pc = way.ran.memory.context.get((PC, 4))
    stored = z3.BoolVal(False) if pc is None else pc == way.start.pc.word(64)
    return z3.And(stored, z3.BoolVal(way.ran.contract.resumes_behind))


def _same_elsewhere(ran: Ran) -> z3.BoolRef:
    """The guest sees the same, whatever scratch registers, rbp, rsp and what is not read hold, wherever code lies."""
    if len(ran.told) != len(ran.told_elsewhere):
        return z3.BoolVal(False)
    same = [z3.BoolVal(True)]
    for (one, before), (other, before_other) in zip(ran.told, ran.told_elsewhere, strict=True):
        if before is not None and before_other is not None:
            same.append(z3.Or(one == other, z3.And(one == before, other == before_other)))
        else:
            same.append(one == other)
    return z3.And(*same) if ran.told is not ran.told_elsewhere else z3.BoolVal(True)


def _may_leave(way: Way) -> z3.BoolRef:
    ran = way.ran
    if ran.left == BEHIND:
        return z3.BoolVal(ran.contract.falls_through)
    if isinstance(ran.left, Fetched):
        places = Unknown(way.start.pc)
        called = (target for target in ran.contract.leaves if isinstance(target, Callee))
        by_call = (ran.left.source == places.address(target) for target in called)
        return z3.Or(*by_call, z3.BoolVal(ran.contract.frame is FrameEffect.POP))
    return z3.Or(*(same(ran.left, target) for target in ran.contract.leaves), z3.BoolVal(False))


def _nothing_stored(way: Way) -> z3.BoolRef:
    """Each store put back what the last load of its address had found, in the same instruction."""
    events = way.ran.memory.events
    kept = [z3.BoolVal(True)]
    for previous, event in zip((None, *events), events, strict=False):
        if event.write and previous is not None and not previous.write and previous.size == event.size:
            kept += [previous.address == event.address, previous.value == event.value]
        elif event.write:
            kept.append(z3.BoolVal(False))
    return z3.And(*kept)


def _frame_claims(way: Way) -> Claims:
    """r10 and the record of the call, where control leaves to another frame."""
    given, ran = way.given, way.ran
    layout, effect = given.layout, ran.contract.frame
    if effect is FrameEffect.SAME or not isinstance(ran.left, Fetched):
        yield "r10 stays", ran.state.registers[FRAME] == ran.before[FRAME]
        return
    depth = given.depth + 1 if effect is FrameEffect.PUSH else given.depth - 1
    yield "r10 is a frame's end", is_frame_top(given, ran.state.registers[FRAME])
    top = as_int(layout.frame_top(depth))  # type: ignore[arg-type]
    yield "r10 is the other frame's end", ran.state.registers[FRAME] == top.word(64)
    frame = given.depth if effect is FrameEffect.PUSH else depth
    record = given.base + as_int(record_offset(layout, frame)).word(64)  # type: ignore[arg-type]
    saved = [(SAVED + 8 * i, reg) for i, reg in enumerate(GUEST[6:10])]
    if effect is FrameEffect.POP:
        yield "goes where the record says", ran.left.source == record + RETURN_NATIVE
        for offset, reg in saved:
            yield f"{reg.name} comes from the record", _found(way, record + offset, ran.state.registers[reg])
        return
    places = Unknown(way.start.pc)
    behind = _word32(places.pc_plus(1))
    yield "the record says where to resume", _stored(way, record + RETURN_NATIVE, 8, places.address(Local(0)))
    yield "the record says the pc", _stored(way, record + RETURN_PC, 4, behind)
    for offset, reg in saved:
        yield f"the record has {reg.name}", _stored(way, record + offset, 8, ran.before[reg])


def _word32(value: z3.BitVecRef) -> z3.BitVecRef:
    return z3.ZeroExt(32, z3.Extract(31, 0, value))


def _stored(way: Way, address: z3.BitVecRef, size: int, value: z3.BitVecRef) -> z3.BoolRef:
    stores = [e for e in way.ran.memory.events if e.write and e.size == size]
    return z3.Or(*(z3.And(e.address == address, e.value == value) for e in stores), z3.BoolVal(False))


def _found(way: Way, address: z3.BitVecRef, value: z3.BitVecRef) -> z3.BoolRef:
    loads = [e for e in way.ran.memory.events if not e.write and e.size == 8]
    return z3.Or(*(z3.And(e.address == address, e.value == value) for e in loads), z3.BoolVal(False))


# ---------------------------------------------------------------- registration


def _obligations(
    macro: type, claims: Callable[[Way], Claims], guessing: bool, layouts: tuple[Layout, ...] = LAYOUTS
) -> Iterator[Obligation]:
    twice = claims is contract_claims
    for number, layout in enumerate(layouts):
        for instance, unknowns, shape in representatives(macro, layout):
            if number > 0 and shape.ignores_layout:
                continue
            if not any(emitted(part.instructions) for part in shape.parts if part.instructions is not None):
                continue
            name = f"{instance}, stride {layout.frame_stride:#x}"
            for way in ways(instance, unknowns, assumed(layout), guessing=guessing, twice=twice):
                assuming, known = way.assumed, _known(way.path)
                path, of_state = ([z3.substitute(c, *known) for c in part] for part in (way.path, assuming))
                for what, claim in claims(way):
                    claim = z3.substitute(claim, *known)
                    given = (*path, *relevant(of_state, claim, *path))
                    further = (*of_state, *way.path)
                    yield Obligation(f"{name}: {what}", given, claim, way.shown, further=further)


def _known(conditions: Conditions) -> list[tuple[z3.BitVecRef, z3.BitVecRef]]:
    """Unknowns that a condition says to be equal to a term, and the terms to put in their place.

    The gate compares what a check counts from with where the region starts: then these are one unknown, not two.
    """
    found: list[tuple[z3.BitVecRef, z3.BitVecRef]] = []
    for condition in conditions:
        if z3.is_eq(condition) and z3.is_bv(condition.arg(0)):
            sides = condition.children()
            for one, other in (sides, sides[::-1]):
                unknown = one.arg(0) if one.decl().kind() in (z3.Z3_OP_SIGN_EXT, z3.Z3_OP_ZERO_EXT) else one
                if unknown.decl().kind() == z3.Z3_OP_UNINTERPRETED and not variables(unknown) & variables(other):
                    found.append((unknown, z3.Extract(unknown.size() - 1, 0, other)))
                    break
    return found


def _cases(claims: Callable[[Way], Claims], *, guessing: bool = False) -> Iterator[Case]:
    for macro in MACROS:
        yield Case(macro.__name__, partial(_obligations, macro, claims, guessing))


def _forms() -> Iterator[Obligation]:
    """Every x86 form is emitted by something that a theorem is about: an expansion, a trampoline, the way to a stub."""
    emitted = {type(instruction) for code in _OUTSIDE for instruction in code}
    for macro in MACROS:
        for _, _, shape in representatives(macro, ORDINARY):
            emitted |= {type(instruction) for part in shape.parts for instruction in part.instructions or ()}
    for form in FORMS:
        yield Obligation(f"{form.__name__} is emitted", (), z3.BoolVal(form in emitted))


_OUTSIDE = (START, RESUME, RESUME_CALLED, *map(leave, Exit))  # host.trampoline is about these


def _stubs() -> Iterator[Obligation]:
    """The cold stubs behind `Leave`: each puts the instruction's pc where the host finds it, and goes to its exit."""
    for exit in LEAVES:
        code, fixups, cold, _ = leave_stub(exit)
        instructions = [instruction for _, instruction in decode_all(code)]
        first = decode(code)[1]
        claims = {
            "stores the pc, then jumps": instructions == [StoreImm(FIELD, Mem(PC), 0), Jump(Native(0))],
            "the pc is the instruction's": list(fixups[:1]) == [(first - FIELD, PcPlus(0))],
            "goes to its exit": list(fixups[1:]) == [(len(code) - FIELD, Stub(exit))] and not cold,
        }
        for what, claim in claims.items():
            yield Obligation(f"stub {exit.name}: {what}", (), z3.BoolVal(claim))


LEAVES = (Exit.INTERPRET, Exit.PREEMPTED)  # the exits that have such a stub


def _r10() -> Iterator[Obligation]:
    """In front of every macro; so a macro that leaves r10 alone need not be asked."""
    for layout in LAYOUTS:
        given = assumed(layout)
        yield Obligation("r10 is a frame's end", given.conditions, is_frame_top(given, R10), layout.shown)


def _speculative_cases() -> Iterator[Case]:
    yield Case("r10", _r10)
    yield from _cases(speculative_claims, guessing=True)


def _memory_cases() -> Iterator[Case]:
    yield Case("what may be accessed", _what_may_be_accessed)
    yield from _cases(memory_claims)


def _contract_cases() -> Iterator[Case]:
    yield Case("x86 forms", _forms)
    yield Case("stubs", _stubs)
    yield from _cases(contract_claims)


def _assumptions() -> Iterator[tuple[str, tuple[z3.BoolRef, ...]]]:
    for layout in LAYOUTS:
        given, name = assumed(layout), f"stride {layout.frame_stride:#x}"
        yield f"the hypothesis, {name}", given.conditions
        for guessing in (False, True):
            start, fact = state_before(given, guessing)
            what = "the guest's own" if guessing else "allowed"
            yield f"an approval that is {what}, {name}", (*given.conditions, *start.ranges, fact)


_RANGES_OVER = (
    "every macro, every register, width, condition and choice of regions; all immediates, offsets, sizes and "
    "approvals; all register and memory contents, which others may change at any time; all layouts whose frames are "
    "as far apart as one of `jit.layout.PROVED_STRIDES`, with regions of any size at any place, any number and size of "
    "frames, all depths, at all addresses"
)
_ASSUMES = (
    "the layout's hypothesis holds (layout.hypothesis)",
    "r10 is the end of a live frame, rbp the cage base",
    "what the gate knows of CHECKED is true: proved of each macro for the next",
)


def _theorem(id: str, statement: str, cases: Callable[[], Iterator[Case]]) -> Theorem:
    return Theorem(
        id=id,
        statement=statement,
        ranges_over=_RANGES_OVER,
        assumes=_ASSUMES,
        depends=("jit.macros", "jit.check", "jit.layout", "jit.context", "jit.x86", "jit.registers", "simulator.x86"),
        cases=cases,
        assumptions=_assumptions,
    )


MEMORY = register(
    _theorem(
        "gate.memory",
        "every byte that an admitted macro touches is one that its contract names and the guest may so access; what "
        "the gate then knows of the checked address is true",
        _memory_cases,
    )
)
CONTRACT = register(
    _theorem(
        "gate.contract",
        "an admitted macro leaves only to where its contract says, with all else as it was, r10 the frame's end, the "
        "record of a call complete, and nothing of the host's in a guest register",
        _contract_cases,
    )
)
SPECULATIVE = register(
    _theorem(
        "gate.speculative",
        "wherever its branches are guessed to go, an admitted macro touches only the guest's own reservation",
        _speculative_cases,
    )
)
