"""Explain: the columns agree with the passes, a wrong byte is seen, and pages are safe to open."""

from __future__ import annotations

import io
from collections.abc import Callable
from html import escape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rich.console import Console

import runtime
import runtime.explain as explain_module
from jit.assemble import FunctionCode
from jit.check import Admitted
from jit.compile import compile_function
from jit.expand import translate as translate_rightly
from runtime.__main__ import main
from runtime.explain import Listing, Machine, explain, read_code, read_object, select
from runtime.explain_html import page
from runtime.explain_text import NOT_READ_BACK, render
from runtime.guest_code import MEMORY_FUNCTIONS
from runtime.lines import SourceLine, line_of, lines_of
from runtime.sources import Sources

GUEST_CODE = Path(runtime.__file__).parent / "guest_code"
DEMO = (GUEST_CODE / "demo.o").read_bytes()
CODE = bytes.fromhex(
    "b701000005000000"  # 0 mov r1, 5
    "8510000002000000"  # 1 call local pc 4
    "07000000ffffffff"  # 2 add r0, -1
    "9500000000000000"  # 3 exit
    "18000000010000000000000002000000"  # 4 lddw r0, 0x200000001
    "7b1af8ff00000000"  # 6 stxdw [r10-8], r1
    "7113000000000000"  # 7 ldxb r3, [r1]
    "8500000007000000"  # 8 call 7
    "1500ffff00000000"  # 9 jeq r0, 0, pc 9
    "9500000000000000"  # 10 exit
)
NO_SOURCES = Sources(None)


def listings(data: bytes) -> list[Listing]:
    source = read_object(data)
    return [explain(source, function) for function in select(source)]


def machine(listing: Listing) -> list[Machine]:
    return [m for row in listing.rows for m in (*(x for step in row.steps for x in step.machine), *row.stubs)]


# ---------------------------------------------------------------- which functions


@pytest.mark.parametrize(
    ("pc", "starts"),
    [(None, [0, 4]), (0, [0]), (3, [0]), (4, [4]), (5, [4]), (10, [4])],  # 5: in the middle of lddw
)
def test_selects_functions_of_bare_code(pc: int | None, starts: list[int]) -> None:
    assert [function.start for function in select(read_code(CODE), None, pc)] == starts


def test_selects_what_an_entry_reaches() -> None:
    source = read_object(MEMORY_FUNCTIONS)
    assert source.linked is not None
    assert [f.start for f in select(source, "memset")] == [source.linked.functions["memset"]]
    assert len(select(source)) > 1
    demo = read_object(DEMO)
    assert select(demo, "entry") == select(demo)


def test_shows_functions_of_the_runtime_by_pc_only() -> None:
    source = read_object(DEMO)
    assert source.linked is not None
    end = max(s.first + s.count for s in source.linked.sections if s.library is None)
    assert all(function.end <= end for function in select(source))
    (function,) = select(source, pc=end)
    assert "in guest code of the runtime" in explain(source, function).name


# ---------------------------------------------------------------- what is shown of them


def test_shows_each_instruction_once_with_its_passes() -> None:
    source = read_code(CODE)
    first, second = (explain(source, function) for function in select(source))
    rows = (*first.rows, *second.rows)
    assert [(row.pc, row.text) for row in rows] == [
        (0, "mov r1, 5"),
        (1, "call local pc 4"),
        (2, "add r0, -1"),
        (3, "exit"),
        (4, "lddw r0, 0x200000001"),
        (6, "stxdw [r10-8], r1"),
        (7, "ldxb r3, [r1]"),
        (8, "call 7"),
        (9, "jeq r0, 0, pc 9"),
        (10, "exit"),
    ]
    assert b"".join(row.slot for row in rows) == CODE
    (wide,) = [step for step in second.rows[0].steps if step.text.startswith("MoveImm")]
    assert wide.text == "MoveImm rax, value 0x200000001"
    assert [(m.text, m.code.hex()) for m in wide.machine] == [("movabs rax, 0x200000001", "48b80100000002000000")]
    (store,) = second.rows[1].steps
    assert [(m.text, m.code.hex()) for m in store.machine] == [("mov qword [rbp+r15-8], rdi", "4a897c3df8")]


@pytest.mark.parametrize("data", [DEMO, MEMORY_FUNCTIONS], ids=["demo", "memory functions"])
def test_shows_the_bytes_that_compile_makes_each_of_them_once(data: bytes) -> None:
    source = read_object(data)
    for function in source.validated.functions:
        listing = explain(source, function)
        code = compile_function(source.validated, function, source.layout, source.hints).code.code
        assert sum(len(m.code) for m in machine(listing)) == len(code) == listing.code_bytes
        assert code.startswith(b"".join(m.code for m in machine(listing) if not m.cold))
        assert listing.unfaithful == 0


def with_change(change: Callable[[bytearray], None]) -> Callable[[Admitted], FunctionCode]:
    """`translate`, its bytes changed."""

    def translate(admitted: Admitted) -> FunctionCode:
        made = translate_rightly(admitted)
        code = bytearray(made.code)
        change(code)
        return FunctionCode(bytes(code), made.pcs, made.offsets, made.fixups, made.fixup_pcs)

    return translate


