"""Random expressions without side effects, whose values are defined whatever their operands are."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from tests.salix.random_c.integer_types import (
    CHAR,
    INT,
    TYPES,
    UNSIGNED,
    UNSIGNED_LONG,
    CType,
    common,
    promoted,
    unsigned_of,
)
from tests.salix.random_c.places import Place, Struct, initial
from tests.salix.random_c.tree import Expression

if TYPE_CHECKING:
    from tests.salix.random_c.writer import Signature

Typed = tuple[Expression, CType]
_DEPTH = 4
_BUILTINS = (
    ("__builtin_popcountll", "{0}", INT), ("__builtin_clz", "(unsigned){0} | 1u", INT), ("__builtin_ffsll", "{0}", INT),
    ("__builtin_ctzll", "{0} | 1ull << 40", INT), ("__builtin_parity", "{0}", INT), ("__builtin_clrsb", "{0}", INT),
    ("__builtin_bswap32", "{0}", UNSIGNED), ("__builtin_bswap64", "{0}", UNSIGNED_LONG),
)  # fmt: skip


class Writer:
    """Draws expressions over `places`, which grows with the scopes, and calls of what changes nothing."""

    def __init__(self, random: Random, places: list[Place], signatures: list[Signature]) -> None:
        self.random, self.places, self.signatures = random, list(places), signatures
        self.spent = 0  # what the calls so far cost

    def any(self, depth: int = _DEPTH) -> Expression:
        """Of any type."""
        return self.typed(depth)[0]

    def typed(self, depth: int = _DEPTH) -> Typed:
        """An expression and its type."""
        random = self.random
        if depth <= 0 or random.randrange(8) == 0:
            return self._leaf(depth)
        kinds = (
            self._sum, self._sum, self._product, self._division, self._bits, self._shift, self._comparison, self._logic,
            self._choice, self._cast, self._unary, self._call, self._odd, self._gnu,
        )  # fmt: skip
        return random.choice(kinds)(depth - 1)

    def place(self, among: list[Place] | None = None, depth: int = 1) -> tuple[Expression, Place] | None:
        """One of the places, with indices that are within its arrays."""
        among = self.places if among is None else among
        if not among:
            return None
        chosen = self.random.choice(among)
        return Expression(chosen.template, tuple(self._index(count, depth) for count in chosen.counts)), chosen

    def _index(self, count: int, depth: int = 1) -> Expression:
        index, given = self.typed(depth) if depth > 0 else (Expression(str(self.random.randrange(9))), INT)
        if count & (count - 1) == 0:
            return Expression(f"{{0}} & {count - 1}", (index,))
        narrow = "unsigned char" if given.bits > 8 and self.random.randrange(3) == 0 else "unsigned"
        return Expression(f"({narrow}){{0}} % {count}", (index,))

    def _leaf(self, depth: int = 0) -> Typed:
        found = self.place(depth=min(depth - 1, 1)) if self.random.randrange(4) else None
        if found is not None:
            expression, place = found
            if place.width and place.type.bits == 64:  # compilers differ in the type of such a field
                return Expression(f"({place.type.name}){{0}}", (expression,)), place.type
            if place.width and place.type.rank == INT.rank and place.width < place.type.bits:
                return expression, INT  # all values fit (C11 6.3.1.1)
            return expression, place.type
        given = self.random.choice(TYPES)
        if self.random.randrange(8) == 0:
            return Expression(f"'{self.random.choice('aZ09 ~')}'"), INT
        return Expression(initial(self.random, given)), promoted(given)

    def _pair(self, depth: int) -> tuple[Expression, Expression, CType]:
        left, left_type = self.typed(depth)
        right, right_type = self.typed(depth)
        return left, right, common(left_type, right_type)

    def _sum(self, depth: int) -> Typed:
        left, right, given = self._pair(depth)
        sign = self.random.choice("+-")
        if not given.signed:
            return Expression(f"({{0}} {sign} {{1}})", (left, right)), given
        if self.random.randrange(2):
            return Expression(f"({{0}} % 10007 {sign} {{1}} % 997)", (left, right)), given
        name = unsigned_of(given).name
        return Expression(f"({given.name})(({name}){{0}} {sign} ({name}){{1}})", (left, right)), given

    def _product(self, depth: int) -> Typed:
        left, right, given = self._pair(depth)
        if not given.signed:
            return Expression("({0} * {1})", (left, right)), given
        if self.random.randrange(2):
            return Expression("(({0} % 1009) * ({1} % 10007))", (left, right)), given
        name = unsigned_of(given).name
        return Expression(f"({given.name})(({name}){{0}} * ({name}){{1}})", (left, right)), given

    def _division(self, depth: int) -> Typed:
        left, right, given = self._pair(depth)
        sign = self.random.choice("/%")
        if not given.signed:
            divisor = self.random.choice(
                ("({1} | 1)", "(({1} & 15) + 1)", str(self.random.choice((1, 2, 3, 8, 10, 255))))
            )
        else:
            number = self.random.choice((1, 2, 3, 7, 16, 1000))
            divisor = self.random.choice(("(({1} & 63) + 1)", "(-(({1} & 15) + 2))", str(number), f"(-{number + 1})"))
        cast = f"({given.name})"  # a divisor of its own would be of another type
        return Expression(f"({cast}{{0}} {sign} {cast}{divisor})", (left, right)), given

    def _bits(self, depth: int) -> Typed:
        left, right, given = self._pair(depth)
        return Expression(f"({{0}} {self.random.choice('&|^')} {{1}})", (left, right)), given

    def _shift(self, depth: int) -> Typed:
        left, left_type = self.typed(depth)
        right = self.any(depth - 1)
        given = promoted(left_type)
        count = self.random.choice((f"({{1}} & {given.bits - 1})", str(self.random.randrange(given.bits))))
        if self.random.randrange(2):
            return Expression(f"({{0}} >> {count})", (left, right)), given
        if not given.signed:
            return Expression(f"({{0}} << {count})", (left, right)), given
        return Expression(f"({given.name})(({unsigned_of(given).name}){{0}} << {count})", (left, right)), given

    def _comparison(self, depth: int) -> Typed:
        left, right, _ = self._pair(depth)
        return Expression(f"({{0}} {self.random.choice(('<', '<=', '>', '>=', '==', '!='))} {{1}})", (left, right)), INT

    def _logic(self, depth: int) -> Typed:
        left, right, _ = self._pair(depth)
        return Expression(f"({{0}} {self.random.choice(('&&', '||'))} {{1}})", (left, right)), INT

    def _choice(self, depth: int) -> Typed:
        condition = self.any(depth)
        left, right, given = self._pair(depth)
        return Expression("({0} ? {1} : {2})", (condition, left, right)), given

    def _cast(self, depth: int) -> Typed:
        given = self.random.choice(TYPES)
        return Expression(f"({given.name}){{0}}", (self.any(depth),)), given

    def _unary(self, depth: int) -> Typed:
        operand, operand_type = self.typed(depth)
        given = promoted(operand_type)
        match self.random.randrange(5):
            case 0:
                return Expression("(!{0})", (operand,)), INT
            case 1 | 2:
                return Expression("(~{0})", (operand,)), given
            case 3:
                return Expression("(+{0})", (operand,)), given
            case _:
                return Expression("(-({0} >> 1))" if given.signed else "(-{0})", (operand,)), given

    def _odd(self, depth: int) -> Typed:
        """Comma, sizeof, a compound literal, an assignment's value."""
        operand, given = self.typed(depth)
        literal = self.random.choice(TYPES)
        match self.random.randrange(4):
            case 0:
                return Expression("({0}, {1})", (self.any(depth - 1), operand)), given
            case 1:
                return Expression("(sizeof(+{0}) + {1} % 5u)", (operand, self.any(0))), UNSIGNED_LONG
            case 2:
                return Expression(f"(({literal.name}){{{{{{0}}}}}})", (operand,)), literal
            case _:
                elements = Expression(
                    f"((const {literal.name}[]){{{{{{0}}, {{1}}}}}})[{{2}} & 1]", (operand, self.any(0), self.any(0))
                )
                return elements, literal

    def _gnu(self, depth: int) -> Typed:
        """What GNU compilers know beside C, and what asks for a type."""
        operand, given = self.typed(depth)
        literal = self.random.choice(TYPES)
        match self.random.randrange(6):
            case 0:
                other, other_type = self.typed(depth - 1)
                return Expression("({0} ?: {1})", (operand, other)), common(given, other_type)
            case 1:
                return Expression(f"({{{{ {literal.name} e = {{0}}; e; }}}})", (operand,)), literal
            case 2:
                function, wanted, result = self.random.choice(_BUILTINS)
                return Expression(f"{function}({wanted})", (operand,)), result
            case 3:
                names = enumerate(("int", "unsigned", "long", "unsigned long", "long long", "unsigned long long"), 1)
                return Expression(f"_Generic(+{{0}}, {', '.join(f'{n}: {at}' for at, n in names)})", (operand,)), INT
            case 4:
                return Expression('"random text"[{0} & 7]', (operand,)), CHAR
            case _:
                name = unsigned_of(promoted(given)).name
                return Expression(f"((__typeof__(+{{0}}))({name}){{0}})", (operand,)), promoted(given)

    def _call(self, depth: int) -> Typed:
        able = [each for each in self.signatures if not each.changes]
        if not able or depth < 1:
            return self._leaf()
        chosen = self.random.choice(able)
        if chosen.cost > 500:
            return self._leaf()
        self.spent += chosen.cost
        if isinstance(chosen.returns, Struct):
            members = [each for each in chosen.returns.members if not each.width]
            if not members:
                return self._leaf()
            member = self.random.choice(members)
            indices = tuple(self._index(count) for count in member.counts)
            text, parts = self.call(chosen)
            shown = member.template.format(*(f"{{{len(parts) + at}}}" for at in range(len(indices))))
            return Expression(text + shown, (*parts, *indices)), member.type
        assert chosen.returns is not None
        text, parts = self.call(chosen)
        return Expression(text, parts), chosen.returns

    def call(self, chosen: Signature) -> tuple[str, tuple[Expression, ...]]:
        """A call's template and its arguments."""
        parts, shown = list[Expression](), []
        for at, parameter in enumerate(chosen.parameters):
            if isinstance(parameter, Struct):
                parts.append(self.struct(parameter))
            elif isinstance(parameter, CType):
                mask = " & 3" if at == 0 and chosen.recursive else ""
                parts.append(Expression(f"{{0}}{mask}", (self.any(1),)))
            else:
                parts.append(self.pointer(parameter[1]))
            shown.append(f"{{{at}}}")
        return f"{chosen.name}({', '.join(shown)})", tuple(parts)

    def pointer(self, given: CType) -> Expression:
        """To an object of the type."""
        found = self.place([place for place in self.places if place.type == given and place.has_address])
        if found is None or self.random.randrange(5) == 0:
            return Expression(f"&({given.name}){{{{{{0}}}}}}", (self.any(1),))
        return Expression("&{0}", (found[0],))

    def struct(self, struct: Struct) -> Expression:
        """A value of the struct type."""
        plain = [member for member in struct.members if not member.counts]
        chosen = self.random.sample(plain, min(len(plain), 2))
        if not chosen:
            return Expression(f"(struct {struct.name}){{0}}")
        shown = ", ".join(f"{member.template} = {{{at}}}" for at, member in enumerate(chosen))
        return Expression(f"(struct {struct.name}){{{{{shown}}}}}", tuple(self.any(1) for _ in chosen))
