"""The abstract domain of machine words over which all meanings are written: W is the type of a word.

A word has a width in bits that its user knows: each operation is told it first, and its operands must have it.
Whoever writes over W may pass words to these operations, compare the truths they return in an `if`, and move words
about; Python's operators, int(), range() and keys of dictionaries are for widths, register numbers and pcs.

Decides: which operations there are, and their preconditions. A caller must establish a precondition; a domain may
assert it (and a symbolic one must turn it into an obligation). Trusted by both semantics; `proofs` checks that its
domain and the one of `simulator.integers` agree on every operation.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

W = TypeVar("W")
WIDTHS = (1, 8, 16, 32, 64)  # of all words in the semantics, in bits: flags, and what memory and registers hold


class Truth(Protocol):
    """The outcome of a comparison. `if truth:` decides it; in a symbolic domain that forks the path."""

    def __bool__(self) -> bool: ...


class Words(Protocol[W]):
    """Operations on words; `bits` is the width of operands and result unless the docstring says otherwise."""

    def constant(self, bits: int, value: int) -> W:
        """value mod 2^bits; `value` may be negative."""
        ...

    # arithmetic mod 2^bits

    def add(self, bits: int, a: W, b: W) -> W: ...

    def sub(self, bits: int, a: W, b: W) -> W: ...

    def mul(self, bits: int, a: W, b: W) -> W: ...

    def unsigned_div(self, bits: int, a: W, b: W) -> W:
        """floor(a / b). Needs b != 0."""
        ...

    def unsigned_rem(self, bits: int, a: W, b: W) -> W:
        """a - b * floor(a / b). Needs b != 0."""
        ...

    def signed_div(self, bits: int, a: W, b: W) -> W:
        """The signed quotient, rounded towards zero. Needs b != 0 and not (a = -2^(bits-1) and b = -1)."""
        ...

    def signed_rem(self, bits: int, a: W, b: W) -> W:
        """a - b * signed_div(a, b): it has the sign of a. Needs what `signed_div` needs."""
        ...

    # bit by bit

    def bit_and(self, bits: int, a: W, b: W) -> W: ...

    def bit_or(self, bits: int, a: W, b: W) -> W: ...

    def bit_xor(self, bits: int, a: W, b: W) -> W: ...

    # shifts: the count is a word of the same width, unsigned. Need count < bits.

    def shift_left(self, bits: int, a: W, count: W) -> W: ...

    def shift_right(self, bits: int, a: W, count: W) -> W:
        """Zeros come in at the top."""
        ...

    def shift_right_signed(self, bits: int, a: W, count: W) -> W:
        """Copies of the sign bit come in at the top."""
        ...

    # widths: from `bits` to `to_bits`

    def zero_extend(self, bits: int, to_bits: int, a: W) -> W:
        """Needs bits <= to_bits."""
        ...

    def sign_extend(self, bits: int, to_bits: int, a: W) -> W:
        """Needs bits <= to_bits."""
        ...

    def truncate(self, bits: int, to_bits: int, a: W) -> W:
        """The low `to_bits` bits. Needs to_bits <= bits."""
        ...

    def reverse_bytes(self, bits: int, a: W) -> W:
        """Needs bits to be a multiple of 8."""
        ...

    # comparisons

    def equal(self, bits: int, a: W, b: W) -> Truth: ...

    def unsigned_less(self, bits: int, a: W, b: W) -> Truth: ...

    def signed_less(self, bits: int, a: W, b: W) -> Truth: ...

    def select(self, bits: int, condition: Truth, then: W, otherwise: W) -> W:
        """`then` if `condition`, else `otherwise`, without deciding the condition. Both are evaluated already."""
        ...
