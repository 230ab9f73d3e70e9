"""The shipped objects: that they are what their sources say, and that the linker takes them as they are."""

from __future__ import annotations

import importlib.util
import struct
from pathlib import Path

import pytest

from differential.hostile.elf_writer import CALL_32, EXIT, A, Rel, Sec, Sym, X, call, code, write
from runtime.guest_code import MEMORY_FUNCTIONS, libraries
from simulator.memory import ByteMemory
from tests.objects import load, value
from tools.build_guest_code import REPOSITORY, build, sources
from validator.decode import decode
from validator.link import Linked, link
from validator.validate import validate

RO, RW = 0x10000, 0x30000
NAMES = ("memcpy", "memmove", "memset", "memcmp", "strlen")


def linked(data: bytes) -> Linked:
    return link(data, {"print": 1}, lambda _ro, _rw: (RO, RW), [MEMORY_FUNCTIONS])


@pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="ziglang is not installed: nothing is rebuilt")
@pytest.mark.parametrize("source", sources(), ids=str)
def test_a_shipped_object_is_what_its_source_compiles_to(source: Path, tmp_path: Path) -> None:
    build(source, tmp_path / "rebuilt.o")
    assert (tmp_path / "rebuilt.o").read_bytes() == (REPOSITORY / source.with_suffix(".o")).read_bytes()


@pytest.mark.parametrize("source", sources(), ids=str)
def test_no_object_tells_where_it_was_built(source: Path) -> None:
    data = (REPOSITORY / source.with_suffix(".o")).read_bytes()
    for part in (str(REPOSITORY), "/home/", "/work/", "/tmp/", "/root/", "/check/"):
        assert part.encode() not in data


def test_the_memory_functions_need_nothing_else() -> None:
    """No data, no helper, no relocation, and no call: clang turns loops into calls to memcpy where it may."""
    program = link(MEMORY_FUNCTIONS, {}, lambda _ro, _rw: (RO, RW))
    assert set(program.functions) == set(NAMES)
    assert (program.read_only, program.writable_size) == (b"", 0)
    assert 0x85 not in program.code[::8]
    validate(decode(program.code), program.functions.values(), frozenset(), program.starts)


def test_the_demo_has_a_bit_of_everything() -> None:
    program = linked((REPOSITORY / "runtime/guest_code/demo.o").read_bytes())
    validated = validate(decode(program.code), [program.entry()], frozenset([1]), program.starts)
    assert program.entry() == program.functions["entry"] == 0
    assert [section.library for section in program.sections] == [None, 0]
    assert b"DEBUG\0" in program.read_only
    assert (program.writable, program.writable_size) == (b"", 4 * 8 + 80)  # counts, line
    calls = [(i.src, i.imm) for i in validated.program if i is not None and i.opcode == 0x85]
    assert calls.count((0, 1)) == 1  # print
    assert len([imm for source, imm in calls if source == 1]) >= 5


LOG = (
    b"INFO started\nERROR disk full\nWARN slow\nnonsense\nERROR " + b"x" * 100 + b"\nDEBUG\nDEBUG no newline at the end"
)


def test_the_demo_prints_the_errors_and_returns_the_checksum() -> None:
    printed = []

    def helper(memory: ByteMemory, arguments: list[int]) -> int:
        text, length = arguments[:2]
        printed.append(bytes(memory.load(text + i, 1) for i in range(length)))
        return 0

    demo = (REPOSITORY / "runtime/guest_code/demo.o").read_bytes()
    event, _ = load(demo, None, len(LOG)).run(LOG, helper=helper)
    assert printed == [b"ERROR disk full", b"ERROR " + b"x" * 74]  # cut to 80 bytes
    counted = LOG.replace(b"\n", b"") + struct.pack("<4Q", 1, 1, 1, 2)  # one DEBUG has no text
    checksum = 14695981039346656037
    for byte in counted:  # FNV-1a, offset basis and prime of 64 bits
        checksum = (checksum ^ byte) * 1099511628211 % 2**64
    assert value(event) == checksum


def test_each_text_function_is_a_library_that_needs_nothing_else() -> None:
    """So that a program is linked with those only that it calls: no data, no helper, no relocation."""
    memory, *texts = libraries()
    names = [function.name for library in texts for function in library.functions if function.name]
    assert len(names) == len(set(names)) > 40
    assert not {function.name for function in memory.functions} & set(names)
    for library in texts:
        (section,) = library.sections.values()
        assert not section.references
        assert section.name in {f".text.{function.name}" for function in library.functions}
        starts = sorted(function.offset // 8 for function in library.functions)
        validate(decode(section.content), starts, frozenset(), starts)


def test_a_program_is_linked_with_what_it_calls_only() -> None:
    program = write(
        [Sec(".text", A | X, code(call(), EXIT))], [Sym("strchr")], {".text": [Rel(0, CALL_32, "strchr")]}
    )
    made = link(program, {"strchr": 7}, lambda _ro, _rw: (RO, RW), libraries())
    assert [section.name for section in made.sections] == [".text", ".text.strchr"]  # which beats a helper
    assert validate(decode(made.code), [0], frozenset(), made.starts)
