"""Statements of the rarer sorts: jumps backward, into loops and to computed places, walks with pointers, and locals
that are tables, pointers to pointers and structs seen through pointers."""

from __future__ import annotations

from collections.abc import Callable

from tests.salix.random_c.integer_types import BOOL, TYPES, promoted
from tests.salix.random_c.places import Place, initial
from tests.salix.random_c.statements import Body
from tests.salix.random_c.tree import Statement, statement

_ATOMIC = ("fetch_and_add", "fetch_and_sub", "fetch_and_xor", "add_and_fetch", "and_and_fetch", "nand_and_fetch")


class Forms(Body):
    """As `Body`, with these as well."""

    # ---------------------------------------------------------------- declarations

    def _declaration(self) -> Statement:
        kinds = (self._table, self._rows, self._inferred, self._pointers, self._seen_through)
        made = self.random.choice(kinds)() if self.random.randrange(4) == 0 else None
        return super()._declaration() if made is None else made

    def _table(self) -> Statement:
        name, given, count = self._name("v"), self.random.choice(TYPES), self.random.randrange(2, 9)
        listed = ", ".join(initial(self.random, given) for _ in range(count))
        self.writer.places.append(Place(f"{name}[{{}}]", given, (count,), constant=True))
        return statement(f"static const {given.name} {name}[{count}] = {{{{{listed}}}}};")

    def _rows(self) -> Statement:
        name, given, random = self._name("v"), self.random.choice(TYPES), self.random
        rows, columns = random.randrange(1, 4), random.randrange(1, 4)
        row, column = random.randrange(rows), random.randrange(columns)
        first, second = self.writer.any(2), self.writer.any(2)
        self._add(Place(f"{name}[{{}}][{{}}]", given, (rows, columns)))
        shown = f"{{{{{{{{{{0}}}}}}, [{row}][{column}] = {{1}}}}}}"
        return statement(f"{given.name} {name}[{rows}][{columns}] = {shown};", first, second)

    def _inferred(self) -> Statement:
        name = self._name("v")
        value, given = self.writer.typed(3)
        self._add(Place(name, promoted(given)))
        return statement(f"__auto_type {name} = +{{0}};", value)

    def _pointers(self) -> Statement | None:
        if not self.changes:
            return None
        name, given = self._name("v"), self.random.choice(TYPES)
        made = statement(f"{given.name} *{name} = {{0}}, **{name}x = &{name};", self.writer.pointer(given))
        self._add(Place(f"**{name}x", given))
        return made

    def _seen_through(self) -> Statement | None:
        if not self.objects:
            return None
        name = self._name("w")
        chosen, struct = self.random.choice(self.objects)
        for member in struct.members:
            self._add(member._replace(template=f"{name}->{member.template[1:]}"))
        return statement(f"struct {struct.name} *{name} = &{chosen};")

    # ---------------------------------------------------------------- statements

    def _simple(self) -> tuple[Callable[[], Statement], ...]:
        return (*super()._simple(), self._atomic)

    def _nested(self) -> tuple[Callable[[int], Statement], ...]:
        return (*super()._nested(), self._walk, self._backward, self._into, self._computed)

    def _atomic(self) -> Statement:
        able = [each for each in self.stored if each.has_address and each.type != BOOL and not each.is_alias]
        found = self.writer.place(able)
        if found is None:
            return self._assignment()
        done = f"__sync_{self.random.choice(_ATOMIC)}(&{{0}}, e)"  # gcc may read what is added only afterwards
        done = f"mix({done});" if self.changes else f"{done};"
        return statement(f"{{{{ unsigned long long e = {{1}}; {done} }}}}", found[0], self.writer.any(3))

    def _walk(self, depth: int) -> Statement:
        arrays = [each for each in self.stored if each.has_address and each.counts and each.template.endswith("[{}]")]
        arrays = [each for each in arrays if len(each.counts) == 1 and not each.template.startswith("*")]
        if not arrays:
            return self._if(depth)
        array, name = self.random.choice(arrays), self._name("a")
        start, (count,) = array.template.removesuffix("[{}]"), array.counts
        places, stored = list(self.writer.places), list(self.stored)
        self._add(Place(f"*{name}", array.type))
        body = self._repeated(depth, count)
        self.writer.places, self.stored = places, stored
        if self.random.randrange(2):
            head = f"for ({array.type.name} *{name} = {start}; {name} < {start} + {count}; {name}++) {{{{"
            return Statement((head, "}}"), (), (body,))
        head = f"for ({array.type.name} *{name} = &{start}[{count}]; {name}-- != {start};) {{{{"
        return Statement((head, f"if ({name} == {start}) break; }}}}"), (), (body,))

    def _backward(self, depth: int) -> Statement:
        name, label, times = self._name("n"), self._name("L"), self.random.randrange(1, 6)
        condition = self.writer.any(2)
        self._times *= times
        body = self._inner(depth)
        self._times //= times
        again = statement(f"if ({name}++ < {times - 1} && {{0}}) goto {label};", condition)
        return Statement(
            ("{{", "}}"), (), ((statement(f"unsigned {name} = 0;"), statement(f"{label}: ;"), *body, again),)
        )

    def _into(self, depth: int) -> Statement:
        name, label, times = self._name("n"), self._name("L"), self.random.randrange(1, 5)
        enter = statement(f"if ({{0}}) goto {label};", self.writer.any(2))
        loop = Statement(
            (f"while ({name}++ < {times}) {{{{ {label}: ;", "}}"), (), (self._repeated(depth, times + 1),)
        )
        return Statement(("{{", "}}"), (), ((statement(f"unsigned {name} = 0;"), enter, loop),))

    def _computed(self, depth: int) -> Statement:
        count, name = self.random.randrange(2, 5), self._name("j")
        labels = [self._name("L") for _ in range(count)]
        listed = ", ".join(f"&&{label}" for label in labels)
        jump = statement(f"goto *{name}[(unsigned){{0}} % {count}];", self.writer.any(2))
        table = statement(f"static const void *const {name}[] = {{{{{listed}}}}};")
        bodies = [self._inner(depth, 1) for _ in labels]
        heads = [f"{label}: ; {{{{" for label in labels]
        joined = (heads[0], *(f"}}}} {head}" for head in heads[1:]), "}}")
        return Statement(("{{", "}}"), (), ((table, jump, Statement(joined, (), tuple(bodies))),))
