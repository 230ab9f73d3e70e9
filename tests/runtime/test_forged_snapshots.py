"""What a snapshot may not say: each refusal stands beside the nearest snapshot that is accepted.

The slots of refused guests come back. Random damage is in `test_damaged_snapshots`.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from differential.hostile.elf_writer import A, Sec, Sym, X, write
from jit.layout import PAGE, Region
from runtime import Host, Phase, Program, Snapshot, SnapshotRefused, load, load_bytecode
from runtime.snapshot import _HEADER_LIMIT, _MAGIC
from simulator.ebpf import CallRecord
from tests.corpus.assembly import EXIT, branch_imm, call_local, mov
from tests.runtime.snapshots import BSS_BYTES, INPUT, program, suspensions
from validator.isa import Kind
from validator.polls import poll_pcs

ENGINES = ("jit", "interpreter")
WORD = 2**64


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def origin(engine: str) -> Iterator[Program]:
    """A program on its own host, on which no slot is in use before and after."""
    host = Host()
    yield program(engine, host=host)
    assert host.cage.in_use == 0


def snapshot_at(origin: Program, phase: Phase, depth: int) -> Snapshot:
    with origin.instantiate() as guest:
        for _ in suspensions(guest):
            if (guest.phase, guest.context.depth) == (phase, depth):
                return guest.snapshot()
    raise AssertionError(f"never {phase} at depth {depth}")


def accepts(origin: Program, snapshot: Snapshot) -> None:
    """As an object, and as bytes."""
    origin.restore(snapshot).close()
    origin.restore(Snapshot.from_bytes(snapshot.to_bytes())).close()


def refuses(origin: Program, reason: str, snapshot: Snapshot) -> None:
    with pytest.raises(SnapshotRefused, match=reason):
        origin.restore(snapshot)
    assert origin.host.cage.in_use == 0


# ---------------------------------------------------------------- where it is


@pytest.mark.parametrize("phase", [Phase.READY, Phase.PREEMPTED, Phase.WAITING, Phase.ANSWERED])
def test_exactly_the_suspension_points_of_a_phase_are_accepted(origin: Program, phase: Phase) -> None:
    """Every pc, and some that are none, for each phase and call depth that the pc's function can have."""
    validated = origin.text.validated
    helper_calls = {pc for pc, form in enumerate(validated.forms) if form is not None and form.kind is Kind.CALL_HELPER}
    points = {
        Phase.READY: {0},
        Phase.PREEMPTED: poll_pcs(validated),
        Phase.WAITING: helper_calls,
        Phase.ANSWERED: helper_calls,
    }[phase]
    accepted = set()
    for depth in range(3):
        base = snapshot_at(origin, Phase.PREEMPTED, depth)
        if phase is Phase.READY:
            base = replace(base, registers=(0, *base.registers[1:3], *[0] * 7, base.registers[10]))
        for pc in (*range(-2, len(validated.forms) + 2), -(2**31), 2**31 - 1, 2**31, 2**64):
            try:
                accepts(origin, replace(base, phase=phase, pc=pc))
                accepted.add((depth, pc))
            except SnapshotRefused:
                pass
    starts = [function.start for function in validated.functions]
    depth_of = {pc: sum(start <= pc for start in starts) - 1 for pc in points}  # main, outer, inner
    assert accepted == {(depth, pc) for pc, depth in depth_of.items()}
    assert len(points) == {Phase.READY: 1, Phase.PREEMPTED: 6}.get(phase, 2)


def test_frame_pointer_and_number_of_calls_agree(origin: Program) -> None:
    for depth in range(3):
        base = snapshot_at(origin, Phase.PREEMPTED, depth)
        layout = origin.layout_for(base.calldata_size)
        tops = [layout.frame_top(k) for k in range(-1, layout.frames + 2)]
        nearby = [base.registers[10] + distance for distance in (-8, -1, 1, 8, 1 << 32, 1 << 63)]
        for top in {*tops, *nearby, 0, WORD - 1}:
            forged = replace(base, registers=(*base.registers[:10], top))
            if top == base.registers[10]:
                accepts(origin, forged)
            else:
                refuses(origin, "calls do not fit r10", forged)


def test_there_are_as_many_calls_as_frames_but_one(engine: str) -> None:
    host = Host()
    recursive = load_bytecode(call_local(-1) + EXIT, engine=engine, host=host)
    layout = recursive.layout_for(0)
    call = CallRecord(1, (0, 0, 0, 0))
    for depth in range(layout.frames + 3):
        registers = (*[0] * 10, layout.frame_top(depth))
        forged = Snapshot(recursive.identity, 0, Phase.PREEMPTED, 0, registers, (call,) * depth, ())
        if depth < layout.frames:
            accepts(recursive, forged)
            if depth:
                refuses(recursive, "cannot be ready at pc 0", replace(forged, phase=Phase.READY))
        else:
            refuses(recursive, "calls do not fit r10", forged)


