"""Random C programs with functions in functions, pointers to them, and gotos out of them (GNU C).

All functions have one type, so that each can be called wherever a pointer is. A call goes one level deeper of a few, so
that all ends; what a call returns is stored by a statement of its own, so that no order of evaluation matters. Pointers
go down only: whoever is called through one is still running. All arithmetic is unsigned. The type of the functions
says nothing of parameters, so that one of them can be a pointer to it: arguments are cast to what is expected.
"""

from __future__ import annotations

from random import Random

from tests.salix.random_c.tree import Expression, Function, Source, Statement, statement

_DECLARATIONS = (
    "typedef unsigned long long u64;",
    "typedef u64 function();",
    "struct three { u64 x; unsigned char y; unsigned z; };",
    "static u64 digest = 14695981039346656037ull, steps;",
    "static u64 g0 = 5;",
    "static unsigned g1[4] = {1, 2, 3, 4};",
)
_MIX = Function(
    "static void mix(u64 value)", (statement("digest = (digest ^ value ^ (value >> 32)) * 1099511628211ull;"),)
)
_LEAF = Function("static u64 leaf(u64 n, u64 a, function *f)", (statement("mix(a); return n + a;"),))
_PARAMETERS = "(u64 n, u64 a, function *f)"
_WIDEST = (3, 3, 2, 1)  # more functions than there may be in one, by its level
_LEVELS = len(_WIDEST) - 1
_TYPES = ("u64", "unsigned", "unsigned char", "unsigned short", "volatile unsigned")
_GLOBALS = ("g0", "g1[{0} & 3]")


def nested_source(seed: int, index: int) -> Source:
    """Program `index` of a seed."""
    return _Nested(Random(f"nested {seed}:{index}")).source()


class _Nested:
    """Draws one program. Names are never used twice, but for those of parameters."""

    def __init__(self, random: Random) -> None:
        self.random, self._names = random, 0

    def source(self) -> Source:
        random, functions, outer = self.random, [_MIX, _LEAF], ["leaf"]
        for _ in range(random.randrange(1, 4)):
            name = self._name("t")
            kind = random.choice(("static ", "static inline ", "static __attribute__((noinline)) "))
            body = self._body([*_GLOBALS], [*outer, name], [], 0)
            functions.append(Function(f"{kind}u64 {name}{_PARAMETERS}", body))
            outer.append(name)
        calls = [
            statement(f"steps = 0; mix({name}({depth}, {random.randrange(50)}, {random.choice(outer)}));")
            for name in outer[1:]
            for depth in (2, 3, 4)
        ]
        run = Function("unsigned long long run(void)", (*calls, statement("return digest;")))
        return Source(_DECLARATIONS, (*functions, run))

    def _name(self, letter: str) -> str:
        self._names += 1
        return f"{letter}{self._names}"

    def _body(self, seen: list[str], callable_: list[str], labels: list[str], level: int) -> tuple[Statement, ...]:
        """`seen` are the places of the functions around it, `labels` those that it may leave to."""
        random, own, functions = self.random, ["a"], list(callable_)
        label = self._name("L") if random.randrange(2) and level < _LEVELS else None
        made = [statement(f"__label__ {label};")] if label else []
        made.append(statement("if (n == 0 || n > 9 || ++steps > 500) return a;"))
        for _ in range(random.randrange(1, 4)):
            made.append(self._local(seen, own))
        inner = [self._name("f") for _ in range(random.randrange(level == 0, _WIDEST[level]))]
        for name in inner:
            if random.randrange(3) == 0:
                made.append(statement(f"auto u64 {name}{_PARAMETERS};"))
                functions.append(name)
        for name in inner:
            around = [place for place in (*seen, *own) if place != "a"]
            known = functions if name in functions else [*functions, name]
            body = self._body(around, known, [*labels, *([label] if label else [])], level + 1)
            kind = random.choice(("", "", "inline ", "__attribute__((noinline)) "))
            made.append(Statement((f"{kind}u64 {name}{_PARAMETERS} {{{{", "}}"), (), (body,)))
            functions = known
        made += self._statements([*seen, *own], functions, labels, random.randrange(2, 5))
        made.append(statement("return {0};", self._value([*seen, *own])))
        if label:
            made.append(statement(f"{label}: mix({{0}});", self._value([*seen, *own])))
            made.append(statement("return {0};", self._value(own)))
        return tuple(made)

    def _local(self, seen: list[str], own: list[str]) -> Statement:
        random, name, value = self.random, self._name("v"), self._value([*seen, *own], 1)
        match random.randrange(4):
            case 0:
                own.append(f"{name}[{{0}} & 3]")
                return statement(f"unsigned {name}[4] = {{{{{{0}}, a, 3}}}};", value)
            case 1:
                own += [f"{name}.{member}" for member in "xyz"]
                return statement(f"struct three {name} = {{{{a, {{0}}}}}};", value)
            case _:
                own.append(name)
                return statement(f"{random.choice(_TYPES)} {name} = {{0}};", value)

    def _place(self, places: list[str]) -> Expression:
        chosen = self.random.choice(places)
        return Expression(chosen, (self._value(places, 0),)) if "{0}" in chosen else Expression(chosen)

    def _value(self, places: list[str], depth: int = 2) -> Expression:
        random = self.random
        if depth <= 0 or random.randrange(5) == 0:
            if depth > 0 and random.randrange(3):
                return self._place(places)
            return Expression(random.choice(("a", "n", f"{random.randrange(100)}ull")))
        operands = (self._value(places, depth - 1), self._value(places, depth - 1))
        if random.randrange(8) == 0:
            return Expression("({0} & 1 ? {1} : {2})", (*operands, self._value(places, depth - 1)))
        return Expression(f"({{0}} {random.choice(('+', '-', '*', '^', '&', '|', '<', '=='))} {{1}})", operands)

    def _call(self, places: list[str], functions: list[str]) -> Expression:
        called, passed = self.random.choice((*functions, "f", "f")), self.random.choice((*functions, "f"))
        return Expression(f"{called}(n - 1, (u64){{0}}, {passed})", (self._value(places, 1),))

    def _statements(self, places: list[str], functions: list[str], labels: list[str], count: int) -> list[Statement]:
        return [self._statement(places, functions, labels) for _ in range(count)]

    def _statement(self, places: list[str], functions: list[str], labels: list[str]) -> Statement:
        random, value = self.random, self._value(places)
        match random.randrange(8):
            case 0 | 1 | 2:
                name = self._name("r")
                parts = (self._call(places, functions), self._place(places))
                return statement(f"{{{{ u64 {name} = {{0}}; {{1}} = {name}; }}}}", *parts)
            case 3:
                body = tuple(self._statements(places, functions, labels, 2))
                return Statement(("if ({0} & 1) {{", "}}"), (value,), (body,))
            case 4:
                name = self._name("i")
                body = tuple(self._statements(places, functions, labels, 1))
                return Statement((f"for (int {name} = 0; {name} < 2; {name}++) {{{{", "}}"), (), (body,))
            case 5 if labels:
                return statement(f"if (({{0}} & 15) == 3) goto {random.choice(labels)};", value)
            case 6:
                return statement("mix({0});", value)
            case _:
                assigned = random.choice(("=", "+=", "^=", "-="))
                return statement(f"{{0}} {assigned} {{1}};", self._place(places), value)
