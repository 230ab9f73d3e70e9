"""A suspended guest as a value: registers, eBPF pcs, memory. No native address is in it.

Taken at any suspension point (before the first instruction, preempted, waiting for a helper, between runs), restored
in this process or another, on either engine. A snapshot that waits for a helper makes the call again.

A snapshot is input like an object file: `restored` checks everything that running on from it relies on, so that a
forged one can do no more than a guest program could.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jit.layout import ADDRESS_LIMIT, PAGE, Layout, Region, aligned
from runtime.errors import SnapshotRefused
from runtime.phase import Phase
from simulator.ebpf import CallRecord
from validator.isa import Kind, call_target
from validator.polls import poll_pcs

if TYPE_CHECKING:
    from runtime.guest import Guest
    from runtime.program import Program

_MAGIC = b"salix guest 1\n"
_HEADER_LIMIT = 1 << 22  # names all pages that a guest can have, ten digits each
_PAGE_ADDRESSES = range(0, ADDRESS_LIMIT, PAGE)
_WORD = 1 << 64
_ZERO_AT_START = (0, *range(3, 10))
_ZEROS = bytes(PAGE)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """See the module. `pages` are (guest address, 4096 bytes), without pages that are all zeros."""

    program: str  # Program.identity
    calldata_size: int
    phase: Phase
    pc: int
    registers: tuple[int, ...]
    calls: tuple[CallRecord[int], ...]
    pages: tuple[tuple[int, bytes], ...]

    def to_bytes(self) -> bytes:
        """The snapshot as bytes, for a file or another process."""
        header = {
            "program": self.program,
            "calldata_size": self.calldata_size,
            "phase": self.phase.value,
            "pc": self.pc,
            "registers": self.registers,
            "calls": [[call.return_pc, *call.saved] for call in self.calls],
            "pages": [address for address, _ in self.pages],
        }
        text = json.dumps(header).encode()
        body = len(text).to_bytes(4, "little") + text + b"".join(page for _, page in self.pages)
        return _MAGIC + zlib.compress(body, level=1)

    @staticmethod
    def from_bytes(content: bytes) -> Snapshot:
        """The inverse of `to_bytes`. Raises SnapshotRefused; no more is inflated than the header and what it names."""
        if not content.startswith(_MAGIC):
            raise SnapshotRefused(f"not a snapshot: it must start with {_MAGIC!r}")
        body = _Body(content[len(_MAGIC) :])
        size = int.from_bytes(body.take(4), "little")
        if size > _HEADER_LIMIT:
            raise SnapshotRefused(f"a header of {size} bytes, at most {_HEADER_LIMIT} are allowed")
        snapshot = _parsed(body.take(size), body)
        body.end()
        return snapshot


class _Body:
    """Compressed bytes, of which no more is inflated than is asked for."""

    def __init__(self, compressed: bytes) -> None:
        self._inflater = zlib.decompressobj()
        self._compressed = compressed

    def take(self, size: int) -> bytes:
        """The next `size` bytes. Raises SnapshotRefused."""
        taken = self._inflate(size) if size else b""
        if len(taken) < size:
            raise SnapshotRefused(f"the snapshot is cut off: {size} bytes are named, there are {len(taken)}")
        return taken

    def end(self) -> None:
        """Raise SnapshotRefused unless everything was taken."""
        if self._inflate(1) or not self._inflater.eof or self._inflater.unused_data:
            raise SnapshotRefused("the snapshot is cut off, or goes on behind the pages that are named")

    def _inflate(self, limit: int) -> bytes:
        try:
            inflated = self._inflater.decompress(self._compressed, limit)
        except zlib.error as error:
            raise SnapshotRefused(f"the snapshot is damaged: {error}") from error
        self._compressed = self._inflater.unconsumed_tail
        return inflated


def _parsed(text: bytes, body: _Body) -> Snapshot:
    try:
        header: dict[str, Any] = json.loads(text)
        calls = tuple(CallRecord(int(c[0]), tuple(int(v) for v in c[1:])) for c in header["calls"])
        addresses = [int(address) for address in header["pages"]]
        registers = tuple(int(value) for value in header["registers"])
        program, calldata_size = str(header["program"]), int(header["calldata_size"])
        phase, pc = Phase(header["phase"]), int(header["pc"])
    except (ValueError, KeyError, TypeError, IndexError, OverflowError, RecursionError) as error:
        raise SnapshotRefused(f"the snapshot's header is malformed: {type(error).__name__}: {error}") from error
    if len(set(addresses)) != len(addresses) or not all(address in _PAGE_ADDRESSES for address in addresses):
        raise SnapshotRefused("a page is named twice, or is no page of any guest's memory")
    content = body.take(PAGE * len(addresses))
    pages = tuple((address, content[PAGE * i : PAGE * (i + 1)]) for i, address in enumerate(addresses))
    return Snapshot(program, calldata_size, phase, pc, registers, calls, pages)


def identity(program: Program) -> str:
    """What a program must have in common with a snapshot's: code, initial data, helpers by number, profile."""
    code, entries, starts, helpers = program.text.key
    contents = (code, program.read_only, program.writable)
    sizes = (*map(len, contents), program.layout_for(0).writable.size)
    facts = repr((sizes, entries, starts, sorted(helpers), program.profile)).encode()
    return hashlib.sha256(b"".join((*contents, facts))).hexdigest()


