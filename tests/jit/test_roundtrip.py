"""decode(assemble(i)) = i, whatever follows, for every form, every register and the edges of every number.

Theorem bytes.roundtrip says the same for all numbers. Here both passes run on plain ints, in a second or two.
"""

from __future__ import annotations

import pytest

from differential.operands import OPERANDS, instances
from jit.assemble import template
from jit.decode import decode, decode_all
from jit.x86 import FORMS, Label


@pytest.mark.parametrize("form", [form for form in FORMS if form is not Label], ids=lambda form: form.__name__)
def test_decoding_gives_back_the_instruction_and_its_length(form: type) -> None:
    for instruction in instances(form):
        code = template((instruction,))[0]
        assert decode(code) == (instruction, len(code)), code.hex(" ")
        assert decode(code + code) == (instruction, len(code)), code.hex(" ")


def test_a_sequence_of_all_forms_decodes_in_order() -> None:
    sequence = tuple(next(instances(form)) for form in OPERANDS)
    assert tuple(instruction for _, instruction in decode_all(template(sequence)[0])) == sequence
