"""The host of a foreign C program: what it prints is kept, what ends it is an exception.

A function with `...` gets up to five words in its five parameters; of more, four, and the address of the others, eight
bytes each. How many there are, its format says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from runtime import GuestMemory
from runtime.helpers import HelperFunction
from tests.salix.suite.formatting import formatted, words_needed

_WORDS = 5
_TEXT_BYTES = 1 << 20


class Ended(Exception):
    """The program called exit, with a status from 0 to 255."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status & 0xFF


class Aborted(Exception):
    """The program called abort."""


class Missing(Exception):
    """The program called a function that this host does not have; its name."""


class Host:
    """One program's. `printed` is what it wrote to standard output and standard error, in order."""

    def __init__(self) -> None:
        self.printed = bytearray()

    def functions(self) -> dict[int | str, HelperFunction]:
        """By their names in C."""
        return {
            "printf": partial(self._print, 0),
            "fprintf": partial(self._print, 1),
            "puts": lambda memory, text, *_: self._write(memory.read_text(text, _TEXT_BYTES) + b"\n"),
            "fputs": lambda memory, text, *_: self._write(memory.read_text(text, _TEXT_BYTES)),
            "putchar": self._put,
            "putc": self._put,
            "fputc": self._put,
            "fwrite": self._write_bytes,
            "fflush": lambda *_: 0,
            "exit": _exit,
            "_exit": _exit,
            "abort": _abort,
        }

    def _write(self, text: bytes) -> int:
        self.printed += text
        return len(text)

    def _put(self, _memory: GuestMemory, character: int, *_: int) -> int:
        self._write(bytes([character & 0xFF]))
        return character & 0xFF

    def _write_bytes(self, memory: GuestMemory, start: int, size: int, count: int, *_: int) -> int:
        self._write(memory.read(start, size * count))
        return count

    def _print(self, fixed: int, memory: GuestMemory, *words: int) -> int:
        return self._write(_text(memory, words, fixed))


def missing(name: str) -> HelperFunction:
    """Stands for a function that the host does not have: a program may name it and never call it."""

    def function(_memory: GuestMemory, *_: int) -> int:
        raise Missing(name)

    return function


def _text(memory: GuestMemory, words: tuple[int, ...], fixed: int) -> bytes:
    """What the format, which is words[fixed], makes of the words behind it."""
    template = memory.read_text(words[fixed], _TEXT_BYTES)
    return formatted(template, _given(memory, words, fixed + 1, words_needed(template)), _reader(memory))


def _given(memory: GuestMemory, words: tuple[int, ...], fixed: int, count: int) -> Iterator[int]:
    if fixed + count <= _WORDS:
        yield from words[fixed:]
        return
    yield from words[fixed : _WORDS - 1]
    for index in range(fixed + count - (_WORDS - 1)):
        yield int.from_bytes(memory.read(words[-1] + 8 * index, 8), "little")


def _reader(memory: GuestMemory) -> Callable[[int, int | None], bytes]:
    def read(pointer: int, most: int | None) -> bytes:
        if pointer == 0:
            return b"(null)"[:most]
        return memory.read_text(pointer, most) if most is not None else memory.read_text(pointer, _TEXT_BYTES)

    return read


def _exit(_memory: GuestMemory, status: int, *_: int) -> int:
    raise Ended(status)


def _abort(_memory: GuestMemory, *_: int) -> int:
    raise Aborted