def test_a_call_returns_behind_a_call_of_the_function_that_was_left(origin: Program) -> None:
    """Every return pc, for both calls of a chain of two."""
    base = snapshot_at(origin, Phase.WAITING, 2)
    size = len(origin.text.validated.forms)
    for which, call in enumerate(base.calls):
        for return_pc in (*range(-3, size + 3), 2**31, 2**32 + call.return_pc, 2**63, WORD - 1, WORD + call.return_pc):
            calls = list(base.calls)
            calls[which] = replace(call, return_pc=return_pc)
            forged = replace(base, calls=tuple(calls))
            if return_pc == call.return_pc:
                accepts(origin, forged)
            else:
                refuses(origin, f"pc {return_pc - 1} is no call of the function", forged)


def test_the_chain_of_calls_is_complete_and_in_order(origin: Program) -> None:
    base = snapshot_at(origin, Phase.PREEMPTED, 2)
    outer, inner = base.calls
    tops = [origin.layout_for(base.calldata_size).frame_top(depth) for depth in range(4)]
    for calls in ((inner, outer), (outer,), (inner,), (outer, outer), (inner, inner), (outer, inner, inner), ()):
        registers = (*base.registers[:10], tops[len(calls)])
        reason = "is no call of the function|is no entry"
        refuses(origin, reason, replace(base, calls=calls, registers=registers))
    accepts(origin, replace(base, calls=(outer, inner)))


def test_the_outermost_function_is_an_entry(engine: str) -> None:
    """Two sections of the same code, of which the linker makes two entries, and a function that is none."""
    host = Host()
    body = call_local(1) + EXIT + mov(0, 1) + branch_imm("jne", 64, 0, 1, -1) + EXIT
    elf = write([Sec("one", A | X, body), Sec("two", A | X, body)], [Sym("one", "one"), Sym("two", "two")])
    two = load(elf, engine=engine, host=host)
    starts = [function.start for function in two.text.validated.functions]
    assert (starts, two.text.validated.entries) == ([0, 2, 5, 7], (0, 5))
    registers = (*[0] * 10, two.layout_for(0).frame_top(0))
    for start in starts:
        forged = Snapshot(two.identity, 0, Phase.PREEMPTED, start, registers, (), ())
        if start in (0, 5):
            accepts(two, forged)
            accepts(two, replace(forged, phase=Phase.READY))
        else:
            refuses(two, f"the outermost function, at pc {start}, is no entry", forged)
            refuses(two, f"cannot be ready at pc {start}", replace(forged, phase=Phase.READY))


# ---------------------------------------------------------------- registers


@pytest.mark.parametrize("number", range(10))
def test_registers_have_64_bits(origin: Program, number: int) -> None:
    base = snapshot_at(origin, Phase.PREEMPTED, 1)
    for value in (-1, 0, WORD - 1, WORD, -(2**63)):
        registers = (*base.registers[:number], value, *base.registers[number + 1 :])
        forged = replace(base, registers=registers)
        if 0 <= value < WORD:
            accepts(origin, forged)
        else:
            refuses(origin, "eleven registers of 64 bits", forged)


def test_there_are_eleven_registers_and_four_saved_ones(origin: Program) -> None:
    base = snapshot_at(origin, Phase.PREEMPTED, 1)
    for registers in (base.registers[:10], (*base.registers, 0), ()):
        refuses(origin, "eleven registers", replace(base, registers=registers))
    call = base.calls[0]
    for saved in (call.saved[:3], (*call.saved, 0), (), (-1, 0, 0, 0), (0, 0, 0, WORD)):
        refuses(origin, "must have saved r6 to r9", replace(base, calls=(replace(call, saved=saved),)))
    accepts(origin, replace(base, calls=(replace(call, saved=(0, WORD - 1, 1, 2)),)))


@pytest.mark.parametrize("number", range(10))
def test_a_ready_guest_has_no_registers_but_its_arguments(origin: Program, number: int) -> None:
    """Native code starts with zeros whatever the context says; the interpreter would go on with what it finds there."""
    base = snapshot_at(origin, Phase.READY, 0)
    forged = replace(base, registers=(*base.registers[:number], 99, *base.registers[number + 1 :]))
    if number in (1, 2):
        accepts(origin, forged)
    else:
        refuses(origin, "only r1, r2 and r10", forged)


