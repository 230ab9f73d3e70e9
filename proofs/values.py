"""The numbers of a counterexample: a value for every unknown of it, and zero for unknowns that do not matter.

Decides: what symbolic values come to. `truth` and `plain` let the solver's model substitute, for the many decisions on
the way; `holds` computes in Python, for the judgement at the end. Trusted by `proofs.replay`.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any, Protocol, runtime_checkable

import z3

from proofs.evaluate import evaluate, signed
from proofs.executor import Fork
from proofs.symbolic import INT_BITS, Bytes, Int


@runtime_checkable
class StandIn(Protocol):
    """An argument of core code that only a theorem has, for sets and tables that are not known."""

    def plain(self, values: Values) -> object:
        """The same with everything known."""
        ...


class Values:
    """See the module. A guide of `proofs.executor`."""

    def __init__(self, model: z3.ModelRef) -> None:
        self._model = model
        self.runs = 0  # that these numbers led through so far

    def begin(self) -> None:
        self.runs += 1

    def truth(self, condition: z3.BoolRef) -> bool:
        return bool(z3.is_true(self._model.eval(condition, model_completion=True)))

    def holds(self, condition: z3.BoolRef) -> bool:
        """`truth`, by Python's arithmetic."""
        return bool(evaluate(condition, self.number))

    def number(self, term: z3.ExprRef) -> int:
        """The value of a word (not negative) or of a truth."""
        value = self._model.eval(term, model_completion=True)
        return int(value.as_long()) if z3.is_bv(value) else bool(z3.is_true(value))

    def shown(self, term: z3.ExprRef) -> int:
        """The value for people: a bit-vector as wide as an `Int` stands for a Python int, which may be negative."""
        value = self.number(term)
        return signed(value, INT_BITS) if z3.is_bv(term) and term.sort().size() == INT_BITS else value

    def choose(self, term: z3.BitVecRef, value: int) -> int:
        """Let a word of which nothing is claimed, or a sum with one, be `value`; what it is if it is neither."""
        for unknown in (term, *term.children()):
            if z3.is_const(unknown) and unknown.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                others = self.number(term) - self.number(unknown)
                self._model.update_value(unknown, z3.BitVecVal(value - others, term.size()))
                break
        return self.number(term)

    def named(self) -> tuple[tuple[str, int], ...]:
        """All unknowns of the counterexample and their values, by name."""
        constants = (declared() for declared in self._model.decls() if declared.arity() == 0)
        return tuple(sorted((term.decl().name(), self.shown(term)) for term in constants))

    def plain(self, value: Any) -> Any:  # noqa: ANN401 - keeps the type, but for stand-ins
        """`value` with Python's own ints and bools in place of symbolic ones, in tuples, classes and calls, too."""
        match value:
            case Int():
                return signed(self.number(value.bits), value.bits.size())
            case z3.BitVecRef():
                return self.number(value)
            case z3.BoolRef():
                return self.truth(value)
            case Fork():
                return self.truth(value.condition)
            case partial():
                return partial(value.func, *self.plain(value.args), **self.plain(value.keywords))
            case Bytes():
                return bytes(map(self.plain, value))
            case tuple() if hasattr(value, "_make"):
                return type(value)._make(map(self.plain, value))
            case tuple() | list():
                return type(value)(map(self.plain, value))
            case dict():
                return {key: self.plain(item) for key, item in value.items()}
            case StandIn():
                return value.plain(self)
        if is_dataclass(value) and not isinstance(value, type):
            return type(value)(**{f.name: self.plain(getattr(value, f.name)) for f in fields(value) if f.init})
        return value
