"""Random damage to snapshots: they are refused with SnapshotRefused, or make a guest as harmless as any.

A guest from damaged bytes runs under fuel, alike on both engines, beside a neighbour whose every byte is watched.
"""

from __future__ import annotations

import json
import random
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from jit.layout import PAGE
from runtime import Event, Guest, Host, Program, Snapshot, SnapshotRefused, Waiting
from runtime.phase import Phase
from runtime.snapshot import _MAGIC
from tests.runtime.snapshots import INPUT, memory_of, program, suspensions

ROUNDS = 2000  # of each damage
FUEL = 40
LAYOUT = program("interpreter").layout_for(len(INPUT))
FRAMES = [LAYOUT.frame_top(depth) - LAYOUT.frame_bytes for depth in range(LAYOUT.frames)]

_NUMBERS = (0, 1, -1, 7, 8, 4096, 2**31 - 1, 2**31, 2**32, 2**63, 2**64 - 1, 2**64, -(2**63), 1 << 30, 1e999, 0.5)
_PHASES = [phase.value for phase in Phase]
_VALUES: tuple[object, ...] = (None, [], {}, "", True, [[]], *_PHASES, *_NUMBERS)


@pytest.fixture(scope="module")
def host() -> Host:
    return Host()


@pytest.fixture(scope="module")
def bodies() -> list[bytes]:
    """Uncompressed snapshots, one of every suspension point."""
    with program("jit").instantiate() as guest:
        taken = [guest.snapshot() for _ in suspensions(guest)] + [guest.snapshot()]
    return [zlib.decompress(snapshot.to_bytes()[len(_MAGIC) :]) for snapshot in taken]


@pytest.fixture
def canary(host: Host) -> Iterator[Guest]:
    """A guest between its polls, two calls deep, all of its memory filled with a pattern."""
    with program("jit", host=host).instantiate() as guest:
        for _ in suspensions(guest):
            if guest.context.depth == 2 and guest.phase is Phase.PREEMPTED:
                break
        layout = guest.layout
        for span in (layout.writable, layout.calldata):
            guest.slot_memory[span.low : span.low + span.size] = b"\xa5" * span.size
        for depth in range(layout.frames):
            top = layout.frame_top(depth)
            guest.slot_memory[top - layout.frame_bytes : top] = b"\x5a" * layout.frame_bytes
        yield guest


def all_of(guest: Guest) -> tuple[bytes, bytes]:
    return bytes(guest._slot.context), memory_of(guest)


# ---------------------------------------------------------------- damage

Damage = Callable[[random.Random, bytes], bytes]


def _packed(body: bytes) -> bytes:
    return _MAGIC + zlib.compress(body, level=1)


def of_the_file(rng: random.Random, body: bytes) -> bytes:
    """Bytes of the compressed form; nearly always refused by its checksum."""
    return _bent(rng, _packed(body))


def of_the_text(rng: random.Random, body: bytes) -> bytes:
    """Bytes of the header, compressed anew."""
    size = int.from_bytes(body[:4], "little")
    text = _bent(rng, body[4 : 4 + size])
    return _packed((len(text) if rng.random() < 0.9 else size).to_bytes(4, "little") + text + body[4 + size :])


def _bent(rng: random.Random, content: bytes) -> bytes:
    bent = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(len(bent))
        match rng.randrange(4):
            case 0:
                bent[at] ^= 1 << rng.randrange(8)
            case 1:
                bent[at] = rng.choice(b'0123456789,[]{}":eE.-')
            case 2:
                del bent[at : at + rng.randrange(1, 9)]
            case _:
                bent[at:at] = bent[max(at - 8, 0) : at] or b"0"
    return bytes(bent) or b"\0"


def of_a_field(rng: random.Random, body: bytes) -> bytes:
    """A value of the header, at any depth, by one that is plausible or absurd."""
    size = int.from_bytes(body[:4], "little")
    header: dict[str, Any] = json.loads(body[4 : 4 + size])
    for _ in range(rng.choice((1, 1, 2))):
        _replace_one(rng, header)
    text = json.dumps(header).encode()
    return _packed(len(text).to_bytes(4, "little") + text + body[4 + size :])


