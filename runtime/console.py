"""What a C program finds at the command line: printf, puts and their like, exit and abort. The host of `runtime run`.

Trusts nothing that a guest passes: pointers are judged by `GuestMemory`, formats by `runtime.formatting`. What is
printed goes, as bytes, to one function; whoever shows it to people escapes it.

A function with `...` gets up to five words in its five parameters; of more, four, and the address of the others, eight
bytes each. How many there are, its format says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from runtime.formatting import formatted, words_needed
from runtime.helpers import HelperFunction
from runtime.memory import GuestMemory

_WORDS = 5
_TEXT_BYTES = 1 << 20


class Ended(Exception):
    """The program called exit, with a status from 0 to 255. It comes out of whatever runs the guest."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status & 0xFF


class Aborted(Exception):
    """The program called abort."""

    def __init__(self) -> None:
        super().__init__("the program called abort")


class ConsoleHost:
    """Functions of one guest's host. write: what is done with the bytes that it prints, on either stream."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._out = write

    def functions(self) -> dict[int | str, HelperFunction]:
        """By their names in C; and `print(text, length)`, a line."""
        return {
            "print": self._print_line,
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
        self._out(text)
        return len(text)

    def _print_line(self, memory: GuestMemory, text: int, length: int, *_: int) -> int:
        self._write(memory.read(text, length) + b"\n")
        return 0

    def _put(self, _memory: GuestMemory, character: int, *_: int) -> int:
        self._write(bytes([character & 0xFF]))
        return character & 0xFF

    def _write_bytes(self, memory: GuestMemory, start: int, size: int, count: int, *_: int) -> int:
        self._write(memory.read(start, size * count))
        return count

    def _print(self, fixed: int, memory: GuestMemory, *words: int) -> int:
        return self._write(_text(memory, words, fixed))


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