# ---------------------------------------------------------------- memory


def test_pages_are_pages_of_writable_memory(origin: Program) -> None:
    """Every page of the slot, one before, and one behind; what is left are data, input and stack frames."""
    base = replace(snapshot_at(origin, Phase.PREEMPTED, 1), pages=())
    layout = origin.layout_for(base.calldata_size)
    low = layout.writable.low
    frames = {layout.stack_low + depth * layout.frame_stride for depth in range(layout.frames)}
    writable = {low, low + PAGE, layout.calldata.low, *frames}
    page = b"\x01" + bytes(PAGE - 1)
    accepted = set()
    for address in range(-PAGE, layout.slot_bytes + 2 * PAGE, PAGE):
        try:
            origin.restore(replace(base, pages=((address, page),))).close()
            accepted.add(address)
        except SnapshotRefused:
            pass
    assert accepted == writable
    for address in (layout.read_only.low, -layout.context_bytes, low - PAGE, low + 2 * PAGE, low + 1, low - 1, WORD):
        refuses(origin, "outside the guest's writable memory", replace(base, pages=((address, page),)))


def test_a_page_is_named_once_and_has_its_size(origin: Program) -> None:
    base = snapshot_at(origin, Phase.PREEMPTED, 1)
    first = base.pages[0]
    refuses(origin, "named twice", replace(base, pages=(*base.pages, first)))
    accepts(origin, replace(base, pages=(*base.pages[1:], first)))  # in any order
    for size in (0, PAGE - 1, PAGE + 1):
        forged = replace(base, pages=((first[0], first[1].ljust(PAGE + 1, b"\0")[:size]), *base.pages[1:]))
        with pytest.raises(SnapshotRefused):
            origin.restore(forged)


@pytest.mark.parametrize("region", [Region.WRITABLE, Region.CALLDATA])
def test_bytes_behind_the_end_of_a_region_are_zero(origin: Program, region: Region) -> None:
    base = snapshot_at(origin, Phase.PREEMPTED, 1)
    span = origin.layout_for(base.calldata_size).span(region)
    end = span.low + span.size
    assert span.size == {Region.WRITABLE: 16 + BSS_BYTES, Region.CALLDATA: len(INPUT)}[region]
    start = end // PAGE * PAGE
    pages = dict(base.pages)
    for at in range(end - 2, end + 3):
        page = bytearray(pages[start])
        page[at - start] = 0x77
        forged = replace(base, pages=tuple((pages | {start: bytes(page)}).items()))
        if at < end:
            accepts(origin, forged)
        else:
            refuses(origin, f"bytes behind the end of the {region.value}", forged)
    page = bytearray(pages[start])
    page[-1] = 1
    refuses(origin, "bytes behind", replace(base, pages=tuple((pages | {start: bytes(page)}).items())))


