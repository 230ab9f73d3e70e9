"""What an instruction says, as the parts of Intel's syntax: of our printer's text, and of Capstone's view of bytes.

    (mnemonic, operands); an operand is a register's name, a number, or (size, base, index, factor, displacement)

Numbers are taken modulo the width of the first operand, since printers differ in signs. Jumps are distances from the
end. `lea` has no size, 0.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from jit.disassemble import register
from jit.registers import Reg

Memory = tuple[int, str, str, int, int]
Operand = str | int | Memory
Reading = tuple[str, tuple[Operand, ...]]

_SIZES = {"": 0, "byte": 1, "word": 2, "dword": 4, "qword": 8}
_WIDTHS = {register(reg, bits): bits for bits in (8, 16, 32, 64) for reg in Reg}
_MEMORY = re.compile(r"(?:(\w+) )?\[(.*)\]")
_TERM = re.compile(r"([+-]?)([^+-]+)")


def reading(text: str) -> Reading:
    """Of a line that `jit.disassemble` printed."""
    words = text.split(" ")
    lock = 2 if words[0] == "lock" else 1
    mnemonic, rest = " ".join(words[:lock]), " ".join(words[lock:])
    operands = tuple(_operand(part) for part in rest.split(", ")) if rest else ()
    bits = _width(operands[0]) if operands else 0
    return mnemonic, tuple(value % 2**bits if bits and isinstance(value, int) else value for value in operands)


def _width(first: Operand) -> int:
    """In bits; 0 for a distance, which is signed."""
    if isinstance(first, str):
        return _WIDTHS[first]
    return 0 if isinstance(first, int) else 8 * first[0]


def _operand(text: str) -> Operand:
    memory = _MEMORY.fullmatch(text)
    if memory is not None:
        return _memory(_SIZES[memory[1] or ""], memory[2])
    if text in _WIDTHS:
        return text
    return int(text.removeprefix("rip"), 0)


def _memory(size: int, inside: str) -> Memory:
    base, index, factor, disp = "", "", 1, 0
    for sign, term in _TERM.findall(inside):
        name, _, times = term.partition("*")
        if name in _WIDTHS or name == "rip":
            if not base:
                base = name
            else:
                index, factor = name, int(times or "1")
        else:
            disp = int(f"{sign}{term}", 0)
    return size, base, index, factor, disp


@cache
def disassembler() -> Any:  # noqa: ANN401 - Capstone has no types
    """Capstone, with operands. ImportError if it is not installed."""
    import capstone

    engine = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    engine.detail = True
    return engine


def read_bytes(code: bytes) -> tuple[Reading, int] | None:
    """What Capstone reads at the start of `code`, and its length; None if it reads nothing."""
    import capstone

    for found in disassembler().disasm(code, 0, 1):
        operands: list[Operand] = []
        branch = found.group(capstone.CS_GRP_JUMP)
        for operand in found.operands:
            if operand.type == capstone.x86.X86_OP_REG:
                operands.append(found.reg_name(operand.reg))
            elif operand.type == capstone.x86.X86_OP_IMM:
                operands.append(operand.imm - found.size if branch else operand.imm % 2 ** (8 * operand.size))
            else:
                mem = operand.mem
                base, index = (found.reg_name(r) if r else "" for r in (mem.base, mem.index))
                size = 0 if found.mnemonic == "lea" else operand.size
                operands.append((size, base, index, mem.scale, mem.disp))
        return (found.mnemonic, tuple(operands)), found.size
    return None
