"""model.domains: the integers on which programs run and the bit-vectors on which theorems are proved are one domain.

Each operation of `simulator.words.Words` is run twice: by `simulator.integers` on unknown ints, and by
`proofs.symbolic.SymbolicWords` on the words that those ints are. The first is Python's arithmetic without bounds (an
`Int` refuses to wrap), with masks, shifts and signs by hand; the second is SMT-LIB's arithmetic modulo 2^bits. The
cases are the methods of the protocol, their operands the names of its parameters.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import z3

from proofs.division import without_divisions
from proofs.executor import Fork, explore
from proofs.symbolic import PRODUCT_BITS, Int, SymbolicWords, as_int, condition_of, integers_of
from proofs.theorem import Case, Obligation, Theorem, register
from simulator.integers import INTEGERS
from simulator.words import WIDTHS, Words

DIVIDED = 8  # bits of the widest words whose divisions a solver is asked about as they are
OPERATIONS = tuple(name for name, _ in inspect.getmembers(Words, inspect.isfunction) if not name.startswith("_"))
_GROWS = {"zero_extend": 1, "sign_extend": 1, "truncate": -1}


def _widths(operation: str) -> Iterator[dict[str, int]]:
    """The widths at which the operation may be used, by parameter."""
    names = [name for name in inspect.signature(getattr(Words, operation)).parameters if name.endswith("bits")]
    for sizes in product(WIDTHS, repeat=len(names)):
        widths = dict(zip(names, sizes, strict=True))
        if operation in _GROWS and _GROWS[operation] * (widths["to_bits"] - widths["bits"]) < 0:
            continue
        if operation == "reverse_bytes" and widths["bits"] % 8:
            continue
        yield widths


class _Operands:
    """The same unknown operands for both domains, and what a counterexample shows."""

    def __init__(self, operation: str, widths: dict[str, int]) -> None:
        self.ints: list[Any] = []
        self.words: list[Any] = []
        self.given: tuple[z3.BoolRef, ...] = ()
        self.shown: list[tuple[str, z3.ExprRef]] = []
        for name in list(inspect.signature(getattr(Words, operation)).parameters)[1:]:
            if name in widths:
                self._add(widths[name], widths[name])
            elif name == "value":  # an int, which both domains make a word of
                value, within = Int.fresh(name, -(1 << 64), 1 << 64)
                self.given = (within,)
                self._add(value, value, (name, value.bits))
            elif name == "condition":
                truth = z3.Bool(name)
                self._add(Fork(truth), Fork(truth), (name, truth))
            else:
                word = z3.BitVec(name, widths["bits"])
                self._add(Int.of_word(word), word, (name, word))

    def _add(self, as_int: object, as_word: object, *shown: tuple[str, z3.ExprRef]) -> None:
        self.ints.append(as_int)
        self.words.append(as_word)
        self.shown += shown


def _agree(operation: str) -> Iterator[Obligation]:
    for widths in _widths(operation):
        with integers_of(PRODUCT_BITS):
            found = list(_at(operation, widths))
        yield from found


def _at(operation: str, widths: dict[str, int]) -> Iterator[Obligation]:
    what, operands, words = f"{operation} {list(widths.values())}", _Operands(operation, widths), SymbolicWords()
    (symbolic,) = explore(lambda: getattr(words, operation)(*operands.words))
    compute = partial(getattr(INTEGERS, operation), *operands.ints)
    needs = tuple(words.obligations)
    for path in explore(compute, assuming=(*operands.given, *needs), what=what):
        claim = _same(path.returned, symbolic.returned)
        yield _obligation(f"{what}: the same", path.conditions, claim, operands, widths)
    for number, need in enumerate(needs):
        broken = (*operands.given, *needs[:number], z3.Not(need))
        for path in explore(compute, assuming=broken, allowed=(AssertionError, ZeroDivisionError), what=what):
            refused = z3.BoolVal(path.raised is not None)
            yield _obligation(f"{what}: a broken precondition raises", path.conditions, refused, operands, widths)


def _same(mine: Any, meant: Any) -> z3.BoolRef:  # noqa: ANN401 - a truth, or an int and a word
    if not isinstance(meant, z3.BitVecRef):
        return condition_of(mine) == condition_of(meant)
    value, size = as_int(mine), meant.size()
    return z3.And(value.word(size) == meant, condition_of(value >= 0), condition_of(value < 1 << size))


def _obligation(
    what: str, given: tuple[z3.BoolRef, ...], claim: z3.BoolRef, operands: _Operands, widths: dict[str, int]
) -> Obligation:
    exactly = claim
    if widths["bits"] > DIVIDED:
        claim, assumed = without_divisions(claim)
        given = (*given, assumed) if not z3.is_true(z3.simplify(assumed)) else given
    return Obligation(what, given, claim, tuple(operands.shown), exactly=exactly)


register(
    Theorem(
        id="model.domains",
        statement="the integer and the symbolic domain agree on every primitive, so the simulator is a run of the "
        "machine model",
        ranges_over="every operation of `simulator.words`, every width that the semantics use, all operands",
        assumes=("operands are words of their width; where preconditions are broken, the integers raise",),
        depends=("simulator.integers", "simulator.words"),
        cases=lambda: (Case(operation, partial(_agree, operation)) for operation in OPERATIONS),
    )
)