@pytest.mark.parametrize("size", [1, 2, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE])
def test_the_last_byte_of_the_input_is_its_last(engine: str, size: int) -> None:
    host = Host()
    trivial = load_bytecode(mov(0, 1) + EXIT, engine=engine, host=host)
    low = trivial.layout_for(size).calldata.low
    base = Snapshot(trivial.identity, size, Phase.IDLE, 0, (0,) * 11, (), ())
    for at in range(3 * PAGE):
        if at in (0, size - 1, size, PAGE - 1, PAGE, 2 * PAGE - 1, 2 * PAGE):
            page = bytearray(PAGE)
            page[at % PAGE] = 1
            forged = replace(base, pages=((low + at // PAGE * PAGE, bytes(page)),))
            if at < size:
                accepts(trivial, forged)
            else:
                refuses(trivial, "bytes behind the end of the calldata|outside the guest's writable memory", forged)


@pytest.mark.parametrize("size", [-1, -PAGE, -(2**70), 1 << 30, 1 << 31, 1 << 63, 1 << 70])
def test_absurd_sizes_of_the_input_are_refused(origin: Program, size: int) -> None:
    for phase in (Phase.READY, Phase.IDLE):
        base = replace(snapshot_at(origin, Phase.READY, 0), phase=phase, pages=())
        refuses(origin, "must not be negative|memory would end at", replace(base, calldata_size=size))
        accepts(origin, replace(base, calldata_size=0, pages=()))


# ---------------------------------------------------------------- bytes


def packed(header: object, content: bytes = b"", size: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    length = (len(text) if size is None else size).to_bytes(4, "little")
    return _MAGIC + zlib.compress(length + text + content, level=1)


def header_of(snapshot: Snapshot) -> tuple[dict[str, Any], bytes]:
    body = zlib.decompress(snapshot.to_bytes()[len(_MAGIC) :])
    end = 4 + int.from_bytes(body[:4], "little")
    return json.loads(body[4:end]), body[end:]


HEADER = header_of(Snapshot("p", 0, Phase.IDLE, 0, (0,) * 11, (), ()))[0]

ABSURD: dict[str, tuple[object, ...]] = {
    "calldata_size": (None, [], "x", float("inf"), float("nan")),
    "phase": (None, 0, [], {}, "asleep", "IDLE"),
    "pc": (None, [0], "0x", float("inf")),
    "registers": (None, 3, ["x"], [None], [[0]], [float("inf")], [float("-inf")]),
    "calls": (None, 1, [1], [[]], [None], [["x"]], [[1, None]], [[float("inf"), 0]]),
    "pages": (None, 1, ["x"], [None], [float("inf")], [-4096], [1], [1 << 30]),
}
MALFORMED = {
    "no object": b"[]",
    "null": b"null",
    "number": b"7",
    "no JSON": b"{",
    "empty": b"",
    "not UTF-8": b"\xff\xfe\xff",
    "nested": b"[" * 100_000,
    "digits": b'{"pc": ' + b"9" * 100_000 + b"}",
    **{f"without {field}": json.dumps({k: v for k, v in HEADER.items() if k != field}).encode() for field in HEADER},
    **{
        f"{field} is {value}": json.dumps(HEADER | {field: value}).encode()
        for field, values in ABSURD.items()
        for value in values
    },
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_header_is_refused(case: str) -> None:
    with pytest.raises(SnapshotRefused):
        Snapshot.from_bytes(packed(MALFORMED[case], bytes(PAGE)))


def test_the_header_that_the_malformed_ones_are_beside_is_accepted() -> None:
    assert Snapshot.from_bytes(packed(HEADER)) == Snapshot("p", 0, Phase.IDLE, 0, (0,) * 11, (), ())
    with_page = HEADER | {"pages": [(1 << 30) - PAGE]}
    assert Snapshot.from_bytes(packed(with_page, bytes(PAGE))).pages == (((1 << 30) - PAGE, bytes(PAGE)),)


def test_bytes_are_neither_too_few_nor_too_many() -> None:
    snapshot = Snapshot("p", 0, Phase.IDLE, 0, (0,) * 11, (), ((PAGE, bytes(range(256)) * 16),))
    content = snapshot.to_bytes()
    for length in range(len(content)):
        with pytest.raises(SnapshotRefused):
            Snapshot.from_bytes(content[:length])
    assert Snapshot.from_bytes(content) == snapshot
    with pytest.raises(SnapshotRefused, match="goes on behind"):
        Snapshot.from_bytes(content + b"\0")
    header, pages = header_of(snapshot)
    size = len(json.dumps(header))
    for wrong in (pages[:-1], pages + b"\0", b"", pages * 2):
        with pytest.raises(SnapshotRefused):
            Snapshot.from_bytes(packed(header, wrong))
    for wrong_size in (0, 1, size - 1, size + 1, size + PAGE, size + PAGE + 1, _HEADER_LIMIT, 2**32 - 1):
        with pytest.raises(SnapshotRefused):
            Snapshot.from_bytes(packed(header, pages, wrong_size))
    assert Snapshot.from_bytes(packed(header, pages)) == snapshot
    for magic in (b"", _MAGIC[:-1], b"salix guest 2\n"):
        with pytest.raises(SnapshotRefused, match="not a snapshot"):
            Snapshot.from_bytes(magic + content[len(_MAGIC) :])


@pytest.mark.parametrize("header", [b"", json.dumps(HEADER).encode()], ids=["no header", "no pages named"])
def test_zeros_that_no_header_names_are_not_inflated(header: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    compressor = zlib.compressobj(9)
    bomb = compressor.compress(len(header).to_bytes(4, "little") + header)
    bomb += b"".join(compressor.compress(bytes(1 << 20)) for _ in range(64)) + compressor.flush()
    inflated = 0

    class Counting:
        def __init__(self) -> None:
            self._inflater = INFLATER()

        def decompress(self, content: bytes, limit: int) -> bytes:
            nonlocal inflated
            found = self._inflater.decompress(content, limit)
            inflated += len(found)
            return found

        def __getattr__(self, name: str) -> object:
            return getattr(self._inflater, name)

    INFLATER = zlib.decompressobj  # noqa: N806
    monkeypatch.setattr("runtime.snapshot.zlib.decompressobj", Counting)
    with pytest.raises(SnapshotRefused):
        Snapshot.from_bytes(_MAGIC + bomb)
    assert 4 <= inflated <= 4 + len(header) + 1
