"""Objects from elsewhere: what clang makes, what others' bug reports contain, and thousands of damaged copies of both.

Every object here is also read by pyelftools, which knows nothing of our reader: where both accept a table, they agree.
"""

from __future__ import annotations

import json
import random
import struct
from pathlib import Path
from typing import Any

import pytest

import runtime.guest_code
from differential.hostile import second_reader
from differential.hostile.elf_writer import section_field, section_names
from differential.hostile.second_reader import disagreements
from tests.clang import compiled
from tests.objects import faulted, load, value
from tests.validator.linking import RO, RW, linked
from validator.decode import decode
from validator.elf import REL, read_object
from validator.errors import LoadError

REPOSITORY = Path(__file__).resolve().parents[2]
CASES = REPOSITORY.parent / "shared" / "cases" / "elf_cases.json"
GUEST_CODE = Path(runtime.guest_code.__file__).parent
SHIPPED = sorted(GUEST_CODE.glob("*.o"))
ENTERED = {
    "demo": "entry",
    "format_functions": "snprintf",
    "memory_functions": "memcpy",
    "text_functions": "strcmp",
}


# ---- clang

TABLES = """
static const char *names[] = {"one", "two", "three"};
struct row { const char *text; unsigned long *cell; };
static unsigned long cells[4], initialised[3] = {1, 2, 3};
static struct row rows[2], filled[2] = {{"first", cells + 1}, {"second", initialised + 2}};
unsigned long entry(unsigned long *memory, unsigned long length) {
    rows[length & 1].text = names[length % 3];
    rows[length & 1].cell = filled[memory[0] & 1].cell;
    *rows[length & 1].cell += filled[length & 1].text[0];
    return rows[memory[1] & 1].text[length % 3];
}
"""

CALLS = """
extern unsigned long print(const char *text, unsigned long length);
static unsigned long count;
#define IN(name) __attribute__((noinline, section(name)))
static __attribute__((noinline)) unsigned long near(unsigned long a) { return a * 3 + count; }
static IN("far") unsigned long far_static(unsigned long a) { count++; return a * 5; }
IN("far") unsigned long far_global(unsigned long a) { count += a; return a * 7 + near(a); }
IN("deep") unsigned long recursive(unsigned long a) { return a == 0 ? 1 : far_static(a) + recursive(a - 1) * 2; }
unsigned long entry(unsigned char *memory, unsigned long length) {
    print("entered", 7);
    return near(length) + far_static(length) + far_global(length) + recursive(memory[0]);
}
"""

MEMORY = """
extern void *memcpy(void *to, const void *from, unsigned long length);
extern unsigned long strlen(const char *text);
struct big { unsigned long words[40]; };
static struct big from, to;
unsigned long entry(char *memory, unsigned long length) {
    to = from; /* clang makes this a call to memcpy by itself, if it is large enough */
    memcpy(memory, &to, length);
    return strlen(memory);
}
"""

OPTIONS = [("-mcpu=v1",), ("-mcpu=v2",), ("-mcpu=v3",), ("-mcpu=v4",), ("-mcpu=v4", "-g"), ("-mcpu=v3", "-gdwarf-5")]
SOURCES = {"tables": TABLES, "calls": CALLS, "memory": MEMORY}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("source", SOURCES)
def test_what_clang_writes_is_loaded(source: str, options: tuple[str, ...]) -> None:
    data = compiled(SOURCES[source], *options)
    load(data, "entry")
    agree(data)


@pytest.mark.parametrize("options", OPTIONS)
def test_the_pointers_in_clangs_tables_point_to_their_targets(options: tuple[str, ...]) -> None:
    program = linked(compiled(TABLES, *options))

    def at(address: int) -> bytes:
        if address >= RW:
            image = program.writable + bytes(program.writable_size - len(program.writable))
            return image[address - RW :]
        return program.read_only[address - RO :]

    whole = program.read_only + bytes(-len(program.read_only) % 8) + program.writable
    words = [struct.unpack_from("<Q", whole, i)[0] for i in range(0, len(whole) - 7, 8)]
    pointed = [at(word) for word in words if RO <= word < RW + program.writable_size]
    for text in (b"one\0", b"two\0", b"three\0", b"first\0", b"second\0"):
        assert sum(target.startswith(text) for target in pointed) == 1
    assert sum(target.startswith((3).to_bytes(8, "little")) for target in pointed) == 1  # initialised + 2
    assert b"".join(i.to_bytes(8, "little") for i in (1, 2, 3)) in program.writable


