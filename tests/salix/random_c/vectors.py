"""Random C programs with vectors of integers (GNU C).

A program has one type of unsigned elements and one of signed ones. Sums and products are unsigned, so that all is
defined; what depends on the sign is done through casts. Within an expression nothing is changed.
"""

from __future__ import annotations

from random import Random

from tests.salix.random_c.tree import Expression, Function, Source, Statement, statement

_ELEMENTS = (("char", 8), ("short", 16), ("int", 32), ("long long", 64))
_VARIABLES = ("a", "b", "c", "g0", "g1", "table[one]", "table[2]", "box.v", "mine.v", "(*p)", "p[0]")
_ENDS = ("a", "b", "c", "g0", "g1", "table[0]", "table[1]", "table[2]", "box.v", "mine.v")


def vector_source(seed: int, index: int) -> Source:
    """Program `index` of a seed."""
    return _Vectors(Random(f"vectors {seed}:{index}")).source()


class _Vectors:
    """Draws one program."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.element, self.bits = random.choice(_ELEMENTS)
        self.count = random.choice([count for count in (1, 2, 4, 8, 16) if count * self.bits <= 512])
        self.shift = min(self.bits, 32) - 1

    def source(self) -> Source:
        random, size = self.random, self.count * self.bits // 8
        declarations = (
            f"typedef unsigned {self.element} V __attribute__((vector_size({size})));",
            f"typedef signed {self.element} W __attribute__((vector_size({size})));",
            "struct s { char before; V v; int after; };",
            "union u { W w; unsigned char bytes[sizeof(V)]; };",
            "static unsigned long long digest = 14695981039346656037ull;",
            "static volatile int one = 1;",
            f"static V g0 = {self._list()}, g1 = {self._list()}, table[3] = {{{self._list()}, {self._list()}}};",
            f"static struct s box = {{1, {self._list()}, 2}};",
        )
        mix = Function(
            "static void mix(unsigned long long value)",
            (statement("digest = (digest ^ value ^ (value >> 32)) * 1099511628211ull;"),),
        )
        see = Function(
            "static __attribute__((noinline)) void see(V v)",
            (statement(f"for (int i = 0; i < {self.count}; i++) mix(v[i]);"),),
        )
        same = Function("static V same(V v)", (statement("return v;"),))
        body = [statement(f"V {name} = {{0}};", Expression(self._list())) for name in "abc"]
        body.append(statement("V *p = &b; struct s mine = box; union u both;"))
        body += [self._statement() for _ in range(random.randrange(4, 14))]
        body += [statement(f"see({name});") for name in _ENDS]
        body.append(statement("return digest + mine.after;"))
        return Source(declarations, (mix, see, same, Function("unsigned long long run(void)", tuple(body))))

    def _list(self) -> str:
        random = self.random
        numbers = [
            random.choice((0, 1, 2, 7, (1 << self.bits) - 1, 1 << (self.bits - 1), random.getrandbits(self.bits)))
            for _ in range(random.choice((self.count, self.count, max(1, self.count - 1))))
        ]
        return f"{{{', '.join(f'{number}u' for number in numbers)}}}"

    def _place(self) -> Expression:
        return Expression(self.random.choice(_VARIABLES))

    def _value(self, depth: int = 2) -> Expression:
        random = self.random
        if depth <= 0 or random.randrange(7) == 0:
            literal = Expression(f"((V){self._list()})")
            return random.choice((self._place(), self._place(), Expression("same({0})", (self._place(),)), literal))
        shift, sign = self.shift, random.choice(("<<", ">>"))
        comparison, division = random.choice(("<", "<=", ">", ">=", "==", "!=")), random.choice("/%")
        template = random.choice(
            (
                f"({{0}} {random.choice('+-*&|^')} {{1}})",
                f"({{0}} {random.choice('+-*&|^')} {{1}})",
                f"({{0}} {division} ({{1}} & 7 | 1))",
                f"((V)((W){{0}} {division} ((W){{1}} & 7 | 2)))",
                f"({{0}} {sign} ({{1}} & {shift}))",
                f"((V)((W){{0}} >> ((W){{1}} & {shift})))",
                f"((V)({{0}} {comparison} {{1}}))",
                f"((V)((W){{0}} {comparison} (W){{1}}))",
                f"({random.choice('-~')}{{0}} ^ {{1}})",
                f"({{0}} {random.choice('+-*&|^')} {random.choice((1, 3, 100))})",
                f"({random.choice((1, 3, 100))} {random.choice('+-*&|^')} {{0}})",
                "(one ? {0} : {1})",
                "__builtin_shuffle({0}, (W){1})",
                "__builtin_shuffle({0}, {1}, {0})",
                f"({{0}} + {{1}}[{random.randrange(self.count)}])",
            )
        )
        return Expression(template, (self._value(depth - 1), self._value(depth - 1)))

    def _statement(self) -> Statement:
        random, place, value = self.random, self._place(), self._value()
        match random.randrange(7):
            case 0:
                return statement(f"{{0}} {random.choice(('+=', '-=', '*=', '&=', '|=', '^='))} {{1}};", place, value)
            case 1:
                name, at = random.choice("abc"), random.randrange(self.count)
                return statement(f"{name}[one & {self.count - 1}] = {{0}}[{at}] + 1;", value)
            case 2:
                return statement(f"{{0}}{random.choice(('++', '--'))}; ++g0;", place)
            case 3:
                return statement("both.w = (W){0}; for (int i = 0; i < sizeof(V); i++) mix(both.bytes[i]);", value)
            case 4:
                body = (statement("{0} = {1};", place, self._value(1)),)
                return Statement(("for (int i = 0; i < 3; i++) {{", "}}"), (), (body,))
            case _:
                return statement("{0} = {1};", place, value)
