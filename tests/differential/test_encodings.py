"""Encodings against Capstone and Keystone on a sample of each form, and that the comparison can fail."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from differential import __main__ as command
from differential import encodings
from differential.encodings import SHORTER, WRITTEN, Compared, Part, compare, parts
from differential.operands import OPERANDS, count, instances, variant, variants
from differential.reading import reading
from jit.assemble import Template, template
from jit.registers import Reg
from jit.x86 import X86, AluImm32, Bswap, Jump

for module in ("capstone", "keystone"):
    pytest.importorskip(module, reason=f"{module} is not installed: encodings were NOT compared")

SAMPLED = 41  # prime, so that a sample does not see one register only


@pytest.mark.parametrize("form", WRITTEN, ids=lambda form: form.__name__)
def test_capstone_and_keystone_agree(form: type) -> None:
    every = 1 if count(form) < 300 else SAMPLED
    found = compare(Part(form, 0, every))
    assert found.disagreements == []
    assert found.same + found.shorter == found.instances == -(-count(form) // every)
    assert (form in SHORTER) == (found.shorter > 0), "what is listed as shorter must occur"


def test_instances_have_every_register_in_every_place() -> None:
    assert set(OPERANDS) == set(WRITTEN)
    for form in WRITTEN:
        found = list(instances(form)) if count(form) < 3000 else []
        assert len(found) == len(set(found))
        for place, name in enumerate(form._fields[:-1]):  # type: ignore[attr-defined]
            values = {instruction[place] for instruction in found}
            if any(isinstance(value, Reg) for value in values):
                assert values == set(Reg), f"{form.__name__}.{name}"


def test_variants_are_those_of_the_instances() -> None:
    for form in WRITTEN:
        if count(form) < 3000:
            seen = {variant(instruction) for instruction in instances(form)}
            assert seen == {name for name in variants() if name.split()[0] == form.__name__}
    assert {"AluReg XOR 32", "JumpIf LE", "MovSignExtend 32 64", "LeaIndexed 3", "Ret"} <= set(variants())


@pytest.mark.parametrize("every", [1, 2, 1000])
def test_parts_have_each_instance_once(every: int) -> None:
    numbers: dict[type, list[int]] = {}
    for part in parts(every):
        numbers.setdefault(part.form, []).extend(range(part.first, count(part.form), part.every))
    for form in WRITTEN:
        assert sorted(numbers[form]) == list(range(0, count(form), every))


def test_a_wrong_encoding_is_a_disagreement_with_both(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(instructions: tuple[X86, ...]) -> Template:
        code = bytearray(template(instructions)[0])
        code[-1] ^= 1  # the other register
        return bytes(code), (), b"", ()

    monkeypatch.setattr(encodings, "template", wrong)
    found = compare(Part(WRITTEN[0], 0, 64))
    assert (found.instances, found.disagreed) == (8, 16)
    assert "Capstone reads" in found.disagreements[0]
    assert "Keystone writes" in found.disagreements[1]


def test_a_shorter_encoding_must_be_listed_and_a_listed_one_must_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compare(Part(Jump)).disagreed == 0
    monkeypatch.delitem(SHORTER, Jump)
    assert compare(Part(Jump)).disagreed == 5
    monkeypatch.setitem(SHORTER, AluImm32, (lambda instruction: True, "always"))
    assert compare(Part(AluImm32, 0, SAMPLED)).disagreed > 0


def test_the_command_counts_and_fails_if_there_is_a_disagreement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "report.json"
    assert command.main(["encodings", "--every", "1009", "--json", str(file)]) == 0
    report = json.loads(file.read_text())
    assert report["forms"].keys() == {form.__name__ for form in WRITTEN}
    assert report["forms"]["LeaIndexed"]["instances"] == 92
    assert report["versions"].keys() >= {"python", "capstone", "keystone-engine"}
    monkeypatch.delitem(SHORTER, AluImm32)  # its first instance is of eax
    assert command.main(["encodings", "--every", "1009", "--jobs", "1"]) == 1


def test_a_library_that_ends_the_process_is_a_disagreement_about_that_part(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    right = encodings.assembled_by_keystone

    def fragile(instruction: X86, size: int) -> bytes:
        if isinstance(instruction, Bswap):
            os.abort()
        return right(instruction, size)

    monkeypatch.setattr(encodings, "assembled_by_keystone", fragile)
    assert command.main(["encodings", "--every", "1009", "--jobs", "1"]) == 1
    shown = capsys.readouterr().out
    assert "instances of Bswap, one of 1009 from number 0 on: the process died of SIGABRT" in shown
    assert "1 disagreements" in shown


def test_counts_of_parts_add_up() -> None:
    total = Compared(1, 1, 0, 0)
    total.add(Compared(2, 0, 1, 1, ["x"]))
    assert total == Compared(3, 1, 1, 1, ["x"])


@pytest.mark.parametrize(
    ("text", "parts_of_it"),
    [
        ("ret", ("ret", ())),
        ("mov eax, 0x10", ("mov", ("eax", 16))),
        ("cmp eax, -1", ("cmp", ("eax", 2**32 - 1))),
        ("mov byte [rbp-0x10], 0xff", ("mov", ((1, "rbp", "", 1, -16), 255))),
        ("lock xadd dword [rbp+r11+8], esp", ("lock xadd", ((4, "rbp", "r11", 1, 8), "esp"))),
        ("lea rax, [rdi+rsi*8-3]", ("lea", ("rax", (0, "rdi", "rsi", 8, -3)))),
        ("jmp rip-0x40", ("jmp", (-64,))),
        ("jmp qword [rip+0x8]", ("jmp", ((8, "rip", "", 1, 8),))),
    ],
)
def test_reads_text(text: str, parts_of_it: object) -> None:
    assert reading(text) == parts_of_it
