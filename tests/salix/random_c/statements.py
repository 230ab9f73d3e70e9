"""Random statements: what they store is one of the places that they may change; loops count and end."""

from __future__ import annotations

from collections.abc import Callable

from tests.salix.random_c.expressions import Writer
from tests.salix.random_c.integer_types import BOOL, INT, TYPES, UNSIGNED_LONG_LONG, CType, unsigned_of
from tests.salix.random_c.places import Place, Struct
from tests.salix.random_c.tree import Expression, Statement, statement

_DEPTH = 3


class Body:
    """Draws the statements of one function. `stored` are the places that they may change."""

    def __init__(
        self,
        writer: Writer,
        structs: list[Struct],
        objects: list[tuple[str, Struct]],
        changes: bool,
        budget: int,
        stored: list[Place] | None = None,
    ) -> None:
        self.writer, self.random = writer, writer.random
        self.structs, self.objects, self.changes, self.budget = structs, list(objects), changes, budget
        self.stored = [place for place in (writer.places if stored is None else stored) if not place.constant]
        self._names = 0
        self._loops = 0
        self._times = 1  # how often what is written now is done
        self._labels: list[str] = []

    def _name(self, letter: str) -> str:
        self._names += 1
        return f"{letter}{self._names}"

    # ---------------------------------------------------------------- declarations

    def declarations(self) -> list[Statement]:
        """Locals, of which all are initialised."""
        return [self._declaration() for _ in range(self.random.randrange(1, 5))]

    def _declaration(self) -> Statement:
        name, given, random = self._name("v"), self.random.choice(TYPES), self.random
        kind = random.randrange(8)
        if kind == 0:
            count = random.randrange(1, 7)
            parts = tuple(self.writer.any(2) for _ in range(random.randrange(1, count + 1)))
            shown = ", ".join(f"{{{at}}}" for at in range(len(parts)))
            self._add(Place(f"{name}[{{}}]", given, (count,)))
            return Statement((f"{given.name} {name}[{count}] = {{{{{shown}}}}};",), parts)
        if kind == 1 and self.structs:
            struct = random.choice(self.structs)
            made = statement(f"struct {struct.name} {name} = {{0}};", self.writer.struct(struct))
            for member in struct.members:
                self._add(member._replace(template=name + member.template))
            self.objects.append((name, struct))
            return made
        if kind == 2 and self.changes:
            pointer = self.writer.pointer(given)
            self._add(Place(f"*{name}", given))
            return statement(f"{given.name} *{name} = {{0}};", pointer)
        if kind == 3 and self.changes:
            self._add(Place(name, given))
            return statement(f"static {given.name} {name} = {random.randrange(2)};")
        made = statement(
            f"{random.choice(('', '', 'register ', 'volatile '))}{given.name} {name} = {{0}};", self.writer.any(3)
        )
        volatile = made.heads[0].startswith(("volatile", "register"))  # neither has an address that may be taken
        self._add(Place(name, given, volatile=volatile))
        return made

    def _add(self, place: Place) -> None:
        self.writer.places.append(place)
        self.stored.append(place)

    # ---------------------------------------------------------------- statements

    def statements(self, count: int, depth: int) -> list[Statement]:
        """A sequence."""
        return [self._statement(depth) for _ in range(count)]

    def _statement(self, depth: int) -> Statement:
        self.budget -= self._times
        if depth >= _DEPTH or self.budget <= 0 or self.random.randrange(5) < 3:
            return self.random.choice(self._simple())()
        return self.random.choice(self._nested())(depth + 1)

    def _simple(self) -> tuple[Callable[[], Statement], ...]:
        return (
            self._assignment, self._assignment, self._compound, self._compound, self._step, self._call, self._struct,
            self._chain,
        )  # fmt: skip

    def _nested(self) -> tuple[Callable[[int], Statement], ...]:
        return (
            self._if, self._if, self._for, self._while, self._do, self._switch, self._block, self._labelled, self._jump,
        )  # fmt: skip

    def _inner(self, depth: int, count: int | None = None) -> tuple[Statement, ...]:
        """A body in braces, with locals of its own; the names end with it."""
        places, stored, objects = list(self.writer.places), list(self.stored), list(self.objects)
        made = [self._declaration()] if self.random.randrange(4) == 0 else []
        made += self.statements(count or self.random.randrange(1, 4), depth)
        self.writer.places, self.stored, self.objects = places, stored, objects
        return tuple(made)

    def _repeated(self, depth: int, times: int) -> tuple[Statement, ...]:
        labels, self._labels = self._labels, []  # jumps out of loops are written by `_jump` with break
        self._loops += 1
        self._times *= times
        made = self._inner(depth)
        self._times //= times
        self._loops -= 1
        self._labels = labels
        return made

    def _target(self) -> tuple[Expression, Place]:
        found = self.writer.place(self.stored)
        if found is None:
            made = Place("digest", UNSIGNED_LONG_LONG) if self.changes else None
            assert made is not None
            return Expression("digest"), made
        return found

    def _assignment(self) -> Statement:
        if not self.stored:
            return statement(";")
        target, _ = self._target()
        return statement("{0} = {1};", target, self.writer.any())

    def _chain(self) -> Statement:
        plain = [place for place in self.stored if not place.counts and not place.is_alias]
        if len(plain) < 2:
            return self._assignment()
        first, second = self.random.sample(plain, 2)
        return statement(f"{first.template} = {second.template} = {{0}};", self.writer.any())

    def _compound(self) -> Statement:
        if not self.stored:
            return statement(";")
        target, place = self._target()
        value = self.writer.any(3)
        narrow = place.bits < 32
        if place.type == BOOL or self.random.randrange(3) == 0:
            return statement(f"{{0}} {self.random.choice('&|^')}= {{1}};", target, value)
        match self.random.randrange(4):
            case 0:
                return statement(f"{{0}} {self.random.choice('+-*')}= (unsigned long){{1}};", target, value)
            case 1:
                return statement(f"{{0}} {self.random.choice('/%')}= (({{1}} & 31) + 1);", target, value)
            case 2:
                return statement(f"{{0}} >>= ({{1}} & {place.bits - 1 if not narrow else 7});", target, value)
            case _ if not place.type.signed and not place.width:
                return statement(f"{{0}} <<= ({{1}} & {place.bits - 1});", target, value)
            case _:
                unsigned = "unsigned long" if place.type.bits == 64 else unsigned_of(INT).name
                return statement(f"{{0}} {self.random.choice('+-')}= ({unsigned}){{1}};", target, value)

    def _step(self) -> Statement:
        able = [each for each in self.stored if not each.type.signed or (each.bits < 32 and each.type.bits < 64)]
        found = self.writer.place(able)
        if found is None:
            return self._assignment()
        step = self.random.choice(("++", "--"))
        shown = f"({{0}}){step}" if self.random.randrange(2) else f"{step}{{0}}"
        simple = [place for place in self.stored if not place.counts and not place.is_alias]
        if simple and self.random.randrange(2) and not found[1].is_alias and found[1] not in simple:
            return statement(f"{self.random.choice(simple).template} = {shown};", found[0])
        return statement(f"{shown};", found[0])

    def _call(self) -> Statement:
        able = [each for each in self.writer.signatures if self.changes and each.cost * self._times < self.budget]
        if not able:
            return self._assignment()
        chosen = self.random.choice(able)
        self.budget -= chosen.cost * self._times
        text, parts = self.writer.call(chosen)
        targets = [place for place in self.stored if not place.counts]
        if isinstance(chosen.returns, CType) and targets and self.random.randrange(3):
            target = self.random.choice(targets)
            if not target.is_alias:
                return statement(f"{target.template} = {text};", *parts)
        if isinstance(chosen.returns, CType):
            return statement(f"mix({text});", *parts)
        same = [name for name, struct in self.objects if struct is chosen.returns]
        if same:
            return statement(f"{self.random.choice(same)} = {text};", *parts)
        return statement(f"{text};", *parts)

    def _struct(self) -> Statement:
        if not self.objects:
            return self._assignment()
        name, struct = self.random.choice(self.objects)
        others = [other for other, its in self.objects if its is struct]
        match self.random.randrange(4):
            case 0:
                return statement(f"{name} = {{0}};", self.writer.struct(struct))
            case 1:
                return statement(f"memcpy(&{name}, &{self.random.choice(others)}, {self._copied(name, others)});")
            case _:
                return statement(f"{name} = {self.random.choice(others)};")

    def _copied(self, name: str, others: list[str]) -> str:
        return f"sizeof {name}" if len(others) > 1 else "0"  # memcpy onto itself is not defined

    def return_struct(self, struct: Struct) -> Statement:
        """Return one of the objects of this type, or a value made here."""
        same = [name for name, its in self.objects if its is struct]
        if same and self.random.randrange(2):
            return statement(f"return {self.random.choice(same)};")
        return statement("return {0};", self.writer.struct(struct))

    # ---------------------------------------------------------------- control

    def _if(self, depth: int) -> Statement:
        condition = self.writer.any()
        if self.random.randrange(2):
            return Statement(("if ({0}) {{", "}}"), (condition,), (self._inner(depth),))
        return Statement(("if ({0}) {{", "}} else {{", "}}"), (condition,), (self._inner(depth), self._inner(depth)))

    def _for(self, depth: int) -> Statement:
        name, times = self._name("i"), self.random.randrange(1, 8)
        given = self.random.choice((INT, INT, *TYPES[1:]))
        places = list(self.writer.places)
        self.writer.places.append(Place(name, given, constant=True))
        body = self._repeated(depth, times)
        self.writer.places = places
        if self.random.randrange(2):
            head = f"for ({given.name} {name} = 0; {name} < {times}; {name}++) {{{{"
        else:
            head = f"for ({given.name} {name} = {times}; {name} > 0; {name}--) {{{{"
        return Statement((head, "}}"), (), (body,))

    def _while(self, depth: int) -> Statement:
        name, times = self._name("n"), self.random.randrange(1, 6)
        condition = self.writer.any(2)
        loop = Statement(
            (f"while ({name}++ < {times} && ({{0}} || 1)) {{{{", "}}"), (condition,), (self._repeated(depth, times),)
        )
        if self.random.randrange(2):
            loop = loop._replace(heads=(f"while ({name}++ < {times} && {{0}}) {{{{", "}}"))
        return Statement(("{{", "}}"), (), ((statement(f"unsigned {name} = 0;"), loop),))

    def _do(self, depth: int) -> Statement:
        name, times = self._name("n"), self.random.randrange(1, 6)
        condition = self.writer.any(2)
        body = self._repeated(depth, times)
        loop = Statement(("do {{", f"}}}} while (++{name} < {times} && {{0}});"), (condition,), (body,))
        return Statement(("{{", "}}"), (), ((statement(f"unsigned char {name} = 0;"), loop),))

    def _switch(self, depth: int) -> Statement:
        count = self.random.randrange(1, 6)
        condition, given = self.writer.typed(2)
        cases = self.random.sample(range(-1, 8), count)
        mask = self.random.choice(("{0} & 7", "{0} % 7", "{0}", "(signed char){0}"))
        if given.bits == 64 and mask == "{0}":
            cases = [case << self.random.choice((0, 30, 32, 58)) for case in cases]
            cases = list(dict.fromkeys(cases))
        heads, bodies = ["switch ({0}) {{"], []
        default = self.random.randrange(len(cases) + 2)
        for at, case in enumerate(cases):
            last = case + self.random.choice((0, 0, 1, 3))
            if any(case < other <= last for other in cases):
                last = case
            label = f"case {case}ll{f' ... {last}ll' if last > case else ''}:" + (" default:" if at == default else "")
            body = list(self._inner(depth, 1 + self.random.randrange(2)))
            bodies.append((Statement((f"{label} {{{{", "}}"), (), (tuple(body),)),))
            heads.append("break;" if self.random.randrange(2) else ";")
        heads[-1] += " }}"
        heads[0] = heads[0].replace("{0}", mask)
        return Statement(tuple(heads), (condition,), tuple(bodies))

    def _block(self, depth: int) -> Statement:
        return Statement(("{{", "}}"), (), (self._inner(depth),))

    def _labelled(self, depth: int) -> Statement:
        label = self._name("L")
        self._labels.append(label)
        body = list(self._inner(depth, self.random.randrange(2, 5)))
        self._labels.remove(label)
        body.insert(len(body) - 1, statement(f"if ({{0}}) goto {label};", self.writer.any(2)))
        return Statement(("{{", f"{label}: ; }}}}"), (), (tuple(body),))

    def _jump(self, depth: int) -> Statement:
        condition = self.writer.any(2)
        if self._labels and self.random.randrange(2):
            return statement(f"if ({{0}}) goto {self.random.choice(self._labels)};", condition)
        if self._loops:
            return statement(f"if ({{0}}) {self.random.choice(('break', 'continue'))};", condition)
        return self._if(depth)