def test_marks_every_wrong_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those in fields that the arena patches included: they are 0 until then."""
    source = read_code(CODE)
    function = source.validated.functions[1]
    assert explain(source, function).unfaithful == 0
    for bit in range(8 * explain(source, function).code_bytes):

        def flip(code: bytearray, bit: int = bit) -> None:
            code[bit // 8] ^= 1 << bit % 8

        with monkeypatch.context() as patched:
            patched.setattr(explain_module, "translate", with_change(flip))
            assert explain(source, function).unfaithful >= 1, f"bit {bit % 8} of byte {bit // 8:#x}"


def test_a_mark_stands_in_both_renderings_and_in_the_status(monkeypatch: pytest.MonkeyPatch) -> None:
    source = read_code(CODE)
    listing = explain(source, source.validated.functions[0])
    assert NOT_READ_BACK not in text(listing, 200) + page("t", [listing], NO_SOURCES)
    assert main(["explain", "--code", CODE.hex(), "--function", "0"]) == 0
    monkeypatch.setattr(explain_module, "translate", with_change(lambda code: code.__setitem__(0, code[0] ^ 8)))
    listing = explain(source, source.validated.functions[0])
    assert NOT_READ_BACK in text(listing, 200)
    assert NOT_READ_BACK in page("t", [listing], NO_SOURCES)
    assert main(["explain", "--code", CODE.hex(), "--function", "0"]) == 1


def test_unknown_helpers_are_no_obstacle() -> None:
    renamed = DEMO.replace(b"\0print\0", b"\0zzzzz\0")
    assert renamed != DEMO
    assert len(listings(renamed)) == len(listings(DEMO)) > 0
    for data, name in ((DEMO, "print"), (renamed, "zzzzz")):
        assert [row.text for x in listings(data) for row in x.rows if row.text == f"call {name}"] == [f"call {name}"]


# ---------------------------------------------------------------- C lines


def test_objects_have_c_lines_and_bare_code_has_none() -> None:
    lines = [row.line for listing in listings(DEMO) for row in listing.rows if row.line is not None]
    assert {line.file for line in lines} == {"runtime/guest_code/demo.c"}
    source = (GUEST_CODE / "demo.c").read_text().splitlines()
    assert any("memcmp" in source[line.line - 1] for line in lines)
    bare = read_code(CODE)
    assert all(row.line is None for row in explain(bare, bare.validated.functions[0]).rows)


def test_many_lines_are_those_that_are_found_one_by_one() -> None:
    offsets = range(0, 2048, 8)
    one_by_one = {offset: line for offset in offsets if (line := line_of(DEMO, ".text", offset)) is not None}
    assert len(one_by_one) > 50
    assert lines_of(DEMO, ".text", reversed(offsets)) == one_by_one
    assert lines_of(DEMO, "absent", offsets) == lines_of(DEMO[:-1], ".text", offsets) == {}


def test_source_text_is_read_below_the_folder_only(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret\n")
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "a.c").write_text("first\n  second\n")
    (tmp_path / "inside" / "link.c").symlink_to(tmp_path / "secret")
    sources = Sources(tmp_path / "inside")
    assert sources.text(SourceLine("a.c", 2)) == "second"
    assert sources.text(SourceLine("a.c", 3)) == sources.text(SourceLine("a.c", 0)) == ""
    for outside in ("../secret", str(tmp_path / "secret"), "link.c", ".", "absent.c", "x" * 1000):
        assert sources.text(SourceLine(outside, 1)) == ""
    assert NO_SOURCES.text(SourceLine("a.c", 2)) == ""


# ---------------------------------------------------------------- renderings


def text(listing: Listing, width: int) -> str:
    output = io.StringIO()
    Console(file=output, width=width, color_system=None).print(render(listing, NO_SOURCES, width))
    return output.getvalue()


@pytest.mark.parametrize("width", [60, 80, 119, 120, 200])
def test_text_fits_the_terminal(width: int) -> None:
    for listing in listings(DEMO):
        assert max(map(len, text(listing, width).splitlines())) <= width


@pytest.mark.parametrize("width", [119, 200])
def test_text_has_all_instructions_in_order(width: int) -> None:
    """Told by the x86 column, which is whole at these widths."""
    for listing in listings(DEMO):
        shown, at = text(listing, width), 0
        for instruction in machine(listing):
            at = shown.index(instruction.text, at)


class Page(HTMLParser):
    """What a page is made of. Asserts that elements are closed in order."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(content)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_page_is_well_formed_and_loads_nothing(tmp_path: Path) -> None:
    target = tmp_path / "demo.html"
    assert main(["explain", str(GUEST_CODE / "demo.o"), "--html", str(target)]) == 0
    content = target.read_text()
    made = Page(content)
    assert made.open == []
    assert made.tags.isdisjoint({"script", "link", "img", "iframe", "object", "form"})
    assert all(name != "src" and not name.startswith("on") for name, _ in made.attributes)
    assert all((value or "").startswith("#") for name, value in made.attributes if name == "href")
    assert "url(" not in content
    assert "@import" not in content
    for listing in listings(DEMO):
        assert all(f">{escape(row.text)}<" in content for row in listing.rows)
        assert all(f'>{escape(m.text)}</td><td class="bytes">{m.code.hex(" ")}<' in content for m in machine(listing))


def test_names_from_the_object_are_escaped() -> None:
    hostile = "<script>alert(1)</script>"
    (listing, *_) = listings(DEMO)
    content = page(hostile, [Listing(hostile, listing.function, listing.rows, listing.code_bytes)], NO_SOURCES)
    assert "<script" not in content
    assert "&lt;script&gt;" in content
