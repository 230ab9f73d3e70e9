"""What C's printf makes of a format: C11 7.21.6.1 without floating point and `%n`.

The values come as 64-bit words, as functions of the host get them; each is cut to the type that its conversion names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

_CONVERSION = re.compile(rb"%([-+ #0]*)(\*|\d*)(?:\.(\*|\d*))?(hh|h|ll|l|j|z|t|q)?(.)", re.DOTALL)
_BYTES = {b"hh": 1, b"h": 2, b"": 4}
_DIGITS = {b"o": "o", b"x": "x", b"X": "X", b"u": "d", b"p": "x"}


class Unformattable(Exception):
    """A conversion that is not known here."""


class _Piece(NamedTuple):
    """Plain text, or a conversion: then `text` is empty. `width` and `precision` may be `*`, which is one more word."""

    text: bytes
    flags: bytes = b""
    width: bytes = b""
    precision: bytes | None = None
    size: bytes = b""
    letter: bytes = b""


def words_needed(template: bytes) -> int:
    """How many words a format takes. Raises Unformattable."""
    count = 0
    for piece in _pieces(template):
        if piece.letter not in (b"", b"%"):
            count += 1 + (piece.width == b"*") + (piece.precision == b"*")
    return count


def formatted(template: bytes, words: Iterator[int], read_text: Callable[[int, int | None], bytes]) -> bytes:
    """The text. `read_text` gives the bytes at an address up to a NUL, or to a number of them. Raises Unformattable."""
    out = b""
    for piece in _pieces(template):
        if not piece.letter:
            out += piece.text
            continue
        flags = piece.flags
        width = _signed(next(words), 4) if piece.width == b"*" else int(piece.width or b"0")
        if width < 0:
            flags, width = flags + b"-", -width
        precision = _precision(piece.precision, words)
        out += _converted(piece, flags, width, precision, words, read_text)
    return out


def _pieces(template: bytes) -> Iterator[_Piece]:
    at = 0
    for found in _CONVERSION.finditer(template):
        yield _Piece(template[at : found.start()])
        flags, width, precision, size, letter = found.groups()
        if letter not in b"diouxXcsp%":
            raise Unformattable(f"{found[0].decode(errors='replace')} in a format")
        yield _Piece(b"", flags, width, precision, size or b"", letter)
        at = found.end()
    yield _Piece(template[at:])


def _precision(written: bytes | None, words: Iterator[int]) -> int | None:
    if written is None:
        return None
    if written != b"*":
        return int(written or b"0")
    given = _signed(next(words), 4)
    return given if given >= 0 else None


def _converted(
    piece: _Piece,
    flags: bytes,
    width: int,
    precision: int | None,
    words: Iterator[int],
    read_text: Callable[[int, int | None], bytes],
) -> bytes:
    match piece.letter:
        case b"%":
            return b"%"
        case b"c":
            return _padded(b"", bytes([next(words) & 0xFF]), flags, width, zeros=False)
        case b"s":
            return _padded(b"", read_text(next(words), precision), flags, width, zeros=False)
        case _:
            sign, digits = _number(piece, flags, precision, next(words))
            return _padded(sign, digits, flags, width, zeros=b"0" in flags and precision is None)


def _number(piece: _Piece, flags: bytes, precision: int | None, word: int) -> tuple[bytes, bytes]:
    """The sign or prefix, and the digits."""
    size = 8 if piece.letter == b"p" else _BYTES.get(piece.size, 8)
    if piece.letter in b"di":
        value = _signed(word, size)
        sign = b"-" if value < 0 else b"+" if b"+" in flags else b" " if b" " in flags else b""
        digits = str(abs(value))
    else:
        value = word & (1 << 8 * size) - 1
        digits = format(value, _DIGITS[piece.letter])
        prefixed = piece.letter == b"p" or (b"#" in flags and value and piece.letter in b"xX")
        sign = b"0X" if prefixed and piece.letter == b"X" else b"0x" if prefixed else b""
        if piece.letter == b"o" and b"#" in flags and digits[0] != "0":
            digits = "0" + digits
    if precision is not None:
        digits = "" if precision == 0 and value == 0 else digits.rjust(precision, "0")
    return sign, digits.encode()


def _padded(sign: bytes, text: bytes, flags: bytes, width: int, *, zeros: bool) -> bytes:
    if b"-" in flags:
        return (sign + text).ljust(width)
    if zeros:
        return sign + text.rjust(width - len(sign), b"0")
    return (sign + text).rjust(width)


def _signed(word: int, size: int) -> int:
    bits = 8 * size
    return ((word & (1 << bits) - 1) ^ 1 << bits - 1) - (1 << bits - 1)