def test_clangs_calls_enter_the_functions_that_they_name() -> None:
    program = linked(compiled(CALLS, "-mcpu=v3"))
    targets = set()
    for pc, instruction in enumerate(decode(program.code)):
        if instruction is not None and instruction.opcode == 0x85 and instruction.src == 1:
            targets.add(pc + 1 + instruction.imm)
    functions = {program.functions[name] for name in ("far_global", "recursive")}
    statics = set(program.starts) - set(program.functions.values())
    assert targets == functions | statics  # near and far_static are the two that have no name
    assert len(statics) == 2


@pytest.mark.parametrize("options", OPTIONS)
def test_clangs_programs_compute_what_c_says(options: tuple[str, ...]) -> None:
    """Expected values worked out by hand from the C text."""
    tables = load(compiled(TABLES, *options), "entry", 16)
    # length 16: row 0 gets names[1], "two", and a cell; row 1 keeps null pointers
    assert faulted(tables.run(struct.pack("<QQ", 0, 1))[0])  # reads through row 1
    assert value(tables.run(struct.pack("<QQ", 1, 0))[0]) == ord("w")
    calls = load(compiled(CALLS, *options), "entry", 2)
    # length 2: near 6 (count 0); far_static 10 (count 1); far_global 14 + near 6 + count 3 = 23; recursive(2), with
    # far_static 10 and 5: 10 + (5 + 1 * 2) * 2 = 24
    assert value(calls.run(b"\x02\x00", helper=lambda _memory, _arguments: 0)[0]) == 6 + 10 + 23 + 24


# ---- cases of others

HAVE_CASES = pytest.mark.skipif(not CASES.exists(), reason=f"{CASES} is not there: its objects are not tested")


def cases() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(CASES.read_text()) if CASES.exists() else []
    return found


@HAVE_CASES
@pytest.mark.parametrize("case", cases(), ids=lambda case: case["name"])
def test_cases_from_bug_reports(case: dict[str, Any]) -> None:
    """What is no program is refused with an error of ours; the rest ends as it should."""
    data, expected = bytes.fromhex(case["elf"]), case["expect"]
    agree(data)
    if expected == "reject":
        with pytest.raises(LoadError):
            load(data, case["entry"])
        return
    event, _ = load(data, case["entry"]).run(b"", helper=lambda _memory, _arguments: 5)
    if expected == "fault":
        assert faulted(event)
    else:
        assert value(event) == expected["r0"]


# ---- the second reader


def agree(data: bytes) -> None:
    """Whatever both readers accept of `data`, they read the same: sections, names, symbols, relocations."""
    assert second_reader.AVAILABLE
    assert disagreements(data) == []


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_both_readers_agree_on_what_ships(path: Path) -> None:
    data = path.read_bytes()
    elf = read_object(data)
    relocations = [section.size // 16 for section in elf.sections if section.type == REL]
    assert sum(relocations) > 3  # there is something to agree on
    agree(data)


# ---- damage


def damaged(data: bytes, rng: random.Random) -> bytes:
    """A copy with one to three fields changed, mostly in tables, mostly to values that mean something."""
    changed = bytearray(data)
    table = struct.unpack_from("<Q", data, 40)[0]
    spots = [rng.randrange(64), rng.randrange(table, len(data)), rng.randrange(len(data))]
    for name in (".symtab", ".rel.text"):
        if name in section_names(data):
            low, size = (section_field(data, name, field) for field in ("sh_offset", "sh_size"))
            spots.append(rng.randrange(low, low + size))
    for _ in range(rng.randint(1, 3)):
        size = rng.choice((1, 2, 4, 8))
        at = min(rng.choice(spots) & -size, len(data) - size)
        near = int.from_bytes(data[at : at + size], "little") + rng.choice((-8, -1, 1, 8))
        value = rng.choice((0, 1, near, rng.getrandbits(64), 2**64 - 1, 2**63, len(data), len(data) - 1))
        changed[at : at + size] = (value % 2 ** (8 * size)).to_bytes(size, "little")
    return bytes(changed[: rng.randrange(len(data))]) if rng.random() < 0.05 else bytes(changed)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_a_damaged_object_is_loaded_or_refused_with_an_error_of_ours(path: Path, seed: int) -> None:
    data, rng = path.read_bytes(), random.Random(f"{path.name} {seed}")
    refused = 0
    for _ in range(150):
        copy = damaged(data, rng)
        try:
            load(copy, ENTERED[path.stem])
        except LoadError:
            refused += 1
        agree(copy)
    assert 15 < refused < 135  # the damage is neither always fatal nor always harmless