def _replace_one(rng: random.Random, header: dict[str, Any]) -> None:
    field = rng.choice([field for field in header if field != "program" or rng.random() < 0.1])
    target: Any = header
    key: Any = field
    while isinstance(target[key], list) and target[key] and rng.random() < 0.9:
        target, key = target[key], rng.randrange(len(target[key]))
    old = target[key]
    if isinstance(old, int) and rng.random() < 0.7:
        target[key] = rng.choice((old + rng.randrange(-9, 10), old ^ 1 << rng.randrange(64), rng.randrange(60)))
    elif isinstance(target, list) and rng.random() < 0.3:
        target.insert(key, rng.choice(target)) if rng.random() < 0.5 else target.pop(key)
    else:
        target[key] = rng.choice(_VALUES)


def of_registers_and_memory(rng: random.Random, body: bytes) -> bytes:
    """What a guest of this program could hold: accepted. The input is 24 bytes long, frames are used at their ends."""
    size = int.from_bytes(body[:4], "little")
    header: dict[str, Any] = json.loads(body[4 : 4 + size])
    first = 1 if header["phase"] == "ready" else 0
    for _ in range(4):
        number = rng.randrange(first, 3 if first else 10)
        header["registers"][number] = rng.choice((rng.getrandbits(64), rng.choice(header["pages"] or [0]), 0))
        if header["calls"]:
            rng.choice(header["calls"])[rng.randrange(1, 5)] = rng.getrandbits(rng.choice((8, 21, 64)))
    pages = bytearray(body[4 + size :])
    for start, address in zip(range(0, len(pages), PAGE), header["pages"], strict=True):
        pages[start + rng.randrange(len(INPUT))] = rng.randrange(256)
        if address in FRAMES:
            pages[start + PAGE - 1 - rng.randrange(32)] = rng.randrange(256)
    text = json.dumps(header).encode()
    return _packed(len(text).to_bytes(4, "little") + text + pages)


# refused at least, accepted at least: of ROUNDS; the rest is either
DAMAGES: dict[Damage, tuple[int, int]] = {
    of_the_file: (ROUNDS * 9 // 10, 0),
    of_the_text: (ROUNDS // 2, 100),
    of_a_field: (ROUNDS // 2, 200),
    of_registers_and_memory: (0, ROUNDS),
}


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_damage_is_refused_or_harmless(damage: Damage, host: Host, bodies: list[bytes], canary: Guest) -> None:
    rng = random.Random(damage.__name__)
    programs = [program(engine, host=host) for engine in ("jit", "interpreter")]
    watched, in_use = all_of(canary), host.cage.in_use
    verdicts: Counter[str] = Counter()
    for _ in range(ROUNDS):
        content = damage(rng, rng.choice(bodies))
        try:
            snapshot = Snapshot.from_bytes(content)
            ends = [_run_on(each, snapshot) for each in programs]
        except SnapshotRefused:
            verdicts["refused"] += 1
            assert host.cage.in_use == in_use
            continue
        assert ends[0] == ends[1]
        assert all_of(canary) == watched
        verdicts["accepted"] += 1
        verdicts[type(ends[0][0]).__name__] += 1
    assert host.cage.in_use == in_use
    refused, accepted = DAMAGES[damage]
    assert verdicts["refused"] >= refused, verdicts
    assert verdicts["accepted"] >= accepted, verdicts
    if damage is of_registers_and_memory:
        assert min(verdicts["Faulted"], verdicts["Exited"]) > 20, verdicts


def _run_on(by: Program, snapshot: Snapshot) -> tuple[Event, bytes]:
    """The end of a run of FUEL polls and as many helper calls, on which both engines must agree."""
    with by.restore(snapshot) as guest:
        if guest.phase is Phase.IDLE:
            guest.begin(INPUT)
        elif guest.phase is Phase.WAITING:
            guest.answer(17)
        for _ in range(FUEL):
            event = guest.advance(fuel=FUEL)
            if not isinstance(event, Waiting):
                break
            guest.answer(event.arguments[0] * 3 + 1)
        return event, memory_of(guest)


def test_the_damage_can_be_told_from_none(host: Host, bodies: list[bytes]) -> None:
    """Undamaged, all are accepted: so it is the damage that is refused."""
    for body in bodies:
        with program("jit", host=host).restore(Snapshot.from_bytes(_packed(body))) as guest:
            assert guest.phase is not Phase.CLOSED
    assert len(bodies) == 63