def taken(guest: Guest) -> Snapshot:
    """The guest as it is now."""
    context = guest.context
    running = guest.phase is not Phase.IDLE
    memory = guest.slot_memory
    pages = ((address, bytes(memory[address : address + PAGE])) for address in _addresses(guest.layout))
    return Snapshot(
        guest.program.identity,
        guest.layout.calldata.size,
        guest.phase,
        context.pc if running else 0,
        tuple(context.registers()) if running else (0,) * 11,
        tuple(context.calls()) if running else (),
        tuple((address, page) for address, page in pages if page != _ZEROS),
    )


def _addresses(layout: Layout) -> Iterator[int]:
    """The pages that hold what a guest may have written: data, calldata and all stack frames."""
    for region in (Region.WRITABLE, Region.CALLDATA):
        span = layout.span(region)
        yield from range(span.low, aligned(span.low + span.size, PAGE), PAGE)
    for depth in range(layout.frames):
        top = layout.frame_top(depth)
        yield from range(top - layout.frame_bytes, top, PAGE)


def restore_into(guest: Guest, snapshot: Snapshot) -> None:
    """Make a fresh guest of the same program and calldata size what `snapshot` says. Raises SnapshotRefused."""
    _check_pages(guest.layout, snapshot)
    if snapshot.phase is not Phase.IDLE:
        _check_place(guest.program, guest.layout, snapshot)
    memory, layout = guest.slot_memory, guest.layout
    memory[layout.writable.low : layout.writable.low + len(guest.program.writable)] = bytes(len(guest.program.writable))
    for address, page in snapshot.pages:
        memory[address : address + PAGE] = page
    if snapshot.phase is not Phase.IDLE:
        guest.context.set_registers(list(snapshot.registers))
        guest.context.set_calls(list(snapshot.calls))
        guest.context.pc = snapshot.pc


def _check_pages(layout: Layout, snapshot: Snapshot) -> None:
    allowed = frozenset(_addresses(layout))
    addresses = [address for address, _ in snapshot.pages]
    if len(set(addresses)) != len(addresses) or not allowed.issuperset(addresses):
        raise SnapshotRefused("a page is named twice, or lies outside the guest's writable memory")
    if any(len(page) != PAGE for _, page in snapshot.pages):
        raise SnapshotRefused(f"a page that has not {PAGE} bytes")
    for region in (Region.WRITABLE, Region.CALLDATA):
        span = layout.span(region)
        end = span.low + span.size
        for address, page in snapshot.pages:
            if address < end < address + PAGE and span.low <= address and any(page[end - address :]):
                raise SnapshotRefused(f"bytes behind the end of the {region.value}")


def _check_place(program: Program, layout: Layout, snapshot: Snapshot) -> None:
    """The pc must be a suspension point of that phase, and the calls must lead to it."""
    validated, text = program.text.validated, program.text
    registers, pc = snapshot.registers, snapshot.pc
    if len(registers) != 11 or not all(0 <= value < _WORD for value in registers):
        raise SnapshotRefused("there must be eleven registers of 64 bits")
    if snapshot.phase is Phase.READY and any(registers[number] for number in _ZERO_AT_START):
        raise SnapshotRefused("a guest that is ready has only r1, r2 and r10 set")
    if len(snapshot.calls) >= layout.frames or registers[10] != layout.frame_top(len(snapshot.calls)):
        raise SnapshotRefused(f"{len(snapshot.calls)} calls do not fit r10 = {registers[10]:#x}")
    form = validated.forms[pc] if 0 <= pc < len(validated.forms) else None
    suspended_here = {
        Phase.READY: pc in validated.entries and not snapshot.calls,
        Phase.PREEMPTED: pc in poll_pcs(validated),
        Phase.WAITING: form is not None and form.kind is Kind.CALL_HELPER,
        Phase.ANSWERED: form is not None and form.kind is Kind.CALL_HELPER,
    }
    if not suspended_here.get(snapshot.phase, False):
        raise SnapshotRefused(f"a guest cannot be {snapshot.phase.value} at pc {pc}")
    callee = text.function_at(pc).start
    for call in reversed(snapshot.calls):
        at = call.return_pc - 1
        caller_form = validated.forms[at] if 0 <= at < len(validated.forms) else None
        instruction = validated.program[at] if caller_form is not None else None
        if caller_form is None or instruction is None or call_target(caller_form, instruction, at) != callee:
            raise SnapshotRefused(f"pc {at} is no call of the function at pc {callee}")
        if len(call.saved) != 4 or not all(0 <= value < _WORD for value in call.saved):
            raise SnapshotRefused("a call must have saved r6 to r9")
        callee = text.function_at(at).start
    if callee not in {text.function_at(entry).start for entry in validated.entries}:
        raise SnapshotRefused(f"the outermost function, at pc {callee}, is no entry")
