"""Random C programs that initialise nested objects: with and without braces, with designators that lead into them, back
and forth, and over what was given before.

Each list stands twice, for a static object and for a local one; all scalars of both are digested. Unions consist of
members of the same size without padding, so that every bit has a value. No list has more values than there is room for.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from tests.salix.random_c.integer_types import (
    CHAR,
    TYPES,
    UNSIGNED,
    UNSIGNED_CHAR,
    UNSIGNED_LONG,
    UNSIGNED_SHORT,
    CType,
)
from tests.salix.random_c.places import initial
from tests.salix.random_c.tree import Expression, Function, Source, Statement, statement

_MIX = Function(
    "static void mix(unsigned long long value)",
    (statement("digest = (digest ^ value ^ (value >> 32)) * 1099511628211ull;"),),
)
_WHOLE = (UNSIGNED_CHAR, UNSIGNED_SHORT, UNSIGNED, UNSIGNED_LONG)
_DEEPEST = 3


class Part(NamedTuple):
    """A type: a scalar if it has no parts. `parts` are members with their designators, "" of those without a name."""

    declared: str  # with % for the name
    parts: tuple[tuple[str, Part], ...] = ()
    scalar: CType | None = None
    is_union: bool = False

    @property
    def leaves(self) -> int:
        """How many values without braces it takes."""
        if not self.parts:
            return 1
        taken = self.parts[:1] if self.is_union else self.parts
        return sum(part.leaves for _, part in taken)

    def paths(self) -> list[str]:
        """All scalars in it, as they are written behind its name."""
        return [""] if not self.parts else [path + inner for path, part in self.parts for inner in part.paths()]


def initialised_source(seed: int, index: int) -> Source:
    """Program `index` of a seed."""
    random = Random(f"initialised {seed}:{index}")
    functions, calls = [_MIX], list[Statement]()
    for number in range(random.randrange(2, 6)):
        part = _array(random, 0) if random.randrange(3) == 0 else _record(random, 0)
        listed = f"{{{_listed(random, part, 0)}}}"
        for name, storage in (("s", "static "), ("l", "")):
            shown = part.declared.replace("%", f"{name}{number}")
            value = listed.replace("@", "" if storage else " + x")
            body = [statement(_escaped(f"{storage}{shown} = {value};"))]
            body += [statement(f"mix((unsigned long long){name}{number}{path});") for path in part.paths()]
            functions.append(Function(f"static void {name}{number}f(int x)", tuple(body)))
            calls.append(statement(f"{name}{number}f({{0}});", Expression(str(random.randrange(3)))))
    run = Function("unsigned long long run(void)", (*calls, statement("return digest;")))
    return Source(("static unsigned long long digest = 14695981039346656037ull;",), (*functions, run))


def _part(random: Random, depth: int) -> Part:
    if depth < _DEEPEST and random.randrange(2):
        return random.choice((_array, _record, _record))(random, depth)
    given = random.choice(TYPES)
    return Part(f"{given.name} %", (), given)


def _array(random: Random, depth: int) -> Part:
    count, element = random.randrange(1, 4), _part(random, depth + 1)
    if random.randrange(4) == 0:
        element = Part("char %", (), CHAR)
    parts = tuple((f"[{at}]", element) for at in range(count))
    return Part(element.declared.replace("%", f"%[{count}]"), parts)


def _record(random: Random, depth: int, names: list[int] | None = None) -> Part:
    """A struct; the names of its members, and of those of its anonymous ones, are all different."""
    names = [0] if names is None else names
    lines, parts = [], list[tuple[str, Part]]()
    for _ in range(random.randrange(1, 4)):
        names[0] += 1
        name, kind = f"m{names[0]}", random.randrange(8)
        if kind == 0:
            given = random.choice(TYPES)
            width = random.randrange(1, min(given.bits, 32) + 1)
            lines.append(f"{given.name} {name} : {width};")
            parts.append((f".{name}", Part("", (), given)))
            continue
        if kind == 1:
            part, path = _union(random, name), ""
        elif kind == 2 and depth < _DEEPEST:
            part, path = _record(random, depth + 1, names), ""
        else:
            part, path = _part(random, depth + 1), f".{name}"
        lines.append(part.declared.replace("%", name if path else "").rstrip() + ";")
        parts.append((path, part))
    return Part(f"struct {{ {' '.join(lines)} }} %", tuple(parts))


def _union(random: Random, name: str) -> Part:
    given = random.choice(_WHOLE)
    count, low = given.bits // 8, random.randrange(1, given.bits)
    scalar, byte = Part("", (), given), Part("", (), UNSIGNED_CHAR)
    fields = f"struct {{ {given.name} {name}l : {low}, {name}h : {given.bits - low}; }};"
    shown = f"union {{ {given.name} {name}; unsigned char {name}b[{count}]; {fields} }} %"
    parts = (
        (f".{name}", scalar),
        (f".{name}b", Part("", tuple((f"[{at}]", byte) for at in range(count)))),
        ("", Part("", ((f".{name}l", scalar), (f".{name}h", scalar)))),
    )
    return Part(shown, parts, None, is_union=True)


def _escaped(text: str) -> str:
    """The same as a template."""
    return text.replace("{", "{{").replace("}", "}}")


def _value(random: Random, part: Part) -> str:
    """A constant; @ is where a local's initialiser adds something."""
    assert part.scalar is not None
    return f"{initial(random, part.scalar)}{'@' if part.scalar.bits < 32 and random.randrange(3) == 0 else ''}"


def _flat(part: Part) -> list[Part]:
    """The scalars that values without braces go to, in their order."""
    if not part.parts:
        return [part]
    taken = part.parts[:1] if part.is_union else part.parts
    return [leaf for _, inner in taken for leaf in _flat(inner)]


def _listed(random: Random, part: Part, depth: int) -> str:
    """What stands between the braces of an initialiser for `part`."""
    if not part.parts:
        return _value(random, part)
    starts, at = dict[int, Part](), 0
    for _, inner in part.parts[:1] if part.is_union else part.parts:
        starts[at] = inner
        at += inner.leaves
    flat, items, now = _flat(part), list[str](), 0
    for _ in range(random.randrange(1, 6)):
        if random.randrange(5) < 2 or not 0 <= now < len(flat):
            path, chosen, now = _designated(random, part)
            items.append(f"{path} = {_braced(random, chosen, depth)}")
        elif now in starts and starts[now].parts and random.randrange(2):
            items.append(_braced(random, starts[now], depth))
            now += starts[now].leaves
        else:
            items.append(_value(random, flat[now]))
            now += 1
    return ", ".join(items) + random.choice(("", ","))


def _braced(random: Random, part: Part, depth: int) -> str:
    if not part.parts:
        return _value(random, part)
    if part.parts[0][1].scalar == CHAR and part.parts[0][0] == "[0]" and random.randrange(2):
        return '"' + "xyz"[: len(part.parts)] + '"'
    return f"{{{_listed(random, part, depth + 1)}}}" if depth < _DEEPEST else "{0}"


def _designated(random: Random, part: Part) -> tuple[str, Part, int]:
    """A way into `part`, what is there, and the number of the scalar behind it; -1 if that is inside of a union."""
    number = random.randrange(len(part.parts))
    path, inner = part.parts[number]
    before = 0 if part.is_union else sum(each.leaves for _, each in part.parts[:number])
    if inner.parts and (path == "" or random.randrange(2)):
        deeper, chosen, behind = _designated(random, inner)
        return path + deeper, chosen, -1 if part.is_union or behind < 0 else before + behind
    return path, inner, part.leaves if part.is_union else before + inner.leaves
